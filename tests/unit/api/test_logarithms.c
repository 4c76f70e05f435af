/* Outputs over decades: the method gofh finds out that their logarithms are simpler, and says
 * so. */
#include "unit/api/valley.h"

/* Exponentials of quadratics: six decades between the bounds of a and b. */
static int decades_h(const double *x, double *y, void *context)
{
    (void)context;
    double a = x[0] / 2.0, b = log10(x[1]) / 2.0;
    y[0] = exp(7.0 * ((a - 0.3) * (a - 0.3) + b * b) - 7.0);
    y[1] = exp(-6.0 * (a - 1.0) * (a - 1.0) - 3.0 * a * b + 4.0 * b);
    y[2] = exp(10.0 * b * (b - 0.5) + 5.0 * a - 6.0 * b);
    return 0;
}

static gofh_problem *decades_problem(void)
{
    double observed[VALLEY_M];
    gofh_problem *problem = gofh_problem_create();
    decades_h(VALLEY_TRUTH, observed, NULL);
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, VALLEY_M);
    gofh_problem_set_data(problem, "observed", observed, VALLEY_M);
    gofh_problem_minimize(problem, "sum((y / observed - 1)^2)");
    return problem;
}

static gofh_settings short_settings(int budget)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = budget;
    return settings;
}

/* How many outputs are modelled by their logarithms now. */
static int logarithms_used(gofh_study *study)
{
    int count = 0;
    for (int j = 0; j < VALLEY_M; j++) {
        gofh_hyperparameters values;
        check_ok(study, gofh_study_hyperparameters(study, 0, j, &values));
        count += values.logarithmic;
    }
    return count;
}

static void twelve_evaluations_suffice_for_exponentials_of_quadratics(void **state)
{
    (void)state;
    gofh_settings settings = short_settings(12);
    gofh_study *study = study_of(decades_problem(), &settings);
    gofh_trial best;
    gofh_optimize(study, decades_h, NULL);
    check_ok(study, gofh_study_best(study, &best));
    assert_true(best.f < 1e-10);
    assert_int_equal(logarithms_used(study), VALLEY_M);
    gofh_study_free(study);
}

static void predictions_at_the_data_are_the_data(void **state)
{
    (void)state;
    gofh_settings settings = short_settings(10);
    gofh_study *study = study_of(decades_problem(), &settings);
    gofh_optimize(study, decades_h, NULL);
    for (int64_t i = 1; i <= gofh_study_count(study); i++) {
        gofh_trial trial;
        double mean[VALLEY_M], variance[VALLEY_M], f;
        check_ok(study, gofh_study_trial(study, i, &trial));
        check_ok(study, gofh_study_predict(study, trial.x, 1, mean, variance, &f, NULL));
        for (int j = 0; j < VALLEY_M; j++) {
            check_near(mean[j], trial.y[j], 1e-4 * trial.y[j]);
            assert_true(sqrt(variance[j]) < 1e-3 * trial.y[j]);
        }
        check_near(f, trial.f, 1e-3 * (1.0 + trial.f));
    }
    gofh_study_free(study);
}

/* Decays of an amplitude over decades, as its users see them: y = A exp(-k t). */
static int decay_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < VALLEY_M; j++) y[j] = 100.0 * exp(2.0 * x[0]) * exp(-log10(x[1]) * (j + 1));
    return 0;
}

/* The logarithms are planes, so the model knows each datum from the others nearly exactly. */
static void each_datum_is_predicted_from_the_others_in_the_units_of_the_user(void **state)
{
    (void)state;
    enum { TRIALS = 12 };
    gofh_settings settings = short_settings(TRIALS);
    gofh_study *study = valley_study(&settings);
    double mean[TRIALS * VALLEY_M], variance[TRIALS * VALLEY_M];
    gofh_optimize(study, decay_h, NULL);
    assert_int_equal(logarithms_used(study), VALLEY_M);
    check_ok(study, gofh_study_leave_one_out(study, mean, variance));
    for (int i = 0; i < TRIALS; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, i + 1, &trial));
        for (int j = 0; j < VALLEY_M; j++) {
            double off = fabs(mean[i * VALLEY_M + j] - trial.y[j]);
            assert_true(off < 0.05 * trial.y[j]);
            assert_true(sqrt(variance[i * VALLEY_M + j]) < 0.5 * trial.y[j]);
        }
    }
    gofh_study_free(study);
}

static int three_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < VALLEY_M; j++) y[j] = x[0] * exp(-2.0 * x[1] * j);
    return 0;
}

/* Of draws that are all above 0 the mean is at most the root of their number times the deviation; a mean
 * made by tails that no draw sees is above it by powers of 10. */
