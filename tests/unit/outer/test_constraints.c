/* Constraints as margins. */
#include "check.h"
#include "outer/expression.h"

#include <float.h>
#include <string.h>

enum { M = 5, D = 2 }; /* outputs stress (4) and t; parameters a, b */

static gofh_symbols *make_symbols(void)
{
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_symbols_add_output(symbols, "stress", 4, NULL);
    gofh_symbols_add_output(symbols, "t", 1, NULL);
    gofh_symbols_add_parameter(symbols, "a", NULL);
    gofh_symbols_add_parameter(symbols, "b", NULL);
    gofh_symbols_add_data(symbols, "limit", (double[]){4, 3, 2, 1}, 4, NULL);
    return symbols;
}

static gofh_constraints *compile(const char *const *texts, int count)
{
    gofh_symbols *symbols = make_symbols();
    gofh_constraints *constraints;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_constraints_compile(&constraints, texts, count, symbols, &error) != GOFH_OK)
        fail_msg("%s", error.message);
    gofh_symbols_free(symbols);
    return constraints;
}

static const double Y[M] = {1.0, 2.0, 2.5, 0.5, 7.0}, X[D] = {0.3, 2.0};

static void check_margins(const char *text, int count, const double *expected)
{
    gofh_constraints *constraints = compile(&text, 1);
    double margin[16];
    if (gofh_constraints_margins(constraints) != count)
        fail_msg("%s: %d margins", text, gofh_constraints_margins(constraints));
    gofh_constraints_evaluate(constraints, Y, X, 1, margin);
    for (int i = 0; i < count; i++)
        if (!(fabs(margin[i] - expected[i]) <= 1e-13)) fail_msg("%s: margin %d is %g", text, i, margin[i]);
    gofh_constraints_free(constraints);
}

static void margins_are_how_far_a_constraint_is_from_failing(void **state)
{
    (void)state;
    check_margins("max(stress) <= 3", 1, (double[]){0.5});
    check_margins("max(stress) < 3", 1, (double[]){0.5});
    check_margins("t >= 10*a", 1, (double[]){4.0});
    check_margins("3 > t", 1, (double[]){-4.0});
    check_margins("stress <= limit", 4, (double[]){3.0, 1.0, -0.5, 0.5});
    check_margins("t == 6.5 +- 0.75", 1, (double[]){0.25});
    check_margins("stress == limit +- b", 4, (double[]){-1.0, 1.0, 1.5, 1.5});
    check_margins("1 <= t <= 10", 2, (double[]){6.0, 3.0});
    check_margins("t > 1 and a < b and stress[0] == 1 +- 0.5", 3, (double[]){6.0, 1.7, 0.5});
    check_margins("t < 1 or a < b", 1, (double[]){1.7});
    check_margins("(t < 1 or a < b) and t > 0", 2, (double[]){1.7, 7.0});
    check_margins("(t > 1 and a > 0.1) or t < 0", 1, (double[]){0.2});
    check_margins("abs(t) <= 5", 1, (double[]){-2.0});
}

static void check_refused(const char *text, int column, const char *message)
{
    gofh_symbols *symbols = make_symbols();
    gofh_constraints *constraints;
    gofh_error error = {.status = GOFH_OK};
    const char *texts[2] = {"t > 0", text};
    assert_int_equal(gofh_constraints_compile(&constraints, texts, 2, symbols, &error), GOFH_ERROR_ARGUMENT);
    assert_null(constraints);
    assert_string_equal(error.message, message);
    assert_int_equal(error.column, column);
    gofh_symbols_free(symbols);
}

static void what_is_no_constraint_is_refused(void **state)
{
    (void)state;
    check_refused(
        "t", 0,
        "constraint 2: a constraint is a comparison, such as max(stress) <= 250 or c[0] == 3 +- 0.01");
    check_refused("t == 3", 0, "constraint 2: \"==\" in a constraint needs a tolerance: a == b +- 0.01");
    check_refused("t != 3", 0,
                  "constraint 2: \"!=\" can't be a constraint: write the comparison that shall hold");
    check_refused("not t < 3", 0,
                  "constraint 2: \"not\" can't be a constraint: write the comparison that shall hold");
    check_refused("1 < 2", 0, "constraint 2: the constraint depends neither on outputs nor on parameters");
    check_refused("u < 2", 1,
                  "constraint 2: unknown name \"u\" at column 1: there are stress, t, a, b, limit");
    check_refused("t == 3 +- 0", 8, "constraint 2: the tolerance at column 8 is 0, not above 0");
    check_refused(NULL, 0, "constraint 2: it has no text");
}

