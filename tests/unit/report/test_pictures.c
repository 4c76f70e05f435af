/* What the pictures of a report show: which data, on which scales, and where constraints do not
 * hold. */
#include "unit/report/pages.h"

/* Outputs, points of a slice over its range, those around the best one and itself, height of its frame. */
enum { M = 7, POINTS = 49, NEAR = 17, HEIGHT = 126 };

static const report_parameter PARAMETERS[2] = {{"a", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                               {"b", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL}};
static const report_output OUTPUTS[3] = {{"p", 1}, {"T", 3}, {"q", 3}};

typedef void (*simulator)(double a, double b, double y[M]);

/* The report of a study of 25 imported points, to be freed. */
static char *report_on(simulator h, const char *objective, gofh_sense sense, const char *constraint)
{
    static const double measured[3] = {0.3, 0.5, 0.7}, sigma[3] = {0.01, 0.02, 0.03};
    static const double steep[3] = {2e5, 300.0, 0.5};
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    for (int k = 0; k < 2; k++)
        gofh_problem_add_parameter(problem, PARAMETERS[k].name, 0.0, 1.0, GOFH_SCALE_LINEAR);
    for (int i = 0; i < 3; i++) gofh_problem_add_output(problem, OUTPUTS[i].name, OUTPUTS[i].size);
    gofh_problem_set_data(problem, "sigma", sigma, 3);
    gofh_problem_set_data(problem, "measured", measured, 3);
    gofh_problem_set_data(problem, "steep", steep, 3);
    if (sense == GOFH_MINIMIZE)
        gofh_problem_minimize(problem, objective);
    else
        gofh_problem_maximize(problem, objective);
    if (constraint) gofh_problem_add_constraint(problem, constraint);
    gofh_status status = gofh_study_create(&study, problem, &settings, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 25; i++) {
        double x[2] = {0.25 * (i % 5), 0.25 * (i / 5)}, y[M];
        h(x[0], x[1], y);
        assert_int_equal(gofh_study_import(study, x, y, NULL), GOFH_OK);
    }
    const report_input input = {.study = study,
                                .parameters = PARAMETERS,
                                .parameter_count = 2,
                                .outputs = OUTPUTS,
                                .output_count = 3,
                                .objective = objective,
                                .sense = sense,
                                .constraints = &constraint,
                                .constraint_count = constraint != NULL};
    return page_of(&input);
}

static void plain(double a, double b, double y[M])
{
    y[0] = a - b;
    for (int j = 0; j < 3; j++) {
        y[1 + j] = a * (j + 1) + 0.1 * b;
        y[4 + j] = b * (j + 1);
    }
}

/* Slice `which` of those whose y axis has this title, from 0. */
static const char *slice_of(const char *text, const char *title, int which)
{
    char words[64];
    snprintf(words, sizeof words, ">%s</text>", title);
    const char *at = strstr(text, "id=\"slices\"");
    for (int i = 0; at && i <= which; i++) {
        at = strstr(at + 1, "aria-label=\"Slice");
        const char *end = at ? strstr(at, "</svg>") : NULL, *name = at ? strstr(at, words) : NULL;
        if (!name || name > end) i--; /* of something else */
    }
    assert_non_null(at);
    return at;
}

/* The line of the model in a drawing: how many points it has, and how high it is. */
static int line_of(const char *drawing, double *height)
{
    const char *p = strstr(drawing, "class=\"line model\" d=\"");
    assert_non_null(p);
    double low = INFINITY, high = -INFINITY;
    int count = 0;
    for (p = strchr(p + 20, '"') + 1; *p == 'M' || *p == 'L'; count++) {
        char *end;
        strtod(p + 1, &end);
        double y = strtod(end, &end);
        low = fmin(low, y);
        high = fmax(high, y);
        p = end;
    }
    *height = high - low;
    return count;
}

static void what_is_subtracted_is_measured_and_what_divides_its_deviation(void **state)
{
    (void)state;
    char *text = report_on(plain, "sum(((T - measured) / sigma)^2)", GOFH_MINIMIZE, NULL);
    assert_int_equal(occurrences(text, "<b>T</b> and <b>measured</b>"), 1);
    assert_int_equal(occurrences(text, "</b> and <b>"), 1);
    assert_int_equal(occurrences(text, "class=\"line bars measured\""),
                     2); /* on wide screens, and on narrow ones */
    assert_int_equal(occurrences(text, "two sigma</span>"), 1);
    free(text);
    text = report_on(plain, "sum((q - measured)^2)", GOFH_MINIMIZE, NULL);
    assert_int_equal(occurrences(text, "<b>q</b> and <b>measured</b>"), 1);
    assert_int_equal(occurrences(text, "</b> and <b>"), 1);
    assert_int_equal(occurrences(text, "class=\"line bars measured\""), 0);
    assert_int_equal(occurrences(text, "two sigma</span>"), 0); /* the data have none */
    free(text);
}

/* What is drawn are values of the output, and of the function that it is compared with. */
static void a_fit_is_labelled_with_what_is_compared(void **state)
{
    (void)state;
    char *text = report_on(plain, "sum((T - log10(steep))^2)", GOFH_MINIMIZE, NULL);
    const char *fit = strstr(text, "id=\"fit\"");
    char *drawing = strndup(fit, (size_t)(strstr(fit, "</section>") - fit));
    assert_non_null(drawing);
    assert_non_null(strstr(drawing, "<b>T</b> and <b>log10(steep)</b>"));
    assert_int_equal(occurrences(drawing, ">T</text>"), 2);
    assert_non_null(strstr(drawing, "</svg>log10(steep)</span>"));
    assert_null(strstr(drawing, "95 % band there")); /* of a linear simulator it is thinner than the line */
    free(drawing);
    free(text);
}

static void data_that_nothing_is_compared_with_are_not_drawn(void **state)
{
    (void)state;
    char *text = report_on(plain, "sum(measured * T) + sum(sigma * q)", GOFH_MINIMIZE, NULL);
    assert_null(strstr(text, "id=\"fit\""));
    assert_non_null(strstr(text, "the optimum may lie beyond them.")); /* a = 0 and b = 0 */
    free(text);
}

static void the_objective_is_drawn_where_constraints_do_not_hold(void **state)
{
    (void)state;
    double height;
    char *text = report_on(plain, "p", GOFH_MINIMIZE, "q[0] <= 0.4"); /* the best is at b = 0.25 */
    const char *along_b = slice_of(text, "f", 1);
    assert_int_equal(line_of(along_b, &height), POINTS + NEAR);
    assert_true(height > 0.5 * HEIGHT);
    const char *infeasible = strstr(along_b, "class=\"not-feasible\""), *end = strstr(along_b, "</svg>");
    assert_true(infeasible && infeasible < end);
    const char *along_a = slice_of(text, "f", 0);
    infeasible = strstr(along_a, "class=\"not-feasible\"");
    assert_true(infeasible > strstr(along_a, "</svg>")); /* b stays where it is */
    assert_non_null(strstr(text, "constraints probably do not hold"));
    free(text);
}

/* Number `which`, from 0, of those that follow the words. */
static double number_after(const char *text, const char *words, int which)
{
    const char *at = strstr(text, words);
    assert_non_null(at);
    char *end = (char *)at + strlen(words);
    double value = NAN;
    for (int i = 0; i <= which; i++) value = strtod(end, &end);
    return value;
}

/* From where to where a drawing is shaded, as values on its x axis, which is linear. */
static void shaded_in(const char *drawing, double *from, double *to)
{
    const char *tag = drawing, *shade = strstr(drawing, "class=\"not-feasible\"");
    assert_true(shade && shade < strstr(drawing, "</svg>"));
    while (strncmp(tag, "<svg", 4) != 0) tag--; /* from its label back to its beginning */
    double left = number_after(tag, "data-frame=\"", 0), right = number_after(tag, "data-frame=\"", 2);
    double low = number_after(tag, "data-x=\"", 0), high = number_after(tag, "data-x=\"", 1);
    double x = number_after(shade, " x=\"", 0), width = number_after(shade, " width=\"", 0);
    *from = low + (high - low) * (x - left) / (right - left);
    *to = low + (high - low) * (x + width - left) / (right - left);
}

static void what_is_shaded_is_where_constraints_do_not_hold(void **state)
{
    (void)state;
    double from, to, step = 1.0 / (POINTS - 1);
    char *text = report_on(plain, "p", GOFH_MINIMIZE, "q[0] <= 0.4");
    shaded_in(slice_of(text, "f", 1), &from, &to);
    check_near(from, 0.4, step);
    check_near(to, 1.0, step);
    free(text);
    text = report_on(plain, "p", GOFH_MAXIMIZE, "q[0] >= 0.4"); /* the best is at b = 0.5 */
    shaded_in(slice_of(text, "f", 1), &from, &to);
    check_near(from, 0.0, step);
    check_near(to, 0.4, step);
    free(text);
}

/* q[0] = b is 0, 0.25, 0.5, 0.75 and 1 in five trials each. */
static void trials_that_break_a_constraint_say_by_how_much(void **state)
{
    (void)state;
    char *text = report_on(plain, "p", GOFH_MINIMIZE, "q[0] <= 0.4");
    const char *table = strstr(text, "<section id=\"trials\">"), *scatter = strstr(text, "id=\"scatter\"");
    assert_non_null(strstr(table, "<th>violated by</th>"));
    assert_int_equal(occurrences(table, "not feasible</td><td>0.1</td>"), 5);
    assert_int_equal(occurrences(table, "not feasible</td><td>0.35</td>"), 5);
    assert_int_equal(occurrences(table, "not feasible</td><td>0.6</td>"), 5);
    assert_int_equal(occurrences(table, "done</td><td>–</td>"), 10);
    /* They are of no fifth: those are of the ten others, two each. */
    char *drawing = strndup(scatter, (size_t)(strstr(scatter, "</section>") - scatter));
    assert_non_null(drawing);
    const char *broken = strstr(strstr(drawing, "class=\"plot\""), "class=\"mark failed\"");
    char *marks = strndup(broken, strcspn(broken, ">"));
    assert_non_null(marks);
    assert_int_equal(occurrences(marks, "M"), 15);
    for (int rank = 0; rank < 5; rank++) {
        char class[32];
        snprintf(class, sizeof class, "class=\"mark rank%d\"", rank);
        const char *path = strstr(strstr(drawing, "class=\"plot\""), class);
        assert_int_equal(occurrences(path, "h0") - occurrences(strchr(path, '>'), "h0"), 2);
    }
    assert_non_null(strstr(drawing, "breaks a constraint"));
    free(marks);
    free(drawing);
    free(text);
    text = report_on(plain, "p", GOFH_MINIMIZE, NULL);
    assert_null(strstr(text, "violated by"));
    assert_null(strstr(text, "breaks a constraint"));
    free(text);
}

/* The best is at a = 0.5 and b = 0.25, where limits are met exactly: that all hold there has a small
 * probability. */
static void what_is_at_the_limits_like_the_best_is_not_shaded(void **state)
{
    (void)state;
    double from, to;
    char *text = report_on(plain, "p", GOFH_MAXIMIZE, "max(0.25 - q[0], T[0] - 0.525000001, p - 0.25) <= 0");
    shaded_in(slice_of(text, "f", 0), &from, &to);
    check_near(from, 0.5, 1.0 / (POINTS - 1));
    check_near(to, 1.0, 1.0 / (POINTS - 1));
    free(text);
}

/* y = 4 (x - 0.3)^2 with noise of deviation 0.3, without any but for the last, which is below 0 and
 * would be 1.44; the same as exact values are what they are. */
static void what_is_better_by_chance_is_named(void **state)
{
    (void)state;
    static const report_parameter x_alone = {"x", 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL};
    static const report_output output = {"y", 1};
    for (int noisy = 0; noisy < 2; noisy++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_error error = {.status = GOFH_OK};
        gofh_study *study;
        gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_output(problem, "y", 1);
        gofh_problem_minimize(problem, "y");
        gofh_problem_set_noise(problem, 0, noisy ? 0.09 : 0.0);
        assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
        gofh_problem_free(problem);
        for (int i = 0; i < 10; i++) {
            double x = 0.1 * i, y = i == 9 ? -0.05 : 4.0 * (x - 0.3) * (x - 0.3);
            assert_int_equal(gofh_study_import(study, &x, &y, NULL), GOFH_OK);
        }
        const report_input input = {.study = study,
                                    .title = "noise",
                                    .parameters = &x_alone,
                                    .parameter_count = 1,
                                    .outputs = &output,
                                    .output_count = 1,
                                    .sense = GOFH_MINIMIZE};
        char *text = page_of(&input);
        assert_int_equal(occurrences(text, "With its noise taken into account, trial"), noisy);
        free(text);
    }
}

static void uneven(double a, double b, double y[M])
{
    plain(a, b, y);
    y[0] = 1000.0 * a + b * b;
}

static void slices_of_other_ranges_have_scales_of_their_own(void **state)
{
    (void)state;
    double height;
    char *text = report_on(uneven, "p", GOFH_MINIMIZE, NULL);
    for (int k = 0; k < 2; k++) {
        line_of(slice_of(text, "p", k), &height);
        assert_true(height > 0.5 * HEIGHT);
    }
    free(text);
}

static void decades(double a, double b, double y[M])
{
    plain(a, b, y);
    y[0] = exp(14.0 * a + b);
    y[1] = y[2] = y[3] = a + b; /* 0 at a corner */
}

/* Whether a drawing has ticks at powers of 10, beyond 100. */
static int has_powers(const char *drawing)
{
    static const char *const powers[] = {">1000<", ">10⁴<", ">10⁵<", ">10⁶<"};
    const char *end = strstr(drawing, "</svg>");
    int count = 0;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        const char *at = strstr(drawing, powers[i]);
        count += at && at < end;
    }
    return count > 0;
}

