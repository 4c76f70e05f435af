#include "check.h"
#include "model/quick.h"
#include "target.h"

enum { D = 3, PAIRS = FIXTURE_MOST * (FIXTURE_MOST - 1) / 2 };

static const hyper_noise MODES[] = {HYPER_EXACT, HYPER_ESTIMATED, HYPER_KNOWN};
static const int SIZES[] = {1, 2, 3, 4, 5, 16, 17, 30};
enum { MODE_COUNT = 3, SIZE_COUNT = 8 };

static void the_terms_of_a_likelihood_are_those_of_the_dense_solve(void **state)
{
    (void)state;
    static double differences[D * PAIRS], packed[PAIRS], work[(FIXTURE_MOST + 8) * (FIXTURE_MOST + 4)];
    FOR_EACH_KERNEL(kernel)
    for (int d = 1; d <= D; d++)
        for (int size = 0; size < SIZE_COUNT; size++) {
            fixture f;
            quick_terms terms;
            long double log_det, yy, oy, oo;
            fixture_open(&f, kernel, d, SIZES[size], 5);
            f.dense.noise = 0.02;
            assert_true(quick_work(SIZES[size]) <= sizeof work / sizeof *work);
            quick_differences(&f.inputs, differences);
            quick_correlations(&f.inputs, kernel, differences, f.inverse_lengthscale, packed);
            assert_int_equal(quick_factorise(SIZES[size], packed, 0.02, f.y, &terms, work), 0);
            dense_forms(&f.dense, &log_det, &yy, &oy, &oo);
            check_near(terms.log_det, (double)log_det, 1e-11);
            check_near(terms.ones_sum, (double)oo, 1e-11);
            check_near(terms.squares, (double)(yy - oy * oy / oo), 1e-10);
            fixture_close(&f);
        }
}

static void what_cannot_be_factorised_is_said(void **state)
{
    (void)state;
    const double packed[] = {1.0, 1.0, 1.0}, y[] = {0.0, 1.0, 2.0}; /* three points that are one */
    double work[32];
    quick_terms terms;
    assert_true(quick_work(3) <= 32);
    assert_int_equal(quick_factorise(3, packed, 0.0, y, &terms, work), -1);
    assert_int_equal(quick_factorise(3, packed, 1e-3, y, &terms, work), 0);
}

/* Against the general evaluation, which has its own tests against brute force. */
static void densities_with_differences_are_those_without(void **state)
{
    (void)state;
    static double differences[D * PAIRS];
    FOR_EACH_KERNEL(kernel)
    for (int mode = 0; mode < MODE_COUNT; mode++)
        for (int size = 1; size < SIZE_COUNT; size++) {
            fixture f;
            fixture_open(&f, kernel, D, SIZES[size], 6);
            hyper_target plain = target_open(&f, MODES[mode], &PRIOR), quick = plain;
            random_stream stream = random_open(7, RANDOM_TEST, (uint64_t)mode, (uint64_t)size);
            quick_differences(&f.inputs, differences);
            quick.differences = differences;
            for (int i = 0; i < 5; i++) {
                double theta[D + 1];
                for (int k = 0; k < D; k++) theta[k] = log(0.05) + 2.0 * random_uniform(&stream);
                theta[D] = MODES[mode] == HYPER_KNOWN ? random_normal(&stream)
                                                      : -7.0 + random_normal(&stream);
                double expected = hyper_log_posterior(&plain, theta, NULL), square = plain.squares[0];
                check_near(hyper_log_posterior(&quick, theta, NULL), expected, 1e-8);
                check_close(quick.squares[0], square, 1e-9);
                check_near(quick.diagonal, plain.diagonal, 1e-14);
            }
            target_close(&plain);
            fixture_close(&f);
        }
}

static void noise_of_any_size_has_the_determinant_of_a_diagonal(void **state)
{
    (void)state;
    enum { SIZE = 20 };
    double packed[SIZE * (SIZE - 1) / 2] = {0}, y[SIZE] = {1.0},
                                      *work = calloc(quick_work(SIZE), sizeof *work);
    for (double noise = 1e-12; noise < 1e300; noise *= 1e12) {
        quick_terms terms;
        assert_int_equal(quick_factorise(SIZE, packed, noise, y, &terms, work), 0);
        check_near(terms.log_det, SIZE * log1p(noise), 1e-13 * (1.0 + SIZE * log1p(noise)));
    }
    free(work);
}

static void inputs_twice_get_the_nugget_that_they_need(void **state)
{
    (void)state;
    static double differences[D * PAIRS];
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, D, 20, 6);
    /* The same place and value: no nugget is too small for the data, only for rounding. */
    for (int i = 10; i < 20; i++) {
        memcpy(f.x + i * D, f.x + (i - 10) * D, D * sizeof *f.x);
        f.y[i] = f.y[i - 10];
    }
    fixture_take(&f, 20);
    hyper_target target = target_open(&f, HYPER_EXACT, &PRIOR);
    double theta[D] = {1.0, 1.0, 1.0};
    quick_differences(&f.inputs, differences);
    target.differences = differences;
    assert_true(isfinite(hyper_log_posterior(&target, theta, NULL)));
    target_close(&target);
    fixture_close(&f);
}

/* Mean and variance at more points than are taken at once, of a number of data that is no multiple
 * of anything. */
static void predictions_are_those_of_the_dense_solve(void **state)
{
    (void)state;
    enum { Q = 21 };
    static const double MEANS[] = {NAN, 0.7, NAN}, TRENDS[] = {0.0, 0.0, 0.3};
    double x[Q * D], mean[Q], variance[Q], only[Q], work[8 * FIXTURE_MOST];
    FOR_EACH_KERNEL(kernel)
    for (int kind = 0; kind < 3; kind++)
        for (int d = 1; d <= D; d++) {
            fixture f;
            fixture_open(&f, kernel, d, d == 1 ? 7 : 23, 3);
            f.process.hyper.trend = f.dense.trend = TRENDS[kind];
            assert_int_equal(fixture_condition(&f, 2.3, 0.01, MEANS[kind]), 0);
            assert_true(quick_predict_work(f.inputs.n) <= sizeof work / sizeof *work);
            random_stream stream = random_open(9, RANDOM_TEST, (uint64_t)d, (uint64_t)kind);
            for (int i = 0; i < Q * d; i++) x[i] = 1.4 * random_uniform(&stream) - 0.2;
            quick_predict(&f.process, 1, 0, &f.inputs, kernel, x, Q, mean, variance, work);
            quick_predict(&f.process, 1, 0, &f.inputs, kernel, x, Q, only, NULL, work);
            for (int i = 0; i < Q; i++) {
                check_near(mean[i], dense_mean(&f.dense, x + i * d), 1e-10);
                check_near(variance[i], dense_covariance(&f.dense, x + i * d, x + i * d), 1e-11);
                assert_true(mean[i] == only[i]);
                double alone,
                    spread; /* to the bit: how points are shared out between threads must not matter */
                quick_predict(&f.process, 1, 0, &f.inputs, kernel, x + i * d, 1, &alone, &spread, work);
                assert_true(alone == mean[i] && spread == variance[i]);
            }
            fixture_close(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terms_of_a_likelihood_are_those_of_the_dense_solve),
        cmocka_unit_test(what_cannot_be_factorised_is_said),
        cmocka_unit_test(densities_with_differences_are_those_without),
        cmocka_unit_test(noise_of_any_size_has_the_determinant_of_a_diagonal),
        cmocka_unit_test(inputs_twice_get_the_nugget_that_they_need),
        cmocka_unit_test(predictions_are_those_of_the_dense_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
