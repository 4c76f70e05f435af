/* Where g is linear what a suggestion expects is a closed form: it is that of a normal f, with the
 * mean and the deviation that the model tells. */
#include "unit/api/valley.h"

enum { D = 2, M = 2, DATA = 7 };

static int plain_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = sin(5.0 * x[0]) + x[1];
    y[1] = cos(4.0 * x[1]) * x[0];
    return 0;
}

static gofh_study *study_with_data(uint64_t seed)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "p", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "q", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_minimize(problem, "3 * y[0] - y[1] + 1");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.method = "gofh-no-local"; /* so that it is the expected improvement that is followed */
    settings.seed = seed;
    gofh_study *study = study_of(problem, &settings);
    dice numbers = {seed};
    for (int i = 0; i < DATA; i++) {
        double x[D] = {dice_uniform(&numbers), dice_uniform(&numbers)}, y[M];
        plain_h(x, y, NULL);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

static void what_is_expected_is_the_closed_form(void **state)
{
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        gofh_study *study = study_with_data(seed), *twin = study_with_data(seed);
        double x[D], y[M], variance[M];
        int64_t id;
        gofh_trial trial, best;
        check_ok(study, gofh_study_ask(study, &id, x));
        check_ok(study, gofh_study_trial(study, id, &trial));
        check_ok(twin, gofh_study_best(twin, &best));
        check_ok(twin, gofh_study_predict(twin, x, 1, y, variance, NULL, NULL));
        for (int j = 0; j < M; j++) { /* a search has the deviations as they are fitted */
            gofh_hyperparameters hyper;
            check_ok(twin, gofh_study_hyperparameters(twin, 0, j, &hyper));
            variance[j] /= hyper.inflation * hyper.inflation;
        }
        double mean = 3.0 * y[0] - y[1] + 1.0, deviation = sqrt(9.0 * variance[0] + variance[1]);
        double z = (best.f - mean) / deviation;
        double density = exp(-0.5 * z * z) / sqrt(2.0 * 3.14159265358979323846);
        double expected = deviation * (0.5 * z * erfc(-z / sqrt(2.0)) + density);
        if (strcmp(trial.origin, "improve") == 0 && expected > 1e-6) {
            assert_true(fabs(trial.expected - expected) < 1e-6 * expected);
            compared++;
        }
        gofh_study_free(study);
        gofh_study_free(twin);
    }
    assert_true(compared > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_expected_is_the_closed_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