static void the_mean_of_f_does_not_contradict_its_deviation(void **state)
{
    (void)state;
    const double truth[] = {5.0, 0.5};
    double observed[VALLEY_M], x[2 * 36], f[36], deviation[36];
    int logarithms = 0;
    three_h(truth, observed, NULL);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        gofh_settings settings = short_settings(8);
        settings.seed = seed;
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "a", 1.0, 10.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "r", 0.01, 10.0, GOFH_SCALE_LOG);
        gofh_problem_set_outputs(problem, VALLEY_M);
        gofh_problem_set_data(problem, "observed", observed, VALLEY_M);
        gofh_problem_minimize(problem, "sum((y - observed)^2)");
        gofh_study *study = study_of(problem, &settings);
        gofh_optimize(study, three_h, NULL);
        for (int i = 0; i < 36; i++) {
            x[2 * i] = 1.0 + 1.8 * (i % 6);
            x[2 * i + 1] = pow(10.0, -2.0 + 0.6 * (i / 6));
        }
        check_ok(study, gofh_study_predict(study, x, 36, NULL, NULL, f, deviation));
        logarithms += logarithms_used(study);
        for (int i = 0; i < 36; i++) assert_true(isfinite(f[i]) && f[i] <= 600.0 + 40.0 * deviation[i]);
        gofh_study_free(study);
    }
    assert_true(logarithms > 0);
}

static void outputs_that_change_sign_are_modelled_as_they_are(void **state)
{
    (void)state;
    gofh_settings settings = short_settings(14);
    gofh_study *study = valley_study(&settings);
    gofh_optimize(study, valley_h, NULL);
    assert_int_equal(logarithms_used(study), 0);
    gofh_study_free(study);
}

/* A plane that stays above 0 is simplest as it is. */
static int plane_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < VALLEY_M; j++) y[j] = 0.2 + x[0] + (j + 1) * log10(x[1]);
    return 0;
}

static void evidence_leaves_positive_planes_as_they_are(void **state)
{
    (void)state;
    gofh_settings settings = short_settings(21);
    gofh_study *study = valley_study(&settings);
    gofh_optimize(study, plane_h, NULL);
    assert_int_equal(logarithms_used(study), 0);
    gofh_study_free(study);
}

static void an_output_of_known_noise_is_modelled_as_it_is(void **state)
{
    (void)state;
    gofh_settings settings = short_settings(10);
    gofh_problem *problem = decades_problem();
    gofh_problem_set_noise(problem, 1, 1e-8);
    gofh_study *study = study_of(problem, &settings);
    gofh_optimize(study, decades_h, NULL);
    assert_int_equal(logarithms_used(study), VALLEY_M - 1);
    gofh_study_free(study);
}

static void a_value_that_is_not_positive_ends_the_logarithm(void **state)
{
    (void)state;
    gofh_settings settings = short_settings(0);
    settings.initial = VALLEY_INITIAL;
    gofh_study *study = study_of(decades_problem(), &settings);
    double x[VALLEY_D], y[VALLEY_M], mean[VALLEY_M];
    int64_t id;
    for (int i = 0; i < 8; i++) {
        check_ok(study, gofh_study_ask(study, &id, x));
        decades_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, id, y));
    }
    check_ok(study, gofh_study_ask(study, &id, x));
    assert_int_equal(logarithms_used(study), VALLEY_M);
    double zero[VALLEY_M] = {0.0, y[1], y[2]};
    check_ok(study, gofh_study_tell(study, id, zero));
    check_ok(study, gofh_study_predict(study, x, 1, mean, NULL, NULL, NULL));
    check_near(mean[0], 0.0, 0.05);
    int told = 0;
    for (int i = 0; gofh_study_log(study, i); i++)
        told += strstr(gofh_study_log(study, i), "y[0] is modelled as it is again") != NULL;
    assert_int_equal(told, 1);
    gofh_study_free(study);
}

/* Open trials, and threads, change nothing bitwise. */
static void fantasies_of_logarithms_do_not_depend_on_threads(void **state)
{
    (void)state;
    double x[2][16][VALLEY_D];
    for (int threads = 1; threads <= 2; threads++) {
        gofh_settings settings = short_settings(16);
        settings.threads = threads;
        gofh_study *study = study_of(decades_problem(), &settings);
        int64_t id[16];
        for (int i = 0; i < 16; i++) {
            double y[VALLEY_M];
            check_ok(study, gofh_study_ask(study, &id[i], x[threads - 1][i]));
            if (i < 2) continue;
            decades_h(x[threads - 1][i - 2], y, NULL);
            check_ok(study, gofh_study_tell(study, id[i - 2], y));
        }
        assert_true(logarithms_used(study) > 0);
        gofh_study_free(study);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_evaluations_suffice_for_exponentials_of_quadratics),
        cmocka_unit_test(predictions_at_the_data_are_the_data),
        cmocka_unit_test(each_datum_is_predicted_from_the_others_in_the_units_of_the_user),
        cmocka_unit_test(the_mean_of_f_does_not_contradict_its_deviation),
        cmocka_unit_test(outputs_that_change_sign_are_modelled_as_they_are),
        cmocka_unit_test(evidence_leaves_positive_planes_as_they_are),
        cmocka_unit_test(an_output_of_known_noise_is_modelled_as_it_is),
        cmocka_unit_test(a_value_that_is_not_positive_ends_the_logarithm),
        cmocka_unit_test(fantasies_of_logarithms_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
