/* The posterior of other residuals, data and likelihoods than the difference with normal noise. */
#include "unit/api/posteriors.h"

/* ---- residuals of logarithms: log h is linear, so that the posterior is the linear one ---- */

static int exponential_h(const double *x, double *y, void *context)
{
    linear_h(x, y, context);
    for (int j = 0; j < LINEAR_M; j++) y[j] = exp(0.3 * y[j]);
    return 0;
}

static void residuals_of_logarithms_have_lognormal_noise(void **state)
{
    (void)state;
    static const double lower[2] = {-2.0, -2.0}, upper[2] = {3.0, 2.0};
    double data[LINEAR_M], sigma[LINEAR_M], p[2][2] = {{0.0}}, side[2] = {0.0};
    for (int j = 0; j < LINEAR_M; j++) {
        data[j] = exp(0.3 * LINEAR_DATA[j]);
        sigma[j] = 0.1 * data[j]; /* 0.1 of the logarithm */
        for (int a = 0; a < 2; a++) {
            side[a] += 0.09 * SLOPE[j][a] * LINEAR_DATA[j] / 0.01;
            for (int b = 0; b < 2; b++) p[a][b] += 0.09 * SLOPE[j][a] * SLOPE[j][b] / 0.01;
        }
    }
    double determinant = p[0][0] * p[1][1] - p[0][1] * p[1][0];
    double mean[2] = {(p[1][1] * side[0] - p[0][1] * side[1]) / determinant,
                      (p[0][0] * side[1] - p[0][1] * side[0]) / determinant};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", lower[0], upper[0], GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", lower[1], upper[1], GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, LINEAR_M);
    gofh_problem_set_data(problem, "o", data, LINEAR_M);
    gofh_problem_set_sigma(problem, "o", sigma, LINEAR_M);
    assert_int_equal(gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_LOG, GOFH_LOSS_SQUARE, 0.0), GOFH_OK);
    gofh_study *study = study_of(problem, NULL);
    import_grid(study, exponential_h, NULL, 2, LINEAR_M, 5, lower, upper);
    gofh_posterior_results results;
    gofh_posterior *posterior = posterior_of(study, 20000, &results);
    for (int k = 0; k < 2; k++) {
        double deviation = sqrt(p[1 - k][1 - k] / determinant);
        check_near(results.mean[k], mean[k], 0.05 * deviation);
        check_close(results.deviation[k], deviation, 0.05);
    }
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

/* ---- very many outputs: h = A x with A of 700 rows, and sigma known or not ---- */

enum { WIDE_M = 700 };

static double wide_slope(int j, int k)
{
    return k ? cos(0.01 * j) : 1.0 + 0.5 * sin(0.013 * j);
}

static void very_many_outputs_have_a_posterior(void **state)
{
    (void)state;
    static double data[WIDE_M], y[WIDE_M];
    double p[2][2] = {{0.0}}, side[2] = {0.0}, sigma = 0.5;
    dice numbers = {.state = 7};
    for (int j = 0; j < WIDE_M; j++) {
        data[j] = 0.4 * wide_slope(j, 0) - 0.3 * wide_slope(j, 1) + sigma * dice_normal(&numbers);
        for (int a = 0; a < 2; a++) {
            side[a] += wide_slope(j, a) * data[j] / (sigma * sigma);
            for (int b = 0; b < 2; b++) p[a][b] += wide_slope(j, a) * wide_slope(j, b) / (sigma * sigma);
        }
    }
    double determinant = p[0][0] * p[1][1] - p[0][1] * p[1][0];
    double mean[2] = {(p[1][1] * side[0] - p[0][1] * side[1]) / determinant,
                      (p[0][0] * side[1] - p[0][1] * side[0]) / determinant};
    for (int known = 0; known < 2; known++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "a", -1.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "b", -1.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, WIDE_M);
        gofh_problem_set_data(problem, "o", data, WIDE_M);
        if (known) gofh_problem_set_sigma(problem, "o", &sigma, 1);
        gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
        gofh_study *study = study_of(problem, NULL);
        for (int i = 0; i < 12; i++) {
            double x[2] = {2.0 * dice_uniform(&numbers) - 1.0, 2.0 * dice_uniform(&numbers) - 1.0};
            for (int j = 0; j < WIDE_M; j++) y[j] = wide_slope(j, 0) * x[0] + wide_slope(j, 1) * x[1];
            check_ok(study, gofh_study_import(study, x, y, NULL));
        }
        gofh_posterior_results results;
        gofh_posterior *posterior = posterior_of(study, 10000, &results);
        for (int k = 0; k < 2; k++) {
            double deviation = sqrt(p[1 - k][1 - k] / determinant);
            check_near(results.mean[k], mean[k], 0.15 * deviation);
            check_close(results.deviation[k], deviation, known ? 0.06 : 0.1);
        }
        assert_int_equal(results.data, WIDE_M);
        if (!known) { /* sigma to 1 / sqrt(2 m), of which it is told with 5 % here */
            check_close(results.sigma_mean[0], sigma, 0.08);
            assert_true(results.sigma_upper[0] - results.sigma_lower[0] < 0.12);
        }
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
}

