/* The method "gofh" where things are not as it would like them: it goes on, does not repeat itself,
 * and ends far ahead of random search with as many evaluations. */
#include "unit/api/valley.h"

#include <stdio.h>

enum { MOST = 500, MOST_D = 10, MOST_M = 100 };

typedef struct {
    int d, m;
    gofh_inner h;
    const char *objective; /* minimised; o: h at the truth */
    const char *constraint;
    const double *truth;
    double noise; /* standard deviation on every output */
    int told;
    double fails; /* how many of all runs */
} hardship;

typedef struct {
    double best;        /* of f without noise, over the points asked */
    double recommended; /* f without noise of what is recommended */
    int first;          /* the first that was allowed; 0: none */
    double x[MOST * MOST_D];
} outcome;

static gofh_study *hard_study(const hardship *p, const gofh_settings *settings)
{
    double observed[MOST_M];
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < p->d; k++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", k + 1);
        gofh_problem_add_parameter(problem, name, 0.0, 1.0, GOFH_SCALE_LINEAR);
    }
    p->h(p->truth, observed, NULL);
    gofh_problem_set_outputs(problem, p->m);
    gofh_problem_set_data(problem, "o", observed, p->m);
    gofh_problem_minimize(problem, p->objective);
    if (p->constraint) gofh_problem_add_constraint(problem, p->constraint);
    for (int j = 0; p->told && j < p->m; j++) gofh_problem_set_noise(problem, j, p->noise * p->noise);
    return study_of(problem, settings);
}

/* f without noise: that of a study which is told h itself. */
static double value_at(const hardship *p, const double *x)
{
    double y[MOST_M];
    hardship exact = *p;
    exact.told = 0;
    gofh_study *study = hard_study(&exact, NULL);
    gofh_trial seen;
    int64_t trial;
    p->h(x, y, NULL);
    check_ok(study, gofh_study_import(study, x, y, &trial));
    check_ok(study, gofh_study_trial(study, trial, &seen));
    double f = seen.f;
    gofh_study_free(study);
    return f;
}

static void check_point(const hardship *p, const double *x, const double *before, int count, int may_repeat)
{
    for (int k = 0; k < p->d; k++) assert_true(x[k] >= 0.0 && x[k] <= 1.0);
    for (int i = 0; i < count && !may_repeat; i++)
        assert_memory_not_equal(x, before + i * p->d, (size_t)p->d * sizeof *x);
}

static gofh_settings settings_of(const char *method, uint64_t seed)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.seed = seed;
    settings.budget = 0;
    return settings;
}

static outcome *run_study(const hardship *p, gofh_study *study, uint64_t seed, int evaluations)
{
    static outcome o;
    dice noise = {seed}, luck = {seed + 1000};
    o = (outcome){.best = INFINITY, .recommended = INFINITY};
    for (int i = 0; i < evaluations; i++) {
        double *x = o.x + i * p->d, y[MOST_M];
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, x));
        check_point(p, x, o.x, i, p->noise > 0.0);
        p->h(x, y, NULL);
        for (int j = 0; p->noise > 0.0 && j < p->m; j++) y[j] += p->noise * dice_normal(&noise);
        if (p->fails > 0.0 && dice_uniform(&luck) < p->fails) {
            check_ok(study, gofh_study_fail(study, trial, "bad luck"));
            continue;
        }
        check_ok(study, gofh_study_tell(study, trial, y));
        o.best = fmin(o.best, value_at(p, x));
        if (!o.first && isfinite(o.best)) o.first = i + 1;
    }
    gofh_recommendation recommendation;
    check_ok(study, gofh_study_recommend(study, &recommendation));
    o.recommended = value_at(p, recommendation.x);
    return &o;
}

static outcome *run(const hardship *p, const char *method, uint64_t seed, int evaluations)
{
    gofh_settings settings = settings_of(method, seed);
    gofh_study *study = hard_study(p, &settings);
    outcome *o = run_study(p, study, seed, evaluations);
    gofh_study_free(study);
    return o;
}

/* The best f of 200 points at random: more than any run here has. */
static double best_at_random(const hardship *p)
{
    dice numbers = {77};
    double best = INFINITY, x[MOST_D];
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < p->d; k++) x[k] = dice_uniform(&numbers);
        best = fmin(best, value_at(p, x));
    }
    return best;
}

/* ---- What is evaluated ---- */

enum { CURVE_M = 7 };
static const double TRUTH[3] = {0.45, 0.3, 0.6};

static void curve(const double *x, int m, double *y)
{
    for (int i = 0; i < m; i++) {
        double t = 2.0 * i / (m - 1.0);
        y[i] = (0.2 + 1.8 * x[0]) * exp(-(0.1 + 2.9 * x[1]) * t);
    }
}

