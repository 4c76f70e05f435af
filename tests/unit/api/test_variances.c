/* The noise that is known of single observations. */
#include "unit/api/dense.h"
#include "unit/api/stored.h"
#include "unit/store/sql.h"

enum { N = 12 };

static const double LENGTH = 0.25;

static gofh_problem *curve_problem(double noise)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y^2");
    if (!isnan(noise)) gofh_problem_set_noise(problem, 0, noise);
    return problem;
}

/* Data whose variances are 0, small and large, and unknown where `some`: then they are `rest`. */
static void make_data(dense *p, double *own, double *given, int some, double rest)
{
    dice d = {.state = 5};
    *p = (dense){.d = 1, .n = N, .length = &LENGTH, .variance = 2.0, .own = own};
    for (int i = 0; i < N; i++) {
        given[i] = i % 4 == 0 ? 0.0 : 0.03 * i;
        if (some && i % 3 == 1) given[i] = NAN;
        own[i] = isnan(given[i]) ? rest : given[i];
        p->z[i] = (i + 0.5 * dice_uniform(&d)) / N;
        p->y[i] = sin(7.0 * p->z[i]) + sqrt(own[i]) * dice_normal(&d);
    }
}

static void tell_data(gofh_study *study, const dense *p, const double *given)
{
    for (int i = 0; i < p->n; i++) {
        const gofh_evaluation e = {
            .x = &p->z[i], .y = &p->y[i], .variance = isnan(given[i]) ? NULL : &given[i]};
        check_ok(study, gofh_study_import_all(study, &e, 1, NULL));
    }
}

static void check_posterior(gofh_study *study, const dense *p)
{
    gofh_hyperparameters hyper;
    check_ok(study, gofh_study_hyperparameters(study, 0, 0, &hyper));
    double inflation = hyper.inflation * hyper.inflation;
    for (int i = 0; i <= 20; i++) {
        double x = i / 20.0, mean, variance, expected, expected_variance;
        check_ok(study, gofh_study_predict(study, &x, 1, &mean, &variance, NULL, NULL));
        dense_predict(p, &x, &expected, &expected_variance);
        check_near(mean, expected, 1e-9);
        check_near(variance, inflation * expected_variance, 1e-9);
    }
}

static void the_posterior_is_that_of_k_plus_the_variances_on_its_diagonal(void **state)
{
    (void)state;
    static const char *const methods[] = {"ei-cf", "gofh"};
    for (int kind = 0; kind < 8; kind++) {
        dense p;
        double own[N], given[N];
        make_data(&p, own, given, kind & 2, 0.07);
        gofh_settings settings = quick_settings();
        settings.method = methods[kind & 1];
        settings.hyper = GOFH_HYPER_FIXED;
        p.kernel = settings.kernel;
        p.mean = kind & 4 ? 0.3 : NAN;
        gofh_study *study = study_of(curve_problem(NAN), &settings);
        const gofh_hyperparameters values = {
            .lengthscale = &LENGTH, .variance = p.variance, .noise = 0.07, .mean = p.mean};
        check_ok(study, gofh_study_set_hyperparameters(study, 0, &values));
        tell_data(study, &p, given);
        check_posterior(study, &p);
        gofh_study_free(study);
    }
}

/* The hyperparameters that were learned, put into the textbook's formulas, give the model's
 * answers: then what they were learned with is the noise as it is, whether it was given or follows
 * from what was. */
static void hyperparameters_are_learned_with_the_noise_as_it_is(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        dense p;
        double own[N], given[N], sum = 0.0, mean = 0.0;
        int count = 0;
        make_data(&p, own, given, kind > 0, 0.07);
        for (int i = 0; i < N; i++)
            if (!isnan(given[i])) {
                sum += given[i];
                count++;
            }
        /* What is not known is the problem's noise, or the mean of what is. */
        for (int i = 0; i < N; i++) own[i] = !isnan(given[i]) ? given[i] : kind == 1 ? 0.02 : sum / count;
        for (int i = 0; i < N; i++) mean += own[i] / N;
        gofh_settings settings = quick_settings();
        settings.hyper = GOFH_HYPER_MAP;
        gofh_study *study = study_of(curve_problem(kind == 1 ? 0.02 : NAN), &settings);
        tell_data(study, &p, given);
        gofh_hyperparameters found;
        check_ok(study, gofh_study_hyperparameters(study, 0, 0, &found));
        check_close(found.noise, mean, 1e-9);
        const double length = found.lengthscale[0];
        p.kernel = settings.kernel;
        p.length = &length;
        p.variance = found.variance;
        p.mean = NAN;
        check_posterior(study, &p);
        gofh_study_free(study);
    }
}

