/* What an expression is found to be, checked against its values. */
#include "check.h"
#include "outer/expression.h"

#include <string.h>

enum { M = 6 };

static const double OBSERVED[M] = {0.3, -1.7, 2.2, 0.9, 5.1, -0.4}, SIGMA[M] = {0.1, 0.7, 0.3, 1.1, 0.9, 0.2};

static gofh_expression *compile(const char *text)
{
    gofh_symbols *symbols = gofh_symbols_create();
    assert_int_equal(gofh_symbols_add_output(symbols, "y", M, NULL), GOFH_OK);
    assert_int_equal(gofh_symbols_add_parameter(symbols, "a", NULL), GOFH_OK);
    assert_int_equal(gofh_symbols_add_data(symbols, "o", OBSERVED, M, NULL), GOFH_OK);
    assert_int_equal(gofh_symbols_add_data(symbols, "s", SIGMA, M, NULL), GOFH_OK);
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_expression_compile(&expression, text, symbols, GOFH_MAXIMIZE, &error) != GOFH_OK)
        fail_msg("%s: %s", text, error.message);
    gofh_symbols_free(symbols);
    return expression;
}

static double value_of_form(const analysis *form, const double *y)
{
    double value = form->constant;
    if (form->kind == GOFH_EXPRESSION_LINEAR)
        for (int j = 0; j < M; j++) value += form->weights[j] * y[j];
    for (int i = 0; i < form->residuals; i++) {
        double r = -form->target[i];
        for (int k = form->start[i]; k < form->start[i + 1]; k++)
            r += form->coefficient[k] * y[form->column[k]];
        value += form->weight[i] * r * r;
    }
    return value;
}

static void least_squares_are_found_however_they_are_written(void **state)
{
    (void)state;
    static const char *const texts[] = {"norm(y - o)^2",
                                        "dot(y - o, y - o)",
                                        "sum((y - o)^2)",
                                        "sum((o - y)^2)",
                                        "sum((y - o)*(y - o))",
                                        "-dot(o - y, y - o)",
                                        "sum(abs(y - o)^2)",
                                        "mean((y - o)^2)*length(y)",
                                        "norm(y - o)*norm(y - o)",
                                        "sum(y^2) - 2*dot(y, o) + dot(o, o)",
                                        "sum((y[:3] - o[:3])^2) + sum((y[3:] - o[3:])^2)",
                                        "cumsum((y - o)^2)[-1]",
                                        "sum(2*((y - o)/2)^2 + (y - o)^2/2)",
                                        "sum([y[0] - o[0], y[1:] - o[1:]]^2)",
                                        "-(-norm(o - y)^2)"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        gofh_expression *expression = compile(texts[t]);
        const analysis *form = expression_analysis(expression);
        if (form->kind != GOFH_EXPRESSION_LEAST_SQUARES) fail_msg("%s is not found", texts[t]);
        assert_true(form->separable);
        assert_int_equal(form->residuals, M);
        check_near(form->constant, 0.0, 1e-13);
        for (int i = 0; i < M; i++) {
            check_close(form->weight[i], 1.0, 1e-15);
            check_close(form->target[i], OBSERVED[form->column[form->start[i]]], 1e-15);
        }
        gofh_expression_free(expression);
    }
}

static void a_weighted_misfit_has_its_weights_and_targets(void **state)
{
    (void)state;
    gofh_expression *expression = compile("5 - sum(((y - o)/s)^2)/2");
    const analysis *form = expression_analysis(expression);
    assert_int_equal(form->kind, GOFH_EXPRESSION_LEAST_SQUARES);
    assert_true(form->constant == 5.0);
    for (int i = 0; i < M; i++) {
        int j = form->column[form->start[i]];
        check_close(form->weight[i], -0.5 / (SIGMA[j] * SIGMA[j]), 1e-15);
        assert_true(form->target[i] == OBSERVED[j]);
    }
    const char *text;
    gofh_expression_describe(expression, &text);
    assert_string_equal(
        text, "minus a weighted sum of squares of 6 residuals, each an output minus its target, at most 5");
    gofh_expression_free(expression);
}

