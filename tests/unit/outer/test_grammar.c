/* The cases of tests/data/outer: their values, and what is wrong with them. */
#include "symbols_file.h"

#include <dirent.h>

static int visit_cases(const char *folder, void (*visit)(const char *name, const gofh_symbols *symbols))
{
    char path[1024];
    snprintf(path, sizeof path, "%s/outer/%s", TEST_DATA, folder);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    gofh_symbols *symbols = read_symbols();
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        visit(entry->d_name, symbols);
        count++;
    }
    gofh_symbols_free(symbols);
    closedir(directory);
    return count;
}

static const char *kind_text(gofh_expression_kind kind)
{
    return kind == GOFH_EXPRESSION_LINEAR          ? "linear"
           : kind == GOFH_EXPRESSION_LEAST_SQUARES ? "least squares"
                                                   : "general";
}

static int failures;

static void check_valid(const char *name, const gofh_symbols *symbols)
{
    char *input = read_data_file("valid", name, "input"),
         *value_text = read_data_file("valid", name, "value");
    char *kind = read_data_file("valid", name, "kind");
    kind[strcspn(kind, "\n")] = '\0';
    double expected = strtod(value_text, NULL), value = NAN;
    gofh_error error = {.status = GOFH_OK};
    gofh_expression *expression;
    if (gofh_expression_compile(&expression, input, symbols, GOFH_MAXIMIZE, &error) != GOFH_OK) {
        print_error("valid/%s: %d:%d: %s\n", name, error.line, error.column, error.message);
        failures++;
    } else {
        const char *text;
        gofh_expression_kind found = gofh_expression_describe(expression, &text);
        assert_int_equal(gofh_expression_evaluate(expression, symbols_y, symbols_x, 1, &value), GOFH_OK);
        if (!(fabs(value - expected) <= 1e-12 * (1.0 + fabs(expected)))) {
            print_error("valid/%s: %.17g, expected %.17g\n", name, value, expected);
            failures++;
        }
        if (strcmp(kind_text(found), kind) != 0) {
            print_error("valid/%s: %s (%s), expected %s\n", name, kind_text(found), text, kind);
            failures++;
        }
    }
    gofh_expression_free(expression);
    free(input);
    free(value_text);
    free(kind);
}

static void valid_expressions_have_the_value_and_kind_of_their_case(void **state)
{
    (void)state;
    failures = 0;
    assert_true(visit_cases("valid", check_valid) >= 80);
    assert_int_equal(failures, 0);
}

static void check_invalid(const char *name, const gofh_symbols *symbols)
{
    char *input = read_data_file("invalid", name, "input"),
         *expected = read_data_file("invalid", name, "error");
    expected[strcspn(expected, "\n")] = '\0';
    gofh_error error = {.status = GOFH_OK};
    gofh_expression *expression;
    gofh_status status = gofh_expression_compile(&expression, input, symbols, GOFH_MAXIMIZE, &error);
    char found[512];
    snprintf(found, sizeof found, "%d:%d: %s", error.line, error.column, error.message);
    if (status != GOFH_ERROR_ARGUMENT || strcmp(found, expected) != 0 || expression) {
        print_error("invalid/%s:\n  found    %s\n  expected %s\n", name, found, expected);
        failures++;
    }
    assert_int_equal(gofh_expression_compile(&expression, input, symbols, GOFH_MAXIMIZE, NULL), status);
    free(input);
    free(expected);
}

static void invalid_expressions_are_refused_with_the_message_of_their_case(void **state)
{
    (void)state;
    failures = 0;
    assert_true(visit_cases("invalid", check_invalid) >= 40);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_expressions_have_the_value_and_kind_of_their_case),
        cmocka_unit_test(invalid_expressions_are_refused_with_the_message_of_their_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
