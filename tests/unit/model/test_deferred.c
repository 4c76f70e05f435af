/* Gradients of very many outputs, which are not formed, against those that are. */
#include "check.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { D = 3, M = 10007, N = 6, Q = 19, DRAWS = 2 };

static model *make_model(void)
{
    double x[N * D], *y = malloc((size_t)N * M * sizeof *y);
    model *mo = model_create(D, M, 1, N + 2, GOFH_KERNEL_SQUARED_EXPONENTIAL, 1);
    unsigned char *shares = malloc(M);
    int *failed = malloc(M * sizeof *failed);
    memset(shares, 1, M);
    for (int i = 0; i < N * D; i++) x[i] = fmod(0.31 + 0.618 * i, 1.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            y[i * M + j] = sin(3.0 * x[i * D] + 1e-3 * j) + x[i * D + 1] * x[i * D + j % D];
    model_set_data(mo, N, x, y, NULL, NULL);
    model_share(mo, shares);
    for (int j = 0; j < M; j++) {
        gp_hyper *hyper = &model_process(mo, 0, j)->hyper;
        for (int k = 0; k < D; k++) hyper->inverse_lengthscale[k] = 1.5 + k;
        hyper->variance = 0.5 + 1e-4 * j;
        hyper->noise = 0.0;
        hyper->trend = 0.3;
        hyper->mean = NAN;
    }
    double *work = calloc(model_condition_work(mo), sizeof *work);
    model_condition(mo, failed, work);
    free(work);
    free(failed);
    free(shares);
    free(y);
    return mo;
}

/* The gradient of a weighted sum of draws, and after it of a weighted sum of means: 2 x Q x D. */
static void pull_all(const model *mo, int may_defer, const double *z, const double *weights, double *dx)
{
    double points[Q * D], *block = calloc(posterior_size(Q, M, D) + model_predict_work(mo, Q), sizeof *block);
    posterior p;
    for (int i = 0; i < Q * D; i++) points[i] = fmod(0.11 + 0.7548776662466927 * i, 1.0);
    posterior_place(&p, Q, M, D, block);
    p.may_defer = may_defer;
    model_predict(mo, 0, points, Q, PREDICT_GRADIENT, &p, block + posterior_size(Q, M, D));
    assert_int_equal(p.deferred, may_defer);
    memset(dx, 0, 2 * Q * D * sizeof *dx);
    for (int i = 0; i < Q; i++) posterior_pull(&p, i, z, NULL, weights, DRAWS, dx + i * D);
    posterior_finish(&p, dx);
    for (int i = 0; i < Q; i++) posterior_pull_mean(&p, i, weights, dx + (Q + i) * D);
    posterior_finish(&p, dx + Q * D);
    free(block);
}

/* Sums of 10,000 terms in another order. */
static void gradients_that_are_deferred_are_the_same(void **state)
{
    (void)state;
    model *mo = make_model();
    double *z = malloc(2 * DRAWS * M * sizeof *z), *weights = z + DRAWS * M, dx[2][2 * Q * D], size = 0.0;
    for (int i = 0; i < DRAWS * M; i++) {
        z[i] = sin(12.9898 * i);
        weights[i] = cos(78.233 * i) + 0.5;
    }
    pull_all(mo, 0, z, weights, dx[0]);
    pull_all(mo, 1, z, weights, dx[1]);
    for (int i = 0; i < 2 * Q * D; i++) size = fmax(size, fabs(dx[0][i]));
    assert_true(size > 1.0);
    for (int i = 0; i < 2 * Q * D; i++) check_near(dx[1][i], dx[0][i], 1e-11 * size);
    free(z);
    model_free(mo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_that_are_deferred_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
