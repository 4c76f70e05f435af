#include "check.h"

#include "report/plot.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static FILE *begin(void)
{
    return open_memstream(&text, &length);
}

static void steps_are_1_2_or_5_times_a_power_of_10(void **state)
{
    (void)state;
    check_near(plot_step(0.0, 100.0, 10), 10.0, 0.0);
    check_near(plot_step(0.0, 9.0, 5), 2.0, 0.0);
    check_near(plot_step(-16.0, 2.0, 4), 5.0, 0.0);
    check_near(plot_step(0.0, 0.0031, 6), 0.0005, 1e-18);
    check_near(plot_step(1e9, 1.08e9, 10), 1e7, 0.0);
}

static void what_xml_reserves_is_escaped(void **state)
{
    (void)state;
    FILE *file = begin();
    svg_escape(file, "a<b & \"c\">d\033[1m\xc2\x9b\xc3\xa9\n");
    fclose(file);
    assert_string_equal(text, "a&lt;b &amp; &quot;c&quot;&gt;d [1m \xc3\xa9\n");
    free(text);
}

static void a_point_that_is_not_finite_interrupts_a_path(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3}, y[] = {1, 2, INFINITY, 4};
    FILE *file = begin();
    svg_path(file, x, y, 4, NULL);
    fclose(file);
    assert_non_null(strstr(text, "d=\" M0.00 1.00 L1.00 2.00 M3.00 4.00\""));
    free(text);
}

static int occurrences(const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) count++;
    return count;
}

static void a_plot_of_nothing_finite_is_still_a_frame(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {INFINITY, NAN};
    const plot_curve curve = {"none", PLOT_MARKED, 0, 2, x, y, y, y};
    const plot p = {.curves = &curve, .count = 1, .legend = 1};
    FILE *file = begin();
    assert_int_equal(plot_draw(file, &p, (plot_box){0, 0, 300, 200}), 0);
    fclose(file);
    assert_int_equal(occurrences("<rect"), 1);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

static void labels_of_curves_that_end_together_do_not_overlap(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {0, 1};
    plot_curve curves[6];
    for (int i = 0; i < 6; i++) curves[i] = (plot_curve){"same", PLOT_MARKED, i, 2, x, y, NULL, NULL};
    const plot p = {.curves = curves, .count = 6, .legend = 1};
    FILE *file = begin();
    assert_int_equal(plot_draw(file, &p, (plot_box){0, 0, 400, 300}), 0);
    fclose(file);
    double last = -INFINITY;
    int seen = 0;
    for (char *at = text; (at = strstr(at, ">same<")); at++, seen++) {
        char *element = at;
        while (strncmp(element, " y=\"", 4) != 0) element--;
        double level = strtod(element + 4, NULL);
        assert_true(level >= last + 12.0); /* the size of the letters */
        last = level;
    }
    assert_int_equal(seen, 6);
    assert_true(last < 300.0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_1_2_or_5_times_a_power_of_10),
        cmocka_unit_test(what_xml_reserves_is_escaped),
        cmocka_unit_test(a_point_that_is_not_finite_interrupts_a_path),
        cmocka_unit_test(a_plot_of_nothing_finite_is_still_a_frame),
        cmocka_unit_test(labels_of_curves_that_end_together_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
