#include "check.h"
#include "dense.h"
#include "model/model.h"

#include "base/random.h"
#include <string.h>

enum { D = 3, M = 4, S = 2, N = 15, MORE = 18, Q = 5 };

static double x[MORE * D], y[MORE * M], column[M][MORE], inverse_lengthscale[S][M][D];

static double variance_of(int s, int j)
{
    return 0.5 + s + 0.3 * j;
}

/* Output 2 is noisy, and the mean of output 3 is known (in standardised units). */
static double noise_of(int j)
{
    return j == 2 ? 0.03 : 0.0;
}

static double trend_of(int j)
{
    return j == 1 ? 0.3 : 0.0;
}

/* Outputs of quite different sizes and offsets. */
static void make_data(void)
{
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    for (int i = 0; i < MORE * D; i++) x[i] = random_uniform(&stream);
    for (int i = 0; i < MORE; i++)
        for (int j = 0; j < M; j++)
            y[i * M + j] = column[j][i] = pow(100.0, j - 1) *
                                          (sin(4.0 * x[i * D] + j) + x[i * D + j % D] - j);
    for (int s = 0; s < S; s++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < D; k++)
                inverse_lengthscale[s][j][k] = 1.0 / (0.2 + 0.4 * random_uniform(&stream));
}

static model *make_model(int n, int threads, gofh_kernel kernel)
{
    make_data();
    model *mo = model_create(D, M, S, MORE, kernel, threads);
    assert_non_null(mo);
    model_set_data(mo, n, x, y, NULL, NULL);
    double packed[MORE * MORE];
    for (int s = 0; s < S; s++)
        for (int j = 0; j < M; j++) {
            gp *process = model_process(mo, s, j);
            memcpy(process->hyper.inverse_lengthscale, inverse_lengthscale[s][j], sizeof(double[D]));
            process->hyper.variance = variance_of(s, j);
            process->hyper.noise = noise_of(j);
            process->hyper.trend = trend_of(j);
            process->hyper.mean = j == 3 ? 0.25 : NAN;
            assert_int_equal(gp_condition(process, &mo->inputs, kernel, mo->y + j * MORE, packed), 0);
            assert_true(process->nugget == 0.0);
        }
    return mo;
}

/* Output j under sample s in the user's units; the standardisation is by mean and standard
 * deviation. */
static dense_gp dense_output(int n, gofh_kernel kernel, int s, int j)
{
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) mean += column[j][i] / n;
    for (int i = 0; i < n; i++) squares += (column[j][i] - mean) * (column[j][i] - mean) / n;
    return (dense_gp){.kernel = kernel,
                      .d = D,
                      .n = n,
                      .x = x,
                      .y = column[j],
                      .inverse_lengthscale = inverse_lengthscale[s][j],
                      .variance = variance_of(s, j) * squares,
                      .noise = noise_of(j),
                      .trend = trend_of(j),
                      .mean = j == 3 ? mean + 0.25 * sqrt(squares) : NAN};
}

static double *predict(const model *mo, int sample, const double *points, int q, predict_what what,
                       posterior *p)
{
    double *block = calloc(posterior_size(q, M, D), sizeof *block);
    double *work = calloc(model_predict_work(mo, q), sizeof *work);
    posterior_place(p, q, M, D, block);
    model_predict(mo, sample, points, q, what, p, work);
    free(work);
    return block;
}

static void random_points(uint64_t seed, double *points)
{
    random_stream stream = random_open(seed, RANDOM_TEST, 5, 0);
    for (int i = 0; i < Q * D; i++) points[i] = random_uniform(&stream);
}

static void predictions_are_the_dense_ones_in_the_users_units(void **state)
{
    (void)state;
    for (gofh_kernel kernel = 0; kernel <= GOFH_KERNEL_MATERN_32; kernel++) {
        model *mo = make_model(N, 1, kernel);
        double points[Q * D];
        random_points(1, points);
        for (int run = 0; run < 2 * S; run++) {
            int s = run / 2;
            posterior p;
            double *block = predict(mo, s, points, Q, run % 2 ? PREDICT_QUICK : PREDICT_DEVIATION, &p);
            assert_int_equal(p.points, Q);
            for (int i = 0; i < Q; i++)
                for (int j = 0; j < M; j++) {
                    dense_gp g = dense_output(N, kernel, s, j);
                    double scale = sqrt(g.variance);
                    check_near(p.mean[i * M + j], dense_mean(&g, points + i * D), 1e-9 * scale);
                    check_near(pow(p.deviation[i * M + j] / scale, 2.0),
                               dense_covariance(&g, points + i * D, points + i * D) / g.variance, 1e-10);
                }
            free(block);
        }
        model_free(mo);
    }
}