static void one_bad_observation_that_is_known_as_such_does_no_harm(void **state)
{
    (void)state;
    static const char *const methods[] = {"ei-cf", "gofh"};
    for (int i = 0; i < 2; i++) {
        gofh_settings settings = quick_settings();
        settings.method = methods[i];
        gofh_study *study = study_of(curve_problem(NAN), &settings);
        for (int k = 0; k <= 10; k++) {
            double x = k / 10.0, y = sin(4.0 * x) + (k == 5 ? 3.0 : 0.0), variance = k == 5 ? 9.0 : 0.0;
            const gofh_evaluation e = {.x = &x, .y = &y, .variance = &variance};
            check_ok(study, gofh_study_import_all(study, &e, 1, NULL));
        }
        double x = 0.5, mean;
        check_ok(study, gofh_study_predict(study, &x, 1, &mean, NULL, NULL, NULL));
        check_near(mean, sin(2.0), 0.02);
        gofh_study_free(study);
    }
}

/* The best evaluation is that of the best posterior mean, not the luckiest. */
static void a_lucky_observation_is_not_the_best_where_its_variance_is_known(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        gofh_settings settings = quick_settings();
        gofh_study *study = study_of(curve_problem(NAN), &settings);
        for (int k = 0; k <= 10; k++) {
            /* f is least at 0.2; the one at 0.8 looks better by chance */
            double x = k / 10.0, y = k == 8 ? 0.0 : 0.1 + 3.0 * fabs(x - 0.2), variance = k == 8 ? 4.0 : 1e-6;
            const gofh_evaluation e = {.x = &x, .y = &y, .variance = known ? &variance : NULL};
            check_ok(study, gofh_study_import_all(study, &e, 1, NULL));
        }
        gofh_trial best;
        check_ok(study, gofh_study_best(study, &best));
        assert_int_equal(best.trial, known ? 3 : 9);
        gofh_study_free(study);
    }
}

static void a_variance_that_can_not_be_is_refused(void **state)
{
    (void)state;
    gofh_study *study = valley_study(NULL);
    double x[VALLEY_D], y[VALLEY_M], variance[VALLEY_M] = {0.1, -0.1, 0.1};
    int64_t trial;
    check_ok(study, gofh_study_ask(study, &trial, x));
    valley_h(x, y, NULL);
    assert_int_equal(gofh_study_tell_noisy(study, trial, y, variance), GOFH_ERROR_ARGUMENT);
    assert_string_equal(
        gofh_study_message(study),
        "the variance of output y[1] is -0.1: it must be 0 or above, or NaN where it is not known");
    variance[1] = INFINITY;
    assert_int_equal(gofh_study_tell_noisy(study, trial, y, variance), GOFH_ERROR_ARGUMENT);
    variance[1] = NAN;
    check_ok(study, gofh_study_tell_noisy(study, trial, y, variance));
    variance[0] = -1.0;
    assert_int_equal(gofh_study_replace(study, trial, y, variance, NULL), GOFH_ERROR_ARGUMENT);
    gofh_trial told;
    check_ok(study, gofh_study_trial(study, trial, &told));
    assert_true(told.variance[0] == 0.1 && isnan(told.variance[1]) && told.variance[2] == 0.1);
    gofh_study_free(study);
}

static void a_correction_of_outputs_leaves_their_variances(void **state)
{
    (void)state;
    gofh_study *study = valley_study(NULL);
    double x[VALLEY_D], y[VALLEY_M], variance[VALLEY_M] = {0.1, NAN, 0.3};
    int64_t trial;
    gofh_trial told;
    check_ok(study, gofh_study_ask(study, &trial, x));
    valley_h(x, y, NULL);
    check_ok(study, gofh_study_tell_noisy(study, trial, y, variance));
    y[0] += 1.0;
    check_ok(study, gofh_study_replace(study, trial, y, NULL, NULL));
    check_ok(study, gofh_study_trial(study, trial, &told));
    assert_true(told.y[0] == y[0]);
    assert_true(told.variance[0] == 0.1 && isnan(told.variance[1]) && told.variance[2] == 0.3);
    for (int j = 0; j < VALLEY_M; j++) variance[j] = NAN;
    check_ok(study, gofh_study_replace(study, trial, y, variance, NULL));
    check_ok(study, gofh_study_trial(study, trial, &told));
    assert_null(told.variance);
    gofh_study_free(study);
}

/* A step of a life in which some observations have variances: of all outputs, of one, of none. */
static void noisy_step(gofh_study *study, int i, double *x)
{
    double y[VALLEY_M], variance[VALLEY_M] = {1e-4, 4e-4, 0.0};
    int64_t trial;
    check_ok(study, gofh_study_ask(study, &trial, x));
    valley_h(x, y, NULL);
    y[0] += i % 2 ? 0.01 : -0.01;
    if (i % 3 == 1) variance[1] = NAN;
    if (i % 3 == 2)
        check_ok(study, gofh_study_tell(study, trial, y));
    else
        check_ok(study, gofh_study_tell_noisy(study, trial, y, variance));
    if (i == 4) {
        variance[0] = 0.01;
        check_ok(study, gofh_study_replace(study, 2, y, variance, NULL));
    }
}

