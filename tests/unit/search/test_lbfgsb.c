#include "check.h"

#include "base/random.h"
#include "problems.h"
#include "search/lbfgsb.h"

#include <float.h>

static const double PI = 3.141592653589793;

/* Minimises from the rows of x (starts x d); value: the minima. Checks that no point was outside the box. */
static int minimize(problem *p, const lbfgsb_settings *settings, int starts, const double *lower,
                    const double *upper, double *x, double *value)
{
    p->lower = lower;
    p->upper = upper;
    double *work = memory_doubles(lbfgsb_work(settings, starts, p->d));
    int status = lbfgsb_maximize(problem_evaluate, p, settings, starts, p->d, lower, upper, x, value, work);
    free(work);
    for (int k = 0; k < starts; k++) value[k] = -value[k];
    assert_int_equal(p->outside, 0);
    return status;
}

/* As precisely as it can. */
static lbfgsb_settings exact(void)
{
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = 1000;
    settings.value_tolerance = 0;
    return settings;
}

static lbfgsb_settings usual(void)
{
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    return settings;
}

static void fill(int d, double value, double *x)
{
    for (int i = 0; i < d; i++) x[i] = value;
}

static void rosenbrock_is_minimised_to_1e_20(void **state)
{
    (void)state;
    static const int dimensions[] = {2, 5, 10};
    static const int budget[] = {60, 100, 150};
    for (int k = 0; k < 3; k++) {
        int d = dimensions[k];
        double lower[10], upper[10], x[10], value;
        fill(d, -5, lower);
        fill(d, 10, upper);
        for (int i = 0; i < d; i++) x[i] = i % 2 ? 1 : -1.2;
        problem p = {.function = rosenbrock, .d = d};
        lbfgsb_settings settings = exact();
        settings.gradient_tolerance = 1e-9;
        assert_int_equal(minimize(&p, &settings, 1, lower, upper, x, &value), 0);
        print_message("rosenbrock %d: %d evaluations, %g\n", d, p.evaluations, value);
        /* In 5 dimensions and more there is a second minimum near (-1, 1, ..., 1). */
        assert_true(value < 1e-20);
        for (int i = 0; i < d; i++) check_near(x[i], 1, 1e-9);
        assert_true(p.evaluations <= budget[k]);
    }
}

typedef struct {
    const char *name;
    problem_function function;
    int d;
    double start[10], lower[10], upper[10], x[10], f;
} hock_schittkowski;

static double hs3(int d, const double *x, double *gradient)
{
    (void)d;
    gradient[0] = -2e-5 * (x[1] - x[0]);
    gradient[1] = 1 + 2e-5 * (x[1] - x[0]);
    return x[1] + 1e-5 * (x[1] - x[0]) * (x[1] - x[0]);
}

static double hs4(int d, const double *x, double *gradient)
{
    (void)d;
    gradient[0] = (x[0] + 1) * (x[0] + 1);
    gradient[1] = 1;
    return pow(x[0] + 1, 3) / 3 + x[1];
}

static double hs5(int d, const double *x, double *gradient)
{
    (void)d;
    double wave = cos(x[0] + x[1]), apart = x[0] - x[1];
    gradient[0] = wave + 2 * apart - 1.5;
    gradient[1] = wave - 2 * apart + 2.5;
    return sin(x[0] + x[1]) + apart * apart - 1.5 * x[0] + 2.5 * x[1] + 1;
}

static double hs38(int d, const double *x, double *gradient)
{
    (void)d;
    double a = x[1] - x[0] * x[0], b = x[3] - x[2] * x[2], u = x[1] - 1, v = x[3] - 1;
    gradient[0] = -400 * a * x[0] - 2 * (1 - x[0]);
    gradient[1] = 200 * a + 20.2 * u + 19.8 * v;
    gradient[2] = -360 * b * x[2] - 2 * (1 - x[2]);
    gradient[3] = 180 * b + 20.2 * v + 19.8 * u;
    return 100 * a * a + (1 - x[0]) * (1 - x[0]) + 90 * b * b + (1 - x[2]) * (1 - x[2]) +
           10.1 * (u * u + v * v) + 19.8 * u * v;
}

