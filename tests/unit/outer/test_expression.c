/* Values, gradients and domain errors of compiled expressions, through the public interface. */
#include "check.h"
#include "gofh_expression.h"

#include <stdlib.h>
#include <string.h>

enum { M = 4, D = 2 };

/* Outputs y (4), parameters a and b, data o (4). */
static gofh_expression *compile(const char *text, gofh_sense sense)
{
    static const double o[M] = {0.5, 1.0, -0.25, 2.0};
    gofh_symbols *symbols = gofh_symbols_create();
    assert_int_equal(gofh_symbols_add_output(symbols, "y", M, NULL), GOFH_OK);
    assert_int_equal(gofh_symbols_add_parameter(symbols, "a", NULL), GOFH_OK);
    assert_int_equal(gofh_symbols_add_parameter(symbols, "b", NULL), GOFH_OK);
    assert_int_equal(gofh_symbols_add_data(symbols, "o", o, M, NULL), GOFH_OK);
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_expression_compile(&expression, text, symbols, sense, &error) != GOFH_OK)
        fail_msg("%s: %s", text, error.message);
    gofh_symbols_free(symbols);
    return expression;
}

static double value_at(gofh_expression *expression, const double *point)
{
    double value;
    assert_int_equal(gofh_expression_evaluate(expression, point, point + M, 1, &value), GOFH_OK);
    return value;
}

static void check_gradient(const char *text, const double *point)
{
    gofh_expression *expression = compile(text, GOFH_MAXIMIZE);
    double value, gradient[M + D], moved[M + D];
    gofh_expression_differentiate(expression, point, point + M, 1, &value, gradient, gradient + M);
    memcpy(moved, point, sizeof moved);
    for (int i = 0; i < M + D; i++) {
        double step = 1e-3, f[4], offset[4] = {-2, -1, 1, 2};
        for (int j = 0; j < 4; j++) {
            moved[i] = point[i] + offset[j] * step;
            f[j] = value_at(expression, moved);
        }
        moved[i] = point[i];
        double expected = (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * step);
        if (!(fabs(gradient[i] - expected) <= 1e-7 * (1.0 + fabs(expected))))
            fail_msg("%s: derivative %d is %.12g, expected %.12g", text, i, gradient[i], expected);
    }
    gofh_expression_free(expression);
}

static void the_gradient_of_every_function_matches_differences(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sum(exp(a*y))",
        "sum(log(y + 3 + b))",
        "sum(log10(y + 3))",
        "sum(sqrt(y + 3)*a)",
        "sum(abs(y - b))",
        "sum(sin(a*y))",
        "sum(cos(y/b))",
        "tan(y[0] + a/9)",
        "sum(asin(y/4))",
        "sum(acos(y/4*a))",
        "sum(atan(y))",
        "sum(sinh(y))",
        "sum(cosh(y))",
        "sum(tanh(y))",
        "sum(erf(y))",
        "sum(normal_cdf(y - a))",
        "sum(floor(y)*y)",
        "sum(o)*mean(y^2*b)",
        "min(y)*max(y)",
        "min(y, a, o)[1]",
        "sum(max(y, b))",
        "norm(y - o)",
        "norm1(y - o)",
        "sum(huber(y - o, 0.8))",
        "sum(huber(y, b))",
        "dot(y, y*a)",
        "dot(cumsum(y), o)",
        "length(y)*a",
        "sum((y + 3)^1.7)",
        "sum((y + 3)^a)",
        "sum(a^y)",
        "sum(y^3)",
        "sum(y^5)",
        "sum(y^-2)",
        "sum(y^-1)",
        "sum(o/y)",
        "sum(y/a)",
        "-sum(-y*b)",
        "sum(where(y > b, y^2, a*y))",
        "where(a < b and y[0] < 3, a*y[1], 7)",
        "sum([a, y[1:3], b*y[0]]^2)",
        "y[-1]*y[0]",
        "sum(y[1:]*y[:-1])",
        "(not y[0] > 9)*y[1]",
        "(y[0] > 0 or a > 0)*b",
        "sum((y != 0)*y)",
        "sum(cumsum(y[1:3])*y[2])",
        "-sum((y - o)^2)",
        "sum(((y - a)/b)^2)",
        "dot(y, o) + 3",
    };
    double point[M + D] = {0.7, -1.3, 1.9, 0.2, 0.9, 1.6};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_gradient(texts[i], point);
}

