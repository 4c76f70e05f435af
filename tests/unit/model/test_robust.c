/* The whole way from data to predictions, with sampled hyperparameters, on difficult data. */
#include "base/memory.h"
#include "check.h"
#include "model/hyper.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_D = 20, MOST_N = 60 };

static const hyper_prior DEFAULTS = {.lengthscale_median = 0.5,
                                     .lengthscale_spread = 1.0,
                                     .variance_scale = 1.0,
                                     .variance_weight = 1.0,
                                     .noise_median = 1e-4,
                                     .noise_spread = 3.0};

/* A model of one output with hyperparameters after a few sweeps of MCMC. */
static model *fit(gofh_kernel kernel, int d, int n, const double *x, const double *y, hyper_noise noise)
{
    model *mo = model_create(d, 1, 1, n, kernel, 1);
    model_set_data(mo, n, x, y, NULL, NULL);
    double *work = memory_doubles(hyper_work(n, 0)), *packed = memory_doubles((size_t)(n * n));
    double theta[MOST_D + 1];
    hyper_target target = {.inputs = &mo->inputs,
                           .kernel = kernel,
                           .y = mo->y,
                           .noise = noise,
                           .prior = &DEFAULTS,
                           .work = work};
    random_stream stream = random_open(11, RANDOM_TEST, 0, 0);
    hyper_start(&target, theta);
    hyper_sample(&target, theta, hyper_log_posterior(&target, theta, NULL), d > 5 ? 2 : 10, &stream);
    gp *process = model_process(mo, 0, 0);
    hyper_resolve(&target, theta, NULL, &process->hyper);
    assert_int_equal(gp_condition(process, &mo->inputs, kernel, mo->y, packed), 0);
    free(work);
    free(packed);
    return mo;
}

typedef struct {
    double mean, deviation, mean_gradient[MOST_D], deviation_gradient[MOST_D];
} answer;

static answer predict(const model *mo, const double *x)
{
    answer a;
    posterior p;
    int d = mo->inputs.d;
    double *block = memory_doubles(posterior_size(1, 1, d)),
           *work = memory_doubles(model_predict_work(mo, 1));
    posterior_place(&p, 1, 1, d, block);
    model_predict(mo, 0, x, 1, PREDICT_GRADIENT, &p, work);
    a.mean = p.mean[0];
    a.deviation = p.deviation[0];
    memcpy(a.mean_gradient, p.mean_gradient, (size_t)d * sizeof(double));
    memcpy(a.deviation_gradient, p.deviation_gradient, (size_t)d * sizeof(double));
    free(block);
    free(work);
    return a;
}

static void check_sane(const model *mo, const answer *a)
{
    assert_true(isfinite(a->mean) && isfinite(a->deviation) && a->deviation >= 0.0);
    for (int k = 0; k < mo->inputs.d; k++)
        assert_true(isfinite(a->mean_gradient[k]) && isfinite(a->deviation_gradient[k]));
}

static void fill(int d, int n, double *x, double *y)
{
    random_stream stream = random_open(12, RANDOM_TEST, (uint64_t)d, (uint64_t)n);
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int k = 0; k < d; k++) {
            double u = x[i * d + k] = random_uniform(&stream);
            y[i] += sin(3.0 * u + k) / (1.0 + k);
        }
    }
}

static void outputs_of_any_scale_are_predicted_alike(void **state)
{
    (void)state;
    enum { D = 3, N = 20 };
    double x[N * D], y[N], scaled[N], at[D] = {0.3, 0.7, 0.45};
    fill(D, N, x, y);
    for (gofh_kernel kernel = 0; kernel <= GOFH_KERNEL_MATERN_32; kernel++)
        for (int noise = HYPER_EXACT; noise <= HYPER_ESTIMATED; noise++) {
            model *mo = fit(kernel, D, N, x, y, (hyper_noise)noise);
            answer plain = predict(mo, at);
            model_free(mo);
            /* Powers of two scale without rounding, so that even the Markov chain takes the same
             * steps. */
            for (int exponent = -100; exponent <= 100; exponent += 40) {
                double factor = ldexp(exponent % 80 ? 1.0 : -1.0, exponent);
                for (int i = 0; i < N; i++) scaled[i] = factor * y[i];
                mo = fit(kernel, D, N, x, scaled, (hyper_noise)noise);
                answer a = predict(mo, at);
                check_close(a.mean / factor, plain.mean, 1e-12);
                check_close(a.deviation / fabs(factor), plain.deviation, 1e-12);
                for (int k = 0; k < D; k++)
                    check_close(a.mean_gradient[k] / factor, plain.mean_gradient[k], 1e-12);
                model_free(mo);
            }
        }
}