static void a_study_with_variances_goes_on_from_its_file_bit_for_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf", "ei"};
    for (int k = 0; k < 3; k++) {
        gofh_settings settings = quick_settings();
        settings.method = methods[k];
        settings.budget = 0;
        gofh_study *whole = valley_study(&settings);
        for (int i = 0; i < VALLEY_INITIAL + 5; i++) {
            double x[VALLEY_D], resumed[VALLEY_D];
            noisy_step(whole, i, x);
            gofh_study *part = stored_valley(GOFH_OPEN_WRITE, &settings);
            noisy_step(part, i, resumed);
            assert_memory_equal(x, resumed, sizeof x);
            gofh_study_free(part);
        }
        gofh_study *part = stored_valley(GOFH_OPEN_READ, &settings);
        for (int64_t i = 1; i <= gofh_study_count(whole); i++) {
            gofh_trial a, b;
            check_ok(whole, gofh_study_trial(whole, i, &a));
            check_ok(part, gofh_study_trial(part, i, &b));
            assert_int_equal(a.variance == NULL, b.variance == NULL);
            for (int j = 0; a.variance && j < VALLEY_M; j++)
                assert_true(a.variance[j] == b.variance[j] || (isnan(a.variance[j]) && isnan(b.variance[j])));
        }
        gofh_study_free(part);
        gofh_study_free(whole);
        assert_int_equal(unlink(stored_path), 0);
    }
}

/* Beyond 100 data the hyperparameters are not renewed with each, and observations are appended. */
static void what_is_appended_has_its_noise_too_and_resumes_alike(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    settings.budget = 0;
    settings.initial = 118;
    gofh_study *whole = valley_study(&settings);
    gofh_error error;
    double x[VALLEY_D], resumed[VALLEY_D];
    for (int i = 0; i < 118; i++) noisy_step(whole, i == 4 ? 5 : i, x);
    check_ok(whole, gofh_study_save(whole, stored_path));
    for (int i = 0; i < 3; i++) {
        noisy_step(whole, i, x);
        gofh_study *part = open_stored(valley_problem(), GOFH_OPEN_WRITE, &settings, &error);
        assert_non_null(part);
        noisy_step(part, i, resumed);
        assert_memory_equal(x, resumed, sizeof x);
        gofh_study_free(part);
    }
    gofh_study_free(whole);
}

/* A file of before there were variances: the table is missing, and nothing else. */
static void a_file_without_the_table_of_variances_is_read_and_gets_it(void **state)
{
    (void)state;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(study, 3, NULL);
    gofh_study_free(study);
    run_sql("DROP TABLE variances");
    study = stored_valley(GOFH_OPEN_READ, NULL);
    assert_int_equal(gofh_study_count(study), 3);
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[VALLEY_D];
    noisy_step(study, 0, x);
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_READ, NULL);
    gofh_trial trial;
    check_ok(study, gofh_study_trial(study, 4, &trial));
    assert_true(trial.variance && trial.variance[0] == 1e-4);
    gofh_study_free(study);
}

/* A number in the table that was changed is noticed. */
static void a_variance_that_was_changed_in_the_file_is_noticed(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE variances SET value = CAST(substr(value, 1, 8) || x'000000000000e03f' || substr(value, 17) "
        "AS "
        "BLOB)",
        "DELETE FROM variances", "UPDATE variances SET value = x'000000000000f0bf'", "DROP TABLE variances"};
    for (int i = 0; i < 4; i++) {
        gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
        double x[VALLEY_D];
        noisy_step(study, 0, x);
        gofh_study_free(study);
        run_sql(changes[i]);
        check_refused(valley_problem(), GOFH_ERROR_DAMAGED, "trial 1");
        unlink(stored_path);
    }
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_posterior_is_that_of_k_plus_the_variances_on_its_diagonal),
        cmocka_unit_test(a_correction_of_outputs_leaves_their_variances),
        cmocka_unit_test(hyperparameters_are_learned_with_the_noise_as_it_is),
        cmocka_unit_test(one_bad_observation_that_is_known_as_such_does_no_harm),
        cmocka_unit_test(a_lucky_observation_is_not_the_best_where_its_variance_is_known),
        cmocka_unit_test(a_variance_that_can_not_be_is_refused),
        STORED(a_study_with_variances_goes_on_from_its_file_bit_for_bit),
        STORED(what_is_appended_has_its_noise_too_and_resumes_alike),
        STORED(a_file_without_the_table_of_variances_is_read_and_gets_it),
        STORED(a_variance_that_was_changed_in_the_file_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
