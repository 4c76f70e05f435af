#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "bench/problems.h"
#include "bench/problems/draw.h"
#include "bench/problems/random.h"
#include "unit/bench/points.h"

static const double variances[] = {2, 1, 3}, lengthscales[] = {0.3, 0.2, 0.5};

static double covariance(int output, double distance)
{
    double gap = distance / lengthscales[output];
    return variances[output] * exp(-0.5 * gap * gap);
}

static void draws_have_the_mean_variance_and_correlation_of_the_kernel(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    /* Points of the grid: the posterior mean equals the draw there. */
    const double places[3][3] = {{0, 0, 0}, {2.0 / 7, 0, 0}, {2.0 / 7, 1.0 / 7, 3.0 / 7}};
    double sum[3][3] = {{0}}, product[3][3][3] = {{{0}}}, across = 0;
    for (uint64_t number = 0; number < DRAWS; number++) {
        bench_draw *draw = bench_draw_create(3, 3, 8, variances, lengthscales, "test", number);
        double value[3][3];
        for (int output = 0; output < 3; output++) {
            for (int i = 0; i < 3; i++) {
                value[output][i] = bench_draw_value(draw, output, places[i], NULL, NULL);
                sum[output][i] += value[output][i];
                for (int j = 0; j <= i; j++) product[output][i][j] += value[output][i] * value[output][j];
            }
        }
        across += value[0][0] * value[1][0];
        bench_draw_free(draw);
    }
    for (int output = 0; output < 3; output++) {
        double variance = variances[output];
        for (int i = 0; i < 3; i++) {
            check_near(sum[output][i] / DRAWS, 0, 5 * sqrt(variance / DRAWS));
            for (int j = 0; j <= i; j++) {
                double squared = 0;
                for (int k = 0; k < 3; k++) {
                    squared += (places[i][k] - places[j][k]) * (places[i][k] - places[j][k]);
                }
                double expected = covariance(output, sqrt(squared));
                double error = sqrt((variance * variance + expected * expected) / DRAWS);
                check_near(product[output][i][j] / DRAWS, expected, 5 * error);
            }
        }
    }
    check_near(across / DRAWS, 0, 5 * sqrt(variances[0] * variances[1] / DRAWS));
}

static void between_grid_points_the_variance_is_nearly_that_of_the_kernel(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    const double middle[3] = {0.5 / 7, 3.5 / 7, 4.5 / 7};
    double sum = 0;
    for (uint64_t number = 0; number < DRAWS; number++) {
        bench_draw *draw = bench_draw_create(3, 1, 8, variances, lengthscales, "test", number);
        double value = bench_draw_value(draw, 0, middle, NULL, NULL);
        sum += value * value;
        bench_draw_free(draw);
    }
    check_near(sum / DRAWS, 2, 5 * 2 * sqrt(2.0 / DRAWS));
}

/* The interpolant of values at the grid points of an axis: k(x)' K^-1 values, by elimination. */
static double interpolate(int output, int axis, const double *values, double x)
{
    long double matrix[8][9], result = 0;
    for (int i = 0; i < axis; i++) {
        for (int j = 0; j < axis; j++) {
            long double gap = (long double)(i - j) / (axis - 1) / lengthscales[output];
            matrix[i][j] = expl(-0.5L * gap * gap);
        }
        matrix[i][axis] = values[i];
    }
    for (int i = 0; i < axis; i++) {
        for (int row = 0; row < axis; row++) {
            long double ratio = row == i ? 0 : matrix[row][i] / matrix[i][i];
            for (int j = i; j <= axis; j++) matrix[row][j] -= ratio * matrix[i][j];
        }
    }
    for (int i = 0; i < axis; i++) {
        long double gap = (x - (long double)i / (axis - 1)) / lengthscales[output];
        result += expl(-0.5L * gap * gap) * matrix[i][axis] / matrix[i][i];
    }
    return (double)result;
}

static void along_an_axis_h_is_the_posterior_mean_of_its_grid_values(void **state)
{
    (void)state;
    const int dimensions[2] = {4, 3}, axes[2] = {6, 8};
    for (int type = 0; type < 2; type++) {
        int d = dimensions[type], axis = axes[type];
        bench_draw *draw = bench_draw_create(d, 3, axis, variances, lengthscales, "test", 5);
        for (int trial = 0; trial < 200; trial++) {
            int output = trial % 3, along = trial % d;
            double x[4], values[8];
            for (int k = 0; k < d; k++) x[k] = bench_random_uniform(9, (uint64_t)(4 * trial + k));
            double expected = bench_draw_value(draw, output, x, NULL, NULL), at = x[along];
            for (int i = 0; i < axis; i++) {
                x[along] = (double)i / (axis - 1);
                values[i] = bench_draw_value(draw, output, x, NULL, NULL);
            }
            check_near(interpolate(output, axis, values, at), expected, 1e-12);
        }
        bench_draw_free(draw);
    }
}

