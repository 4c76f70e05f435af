/* The report's section on the posterior, of a linear simulator whose posterior is known. */
#include "unit/report/pages.h"

static const report_parameter PARAMETERS[2] = {{"a", -3.0, 3.0, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                               {"b", -3.0, 3.0, GOFH_SCALE_LINEAR, 0, NULL, NULL}};
static const report_output OUTPUT = {"V", 3};

/* V = (a, a + b, b), with data 0.5, 1, 0.25 of sigma 0.1. */
static char *make_report(int fits)
{
    static const double value[3] = {0.5, 1.0, 0.25}, sigma = 0.1;
    gofh_problem *problem = gofh_problem_create();
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    for (int k = 0; k < 2; k++)
        gofh_problem_add_parameter(problem, PARAMETERS[k].name, -3.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "V", 3);
    gofh_problem_set_data(problem, "m", value, 3);
    gofh_problem_set_sigma(problem, "m", &sigma, 1);
    gofh_problem_set_prior(problem, "b", GOFH_PRIOR_NORMAL, 2.5, 0.2);
    if (fits)
        gofh_problem_fit(problem, "V", "m", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    else
        gofh_problem_minimize(problem, "sum((V - m)^2)");
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 16; i++) {
        double x[2] = {-3.0 + 2.0 * (i % 4), -3.0 + 2.0 * (i / 4)}, y[3] = {x[0], x[0] + x[1], x[1]};
        assert_int_equal(gofh_study_import(study, x, y, NULL), GOFH_OK);
    }
    const report_input input = {.study = study,
                                .title = "posterior",
                                .parameters = PARAMETERS,
                                .parameter_count = 2,
                                .outputs = &OUTPUT,
                                .output_count = 1,
                                .sense = GOFH_MINIMIZE};
    return page_of(&input);
}

static const char *after(const char *text, const char *what)
{
    const char *found = strstr(text, what);
    if (!found) print_error("\"%s\" is not in the report\n", what);
    assert_non_null(found);
    return found + strlen(what);
}

/* Precision 100 (2 1; 1 2) + (0 0; 0 25), side 100 (1.5, 1.25) + (0, 62.5). */
static void the_section_has_the_numbers_of_the_posterior(void **state)
{
    (void)state;
    char *text = make_report(1);
    double p = 200.0, q = 100.0, s = 225.0, determinant = p * s - q * q;
    double mean[2] = {(s * 150.0 - q * 187.5) / determinant, (p * 187.5 - q * 150.0) / determinant};
    double deviation[2] = {sqrt(s / determinant), sqrt(p / determinant)};
    const char *at = after(text, "<section id=\"posterior\">");
    for (int k = 0; k < 2; k++) {
        double number[4];
        char name[32];
        snprintf(name, sizeof name, "<code>%s</code></td>", PARAMETERS[k].name);
        assert_int_equal(sscanf(after(at, name), "<td>%lf</td><td>%lf</td><td>%lf</td><td>%lf</td>",
                                &number[0], &number[1], &number[2], &number[3]),
                         4);
        check_near(number[1], mean[k], 0.2 * deviation[k]);
        check_near(number[2], deviation[k], 0.1 * deviation[k]);
        check_near(number[3], mean[k] - 1.96 * deviation[k], 0.4 * deviation[k]);
    }
    const char *corner = after(at, "aria-label=\"Posterior of each pair"), *told;
    double correlation;
    for (told = corner; sscanf(told, ">%lf</text>", &correlation) != 1; told++) assert_true(*told);
    check_near(correlation, -q / sqrt(p * s), 0.06);
    after(at, "the data contradict the prior of b");
    after(at, "2 of 3 data are in the outer band");
    after(at, "deviation left");
    assert_null(strstr(at, "nan"));
    free(text);
}

/* V = (a + b, a - b), with data 1 and 0 of sigma 0.01 and 0.4: variances 1e-4 and 0.16 of the sum and of the
 * difference, thus a correlation of (1e-4 - 0.16)/(1e-4 + 0.16) = -0.99875. interval: of a, as the library
 * has it by default. */
static char *report_on_a_line(double interval[2])
{
    static const double value[2] = {1.0, 0.0}, sigma[2] = {0.01, 0.4};
    static const report_output output = {"V", 2};
    gofh_problem *problem = gofh_problem_create();
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    gofh_posterior *posterior;
    gofh_posterior_results found;
    for (int k = 0; k < 2; k++)
        gofh_problem_add_parameter(problem, PARAMETERS[k].name, -3.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "V", 2);
    gofh_problem_set_data(problem, "m", value, 2);
    gofh_problem_set_sigma(problem, "m", sigma, 2);
    gofh_problem_fit(problem, "V", "m", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 16; i++) {
        double x[2] = {-3.0 + 2.0 * (i % 4), -3.0 + 2.0 * (i / 4)}, y[2] = {x[0] + x[1], x[0] - x[1]};
        assert_int_equal(gofh_study_import(study, x, y, NULL), GOFH_OK);
    }
    assert_int_equal(gofh_posterior_create(&posterior, study, 0), GOFH_OK);
    gofh_posterior_summary(posterior, &found);
    interval[0] = found.lower[0];
    interval[1] = found.upper[0];
    gofh_posterior_free(posterior);
    const report_input input = {.study = study,
                                .title = "line",
                                .parameters = PARAMETERS,
                                .parameter_count = 2,
                                .outputs = &output,
                                .output_count = 1,
                                .sense = GOFH_MINIMIZE};
    return page_of(&input);
}

/* Areas of equal parts would be many times wider than it. */
static void a_thin_pair_is_drawn_by_its_samples(void **state)
{
    (void)state;
    double interval[2], correlation;
    char *text = report_on_a_line(interval);
    const char *corner = after(text, "aria-label=\"Posterior of each pair"), *end = strstr(corner, "</svg>");
    const char *samples = after(corner, "class=\"mark sample\"");
    assert_true(samples < end);
    assert_true(occurrences(samples, "h0") > 400);
    const char *areas = strstr(corner, "class=\"held");
    assert_true(!areas || areas > end);
    const char *told = after(corner, "class=\"strong\"");
    while (*told != '>') told++;
    assert_int_equal(sscanf(told, ">%lf</text>", &correlation), 1);
    assert_true(correlation > -1.0);
    check_near(correlation, -0.99875, 0.0006); /* so much the samples vary by; it has three digits or more */
    after(text, "samples, where the areas would be too thin");
    free(text);
}

/* What is left of a combination is as long as its number says. */
static void bars_of_combinations_are_on_a_linear_scale(void **state)
{
    (void)state;
    double interval[2], width[2], percent[2];
    char *text = report_on_a_line(interval);
    const char *at = after(text, "aria-label=\"Combinations of parameters");
    for (int row = 0; row < 2; row++) {
        at = after(at, "class=\"weight left\"");
        assert_int_equal(sscanf(after(at, "width=\""), "%lf", &width[row]), 1);
        const char *number = after(at, "<text");
        assert_int_equal(sscanf(strchr(number, '>'), ">%lf %%", &percent[row]), 1);
    }
    assert_true(percent[1] > 10.0 * percent[0]);
    /* Numbers have two digits, widths two decimals. */
    check_near(width[0] / width[1], percent[0] / percent[1], 0.06 * percent[0] / percent[1]);
    free(text);
}

static void intervals_are_those_of_the_library(void **state)
{
    (void)state;
    double interval[2], number[5];
    char *text = report_on_a_line(interval);
    const char *row = after(after(text, "<section id=\"posterior\">"), "<code>a</code></td>");
    assert_int_equal(sscanf(row, "<td>%lf</td><td>%lf</td><td>%lf</td><td>%lf</td><td>%lf</td>", &number[0],
                            &number[1], &number[2], &number[3], &number[4]),
                     5);
    for (int i = 0; i < 2; i++) check_near(number[3 + i], interval[i], 1e-4); /* its last digit */
    free(text);
}

/* V = a + n/4 for either metal, with data 1; z is fixed. */
static char *report_on_values(void)
{
    static const char *const METALS[2] = {"steel", "brass"};
    static double numbers[4] = {1.0, 2.0, 3.0, 4.0}, both[2] = {0.0, 1.0}, fixed[1] = {0.4};
    const report_parameter parameters[4] = {{"a", 0.0, 2.0, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                            {"metal", 0.0, 1.0, GOFH_SCALE_LINEAR, 2, both, (char **)METALS},
                                            {"n", 1.0, 4.0, GOFH_SCALE_LINEAR, 4, numbers, NULL},
                                            {"z", 0.4, 0.4, GOFH_SCALE_LINEAR, 1, fixed, NULL}};
    static const report_output output = {"V", 1};
    static const double value = 1.0, sigma = 0.2;
    gofh_problem *problem = gofh_problem_create();
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_choices(problem, "metal", METALS, 2, GOFH_ORDER_NONE);
    gofh_problem_add_integer(problem, "n", 1, 4, GOFH_SCALE_LINEAR);
    gofh_problem_fix(problem, "z", 0.4);
    gofh_problem_add_output(problem, "V", 1);
    gofh_problem_set_data(problem, "m", &value, 1);
    gofh_problem_set_sigma(problem, "m", &sigma, 1);
    gofh_problem_fit(problem, "V", "m", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 24; i++) {
        double x[4] = {0.4 * (i % 6), i / 6 % 2, 1 + (i % 6 + i / 6) % 4, 0.4}, y = x[0] + 0.25 * x[2];
        assert_int_equal(gofh_study_import(study, x, &y, NULL), GOFH_OK);
    }
    const report_input input = {.study = study,
                                .title = "values",
                                .parameters = parameters,
                                .parameter_count = 4,
                                .outputs = &output,
                                .output_count = 1,
                                .sense = GOFH_MINIMIZE};
    return page_of(&input);
}

/* What a choice is not has dashes, whole numbers have whole ends, and what is fixed has no picture. */
static void pictures_are_of_what_parameters_are(void **state)
{
    (void)state;
    char *text = report_on_values();
    const char *at = after(text, "<section id=\"posterior\">");
    const char *metal = after(at, "<code>metal</code></td><td>");
    assert_true(strncmp(metal, "steel</td><td>–</td>", strlen("steel</td><td>–</td>")) == 0 ||
                strncmp(metal, "brass</td><td>–</td>", strlen("brass</td><td>–</td>")) == 0);
    after(at, "<code>z</code></td><td>0.4</td><td>–</td>");
    const char *corner = after(at, "aria-label=\"Posterior of each pair"), *end = after(corner, "</svg>");
    char *pairs = strndup(corner, (size_t)(end - corner));
    assert_non_null(pairs);
    assert_int_equal(occurrences(pairs, ">1</text>"), 3); /* of n: below its column, beside its row; of a */
    assert_int_equal(occurrences(pairs, ">4</text>"), 2);
    assert_int_equal(occurrences(pairs, "class=\"cell\""), 9);
    assert_int_equal(occurrences(pairs, "class=\"strong\""), 1); /* a correlation: of a and n alone */
    assert_null(strstr(pairs, ">z</text>"));
    const char *told = after(end, "aria-label=\"Combinations of parameters"), *last = after(told, "</svg>");
    assert_true(strstr(told, ">n</text>") < last);
    assert_true(!strstr(told, ">metal</text>") || strstr(told, ">metal</text>") > last);
    assert_true(!strstr(told, ">z</text>") || strstr(told, ">z</text>") > last);
    assert_null(strstr(at, "e+02 %"));
    free(pairs);
    free(text);
}

static void without_a_likelihood_there_is_no_such_section(void **state)
{
    (void)state;
    char *text = make_report(0);
    assert_null(strstr(text, "id=\"posterior\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_section_has_the_numbers_of_the_posterior),
        cmocka_unit_test(a_thin_pair_is_drawn_by_its_samples),
        cmocka_unit_test(bars_of_combinations_are_on_a_linear_scale),
        cmocka_unit_test(intervals_are_those_of_the_library),
        cmocka_unit_test(pictures_are_of_what_parameters_are),
        cmocka_unit_test(without_a_likelihood_there_is_no_such_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