static void outputs_of_1e30_and_1e_minus_30_are_interpolated(void **state)
{
    (void)state;
    enum { D = 3, N = 20 };
    double x[N * D], y[N], scaled[N];
    fill(D, N, x, y);
    for (double factor = 1e-30; factor < 2e30; factor *= 1e10) {
        for (int i = 0; i < N; i++) scaled[i] = factor * y[i];
        model *mo = fit(GOFH_KERNEL_SQUARED_EXPONENTIAL, D, N, x, scaled, HYPER_EXACT);
        for (int i = 0; i < N; i++) check_near(predict(mo, x + i * D).mean / factor, y[i], 1e-5);
        model_free(mo);
    }
}

/* As far as the data tell, it never moves. */
static void a_constant_output_is_predicted_as_that_constant(void **state)
{
    (void)state;
    enum { D = 2, N = 12 };
    double x[N * D], y[N], at[D] = {0.31, 0.77};
    fill(D, N, x, y);
    const double constants[] = {0.0, 1.0, -3.7, 1e-30, 1e30, 0.1, 1e300, 5e-324};
    for (int c = 0; c < 8; c++)
        for (int noise = HYPER_EXACT; noise <= HYPER_ESTIMATED; noise++) {
            for (int i = 0; i < N; i++) y[i] = constants[c];
            model *mo = fit(GOFH_KERNEL_SQUARED_EXPONENTIAL, D, N, x, y, (hyper_noise)noise);
            answer a = predict(mo, at);
            check_sane(mo, &a);
            double size = fmax(fabs(constants[c]), c == 0 ? 1.0 : 1e-300);
            check_near(a.mean, constants[c], 1e-12 * size);
            assert_true(a.deviation < 1e-12 * size);
            model_free(mo);
        }
}

static void duplicated_and_nearly_duplicated_points_are_fine_and_the_nugget_stays_small(void **state)
{
    (void)state;
    enum { D = 2, N = 24 };
    double x[N * D], y[N];
    for (gofh_kernel kernel = 0; kernel <= GOFH_KERNEL_MATERN_32; kernel++)
        for (double apart = 0.0; apart<1e-2; apart = apart> 0.0 ? 1e3 * apart : 1e-12) {
            fill(D, N / 2, x, y);
            for (int i = 0; i < N / 2; i++) {
                memcpy(x + (N / 2 + i) * D, x + i * D, D * sizeof *x);
                x[(N / 2 + i) * D] += x[i * D] < 0.5 ? apart : -apart;
            }
            for (int i = 0; i < N; i++) y[i] = sin(3.0 * x[i * D]) + x[i * D + 1];
            model *mo = fit(kernel, D, N, x, y, HYPER_EXACT);
            double nugget = model_process(mo, 0, 0)->nugget;
            assert_true(nugget >= 0.0 && nugget < 1.1e-11);
            if (apart < 1e-7) assert_true(nugget > 0.0 || kernel == GOFH_KERNEL_MATERN_32);
            for (int i = 0; i < N; i++) {
                answer a = predict(mo, x + i * D);
                check_sane(mo, &a);
                check_near(a.mean, y[i], 1e-4);
                assert_true(a.deviation < 1e-3);
            }
            model_free(mo);
        }
}