static void values_over_decades_are_on_a_logarithmic_scale(void **state)
{
    (void)state;
    char *text = report_on(decades, "p", GOFH_MINIMIZE, NULL);
    assert_true(has_powers(slice_of(text, "p", 0)));
    assert_true(has_powers(slice_of(text, "f", 0)));
    assert_true(has_powers(strstr(text, "id=\"convergence\"")));
    assert_false(has_powers(slice_of(text, "q[0]", 1))); /* from 0 to 1 */
    free(text);
}

/* sum(T^2) is 3 (a - 0.5)^2 at b = 0.5, 0 at its best. */
static void narrow(double a, double b, double y[M])
{
    plain(a, b, y);
    for (int j = 0; j < 3; j++) y[1 + j] = a - 0.5 + (j - 1) * (b - 0.5);
}

/* Of f = 3 (a - 0.5)^2 the line has points in the last step before the best, where it falls by decades. */
static void a_slice_that_falls_by_decades_reaches_its_best(void **state)
{
    (void)state;
    char *text = report_on(narrow, "sum(T^2)", GOFH_MINIMIZE, NULL);
    const char *drawing = slice_of(text, "f", 0), *tag = drawing;
    while (strncmp(tag, "<svg", 4) != 0) tag--;
    double left = number_after(tag, "data-frame=\"", 0), right = number_after(tag, "data-frame=\"", 2);
    double top = number_after(tag, "data-frame=\"", 1), bottom = number_after(tag, "data-frame=\"", 3);
    double low = number_after(tag, "data-y=\"", 0), high = number_after(tag, "data-y=\"", 1), y = INFINITY;
    const char *p = strchr(strstr(drawing, "class=\"line model\" d=\"") + 20, '"') + 1;
    int inside = 0;
    for (char *end; *p == 'M' || *p == 'L'; p = end) {
        double share = (strtod(p + 1, &end) - left) / (right - left);
        double f = high * pow(low / high, (strtod(end, &end) - top) / (bottom - top));
        y = fmin(y, f);
        if (fabs(share - 0.5) < 0.9 / (POINTS - 1)) inside++;
        /* A tenth of a unit of the drawing is a twentieth of a decade or less; near the best it is steep. */
        if (fabs(share - 0.5) > 0.05) check_near(log10(f), log10(3.0 * (share - 0.5) * (share - 0.5)), 0.15);
    }
    assert_true(inside >= 9);
    assert_true(y < 1e-6);
    assert_non_null(strstr(text, "on the lower edge: less than the model tells apart from 0"));
    free(text);
}