static void derivatives_match_central_differences(void **state)
{
    (void)state;
    const double step = 1e-4;
    bench_draw *draw = bench_draw_create(4, 3, 6, variances, lengthscales, "test", 3);
    for (int trial = 0; trial < 50; trial++) {
        int output = trial % 3;
        double x[4], gradient[4], hessian[16], up[4], down[4], unused[16];
        for (int k = 0; k < 4; k++) x[k] = bench_random_uniform(7, (uint64_t)(4 * trial + k));
        bench_draw_value(draw, output, x, gradient, hessian);
        for (int k = 0; k < 4; k++) {
            double at = x[k];
            x[k] = at + step;
            double above = bench_draw_value(draw, output, x, up, unused);
            x[k] = at - step;
            double below = bench_draw_value(draw, output, x, down, unused);
            x[k] = at;
            check_near(gradient[k], (above - below) / (2 * step), 1e-5);
            for (int l = 0; l < 4; l++) check_near(hessian[4 * k + l], (up[l] - down[l]) / (2 * step), 1e-4);
        }
    }
    bench_draw_free(draw);
}

static void the_grid_has_the_values_of_single_points(void **state)
{
    (void)state;
    enum { POINTS = 9, TOTAL = POINTS * POINTS * POINTS };
    double values[TOTAL], work[TOTAL];
    bench_draw *draw = bench_draw_create(3, 3, 8, variances, lengthscales, "test", 11);
    bench_draw_grid(draw, 2, POINTS, values, work);
    for (int i = 0; i < TOTAL; i++) {
        double x[3] = {i / (POINTS * POINTS) / 8.0, i / POINTS % POINTS / 8.0, i % POINTS / 8.0};
        check_near(values[i], bench_draw_value(draw, 2, x, NULL, NULL), 1e-13);
    }
    bench_draw_free(draw);
}

static void type_1_observes_h_at_the_maximiser_of_its_first_output(void **state)
{
    (void)state;
    const char *names[2] = {"gp1", "gp1-mixed"};
    for (int i = 0; i < 8; i++) {
        bench_instance *instance = bench_problem_open(bench_problem_find(names[i % 2]), i / 2);
        double x[4], gradient[4], hessian[16];
        double top = bench_draw_value(instance->draw, 0, instance->optimiser, gradient, hessian);
        assert_true(top == instance->observed[0]);
        for (int k = 0; k < 4; k++) {
            double at = instance->optimiser[k];
            if (at > 0 && at < 1) check_near(gradient[k], 0, 1e-12);
        }
        for (uint64_t trial = 0; trial < RANDOM_POINTS; trial++) {
            for (uint64_t k = 0; k < 4; k++) x[k] = bench_random_uniform(13, 4 * trial + k);
            assert_true(bench_draw_value(instance->draw, 0, x, NULL, NULL) < top);
        }
        bench_problem_close(instance);
    }
}

static void mixed_draws_have_hyperparameters_of_their_own(void **state)
{
    (void)state;
    for (int number = 0; number < 20; number++) {
        bench_instance *instance = bench_problem_open(bench_problem_find("gp2-mixed"), number);
        const bench_draw *draw = instance->draw;
        for (int j = 0; j < draw->m; j++) {
            assert_true(draw->output[j].lengthscale >= 0.2 && draw->output[j].lengthscale <= 0.5);
            assert_true(draw->output[j].variance >= 1 && draw->output[j].variance <= 4);
            for (int i = 0; i < j; i++)
                assert_true(draw->output[i].lengthscale != draw->output[j].lengthscale);
        }
        bench_problem_close(instance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_the_mean_variance_and_correlation_of_the_kernel),
        cmocka_unit_test(between_grid_points_the_variance_is_nearly_that_of_the_kernel),
        cmocka_unit_test(along_an_axis_h_is_the_posterior_mean_of_its_grid_values),
        cmocka_unit_test(derivatives_match_central_differences),
        cmocka_unit_test(the_grid_has_the_values_of_single_points),
        cmocka_unit_test(type_1_observes_h_at_the_maximiser_of_its_first_output),
        cmocka_unit_test(mixed_draws_have_hyperparameters_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