static void check_form(const char *text, gofh_expression_kind kind)
{
    gofh_expression *expression = compile(text);
    const analysis *form = expression_analysis(expression);
    if (form->kind != kind) fail_msg("%s: kind %d", text, (int)form->kind);
    for (int i = 0; i < 20 && kind != GOFH_EXPRESSION_GENERAL; i++) {
        double y[M], value;
        for (int j = 0; j < M; j++) y[j] = 3.0 * sin(1.0 + i + 2.1 * j);
        gofh_expression_evaluate(expression, y, (double[]){1.0}, 1, &value);
        check_near(value_of_form(form, y), value, 1e-11 * (1.0 + fabs(value)));
    }
    gofh_expression_free(expression);
}

static void forms_have_the_values_of_their_expressions(void **state)
{
    (void)state;
    check_form("sum(y)", GOFH_EXPRESSION_LINEAR);
    check_form("3", GOFH_EXPRESSION_LINEAR);
    check_form("y[2]/4 - (1 - y[0])*2 + pi", GOFH_EXPRESSION_LINEAR);
    check_form("dot(o, cumsum(y)) - mean(y/s)", GOFH_EXPRESSION_LINEAR);
    check_form("sum([y, 2*y[1]]) + sum(o)", GOFH_EXPRESSION_LINEAR);
    check_form("y[0]^2 - y[0]*y[0] + y[1]", GOFH_EXPRESSION_LINEAR);
    check_form("(y[0] + 1)*(y[0] - 1) + y[0]^2", GOFH_EXPRESSION_LEAST_SQUARES);
    check_form("sum((y - 1)^2) + sum((y - 2)^2) + 3*sum(y)", GOFH_EXPRESSION_LEAST_SQUARES);
    check_form("sum((y[1:] - y[:-1])^2) + 0.1*sum(y^2)", GOFH_EXPRESSION_LEAST_SQUARES);
    check_form("(mean(y) - 2)^2", GOFH_EXPRESSION_LEAST_SQUARES);
    check_form("-100*(y[1] - y[0] + 1)^2 - (1 - y[0])^2", GOFH_EXPRESSION_LEAST_SQUARES);
    check_form("sum((cumsum(y) - cumsum(o))^2)", GOFH_EXPRESSION_LEAST_SQUARES);
    check_form("norm(y - o)", GOFH_EXPRESSION_GENERAL);
    check_form("y[0]*y[1]", GOFH_EXPRESSION_GENERAL);
    check_form("y[0]^2 + y[1]", GOFH_EXPRESSION_GENERAL);
    check_form("y[0]^2 - y[1]^2", GOFH_EXPRESSION_GENERAL);
    check_form("sum((y - o)^2) + a", GOFH_EXPRESSION_GENERAL);
    check_form("a*sum(y)", GOFH_EXPRESSION_GENERAL);
    check_form("sum(y^4)", GOFH_EXPRESSION_GENERAL);
    check_form("y[0]/0", GOFH_EXPRESSION_GENERAL);
    check_form("1e200*(y[0]*1e200)", GOFH_EXPRESSION_GENERAL);
    check_form("sum(sqrt(y)^2)", GOFH_EXPRESSION_GENERAL);
}

static void whether_parameters_are_used_is_known(void **state)
{
    (void)state;
    gofh_expression *with = compile("sum(y)*a"), *without = compile("sum(y)");
    assert_true(expression_uses_parameters(with));
    assert_false(expression_uses_parameters(without));
    gofh_expression_free(with);
    gofh_expression_free(without);
}

static void a_large_expression_is_still_compiled(void **state)
{
    (void)state;
    gofh_symbols *symbols = gofh_symbols_create();
    assert_int_equal(gofh_symbols_add_output(symbols, "y", 3000, NULL), GOFH_OK);
    gofh_expression *expression;
    assert_int_equal(gofh_expression_compile(&expression, "sum(cumsum(y))", symbols, GOFH_MAXIMIZE, NULL),
                     GOFH_OK);
    static double y[3000];
    double value;
    for (int j = 0; j < 3000; j++) y[j] = 1.0;
    gofh_expression_evaluate(expression, y, NULL, 1, &value);
    check_close(value, 3000.0 * 3001.0 / 2.0, 1e-12);
    gofh_expression_free(expression);
    gofh_symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_are_found_however_they_are_written),
        cmocka_unit_test(a_weighted_misfit_has_its_weights_and_targets),
        cmocka_unit_test(forms_have_the_values_of_their_expressions),
        cmocka_unit_test(whether_parameters_are_used_is_known),
        cmocka_unit_test(a_large_expression_is_still_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
