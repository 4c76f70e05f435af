/* Known constraints are never broken: random problems, whose constraints are checked by what they were made
 * of, and designs in small domains. */
#include "torture.h"
#include "unit/api/stored.h"

#include <stdint.h>
#include <string.h>

enum { D_MAX = 5, CONSTRAINTS_MAX = 4, ASKED = 9 };

typedef enum { INTERVAL, LOGARITHMIC, WHOLE, GRID, CATALOGUE, CHOICE, KINDS } kind;
typedef enum { SUM, BALL, PRODUCT, EQUALITY, FORMS } form;

typedef struct {
    form form;
    double weight[D_MAX],
        bound; /* sum w x <= bound, sum (x - w)^2 <= bound, x_0 x_1 <= bound, sum w x == bound */
} relation;

typedef struct {
    int d, count;
    kind kind[D_MAX];
    double lower[D_MAX], upper[D_MAX];
    relation relations[CONSTRAINTS_MAX];
} random_problem;

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static int below(int count)
{
    return (int)(uniform() * count);
}

static const double LISTED[] = {1.0, 2.0, 3.5, 5.0, 8.0, 12.0};
static const char *const WORDS[] = {"a", "b", "c"};

/* A value of parameter k. */
static double value_of(const random_problem *p, int k)
{
    switch (p->kind[k]) {
    case WHOLE:
        return p->lower[k] + below((int)(p->upper[k] - p->lower[k]) + 1);
    case GRID:
        return p->lower[k] + 0.25 * below((int)((p->upper[k] - p->lower[k]) / 0.25) + 1);
    case CATALOGUE:
        return LISTED[below(6)];
    case CHOICE:
        return below(3);
    default:
        return p->lower[k] + uniform() * (p->upper[k] - p->lower[k]);
    }
}

static double left_side(const random_problem *p, const relation *r, const double *x)
{
    double sum = 0.0;
    if (r->form == PRODUCT) return x[0] * x[p->d - 1];
    for (int k = 0; k < p->d; k++)
        sum += r->form == BALL ? (x[k] - r->weight[k]) * (x[k] - r->weight[k]) : r->weight[k] * x[k];
    return sum;
}

static int holds(const random_problem *p, const relation *r, const double *x)
{
    double left = left_side(p, r, x), size = 0.0;
    for (int k = 0; k < p->d; k++) size += fabs(r->weight[k]) * (p->upper[k] - p->lower[k]);
    /* The library adds in another order. */
    double rounding = 1e-13 * (fabs(r->bound) + size + fabs(left));
    if (r->form == EQUALITY) return fabs(left - r->bound) <= 1.001e-9 * size + rounding;
    return left <= r->bound + rounding;
}

/* Constraints that a point meets, often barely. */
static void make(random_problem *p)
{
    double inside[D_MAX];
    p->d = 1 + below(D_MAX);
    p->count = 1 + below(CONSTRAINTS_MAX);
    int continuous = 0, equalities = 0;
    for (int k = 0; k < p->d; k++) {
        p->kind[k] = below(2) ? below(2) : below(KINDS);
        p->lower[k] = p->kind[k] == LOGARITHMIC ? 0.1
                      : p->kind[k] == CATALOGUE ? 1.0
                      : p->kind[k] == CHOICE    ? 0.0
                                                : below(4) - 1.0;
        p->upper[k] = p->kind[k] == CATALOGUE ? 12.0
                      : p->kind[k] == CHOICE  ? 2.0
                                              : p->lower[k] + 1.0 + below(9);
        inside[k] = value_of(p, k);
        continuous += p->kind[k] <= LOGARITHMIC;
    }
    for (int i = 0; i < p->count; i++) {
        relation *r = &p->relations[i];
        r->form = below(FORMS);
        if (r->form == EQUALITY && (continuous == 0 || equalities++ > 0)) r->form = SUM;
        for (int k = 0; k < p->d; k++)
            r->weight[k] = r->form == BALL ? inside[k] + uniform() - 0.5 : 2.0 * uniform() - 1.0;
        double left = left_side(p, r, inside);
        r->bound = r->form == EQUALITY ? left : left + pow(10.0, -1.0 - 4.0 * uniform()) * (1.0 + fabs(left));
    }
}

