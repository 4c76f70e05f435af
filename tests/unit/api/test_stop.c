/* When a study ends by itself, and what its suggestions say they expect. */
#include "unit/api/valley.h"

/* f is about 1e5; 3 % of the domain is allowed. */
static int costly_h(const double *x, double *y, void *context)
{
    (void)context;
    double a = x[0] - 0.8, b = x[1] - 0.15, c = x[2] - 0.7;
    y[0] = 1e5 * (1.0 + a * a + b * c) + 3e3 * sin(7.0 * x[0] * x[1]);
    y[1] = sqrt(a * a + b * b + c * c) + 0.02 * sin(9.0 * x[2]);
    return 0;
}

static gofh_study *costly_study(const char *method, uint64_t seed)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.seed = seed;
    settings.budget = 40;
    settings.hyper_samples = 2;
    settings.tolerance = 10.0;
    settings.patience = 3;
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "c", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "y[1] <= 0.2");
    return study_of(problem, &settings);
}

/* Runs it to its end. Returns how many suggestions were made before anything allowed was seen. */
static int run_costly(gofh_study *study)
{
    int64_t id;
    int before = 0;
    double x[3], y[2];
    gofh_trial best = {.f = INFINITY}, trial;
    gofh_status status;
    while ((status = gofh_study_ask(study, &id, x)) == GOFH_OK) {
        check_ok(study, gofh_study_trial(study, id, &trial));
        if (best.f == INFINITY) assert_true(isnan(trial.expected));
        before += best.f == INFINITY && strcmp(trial.origin, "design") != 0;
        costly_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, id, y));
        check_ok(study, gofh_study_best(study, &best));
    }
    assert_true(status == GOFH_STOP_IMPROVEMENT || status == GOFH_STOP_BUDGET);
    if (status == GOFH_STOP_IMPROVEMENT) assert_true(isfinite(best.f));
    return before;
}

static void a_study_that_has_seen_nothing_allowed_goes_on(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf"};
    int before = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        gofh_study *study = costly_study(methods[seed % 2], seed);
        before += run_costly(study);
        gofh_study_free(study);
    }
    assert_true(before > 0); /* or nothing was tested */
}

/* Until it expects no more; whether that came before the end of the budget. */
static int expects_no_more(gofh_study *study)
{
    int64_t id;
    double x[3];
    run_costly(study);
    return gofh_study_ask(study, &id, x) == GOFH_STOP_IMPROVEMENT;
}

static void a_study_that_has_no_feasible_result_any_more_goes_on(void **state)
{
    (void)state;
    int ended = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        gofh_study *study = costly_study("gofh", seed);
        if (expects_no_more(study)) {
            int64_t count = gofh_study_count(study), id;
            gofh_trial trial;
            double x[3], y[2];
            for (int64_t i = 1; i <= count; i++) {
                check_ok(study, gofh_study_trial(study, i, &trial));
                if (!isfinite(trial.f)) continue;
                y[0] = trial.y[0];
                y[1] = 0.2 + 10.0 * trial.y[1]; /* in other units, as it turns out */
                check_ok(study, gofh_study_replace(study, i, y, NULL, NULL));
            }
            check_ok(study, gofh_study_ask(study, &id, x));
            ended++;
        }
        gofh_study_free(study);
    }
    assert_true(ended > 0); /* or nothing was tested */
}

static void methods_that_estimate_no_gain_do_not_say_one(void **state)
{
    (void)state;
    static const char *const methods[] = {"pi-cf", "pi", "pes"};
    for (int i = 0; i < 3; i++) {
        gofh_settings settings = quick_settings();
        settings.method = methods[i];
        settings.budget = 9;
        settings.initial = 4;
        settings.tolerance = 1e9;
        settings.patience = 1;
        gofh_study *study = valley_study(&settings);
        gofh_trial last;
        assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_BUDGET);
        check_ok(study, gofh_study_trial(study, 9, &last));
        assert_string_equal(last.origin, methods[i]);
        assert_true(isnan(last.expected));
        gofh_study_free(study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_that_has_seen_nothing_allowed_goes_on),
        cmocka_unit_test(a_study_that_has_no_feasible_result_any_more_goes_on),
        cmocka_unit_test(methods_that_estimate_no_gain_do_not_say_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
