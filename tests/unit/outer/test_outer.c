/* g as the library sees it: signed, never NaN, always with a gradient. */
#include "outer/outer.h"

#include "check.h"

#include <float.h>
#include <stdlib.h>

enum { M = 3, D = 2, ROWS = 5 };

typedef struct {
    double y, x; /* what counts as 1 in an output and in a parameter */
    double value;
    double limit; /* above this first output nothing is feasible */
    int fails_at; /* the call that fails, from 1; 0: none */
    int calls;
} context;

/* value * (sin(a) + a b c + b^2 p + cos(c q)) of the scaled outputs a, b, c and parameters p, q. */
static int nonlinear(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                     void *given)
{
    context *c = given;
    if (++c->calls == c->fails_at) return 1;
    for (int s = 0; s < count; s++) {
        double a = y[s * M] / c->y, b = y[s * M + 1] / c->y, e = y[s * M + 2] / c->y;
        double p = x[s * D] / c->x, q = x[s * D + 1] / c->x;
        value[s] = c->value * (sin(a) + a * b * e + b * b * p + cos(e * q));
        if (a > c->limit) value[s] = -INFINITY;
        if (!dy) continue;
        double unit_y = c->value / c->y, unit_x = c->value / c->x;
        dy[s * M] = unit_y * (cos(a) + b * e);
        dy[s * M + 1] = unit_y * (a * e + 2.0 * b * p);
        dy[s * M + 2] = unit_y * (a * b - q * sin(e * q));
        dx[s * D] = unit_x * b * b;
        dx[s * D + 1] = -unit_x * e * sin(e * q);
    }
    return 0;
}

static const double Y[ROWS * M] = {0.5, -1.2, 0.8, 1.4, 0.3,  -0.6, -0.9, 2.0,
                                   1.1, 0.2,  0.7, 1.9, -1.6, -0.4, 0.35};
static const double X[ROWS * D] = {0.3, 0.9, 0.6, 0.2, 1.0, 0.5, 0.8, 0.7, 0.4, 1.1};

static outer make(gofh_outer f, gofh_gradient gradient, double sign, context *c)
{
    return (outer){
        .outputs = M, .parameters = D, .sign = sign, .function = f, .gradient = gradient, .context = c};
}

typedef struct {
    double value[ROWS], dy[ROWS * M], dx[ROWS * D];
    gofh_status status;
} result;

static result evaluate(const outer *g, const double *y, const double *x)
{
    result r;
    double *work = malloc(outer_work(g, ROWS) * sizeof *work);
    assert_non_null(work);
    r.status = outer_objective(g, y, x, ROWS, r.value, r.dy, r.dx, work);
    free(work);
    return r;
}

/* The exact gradients as the test's own function gives them. */
static result exact(const double *y, const double *x, context *c)
{
    result r;
    nonlinear(y, x, ROWS, r.value, r.dy, r.dx, c);
    return r;
}

static void differences_are_the_gradients_at_all_scales(void **state)
{
    (void)state;
    for (int power = -20; power <= 20; power += 5)
        for (int in_x = -20; in_x <= 20; in_x += 10) {
            context c = {
                .y = pow(10.0, power), .x = pow(10.0, in_x), .value = pow(10.0, -power), .limit = 1e9};
            double y[ROWS * M], x[ROWS * D];
            for (int i = 0; i < ROWS * M; i++) y[i] = Y[i] * c.y;
            for (int i = 0; i < ROWS * D; i++) x[i] = X[i] * c.x;
            outer g = make(nonlinear, GOFH_GRADIENT_NONE, 1.0, &c);
            result r = evaluate(&g, y, x), e = exact(y, x, &c);
            assert_int_equal(r.status, GOFH_OK);
            /* Central differences are right to about eps^(2/3) = 4e-11 of the scale. */
            for (int i = 0; i < ROWS * M; i++) check_near(r.dy[i], e.dy[i], 2e-9 * c.value / c.y);
            for (int i = 0; i < ROWS * D; i++) check_near(r.dx[i], e.dx[i], 2e-9 * c.value / c.x);
        }
}