static void hardly(double a, double b, double y[M])
{
    plain(a, b, y);
    y[0] = exp(14.0 * a) + 0.001 * b;
}

static void falling(double a, double b, double y[M])
{
    plain(a, b, y);
    for (int j = 0; j < 3; j++) y[1 + j] = 3e5 * (0.1 + a) * exp(-(5.0 + 2.0 * b) * j);
}

static void data_over_decades_are_on_a_logarithmic_scale(void **state)
{
    (void)state;
    char *text = report_on(falling, "sum((T - steep)^2)", GOFH_MINIMIZE, NULL);
    assert_true(has_powers(strstr(text, "id=\"fit\"")));
    free(text);
    text = report_on(falling, "sum((T - measured)^2)", GOFH_MINIMIZE, NULL);
    assert_false(has_powers(strstr(text, "id=\"fit\"")));
    free(text);
}

/* The largest number among the texts of a drawing. */
static double largest_text(const char *drawing)
{
    const char *end = strstr(drawing, "</svg>");
    double most = 0.0;
    for (const char *p = drawing; (p = strstr(p, "</text>")) && p < end; p++) {
        const char *begin = p;
        while (begin > drawing && begin[-1] != '>') begin--;
        char *after;
        double number = strtod(begin, &after);
        if (after == p && p > begin) most = fmax(most, fabs(number));
    }
    return most;
}

