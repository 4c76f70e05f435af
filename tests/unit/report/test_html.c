#include "unit/report/pages.h"

static const report_parameter PARAMETERS[2] = {{"a<b>", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                               {"\"b\"", 0.1, 10.0, GOFH_SCALE_LOG, 0, NULL, NULL}};
static const report_output OUTPUTS[2] = {{"c&", 3}, {"d", 1}};
static const double MEASURED[3] = {1.0, 2.0, 3.0};

static gofh_study *make_study(const char *method)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.hyper_samples = 2;
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.1, 10.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, 4);
    gofh_problem_set_data(problem, "measured", MEASURED, 3);
    gofh_problem_minimize(problem, "sum((y[0:3] - measured)^2) + y[3]^2");
    gofh_problem_add_constraint(problem, "y[0] >= 0");
    assert_int_equal(gofh_study_create(&study, problem, &settings, &error), GOFH_OK);
    gofh_problem_free(problem);
    return study;
}

/* Asks; tells y scaled by a and b, or the constants, or fails. */
typedef enum { MOVING, CONSTANT, INFEASIBLE, FAILING } behaviour;

static void advance(gofh_study *study, int count, behaviour how)
{
    for (int i = 0; i < count; i++) {
        int64_t trial;
        double x[2];
        assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_OK);
        const double moving[4] = {x[0], x[0] * x[0], log(x[1]), x[0] - x[1]},
                     constant[4] = {1.0, 2.0, 3.0, 4.0};
        const double infeasible[4] = {-1.0 - x[0], x[0], x[1], 0.0};
        if (how == FAILING)
            gofh_study_fail(study, trial, "<script>alert('x')</script> & \"more\"");
        else
            gofh_study_tell(study, trial, how == MOVING ? moving : how == CONSTANT ? constant : infeasible);
    }
}

/* The report, to be freed. */
static char *report_of(gofh_study *study)
{
    static const char *const constraint = "y[0] >= 0 <i>";
    const report_input input = {.study = study,
                                .title = "</title><script>alert(1)</script>",
                                .parameters = PARAMETERS,
                                .parameter_count = 2,
                                .outputs = OUTPUTS,
                                .output_count = 2,
                                .objective = "sum(y^2) < \"&\"",
                                .sense = GOFH_MINIMIZE,
                                .constraints = &constraint,
                                .constraint_count = 1,
                                .budget = 60};
    return page_of(&input);
}

/* Every element that opens also closes, no number of a picture is NaN or infinite, and nothing of
 * the user's is markup. */
static void check_sound(const char *text)
{
    static const char *const elements[] = {"section", "figure",  "svg", "table", "tr",
                                           "div",     "details", "p",   "span",  "b"};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char open[16], with[16], close[16];
        snprintf(open, sizeof open, "<%s>", elements[i]);
        snprintf(with, sizeof with, "<%s ", elements[i]);
        snprintf(close, sizeof close, "</%s>", elements[i]);
        assert_int_equal(occurrences(text, open) + occurrences(text, with), occurrences(text, close));
    }
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "\"inf"));
    assert_null(strstr(text, " inf"));
    assert_int_equal(occurrences(text, "<script"), 1); /* our own */
    assert_null(strstr(text, "http"
                             "://"));
    assert_null(strstr(text, "https"));
    assert_int_equal(occurrences(text, "</title>"), 1);
    assert_non_null(strstr(text, "</html>"));
}

static void a_study_without_trials_says_so(void **state)
{
    (void)state;
    char *text = report_of(make_study("gofh"));
    check_sound(text);
    assert_non_null(strstr(text, "There are none yet."));
    assert_null(strstr(text, "id=\"convergence\""));
    free(text);
}

/* What a page says at rest: without its style and script, whose words are not the report's. */
static char *body_of(char *text)
{
    char *end = strstr(text, "<script>");
    if (end) *end = '\0';
    return strstr(text, "<body>");
}

static void only_failures_are_a_report_with_reasons(void **state)
{
    (void)state;
    gofh_study *study = make_study("gofh");
    advance(study, 3, FAILING);
    char *text = report_of(study);
    check_sound(text);
    assert_int_equal(occurrences(text, "&lt;script&gt;alert('x')&lt;/script&gt; &amp; &quot;more&quot;"), 3);
    assert_non_null(strstr(text, "<b>3</b><span>failed</span>"));
    assert_non_null(strstr(text, "No trial has a finite f yet: 3 failed"));
    assert_null(strstr(body_of(text), "aria-label=\"Best value"));
    free(text);
}

