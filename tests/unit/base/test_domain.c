#include "base/domain.h"
#include "base/random.h"
#include "check.h"

static const double LOWER[] = {-3.0, 0.02, 1e-9, 1e-300, 30.01};
static const double UPPER[] = {5.5, 0.12, 1e9, 1e300, 30.295};
static const gofh_scale SCALE[] = {GOFH_SCALE_LINEAR, GOFH_SCALE_LOG, GOFH_SCALE_LOG, GOFH_SCALE_LOG,
                                   GOFH_SCALE_LINEAR};
enum { D = 5 };
static const domain BOX = {.d = D, .lower = LOWER, .upper = UPPER, .scale = SCALE};

static void fill(double *to, double value)
{
    for (int k = 0; k < D; k++) to[k] = value;
}

static void the_corners_of_the_cube_are_the_bounds_to_the_last_bit(void **state)
{
    (void)state;
    double u[D], x[D];
    fill(u, 0.0);
    domain_to_user(&BOX, u, x);
    for (int k = 0; k < D; k++) assert_true(x[k] == LOWER[k]);
    fill(u, 1.0);
    domain_to_user(&BOX, u, x);
    for (int k = 0; k < D; k++) assert_true(x[k] == UPPER[k]);
}

static void the_bounds_are_the_corners_of_the_cube(void **state)
{
    (void)state;
    double u[D];
    domain_to_unit(&BOX, LOWER, u);
    for (int k = 0; k < D; k++) assert_true(u[k] == 0.0);
    domain_to_unit(&BOX, UPPER, u);
    for (int k = 0; k < D; k++) check_near(u[k], 1.0, 0.0);
}

static void the_middle_is_the_arithmetic_or_geometric_mean_of_the_bounds(void **state)
{
    (void)state;
    double u[D], x[D];
    fill(u, 0.5);
    domain_to_user(&BOX, u, x);
    const double middle[D] = {1.25, sqrt(0.02 * 0.12), 1.0, 1.0, 30.1525};
    for (int k = 0; k < D; k++) check_close(x[k], middle[k], 1e-13);
    domain_to_unit(&BOX, middle, u);
    for (int k = 0; k < D; k++) check_near(u[k], 0.5, 1e-14);
}

static void going_to_the_box_and_back_keeps_the_point(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    for (int i = 0; i < 1000; i++) {
        double u[D], x[D], back[D];
        for (int k = 0; k < D; k++) u[k] = random_uniform(&stream);
        domain_to_user(&BOX, u, x);
        domain_to_unit(&BOX, x, back);
        for (int k = 0; k < D; k++) {
            assert_true(x[k] >= LOWER[k] && x[k] <= UPPER[k]);
            check_near(back[k], u[k], k == 4 ? 1e-13 : 1e-14); /* the last one's bounds share two digits */
        }
    }
}

static void points_outside_are_brought_to_the_nearest_bound(void **state)
{
    (void)state;
    double u[D], x[D];
    fill(u, -0.5);
    domain_to_user(&BOX, u, x);
    for (int k = 0; k < D; k++) assert_true(x[k] == LOWER[k]);
    fill(u, 1.0 + 1e-9);
    domain_to_user(&BOX, u, x);
    for (int k = 0; k < D; k++) assert_true(x[k] == UPPER[k]);
    fill(x, 1e-305);
    x[0] = -4.0;
    domain_to_unit(&BOX, x, u);
    for (int k = 0; k < D; k++) assert_true(u[k] == 0.0);
    fill(x, 1e305);
    domain_to_unit(&BOX, x, u);
    for (int k = 0; k < D; k++) assert_true(u[k] == 1.0);
}

static void the_slope_is_the_difference_quotient_of_the_way_to_the_box(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 1, 0);
    const double step = 1e-6;
    for (int i = 0; i < 50; i++) {
        double u[D], x[D], before[D], after[D], slope[D];
        for (int k = 0; k < D; k++) u[k] = 0.1 + 0.8 * random_uniform(&stream);
        domain_to_user(&BOX, u, x);
        domain_slope(&BOX, x, slope);
        for (int k = 0; k < D; k++) u[k] -= step;
        domain_to_user(&BOX, u, before);
        for (int k = 0; k < D; k++) u[k] += 2.0 * step;
        domain_to_user(&BOX, u, after);
        for (int k = 0; k < D; k++) check_close(slope[k], (after[k] - before[k]) / (2.0 * step), 1e-6);
    }
}

static int at_most(const double *values, int count, double limit)
{
    int found = 0;
    for (int i = 0; i < count; i++) found += values[i] <= limit;
    return found;
}

/* The values that `count` places, evenly spread over the cube, become. */
static void scatter_evenly(const domain *box, int count, double *x)
{
    for (int i = 0; i < count; i++) {
        double u = (i + 0.5) / count;
        domain_scatter(box, &u);
        domain_to_user(box, &u, x + i);
    }
}