/* The prior that is told integrates to 1, and is the normal one. */
static void a_posterior_knows_its_priors(void **state)
{
    (void)state;
    enum { STEPS = 4000 };
    const double sigma[LINEAR_M] = {0.3, 0.25, 0.4, 0.35, 0.3};
    gofh_posterior_results results;
    gofh_study *study = linear_study(sigma, 1, 1);
    gofh_posterior *posterior = posterior_of(study, 1000, &results);
    gofh_study_free(study);
    double sum = 0.0;
    for (int i = 0; i < STEPS; i++) {
        double x = -4.0 + 9.0 * (i + 0.5) / STEPS, density;
        assert_int_equal(gofh_posterior_prior(posterior, 0, &x, 1, &density), GOFH_OK);
        sum += density * 9.0 / STEPS;
    }
    check_near(sum, 1.0, 1e-5);
    double x[2] = {0.5, 0.9}, density[2];
    assert_int_equal(gofh_posterior_prior(posterior, 0, x, 2, density), GOFH_OK);
    check_close(density[0], 1.0 / (0.4 * sqrt(6.283185307179586)), 1e-9);
    check_close(density[1] / density[0], exp(-0.5), 1e-9);
    x[0] = 5.1;
    assert_int_equal(gofh_posterior_prior(posterior, 0, x, 1, density), GOFH_OK);
    assert_true(density[0] == 0.0);
    assert_int_equal(gofh_posterior_prior(posterior, 2, x, 1, density), GOFH_ERROR_ARGUMENT);
    /* The combination with the least deviation first; along each it is less than before. */
    assert_true(results.direction_deviation[0] <= results.direction_deviation[1]);
    assert_true(results.direction_deviation[1] < 1.0);
    double length = results.direction[0] * results.direction[0] + results.direction[1] * results.direction[1];
    check_near(length, 1.0, 1e-9);
    gofh_posterior_free(posterior);
}

/* ---- other likelihoods, by draws of h ---- */

static gofh_study *grid_study(gofh_problem *problem)
{
    static const double lower[2] = {-4.0, -4.0}, upper[2] = {5.0, 4.0};
    gofh_study *study = study_of(problem, NULL);
    import_grid(study, linear_h, NULL, 2, LINEAR_M, 4, lower, upper);
    return study;
}

static gofh_problem *grid_problem(const double *sigma)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", -4.0, 5.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", -4.0, 4.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, LINEAR_M);
    gofh_problem_set_data(problem, "o", LINEAR_DATA, LINEAR_M);
    if (sigma) gofh_problem_set_sigma(problem, "o", sigma, 1);
    return problem;
}

/* Where the expression is that of a normal, or Huber's threshold is far away, it is the posterior of a
 * fit. */
static void an_expression_that_is_a_log_likelihood_has_a_posterior(void **state)
{
    (void)state;
    const double sigma = 0.3;
    double mean[3][2], deviation[3][2];
    for (int kind = 0; kind < 3; kind++) {
        gofh_problem *problem = grid_problem(&sigma);
        if (kind == 0) gofh_problem_log_likelihood(problem, "-0.5*sum(((y - o)/0.3)^2)");
        if (kind == 1) gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_HUBER, 1e3);
        if (kind == 2) gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
        gofh_study *study = grid_study(problem);
        gofh_posterior_results results;
        gofh_posterior *posterior = posterior_of(study, 20000, &results);
        assert_int_equal(results.converged, 1);
        for (int k = 0; k < 2; k++) {
            mean[kind][k] = results.mean[k];
            deviation[kind][k] = results.deviation[k];
        }
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < 2; k++) {
            check_near(mean[kind][k], mean[2][k], 0.05 * deviation[2][k]);
            check_close(deviation[kind][k], deviation[2][k], 0.04);
        }
}

/* A product, and one more that nothing depends on. */
static int product_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < 3; j++) y[j] = x[0] * x[1] * (10.0 + 5.0 * j);
    return 0;
}

static void what_the_data_tell_is_said_of_an_expression_too(void **state)
{
    (void)state;
    const double data[3] = {100.0, 150.0, 200.0}, lower[3] = {1.0, 1.0, 0.0}, upper[3] = {10.0, 10.0, 1.0};
    static const char *const words[2][2] = {
        {"the data tell a x b, not each", "the data say little of c: "},
        {"the data contradict the prior of a: ", "the data contradict the prior of b: "}};
    for (int prior = 0; prior < 2; prior++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "a", lower[0], upper[0], GOFH_SCALE_LOG);
        gofh_problem_add_parameter(problem, "b", lower[1], upper[1], GOFH_SCALE_LOG);
        gofh_problem_add_parameter(problem, "c", lower[2], upper[2], GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 3);
        gofh_problem_set_data(problem, "n", data, 3);
        gofh_problem_log_likelihood(problem, "sum(n*log(y) - y)");
        for (int k = 0; prior && k < 2; k++) /* they say 4, the data 10 with a deviation of 0.5 */
            gofh_problem_set_prior(problem, k ? "b" : "a", GOFH_PRIOR_LOGNORMAL, 2.0, 0.1);
        gofh_study *study = study_of(problem, NULL);
        import_grid(study, product_h, NULL, 3, 3, 3, lower, upper);
        gofh_posterior_results results;
        gofh_posterior *posterior = posterior_of(study, 0, &results);
        for (int i = 0; i < 2; i++) assert_true(says(&results, words[prior][i]));
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
}

