/* From what is sampled or searched to the hyperparameters of a process. */
#include "check.h"
#include "target.h"

enum { D = 2, N = 9 };

/* Given theta the variance is inverse gamma: its reciprocal has a gamma distribution. */
static void resolved_variances_have_the_moments_of_the_inverse_gamma(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, D, N, 2);
    hyper_target target = target_open(&f, HYPER_ESTIMATED, &PRIOR);
    double theta[D + 1] = {-1.0, -1.3, -3.0}, inverse_lengthscale[D], into[D];
    dense_gp g = process_of(&f, HYPER_ESTIMATED, theta, 1.0, inverse_lengthscale);
    long double log_det, yy, oy, oo;
    dense_forms(&g, &log_det, &yy, &oy, &oo);
    double squares = 3.0 * 1.3 + (double)(yy - oy * oy / oo), degrees = 3.0 + N - 1;
    random_stream stream = random_open(6, RANDOM_TEST, 0, 0);
    double sum = 0.0, square_sum = 0.0, variance_sum = 0.0;
    gp_hyper hyper = {.inverse_lengthscale = into};
    for (int i = 0; i < DRAWS; i++) {
        hyper_resolve(&target, theta, &stream, &hyper);
        sum += 1.0 / hyper.variance / DRAWS;
        square_sum += 1.0 / hyper.variance / hyper.variance / DRAWS;
        variance_sum += hyper.variance / DRAWS;
    }
    check_close(sum, degrees / squares, 0.01);
    check_close(square_sum - sum * sum, 2.0 * degrees / (squares * squares), 0.05);
    check_close(variance_sum, squares / (degrees - 2.0), 0.02);
    check_close(hyper.noise, exp(-3.0), 1e-15);
    assert_true(isnan(hyper.mean));
    for (int k = 0; k < D; k++) check_close(into[k], inverse_lengthscale[k], 1e-15);
    /* Without a stream: where the density of the logarithm is largest. */
    hyper_resolve(&target, theta, NULL, &hyper);
    check_close(hyper.variance, squares / degrees, 1e-10);
    target_close(&target);
    fixture_close(&f);
}

/* A gamma variate of shape 1/2000 is below the least double three times out of four. */
static void with_next_to_no_information_resolved_variances_are_still_finite(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, D, 1, 2);
    hyper_prior weak = PRIOR;
    weak.variance_weight = 1e-3;
    hyper_target target = target_open(&f, HYPER_EXACT, &weak);
    random_stream stream = random_open(6, RANDOM_TEST, 1, 0);
    double theta[D] = {-1.0, -1.3}, into[D];
    gp_hyper hyper = {.inverse_lengthscale = into};
    for (int i = 0; i < 100; i++) {
        hyper_resolve(&target, theta, &stream, &hyper);
        assert_true(hyper.variance > 0.0 && hyper.variance <= 1e12);
    }
    target_close(&target);
    fixture_close(&f);
}

static void known_noise_is_resolved_relative_to_the_variance(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, D, N, 2);
    hyper_target target = target_open(&f, HYPER_KNOWN, &PRIOR);
    double theta[D + 1] = {-1.0, -1.3, 0.7}, into[D];
    gp_hyper hyper = {.inverse_lengthscale = into};
    hyper_resolve(&target, theta, NULL, &hyper);
    check_close(hyper.variance, exp(0.7), 1e-15);
    check_close(hyper.noise * hyper.variance, KNOWN_NOISE, 1e-15);
    target_close(&target);
    fixture_close(&f);
}

/* The variance of all that the process adds to the signal is the known one, whatever the trend's
 * share. */
static void known_noise_is_the_same_with_a_trend(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, D, N, 2);
    hyper_target target = target_open(&f, HYPER_KNOWN, &PRIOR);
    target.trend = 1;
    double theta[D + 2] = {-1.0, -1.3, 0.4, 0.7}, into[D];
    gp_hyper hyper = {.inverse_lengthscale = into};
    hyper_resolve(&target, theta, NULL, &hyper);
    dense_gp g = f.dense;
    g.inverse_lengthscale = into;
    g.trend = hyper.trend;
    check_close(hyper.variance * mean_diagonal(&g), exp(0.7), 1e-12);
    check_close(hyper.noise * mean_diagonal(&g) * hyper.variance, KNOWN_NOISE, 1e-12);
    target_close(&target);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolved_variances_have_the_moments_of_the_inverse_gamma),
        cmocka_unit_test(with_next_to_no_information_resolved_variances_are_still_finite),
        cmocka_unit_test(known_noise_is_resolved_relative_to_the_variance),
        cmocka_unit_test(known_noise_is_the_same_with_a_trend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
