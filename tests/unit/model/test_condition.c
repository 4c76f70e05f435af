/* One more observation, and going back. */
#include "check.h"
#include "fixture.h"

static void check_same_process(const fixture *a, const fixture *b, double tolerance)
{
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    double x[FIXTURE_PARAMETERS], mean[2], variance[2], gradient[4][FIXTURE_PARAMETERS];
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < a->inputs.d; k++) x[k] = random_uniform(&stream);
        fixture_predict(a, x, &mean[0], &variance[0], gradient[0], gradient[1]);
        fixture_predict(b, x, &mean[1], &variance[1], gradient[2], gradient[3]);
        check_near(mean[0], mean[1], tolerance);
        check_near(variance[0], variance[1], tolerance);
        for (int k = 0; k < a->inputs.d; k++) {
            check_near(gradient[0][k], gradient[2][k], 30.0 * tolerance);
            check_near(gradient[1][k], gradient[3][k], 30.0 * tolerance);
        }
    }
}

static void appending_points_one_by_one_is_conditioning_on_all(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    for (int kind = 0; kind < 4; kind++) {
        double noise = kind & 1 ? 0.01 : 0.0, mean = kind & 2 ? 0.5 : NAN, work[2 * FIXTURE_MOST];
        fixture f, whole;
        fixture_open(&f, kernel, 3, 5, 1);
        fixture_open(&whole, kernel, 3, 5, 1);
        fixture_condition(&f, 1.7, noise, mean);
        for (int n = 6; n <= 30; n++) {
            fixture_take(&f, n);
            assert_int_equal(gp_append(&f.process, &f.inputs, kernel, f.y[n - 1], work), 0);
        }
        fixture_take(&whole, 30);
        fixture_condition(&whole, 1.7, noise, mean);
        assert_true(whole.process.nugget == 0.0);
        check_same_process(&f, &whole, 1e-9);
        check_near(f.process.mean, whole.process.mean, 1e-9);
        check_close(f.process.ones_sum, whole.process.ones_sum, 1e-9);
        fixture_close(&f);
        fixture_close(&whole);
    }
}

static void noise_of_each_datum_is_that_of_the_dense_solve_appended_or_not(void **state)
{
    (void)state;
    enum { FIRST = 5, ALL = 20 };
    const double variance = 1.7;
    for (int kind = 0; kind < 4; kind++) {
        double own[ALL], relative[ALL], work[2 * FIXTURE_MOST], mean, spread, x[3];
        for (int i = 0; i < ALL; i++) {
            own[i] = i % 3 == 0 ? 0.0 : 0.05 * i;
            relative[i] = own[i] / variance;
        }
        fixture f;
        fixture_open(&f, GOFH_KERNEL_MATERN_52, 3, FIRST, 1);
        f.process.hyper.trend = f.dense.trend = kind & 1 ? 0.3 : 0.0;
        f.process.own_noise = own;
        f.dense.own = relative;
        fixture_condition(&f, variance, 0.0, kind & 2 ? 0.5 : NAN);
        random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
        for (int n = FIRST; n <= ALL; n++) {
            if (n > FIRST) {
                fixture_take(&f, n);
                assert_int_equal(gp_append(&f.process, &f.inputs, f.kernel, f.y[n - 1], work), 0);
            }
            for (int k = 0; k < 3; k++) x[k] = random_uniform(&stream);
            fixture_predict(&f, x, &mean, &spread, NULL, NULL);
            check_near(mean, dense_mean(&f.dense, x), 1e-9);
            check_near(spread, dense_covariance(&f.dense, x, x), 1e-9);
        }
        fixture_close(&f);
    }
}

static void a_process_may_start_from_a_single_point(void **state)
{
    (void)state;
    fixture f;
    double work[2 * FIXTURE_MOST], x[2] = {0.4, 0.6}, mean, variance;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, 2, 1, 1);
    fixture_condition(&f, 1.7, 0.0, NAN);
    for (int n = 1; n < 6; n++) {
        fixture_predict(&f, x, &mean, &variance, NULL, NULL);
        check_near(mean, dense_mean(&f.dense, x), 1e-12);
        check_near(variance, dense_covariance(&f.dense, x, x), 1e-12);
        fixture_take(&f, n + 1);
        gp_append(&f.process, &f.inputs, f.kernel, f.y[n], work);
    }
    fixture_close(&f);
}