static gofh_problem *problem_of(const random_problem *p)
{
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < p->d; k++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", k);
        if (p->kind[k] <= LOGARITHMIC)
            gofh_problem_add_parameter(problem, name, p->lower[k], p->upper[k],
                                       p->kind[k] == LOGARITHMIC ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR);
        if (p->kind[k] == WHOLE)
            gofh_problem_add_integer(problem, name, (int)p->lower[k], (int)p->upper[k], GOFH_SCALE_LINEAR);
        if (p->kind[k] == GRID)
            gofh_problem_add_grid(problem, name, p->lower[k], p->upper[k], 0.25, GOFH_SCALE_LINEAR);
        if (p->kind[k] == CATALOGUE) gofh_problem_add_values(problem, name, LISTED, 6, GOFH_SCALE_LINEAR);
        if (p->kind[k] == CHOICE) gofh_problem_add_choices(problem, name, WORDS, 3, GOFH_ORDER_NONE);
    }
    for (int i = 0; i < p->count; i++) {
        const relation *r = &p->relations[i];
        char text[600];
        int at = 0;
        for (int k = 0; k < p->d && r->form != PRODUCT; k++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           r->form == BALL ? "%s(x%d - (%.17g))^2" : "%sx%d*(%.17g)", k ? " + " : "", k,
                           r->weight[k]);
        if (r->form == PRODUCT) at = snprintf(text, sizeof text, "x0*x%d", p->d - 1);
        snprintf(text + at, sizeof text - (size_t)at, " %s %.17g",
                 r->form == EQUALITY ? "==" : "<=", r->bound);
        gofh_problem_add_constraint(problem, text);
    }
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "sum(y^2)");
    return problem;
}

static void check_values(const random_problem *p, const double *x)
{
    for (int k = 0; k < p->d; k++) {
        int listed = 0;
        for (int i = 0; i < 6; i++) listed |= x[k] == LISTED[i];
        assert_true(x[k] >= p->lower[k] && x[k] <= p->upper[k]);
        if (p->kind[k] == WHOLE || p->kind[k] == CHOICE) assert_true(x[k] == floor(x[k]));
        if (p->kind[k] == GRID) assert_true(4.0 * x[k] == floor(4.0 * x[k]));
        if (p->kind[k] == CATALOGUE) assert_true(listed);
    }
}

static void random_relations_are_never_broken(void **unused)
{
    (void)unused;
    int not_found = 0, count = torture_count(15, 10000);
    for (int i = 0; i < count; i++) {
        random_problem p;
        state = 77u + (uint64_t)i;
        uniform();
        make(&p);
        gofh_problem *problem = problem_of(&p);
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.budget = ASKED;
        settings.seed = (uint64_t)i + 1;
        settings.stop = GOFH_STOPPING_NEVER;
        gofh_study *study = NULL;
        gofh_error error = {.status = GOFH_OK};
        if (gofh_study_create(&study, problem, &settings, &error)) {
            /* There is a point, but it may be the only one of many. */
            if (!strstr(error.message, "no point was found")) fail_msg("problem %d: %s", i, error.message);
            not_found++;
        }
        double x[D_MAX], y[2];
        int64_t id;
        while (study && gofh_study_ask(study, &id, x) == GOFH_OK) {
            check_values(&p, x);
            for (int c = 0; c < p.count; c++)
                if (!holds(&p, &p.relations[c], x))
                    fail_msg("problem %d breaks constraint %d at trial %d", i, c, (int)id);
            y[0] = x[0] - p.lower[0];
            y[1] = sin(x[p.d - 1]) + 0.3;
            check_ok(study, gofh_study_tell(study, id, y));
        }
        gofh_study_free(study);
        gofh_problem_free(problem);
    }
    assert_true(not_found <= count / 20);
}