static void one_trial_is_a_report(void **state)
{
    (void)state;
    gofh_study *study = make_study("gofh");
    advance(study, 1, MOVING);
    char *text = report_of(study);
    check_sound(text);
    assert_non_null(strstr(text, "<b>1</b><span>best trial</span>"));
    free(text);
}

static void constant_outputs_and_an_infinite_f_are_a_report(void **state)
{
    (void)state;
    gofh_study *study = make_study("gofh");
    advance(study, 5, CONSTANT);
    char *text = report_of(study);
    check_sound(text);
    assert_int_equal(occurrences(text, "<small>constant</small>"), 4);
    assert_non_null(
        strstr(text, "</svg>restart some way from the best</span>")); /* and no other words for it */
    free(text);
    study = make_study("gofh");
    advance(study, 4, INFEASIBLE);
    text = report_of(study);
    check_sound(text);
    assert_non_null(strstr(text, "<b>∞</b><span>best f, nothing feasible was seen</span>"));
    assert_int_equal(occurrences(text, "<td>∞</td><td class=\"r\">not feasible</td>"), 4);
    assert_non_null(strstr(text, "<b class=\"broken\">violated</b></td><td>4 of 4</td>"));
    free(text);
}

static void a_full_report_has_all_parts(void **state)
{
    (void)state;
    static const char *const parts[] = {"constraints", "convergence", "fit",     "residuals", "slices",
                                        "sensitivity", "scatter",     "quality", "trials"};
    gofh_study *study = make_study("ei-cf");
    advance(study, 8, MOVING);
    advance(study, 1, FAILING);
    char *text = report_of(study), id[32];
    check_sound(text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(id, sizeof id, "id=\"%s\"", parts[i]);
        assert_int_equal(occurrences(text, id), 1);
    }
    assert_int_equal(occurrences(text, "aria-label=\"Slice through the best point: "), 2 * (1 + 4));
    assert_int_equal(occurrences(text, "aria-label=\"Predicted against simulated, of "), 4);
    assert_non_null(strstr(text, "Output c&amp;[2]"));
    assert_non_null(strstr(text, "<td class=\"t\"><code>a&lt;b&gt;</code>"));
    free(text);
}

static void methods_that_model_f_only_have_no_pictures_of_outputs(void **state)
{
    (void)state;
    gofh_study *study = make_study("ei");
    advance(study, 8, MOVING);
    char *text = report_of(study);
    check_sound(text);
    assert_int_equal(occurrences(text, "aria-label=\"Slice through the best point: "), 2);
    assert_null(strstr(text, "id=\"quality\""));
    free(text);
}