static void truncating_gives_back_the_process_as_it_was_to_the_bit(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        double work[2 * FIXTURE_MOST], weights[10], ones[10], x[2] = {0.3, 0.8}, mean[2], variance[2];
        fixture_open(&f, kernel, 2, 10, 4);
        fixture_condition(&f, 1.0, 0.0, NAN);
        fixture_predict(&f, x, &mean[0], &variance[0], NULL, NULL);
        memcpy(weights, f.process.weights, sizeof weights);
        memcpy(ones, f.process.ones, sizeof ones);
        for (int n = 11; n < 15; n++) {
            fixture_take(&f, n);
            gp_append(&f.process, &f.inputs, kernel, 100.0, work);
        }
        fixture_take(&f, 10);
        gp_truncate(&f.process, &f.inputs);
        fixture_predict(&f, x, &mean[1], &variance[1], NULL, NULL);
        assert_true(mean[0] == mean[1] && variance[0] == variance[1]);
        assert_memory_equal(weights, f.process.weights, sizeof weights);
        assert_memory_equal(ones, f.process.ones, sizeof ones);
        fixture_close(&f);
    }
}

/* The covariance of the same unknown, given more: it can't grow. */
static void one_more_point_never_makes_the_variance_larger(void **state)
{
    (void)state;
    enum { PROBES = 20 };
    FOR_EACH_KERNEL(kernel)
    for (uint64_t seed = 0; seed < 8; seed++) {
        int d = 1 + (int)seed % 4;
        fixture f;
        fixture_open(&f, kernel, d, 1, seed);
        fixture_condition(&f, 1.0, seed % 2 ? 0.05 : 0.0, seed % 3 ? NAN : 0.0);
        random_stream stream = random_open(seed, RANDOM_TEST, 77, 0);
        double probes[PROBES * 4], before[PROBES], work[2 * FIXTURE_MOST];
        for (int i = 0; i < PROBES * d; i++) probes[i] = random_uniform(&stream);
        for (int i = 0; i < PROBES; i++) before[i] = INFINITY;
        for (int n = 1; n <= 25; n++) {
            for (int i = 0; i < PROBES; i++) {
                double mean, variance;
                fixture_predict(&f, probes + i * d, &mean, &variance, NULL, NULL);
                assert_true(variance <= before[i] + 1e-9 && variance >= -1e-9);
                before[i] = variance;
            }
            fixture_take(&f, n + 1);
            gp_append(&f.process, &f.inputs, kernel, f.y[n], work);
        }
        fixture_close(&f);
    }
}

static void appending_a_known_point_says_that_the_pivot_was_raised_and_keeps_the_prediction(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        double work[2 * FIXTURE_MOST], x[2] = {0.25, 0.5}, mean[2], variance[2];
        fixture_open(&f, kernel, 2, 10, 8);
        memcpy(f.x + 20, f.x + 6, 2 * sizeof *f.x);
        fixture_condition(&f, 1.0, 0.0, NAN);
        fixture_predict(&f, x, &mean[0], &variance[0], NULL, NULL);
        fixture_take(&f, 11);
        assert_int_equal(gp_append(&f.process, &f.inputs, kernel, f.y[3], work), 1);
        fixture_predict(&f, x, &mean[1], &variance[1], NULL, NULL);
        check_near(mean[1], mean[0], 1e-6);
        check_near(variance[1], variance[0], 1e-6);
        fixture_close(&f);
    }
}

/* With noise a repeated measurement is information: two of variance v are one of variance v / 2. */
static void a_repeated_noisy_measurement_halves_its_noise(void **state)
{
    (void)state;
    fixture f, halved;
    double work[2 * FIXTURE_MOST], x = 0.31, mean[2], variance[2];
    fixture_open(&f, GOFH_KERNEL_MATERN_32, 1, 1, 8);
    fixture_open(&halved, GOFH_KERNEL_MATERN_32, 1, 1, 8);
    f.x[1] = f.x[0];
    fixture_condition(&f, 1.0, 0.1, 0.0);
    fixture_take(&f, 2);
    assert_int_equal(gp_append(&f.process, &f.inputs, f.kernel, f.y[0] + 0.2, work), 0);
    halved.y[0] += 0.1;
    fixture_condition(&halved, 1.0, 0.05, 0.0);
    fixture_predict(&f, &x, &mean[0], &variance[0], NULL, NULL);
    fixture_predict(&halved, &x, &mean[1], &variance[1], NULL, NULL);
    check_near(mean[0], mean[1], 1e-13);
    check_near(variance[0], variance[1], 1e-13);
    fixture_close(&f);
    fixture_close(&halved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appending_points_one_by_one_is_conditioning_on_all),
        cmocka_unit_test(noise_of_each_datum_is_that_of_the_dense_solve_appended_or_not),
        cmocka_unit_test(a_process_may_start_from_a_single_point),
        cmocka_unit_test(truncating_gives_back_the_process_as_it_was_to_the_bit),
        cmocka_unit_test(one_more_point_never_makes_the_variance_larger),
        cmocka_unit_test(appending_a_known_point_says_that_the_pivot_was_raised_and_keeps_the_prediction),
        cmocka_unit_test(a_repeated_noisy_measurement_halves_its_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