static int curve_h(const double *x, double *y, void *context)
{
    (void)context;
    curve(x, CURVE_M, y);
    return 0;
}

static int many_h(const double *x, double *y, void *context)
{
    (void)context;
    curve(x, MOST_M, y);
    return 0;
}

static int constant_h(const double *x, double *y, void *context)
{
    (void)x, (void)context;
    y[0] = 3.5;
    y[1] = 0.0;
    return 0;
}

/* 0 but for a hill that covers a tenth of the domain. */
static int hill_h(const double *x, double *y, void *context)
{
    (void)context;
    double a = (x[0] - TRUTH[0]) / 0.18, b = (x[1] - TRUTH[1]) / 0.18, square = a * a + b * b;
    y[0] = square < 1.0 ? exp(1.0 - 1.0 / (1.0 - square)) : 0.0;
    return 0;
}

static int kink_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int k = 0; k < 2; k++) y[k] = fabs(x[k] - TRUTH[k]) * (1.0 + 0.5 * x[1 - k]);
    return 0;
}

static int step_away_h(const double *x, double *y, void *context)
{
    curve_h(x, y, context);
    if (x[0] > 0.7) y[0] += 3.0;
    return 0;
}

static int step_at_h(const double *x, double *y, void *context)
{
    curve_h(x, y, context);
    if (x[0] > TRUTH[0]) y[0] += 3.0;
    return 0;
}

static const double ROSENBROCK_TRUTH[MOST_D] = {0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75};

static int rosenbrock_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int k = 0; k < MOST_D - 1; k++) {
        double here = 4.0 * x[k] - 2.0, next = 4.0 * x[k + 1] - 2.0;
        y[k] = next - here * here;
        y[MOST_D - 1 + k] = here;
    }
    return 0;
}

static int wave_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = sin(9.0 * x[0]) + x[0];
    return 0;
}

static const double BOWL_TRUTH[5] = {0.2, 0.35, 0.5, 0.65, 0.8};

static int bowl_h(const double *x, double *y, void *context)
{
    (void)context;
    double square = 0.0;
    y[0] = 0.0;
    for (int k = 0; k < 5; k++) {
        y[0] += x[k];
        square += (x[k] - BOWL_TRUTH[k]) * (x[k] - BOWL_TRUTH[k]);
    }
    y[1] = exp(-6.0 * square);
    return 0;
}

static const hardship SQUARES = {
    .d = 2, .m = CURVE_M, .h = curve_h, .objective = "sum((y - o)^2)", .truth = TRUTH};

/* ---- The outer function ---- */

static void minimax_and_absolute_fits_are_nearly_exact(void **state)
{
    (void)state;
    static const char *const objectives[] = {"max(abs(y - o))", "sum(abs(y - o))"};
    for (int i = 0; i < 2; i++) {
        hardship p = SQUARES;
        p.objective = objectives[i];
        assert_true(run(&p, "gofh", 1, 22)->best < 1e-6);
        assert_true(best_at_random(&p) > 1e-3);
    }
}

/* In how many of the runs of SEEDS seeds the best f is below a bound. */
enum { SEEDS = 10 };

static int runs_below(const hardship *p, int evaluations, double bound)
{
    int count = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) count += run(p, "gofh", seed, evaluations)->best < bound;
    return count;
}

static void a_plateau_is_left(void **state)
{
    (void)state;
    /* Nine tenths of the domain are as bad as each other. */
    hardship p = SQUARES;
    p.objective = "min(sum((y - o)^2), 0.1)";
    assert_true(runs_below(&p, 20, 1e-12) >= 8);
}

static void a_value_is_found_where_g_has_none_at_first(void **state)
{
    (void)state;
    hardship p = SQUARES;
    p.objective = "-log(0.001 - sum((y - o)^2))";
    int first = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        outcome *o = run(&p, "gofh", seed, 20);
        assert_true(o->best < -log(0.001) + 1e-9);
        first += o->first;
    }
    /* Where some draws have a value is where to look: the ninth or so has one. */
    assert_in_range(first, 6, 6 * 10 - 1);
}

/* ---- The outputs ---- */

