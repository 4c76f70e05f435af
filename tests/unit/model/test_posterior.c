/* What the acquisition sees of the model: draws, their adjoint, projections, K_n(x). */
#include "base/random.h"
#include "check.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { D = 2, M = 3, N = 10, COUNT = 7 };

typedef struct {
    model *mo;
    double *work, *block;
    posterior p;
    double w[M], z[COUNT * M], weights[COUNT * M];
} setting;

static void open_setting(setting *t)
{
    random_stream stream = random_open(4, RANDOM_TEST, 0, 0);
    double x[N * D], y[N * M], packed[N * N];
    for (int i = 0; i < N * D; i++) x[i] = random_uniform(&stream);
    for (int i = 0; i < N * M; i++) y[i] = pow(10.0, i % M) * random_normal(&stream);
    for (int j = 0; j < M; j++) t->w[j] = random_normal(&stream) / pow(10.0, j);
    for (int i = 0; i < COUNT * M; i++) {
        t->z[i] = random_normal(&stream);
        t->weights[i] = random_normal(&stream) / pow(10.0, i % M);
    }
    t->mo = model_create(D, M, 1, N, GOFH_KERNEL_MATERN_52, 1);
    model_set_data(t->mo, N, x, y, NULL, NULL);
    for (int j = 0; j < M; j++) {
        gp *process = model_process(t->mo, 0, j);
        for (int k = 0; k < D; k++) process->hyper.inverse_lengthscale[k] = 3.0 + k + j;
        process->hyper.variance = 1.0 + j;
        process->hyper.noise = 0.0;
        process->hyper.mean = NAN;
        assert_int_equal(gp_condition(process, &t->mo->inputs, t->mo->kernel, t->mo->y + j * N, packed), 0);
    }
    t->work = calloc(model_predict_work(t->mo, 2), sizeof *t->work);
    t->block = calloc(posterior_size(2, M, D), sizeof *t->block);
    posterior_place(&t->p, 2, M, D, t->block);
}

static void close_setting(setting *t)
{
    model_free(t->mo);
    free(t->work);
    free(t->block);
}

/* Predicts at x, as the second of two points. */
static void predict_at(setting *t, const double *x)
{
    double points[2 * D] = {0.9, 0.1, x[0], x[1]};
    model_predict(t->mo, 0, points, 2, PREDICT_GRADIENT, &t->p, t->work);
}

static const double AT[D] = {0.37, 0.62};
static const double STEP = 1e-6;

static void the_covariance_across_outputs_has_the_squared_deviations(void **state)
{
    (void)state;
    setting t;
    open_setting(&t);
    predict_at(&t, AT);
    double k[M * M];
    posterior_covariance(&t.p, 1, k);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            check_near(k[i * M + j], i == j ? pow(t.p.deviation[M + j], 2.0) : 0.0, 1e-14 * k[i * M + i]);
    close_setting(&t);
}

static void draws_are_the_mean_plus_the_factor_times_the_normals(void **state)
{
    (void)state;
    setting t;
    open_setting(&t);
    predict_at(&t, AT);
    double h[COUNT * M];
    posterior_draw(&t.p, 1, t.z, COUNT, h);
    for (int s = 0; s < COUNT; s++)
        for (int j = 0; j < M; j++)
            check_near(h[s * M + j], t.p.mean[M + j] + t.p.deviation[M + j] * t.z[s * M + j], 0.0);
    close_setting(&t);
}

static void draws_are_the_same_whatever_their_number_and_that_of_the_outputs(void **state)
{
    (void)state;
    enum { MOST = 70, DRAWS = 67 };
    random_stream stream = random_open(6, RANDOM_TEST, 0, 0);
    static double z[DRAWS * MOST], h[DRAWS * MOST];
    double mean[MOST], deviation[MOST];
    transform kinds[MOST];
    for (int i = 0; i < DRAWS * MOST; i++) z[i] = random_normal(&stream);
    for (int m = 1; m <= MOST; m++) {
        for (int j = 0; j < m; j++) {
            mean[j] = j == 3 ? 1e4 : j == 4 ? -1e4 : random_normal(&stream);
            deviation[j] = random_uniform(&stream);
            kinds[j].kind = j % 3 != 2 ? &transform_logarithm : &transform_identity;
        }
        posterior p = {.points = 1, .outputs = m, .mean = mean, .deviation = deviation};
        p.transform = kinds;
        for (int count = 1; count <= DRAWS; count += 11) {
            posterior_draw(&p, 0, z, count, h);
            for (int i = 0; i < count * m; i++) {
                int j = i % m;
                double expected = mean[j] + deviation[j] * z[i];
                if (j % 3 != 2) expected = exp(fmin(fmax(expected, -300.0), 300.0));
                check_close(h[i], expected, 3e-16);
            }
        }
    }
}