/* f is 1 to 1.001 along b, and up to a million along a. */
static void what_hardly_matters_beside_decades_is_drawn_near_its_value(void **state)
{
    (void)state;
    char *text = report_on(hardly, "p", GOFH_MINIMIZE, NULL);
    assert_true(has_powers(slice_of(text, "f", 0)));
    double most = largest_text(slice_of(text, "f", 1));
    assert_true(most >= 1.0 && most < 3.0);
    free(text);
}

static void an_exact_fit_stands_on_the_lower_edge(void **state)
{
    (void)state;
    char *text = report_on(decades, "sum(T^2)^4", GOFH_MINIMIZE, NULL);
    assert_non_null(strstr(text, "on the lower edge: f = 0"));
    free(text);
}

/* From 1e6 to -1: a linear scale would show nothing of the last decades. */
static void what_changes_sign_over_decades_is_shown_from_the_best_on(void **state)
{
    (void)state;
    char *text = report_on(decades, "p - 2", GOFH_MINIMIZE, NULL);
    assert_non_null(strstr(text, ">f − best</text>"));
    free(text);
    text = report_on(decades, "2 - p", GOFH_MAXIMIZE, NULL);
    assert_non_null(strstr(text, ">best − f</text>"));
    free(text);
    text = report_on(plain, "p", GOFH_MINIMIZE, NULL); /* from 1 to -1 */
    assert_null(strstr(text, "best</text>"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_subtracted_is_measured_and_what_divides_its_deviation),
        cmocka_unit_test(a_fit_is_labelled_with_what_is_compared),
        cmocka_unit_test(data_that_nothing_is_compared_with_are_not_drawn),
        cmocka_unit_test(the_objective_is_drawn_where_constraints_do_not_hold),
        cmocka_unit_test(what_is_shaded_is_where_constraints_do_not_hold),
        cmocka_unit_test(trials_that_break_a_constraint_say_by_how_much),
        cmocka_unit_test(what_is_at_the_limits_like_the_best_is_not_shaded),
        cmocka_unit_test(what_is_better_by_chance_is_named),
        cmocka_unit_test(slices_of_other_ranges_have_scales_of_their_own),
        cmocka_unit_test(values_over_decades_are_on_a_logarithmic_scale),
        cmocka_unit_test(a_slice_that_falls_by_decades_reaches_its_best),
        cmocka_unit_test(data_over_decades_are_on_a_logarithmic_scale),
        cmocka_unit_test(what_hardly_matters_beside_decades_is_drawn_near_its_value),
        cmocka_unit_test(an_exact_fit_stands_on_the_lower_edge),
        cmocka_unit_test(what_changes_sign_over_decades_is_shown_from_the_best_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
