/* Outputs with one kernel predict what processes of their own with the same hyperparameters do. */
#include "check.h"
#include "model/model.h"

#include "base/random.h"
#include <stdlib.h>
#include <string.h>

enum { D = 3, M = 5, S = 2, N = 21, MORE = 24, Q = 37 };

static double x[MORE * D], y[MORE * M], points[Q * D];

static void make_data(void)
{
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    for (int i = 0; i < MORE * D; i++) x[i] = random_uniform(&stream);
    for (int i = 0; i < Q * D; i++) points[i] = random_uniform(&stream);
    memcpy(points, x, D * sizeof *x); /* a datum */
    for (int i = 0; i < MORE; i++)
        for (int j = 0; j < M; j++)
            y[i * M + j] = pow(10.0, j - 1) * (sin(4.0 * x[i * D] + j) + x[i * D + j % D] * x[i * D] - j);
}

/* The same lengthscales, noise and trend for all that may share; the last output has others. */
static model *make_model(int threads, const unsigned char *shares, double trend, double noise)
{
    static const double scale[S][D] = {{2.0, 1.5, 3.0}, {1.0, 4.0, 2.5}};
    make_data();
    model *mo = model_create(D, M, S, MORE, GOFH_KERNEL_SQUARED_EXPONENTIAL, threads);
    assert_non_null(mo);
    model_set_data(mo, N, x, y, NULL, NULL);
    model_share(mo, shares);
    for (int s = 0; s < S; s++)
        for (int j = 0; j < M; j++) {
            gp_hyper *hyper = &model_process(mo, s, j)->hyper;
            int last = j == M - 1 && !(shares && shares[j]);
            for (int k = 0; k < D; k++) hyper->inverse_lengthscale[k] = scale[s][k] * (last ? 1.7 : 1.0);
            hyper->variance = 0.5 + s + 0.3 * j;
            hyper->noise = noise;
            hyper->trend = trend;
            hyper->mean = NAN;
        }
    int failed[M];
    double *work = calloc(model_condition_work(mo), sizeof *work);
    model_condition(mo, failed, work);
    for (int j = 0; j < M; j++) assert_int_equal(failed[j], 0);
    free(work);
    return mo;
}

static posterior predict(const model *mo, int sample, predict_what what, double **block)
{
    posterior post;
    *block = calloc(posterior_size(Q, M, D) + model_predict_work(mo, Q), sizeof(double));
    posterior_place(&post, Q, M, D, *block);
    model_predict(mo, sample, points, Q, what, &post, *block + posterior_size(Q, M, D));
    return post;
}

static void check_values(const double *a, const double *b, int count, double tolerance)
{
    double size = 0.0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++) check_near(a[i], b[i], tolerance * size);
}

static void check_same(const model *a, const model *b, double tolerance)
{
    for (int s = 0; s < S; s++)
        for (predict_what what = PREDICT_MEAN; what <= PREDICT_GRADIENT; what++) {
            double *blocks[2];
            posterior one = predict(a, s, what, &blocks[0]), other = predict(b, s, what, &blocks[1]);
            int spread = what == PREDICT_DEVIATION || what == PREDICT_GRADIENT;
            int gradient = what == PREDICT_MEAN_GRADIENT || what == PREDICT_GRADIENT;
            check_values(one.mean, other.mean, Q * M, tolerance);
            if (spread) check_values(one.deviation, other.deviation, Q * M, tolerance);
            if (gradient) check_values(one.mean_gradient, other.mean_gradient, Q * M * D, tolerance);
            if (spread && gradient)
                check_values(one.deviation_gradient, other.deviation_gradient, Q * M * D, tolerance);
            free(blocks[0]);
            free(blocks[1]);
        }
}

static void append(model *mo, int i)
{
    double believed[S * M], work[2 * MORE];
    for (int s = 0; s < S; s++) memcpy(believed + s * M, y + i * M, M * sizeof *y);
    model_append(mo, 1, x + i * D, believed, work);
}

static const unsigned char ALL[M] = {1, 1, 1, 1, 1}, SOME[M] = {0, 1, 1, 1, 0};

static void predictions_are_those_of_processes_of_their_own(void **state)
{
    (void)state;
    for (int trend = 0; trend < 2; trend++) {
        model *shared = make_model(1, SOME, 0.3 * trend, 1e-4), *own = make_model(1, NULL, 0.3 * trend, 1e-4);
        assert_int_equal(shared->leader, 1);
        assert_ptr_equal(model_process(shared, 0, 3)->factor, model_process(shared, 0, 1)->factor);
        assert_ptr_not_equal(model_process(shared, 0, 4)->factor, model_process(shared, 0, 1)->factor);
        check_same(shared, own, 1e-10);
        model_free(shared);
        model_free(own);
    }
}

