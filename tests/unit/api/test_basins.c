/* Where f has many basins the method "gofh" does not stay in the first that it comes to. */
#include "unit/api/valley.h"

enum { D = 3, M = 4, WAVES = 4, BUDGET = 30, PROBLEMS = 12 };
static const double STEEPEST = 10.0, NEAR = 0.2, FOUND = 1e-3;

/* Outputs that are each a sum of a few waves: their misfit to one of their points has many
 * minima. */
typedef struct {
    double phase[M][WAVES], slope[M][WAVES][D];
} sea;

static int sea_h(const double *x, double *y, void *context)
{
    const sea *s = context;
    for (int j = 0; j < M; j++) {
        y[j] = 0.0;
        for (int i = 0; i < WAVES; i++) {
            double at = s->phase[j][i];
            for (int k = 0; k < D; k++) at += s->slope[j][i][k] * x[k];
            y[j] += cos(at);
        }
    }
    return 0;
}

/* tolerance: what a suggestion must expect for the study to go on; 0: it goes on anyway. */
static gofh_study *sea_study(uint64_t seed, double tolerance, sea *s)
{
    dice numbers = {seed};
    double truth[D], observed[M];
    for (int j = 0; j < M; j++)
        for (int i = 0; i < WAVES; i++) {
            s->phase[j][i] = 6.3 * dice_uniform(&numbers);
            for (int k = 0; k < D; k++) s->slope[j][i][k] = STEEPEST * (2.0 * dice_uniform(&numbers) - 1.0);
        }
    for (int k = 0; k < D; k++) truth[k] = dice_uniform(&numbers);
    sea_h(truth, observed, s);
    gofh_problem *problem = gofh_problem_create();
    const char *name[D] = {"p", "q", "r"};
    for (int k = 0; k < D; k++) gofh_problem_add_parameter(problem, name[k], 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_set_data(problem, "observed", observed, M);
    gofh_problem_minimize(problem, "sum((y - observed)^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.seed = seed;
    settings.budget = BUDGET;
    settings.tolerance = tolerance;
    settings.patience = tolerance > 0.0;
    return study_of(problem, &settings);
}

/* Counts the suggestions made while the basin of the optimum is not found, and those of them near
 * the best point. */
static void count_near(gofh_study *study, sea *s, int *made, int *near)
{
    double x[D], y[M], best[D] = {0};
    gofh_trial trial;
    double least = INFINITY;
    int64_t id;
    while (least > FOUND && gofh_study_ask(study, &id, x) == GOFH_OK) {
        check_ok(study, gofh_study_trial(study, id, &trial));
        double squares = 0.0;
        for (int k = 0; k < D; k++) squares += (x[k] - best[k]) * (x[k] - best[k]);
        int designed = strcmp(trial.origin, "design") == 0;
        *made += !designed;
        *near += !designed && sqrt(squares) < NEAR;
        sea_h(x, y, s);
        check_ok(study, gofh_study_tell(study, id, y));
        check_ok(study, gofh_study_trial(study, id, &trial));
        if (!(trial.f < least)) continue;
        least = trial.f;
        memcpy(best, x, sizeof best);
    }
}

static void much_of_a_search_is_away_from_the_best_basin_so_far(void **state)
{
    (void)state;
    int made = 0, near = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        sea s;
        gofh_study *study = sea_study(seed, 0.0, &s);
        count_near(study, &s, &made, &near);
        gofh_study_free(study);
    }
    print_message("%d of %d suggestions near the best point\n", near, made);
    /* About half; by the expected improvement alone it would be two thirds. */
    assert_true(near < 0.6 * made);
}

/* The first suggestion that expects less than every one before it, after the first few; what it
 * expects. */
static int first_lull(gofh_study *study, double *expected)
{
    double least = INFINITY;
    for (int64_t id = 2 * (D + 1) + 1; id <= BUDGET; id++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, id, &trial));
        *expected = trial.expected;
        if (trial.expected < least && id > 2 * (D + 1) + 3) return (int)id;
        least = fmin(least, trial.expected);
    }
    return 0;
}

/* Where less is expected elsewhere than a study is to go on for, it stays near. */
static void a_step_elsewhere_does_not_stop_a_study(void **state)
{
    (void)state;
    int longer = 0, compared = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        sea s;
        double expected;
        gofh_study *study = sea_study(seed, 0.0, &s);
        gofh_optimize(study, sea_h, &s);
        int lull = first_lull(study, &expected);
        gofh_study_free(study);
        if (lull == 0) continue;
        study = sea_study(seed, 1.01 * expected, &s);
        gofh_optimize(study, sea_h, &s);
        compared++;
        longer += (int)gofh_study_count(study) > lull;
        gofh_study_free(study);
    }
    print_message("%d of %d studies go on where another takes a step elsewhere\n", longer, compared);
    assert_true(2 * longer > compared);
}

/* y[0] is 0 along a curved valley with walls of 1e8, y[1] has four wells along it, the deepest of
 * them 2 deep. */
static int wells_h(const double *x, double *y, void *context)
{
    static const double well[][3] = {{1, 0.2, 0.2}, {1.4, 0.8, 0.25}, {1.2, 0.3, 0.75}, {2, 0.75, 0.8}};
    (void)context;
    y[0] = 1e4 * (x[0] - 0.5 - 0.3 * sin(3.0 * x[1]));
    y[1] = 0.0;
    for (size_t k = 0; k < sizeof well / sizeof well[0]; k++) {
        double along = x[1] - well[k][1], across = x[2] - well[k][2];
        y[1] -= well[k][0] * exp(-(along * along + across * across) / 0.02);
    }
    return 0;
}

/* Next to what f varies by over the domain basins differ by nothing. */
static void one_stiff_term_hides_no_basin(void **state)
{
    (void)state;
    enum { STUDIES = 10 };
    int found = 0;
    for (uint64_t seed = 1; seed <= STUDIES; seed++) {
        gofh_problem *problem = gofh_problem_create();
        const char *name[D] = {"p", "q", "r"};
        for (int k = 0; k < D; k++) gofh_problem_add_parameter(problem, name[k], 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 2);
        gofh_problem_minimize(problem, "y[0]^2 + y[1]");
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.seed = seed;
        settings.budget = 58;
        settings.stop = GOFH_STOPPING_NEVER;
        settings.initial = 2 * (D + 1);
        gofh_study *study = study_of(problem, &settings);
        gofh_optimize(study, wells_h, NULL);
        gofh_trial best;
        check_ok(study, gofh_study_best(study, &best));
        found += best.f < -1.9;
        gofh_study_free(study);
    }
    print_message("the deepest well is found in %d of %d studies\n", found, STUDIES);
    assert_true(found > 6); /* without the scale of basins it is a third */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(much_of_a_search_is_away_from_the_best_basin_so_far),
        cmocka_unit_test(a_step_elsewhere_does_not_stop_a_study),
        cmocka_unit_test(one_stiff_term_hides_no_basin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
