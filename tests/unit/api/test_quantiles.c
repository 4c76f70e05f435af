/* Quantiles of the posterior, against those of the normals that they come from. */
#include "unit/api/valley.h"

enum { POINTS = 3, LEVELS = 3, GIVEN = 8 };
static const double LEVEL[LEVELS] = {0.025, 0.5, 0.9};
/* Of the standard normal, from tables. */
static const double NORMAL[LEVELS] = {-1.959963984540054, 0.0, 1.2815515655446004};
static const double AT[POINTS] = {0.13, 0.52, 0.97};

static double curve(double x)
{
    return sin(5.0 * x) + 0.2;
}

/* A study of one output with known hyperparameters. */
static gofh_study *curve_study(const char *objective, int maximise)
{
    const double lengthscale = 0.2;
    gofh_problem *problem = gofh_problem_create();
    assert_non_null(problem);
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    if (maximise)
        gofh_problem_maximize(problem, objective);
    else
        gofh_problem_minimize(problem, objective);
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_FIXED;
    gofh_study *study = study_of(problem, &settings);
    gofh_hyperparameters values = {.lengthscale = &lengthscale, .variance = 1.0, .noise = 0.0, .mean = 0.0};
    check_ok(study, gofh_study_set_hyperparameters(study, 0, &values));
    for (int i = 0; i < 4; i++) {
        double x = 0.05 + 0.28 * i, y = curve(x);
        check_ok(study, gofh_study_import(study, &x, &y, NULL));
    }
    return study;
}

static void quantiles_of_an_output_are_those_of_its_normal(void **state)
{
    (void)state;
    gofh_study *study = curve_study("y[0]", 1);
    double mean[POINTS], variance[POINTS], outputs[POINTS * LEVELS];
    check_ok(study, gofh_study_predict(study, AT, POINTS, mean, variance, NULL, NULL));
    check_ok(study, gofh_study_predict_quantiles(study, AT, POINTS, LEVEL, LEVELS, NULL, outputs));
    for (int i = 0; i < POINTS; i++)
        for (int l = 0; l < LEVELS; l++)
            check_near(outputs[i * LEVELS + l], mean[i] + NORMAL[l] * sqrt(variance[i]), 1e-12);
    gofh_study_free(study);
}

/* P(h^2 <= square) of a normal h. */
static double square_cdf(double mean, double deviation, double square)
{
    double root = sqrt(fmax(square, 0.0)), scale = deviation * sqrt(2.0);
    return 0.5 * (erfc((mean - root) / scale) - erfc((mean + root) / scale));
}

/* Scrambled nets of 1024 points: the share of a set differs from its probability by a few in 1024. */
static void f_is_below_its_quantiles_with_their_probability(void **state)
{
    (void)state;
    for (int maximise = 0; maximise < 2; maximise++) {
        gofh_study *study = curve_study(maximise ? "-y[0]^2" : "y[0]^2", maximise);
        double mean[POINTS], variance[POINTS], f[POINTS * LEVELS];
        check_ok(study, gofh_study_predict(study, AT, POINTS, mean, variance, NULL, NULL));
        check_ok(study, gofh_study_predict_quantiles(study, AT, POINTS, LEVEL, LEVELS, f, NULL));
        for (int i = 0; i < POINTS; i++)
            for (int l = 0; l < LEVELS; l++) {
                double value = f[i * LEVELS + l];
                double below = square_cdf(mean[i], sqrt(variance[i]), maximise ? -value : value);
                check_near(maximise ? 1.0 - below : below, LEVEL[l], 0.005);
            }
        gofh_study_free(study);
    }
}

/* Of Student's t with four degrees of freedom, by its closed form. */
static double student_4(double t)
{
    double sine = t / sqrt(4.0 + t * t);
    return 0.5 + 0.5 * sine * (1.0 + 0.5 * (1.0 - sine * sine));
}

/* A mean and a variance that are found from five data leave four degrees of freedom, and f, a sum of
 * eight outputs, has as many: one variance that is too small makes all errors large. Outputs by
 * themselves would add up to something nearer to a normal, of which 0.08 instead of 0.1 are below the
 * second of these levels. The shares of the draws of 40 studies differ from the probabilities by less
 * than 4.5 standard errors and one draw of a study. */
