/* Constrained maximisation against problems of Hock and Schittkowski (1981), whose solutions are
 * published, and small ones that can be solved by hand. */
#include "search/constrained.h"

#include "base/memory.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

typedef struct {
    int k, d, calls, fails_at;
    void (*values)(const double *x, double *f, double *c); /* f is minimised, c >= 0 */
} test_problem;

/* Values, and gradients by fourth-order differences: exact to about 1e-12 for these polynomials. */
static int evaluate(const double *x, double *value, double *gradient, double *margin, double *slope,
                    void *context)
{
    test_problem *p = context;
    double f, c[MOST], moved[MOST], side[4], sides[4][MOST];
    if (++p->calls == p->fails_at) return 7;
    p->values(x, &f, c);
    *value = -f;
    memcpy(margin, c, (size_t)p->k * sizeof *c);
    memcpy(moved, x, (size_t)p->d * sizeof *x);
    for (int k = 0; k < p->d; k++) {
        const double h = 1e-3, at[4] = {-2.0 * h, -h, h, 2.0 * h};
        for (int i = 0; i < 4; i++) {
            moved[k] = x[k] + at[i];
            p->values(moved, &side[i], sides[i]);
        }
        moved[k] = x[k];
        gradient[k] = -(8.0 * (side[2] - side[1]) - (side[3] - side[0])) / (12.0 * h);
        for (int i = 0; i < p->k; i++)
            slope[i * p->d + k] = (8.0 * (sides[2][i] - sides[1][i]) - (sides[3][i] - sides[0][i])) /
                                  (12.0 * h);
    }
    return 0;
}

static int solve(test_problem *p, const double *lower, const double *upper, const double *wanted, double *x,
                 double *multiplier)
{
    double *work = memory_doubles(constrained_work(p->k, p->d));
    assert_non_null(work);
    int status = constrained_maximize(evaluate, p, p->k, p->d, lower, upper, wanted, x, multiplier, work);
    free(work);
    return status;
}

static const double ZERO[MOST];

static void check_solution(test_problem *p, double low, double high, const double *start,
                           const double *expected, double optimum, double tolerance)
{
    double lower[MOST], upper[MOST], x[MOST], multiplier[MOST], f, c[MOST];
    for (int k = 0; k < p->d; k++) {
        lower[k] = low;
        upper[k] = high;
    }
    memcpy(x, start, (size_t)p->d * sizeof *x);
    assert_int_equal(solve(p, lower, upper, ZERO, x, multiplier), 0);
    p->values(x, &f, c);
    check_near(f, optimum, tolerance * fmax(fabs(optimum), 1.0));
    for (int k = 0; expected && k < p->d; k++) check_near(x[k], expected[k], 1e-5);
    for (int i = 0; i < p->k; i++) assert_true(c[i] >= -1e-11);
}

static void squares(const double *x, double *f, double *c)
{
    *f = x[0] * x[0] + x[1] * x[1];
    c[0] = x[0] + x[1] - 1.0;
    c[1] = 2.0 - x[0]; /* does not matter */
}

static void the_nearest_point_of_a_half_plane_and_its_multiplier_are_found(void **state)
{
    (void)state;
    test_problem p = {.k = 2, .d = 2, .values = squares};
    double lower[] = {-3.0, -3.0}, upper[] = {3.0, 3.0}, x[] = {2.0, -2.5}, multiplier[2];
    assert_int_equal(solve(&p, lower, upper, ZERO, x, multiplier), 0);
    check_near(x[0], 0.5, 1e-9);
    check_near(x[1], 0.5, 1e-9);
    check_near(multiplier[0], 1.0, 1e-2); /* f = w^2 / 2 where x + y >= w is wanted: its slope at 1 */
    check_near(multiplier[1], 0.0, 0.0);
}

static void what_is_wanted_of_a_margin_is_kept_on_the_safe_side(void **state)
{
    (void)state;
    test_problem p = {.k = 2, .d = 2, .values = squares};
    double lower[] = {-3.0, -3.0}, upper[] = {3.0, 3.0}, wanted[] = {0.2, 0.0}, x[] = {2.0, -2.5},
           multiplier[2];
    assert_int_equal(solve(&p, lower, upper, wanted, x, multiplier), 0);
    check_near(x[0], 0.6, 1e-9);
    check_near(x[1], 0.6, 1e-9);
}

static void hs43(const double *x, double *f, double *c)
{
    double a = x[0], b = x[1], e = x[2], g = x[3];
    *f = a * a + b * b + 2 * e * e + g * g - 5 * a - 5 * b - 21 * e + 7 * g;
    c[0] = 8 - a * a - b * b - e * e - g * g - a + b - e + g;
    c[1] = 10 - a * a - 2 * b * b - e * e - 2 * g * g + a + g;
    c[2] = 5 - 2 * a * a - b * b - e * e - 2 * a + b + g;
}