static void so_they_are_after_data_are_appended_and_forgotten(void **state)
{
    (void)state;
    model *shared = make_model(1, SOME, 0.2, 1e-4), *own = make_model(1, NULL, 0.2, 1e-4);
    for (int i = N; i < MORE; i++) {
        append(shared, i);
        append(own, i);
        check_same(shared, own, 1e-10);
    }
    model_truncate(shared, N + 1);
    model_truncate(own, N + 1);
    check_same(shared, own, 1e-10);
    model_free(shared);
    model_free(own);
}

/* Of all fantasies at once, and of each by itself. */
static void check_together(const model *mo, predict_what what)
{
    enum { ALL_POINTS = GP_SHARED_MAX * Q };
    int spread = what == PREDICT_DEVIATION || what == PREDICT_GRADIENT;
    int gradient = what == PREDICT_MEAN_GRADIENT || what == PREDICT_GRADIENT;
    double *block = calloc(posterior_size(ALL_POINTS, M, D) + model_predict_work(mo, ALL_POINTS),
                           sizeof *block);
    posterior all;
    posterior_place(&all, ALL_POINTS, M, D, block);
    model_predict_shared(mo, 0, GP_SHARED_MAX, points, Q, what, &all,
                         block + posterior_size(ALL_POINTS, M, D));
    for (int f = 0; f < GP_SHARED_MAX; f++) {
        double *own;
        posterior one = predict(mo, f, what, &own);
        size_t at = (size_t)(f * Q * M);
        check_values(all.mean + at, one.mean, Q * M, 1e-13);
        if (spread) check_values(all.deviation + at, one.deviation, Q * M, 1e-13);
        if (gradient) check_values(all.mean_gradient + at * D, one.mean_gradient, Q * M * D, 1e-13);
        if (spread && gradient)
            check_values(all.deviation_gradient + at * D, one.deviation_gradient, Q * M * D, 1e-13);
        free(own);
    }
    free(block);
}

static void fantasies_predicted_together_are_those_predicted_alone(void **state)
{
    (void)state;
    const unsigned char *const shares[] = {NULL, SOME, ALL};
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    double believed[(MORE - N) * GP_SHARED_MAX * M], work[2 * MORE];
    for (size_t i = 0; i < sizeof believed / sizeof *believed; i++) believed[i] = random_normal(&stream);
    for (int i = 0; i < 6; i++) {
        model *mo = make_model(1, shares[i / 2], 0.3 * (i % 2), 1e-4);
        mo->samples = 1;
        assert_int_equal(model_fork(mo, GP_SHARED_MAX), 0);
        model_append(mo, MORE - N, x + N * D, believed, work);
        for (predict_what what = PREDICT_MEAN; what <= PREDICT_GRADIENT; what++) check_together(mo, what);
        model_free(mo);
    }
}

static void processes_that_no_longer_share_are_their_own_again(void **state)
{
    (void)state;
    model *once = make_model(1, ALL, 0.0, 1e-4);
    model_share(once, NULL);
    assert_int_equal(once->leader, -1);
    for (int j = 1; j < M; j++)
        assert_ptr_not_equal(model_process(once, 0, j)->factor, model_process(once, 0, 0)->factor);
    model_free(once);
}

static void gradients_are_difference_quotients(void **state)
{
    (void)state;
    const double step = 1e-6;
    model *mo = make_model(1, ALL, 0.3, 1e-4);
    double *blocks[3];
    make_data();
    posterior middle = predict(mo, 1, PREDICT_GRADIENT, &blocks[0]);
    for (int k = 0; k < D; k++) {
        for (int p = 0; p < Q; p++) points[p * D + k] += step;
        posterior after = predict(mo, 1, PREDICT_DEVIATION, &blocks[1]);
        for (int p = 0; p < Q; p++) points[p * D + k] -= 2.0 * step;
        posterior before = predict(mo, 1, PREDICT_DEVIATION, &blocks[2]);
        for (int p = 0; p < Q; p++) points[p * D + k] += step;
        for (int i = 0; i < Q * M; i++) {
            double mean = (after.mean[i] - before.mean[i]) / (2.0 * step);
            double deviation = (after.deviation[i] - before.deviation[i]) / (2.0 * step);
            double size = mo->scale[i % M];
            check_near(middle.mean_gradient[i * D + k], mean, 1e-5 * size);
            check_near(middle.deviation_gradient[i * D + k], deviation, 1e-5 * size);
        }
        free(blocks[1]);
        free(blocks[2]);
    }
    free(blocks[0]);
    model_free(mo);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    model *one = make_model(1, SOME, 0.3, 0.0);
    for (int threads = 2; threads <= 5; threads++) {
        model *many = make_model(threads, SOME, 0.3, 0.0);
        check_same(many, one, 0.0);
        model_free(many);
    }
    model_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_those_of_processes_of_their_own),
        cmocka_unit_test(so_they_are_after_data_are_appended_and_forgotten),
        cmocka_unit_test(fantasies_predicted_together_are_those_predicted_alone),
        cmocka_unit_test(processes_that_no_longer_share_are_their_own_again),
        cmocka_unit_test(gradients_are_difference_quotients),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