/* Two values at one place, without noise: no process fits, but the answer lies between them. */
static void contradicting_duplicates_are_predicted_between_them(void **state)
{
    (void)state;
    enum { D = 1, N = 6 };
    double x[N] = {0.0, 0.3, 0.3, 0.6, 0.8, 1.0}, y[N] = {0.0, 1.0, 1.1, 0.5, 0.2, 0.1};
    for (gofh_kernel kernel = 0; kernel <= GOFH_KERNEL_MATERN_32; kernel++) {
        model *mo = fit(kernel, D, N, x, y, HYPER_EXACT);
        answer a = predict(mo, x + 1);
        check_sane(mo, &a);
        assert_true(a.mean > 1.0 && a.mean < 1.1);
        model_free(mo);
    }
}

static void every_dimension_from_1_to_20_interpolates(void **state)
{
    (void)state;
    double x[MOST_N * MOST_D], y[MOST_N];
    for (int d = 1; d <= MOST_D; d++) {
        int n = 2 * (d + 1);
        fill(d, n, x, y);
        model *mo = fit((gofh_kernel)(d % 3), d, n, x, y, HYPER_EXACT);
        for (int i = 0; i < n; i++) {
            answer a = predict(mo, x + i * d);
            check_sane(mo, &a);
            check_near(a.mean, y[i], 1e-5);
        }
        model_free(mo);
    }
}

static void one_and_two_data_are_enough_to_predict(void **state)
{
    (void)state;
    double x[4] = {0.2, 0.4, 0.9, 0.5}, y[2] = {3.0, 5.0}, at[2] = {0.5, 0.5};
    for (gofh_kernel kernel = 0; kernel <= GOFH_KERNEL_MATERN_32; kernel++)
        for (int noise = HYPER_EXACT; noise <= HYPER_ESTIMATED; noise++)
            for (int n = 1; n <= 2; n++) {
                model *mo = fit(kernel, 2, n, x, y, (hyper_noise)noise);
                answer a = predict(mo, at);
                check_sane(mo, &a);
                /* The kriging weights sum to one: a single datum is the prediction everywhere. */
                if (n == 1) check_near(a.mean, 3.0, 1e-12);
                if (n == 2) assert_true(a.mean > 3.0 && a.mean < 5.0);
                model_free(mo);
            }
}

/* Correlations to 2,000 points, one of them exactly where we ask. */
static void two_thousand_data_are_conditioned_on_and_predicted(void **state)
{
    (void)state;
    enum { D = 4, N = 2000 };
    double *x = memory_doubles(N * D), *y = memory_doubles(N), *packed = memory_doubles(N * (N - 1) / 2);
    fill(D, N, x, y);
    model *mo = model_create(D, 1, 1, N, GOFH_KERNEL_MATERN_52, 1);
    model_set_data(mo, N, x, y, NULL, NULL);
    gp *process = model_process(mo, 0, 0);
    for (int k = 0; k < D; k++) process->hyper.inverse_lengthscale[k] = 2.0;
    process->hyper.variance = 1.0;
    process->hyper.noise = 0.0;
    process->hyper.mean = NAN;
    assert_int_equal(gp_condition(process, &mo->inputs, mo->kernel, mo->y, packed), 0);
    for (int i = 0; i < N; i += 211) check_near(predict(mo, x + i * D).mean, y[i], 1e-8);
    double at[D] = {0.4, 0.6, 0.5, 0.3}, truth = 0.0;
    for (int k = 0; k < D; k++) truth += sin(3.0 * at[k] + k) / (1.0 + k);
    answer a = predict(mo, at);
    check_near(a.mean, truth, 1e-2);
    assert_true(a.deviation > 0.0 && fabs(a.mean - truth) < 5.0 * a.deviation);
    model_free(mo);
    free(x);
    free(y);
    free(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_of_any_scale_are_predicted_alike),
        cmocka_unit_test(outputs_of_1e30_and_1e_minus_30_are_interpolated),
        cmocka_unit_test(a_constant_output_is_predicted_as_that_constant),
        cmocka_unit_test(duplicated_and_nearly_duplicated_points_are_fine_and_the_nugget_stays_small),
        cmocka_unit_test(contradicting_duplicates_are_predicted_between_them),
        cmocka_unit_test(every_dimension_from_1_to_20_interpolates),
        cmocka_unit_test(one_and_two_data_are_enough_to_predict),
        cmocka_unit_test(two_thousand_data_are_conditioned_on_and_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
