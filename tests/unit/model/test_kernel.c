#include "check.h"
#include "fixture.h"
#include "model/kernel.h"

enum { COUNT = 700 }; /* more than two of the blocks that kernels work in */

static void distances(double *r2)
{
    for (int i = 0; i < COUNT; i++) r2[i] = 1e-3 * pow(1.02, i);
    r2[0] = 0.0;
}

static void values_are_those_of_the_formulas(void **state)
{
    (void)state;
    double r2[COUNT], value[COUNT], weight[COUNT];
    distances(r2);
    FOR_EACH_KERNEL(kernel)
    {
        kernel_apply(kernel, r2, COUNT, value, weight);
        for (int i = 0; i < COUNT; i++) {
            double expected = (double)dense_kernel(kernel, r2[i]);
            check_near(value[i], expected, 2e-15 * expected * (1.0 + r2[i]) + 1e-300);
        }
    }
}

static void the_weight_is_minus_twice_the_slope_in_the_squared_distance(void **state)
{
    (void)state;
    double r2[COUNT], value[COUNT], weight[COUNT];
    distances(r2);
    FOR_EACH_KERNEL(kernel)
    {
        kernel_apply(kernel, r2, COUNT, value, weight);
        for (int i = 1; i < COUNT && r2[i] < 300.0; i++) {
            long double step = 1e-5L * r2[i];
            long double slope = (dense_kernel(kernel, r2[i] + step) - dense_kernel(kernel, r2[i] - step)) /
                                (2 * step);
            check_near(weight[i], -2.0 * (double)slope, 1e-6 * fabs((double)slope) + 1e-12);
        }
    }
}

static void at_distance_zero_the_value_is_one_and_the_weight_its_limit(void **state)
{
    (void)state;
    const double limit[] = {[GOFH_KERNEL_SQUARED_EXPONENTIAL] = 1.0,
                            [GOFH_KERNEL_MATERN_52] = 5.0 / 3.0,
                            [GOFH_KERNEL_MATERN_32] = 3.0};
    FOR_EACH_KERNEL(kernel)
    {
        double zero = 0.0, value, weight;
        kernel_apply(kernel, &zero, 1, &value, &weight);
        assert_true(value == 1.0);
        check_close(weight, limit[kernel], 2e-16);
    }
}

static void at_a_distance_beyond_all_doubles_value_and_weight_are_zero(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        double far[] = {INFINITY, 1e308, 1e7}, value[3], weight[3];
        kernel_apply(kernel, far, 3, value, weight);
        for (int i = 0; i < 3; i++) assert_true(value[i] == 0.0 && weight[i] == 0.0);
    }
}

static void values_may_take_the_place_of_the_distances(void **state)
{
    (void)state;
    double r2[COUNT], value[COUNT], weight[COUNT], weight_in_place[COUNT];
    FOR_EACH_KERNEL(kernel)
    {
        distances(r2);
        kernel_apply(kernel, r2, COUNT, value, weight);
        kernel_apply(kernel, r2, COUNT, r2, weight_in_place);
        assert_memory_equal(r2, value, sizeof value);
        assert_memory_equal(weight_in_place, weight, sizeof weight);
        distances(r2);
        kernel_apply(kernel, r2, COUNT, r2, NULL);
        assert_memory_equal(r2, value, sizeof value);
    }
}

static void distances_are_scaled_sums_of_squared_differences(void **state)
{
    (void)state;
    enum { D = 4, N = 9, STRIDE = 11 };
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    double x[D], points[D * STRIDE], scale[D], r2[N];
    for (int k = 0; k < D; k++) {
        x[k] = random_normal(&stream);
        scale[k] = 0.1 + random_uniform(&stream);
        for (int i = 0; i < STRIDE; i++) points[k * STRIDE + i] = random_normal(&stream);
    }
    kernel_distances(D, N, x, points, STRIDE, scale, r2);
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int k = 0; k < D; k++) sum += pow((x[k] - points[k * STRIDE + i]) * scale[k], 2.0);
        check_close(r2[i], sum, 1e-15);
    }
}

