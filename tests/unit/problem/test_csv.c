/* CSV as it is found in the wild. */
#include "check.h"
#include "problem/csv.h"

#include <stdio.h>
#include <string.h>

static csv_table table;

static gofh_status parse(const char *bytes, problem_error *error)
{
    text_file text;
    gofh_status status = text_take(&text, "d.csv", bytes, strlen(bytes), error);
    return status ? status : csv_parse(&table, &text, error);
}

static void check_numbers(const char *bytes, int columns, int rows, const char *first_name,
                          const double *expected)
{
    problem_error error = {.status = GOFH_OK};
    if (parse(bytes, &error)) fail_msg("%s: %s", bytes, error.message);
    assert_int_equal(table.columns, columns);
    assert_int_equal(table.rows, rows);
    if (first_name)
        assert_string_equal(table.header[0].text, first_name);
    else
        assert_null(table.header);
    for (int i = 0; i < rows * columns; i++) {
        double value;
        assert_int_equal(csv_number(&table, i / columns, i % columns, &value, &error), GOFH_OK);
        check_near(value, expected[i], 0);
    }
    csv_free(&table);
}

static void all_separators_are_found(void **state)
{
    (void)state;
    const double four[] = {1.5, -2, 3e2, 0.5};
    check_numbers("1.5,-2\n3e2,.5\n", 2, 2, NULL, four);
    check_numbers("1.5 ; -2\n3e2;.5", 2, 2, NULL, four);
    check_numbers("1.5\t-2\r\n3e2\t.5\r\n", 2, 2, NULL, four);
    check_numbers("  1.5   -2\n 3e2 .5  \n", 2, 2, NULL, four);
    check_numbers("1.5\n-2\n3e2\n.5\n", 1, 4, NULL, four);
    check_numbers("1.5\r-2\r3e2\r.5\r", 1, 4, NULL, four);
}

static void headers_quotes_comments_and_marks_are_understood(void **state)
{
    (void)state;
    const double four[] = {1.5, -2, 3e2, 0.5};
    check_numbers("\xef\xbb\xbf# from the lab\n\na,b\n1.5,-2 # first\n\n3e2,.5\n#end", 2, 2, "a", four);
    check_numbers("\"a, \"\"b\"\"\",c\n\"1.5\" , \"-2\"\n3e2,\".5\"\n", 2, 2, "a, \"b\"", four);
    check_numbers("\"a b\" c\n1.5 \"-2\"\n3e2 .5\n", 2, 2, "a b", four);
    check_numbers("\"two\nlines\",c\n1.5,-2\n3e2,.5\n", 2, 2, "two\nlines", four);
}

static void columns_are_found_by_name(void **state)
{
    (void)state;
    problem_error error = {.status = GOFH_OK};
    assert_int_equal(parse("trial,status,f\n1,done,2\n2,failed,\n", &error), GOFH_OK);
    assert_int_equal(csv_find(&table, "f"), 2);
    assert_int_equal(csv_find(&table, "g"), -1);
    assert_string_equal(table.cells[4].text, "failed");
    csv_free(&table);
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *expected;
    } cases[] = {
        {"", "d.csv: there are no numbers in it"},
        {"time\n", "d.csv: there are no numbers in it"},
        {"# nothing\n\n", "d.csv: there are no numbers in it"},
        {"1,2\n3\n", "d.csv:2:1: 1 cell here, but 2 in the first row"},
        {"T [K]\n300\n", "d.csv:2:1: 1 cell here, but 2 in the first row: blanks separate cells; a name with "
                         "one needs quotes, \"T [K]\""},
        {"1,2\n3,4,5\n", "d.csv:2:1: 3 cells here, but 2 in the first row"},
        {"a\n\"1\n2\n", "d.csv:2:1: the quote is never closed"},
        {"a,b\n\"1\"2,3\n",
         "d.csv:2:4: after a quoted cell the next one, or the end of the line, is expected"},
        {"1\n\x80\n", "d.csv:2:1: byte 0x80 is not UTF-8: save the file as UTF-8"},
        {"1\n\n  two\n", "d.csv:3:3: \"two\" is not a number"},
        {"nan\n1\n", "d.csv:1:1: \"nan\" is not a number: it must be finite"},
        {"1e400\n", "d.csv:1:1: 1e400 is too large"},
        {"a,b\n ,1\n", "d.csv:2:2: the cell is empty: a number is expected"},
        {"0x10\n0x10\n", "d.csv:2:1: \"0x10\" is not a number: write it as a decimal number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        problem_error error = {.status = GOFH_OK};
        char text[1024] = "";
        double value;
        if (!parse(cases[i].bytes, &error))
            for (int row = 0; row < table.rows; row++) csv_number(&table, row, 0, &value, &error);
        csv_free(&table);
        problem_error_text(&error, text, sizeof text);
        assert_string_equal(text, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_separators_are_found),
        cmocka_unit_test(headers_quotes_comments_and_marks_are_understood),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