static void what_can_not_be_reported_is_said(void **state)
{
    (void)state;
    report_input input = {
        .parameters = PARAMETERS, .parameter_count = 2, .outputs = OUTPUTS, .output_count = 2};
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(report_html(stdout, &input, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no study to report");
    input.study = make_study("gofh");
    input.output_count = 0;
    error = (gofh_error){.status = GOFH_OK};
    assert_int_equal(report_html(stdout, &input, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "a report needs the parameters and the outputs");
    input.output_count = 2;
    error = (gofh_error){.status = GOFH_OK};
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(report_html(full, &input, &error), GOFH_ERROR_SYSTEM);
    assert_string_equal(error.message, "the report can't be written: No space left on device");
    fclose(full);
    gofh_study_free(input.study);
}

/* A fit of an output that a trial may lack, to data that say where they were measured. */
static char *report_of_fit(void)
{
    static const double value[3] = {1.0, NAN, 3.0}, sigma = 0.25, at[3] = {100.0, 0.0, 40.0};
    static const report_parameter parameter = {"a", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL};
    static const report_output output = {"V", 3};
    static const report_data data = {"m", 3, at, "time <s>", "mV", "U & V"};
    gofh_problem *problem = gofh_problem_create();
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "V", 3);
    gofh_problem_set_data(problem, "m", value, 3);
    gofh_problem_set_sigma(problem, "m", &sigma, 1);
    gofh_problem_fit(problem, "V", "m", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    for (int j = 0; j < 3; j++) gofh_problem_allow_missing(problem, j);
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 9; i++) {
        double x = i / 8.0, y[3] = {x, 1.0 + x * x, i % 3 == 1 ? NAN : 3.0 - x};
        assert_int_equal(gofh_study_import(study, &x, y, NULL), GOFH_OK);
    }
    const report_input input = {.study = study,
                                .title = "fit",
                                .parameters = &parameter,
                                .parameter_count = 1,
                                .outputs = &output,
                                .output_count = 1,
                                .data = &data,
                                .data_count = 1,
                                .objective = "fit",
                                .sense = GOFH_MINIMIZE};
    return page_of(&input);
}

static void a_fit_is_drawn_over_the_places_of_its_data(void **state)
{
    (void)state;
    char *text = report_of_fit(), *begin = strstr(text, "<section id=\"fit\">");
    assert_non_null(begin);
    assert_null(strstr(text, "nan"));
    *strstr(begin, "</section>") = '\0';
    assert_non_null(strstr(begin, "time &lt;s&gt;"));
    assert_non_null(strstr(begin, "U &amp; V (mV)"));
    assert_non_null(strstr(begin, "with one standard deviation"));
    assert_null(strstr(begin, ">element<"));
    /* The curve goes from left to right though the data do not. */
    static const char model[] = "<path class=\"line model\" d=\"";
    double x[3], y[3];
    const char *line = strstr(begin, model);
    assert_non_null(line);
    assert_int_equal(
        sscanf(line + sizeof model - 1, "M%lf %lfL%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
        6);
    check_near((x[1] - x[0]) / (x[2] - x[0]), 0.4, 1e-3); /* printed to a tenth of some hundred */
    free(text);
}

/* y[0] of "y[0] <= 0.5" at its limit; the second parameter at its upper bound, the first in between. */
static void constraints_and_bounds_are_said_in_words(void **state)
{
    (void)state;
    static const char *const constraint = "y[0] <= 0.5";
    gofh_problem *problem = gofh_problem_create();
    gofh_study *study;
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.1, 10.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "y[1]");
    gofh_problem_add_constraint(problem, constraint);
    assert_int_equal(gofh_study_create(&study, problem, NULL, NULL), GOFH_OK);
    gofh_problem_free(problem);
    const double x[3][2] = {{0.5, 10.0}, {0.9, 1.0}, {0.2, 3.0}},
                 y[3][2] = {{0.4999, 1.0}, {0.9, 0.5}, {0.2, 4.0}};
    for (int i = 0; i < 3; i++) assert_int_equal(gofh_study_import(study, x[i], y[i], NULL), GOFH_OK);
    const report_parameter parameters[2] = {{"a", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                            {"outer", 0.1, 10.0, GOFH_SCALE_LOG, 0, NULL, NULL}};
    const report_output output = {"y", 2};
    const report_run runs[3] = {{5.0, "runs/0001/", 1}, {NAN, NULL, 0}, {10.0, "runs/0003/", 0}};
    const report_input input = {.study = study,
                                .parameters = parameters,
                                .parameter_count = 2,
                                .outputs = &output,
                                .output_count = 1,
                                .objective = "y[1]",
                                .sense = GOFH_MINIMIZE,
                                .constraints = &constraint,
                                .constraint_count = 1,
                                .runs = runs};
    char *text = page_of(&input);
    assert_non_null(
        strstr(text, "<code>outer</code> is at its upper bound 10: the optimum may lie beyond it."));
    assert_non_null(
        strstr(text, "<td>0.4999</td><td>0.5</td><td>0.0001</td><td class=\"t\"><b class=\"active\">active"
                     "</b></td><td>1 of 3</td>"));
    assert_non_null(strstr(text, "<a href=\"runs/0001/\">1</a></td><td>1</td>"));
    assert_non_null(strstr(text, "<td class=\"t\">check</td>"));
    assert_non_null(strstr(text, "<b>1</b><span>by gofh check</span>"));
    assert_non_null(strstr(text, "<b>2</b><span>imported</span>"));
    assert_non_null(strstr(text, "Run times of 2 trials: the median 10 s, from 5 s to 10 s"));
    assert_non_null(strstr(text, "<th class=\"t\">chosen by</th>")); /* as gofh show and gofh log have it */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_without_trials_says_so),
        cmocka_unit_test(only_failures_are_a_report_with_reasons),
        cmocka_unit_test(one_trial_is_a_report),
        cmocka_unit_test(constant_outputs_and_an_infinite_f_are_a_report),
        cmocka_unit_test(a_full_report_has_all_parts),
        cmocka_unit_test(methods_that_model_f_only_have_no_pictures_of_outputs),
        cmocka_unit_test(a_fit_is_drawn_over_the_places_of_its_data),
        cmocka_unit_test(what_can_not_be_reported_is_said),
        cmocka_unit_test(constraints_and_bounds_are_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
