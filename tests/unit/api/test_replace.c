/* Results that are corrected after they were told. */
#include "unit/api/stored.h"

enum { TRIALS = 8 };

/* With fixed hyperparameters the model is a function of the data alone. */
static gofh_study *fixed_study(void)
{
    static const double length[VALLEY_D] = {0.4, 0.6};
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_FIXED;
    settings.kernel = GOFH_KERNEL_MATERN_32;
    gofh_study *study = valley_study(&settings);
    for (int j = 0; j < VALLEY_M; j++) {
        gofh_hyperparameters values = {.lengthscale = length, .variance = 2.0, .mean = NAN};
        check_ok(study, gofh_study_set_hyperparameters(study, j, &values));
    }
    return study;
}

static void predict(gofh_study *study, double *mean, double *variance)
{
    static const double at[2 * VALLEY_D] = {0.3, 5.0, 1.9, 70.0};
    check_ok(study, gofh_study_predict(study, at, 2, mean, variance, NULL, NULL));
}

/* Tells TRIALS evaluations, of which number `wrong` (0: none) is mistyped, with a look at the model
 * after each. */
static void tell_with_mistake(gofh_study *study, int64_t wrong)
{
    double x[VALLEY_D], y[VALLEY_M], mean[2 * VALLEY_M], variance[2 * VALLEY_M];
    dice d = {.state = 5};
    for (int64_t i = 1; i <= TRIALS; i++) {
        x[0] = 2.0 * dice_uniform(&d);
        x[1] = pow(100.0, dice_uniform(&d));
        valley_h(x, y, NULL);
        if (i == wrong) y[1] = -700.0;
        check_ok(study, gofh_study_import(study, x, y, NULL));
        predict(study, mean, variance);
    }
}

static void a_corrected_result_is_as_if_it_had_been_right_at_once(void **state)
{
    (void)state;
    gofh_study *right = fixed_study(), *corrected = fixed_study();
    double mean[2][2 * VALLEY_M], variance[2][2 * VALLEY_M];
    tell_with_mistake(right, 0);
    tell_with_mistake(corrected, 3);
    gofh_trial trial;
    check_ok(right, gofh_study_trial(right, 3, &trial));
    check_ok(corrected, gofh_study_replace(corrected, 3, trial.y, NULL, NULL));
    predict(right, mean[0], variance[0]);
    predict(corrected, mean[1], variance[1]);
    for (int i = 0; i < 2 * VALLEY_M; i++) {
        check_close(mean[1][i], mean[0][i], 1e-9);
        check_close(variance[1][i], variance[0][i], 1e-9);
    }
    assert_true(best_f(right) == best_f(corrected));
    gofh_study_free(right);
    gofh_study_free(corrected);
}

static void the_log_and_the_file_have_the_correction_and_a_resumed_study_goes_on_alike(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    double y[VALLEY_M] = {0.25, -1.5, 0.125}, x[VALLEY_D], again[VALLEY_D];
    int64_t id;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    advance_valley(study, VALLEY_INITIAL + 2, NULL);
    check_ok(study, gofh_study_replace(study, 2, y, NULL, NULL));
    check_ok(study, gofh_study_replace(study, 3, NULL, NULL, "the valve was closed"));
    assert_true(log_has(study, "trial 2: its result was replaced; it was f = "));
    assert_true(log_has(study, "trial 3: its result was replaced; it was f = "));
    check_ok(study, gofh_study_ask(study, &id, x));
    gofh_study_free(study);

    study = stored_valley(GOFH_OPEN_READ, &settings);
    gofh_trial trial;
    check_ok(study, gofh_study_trial(study, 2, &trial));
    assert_memory_equal(trial.y, y, sizeof y);
    check_ok(study, gofh_study_trial(study, 3, &trial));
    assert_int_equal(trial.state, GOFH_TRIAL_FAILED);
    assert_string_equal(trial.reason, "the valve was closed");
    assert_true(log_has(study, "trial 3: its result was replaced"));
    gofh_study_free(study);

    /* The same with the study closed and opened between the corrections and the next suggestion. */
    assert_int_equal(unlink(stored_path), 0);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    advance_valley(study, VALLEY_INITIAL + 2, NULL);
    check_ok(study, gofh_study_replace(study, 2, y, NULL, NULL));
    check_ok(study, gofh_study_replace(study, 3, NULL, NULL, "the valve was closed"));
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    check_ok(study, gofh_study_ask(study, &id, again));
    assert_memory_equal(again, x, sizeof x);
    gofh_study_free(study);
}

static void a_failure_can_turn_out_to_be_a_result(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D], y[VALLEY_M];
    int64_t id;
    gofh_trial trial;
    check_ok(study, gofh_study_ask(study, &id, x));
    check_ok(study, gofh_study_fail(study, id, "no licence"));
    valley_h(x, y, NULL);
    check_ok(study, gofh_study_replace(study, id, y, NULL, NULL));
    check_ok(study, gofh_study_trial(study, id, &trial));
    assert_int_equal(trial.state, GOFH_TRIAL_DONE);
    assert_string_equal(trial.reason, "");
    assert_true(log_has(study, "it was a failure and is f = "));
    gofh_study_free(study);
}

static void what_can_not_be_replaced_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D], bad[VALLEY_M] = {1.0, NAN, 2.0};
    int64_t id;
    advance_valley(study, 1, NULL);
    double f = best_f(study);
    check_ok(study, gofh_study_ask(study, &id, x));
    assert_int_equal(gofh_study_replace(study, id, NULL, NULL, "no"), GOFH_ERROR_TRIAL);
    assert_string_equal(gofh_study_message(study), "trial 2 is open: there is nothing to replace yet");
    assert_int_equal(gofh_study_replace(study, 3, NULL, NULL, "no"), GOFH_ERROR_TRIAL);
    assert_int_equal(gofh_study_replace(study, 0, NULL, NULL, "no"), GOFH_ERROR_TRIAL);
    assert_int_equal(gofh_study_replace(study, 1, bad, NULL, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_replace(NULL, 1, bad, NULL, NULL), GOFH_ERROR_ARGUMENT);
    assert_true(best_f(study) == f);
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corrected_result_is_as_if_it_had_been_right_at_once),
        cmocka_unit_test_setup_teardown(
            the_log_and_the_file_have_the_correction_and_a_resumed_study_goes_on_alike, stored_setup,
            stored_teardown),
        cmocka_unit_test(a_failure_can_turn_out_to_be_a_result),
        cmocka_unit_test(what_can_not_be_replaced_is_refused_and_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