static double hs45(int d, const double *x, double *gradient)
{
    double product = 1;
    for (int i = 0; i < d; i++) product *= x[i];
    for (int i = 0; i < d; i++) {
        gradient[i] = -1.0 / 120;
        for (int j = 0; j < d; j++)
            if (j != i) gradient[i] *= x[j];
    }
    return 2 - product / 120;
}

static double hs110(int d, const double *x, double *gradient)
{
    double product = 1, f = 0;
    for (int i = 0; i < d; i++) product *= x[i];
    double power = pow(product, 0.2);
    for (int i = 0; i < d; i++) {
        double a = log(x[i] - 2), b = log(10 - x[i]);
        f += a * a + b * b;
        gradient[i] = 2 * a / (x[i] - 2) - 2 * b / (10 - x[i]) - 0.2 * power / x[i];
    }
    return f - power;
}

#define TEN(a)                                                                                               \
    {                                                                                                        \
        a, a, a, a, a, a, a, a, a, a                                                                         \
    }

/* Minima as printed by Hock and Schittkowski (Lecture Notes in Economics and Mathematical Systems 187, 1981).
 * Problem 2 begins right of its local minimum. */
static const hock_schittkowski CASES[] = {
    {"1", rosenbrock, 2, {-2, 1}, {-INFINITY, -1.5}, {INFINITY, INFINITY}, {1, 1}, 0},
    {"2", rosenbrock, 2, {2, 3}, {-INFINITY, 1.5}, {INFINITY, INFINITY}, {1.2243707, 1.5}, 0.0504261879},
    {"3", hs3, 2, {10, 1}, {-INFINITY, 0}, {INFINITY, INFINITY}, {0, 0}, 0},
    {"4", hs4, 2, {1.125, 0.125}, {1, 0}, {INFINITY, INFINITY}, {1, 0}, 8.0 / 3},
    {"5", hs5, 2, {0, 0}, {-1.5, -3}, {4, 3}, {-0.5471975512, -1.5471975512}, -1.9132229550},
    {"38", hs38, 4, {-3, -1, -3, -1}, {-10, -10, -10, -10}, {10, 10, 10, 10}, {1, 1, 1, 1}, 0},
    {"45", hs45, 5, {2, 2, 2, 2, 2}, {0}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, 1},
    {"110", hs110, 10, TEN(9), TEN(2.001), TEN(9.999), TEN(9.35026583), -45.77846971},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static void the_bounded_problems_of_hock_and_schittkowski_are_solved(void **state)
{
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        const hock_schittkowski *c = &CASES[k];
        double x[10], value;
        memcpy(x, c->start, sizeof x);
        problem p = {.function = c->function, .d = c->d};
        lbfgsb_settings settings = exact();
        settings.gradient_tolerance = 1e-8;
        assert_int_equal(minimize(&p, &settings, 1, c->lower, c->upper, x, &value), 0);
        print_message("Hock-Schittkowski %s: %d evaluations\n", c->name, p.evaluations);
        check_near(value, c->f, 1e-8);
        /* Problem 3 is so flat that its first coordinate follows from the gradient only. */
        for (int i = 0; i < c->d; i++) check_near(x[i], c->x[i], c->function == hs3 ? 1e-3 : 1e-7);
        assert_true(p.evaluations <= 150);
    }
}

static void the_usual_tolerance_solves_them_too(void **state)
{
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        const hock_schittkowski *c = &CASES[k];
        double x[10], value;
        memcpy(x, c->start, sizeof x);
        problem p = {.function = c->function, .d = c->d};
        lbfgsb_settings settings = usual();
        assert_int_equal(minimize(&p, &settings, 1, c->lower, c->upper, x, &value), 0);
        print_message("Hock-Schittkowski %s: %d evaluations, error %g\n", c->name, p.evaluations,
                      value - c->f);
        /* Problem 38 has a saddle of value 7.877, near which a line search gains next to nothing. */
        if (c->function != hs38) check_near(value, c->f, 1e-6);
    }
}