/* A disc that is 0.001 % of the box: with uniform points of the box none would be in it. Of points that fill
 * it, the two farthest are apart by more than its radius, and no two are closer than a tenth of that. */
static void a_design_fills_a_small_domain(void **unused)
{
    (void)unused;
    enum { POINTS = 10 };
    const double radius = sqrt(1e-5 / 3.14159265358979);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    char text[100];
    snprintf(text, sizeof text, "(a - 0.3)^2 + (b - 0.8)^2 <= %.17g", radius * radius);
    gofh_problem_add_constraint(problem, text);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.initial = POINTS;
    settings.design = GOFH_DESIGN_SOBOL;
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    double x[POINTS][2], nearest = INFINITY, farthest = 0.0;
    int64_t id;
    for (int i = 0; i < POINTS; i++) {
        check_ok(study, gofh_study_ask(study, &id, x[i]));
        assert_true(hypot(x[i][0] - 0.3, x[i][1] - 0.8) <= radius * (1.0 + 1e-12));
        for (int k = 0; k < i; k++) {
            double away = hypot(x[i][0] - x[k][0], x[i][1] - x[k][1]);
            nearest = fmin(nearest, away);
            farthest = fmax(farthest, away);
        }
    }
    assert_true(farthest > radius && nearest > 0.1 * radius);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

/* A band of 1e-5 of a cube around the hexagon of area 1.30 that a plane cuts out of it. The nearest two of 12
 * uniform points of that area, 66 pairs, are apart by 0.5 sqrt(1.30 / 66), 0.07, in the mean; the centres of 12
 * equal circles that fill it by 0.35. A design is nearer to these. */
static void a_design_fills_a_thin_band(void **unused)
{
    (void)unused;
    enum { POINTS = 12 };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        gofh_problem *problem = gofh_problem_create();
        for (int k = 0; k < 3; k++)
            gofh_problem_add_parameter(problem, (const char *[]){"a", "b", "c"}[k], 0.0, 1.0,
                                       GOFH_SCALE_LINEAR);
        gofh_problem_add_constraint(problem, "a + b + c >= 1.5");
        gofh_problem_add_constraint(problem, "a + b + c <= 1.50001");
        gofh_problem_set_outputs(problem, 1);
        gofh_problem_minimize(problem, "y[0]");
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.initial = POINTS;
        settings.seed = seed;
        gofh_study *study;
        assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
        double x[POINTS][3], nearest = INFINITY;
        int64_t id;
        for (int i = 0; i < POINTS; i++) {
            check_ok(study, gofh_study_ask(study, &id, x[i]));
            for (int k = 0; k < i; k++) {
                double a = x[i][0] - x[k][0], b = x[i][1] - x[k][1], c = x[i][2] - x[k][2];
                nearest = fmin(nearest, sqrt(a * a + b * b + c * c));
            }
        }
        if (!(nearest > 0.22)) fail_msg("seed %d: two points are apart by %g", (int)seed, nearest);
        gofh_study_free(study);
        gofh_problem_free(problem);
    }
}

/* The edge of an inequality is nothing of what it leaves, also beside a mixture, which points are moved
 * to. */
static void a_design_beside_an_equality_does_not_lie_on_edges(void **unused)
{
    (void)unused;
    enum { POINTS = 40 };
    static const char *const names[] = {"a", "b", "c", "inner", "outer"};
    static const double lower[] = {0.0, 0.0, 0.0, 1.0, 2.0}, upper[] = {1.0, 1.0, 1.0, 50.0, 60.0};
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < 5; k++)
        gofh_problem_add_parameter(problem, names[k], lower[k], upper[k], GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "a + b + c == 1");
    gofh_problem_add_constraint(problem, "inner + 2 <= outer");
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.initial = POINTS;
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    int64_t id;
    int on_the_edge = 0;
    for (int i = 0; i < POINTS; i++) {
        double x[5];
        check_ok(study, gofh_study_ask(study, &id, x));
        assert_true(fabs(x[0] + x[1] + x[2] - 1.0) <= 3e-9 && x[3] + 2.0 <= x[4]);
        on_the_edge += x[4] - x[3] - 2.0 < 1e-6;
    }
    assert_true(on_the_edge <= 1);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