static void check_derivative_at(const char *text, double y0, double expected)
{
    gofh_expression *expression = compile(text, GOFH_MAXIMIZE);
    double y[M] = {y0, 1.0, 1.0, 1.0}, x[D] = {0.0, 1.0}, value, dy[M];
    gofh_expression_differentiate(expression, y, x, 1, &value, dy, NULL);
    if (!(fabs(dy[0] - expected) <= 1e-15)) fail_msg("%s: %g, expected %g", text, dy[0], expected);
    gofh_expression_free(expression);
}

static void at_kinks_the_derivative_is_the_documented_one(void **state)
{
    (void)state;
    check_derivative_at("abs(y[0])", 0.0, 1.0);
    check_derivative_at("norm1(y)", 0.0, 1.0);
    check_derivative_at("norm(y - y)", 0.0, 0.0);
    check_derivative_at("max(y)", 1.0, 1.0);
    check_derivative_at("max(-3, y[1:], y[0])[0]", 1.0, 0.0);
    check_derivative_at("max(y[0], 1)", 1.0, 1.0);
    check_derivative_at("min(1, y[0])", 1.0, 0.0);
    check_derivative_at("sqrt(y[0]) + y[0]", 0.0, 1.0);
    check_derivative_at("y[0]^0.3 + y[0]", 0.0, 1.0);
    check_derivative_at("asin(y[0]) + y[0]", 1.0, 1.0);
    check_derivative_at("floor(y[0])", 2.0, 0.0);
    check_derivative_at("where(y[0] > 1, 2*y[0], 3*y[0])", 1.0, 3.0);
    check_derivative_at("(y[0] > 1)*y[0]", 1.0, 0.0);
    check_derivative_at("where(y[0] > 0, y[0]*log(y[0]), 5*y[0])", 0.0, 5.0);
    check_derivative_at("where(y[0] > 0, sqrt(y[0]), 0)", -1.0, 0.0);
}