/* exp of the deviation of each output from 1e6, which varies by 1. */
static int offset(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *given)
{
    (void)x, (void)dy, (void)dx, (void)given;
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < M; j++) value[s] += exp(y[s * M + j] - 1e6);
    }
    return 0;
}

static void differences_suit_outputs_that_vary_little_around_something_large(void **state)
{
    (void)state;
    double y[ROWS * M];
    for (int i = 0; i < ROWS * M; i++) y[i] = 1e6 + Y[i];
    outer g = make(offset, GOFH_GRADIENT_NONE, 1.0, NULL);
    result r = evaluate(&g, y, X);
    /* A step of some 6e-6 sqrt(1e6) leaves a truncation of h^2 / 6 = 6e-6. */
    for (int i = 0; i < ROWS * M; i++) check_close(r.dy[i], exp(y[i] - 1e6), 1e-4);
}

static void differences_of_rows_that_are_all_0_are_right(void **state)
{
    (void)state;
    context c = {.y = 1.0, .x = 1.0, .value = 1.0, .limit = 1e9};
    double zero[ROWS * M] = {0};
    outer g = make(nonlinear, GOFH_GRADIENT_NONE, 1.0, &c);
    result r = evaluate(&g, zero, X), e = exact(zero, X, &c);
    for (int i = 0; i < ROWS * M; i++) check_near(r.dy[i], e.dy[i], 1e-9);
}

static void next_to_what_is_not_feasible_differences_are_one_sided(void **state)
{
    (void)state;
    context c = {.y = 1.0, .x = 1.0, .value = 1.0, .limit = Y[0]}; /* row 0 is at the very limit */
    outer g = make(nonlinear, GOFH_GRADIENT_NONE, 1.0, &c);
    result r = evaluate(&g, Y, X), e = exact(Y, X, &c);
    assert_true(isfinite(r.value[0]));
    check_near(r.dy[0], e.dy[0], 1e-4); /* one-sided: right to the step, some 6e-6 */
    check_near(r.dy[1], e.dy[1], 1e-8);
    /* Row 1 is beyond: no value, and no gradient. */
    assert_true(r.value[1] == -INFINITY);
    for (int j = 0; j < M; j++) check_near(r.dy[M + j], 0.0, 0.0);
    for (int k = 0; k < D; k++) check_near(r.dx[D + k], 0.0, 0.0);
}

static void a_given_gradient_is_handed_on(void **state)
{
    (void)state;
    context c = {.y = 1.0, .x = 1.0, .value = 1.0, .limit = 1e9};
    outer g = make(nonlinear, GOFH_GRADIENT_GIVEN, 1.0, &c);
    result r = evaluate(&g, Y, X), e = exact(Y, X, &c);
    assert_memory_equal(r.value, e.value, sizeof r.value);
    assert_memory_equal(r.dy, e.dy, sizeof r.dy);
    assert_memory_equal(r.dx, e.dx, sizeof r.dx);
}

static void minimising_turns_values_and_gradients_around(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        context c = {.y = 1.0, .x = 1.0, .value = 1.0, .limit = 1e9};
        outer g = make(nonlinear, given ? GOFH_GRADIENT_GIVEN : GOFH_GRADIENT_NONE, -1.0, &c);
        result r = evaluate(&g, Y, X), e = exact(Y, X, &c);
        for (int s = 0; s < ROWS; s++) check_near(r.value[s], -e.value[s], 0.0);
        for (int i = 0; i < ROWS * M; i++) check_near(r.dy[i], -e.dy[i], 1e-8);
        for (int i = 0; i < ROWS * D; i++) check_near(r.dx[i], -e.dx[i], 1e-8);
    }
}