enum { QUADRATIC_LARGEST = 12 };
static double QUADRATIC_A[QUADRATIC_LARGEST * QUADRATIC_LARGEST], QUADRATIC_C[QUADRATIC_LARGEST];

static double quadratic(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        double sum = 0;
        for (int j = 0; j < d; j++) sum += QUADRATIC_A[i * d + j] * x[j];
        gradient[i] = sum + QUADRATIC_C[i];
        f += x[i] * (0.5 * sum + QUADRATIC_C[i]);
    }
    return f;
}

/* Makes the gradient at a drawn solution fit the Karush-Kuhn-Tucker conditions: the solution is known
 * beforehand. */
static void random_bounded_quadratic(int d, random_stream *stream, double *lower, double *upper,
                                     double *solution)
{
    double root[QUADRATIC_LARGEST * QUADRATIC_LARGEST];
    for (int i = 0; i < d * d; i++) root[i] = random_normal(stream);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            QUADRATIC_A[i * d + j] = i == j ? 0.1 : 0;
            for (int k = 0; k < d; k++) QUADRATIC_A[i * d + j] += root[i * d + k] * root[j * d + k];
        }
    for (int i = 0; i < d; i++) {
        lower[i] = -random_uniform(stream);
        upper[i] = random_uniform(stream);
        int side = (int)random_below(stream, 3);
        solution[i] = side == 0 ? lower[i] : side == 1 ? upper[i] : 0.5 * (lower[i] + upper[i]);
        double multiplier = side == 2 ? 0 : 0.1 + random_uniform(stream);
        QUADRATIC_C[i] = side == 1 ? -multiplier : multiplier;
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) QUADRATIC_C[i] -= QUADRATIC_A[i * d + j] * solution[j];
}

static void bounded_quadratics_are_solved_as_their_kkt_conditions_say(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    double lower[QUADRATIC_LARGEST], upper[QUADRATIC_LARGEST], x[QUADRATIC_LARGEST],
        solution[QUADRATIC_LARGEST], value;
    int evaluations = 0, runs = 0;
    for (int d = 1; d <= QUADRATIC_LARGEST; d++)
        for (int repeat = 0; repeat < 20; repeat++, runs++) {
            random_bounded_quadratic(d, &stream, lower, upper, solution);
            for (int i = 0; i < d; i++) x[i] = lower[i] + (upper[i] - lower[i]) * random_uniform(&stream);
            problem p = {.function = quadratic, .d = d};
            lbfgsb_settings settings = exact();
            settings.gradient_tolerance = 1e-10;
            assert_int_equal(minimize(&p, &settings, 1, lower, upper, x, &value), 0);
            for (int i = 0; i < d; i++) check_near(x[i], solution[i], 1e-7);
            evaluations += p.evaluations;
        }
    print_message("quadratics: %.1f evaluations on average\n", (double)evaluations / runs);
    assert_true(evaluations <= 40 * runs);
}

/* |x - 0.3| in each coordinate and a quadratic valley: kinks at the minimum. */
static double kinked(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        f += (i + 1) * fabs(x[i] - 0.3);
        gradient[i] = x[i] > 0.3 ? i + 1 : -(i + 1);
    }
    return f;
}

static void a_sum_of_absolute_values_is_minimised_through_its_kinks(void **state)
{
    (void)state;
    double lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1}, x[3] = {0.91, 0.05, 0.6}, value;
    problem p = {.function = kinked, .d = 3};
    lbfgsb_settings settings = exact();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    print_message("kinked: %d evaluations, %g\n", p.evaluations, value);
    check_near(value, 0, 1e-4);
}