static void a_domain_error_is_the_worst_value_counted_and_without_gradient(void **state)
{
    (void)state;
    static const char *const texts[] = {"log(y[0])",
                                        "sqrt(y[0])",
                                        "asin(y[0] - 4)",
                                        "1/(y[0] + 1)",
                                        "(y[0] - 1)^0.5",
                                        "max(3, log(y[0]))",
                                        "min(log(y))",
                                        "where(log(y[0]) < 1, 1, 2)",
                                        "exp(y[0] + 800)",
                                        "-exp(y[0] + 800)",
                                        "where(1 < 0 or log(y[0]) < 0, 1, 2)",
                                        "log(0*y[0])",
                                        "(y[0] - 1)^y[1]",
                                        "0*log(y[0])"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (gofh_sense sense = GOFH_MAXIMIZE; sense <= GOFH_MINIMIZE; sense++) {
            gofh_expression *expression = compile(texts[i], sense);
            double y[2 * M] = {-1.0, 0.5, 1.0, 1.0, -1.0, 0.5, 1.0, 1.0}, x[2 * D] = {1.0, 1.0, 1.0, 1.0};
            double value[2], dy[2 * M], dx[2 * D];
            gofh_expression_differentiate(expression, y, x, 2, value, dy, dx);
            double worst = sense == GOFH_MAXIMIZE ? -INFINITY : INFINITY;
            if (value[0] != worst || value[1] != worst) fail_msg("%s is %g", texts[i], value[0]);
            for (int j = 0; j < 2 * M; j++) assert_true(dy[j] == 0.0);
            for (int j = 0; j < 2 * D; j++) assert_true(dx[j] == 0.0);
            assert_true(gofh_expression_domain_errors(expression) == 2);
            gofh_expression_reset_domain_errors(expression);
            assert_true(gofh_expression_domain_errors(expression) == 0);
            gofh_expression_free(expression);
        }
}

static void one_bad_sample_leaves_the_others_of_its_batch_alone(void **state)
{
    (void)state;
    gofh_expression *expression = compile("sum(log(y))", GOFH_MAXIMIZE);
    double y[3 * M] = {1, 2, 3, 4, 1, -2, 3, 4, 2, 2, 2, 2}, x[3 * D] = {0}, value[3], dy[3 * M];
    gofh_expression_differentiate(expression, y, x, 3, value, dy, NULL);
    check_close(value[0], log(24.0), 1e-15);
    assert_true(value[1] == -INFINITY);
    check_close(value[2], log(16.0), 1e-15);
    check_close(dy[3], 0.25, 1e-15);
    check_close(dy[2 * M], 0.5, 1e-15);
    assert_true(gofh_expression_domain_errors(expression) == 1);
    gofh_expression_free(expression);
}

static void what_no_output_needs_may_be_anything(void **state)
{
    (void)state;
    static const char *const texts[] = {"y[0] + y[1]", "(y[0] - 1)^2 + y[1]^2", "exp(y[0] - y[1])"};
    static const double expected[] = {5.0, 10.0, 0.36787944117144233};
    for (int i = 0; i < 3; i++) {
        gofh_expression *expression = compile(texts[i], GOFH_MAXIMIZE);
        double y[M] = {2.0, 3.0, NAN, INFINITY}, value, dy[M];
        gofh_expression_differentiate(expression, y, NULL, 1, &value, dy, NULL);
        check_close(value, expected[i], 1e-15);
        assert_true(dy[2] == 0.0 && dy[3] == 0.0);
        gofh_expression_free(expression);
    }
}

/* Whatever the blocks they are cut into. */
static void a_batch_gives_the_same_bits_as_one_sample_at_a_time(void **state)
{
    (void)state;
    enum { COUNT = 1003 };
    static const char *const texts[] = {"-sum((y - o)^2)",
                                        "sum(exp(y)*a)/b",
                                        "max(y)*sin(a) + min(y, o)[2]",
                                        "sum(where(y > o, cumsum(y), b))",
                                        "sum([y, a]*[b, y])",
                                        "dot(y, o)"};
    static double y[COUNT * M], x[COUNT * D], value[COUNT], dy[COUNT * M], dx[COUNT * D];
    for (int i = 0; i < COUNT * M; i++) y[i] = sin(0.7 * i);
    for (int i = 0; i < COUNT * D; i++) x[i] = 1.1 + cos(0.3 * i);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        gofh_expression *expression = compile(texts[t], GOFH_MAXIMIZE);
        assert_int_equal(gofh_expression_outer(y, x, COUNT, value, dy, dx, expression), 0);
        for (int i = 0; i < COUNT; i++) {
            double one, one_dy[M], one_dx[D];
            gofh_expression_differentiate(expression, y + i * M, x + i * D, 1, &one, one_dy, one_dx);
            assert_memory_equal(&one, &value[i], sizeof one);
            assert_memory_equal(one_dy, dy + i * M, sizeof one_dy);
            assert_memory_equal(one_dx, dx + i * D, sizeof one_dx);
        }
        gofh_expression_free(expression);
    }
}