/* One datum is far off: the mean of a fit follows it, that by Huber's loss much less. On a grid: */
static void hubers_loss_is_a_density_with_heavier_tails(void **state)
{
    (void)state;
    enum { GRID = 300 };
    const double sigma = 0.3, threshold = 1.0;
    double data[LINEAR_M], sum = 0.0, mean[2] = {0.0}, square[2] = {0.0};
    memcpy(data, LINEAR_DATA, sizeof data);
    data[4] += 4.0;
    for (int i = 0; i < GRID * GRID; i++) {
        double x[2] = {-4.0 + 9.0 * (i % GRID + 0.5) / GRID, -4.0 + 8.0 * (i / GRID + 0.5) / GRID};
        double y[LINEAR_M], loss = 0.0;
        linear_h(x, y, NULL);
        for (int j = 0; j < LINEAR_M; j++) {
            double r = fabs(y[j] - data[j]) / sigma;
            loss += r <= threshold ? r * r : threshold * (2.0 * r - threshold);
        }
        double w = exp(-0.5 * loss);
        sum += w;
        for (int k = 0; k < 2; k++) {
            mean[k] += w * x[k];
            square[k] += w * x[k] * x[k];
        }
    }
    gofh_problem *problem = grid_problem(NULL);
    gofh_problem_set_data(problem, "o", data, LINEAR_M);
    gofh_problem_set_sigma(problem, "o", &sigma, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_HUBER, threshold);
    gofh_study *study = grid_study(problem);
    gofh_posterior_results results;
    gofh_posterior *posterior = posterior_of(study, 20000, &results);
    for (int k = 0; k < 2; k++) {
        double deviation = sqrt(square[k] / sum - pow(mean[k] / sum, 2.0));
        check_near(results.mean[k], mean[k] / sum, 0.06 * deviation);
        check_close(results.deviation[k], deviation, 0.05);
    }
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

/* The data are those of x = 0.4 and a smooth deviation from the simulator, which is larger than sigma:
 * a fit is sure of something wrong, with a discrepancy the truth is within the interval. */
static void a_discrepancy_makes_intervals_honest(void **state)
{
    (void)state;
    enum { N = 20 };
    double data[N], at[N], sigma = 0.02, lower[2], upper[2];
    dice numbers = {.state = 4};
    for (int i = 0; i < N; i++) {
        at[i] = i / 19.0;
        data[i] = 0.4 * exp(-at[i]) + 0.15 * sin(3.0 * at[i]) + sigma * dice_normal(&numbers);
    }
    for (int with = 0; with < 2; with++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, N);
        gofh_problem_set_data(problem, "o", data, N);
        gofh_problem_set_sigma(problem, "o", &sigma, 1);
        if (with) assert_int_equal(gofh_problem_set_discrepancy(problem, "o", at, N), GOFH_OK);
        gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
        gofh_study *study = study_of(problem, NULL);
        for (int i = 0; i < 6; i++) {
            double x = i / 5.0, y[N];
            for (int j = 0; j < N; j++) y[j] = x * exp(-at[j]);
            check_ok(study, gofh_study_import(study, &x, y, NULL));
        }
        gofh_posterior_results results;
        gofh_posterior *posterior = posterior_of(study, 8000, &results);
        lower[with] = results.lower[0];
        upper[with] = results.upper[0];
        assert_int_equal(results.sigmas, with);
        if (with) {
            assert_string_equal(results.sigma_data[0], "the discrepancy of o");
            assert_true(results.sigma_lower[0] > sigma && results.sigma_lower[0] < 0.15);
            assert_true(says(&results, "the discrepancy of o is estimated: "));
        }
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
    assert_true(lower[0] > 0.4);
    assert_true(lower[1] < 0.4 && upper[1] > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_of_logarithms_have_lognormal_noise),
        cmocka_unit_test(very_many_outputs_have_a_posterior),
        cmocka_unit_test(a_posterior_knows_its_priors),
        cmocka_unit_test(an_expression_that_is_a_log_likelihood_has_a_posterior),
        cmocka_unit_test(what_the_data_tell_is_said_of_an_expression_too),
        cmocka_unit_test(hubers_loss_is_a_density_with_heavier_tails),
        cmocka_unit_test(a_discrepancy_makes_intervals_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