static void correlations_with_a_trend_are_those_of_the_formulas(void **state)
{
    (void)state;
    enum { MOST = 5, N = 523, STRIDE = 530 };
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    static double points[MOST * STRIDE], value[N], weight[N], slope[N], alone[N];
    double x[MOST], scale[MOST];
    for (int k = 0; k < MOST; k++) {
        x[k] = random_uniform(&stream);
        scale[k] = 0.3 + 3.0 * random_uniform(&stream);
        for (int i = 0; i < STRIDE; i++) points[k * STRIDE + i] = random_uniform(&stream);
    }
    FOR_EACH_KERNEL(kernel)
    for (int d = 1; d <= MOST; d++)
        for (int part = 0; part < 3; part++) {
            double trend = 0.35 * part;
            kernel_correlate(kernel, d, N, x, points, STRIDE, scale, trend, value, weight, slope);
            kernel_correlate(kernel, d, N, x, points, STRIDE, scale, trend, alone, NULL, NULL);
            assert_memory_equal(alone, value, sizeof value);
            for (int i = 0; i < N; i++) {
                long double r2 = 0.0L, q = 1.0L;
                for (int k = 0; k < d; k++) {
                    long double inverse = scale[k], other = points[k * STRIDE + i];
                    r2 += powl((x[k] - other) * inverse, 2.0L);
                    q += (x[k] - 0.5L) * (other - 0.5L) * inverse * inverse;
                }
                double distance = (double)r2, c, direct; /* the weight's formula is checked above */
                kernel_apply(kernel, &distance, 1, &c, &direct);
                long double expected = (1.0L - trend) * dense_kernel(kernel, distance) + trend * q * q;
                check_near(value[i], (double)expected, 1e-14 * (1.0 + (double)r2));
                check_near(weight[i], (1.0 - trend) * direct, 1e-14 * (1.0 + (double)r2));
                if (trend > 0.0) check_near(slope[i], 2.0 * trend * (double)q, 1e-14);
            }
        }
}

static void correlations_and_weights_of_all_pairs_are_those_of_the_formulas(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        fixture_open(&f, kernel, 3, 14, 1);
        double r[20 * 14], packed[91], weight[91];
        for (int i = 0; i < 20 * 14; i++) r[i] = -5.0;
        double diagonal = gp_correlations(&f.inputs, kernel, &f.process.hyper, r, 20, packed, weight, NULL);
        check_near(diagonal, 1.0, 1e-15);
        int at = 0;
        for (int j = 0; j < 14; j++)
            for (int i = 0; i < 20; i++) {
                double expected = -5.0; /* above the diagonal and below the matrix nothing is touched */
                if (i >= j && i < 14)
                    expected = (double)dense_correlation(&f.dense, f.x + 3 * i, f.x + 3 * j);
                check_near(r[i + 20 * j], expected, 1e-14);
                if (i <= j || i >= 14) continue;
                /* The weight of a pair by itself, whose formula the tests above check. */
                double distance = 0.0, value, direct;
                for (int k = 0; k < 3; k++)
                    distance += pow((f.x[3 * i + k] - f.x[3 * j + k]) * f.inverse_lengthscale[k], 2.0);
                kernel_apply(kernel, &distance, 1, &value, &direct);
                check_close(weight[at++], direct, 1e-13);
            }
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_formulas),
        cmocka_unit_test(the_weight_is_minus_twice_the_slope_in_the_squared_distance),
        cmocka_unit_test(at_distance_zero_the_value_is_one_and_the_weight_its_limit),
        cmocka_unit_test(at_a_distance_beyond_all_doubles_value_and_weight_are_zero),
        cmocka_unit_test(values_may_take_the_place_of_the_distances),
        cmocka_unit_test(distances_are_scaled_sums_of_squared_differences),
        cmocka_unit_test(correlations_with_a_trend_are_those_of_the_formulas),
        cmocka_unit_test(correlations_and_weights_of_all_pairs_are_those_of_the_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