/* Row s gets the s-th of these, with a gradient that is no use. */
static int special(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                   void *given)
{
    (void)y, (void)x, (void)given;
    static const double list[ROWS] = {NAN, INFINITY, -INFINITY, 1.0, 2.0};
    for (int s = 0; s < count; s++) value[s] = list[s];
    if (dy) {
        for (int i = 0; i < count * M; i++) dy[i] = i % 2 ? NAN : INFINITY;
        for (int i = 0; i < count * D; i++) dx[i] = NAN;
    }
    return 0;
}

static void what_is_not_a_number_is_not_feasible(void **state)
{
    (void)state;
    outer g = make(special, GOFH_GRADIENT_GIVEN, 1.0, NULL);
    result r = evaluate(&g, Y, X);
    assert_true(r.value[0] == -INFINITY && r.value[2] == -INFINITY);
    check_near(r.value[1], DBL_MAX, 0.0);
    check_near(r.value[3], 1.0, 0.0);
    for (int i = 0; i < ROWS * M; i++) check_near(r.dy[i], 0.0, 0.0);
    for (int i = 0; i < ROWS * D; i++) check_near(r.dx[i], 0.0, 0.0);
    g.sign = -1.0;
    r = evaluate(&g, Y, X);
    assert_true(r.value[0] == -INFINITY && r.value[1] == -INFINITY);
    check_near(r.value[2], DBL_MAX, 0.0);
    check_near(r.value[4], -2.0, 0.0);
}

static void a_failure_of_any_call_is_handed_on(void **state)
{
    (void)state;
    /* One call for the values and two a column. */
    for (int call = 1; call <= 1 + 2 * (M + D); call++) {
        context c = {.y = 1.0, .x = 1.0, .value = 1.0, .limit = 1e9, .fails_at = call};
        outer g = make(nonlinear, GOFH_GRADIENT_NONE, 1.0, &c);
        assert_int_equal(evaluate(&g, Y, X).status, GOFH_ERROR_OUTER);
    }
}

static void a_linear_g_is_the_weighted_sum(void **state)
{
    (void)state;
    static const double w[M] = {2.0, -0.5, 3.0};
    outer g = {.outputs = M, .parameters = D, .sign = -1.0, .weights = w};
    result r = evaluate(&g, Y, X);
    for (int s = 0; s < ROWS; s++) {
        check_near(r.value[s], -(2.0 * Y[s * M] - 0.5 * Y[s * M + 1] + 3.0 * Y[s * M + 2]), 1e-14);
        for (int j = 0; j < M; j++) check_near(r.dy[s * M + j], -w[j], 0.0);
        for (int k = 0; k < D; k++) check_near(r.dx[s * D + k], 0.0, 0.0);
    }
}

static void a_linear_g_that_overflows_is_not_feasible_or_the_largest_number(void **state)
{
    (void)state;
    static const double w[M] = {1e200, 1e200, 0.0};
    outer g = {.outputs = M, .parameters = D, .sign = 1.0, .weights = w};
    double y[ROWS * M] = {1e200, -1e200, 0.0, 1e200, 0.0, 0.0, -1e200};
    result r = evaluate(&g, y, X);
    assert_true(r.value[0] == -INFINITY); /* inf - inf */
    check_near(r.value[1], DBL_MAX, 0.0);
    assert_true(r.value[2] == -INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_the_gradients_at_all_scales),
        cmocka_unit_test(differences_suit_outputs_that_vary_little_around_something_large),
        cmocka_unit_test(differences_of_rows_that_are_all_0_are_right),
        cmocka_unit_test(next_to_what_is_not_feasible_differences_are_one_sided),
        cmocka_unit_test(a_given_gradient_is_handed_on),
        cmocka_unit_test(minimising_turns_values_and_gradients_around),
        cmocka_unit_test(what_is_not_a_number_is_not_feasible),
        cmocka_unit_test(a_failure_of_any_call_is_handed_on),
        cmocka_unit_test(a_linear_g_is_the_weighted_sum),
        cmocka_unit_test(a_linear_g_that_overflows_is_not_feasible_or_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