static void many_draws_have_the_covariance_of_the_posterior(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    setting t;
    open_setting(&t);
    predict_at(&t, AT);
    random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
    double k[M * M], sum[M * M] = {0}, z[M], h[M];
    posterior_covariance(&t.p, 1, k);
    for (int s = 0; s < DRAWS; s++) {
        for (int j = 0; j < M; j++) z[j] = random_normal(&stream);
        posterior_draw(&t.p, 1, z, 1, h);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                sum[i * M + j] += (h[i] - t.p.mean[M + i]) * (h[j] - t.p.mean[M + j]) / DRAWS;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            check_near(sum[i * M + j], k[i * M + j], 6.0 / sqrt(DRAWS) * sqrt(k[i * M + i] * k[j * M + j]));
    close_setting(&t);
}

static double weighted_draws(setting *t, const double *x)
{
    double h[COUNT * M], sum = 0.0;
    predict_at(t, x);
    posterior_draw(&t->p, 1, t->z, COUNT, h);
    for (int i = 0; i < COUNT * M; i++) sum += t->weights[i] * h[i];
    return sum;
}

static void the_pull_adds_the_gradient_of_the_weighted_draws(void **state)
{
    (void)state;
    setting t;
    open_setting(&t);
    double h[COUNT * M], dx[D] = {100.0, -50.0};
    predict_at(&t, AT);
    posterior_draw(&t.p, 1, t.z, COUNT, h);
    posterior_pull(&t.p, 1, t.z, h, t.weights, COUNT, dx);
    for (int k = 0; k < D; k++) {
        double after[D] = {AT[0], AT[1]}, before[D] = {AT[0], AT[1]};
        after[k] += STEP;
        before[k] -= STEP;
        double slope = (weighted_draws(&t, after) - weighted_draws(&t, before)) / (2.0 * STEP);
        check_near(dx[k] - (k ? -50.0 : 100.0), slope, 1e-6 * (1.0 + fabs(slope)));
    }
    close_setting(&t);
}

static void a_projection_has_the_mean_and_deviation_of_the_weighted_sum(void **state)
{
    (void)state;
    setting t;
    open_setting(&t);
    predict_at(&t, AT);
    double k[M * M], mean = 0.0, variance = 0.0, got_mean, got_deviation, slope[2][D];
    posterior_covariance(&t.p, 1, k);
    for (int i = 0; i < M; i++) {
        mean += t.w[i] * t.p.mean[M + i];
        for (int j = 0; j < M; j++) variance += t.w[i] * t.w[j] * k[i * M + j];
    }
    posterior_project(&t.p, 1, M, NULL, t.w, &got_mean, &got_deviation, slope[0], slope[1]);
    check_near(got_mean, mean, 1e-13);
    check_close(got_deviation, sqrt(variance), 1e-14);
    for (int c = 0; c < D; c++) {
        double at[D] = {AT[0], AT[1]}, moved_mean[2], moved[2];
        for (int side = 0; side < 2; side++) {
            at[c] = AT[c] + (side ? STEP : -STEP);
            predict_at(&t, at);
            posterior_project(&t.p, 1, M, NULL, t.w, &moved_mean[side], &moved[side], NULL, NULL);
        }
        check_near(slope[0][c], (moved_mean[1] - moved_mean[0]) / (2.0 * STEP), 1e-6);
        check_near(slope[1][c], (moved[1] - moved[0]) / (2.0 * STEP), 1e-6);
    }
    close_setting(&t);
}

static void a_projection_on_nothing_is_certain_and_flat(void **state)
{
    (void)state;
    setting t;
    open_setting(&t);
    predict_at(&t, AT);
    double none[M] = {0}, mean, deviation, slope[2][D];
    posterior_project(&t.p, 1, M, NULL, none, &mean, &deviation, slope[0], slope[1]);
    assert_true(mean == 0.0 && deviation == 0.0);
    for (int k = 0; k < D; k++) assert_true(slope[0][k] == 0.0 && slope[1][k] == 0.0);
    close_setting(&t);
}

static void at_the_data_the_deviation_is_next_to_nothing_and_its_gradient_finite(void **state)
{
    (void)state;
    setting t;
    open_setting(&t);
    double at[D];
    for (int k = 0; k < D; k++) at[k] = t.mo->inputs.x[k * N + 4];
    predict_at(&t, at);
    for (int j = 0; j < M; j++) {
        double y = t.mo->shift[j] + t.mo->scale[j] * t.mo->y[j * N + 4];
        check_near(t.p.mean[M + j], y, 1e-10 * t.mo->scale[j]);
        assert_true(t.p.deviation[M + j] >= 0.0 && t.p.deviation[M + j] < 1e-6 * t.mo->scale[j]);
        for (int k = 0; k < D; k++) assert_true(isfinite(t.p.deviation_gradient[(M + j) * D + k]));
    }
    close_setting(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_covariance_across_outputs_has_the_squared_deviations),
        cmocka_unit_test(draws_are_the_mean_plus_the_factor_times_the_normals),
        cmocka_unit_test(draws_are_the_same_whatever_their_number_and_that_of_the_outputs),
        cmocka_unit_test(many_draws_have_the_covariance_of_the_posterior),
        cmocka_unit_test(the_pull_adds_the_gradient_of_the_weighted_draws),
        cmocka_unit_test(a_projection_has_the_mean_and_deviation_of_the_weighted_sum),
        cmocka_unit_test(a_projection_on_nothing_is_certain_and_flat),
        cmocka_unit_test(at_the_data_the_deviation_is_next_to_nothing_and_its_gradient_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