static void an_exact_fit_has_a_misfit_of_exactly_zero(void **state)
{
    (void)state;
    static const char *const texts[] = {"-sum((y - o)^2)", "-norm(y - o)^2", "sum(((y - o)/0.3)^2)",
                                        "mean((o - y)^2)/7", "dot(3*(y - o), y - o)"};
    double y[M] = {0.5, 1.0, -0.25, 2.0}, x[D] = {0}, value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gofh_expression *expression = compile(texts[i], GOFH_MAXIMIZE);
        gofh_expression_evaluate(expression, y, x, 1, &value);
        assert_true(value == 0.0);
        gofh_expression_free(expression);
    }
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    double y[M] = {0}, x[D] = {0}, value;
    gofh_expression *expression = compile("sum(y)*a", GOFH_MAXIMIZE);
    assert_int_equal(gofh_expression_evaluate(NULL, y, x, 1, &value), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_expression_evaluate(expression, NULL, x, 1, &value), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_expression_evaluate(expression, y, NULL, 1, &value), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_expression_evaluate(expression, y, x, 1, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_expression_evaluate(expression, y, x, -1, &value), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_expression_evaluate(expression, y, x, 0, &value), GOFH_OK);
    gofh_expression_free(expression);
    gofh_expression_free(NULL);
    assert_int_equal(gofh_expression_compile(&expression, NULL, NULL, GOFH_MAXIMIZE, NULL),
                     GOFH_ERROR_ARGUMENT);
    assert_null(expression);
    assert_int_equal(gofh_expression_compile(NULL, "1", NULL, GOFH_MAXIMIZE, NULL), GOFH_ERROR_ARGUMENT);
}

static void the_first_error_wins(void **state)
{
    (void)state;
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(gofh_expression_compile(&expression, "first", symbols, GOFH_MAXIMIZE, &error),
                     GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_expression_compile(&expression, " second", symbols, GOFH_MAXIMIZE, &error),
                     GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "unknown name \"first\" at column 1");
    assert_int_equal(error.column, 1);
    gofh_symbols_free(symbols);
}

static void symbols_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_error error = {.status = GOFH_OK};
    double bad[2] = {1.0, INFINITY};
    assert_int_equal(gofh_symbols_add_output(symbols, "c", 3, &error), GOFH_OK);
    assert_int_equal(gofh_symbols_add_parameter(symbols, "c", &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message,
                        "\"c\" is the name of an output and of a parameter: give one of them another");
    assert_int_equal(gofh_symbols_add_output(symbols, "2c", 3, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_output(symbols, "", 3, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_output(symbols, "a b", 3, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_output(symbols, NULL, 3, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_output(NULL, "d", 3, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_output(symbols, "d", 0, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_output(symbols, "d", 1 << 30, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_parameter(symbols, "pi", NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_parameter(symbols, "and", NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_data(symbols, "d", bad, 2, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_data(symbols, "d", NULL, 2, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_symbols_add_data(symbols, "d", bad, 0, NULL), GOFH_ERROR_ARGUMENT);
    gofh_symbols_free(symbols);
    gofh_symbols_free(NULL);
}

static void an_expression_that_would_need_too_much_memory_is_refused(void **state)
{
    (void)state;
    gofh_symbols *symbols = gofh_symbols_create();
    assert_int_equal(gofh_symbols_add_output(symbols, "y", 1 << 20, NULL), GOFH_OK);
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(
        gofh_expression_compile(&expression, "sum(sin(cos(exp(sqrt(y)))))", symbols, GOFH_MAXIMIZE, &error),
        GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "too large"));
    gofh_symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_every_function_matches_differences),
        cmocka_unit_test(at_kinks_the_derivative_is_the_documented_one),
        cmocka_unit_test(a_domain_error_is_the_worst_value_counted_and_without_gradient),
        cmocka_unit_test(one_bad_sample_leaves_the_others_of_its_batch_alone),
        cmocka_unit_test(what_no_output_needs_may_be_anything),
        cmocka_unit_test(a_batch_gives_the_same_bits_as_one_sample_at_a_time),
        cmocka_unit_test(an_exact_fit_has_a_misfit_of_exactly_zero),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(symbols_that_make_no_sense_are_refused),
        cmocka_unit_test(an_expression_that_would_need_too_much_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
