#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "model/model.h"

#include <stdlib.h>

enum { D = 2, M = 2, N = 30 };

/* The second output is modelled by its logarithm. */
static void outputs(const double *x, double *y)
{
    y[0] = sin(2.0 * x[0]) + x[1] * x[1];
    y[1] = exp(x[0] - 0.5 * x[1] + 0.3 * x[0] * x[1]);
}

/* Gradients of the first and of the logarithm of the second. */
static void slopes(const double *x, double dy[M][D])
{
    dy[0][0] = 2.0 * cos(2.0 * x[0]);
    dy[0][1] = 2.0 * x[1];
    dy[1][0] = 1.0 + 0.3 * x[1];
    dy[1][1] = -0.5 + 0.3 * x[0];
}

/* With lengthscales as long as these the factor is nearly singular, and means are rounded to some
 * 1e-10 only. */
static model *make_model(void)
{
    static double x[N * D], y[N * M];
    random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
    model *mo = model_create(D, M, 1, N, GOFH_KERNEL_SQUARED_EXPONENTIAL, 1);
    assert_non_null(mo);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < D; k++) x[i * D + k] = random_uniform(&stream);
        outputs(x + i * D, y + i * M);
    }
    model_set_data(mo, N, x, y, NULL, NULL);
    model_set_output(mo, 1, y, &(transform){.kind = &transform_logarithm});
    double packed[N * N];
    for (int j = 0; j < M; j++) {
        gp *process = model_process(mo, 0, j);
        process->hyper.inverse_lengthscale[0] = process->hyper.inverse_lengthscale[1] = 0.6;
        process->hyper.variance = 1.0;
        process->hyper.mean = NAN;
        assert_int_equal(gp_condition(process, &mo->inputs, mo->kernel, mo->y + j * N, packed), 0);
    }
    return mo;
}

static void a_plane_has_the_slope_that_the_mean_lacks_however_near_the_points_are(void **state)
{
    (void)state;
    model *mo = make_model();
    const double reach[] = {1e-8, 1e-7, 1e-6, 9e-6, 1e-4, 1e-3}, centre[D] = {0.41, 0.37};
    double truth[M][D], *block = memory_doubles(posterior_size(1, M, D)),
                        *predict_work = memory_doubles(model_predict_work(mo, 1)),
                        *work = memory_doubles(model_plane_work(mo));
    posterior at;
    posterior_place(&at, 1, M, D, block);
    model_predict(mo, 0, centre, 1, PREDICT_MEAN_GRADIENT, &at, predict_work);
    slopes(centre, truth);
    for (int r = 0; r < 6; r++) {
        double points[3 * D] = {centre[0],
                                centre[1],
                                centre[0] + reach[r],
                                centre[1] - 0.3 * reach[r],
                                centre[0] + 0.1 * reach[r],
                                centre[1] + reach[r]};
        double values[3 * M], offset[M], slope[M * D], first[M];
        for (int i = 0; i < 3; i++) outputs(points + i * D, values + i * M);
        assert_int_equal(model_plane(mo, 0, D, points, values, offset, slope, work), 0);
        first[0] = values[0];
        first[1] = log(values[1]);
        /* What the values' rounding makes of slopes; farther off what the means' does, and the
         * curvature that a plane has not. */
        double error = 2e-15 / reach[r] + (reach[r] > 1e-5 ? 3e-9 / reach[r] : 1e-7) + 1e-2 * reach[r];
        for (int j = 0; j < M; j++) {
            check_near(offset[j], first[j] - at.mean[j], 3e-9);
            for (int k = 0; k < D; k++)
                check_near(slope[j * D + k], truth[j][k] - at.mean_gradient[j * D + k], error);
        }
    }
    free(block);
    free(predict_work);
    free(work);
    model_free(mo);
}

static void points_on_a_line_have_no_plane(void **state)
{
    (void)state;
    model *mo = make_model();
    double points[3 * D] = {0.2, 0.2, 0.3, 0.3, 0.4, 0.4}, values[3 * M], offset[M], slope[M * D];
    double *work = memory_doubles(model_plane_work(mo));
    for (int i = 0; i < 3; i++) outputs(points + i * D, values + i * M);
    assert_int_equal(model_plane(mo, 0, D, points, values, offset, slope, work), -1);
    free(work);
    model_free(mo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_has_the_slope_that_the_mean_lacks_however_near_the_points_are),
        cmocka_unit_test(points_on_a_line_have_no_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