static void f_of_few_data_has_the_tails_of_t(void **state)
{
    (void)state;
    enum { OUTPUTS = 8, FEW = 5, STUDIES = 40, LEVELS_OF_T = 4, DRAWS = 1024 };
    const double level[LEVELS_OF_T] = {0.005, 0.1, 0.5, 0.99}, at = 0.37;
    double share[LEVELS_OF_T] = {0};
    dice numbers = {3};
    for (int i = 0; i < STUDIES; i++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, OUTPUTS);
        gofh_problem_maximize(problem, "sum(y)");
        gofh_settings settings = quick_settings();
        settings.method = "gofh";
        settings.seed = (uint64_t)i + 1;
        gofh_study *study = study_of(problem, &settings);
        for (int k = 0; k < FEW; k++) {
            double x = 0.05 + 0.22 * k, y[OUTPUTS];
            for (int j = 0; j < OUTPUTS; j++) y[j] = dice_normal(&numbers);
            check_ok(study, gofh_study_import(study, &x, y, NULL));
        }
        double mean, deviation, f[LEVELS_OF_T];
        check_ok(study, gofh_study_predict_objective(study, &at, 1, &mean, &deviation, NULL));
        check_ok(study, gofh_study_predict_quantiles(study, &at, 1, level, LEVELS_OF_T, f, NULL));
        for (int l = 0; l < LEVELS_OF_T; l++) share[l] += student_4((f[l] - mean) / deviation) / STUDIES;
        gofh_study_free(study);
    }
    for (int l = 0; l < LEVELS_OF_T; l++)
        check_near(share[l], level[l],
                   4.5 * sqrt(level[l] * (1.0 - level[l]) / (STUDIES * DRAWS)) + 1.0 / DRAWS);
}

/* Of several hyperparameter samples the posterior is their mixture: no quantile leaves the range of
 * the components', and a share of p of the mixture is below it. */
static void quantiles_of_a_mixture_are_below_each_other(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    advance_valley(study, GIVEN, NULL);
    const double x[VALLEY_D] = {1.3, 20.0}, level[5] = {0.01, 0.25, 0.5, 0.75, 0.99};
    double f[5], outputs[VALLEY_M * 5], mean[VALLEY_M], variance[VALLEY_M];
    check_ok(study, gofh_study_predict(study, x, 1, mean, variance, NULL, NULL));
    check_ok(study, gofh_study_predict_quantiles(study, x, 1, level, 5, f, outputs));
    for (int l = 1; l < 5; l++) {
        assert_true(f[l] > f[l - 1]);
        for (int j = 0; j < VALLEY_M; j++) assert_true(outputs[5 * j + l] > outputs[5 * j + l - 1]);
    }
    assert_true(f[0] >= 0.0); /* a sum of squares */
    for (int j = 0; j < VALLEY_M; j++) {
        /* The median of any distribution is within a standard deviation of its mean. */
        assert_true(fabs(outputs[5 * j + 2] - mean[j]) <= sqrt(variance[j]));
        /* Cantelli: at most 1 in 100 lies more than sqrt(99) deviations below the mean. */
        assert_true(outputs[5 * j] >= mean[j] - sqrt(99.0 * variance[j]));
    }
    gofh_study_free(study);
}

static void levels_that_are_no_probabilities_are_refused(void **state)
{
    (void)state;
    gofh_study *study = curve_study("y[0]", 1);
    double level[] = {0.5, 1.0}, f[2];
    assert_int_equal(gofh_study_predict_quantiles(study, AT, 1, level, 2, f, NULL), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "the level 1 is not between 0 and 1");
    level[1] = NAN;
    assert_int_equal(gofh_study_predict_quantiles(study, AT, 1, level, 2, f, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_predict_quantiles(study, AT, 1, level, -1, f, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_predict_quantiles(study, AT, -1, level, 1, f, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_predict_quantiles(study, NULL, 1, level, 1, f, NULL), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
    gofh_settings settings = quick_settings();
    settings.method = "ei";
    study = valley_study(&settings);
    advance_valley(study, GIVEN, NULL);
    double outputs[VALLEY_M];
    assert_int_equal(gofh_study_predict_quantiles(study, VALLEY_TRUTH, 1, level, 1, NULL, outputs),
                     GOFH_ERROR_ARGUMENT);
    check_ok(study, gofh_study_predict_quantiles(study, VALLEY_TRUTH, 1, level, 1, f, NULL));
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_an_output_are_those_of_its_normal),
        cmocka_unit_test(f_is_below_its_quantiles_with_their_probability),
        cmocka_unit_test(f_of_few_data_has_the_tails_of_t),
        cmocka_unit_test(quantiles_of_a_mixture_are_below_each_other),
        cmocka_unit_test(levels_that_are_no_probabilities_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