/* max(x^2 + y^4, (2 - x)^2 + (2 - y)^2, 2 exp(y - x)): CB2 of Charalambous and Bandler (1976),
 * minimum 1.9522245. */
static double charalambous_bandler(int d, const double *x, double *gradient)
{
    (void)d;
    double a = x[0] * x[0] + pow(x[1], 4);
    double b = (2 - x[0]) * (2 - x[0]) + (2 - x[1]) * (2 - x[1]);
    double c = 2 * exp(x[1] - x[0]);
    if (a >= b && a >= c) {
        gradient[0] = 2 * x[0];
        gradient[1] = 4 * pow(x[1], 3);
        return a;
    }
    if (b >= c) {
        gradient[0] = -2 * (2 - x[0]);
        gradient[1] = -2 * (2 - x[1]);
        return b;
    }
    gradient[0] = -c;
    gradient[1] = c;
    return c;
}

static void a_maximum_of_smooth_functions_is_minimised(void **state)
{
    (void)state;
    double lower[2] = {-4, -4}, upper[2] = {4, 4}, x[2] = {1, -0.1}, value;
    problem p = {.function = charalambous_bandler, .d = 2};
    lbfgsb_settings settings = exact();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    print_message("CB2: %d evaluations, %.8f\n", p.evaluations, value);
    check_near(value, 1.9522245, 1e-4);
}

/* x - log x in each coordinate where x > 0, not a number elsewhere: minimum 1 each, at 1. */
static double barrier(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        f += x[i] > 0 ? x[i] - log(x[i]) : i % 2 ? NAN : INFINITY;
        gradient[i] = 1 - 1 / x[i];
    }
    return f;
}

static void regions_of_minus_infinity_and_nan_are_stepped_around(void **state)
{
    (void)state;
    double lower[3] = {-50, -50, -50}, upper[3] = {50, 50, 50}, x[3] = {20, 1e-3, 3}, value;
    problem p = {.function = barrier, .d = 3};
    lbfgsb_settings settings = exact();
    settings.gradient_tolerance = 1e-10;
    minimize(&p, &settings, 1, lower, upper, x, &value);
    print_message("barrier: %d evaluations\n", p.evaluations);
    check_near(value, 3, 1e-14);
    for (int i = 0; i < 3; i++) check_near(x[i], 1, 1e-9);
}

static void a_start_where_the_objective_is_minus_infinity_stays(void **state)
{
    (void)state;
    double lower[1] = {-5}, upper[1] = {5}, x[2] = {-1, 4}, value[2];
    problem p = {.function = barrier, .d = 1};
    lbfgsb_settings settings = usual();
    minimize(&p, &settings, 2, lower, upper, x, value);
    assert_true(x[0] == -1);
    assert_true(value[0] == INFINITY);
    check_near(x[1], 1, 1e-4);
}

static void a_linear_function_ends_exactly_in_its_corner(void **state)
{
    (void)state;
    double lower[6], upper[6], x[6], value;
    for (int i = 0; i < 6; i++) {
        lower[i] = -0.1 * (i + 1);
        upper[i] = 0.7 + i / 3.0;
        x[i] = 0.1 * i;
    }
    problem p = {.function = linear, .d = 6};
    lbfgsb_settings settings = usual();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    for (int i = 0; i < 6; i++) assert_true(x[i] == (i % 2 ? upper[i] : lower[i]));
    print_message("linear: %d evaluations\n", p.evaluations);
    assert_true(p.evaluations <= 15);
}

static void a_start_on_its_bounds_leaves_them_where_that_is_better(void **state)
{
    (void)state;
    double lower[4] = {-1, -1, -1, 0.5}, upper[4] = {2, 3, 1, 2}, x[4] = {-1, 3, -1, 2}, value;
    problem p = {.function = sphere, .d = 4};
    lbfgsb_settings settings = exact();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    for (int i = 0; i < 3; i++) check_near(x[i], 0, 1e-12);
    assert_true(x[3] == 0.5);
}

