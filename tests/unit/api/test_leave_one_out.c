/* What the model foretells of trials that it has not seen, against studies that were never told of
 * them. */
#include "unit/api/valley.h"

enum { TRIALS = 9, SAMPLES = 3 };

typedef struct {
    double length[VALLEY_M][VALLEY_D];
    gofh_hyperparameters values[VALLEY_M];
} hyper_sample;

static void keep_hyperparameters(gofh_study *study, hyper_sample *kept, int sample)
{
    for (int j = 0; j < VALLEY_M; j++) {
        check_ok(study, gofh_study_hyperparameters(study, sample, j, &kept->values[j]));
        memcpy(kept->length[j], kept->values[j].lengthscale, sizeof kept->length[j]);
        kept->values[j].mean = NAN;
        kept->values[j].lengthscale = kept->length[j];
        assert_true(kept->values[j].nugget == 0.0);
    }
}

/* Prediction at the point of trial `left` by a new study of all others, with one sample of the
 * hyperparameters. */
static void predict_without(gofh_study *study, int64_t left, const hyper_sample *hyper, double *mean,
                            double *variance)
{
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_FIXED;
    settings.kernel = GOFH_KERNEL_MATERN_32;
    gofh_study *others = valley_study(&settings);
    gofh_trial trial;
    for (int j = 0; j < VALLEY_M; j++)
        check_ok(others, gofh_study_set_hyperparameters(others, j, &hyper->values[j]));
    for (int64_t i = 1; i <= gofh_study_count(study); i++) {
        check_ok(study, gofh_study_trial(study, i, &trial));
        if (i != left && trial.state == GOFH_TRIAL_DONE)
            check_ok(others, gofh_study_import(others, trial.x, trial.y, NULL));
    }
    check_ok(study, gofh_study_trial(study, left, &trial));
    check_ok(others, gofh_study_predict(others, trial.x, 1, mean, variance, NULL, NULL));
    gofh_study_free(others);
}

static void each_trial_is_foretold_as_by_studies_of_the_others(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.kernel = GOFH_KERNEL_MATERN_32; /* needs no nugget */
    settings.hyper_samples = SAMPLES;
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D];
    int64_t failed;
    advance_valley(study, 4, NULL);
    check_ok(study, gofh_study_ask(study, &failed, x));
    check_ok(study, gofh_study_fail(study, failed, "diverged"));
    advance_valley(study, TRIALS - 5, NULL);

    double mean[TRIALS * VALLEY_M], variance[TRIALS * VALLEY_M];
    hyper_sample hyper[SAMPLES];
    check_ok(study, gofh_study_leave_one_out(study, mean, variance));
    for (int s = 0; s < SAMPLES; s++) keep_hyperparameters(study, &hyper[s], s);
    for (int64_t left = 1, row = 0; left <= TRIALS; left++) {
        if (left == failed) continue;
        double alone[SAMPLES][VALLEY_M], spread[SAMPLES][VALLEY_M];
        for (int s = 0; s < SAMPLES; s++) predict_without(study, left, &hyper[s], alone[s], spread[s]);
        for (int j = 0; j < VALLEY_M; j++) {
            double centre = 0.0, second = 0.0;
            for (int s = 0; s < SAMPLES; s++) {
                centre += alone[s][j] / SAMPLES;
                second += (spread[s][j] + alone[s][j] * alone[s][j]) / SAMPLES;
            }
            check_near(mean[row * VALLEY_M + j], centre, 1e-8);
            check_near(variance[row * VALLEY_M + j], second - centre * centre, 1e-8);
        }
        row++;
    }
    gofh_study_free(study);
}

static void noise_is_part_of_what_is_foretold(void **state)
{
    (void)state;
    static const double far[2][VALLEY_D] = {{0.0, 1.0}, {2.0, 100.0}}, length[VALLEY_D] = {0.01, 0.01};
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_FIXED;
    gofh_study *study = valley_study(&settings);
    double y[2][VALLEY_M], mean[2 * VALLEY_M], variance[2 * VALLEY_M];
    for (int j = 0; j < VALLEY_M; j++) {
        gofh_hyperparameters values = {.lengthscale = length, .variance = 2.0, .noise = 0.5, .mean = 0.25};
        check_ok(study, gofh_study_set_hyperparameters(study, j, &values));
    }
    for (int i = 0; i < 2; i++) {
        valley_h(far[i], y[i], NULL);
        check_ok(study, gofh_study_import(study, far[i], y[i], NULL));
    }
    check_ok(study, gofh_study_leave_one_out(study, mean, variance));
    /* Too far from each other to know anything but the mean. */
    for (int i = 0; i < 2 * VALLEY_M; i++) {
        check_near(mean[i], 0.25, 1e-12);
        check_near(variance[i], 2.5, 1e-12);
    }
    gofh_study_free(study);
}

static void one_trial_says_nothing_of_itself_and_none_is_an_error(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    double mean[VALLEY_M], variance[VALLEY_M];
    assert_int_equal(gofh_study_leave_one_out(study, mean, variance), GOFH_ERROR_EMPTY);
    advance_valley(study, 1, NULL);
    check_ok(study, gofh_study_leave_one_out(study, mean, variance));
    for (int j = 0; j < VALLEY_M; j++) assert_true(isnan(mean[j]) && variance[j] == INFINITY);
    gofh_study_free(study);
}

static void what_it_can_not_answer_is_refused(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.method = "ei";
    gofh_study *study = valley_study(&settings);
    double mean[VALLEY_M * 2], variance[VALLEY_M * 2];
    advance_valley(study, 2, NULL);
    assert_int_equal(gofh_study_leave_one_out(study, mean, variance), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "method \"ei\" models f alone: it knows nothing of h");
    assert_int_equal(gofh_study_leave_one_out(study, NULL, variance), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "mean is NULL");
    assert_int_equal(gofh_study_leave_one_out(study, mean, NULL), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "variance is NULL");
    assert_int_equal(gofh_study_leave_one_out(NULL, mean, variance), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_trial_is_foretold_as_by_studies_of_the_others),
        cmocka_unit_test(noise_is_part_of_what_is_foretold),
        cmocka_unit_test(one_trial_says_nothing_of_itself_and_none_is_an_error),
        cmocka_unit_test(what_it_can_not_answer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
