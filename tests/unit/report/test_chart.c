#include "check.h"
#include "report/chart.h"
#include "report/chart_axis.h"

#include <stdlib.h>
#include <string.h>

static void a_logarithmic_axis_has_three_ticks_or_more(void **state)
{
    (void)state;
    /* From a twentieth of a decade to 300 decades, anywhere. */
    for (double decades = 0.05; decades < 300.0; decades *= 1.17)
        for (double first = -6.3; first < 3.0; first += 0.37) {
            double low = pow(10.0, first), tick[AXIS_TICKS];
            chart_axis axis = {.low = low, .high = low * pow(10.0, decades), .log = 1};
            if (!isfinite(axis.high)) continue;
            int count = axis_ticks(&axis, 130.0, 36.0, tick);
            if (count < 3 && decades > 0.4) print_error("%g decades from %g\n", decades, low);
            assert_true(count >= (decades > 0.4 ? 3 : 2));
            assert_true(count <= 9); /* 130 high: numbers do not touch */
            for (int i = 0; i < count; i++) {
                assert_true(tick[i] >= axis.low * (1.0 - 1e-6) && tick[i] <= axis.high * (1.0 + 1e-6));
                if (i) assert_true(tick[i] > tick[i - 1]);
            }
        }
}

static void an_axis_over_all_that_doubles_span_has_ticks(void **state)
{
    (void)state;
    const chart_axis axis = {.low = 1e-300, .high = 1e300, .log = 1};
    double tick[AXIS_TICKS];
    int count = axis_ticks(&axis, 130.0, 36.0, tick);
    assert_in_range(count, 3, 9);
    for (int i = 0; i < count; i++) assert_true(tick[i] >= 1e-300 && tick[i] <= 1e300);
}

static void numbers_of_logarithmic_axes_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{100.0, "100"},   {1000.0, "1000"}, {1e-7, "10⁻⁷"},
                 {3e-7, "3·10⁻⁷"}, {0.02, "0.02"},   {5e12, "5·10¹²"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[48];
        chart_number(cases[i].value, 1, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void names_of_charts_are_names_of_files(void **state)
{
    (void)state;
    chart c = {.width = 100.0};
    chart_name(&c, "slice", "T[3]", "../../etc/passwd");
    assert_string_equal(c.id, "slice-T_3-_etc_passwd");
    chart_name(&c, "fit", "–f", NULL);
    assert_null(strpbrk(c.id, "/. \n"));
}

static void a_bar_beyond_the_frame_ends_in_an_arrow(void **state)
{
    (void)state;
    static const double ENDS[4][2] = {{0.2, 0.8}, {0.2, 3.0}, {-3.0, 0.8}, {-3.0, 3.0}};
    for (int i = 0; i < 4; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        chart c = {.file = file, .width = 200.0, .height = 100.0, .x = {.high = 1.0}, .y = {.high = 1.0}};
        chart_bar(&c, 0.5, ENDS[i][0], ENDS[i][1]);
        fclose(file);
        assert_int_equal(strstr(text, "m-2.5 4.5l") != NULL, ENDS[i][1] > 1.0);
        assert_int_equal(strstr(text, "m-2.5-4.5l") != NULL, ENDS[i][0] < 0.0);
        free(text);
    }
}

/* Very many trials at two places are two marks, and their trials are told for them alone. */
static void marks_upon_each_other_are_drawn_once(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static int trial[COUNT];
    static double x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        trial[i] = i + 1;
        x[i] = y[i] = i % 2;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    chart c = {.file = file, .width = 360.0, .height = 250.0, .x = {.high = 1.0}, .y = {.high = 1.0}};
    chart_begin(&c, "a & b", NULL, NULL);
    chart_trials(&c, "design", CHART_DOT, trial, x, y, COUNT);
    chart_end(&c);
    fclose(file);
    assert_non_null(strstr(text, "aria-label=\"a &amp; b\""));
    assert_non_null(strstr(text, "data-trials=\"1 2 \""));
    free(text);
}

/* Choices: each is named, the long one is cut, and the script knows all of it. */
static void an_axis_of_words_has_them_for_ticks(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"steel", "tin & lead", "titanium, of the fifth grade"};
    const chart_axis words = {.low = -0.5, .high = 2.5, .words = WORDS, .word_count = 3};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    chart c = {.file = file, .width = 360.0, .height = 250.0, .x = words, .y = words};
    chart_begin(&c, "materials", NULL, NULL);
    chart_end(&c);
    fclose(file);
    assert_non_null(strstr(text, "data-x-words=\"0\nsteel\ntin &amp; lead\ntitanium, of the fifth grade\""));
    const char *y = strstr(text, ">steel</text>"), *x = y ? strstr(y + 1, ">steel</text>") : NULL;
    assert_non_null(x);
    assert_non_null(strstr(x, ">tin &amp; lead</text>"));
    assert_non_null(strstr(text, ">titanium, o…</text>")); /* 12 characters */
    assert_null(strstr(text, ">0.5</text>"));
    free(text);
}

/* Those next to each other take turns on two lines. */
static void words_with_little_room_are_on_two_lines(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"first order", "second order", "Michaelis-Menten", "zeroth order"};
    double line[4];
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    chart c = {.file = file,
               .width = 290.0,
               .height = 190.0,
               .x = {.low = -0.5, .high = 3.5, .words = WORDS, .word_count = 4},
               .y = {.high = 1.0}};
    chart_begin(&c, "laws", "law", NULL);
    chart_end(&c);
    fclose(file);
    for (int i = 0; i < 4; i++) {
        char whole[32];
        snprintf(whole, sizeof whole, ">%s</text>", WORDS[i]);
        const char *at = strstr(text, whole);
        if (!at) print_error("no \"%s\"\n", WORDS[i]);
        assert_non_null(at);
        while (strncmp(at, " y=\"", 4) != 0) at--;
        line[i] = strtod(at + 4, NULL);
    }
    assert_true(line[1] >= line[0] + 10.0 && line[2] == line[0] && line[3] == line[1]);
    assert_true(line[1] + 10.0 <= 190.0 - 6.0); /* above the title */
    free(text);
}

static void whole_numbers_have_no_ticks_between_them(void **state)
{
    (void)state;
    for (int log = 0; log < 2; log++)
        for (int last = 2; last < 300; last += last < 20 ? 1 : 17) {
            const chart_axis axis = {.low = 0.9, .high = last + 0.1, .log = log, .whole = 1};
            double tick[AXIS_TICKS];
            int count = axis_ticks(&axis, 240.0, 30.0, tick);
            assert_true(count >= 2);
            for (int i = 0; i < count; i++) assert_true(tick[i] == floor(tick[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_logarithmic_axis_has_three_ticks_or_more),
        cmocka_unit_test(an_axis_over_all_that_doubles_span_has_ticks),
        cmocka_unit_test(numbers_of_logarithmic_axes_are_short),
        cmocka_unit_test(names_of_charts_are_names_of_files),
        cmocka_unit_test(a_bar_beyond_the_frame_ends_in_an_arrow),
        cmocka_unit_test(marks_upon_each_other_are_drawn_once),
        cmocka_unit_test(an_axis_of_words_has_them_for_ticks),
        cmocka_unit_test(words_with_little_room_are_on_two_lines),
        cmocka_unit_test(whole_numbers_have_no_ticks_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