static void a_start_outside_the_box_is_brought_to_it(void **state)
{
    (void)state;
    double lower[2] = {1, -1}, upper[2] = {2, 1}, x[2] = {-30, NAN}, value;
    problem p = {.function = sphere, .d = 2};
    lbfgsb_settings settings = exact();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    assert_true(x[0] == 1);
    check_near(x[1], 0, 1e-12);
}

static void a_start_that_is_optimal_costs_one_evaluation(void **state)
{
    (void)state;
    double lower[2] = {-1, 0.25}, upper[2] = {1, 1}, x[2] = {0, 0.25}, value;
    problem p = {.function = sphere, .d = 2};
    lbfgsb_settings settings = exact();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    assert_int_equal(p.evaluations, 1);
    assert_true(x[0] == 0 && x[1] == 0.25 && value == 0.0625);
}

static double cosine(int d, const double *x, double *gradient)
{
    (void)d;
    gradient[0] = -sin(x[0]);
    return cos(x[0]) + 7;
}

static void in_one_dimension_the_minimum_is_found_to_full_precision(void **state)
{
    (void)state;
    double lower[1] = {0}, upper[1] = {6}, x[1] = {0.5}, value;
    problem p = {.function = cosine, .d = 1};
    lbfgsb_settings settings = exact();
    minimize(&p, &settings, 1, lower, upper, x, &value);
    print_message("cosine: %d evaluations\n", p.evaluations);
    check_near(x[0], PI, 1e-12); /* the square root of the machine precision is 1e-8 */
    assert_true(value == 6);
}

static void a_box_with_equal_bounds_is_a_point(void **state)
{
    (void)state;
    double lower[3] = {0.5, -2, 3}, upper[3] = {0.5, 2, 3}, x[3] = {9, 1, 9}, value;
    problem p = {.function = rosenbrock, .d = 3};
    lbfgsb_settings settings = exact();
    settings.gradient_tolerance = 1e-10;
    minimize(&p, &settings, 1, lower, upper, x, &value);
    assert_true(x[0] == 0.5 && x[2] == 3);
    double gradient[3];
    rosenbrock(3, x, gradient);
    check_near(gradient[1], 0, 1e-10);
}

static void many_starts_move_as_each_would_alone_bit_for_bit(void **state)
{
    (void)state;
    enum { STARTS = 17, D = 4 };
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    double lower[D], upper[D], x[STARTS * D], alone[STARTS * D], value[STARTS], value_alone[STARTS];
    fill(D, -3, lower);
    fill(D, 3, upper);
    for (int i = 0; i < STARTS * D; i++) alone[i] = x[i] = -3 + 6 * random_uniform(&stream);
    lbfgsb_settings settings = usual();
    problem together = {.function = rastrigin, .d = D}, single = together;
    minimize(&together, &settings, STARTS, lower, upper, x, value);
    for (int k = 0; k < STARTS; k++)
        minimize(&single, &settings, 1, lower, upper, alone + k * D, value_alone + k);
    assert_memory_equal(x, alone, sizeof x);
    assert_memory_equal(value, value_alone, sizeof value);
    assert_int_equal(together.evaluations, single.evaluations); /* finished starts are not evaluated again */
    assert_true(together.batches < together.evaluations / 4);
}

static void the_path_does_not_depend_on_the_scale_of_the_objective(void **state)
{
    (void)state;
    static const double scales[] = {0x1p-40, 0x1p-700, 0x1p300};
    double lower[3] = {-2, -2, -2}, upper[3] = {2, 2, 2}, value;
    for (int k = 0; k < 3; k++) {
        double x[3] = {-1.2, 1, 0.5}, scaled_x[3] = {-1.2, 1, 0.5}, scaled_value;
        problem p = {.function = rosenbrock, .d = 3},
                scaled = {.function = rosenbrock, .d = 3, .scale = scales[k]};
        lbfgsb_settings settings = usual();
        minimize(&p, &settings, 1, lower, upper, x, &value);
        minimize(&scaled, &settings, 1, lower, upper, scaled_x, &scaled_value);
        assert_int_equal(p.evaluations, scaled.evaluations);
        assert_memory_equal(x, scaled_x, sizeof x);
        check_close(scaled_value, value * scales[k], 1e-12);
    }
}

