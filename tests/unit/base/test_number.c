#include "base/number.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

/* Digits are counted by hand: 90.0000012 with 3e-9 needs those down to 1e-10. */
static void digits_go_down_to_the_second_of_the_deviation(void **state)
{
    (void)state;
    static const struct {
        double value, deviation;
        int digits;
    } table[] = {{90.0000012, 3e-9, 12},
                 {-90.0000012, 9.9e-9, 12},
                 {1.5, 0.067, 5},
                 {1234567.0, 2.0, 8},
                 {0.000123456789, 1e-9, 7},
                 {1e-300, 1e-310, 12},
                 {1.0, 1e-30, 17},
                 {2.0, 1e9, 5},
                 {0.0, 1.0, 5},
                 {NAN, 1.0, 5},
                 {1.0, NAN, 5},
                 {INFINITY, 1.0, 5},
                 {0.1, 0.0, 15}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_int_equal(number_digits(table[i].value, table[i].deviation), table[i].digits);
}

/* Whatever the deviation, what is written is nearer to the value than a twentieth of it. */
static void what_is_written_with_them_is_the_value_but_for_a_fraction_of_the_deviation(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double value = pow(1.013, i - 900.0) * (i % 2 ? -1.0 : 1.0), deviation = fabs(value) * pow(0.99, i);
        char text[NUMBER_TEXT];
        number_format(text, sizeof text, "%.*g", number_digits(value, deviation), value);
        double rounding = 1e-16 * fabs(value);
        assert_true(fabs(number_scan(text, NULL) - value) <= fmax(0.05 * deviation, rounding));
    }
}

static void a_short_number_has_no_power_of_ten_below_a_million(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } table[] = {{872.6, 2, "873"},       {99.6, 2, "100"},        {9.96, 2, "10"},
                 {-11654.3, 4, "-11654"}, {0.001234, 2, "0.0012"}, {1.5e6, 2, "1.5e+06"},
                 {2e-9, 3, "2e-09"},      {0.0, 2, "0"},           {INFINITY, 2, "inf"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[NUMBER_TEXT];
        number_write_short(table[i].value, table[i].digits, text);
        assert_string_equal(text, table[i].text);
    }
}

static void two_values_are_written_with_as_few_digits_as_tell_them_apart(void **state)
{
    (void)state;
    static const struct {
        double a, b;
        int least, digits;
    } table[] = {{10.0, 11.0, 10, 10},
                 {10.0, 10.0, 10, 10},
                 {10.0000000000001, 10.0, 10, 15}, /* 2 + 13 */
                 {-1.001, -1.0, 2, 4},
                 {0.30000000000000004, 0.3, 6, 17}, /* neighbours */
                 {NAN, 1.0, 6, 6},
                 {INFINITY, 1e308, 6, 6}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(number_digits_apart(table[i].a, table[i].b, table[i].least), table[i].digits);
        assert_int_equal(number_digits_apart(table[i].b, table[i].a, table[i].least), table[i].digits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_go_down_to_the_second_of_the_deviation),
        cmocka_unit_test(a_short_number_has_no_power_of_ten_below_a_million),
        cmocka_unit_test(what_is_written_with_them_is_the_value_but_for_a_fraction_of_the_deviation),
        cmocka_unit_test(two_values_are_written_with_as_few_digits_as_tell_them_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