static void whole_numbers_on_a_log_scale_fill_the_logarithm_evenly(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static double x[COUNT];
    const double lower = 1.0, upper = 1e6;
    const gofh_scale scale = GOFH_SCALE_LOG;
    const domain_parameter kind = {.kind = DOMAIN_ORDERED, .width = 1, .count = 1000000, .step = 1.0};
    const domain box = {
        .d = 1, .lower = &lower, .upper = &upper, .scale = &scale, .parameters = 1, .kinds = &kind};
    scatter_evenly(&box, COUNT, x);
    /* From sqrt(1/2), half a step below 1, to 1e6: the share up to the middle between n and n + 1. */
    for (double n = 1.0; n < 1e6; n *= 10.0) {
        double share = 0.5 * log(2.0 * n * (n + 1.0)) / (log(1e6) + 0.5 * log(2.0));
        check_near(at_most(x, COUNT, n), share * COUNT, 1.5); /* the ends of the places */
    }
}

static void two_values_on_a_log_scale_are_drawn_alike(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    double x[COUNT];
    const double lower = 1.0, upper = 1001.0;
    const gofh_scale scale = GOFH_SCALE_LOG;
    const domain_parameter kind = {.kind = DOMAIN_ORDERED, .width = 1, .count = 2, .step = 1000.0};
    const domain box = {
        .d = 1, .lower = &lower, .upper = &upper, .scale = &scale, .parameters = 1, .kinds = &kind};
    scatter_evenly(&box, COUNT, x);
    assert_int_equal(at_most(x, COUNT, 1.0), COUNT / 2);
}

static void whole_numbers_on_a_linear_scale_are_drawn_alike(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    double x[COUNT];
    const double lower = 1.0, upper = 10.0;
    const gofh_scale scale = GOFH_SCALE_LINEAR;
    const domain_parameter kind = {.kind = DOMAIN_ORDERED, .width = 1, .count = 10, .step = 1.0};
    const domain box = {
        .d = 1, .lower = &lower, .upper = &upper, .scale = &scale, .parameters = 1, .kinds = &kind};
    scatter_evenly(&box, COUNT, x);
    for (int n = 1; n <= 10; n++) assert_int_equal(at_most(x, COUNT, n), n * COUNT / 10);
}

static double value_of_grid(double lower, double upper, double step, int count, int i)
{
    const gofh_scale scale = GOFH_SCALE_LINEAR;
    const domain_parameter kind = {.kind = DOMAIN_ORDERED, .width = 1, .count = count, .step = step};
    const domain box = {
        .d = 1, .lower = &lower, .upper = &upper, .scale = &scale, .parameters = 1, .kinds = &kind};
    return domain_value(&box, 0, i);
}

static void values_of_a_decimal_grid_are_the_decimal_numbers(void **state)
{
    (void)state;
    assert_true(value_of_grid(0.0, 2.0, 0.1, 21, 3) == 0.3);
    assert_true(value_of_grid(-0.7, 0.7, 0.1, 15, 7) == 0.0);
    assert_true(value_of_grid(1e-6, 9e-6, 1e-6, 9, 6) == 7e-6);
    assert_true(value_of_grid(2.718281828, 3.718281828, 0.001, 1001, 1) == 2.719281828);
}

static void values_of_other_grids_are_multiples_of_the_step(void **state)
{
    (void)state;
    const double third = 1.0 / 3.0, e = 2.718281828459045;
    assert_true(value_of_grid(-2.0, 11.0 / 3.0, third, 18, 6) == 0.0);
    assert_true(value_of_grid(-2.0, 11.0 / 3.0, third, 18, 12) == 2.0);
    assert_true(value_of_grid(e, e + 5.0, 0.5, 11, 0) == e);
    assert_true(value_of_grid(e, e + 5.0, 0.5, 11, 2) == e + 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corners_of_the_cube_are_the_bounds_to_the_last_bit),
        cmocka_unit_test(the_bounds_are_the_corners_of_the_cube),
        cmocka_unit_test(the_middle_is_the_arithmetic_or_geometric_mean_of_the_bounds),
        cmocka_unit_test(going_to_the_box_and_back_keeps_the_point),
        cmocka_unit_test(points_outside_are_brought_to_the_nearest_bound),
        cmocka_unit_test(the_slope_is_the_difference_quotient_of_the_way_to_the_box),
        cmocka_unit_test(whole_numbers_on_a_log_scale_fill_the_logarithm_evenly),
        cmocka_unit_test(two_values_on_a_log_scale_are_drawn_alike),
        cmocka_unit_test(whole_numbers_on_a_linear_scale_are_drawn_alike),
        cmocka_unit_test(values_of_a_decimal_grid_are_the_decimal_numbers),
        cmocka_unit_test(values_of_other_grids_are_multiples_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