static void the_value_returned_is_the_objective_at_the_point_returned(void **state)
{
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        const hock_schittkowski *c = &CASES[k];
        double x[10], value, gradient[10];
        memcpy(x, c->start, sizeof x);
        problem p = {.function = c->function, .d = c->d};
        lbfgsb_settings settings = usual();
        settings.iterations = 4;
        minimize(&p, &settings, 1, c->lower, c->upper, x, &value);
        assert_true(value == c->function(c->d, x, gradient));
    }
}

static void an_aborting_objective_ends_the_search_with_its_code_and_the_best_so_far(void **state)
{
    (void)state;
    double lower[2] = {-5, -5}, upper[2] = {5, 5}, x[4] = {3, 9, -1, 2}, value[2];
    problem first = {.function = sphere, .d = 2, .abort_at = 1};
    lbfgsb_settings settings = usual();
    assert_int_equal(minimize(&first, &settings, 2, lower, upper, x, value), 77);
    assert_int_equal(first.batches, 1);
    assert_true(value[0] == INFINITY && value[1] == INFINITY);
    assert_true(x[0] == 3 && x[1] == 5 && x[2] == -1 && x[3] == 2);
    problem third = {.function = sphere, .d = 2, .abort_at = 3};
    assert_int_equal(minimize(&third, &settings, 2, lower, upper, x, value), 77);
    assert_int_equal(third.batches, 3);
    assert_true(value[0] < 34 && value[1] < 5);
    check_close(value[0], x[0] * x[0] + x[1] * x[1], 1e-15);
}

static void without_starts_nothing_is_evaluated(void **state)
{
    (void)state;
    double lower[2] = {-5, -5}, upper[2] = {5, 5}, x[2] = {0}, value[1];
    problem p = {.function = sphere, .d = 2};
    lbfgsb_settings settings = usual();
    assert_int_equal(minimize(&p, &settings, 0, lower, upper, x, value), 0);
    assert_int_equal(p.batches, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rosenbrock_is_minimised_to_1e_20),
        cmocka_unit_test(the_bounded_problems_of_hock_and_schittkowski_are_solved),
        cmocka_unit_test(the_usual_tolerance_solves_them_too),
        cmocka_unit_test(bounded_quadratics_are_solved_as_their_kkt_conditions_say),
        cmocka_unit_test(a_sum_of_absolute_values_is_minimised_through_its_kinks),
        cmocka_unit_test(a_maximum_of_smooth_functions_is_minimised),
        cmocka_unit_test(regions_of_minus_infinity_and_nan_are_stepped_around),
        cmocka_unit_test(a_start_where_the_objective_is_minus_infinity_stays),
        cmocka_unit_test(a_linear_function_ends_exactly_in_its_corner),
        cmocka_unit_test(a_start_on_its_bounds_leaves_them_where_that_is_better),
        cmocka_unit_test(a_start_outside_the_box_is_brought_to_it),
        cmocka_unit_test(a_start_that_is_optimal_costs_one_evaluation),
        cmocka_unit_test(in_one_dimension_the_minimum_is_found_to_full_precision),
        cmocka_unit_test(a_box_with_equal_bounds_is_a_point),
        cmocka_unit_test(many_starts_move_as_each_would_alone_bit_for_bit),
        cmocka_unit_test(the_path_does_not_depend_on_the_scale_of_the_objective),
        cmocka_unit_test(the_value_returned_is_the_objective_at_the_point_returned),
        cmocka_unit_test(an_aborting_objective_ends_the_search_with_its_code_and_the_best_so_far),
        cmocka_unit_test(without_starts_nothing_is_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