static void problem_43_of_hock_and_schittkowski_is_solved(void **state)
{
    (void)state;
    static const double start[] = {0, 0, 0, 0}, expected[] = {0, 1, 2, -1};
    test_problem p = {.k = 3, .d = 4, .values = hs43};
    check_solution(&p, -10, 10, start, expected, -44, 1e-11);
}

static void hs100(const double *x, double *f, double *c)
{
    *f = pow(x[0] - 10, 2) + 5 * pow(x[1] - 12, 2) + pow(x[2], 4) + 3 * pow(x[3] - 11, 2) +
         10 * pow(x[4], 6) + 7 * x[5] * x[5] + pow(x[6], 4) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
    c[0] = 127 - 2 * x[0] * x[0] - 3 * pow(x[1], 4) - x[2] - 4 * x[3] * x[3] - 5 * x[4];
    c[1] = 282 - 7 * x[0] - 3 * x[1] - 10 * x[2] * x[2] - x[3] + x[4];
    c[2] = 196 - 23 * x[0] - x[1] * x[1] - 6 * x[5] * x[5] + 8 * x[6];
    c[3] = -4 * x[0] * x[0] - x[1] * x[1] + 3 * x[0] * x[1] - 2 * x[2] * x[2] - 5 * x[5] + 11 * x[6];
}

static void problem_100_of_hock_and_schittkowski_is_solved(void **state)
{
    (void)state;
    static const double start[] = {1, 2, 0, 4, 0, 1, 1};
    test_problem p = {.k = 4, .d = 7, .values = hs100};
    check_solution(&p, -10, 10, start, NULL, 680.6300573744, 1e-11);
}

/* The spring of bench/problems, near its optimum and in units of a narrow box, as the library uses it. */
static void spring(const double *x, double *f, double *c)
{
    double wire = 0.0516890610827637978 + 0.015 * x[0], coil = 0.356717739799444628 + 0.1 * x[1],
           turns = 11.2889657516133919 + 1.3 * x[2], wire3 = wire * wire * wire;
    *f = (turns + 2) * coil * wire * wire;
    c[0] = coil * coil * coil * turns / (71785 * wire3 * wire) - 1;
    c[1] = 1 - coil * (4 * coil - wire) / (12566 * wire3 * (coil - wire)) - 1 / (5108 * wire * wire);
}

static void a_narrow_valley_between_two_edges_is_followed_to_its_end(void **state)
{
    (void)state;
    static const double starts[][3] = {{0.1, 0.2, -0.5}, {-0.1, 0.1, 0.9}, {0.05, 0.05, 0.05}, {0, 0, 0.1}};
    for (int i = 0; i < 4; i++) {
        test_problem p = {.k = 2, .d = 3, .values = spring};
        check_solution(&p, -1, 1, starts[i], NULL, 0.0126652327883194166, 1e-10);
    }
}

static void corner(const double *x, double *f, double *c)
{
    *f = x[0] + x[1];
    c[0] = x[0] - 0.25;
    c[1] = 2.0 * (x[0] - 0.25); /* the same edge again */
}

static void the_same_edge_twice_and_a_bound_are_no_obstacle(void **state)
{
    (void)state;
    static const double start[] = {0.9, 0.9}, expected[] = {0.25, 0.0};
    test_problem p = {.k = 2, .d = 2, .values = corner};
    check_solution(&p, 0, 1, start, expected, 0.25, 1e-11);
}

static void a_failure_of_the_function_is_handed_on(void **state)
{
    (void)state;
    for (int at = 1; at < 40; at++) {
        test_problem p = {.k = 2, .d = 2, .values = squares, .fails_at = at};
        double lower[] = {-3.0, -3.0}, upper[] = {3.0, 3.0}, x[] = {2.0, -2.5}, multiplier[2];
        int status = solve(&p, lower, upper, ZERO, x, multiplier);
        assert_int_equal(status, p.calls >= at ? 7 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_point_of_a_half_plane_and_its_multiplier_are_found),
        cmocka_unit_test(what_is_wanted_of_a_margin_is_kept_on_the_safe_side),
        cmocka_unit_test(problem_43_of_hock_and_schittkowski_is_solved),
        cmocka_unit_test(problem_100_of_hock_and_schittkowski_is_solved),
        cmocka_unit_test(a_narrow_valley_between_two_edges_is_followed_to_its_end),
        cmocka_unit_test(the_same_edge_twice_and_a_bound_are_no_obstacle),
        cmocka_unit_test(a_failure_of_the_function_is_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
