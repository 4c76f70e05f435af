/* A thousand random expressions: values against a walk of their trees in long double, gradients
 * against differences of it. */
#include "check.h"
#include "gofh_expression.h"
#include "random_tree.h"

enum { EXPRESSIONS = 1000, SAMPLES = 3 };

static tree_garden garden;
static char text[TREE_TEXT];

static gofh_expression *compile(void)
{
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_symbols_add_output(symbols, "u", 5, NULL);
    gofh_symbols_add_output(symbols, "v", 3, NULL);
    gofh_symbols_add_output(symbols, "s", 1, NULL);
    gofh_symbols_add_parameter(symbols, "a", NULL);
    gofh_symbols_add_parameter(symbols, "b", NULL);
    gofh_symbols_add_data(symbols, "q", TREE_Q, 5, NULL);
    gofh_symbols_add_data(symbols, "p", TREE_P, 3, NULL);
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_expression_compile(&expression, text, symbols, GOFH_MAXIMIZE, &error) != GOFH_OK)
        fail_msg("%s\n%s", text, error.message);
    gofh_symbols_free(symbols);
    return expression;
}

static real value_at(const tree *root, const real *point)
{
    real value;
    tree_evaluate(root, point, point + TREE_OUTPUTS, &value);
    return value;
}

/* The largest change of the value when the inputs are off by a few units in the last place of a
 * double: how well it can be known at all. */
static real uncertainty(const tree *root, const real *point, real value)
{
    tree_rounds = true;
    real largest = fabsl(value_at(root, point) - value), moved[TREE_OUTPUTS + TREE_PARAMETERS];
    tree_rounds = false;
    memcpy(moved, point, sizeof moved);
    for (int i = 0; i < TREE_OUTPUTS + TREE_PARAMETERS; i++) {
        moved[i] = point[i] * (1.0L + 4e-16L);
        real change = fabsl(value_at(root, moved) - value);
        if (!(change <= largest)) largest = change;
        moved[i] = point[i];
    }
    return largest;
}

/* Whether the derivative in coordinate i is known by differences: extrapolated, and the same from
 * both sides and from two step sizes, which it is not at kinks and where the function varies too
 * fast. */
static bool difference(const tree *root, const real *point, int i, real value, real *derivative)
{
    real moved[TREE_OUTPUTS + TREE_PARAMETERS], estimate[2], step = 1e-4L * (1.0L + fabsl(point[i]));
    memcpy(moved, point, sizeof moved);
    for (int k = 0; k < 2; k++, step /= 8.0L) {
        real f[4], offset[4] = {-2, -1, 1, 2};
        for (int j = 0; j < 4; j++) {
            moved[i] = point[i] + offset[j] * step;
            f[j] = value_at(root, moved);
        }
        estimate[k] = (8.0L * (f[2] - f[1]) - (f[3] - f[0])) / (12.0L * step);
        real left = (value - f[1]) / step, right = (f[2] - value) / step;
        if (!(fabsl(left - right) <= 0.05L * (1e-3L + fabsl(left) + fabsl(right)))) return false;
    }
    *derivative = estimate[1];
    return fabsl(estimate[0] - estimate[1]) <= 1e-7L * (1e-3L + fabsl(estimate[1]));
}

static void a_thousand_random_expressions_match_an_independent_evaluation(void **state)
{
    (void)state;
    int finite = 0, refused = 0, checked = 0, skipped = 0, vague = 0;
    for (int n = 0; n < EXPRESSIONS; n++) {
        garden.stream = random_open(11, RANDOM_TEST, (uint64_t)n, 0);
        garden.used = 0;
        tree *root = tree_new(&garden, "+", 1); /* so that it is never a comparison */
        root->children = 2;
        for (int c = 0; c < 2; c++) root->child[c] = tree_grow(&garden, 1, 2 + n % 6);
        tree_print(root, text);
        gofh_expression *expression = compile();

        double y[SAMPLES][TREE_OUTPUTS], x[SAMPLES][TREE_PARAMETERS], value[SAMPLES], again[SAMPLES];
        double dy[SAMPLES][TREE_OUTPUTS], dx[SAMPLES][TREE_PARAMETERS];
        for (int s = 0; s < SAMPLES; s++) {
            for (int j = 0; j < TREE_OUTPUTS; j++) y[s][j] = 1.0 + 1.5 * random_normal(&garden.stream);
            for (int j = 0; j < TREE_PARAMETERS; j++) x[s][j] = 0.1 + 2.0 * random_uniform(&garden.stream);
        }
        assert_int_equal(gofh_expression_differentiate(expression, *y, *x, SAMPLES, value, *dy, *dx),
                         GOFH_OK);
        int64_t domain_errors = gofh_expression_domain_errors(expression);
        assert_int_equal(gofh_expression_evaluate(expression, *y, *x, SAMPLES, again), GOFH_OK);
        for (int s = 0; s < SAMPLES; s++) {
            real point[TREE_OUTPUTS + TREE_PARAMETERS];
            for (int j = 0; j < TREE_OUTPUTS; j++) point[j] = y[s][j];
            for (int j = 0; j < TREE_PARAMETERS; j++) point[TREE_OUTPUTS + j] = x[s][j];
            real expected = value_at(root, point);
            if (fabs(value[s] - again[s]) > 1e-12 * (1.0 + fabs(value[s])))
                fail_msg("%s\ndiffers without gradient", text);
            if (!isfinite(expected)) {
                if (value[s] != -INFINITY) fail_msg("%s\nis %g, expected minus infinity", text, value[s]);
                domain_errors--;
                refused++;
                continue;
            }
            real vagueness = uncertainty(root, point, expected);
            real tolerance = 1e-11L * (1.0L + fabsl(expected)) + 1e3L * vagueness;
            if (!(vagueness <= 1e-8L * (1.0L + fabsl(expected)))) {
                vague++;
                if (!isfinite(value[s])) domain_errors--;
                continue;
            }
            if (!(fabsl(value[s] - expected) <= tolerance))
                fail_msg("%s\nis %.17g, expected %.17g", text, value[s], (double)expected);
            finite++;
            for (int j = 0; j < TREE_OUTPUTS + TREE_PARAMETERS; j++) {
                double found = j < TREE_OUTPUTS ? dy[s][j] : dx[s][j - TREE_OUTPUTS];
                real derivative;
                if (!difference(root, point, j, expected, &derivative)) {
                    skipped++;
                    continue;
                }
                checked++;
                if (!(fabsl(found - derivative) <=
                      2e-6L * (1e-3L + fabsl(derivative)) + 1e-13L * fabsl(expected)))
                    fail_msg("%s\nderivative %d is %.17g, expected %.17g", text, j, found,
                             (double)derivative);
            }
        }
        assert_true(domain_errors == 0);
        gofh_expression_free(expression);
    }
    print_message("%d values, %d domain errors, %d too sensitive; %d derivatives, %d at kinks\n", finite,
                  refused, vague, checked, skipped);
    assert_true(finite > 3 * EXPRESSIONS / 2);
    assert_true(refused > 100);
    assert_true(checked > 15 * finite / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_random_expressions_match_an_independent_evaluation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