static void gradients_are_the_differences_of_the_dense_ones(void **state)
{
    (void)state;
    const double step = 1e-5;
    model *mo = make_model(N, 1, GOFH_KERNEL_MATERN_52);
    double points[Q * D];
    random_points(2, points);
    posterior p;
    double *block = predict(mo, 1, points, Q, PREDICT_GRADIENT, &p);
    for (int i = 0; i < Q; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < D; k++) {
                dense_gp g = dense_output(N, mo->kernel, 1, j);
                double at[D], mean[2], deviation[2];
                memcpy(at, points + i * D, sizeof at);
                for (int side = 0; side < 2; side++) {
                    at[k] = points[i * D + k] + (side ? step : -step);
                    mean[side] = dense_mean(&g, at);
                    deviation[side] = sqrt(dense_covariance(&g, at, at));
                }
                double tolerance = 1e-6 * sqrt(g.variance);
                check_near(p.mean_gradient[(i * M + j) * D + k], (mean[1] - mean[0]) / (2 * step), tolerance);
                check_near(p.deviation_gradient[(i * M + j) * D + k],
                           (deviation[1] - deviation[0]) / (2 * step), tolerance);
            }
    free(block);
    model_free(mo);
}

/* To the bit without gradients; with them, up to rounding: they are found in another way. */
static void less_asked_for_gives_the_same_numbers(void **state)
{
    (void)state;
    model *mo = make_model(N, 1, GOFH_KERNEL_MATERN_52);
    double points[Q * D];
    random_points(3, points);
    posterior mean, spread, all;
    double *blocks[] = {predict(mo, 0, points, Q, PREDICT_MEAN, &mean),
                        predict(mo, 0, points, Q, PREDICT_DEVIATION, &spread),
                        predict(mo, 0, points, Q, PREDICT_GRADIENT, &all)};
    assert_memory_equal(mean.mean, spread.mean, Q * M * sizeof(double));
    for (int i = 0; i < Q * M; i++) {
        check_near(spread.mean[i], all.mean[i], 1e-11 * (fabs(all.mean[i]) + all.deviation[i]));
        check_close(spread.deviation[i], all.deviation[i], 1e-9);
    }
    for (int i = 0; i < 3; i++) free(blocks[i]);
    model_free(mo);
}

static void predictions_have_the_same_bits_with_one_two_and_three_threads(void **state)
{
    (void)state;
    double points[Q * D], *first = NULL;
    random_points(4, points);
    for (int threads = 1; threads <= 3; threads++) {
        model *mo = make_model(N, threads, GOFH_KERNEL_SQUARED_EXPONENTIAL);
        for (int again = 0; again < 10; again++) {
            posterior p;
            double *block = predict(mo, 1, points, Q, PREDICT_GRADIENT, &p);
            if (first) {
                assert_memory_equal(block, first, posterior_size(Q, M, D) * sizeof *block);
                free(block);
            } else {
                first = block;
            }
        }
        model_free(mo);
    }
    free(first);
}

/* Scaling and hyperparameters in the user's units as before, so that nothing but the data
 * differs. */
static void appending_a_point_of_which_the_samples_believe_different_values_is_a_refit_each(void **state)
{
    (void)state;
    double points[Q * D], work[2 * MORE], packed[MORE * MORE], believed[S * M];
    random_points(5, points);
    model *mo = make_model(N, 1, GOFH_KERNEL_MATERN_52);
    double before[2][M];
    for (int j = 0; j < M; j++) {
        before[0][j] = mo->shift[j];
        before[1][j] = mo->scale[j];
    }
    for (int s = 0; s < S; s++)
        for (int j = 0; j < M; j++) believed[s * M + j] = y[N * M + j] + 0.3 * s * mo->scale[j];
    assert_int_equal(model_append(mo, 1, x + N * D, believed, work), 0);
    for (int s = 0; s < S; s++) {
        posterior appended, refitted;
        double *block = predict(mo, s, points, Q, PREDICT_DEVIATION, &appended);
        model *other = make_model(N, 1, GOFH_KERNEL_MATERN_52);
        double saved[M];
        memcpy(saved, y + N * M, sizeof saved);
        memcpy(y + N * M, believed + s * M, sizeof saved);
        model_set_data(other, N + 1, x, y, NULL, NULL);
        memcpy(y + N * M, saved, sizeof saved);
        for (int j = 0; j < M; j++) {
            gp *process = model_process(other, s, j);
            double ratio = before[1][j] / other->scale[j];
            process->hyper.variance *= ratio * ratio;
            process->hyper.mean = (before[0][j] + before[1][j] * process->hyper.mean - other->shift[j]) /
                                  other->scale[j];
            gp_condition(process, &other->inputs, other->kernel, other->y + j * MORE, packed);
        }
        double *other_block = predict(other, s, points, Q, PREDICT_DEVIATION, &refitted);
        for (int i = 0; i < Q * M; i++) {
            double scale = other->scale[i % M];
            check_near(appended.mean[i], refitted.mean[i], 1e-9 * scale);
            check_near(appended.deviation[i], refitted.deviation[i], 1e-9 * scale);
        }
        free(block);
        free(other_block);
        model_free(other);
    }
    model_free(mo);
}