static void check_empty(const char *first, const char *second, const char *message)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.1, 1.0, GOFH_SCALE_LOG);
    gofh_problem_add_constraint(problem, first);
    gofh_problem_add_constraint(problem, second);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_ERROR_PROBLEM);
    if (!strstr(error.message, message)) fail_msg("%s", error.message);
    gofh_problem_free(problem);
}

static void an_empty_domain_is_refused(void **unused)
{
    (void)unused;
    check_empty("a + b >= 1.5", "a <= 0.4", "no point meets the known constraints: a + b >= 1.5; a <= 0.4");
    check_empty("a == 0.5", "a + b == 1.7", "no point meets the known constraints");
    check_empty("a*b >= 0.6", "a^2 + b^2 <= 0.5", "no point was found that meets the known constraints");
}

/* The share of a triangle is 1/2, whatever is said of equalities. */
static void the_share_of_the_box_is_told(void **unused)
{
    (void)unused;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "c", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "a <= b");
    gofh_problem_add_constraint(problem, "c == 0.5*a");
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    double share;
    int equalities;
    assert_int_equal(gofh_problem_share(problem, &share, &equalities, NULL), GOFH_OK);
    assert_true(fabs(share - 0.5) < 1e-3); /* quasi-random points: far below 1 / sqrt(65536) */
    assert_int_equal(equalities, 1);
    gofh_problem_free(problem);
}

/* The least sum of squares on the edge of a half-plane has a closed form: the foot of the perpendicular. */
static void an_optimum_on_an_edge_is_found_to_rounding(void **unused)
{
    (void)unused;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "a + b <= 1");
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 30;
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    double x[2], y[2];
    int64_t id;
    while (gofh_study_ask(study, &id, x) == GOFH_OK) {
        assert_true(x[0] + x[1] <= 1.0);
        y[0] = x[0] - 0.8;
        y[1] = x[1] - 0.6;
        check_ok(study, gofh_study_tell(study, id, y));
    }
    gofh_trial best;
    check_ok(study, gofh_study_best(study, &best));
    assert_true(fabs(best.f - 0.08) < 1e-11); /* (0.2, 0.2) off the foot (0.6, 0.4) */
    double broken[2] = {0.7, 0.5};
    assert_true(gofh_study_enqueue(study, broken) < 0);
    assert_non_null(strstr(gofh_study_message(study), "the start point breaks the constraint a + b <= 1"));
    gofh_study_free(study);
    gofh_problem_free(problem);
}

static void a_parameter_that_is_held_at_a_number_is_that_number(void **unused)
{
    (void)unused;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "density", 1000.0, 20000.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "rate", 1e-6, 1.0, GOFH_SCALE_LOG);
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "density == 7850");
    gofh_problem_add_constraint(problem, "2*rate == 0.02");
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, NULL, NULL), GOFH_OK);
    for (int i = 0; i < 12; i++) {
        double x[3], y;
        int64_t id;
        check_ok(study, gofh_study_ask(study, &id, x));
        assert_true(x[0] == 7850.0 && x[1] == 0.01);
        y = (x[2] - 0.3) * (x[2] - 0.3) + 1.0;
        check_ok(study, gofh_study_tell(study, id, &y));
    }
    gofh_recommendation best;
    check_ok(study, gofh_study_recommend(study, &best));
    assert_true(best.x[0] == 7850.0 && best.x[1] == 0.01);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_relations_are_never_broken),
        cmocka_unit_test(a_design_fills_a_small_domain),
        cmocka_unit_test(a_design_fills_a_thin_band),
        cmocka_unit_test(a_design_beside_an_equality_does_not_lie_on_edges),
        cmocka_unit_test(a_parameter_that_is_held_at_a_number_is_that_number),
        cmocka_unit_test(an_empty_domain_is_refused),
        cmocka_unit_test(the_share_of_the_box_is_told),
        cmocka_unit_test(an_optimum_on_an_edge_is_found_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