static void outputs_that_never_move_are_asked_on_all_over_the_domain(void **state)
{
    (void)state;
    hardship p = {.d = 2, .m = 2, .h = constant_h, .objective = "sum(y)", .truth = TRUTH};
    int all_over = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        gofh_settings settings = settings_of("gofh", seed);
        gofh_study *study = hard_study(&p, &settings);
        outcome *o = run_study(&p, study, seed, 46);
        assert_true(o->best == 3.5 && o->recommended == 3.5);
        int seen[9] = {0}, ninths = 0;
        for (int i = 6; i < 46; i++) {
            int column = (int)(3.0 * o->x[2 * i]), row = (int)(3.0 * o->x[2 * i + 1]);
            ninths += seen[3 * row + column]++ == 0;
            gofh_trial trial;
            check_ok(study, gofh_study_trial(study, i + 1, &trial));
            assert_string_equal(trial.origin, "restart");
            assert_true(trial.expected == 0.0);
        }
        all_over += ninths == 9;
        gofh_study_free(study);
    }
    /* Of 40 uniform points some are in each ninth of the square with a probability of 0.92. */
    assert_true(all_over >= 6);
}

static void a_hill_in_a_plain_is_found_and_climbed(void **state)
{
    (void)state;
    hardship p = {.d = 2, .m = 1, .h = hill_h, .objective = "-y", .truth = TRUTH};
    assert_true(runs_below(&p, 60, -1.0 + 1e-6) >= 8);
}

static void a_kink_at_the_optimum_is_approached(void **state)
{
    (void)state;
    hardship p = {.d = 2, .m = 2, .h = kink_h, .objective = "sum(y)", .truth = TRUTH};
    assert_true(runs_below(&p, 30, 0.2 * best_at_random(&p)) >= 8);
}

static void a_step_away_from_the_optimum_does_not_matter(void **state)
{
    (void)state;
    hardship p = SQUARES;
    p.h = step_away_h;
    assert_true(runs_below(&p, 22, 1e-12) >= 8);
}

static void an_optimum_at_a_step_is_approached(void **state)
{
    (void)state;
    hardship p = SQUARES;
    p.h = step_at_h;
    assert_true(runs_below(&p, 30, 0.1 * best_at_random(&p)) >= 8);
}

static void noise_is_averaged_out_told_or_not(void **state)
{
    (void)state;
    /* The outputs vary by about 0.4. A fit of 2 parameters to 7 outputs seen once is off by twice
     * the noise's variance. */
    for (int told = 0; told < 2; told++)
        for (int size = 0; size < 2; size++) {
            hardship p = SQUARES;
            p.noise = size ? 0.04 : 0.004;
            p.told = told;
            assert_true(run(&p, "gofh", 3, 30)->recommended < 2.0 * p.noise * p.noise);
        }
}

static void ten_parameters_are_no_hindrance(void **state)
{
    (void)state;
    hardship p = {.d = MOST_D,
                  .m = 2 * (MOST_D - 1),
                  .h = rosenbrock_h,
                  .objective = "sum(100 * y[0:9]^2) + sum((y[9:18] - 1)^2)",
                  .truth = ROSENBROCK_TRUTH};
    assert_true(run(&p, "gofh", 1, 32)->best < 1e-10);
}

static void a_hundred_outputs_are_no_hindrance(void **state)
{
    (void)state;
    hardship p = SQUARES;
    p.m = MOST_M;
    p.h = many_h;
    assert_true(run(&p, "gofh", 1, 14)->best < 1e-8);
}

/* ---- Failures and constraints ---- */

static void failures_at_random_only_cost_their_runs(void **state)
{
    (void)state;
    hardship p = SQUARES;
    p.fails = 0.2;
    assert_true(runs_below(&p, 25, 1e-14) >= 8);
}

static void failures_without_a_pattern_are_taken_for_chance(void **state)
{
    (void)state;
    hardship p = SQUARES;
    p.fails = 0.4;
    gofh_settings settings = settings_of("gofh", 2);
    gofh_study *study = hard_study(&p, &settings);
    run_study(&p, study, 2, 20);
    assert_true(log_has(study, "look like chance; they are left out"));
    gofh_study_free(study);
}

static void what_hardly_any_point_meets_is_met(void **state)
{
    (void)state;
    /* The image of the square is bent; what is allowed is 3 in 1000 of it, of which the design sees
     * nothing. */
    hardship p = SQUARES;
    p.objective = "y[0]";
    p.constraint = "norm(y - o) <= 0.05";
    int met = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) met += run(&p, "gofh", seed, 20)->first <= 12;
    assert_true(met >= 8);
}

static void a_violation_is_lessened_where_nothing_is_likely_to_be_allowed(void **state)
{
    (void)state;
    /* 14 in 10,000 are allowed; by its probability alone nothing was found in 40 evaluations. */
    hardship p = {
        .d = 5, .m = 2, .h = bowl_h, .objective = "y[0]", .constraint = "y[1] >= 0.8", .truth = BOWL_TRUTH};
    assert_true(runs_below(&p, 26, INFINITY) >= 8);
}

/* ---- Any budget, any beginning ---- */