static void gradients_of_margins_match_differences(void **state)
{
    (void)state;
    static const char *const texts[] = {"max(stress) <= 3*a", "t^2 == 40 +- b", "stress*t <= exp(limit)/b",
                                        "a*b < t or t < 1"};
    gofh_constraints *constraints = compile(texts, 4);
    enum { K = 7, COUNT = 150 };
    assert_int_equal(gofh_constraints_margins(constraints), K);
    assert_int_equal(gofh_constraints_margins_of(constraints, 2), 4);
    assert_int_equal(gofh_constraints_margins_of(constraints, 4), 0);
    static double y[COUNT * M], x[COUNT * D], margin[COUNT * K], dy[COUNT * K * M], dx[COUNT * K * D];
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < M; j++) y[i * M + j] = Y[j] * (1.0 + 0.001 * i);
        for (int j = 0; j < D; j++) x[i * D + j] = X[j] * (1.0 + 0.002 * i);
    }
    assert_int_equal(gofh_constraints_differentiate(constraints, y, x, COUNT, margin, dy, dx), GOFH_OK);
    for (int i = 0; i < COUNT; i += 37)
        for (int j = 0; j < M + D; j++) {
            double moved_y[M], moved_x[D], step = 1e-6, low[K], high[K];
            double *moved = j < M ? &moved_y[j] : &moved_x[j - M];
            memcpy(moved_y, y + i * M, sizeof moved_y);
            memcpy(moved_x, x + i * D, sizeof moved_x);
            *moved -= step;
            gofh_constraints_evaluate(constraints, moved_y, moved_x, 1, low);
            *moved += 2.0 * step;
            gofh_constraints_evaluate(constraints, moved_y, moved_x, 1, high);
            for (int k = 0; k < K; k++) {
                double expected = (high[k] - low[k]) / (2.0 * step);
                double found = j < M ? dy[(i * K + k) * M + j] : dx[(i * K + k) * D + j - M];
                check_near(found, expected, 1e-7 * (1.0 + fabs(expected)));
            }
        }
    gofh_constraints_free(constraints);
}

static void a_margin_without_a_value_is_violated_and_counted(void **state)
{
    (void)state;
    const char *const texts[] = {"log(t) <= 3", "exp(800*t) >= 3", "t < 5"};
    gofh_constraints *constraints = compile(texts, 3);
    double y[2 * M] = {0, 0, 0, 0, -1.0, 0, 0, 0, 0, 2.0}, x[2 * D] = {0}, margin[6], dy[6 * M];
    gofh_constraints_differentiate(constraints, y, x, 2, margin, dy, NULL);
    assert_true(margin[0] == -INFINITY);
    check_close(margin[3], 3.0 - log(2.0), 1e-15);
    assert_true(margin[4] == DBL_MAX);
    check_close(margin[5], 3.0, 1e-15);
    for (int k = 0; k < 6 * M; k++) assert_true(isfinite(dy[k]));
    assert_true(gofh_constraints_domain_errors(constraints) == 1);
    gofh_constraints_reset_domain_errors(constraints);
    assert_true(gofh_constraints_domain_errors(constraints) == 0);
    gofh_constraints_free(constraints);
}

static void linear_margins_are_known_as_such(void **state)
{
    (void)state;
    const char *const texts[] = {"stress <= limit", "2*t == 6 +- 0.5", "max(stress) < 3", "t + a > 0"};
    gofh_constraints *constraints = compile(texts, 4);
    constraint_linear third = constraints_linear(constraints, 2);
    assert_true(third.weights[2] == -1.0 && third.weights[1] == 0.0);
    check_close(third.constant, 2.0, 1e-15);
    assert_true(isinf(third.half_width));
    constraint_linear equality = constraints_linear(constraints, 4);
    assert_true(equality.weights[4] == 2.0);
    check_close(equality.constant, -6.0, 1e-15);
    check_close(equality.half_width, 0.5, 1e-15);
    assert_null(constraints_linear(constraints, 5).weights);
    assert_null(constraints_linear(constraints, 6).weights);
    assert_null(constraints_linear(constraints, 7).weights);
    gofh_constraints_free(constraints);
}

static void no_constraints_are_fine(void **state)
{
    (void)state;
    gofh_constraints *constraints = compile(NULL, 0);
    assert_int_equal(gofh_constraints_margins(constraints), 0);
    assert_int_equal(gofh_constraints_evaluate(constraints, Y, X, 1, NULL), GOFH_OK);
    gofh_constraints_free(constraints);
    gofh_constraints_free(NULL);
    assert_int_equal(gofh_constraints_evaluate(NULL, Y, X, 1, NULL), GOFH_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_are_how_far_a_constraint_is_from_failing),
        cmocka_unit_test(what_is_no_constraint_is_refused),
        cmocka_unit_test(gradients_of_margins_match_differences),
        cmocka_unit_test(a_margin_without_a_value_is_violated_and_counted),
        cmocka_unit_test(linear_margins_are_known_as_such),
        cmocka_unit_test(no_constraints_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