static void truncating_forgets_what_was_appended_to_the_bit(void **state)
{
    (void)state;
    double points[Q * D], work[2 * MORE], believed[S * M] = {0};
    random_points(6, points);
    model *mo = make_model(N, 1, GOFH_KERNEL_MATERN_32);
    posterior p;
    double *before = predict(mo, 0, points, Q, PREDICT_GRADIENT, &p);
    for (int i = N; i < MORE; i++) model_append(mo, 1, x + i * D, believed, work);
    double *between = predict(mo, 0, points, Q, PREDICT_GRADIENT, &p);
    model_truncate(mo, N);
    double *after = predict(mo, 0, points, Q, PREDICT_GRADIENT, &p);
    size_t bytes = posterior_size(Q, M, D) * sizeof(double);
    assert_memory_not_equal(before, between, bytes);
    assert_memory_equal(before, after, bytes);
    free(before);
    free(between);
    free(after);
    model_free(mo);
}

static void the_memory_foretold_holds_the_factors(void **state)
{
    (void)state;
    double bytes = model_memory(20, 100, 10, 2000), factors = 8.0 * 10 * 100 * 2000.0 * 2000.0;
    assert_true(bytes > factors && bytes < 1.01 * factors);
    model_free(NULL);
}

/* What a model of logarithms says of y is what one of plain data log y says, made that of a
 * log-normal variable. */
static void leaving_one_out_of_logarithms_gives_log_normal_moments(void **state)
{
    (void)state;
    double positive[N * M], logarithm[N * M], work[N * N];
    double mean[N], variance[N], log_mean[N], log_variance[N];
    make_data();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            logarithm[i * M + j] = sin(4.0 * x[i * D] + j) + 3.0 * x[i * D + j % D];
            positive[i * M + j] = exp(logarithm[i * M + j]);
        }
    model *both[2];
    for (int kind = 0; kind < 2; kind++) {
        model *mo = both[kind] = model_create(D, M, 1, N, GOFH_KERNEL_MATERN_52, 1);
        model_set_data(mo, N, x, logarithm, NULL, NULL);
        for (int j = 0; j < M; j++) {
            double packed[N * N];
            gp *process = model_process(mo, 0, j);
            if (kind == 1) model_set_output(mo, j, positive, &(transform){.kind = &transform_logarithm});
            memcpy(process->hyper.inverse_lengthscale, inverse_lengthscale[0][j], sizeof(double[D]));
            process->hyper.variance = 1.3;
            process->hyper.noise = noise_of(j);
            process->hyper.trend = trend_of(j);
            process->hyper.mean = NAN;
            assert_int_equal(gp_condition(process, &mo->inputs, GOFH_KERNEL_MATERN_52, mo->y + j * N, packed),
                             0);
        }
    }
    for (int j = 0; j < M; j++) {
        model_leave_one_out(both[0], 0, j, log_mean, log_variance, work);
        model_leave_one_out(both[1], 0, j, mean, variance, work);
        for (int i = 0; i < N; i++) {
            double expected = exp(log_mean[i] + 0.5 * log_variance[i]);
            check_near(mean[i], expected, 1e-9 * expected);
            check_near(variance[i], expected * expected * (exp(log_variance[i]) - 1.0),
                       1e-8 * expected * expected);
        }
    }
    model_free(both[0]);
    model_free(both[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_one_out_of_logarithms_gives_log_normal_moments),
        cmocka_unit_test(predictions_are_the_dense_ones_in_the_users_units),
        cmocka_unit_test(gradients_are_the_differences_of_the_dense_ones),
        cmocka_unit_test(less_asked_for_gives_the_same_numbers),
        cmocka_unit_test(predictions_have_the_same_bits_with_one_two_and_three_threads),
        cmocka_unit_test(appending_a_point_of_which_the_samples_believe_different_values_is_a_refit_each),
        cmocka_unit_test(truncating_forgets_what_was_appended_to_the_bit),
        cmocka_unit_test(the_memory_foretold_holds_the_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