static void five_evaluations_in_all_are_better_than_at_random(void **state)
{
    (void)state;
    double sum[2] = {0.0};
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int random = 0; random < 2; random++) {
            gofh_settings settings = settings_of(random ? "random" : "gofh", seed);
            settings.budget = 5;
            gofh_study *study = hard_study(&SQUARES, &settings);
            sum[random] += log10(run_study(&SQUARES, study, seed, 5)->best) / 12.0;
            int64_t trial;
            double x[2];
            assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_BUDGET);
            gofh_study_free(study);
        }
    assert_true(sum[0] < sum[1] - 0.5);
}

static int design_size(const char *method, int budget, int initial)
{
    gofh_settings settings = settings_of(method, 1);
    settings.budget = budget;
    settings.initial = initial;
    gofh_study *study = hard_study(&SQUARES, &settings);
    int64_t trial;
    double x[2], y[CURVE_M];
    int size = 0;
    while (gofh_study_ask(study, &trial, x) == GOFH_OK) {
        gofh_trial seen;
        check_ok(study, gofh_study_trial(study, trial, &seen));
        if (strcmp(seen.origin, "design") != 0) break;
        curve_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, trial, y));
        size++;
    }
    gofh_study_free(study);
    return size;
}

static void the_design_does_not_depend_on_the_budget(void **state)
{
    (void)state;
    assert_int_equal(design_size("gofh", 0, -1), 3);
    assert_int_equal(design_size("gofh", 12, -1), 3);
    assert_int_equal(design_size("gofh", 5, -1), 3);
    assert_int_equal(design_size("gofh", 1, -1), 1);
    assert_int_equal(design_size("gofh", 8, 5), 5);
    assert_int_equal(design_size("ei-cf", 12, -1), 6);
    assert_int_equal(design_size("ei-cf", 5, -1), 5);
}

static void no_point_and_one_point_are_enough_to_begin_with(void **state)
{
    (void)state;
    for (int imported = 0; imported < 3; imported++) {
        dice numbers = {5};
        gofh_settings settings = settings_of("gofh", 1);
        settings.initial = 0;
        gofh_study *study = hard_study(&SQUARES, &settings);
        for (int i = 0; i < imported; i++) {
            double x[2] = {dice_uniform(&numbers), dice_uniform(&numbers)}, y[CURVE_M];
            curve_h(x, y, NULL);
            check_ok(study, gofh_study_import(study, x, y, NULL));
        }
        assert_true(run_study(&SQUARES, study, 1, 14)->best < 1e-12);
        gofh_study_free(study);
    }
}

static void five_hundred_evaluations_are_five_hundred_points(void **state)
{
    (void)state;
    enum { SUGGESTED = 25 };
    hardship p = {.d = 1, .m = 1, .h = wave_h, .objective = "y", .truth = TRUTH};
    gofh_settings settings = settings_of("gofh", 1);
    settings.initial = MOST - SUGGESTED; /* the suggestions of a long study without those of a short one */
    gofh_study *study = hard_study(&p, &settings);
    /* sin 9x + x is least where 9 cos 9x = -1, beside 9x = 3/2 pi. */
    double x = (2.0 * 3.14159265358979323846 - acos(-1.0 / 9.0)) / 9.0;
    check_near(run_study(&p, study, 1, MOST)->best, sin(9.0 * x) + x, 1e-12);
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimax_and_absolute_fits_are_nearly_exact),
        cmocka_unit_test(a_plateau_is_left),
        cmocka_unit_test(a_value_is_found_where_g_has_none_at_first),
        cmocka_unit_test(outputs_that_never_move_are_asked_on_all_over_the_domain),
        cmocka_unit_test(a_hill_in_a_plain_is_found_and_climbed),
        cmocka_unit_test(a_kink_at_the_optimum_is_approached),
        cmocka_unit_test(a_step_away_from_the_optimum_does_not_matter),
        cmocka_unit_test(an_optimum_at_a_step_is_approached),
        cmocka_unit_test(noise_is_averaged_out_told_or_not),
        cmocka_unit_test(ten_parameters_are_no_hindrance),
        cmocka_unit_test(a_hundred_outputs_are_no_hindrance),
        cmocka_unit_test(failures_at_random_only_cost_their_runs),
        cmocka_unit_test(failures_without_a_pattern_are_taken_for_chance),
        cmocka_unit_test(what_hardly_any_point_meets_is_met),
        cmocka_unit_test(a_violation_is_lessened_where_nothing_is_likely_to_be_allowed),
        cmocka_unit_test(five_evaluations_in_all_are_better_than_at_random),
        cmocka_unit_test(the_design_does_not_depend_on_the_budget),
        cmocka_unit_test(no_point_and_one_point_are_enough_to_begin_with),
        cmocka_unit_test(five_hundred_evaluations_are_five_hundred_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
