/* Curves of more points than a chart has columns, and the size of a report with them. */
#include "report/envelope.h"

#include "unit/report/pages.h"

enum { SIZE = 12345 };

static const chart CHART = {.width = 760.0, .height = 310.0};

static double rough(int j)
{
    return sin(0.01 * j) + 0.3 * sin(1234.5 * j);
}

static void each_column_has_the_lowest_and_the_highest_of_its_values(void **state)
{
    (void)state;
    static envelope e;
    envelope_begin(&e, &CHART, SIZE);
    assert_int_equal(e.columns, 380);
    for (int j = 0; j < SIZE; j++) envelope_add(&e, j, rough(j), rough(j));
    for (int k = 0; k < e.columns; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int j = 0; j < SIZE; j++) {
            if ((int)floor((double)j / SIZE * 380.0 + 1e-9) != k) continue;
            low = fmin(low, rough(j));
            high = fmax(high, rough(j));
            /* a value is drawn less than a column from its place */
            assert_true(fabs(e.at[k] - j) < SIZE / 380.0);
        }
        assert_true(e.low[k] == low && e.high[k] == high);
        assert_true(k == 0 || e.at[k] > e.at[k - 1]);
    }
}

static void columns_of_a_line_touch(void **state)
{
    (void)state;
    static envelope e;
    envelope_begin(&e, &CHART, SIZE);
    for (int j = 0; j < SIZE; j++) envelope_add(&e, j, fabs(j - 5000.0), fabs(j - 5000.0));
    int steps = 0;
    for (int k = 1; k < e.columns; k++) steps += e.low[k] > e.high[k - 1] || e.high[k] < e.low[k - 1];
    assert_true(steps > 370); /* all but where it turns */
    envelope_join(&e);
    for (int k = 1; k < e.columns; k++) assert_true(e.low[k] <= e.high[k - 1] && e.high[k] >= e.low[k - 1]);
}

static char *drawing_of(const envelope *e)
{
    char *text = NULL;
    size_t size = 0;
    chart c = CHART;
    c.file = open_memstream(&text, &size);
    assert_non_null(c.file);
    c.x = (chart_axis){.low = -0.5, .high = SIZE - 0.5};
    c.y = (chart_axis){.low = -1.0, .high = 1.0};
    envelope_draw(e, &c, "dense");
    fclose(c.file);
    return text;
}

static void what_is_missing_or_outside_the_frame_interrupts_the_area(void **state)
{
    (void)state;
    static envelope e;
    envelope_begin(&e, &CHART, SIZE);
    for (int j = 0; j < SIZE; j++) envelope_add(&e, j, 0.0, 0.5);
    char *text = drawing_of(&e);
    assert_int_equal(occurrences(text, "<path"), 1);
    free(text);
    envelope_begin(&e, &CHART, SIZE);
    for (int j = 0; j < SIZE; j++) {
        double value = j < 3000 ? 0.0 : j < 6000 ? NAN : j < 8000 ? 0.5 : j < 9000 ? 1.5 : -0.5;
        envelope_add(&e, j, value, value);
    }
    text = drawing_of(&e);
    assert_int_equal(occurrences(text, "<path"), 3);
    assert_null(strstr(text, "nan"));
    free(text);
    envelope_begin(&e, &CHART, SIZE);
    text = drawing_of(&e);
    assert_string_equal(text, "");
    free(text);
}

/* A report of `outputs` curves of `size` values each, compared with data, after 30 trials. */
static char *report_of(int outputs, int size)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    report_output shown[6];
    char objective[256] = "0";
    int m = outputs * size;
    double *y = malloc((size_t)m * sizeof *y);
    assert_non_null(y);
    for (int j = 0; j < m; j++) y[j] = rough(j);
    gofh_settings_defaults(&settings);
    settings.method = "random";
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    for (int i = 0; i < outputs; i++) {
        size_t length = strlen(objective);
        shown[i] = (report_output){.name = names[i], .size = size};
        gofh_problem_add_output(problem, names[i], size);
        snprintf(objective + length, sizeof objective - length, " + sum(((%s - measured)/0.1)^2)", names[i]);
    }
    gofh_problem_set_data(problem, "measured", y, size);
    assert_int_equal(gofh_problem_minimize(problem, objective), GOFH_OK);
    assert_int_equal(gofh_study_create(&study, problem, &settings, &error), GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 30; i++) {
        const double x = i / 30.0;
        for (int j = 0; j < m; j++) y[j] = (1.0 + x) * rough(j);
        assert_int_equal(gofh_study_import(study, &x, y, NULL), GOFH_OK);
    }
    free(y);
    const report_parameter parameter = {"x", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL};
    const report_input input = {.study = study,
                                .title = "curves",
                                .parameters = &parameter,
                                .parameter_count = 1,
                                .outputs = shown,
                                .output_count = outputs,
                                .objective = "f",
                                .sense = GOFH_MINIMIZE,
                                .budget = 60};
    return page_of(&input);
}

static void check_small(int outputs, int size)
{
    char *text = report_of(outputs, size);
    assert_true(strlen(text) < 1000000);
    assert_true(occurrences(text, "<path") < 400);
    assert_true(occurrences(text, "<") < 3000);
    assert_int_equal(occurrences(text, "class=\"band dense model\""), 2 * outputs);
    assert_int_equal(occurrences(text, "class=\"band dense measured\""), 2 * outputs);
    assert_int_equal(occurrences(text, "class=\"mark measured\""), outputs); /* of the legend */
    free(text);
}

static void a_report_of_100000_values_stays_below_a_megabyte(void **state)
{
    (void)state;
    check_small(1, 100000);
    check_small(6, 16666);
}

static void a_short_curve_keeps_its_dots_and_lines(void **state)
{
    (void)state;
    char *text = report_of(1, 500);
    assert_int_equal(occurrences(text, "dense model\""), 0);
    assert_int_equal(occurrences(text, "class=\"mark measured\""), 3); /* two charts and the legend */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_column_has_the_lowest_and_the_highest_of_its_values),
        cmocka_unit_test(columns_of_a_line_touch),
        cmocka_unit_test(what_is_missing_or_outside_the_frame_interrupts_the_area),
        cmocka_unit_test(a_report_of_100000_values_stays_below_a_megabyte),
        cmocka_unit_test(a_short_curve_keeps_its_dots_and_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
