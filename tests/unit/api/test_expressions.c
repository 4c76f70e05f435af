/* Problems told as expressions: names, data, constraints, what is found in them, and what is said
 * when they are wrong. */
#include "unit/api/valley.h"

/* The valley with named outputs: "wave" of size 1, "bend" of size 2. */
static gofh_problem *named_valley(void)
{
    gofh_problem *problem = gofh_problem_create();
    assert_non_null(problem);
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_add_output(problem, "wave", 1);
    gofh_problem_add_output(problem, "bend", 2);
    return problem;
}

static gofh_problem *nameless_valley(void)
{
    gofh_problem *problem = gofh_problem_create();
    assert_non_null(problem);
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, VALLEY_M);
    return problem;
}

/* f of the first trial, told h at x = (1, 10): outputs sin(2) + 0.3, 0, cos(2). Frees the
 * problem. */
static double first_f(gofh_problem *problem)
{
    gofh_study *study = study_of(problem, NULL);
    static const double x[] = {1.0, 10.0};
    double y[VALLEY_M];
    int64_t id;
    gofh_trial t;
    valley_h(x, y, NULL);
    check_ok(study, gofh_study_import(study, x, y, &id));
    check_ok(study, gofh_study_trial(study, id, &t));
    gofh_study_free(study);
    return t.f;
}

/* The points that a problem asks for, which is freed. */
enum { POINTS = 11 };
static void asked_points(gofh_problem *problem, const char *method, double *points)
{
    gofh_settings settings = quick_settings();
    settings.method = method;
    gofh_study *study = study_of(problem, &settings);
    advance_valley(study, POINTS, points);
    gofh_study_free(study);
}

static void check_same_points(const char *method, gofh_problem *one, gofh_problem *other, double tolerance)
{
    double first[POINTS * VALLEY_D], second[POINTS * VALLEY_D];
    asked_points(one, method, first);
    asked_points(other, method, second);
    for (int i = 0; i < POINTS * VALLEY_D; i++) check_close(second[i], first[i], tolerance);
}

/* ---- What is told counts ---- */

static void outputs_of_an_expression_are_named_in_the_order_told(void **state)
{
    (void)state;
    gofh_problem *problem = named_valley();
    gofh_problem_minimize(problem, "100*wave + 10*bend[0] + bend[1]");
    check_near(first_f(problem), 100.0 * (sin(2.0) + 0.3) + cos(2.0), 1e-12);
}

static void outputs_without_names_are_the_vector_y(void **state)
{
    (void)state;
    gofh_problem *problem = nameless_valley();
    gofh_problem_maximize(problem, "y[0] + 5*y[2]^2 + length(y)");
    check_near(first_f(problem), sin(2.0) + 0.3 + 5.0 * cos(2.0) * cos(2.0) + 3.0, 1e-12);
}

static void parameters_are_in_the_users_units(void **state)
{
    (void)state;
    gofh_problem *problem = nameless_valley();
    gofh_problem_minimize(problem, "b + 2*a + 0*y[0]");
    check_near(first_f(problem), 12.0, 1e-12);
}

static void data_may_be_told_before_or_after_the_expression(void **state)
{
    (void)state;
    static const double target[] = {0.5, 1.0, 2.0};
    for (int before = 0; before < 2; before++) {
        gofh_problem *problem = nameless_valley();
        if (before) gofh_problem_set_data(problem, "target", target, 3);
        gofh_problem_minimize(problem, "dot(target, y)");
        if (!before) gofh_problem_set_data(problem, "target", target, 3);
        check_near(first_f(problem), 0.5 * (sin(2.0) + 0.3) + 2.0 * cos(2.0), 1e-12);
    }
}

static void data_told_again_replace_what_was_told(void **state)
{
    (void)state;
    static const double first[] = {7.0, 7.0}, second[] = {0.0, 0.0, 1.0};
    gofh_problem *problem = nameless_valley();
    gofh_problem_set_data(problem, "w", first, 2);
    gofh_problem_minimize(problem, "dot(w, y)");
    gofh_problem_set_data(problem, "w", second, 3); /* of another size, too */
    check_near(first_f(problem), cos(2.0), 1e-15);
}

static void data_and_texts_are_copied(void **state)
{
    (void)state;
    double values[] = {1.0, 2.0, 3.0};
    char name[] = "w", text[] = "dot(w, y)", constraint[] = "y[0] <= 5";
    gofh_problem *problem = nameless_valley();
    gofh_problem_set_data(problem, name, values, 3);
    gofh_problem_minimize(problem, text);
    gofh_problem_add_constraint(problem, constraint);
    values[0] = 100.0;
    name[0] = text[0] = constraint[0] = '?';
    check_near(first_f(problem), sin(2.0) + 0.3 + 3.0 * cos(2.0), 1e-12);
}

static void of_two_objectives_the_last_counts(void **state)
{
    (void)state;
    static const double weights[] = {0.0, 0.0, 10.0};
    gofh_problem *problem = nameless_valley();
    gofh_problem_minimize_function(problem, valley_g, GOFH_GRADIENT_GIVEN, NULL);
    gofh_problem_maximize(problem, "y[0]");
    gofh_problem_minimize(problem, "y[2]");
    check_near(first_f(problem), cos(2.0), 1e-15);
    problem = nameless_valley();
    gofh_problem_minimize(problem, "this is no expression"); /* replaced before it is compiled */
    gofh_problem_minimize_linear(problem, weights, 3);
    check_near(first_f(problem), 10.0 * cos(2.0), 1e-14);
    problem = nameless_valley();
    gofh_problem_minimize_linear(problem, weights, 3);
    gofh_problem_maximize(problem, "2*y[2]");
    check_near(first_f(problem), 2.0 * cos(2.0), 1e-15);
}

static void a_broken_constraint_makes_f_infinite_on_the_bad_side(void **state)
{
    (void)state;
    gofh_problem *problem = nameless_valley();
    gofh_problem_minimize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "y[2] >= 0"); /* cos(2) is below */
    assert_true(first_f(problem) == INFINITY);
    problem = nameless_valley();
    gofh_problem_maximize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "y[2] <= 0");
    gofh_problem_add_constraint(problem, "a + b <= 10.99");
    assert_true(first_f(problem) == -INFINITY);
    problem = nameless_valley();
    gofh_problem_maximize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "y[2] <= 0");
    gofh_problem_add_constraint(problem, "a + b == 11 +- 0.01");
    check_near(first_f(problem), sin(2.0) + 0.3, 1e-15);
}

static void constraints_go_with_a_function_as_the_objective(void **state)
{
    (void)state;
    static const char *const methods[] = {"ei-cf", "gofh"};
    for (int i = 0; i < 2; i++) {
        gofh_problem *problem = valley_problem();
        gofh_problem_add_constraint(problem, "a <= 0.5"); /* the valley's 0.7 is out of reach */
        gofh_settings settings = quick_settings();
        settings.method = methods[i];
        gofh_study *study = study_of(problem, &settings);
        advance_valley(study, 25, NULL);
        gofh_trial best;
        check_ok(study, gofh_study_best(study, &best));
        assert_true(best.x[0] <= 0.5);
        /* The least misfit for a = 0.5, by a scan of b. */
        double least = INFINITY;
        for (int s = 0; s <= 100000; s++) {
            double x[] = {0.5, pow(10.0, 2.0 * s / 1e5)}, y[VALLEY_M], value;
            valley_h(x, y, NULL);
            valley_g(y, x, 1, &value, NULL, NULL, NULL);
            least = fmin(least, value);
        }
        assert_true(best.f >= least - 1e-9);
        check_near(best.f, least, i ? 1e-8 : 1e-4);
        gofh_study_free(study);
    }
}

/* ---- What is found in an expression ---- */

static void an_expression_found_linear_asks_what_the_weights_ask(void **state)
{
    (void)state;
    static const double weights[] = {2.0, -1.0, 0.5};
    static const char *const methods[] = {"ei-cf", "gofh", "pi-cf"};
    for (int i = 0; i < 3; i++) {
        gofh_problem *one = nameless_valley(), *other = nameless_valley();
        gofh_problem_minimize_linear(one, weights, 3);
        gofh_problem_minimize(other, "2*y[0] - (y[1] - y[2]/2)");
        check_same_points(methods[i], one, other, 0.0);
    }
}

static void an_expression_asks_what_the_same_function_in_c_asks(void **state)
{
    (void)state;
    double observed[VALLEY_M];
    valley_h(VALLEY_TRUTH, observed, NULL);
    gofh_problem *other = nameless_valley();
    gofh_problem_set_data(other, "observed", observed, VALLEY_M);
    /* Written so that it is no sum of squares to the library: then both go the same way. */
    gofh_problem_minimize(other, "sum((y - observed)^2) + 0*a");
    check_same_points("ei-cf", valley_problem(), other, 1e-6);
}

static void the_mean_of_f_of_a_sum_of_squares_is_equation_22(void **state)
{
    (void)state;
    static const char *const texts[] = {"3 + 2*(y[0] - 0.5)^2 + 0.25*(y[1] + 2*y[2])^2",
                                        "3 + 2*(y[0]*y[0] - y[0] + 0.25) + norm([(y[1] + 2*y[2])/2])^2"};
    for (int i = 0; i < 2; i++) {
        gofh_problem *problem = nameless_valley();
        gofh_problem_minimize(problem, texts[i]);
        gofh_settings settings = quick_settings();
        settings.hyper = GOFH_HYPER_FIXED; /* one model, whose outputs are independent */
        gofh_study *study = study_of(problem, &settings);
        const double lengthscale[VALLEY_D] = {0.4, 0.6};
        gofh_hyperparameters values = {.lengthscale = lengthscale, .variance = 1.0, .mean = NAN};
        for (int j = 0; j < VALLEY_M; j++) check_ok(study, gofh_study_set_hyperparameters(study, j, &values));
        advance_valley(study, 8, NULL);
        dice numbers = {7};
        for (int p = 0; p < 20; p++) {
            double x[] = {2.0 * dice_uniform(&numbers), pow(10.0, 2.0 * dice_uniform(&numbers))}, m[VALLEY_M],
                   v[VALLEY_M], f;
            check_ok(study, gofh_study_predict(study, x, 1, m, v, &f, NULL));
            double residual = m[1] + 2.0 * m[2];
            double expected = 3.0 + 2.0 * ((m[0] - 0.5) * (m[0] - 0.5) + v[0]) +
                              0.25 * (residual * residual + v[1] + 4.0 * v[2]);
            check_close(f, expected, 1e-10);
        }
        gofh_study_free(study);
    }
}

static void samples_without_a_value_are_counted_and_told_in_the_log(void **state)
{
    (void)state;
    gofh_problem *problem = nameless_valley();
    gofh_problem_maximize(problem, "log(y[1])"); /* a^2 - b: mostly negative */
    gofh_settings settings = quick_settings();
    gofh_study *study = study_of(problem, &settings);
    advance_valley(study, 9, NULL);
    assert_true(log_has(study, "the expressions had no finite value for"));
    gofh_study_free(study);

    problem = nameless_valley();
    gofh_problem_maximize(problem, "where(y[1] > 0, log(y[1]), -9)");
    study = study_of(problem, &settings);
    advance_valley(study, 9, NULL);
    assert_false(log_has(study, "no finite value"));
    gofh_study_free(study);
}

static void constraints_without_a_value_are_told_in_the_log(void **state)
{
    (void)state;
    gofh_problem *problem = nameless_valley();
    gofh_problem_maximize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "sqrt(y[1]) <= 1");
    gofh_settings settings = quick_settings();
    gofh_study *study = study_of(problem, &settings);
    advance_valley(study, 9, NULL);
    assert_true(log_has(study, "no finite value"));
    gofh_study_free(study);
}

/* ---- What is refused ---- */

/* gofh_study_create fails with this text and column. Frees the problem. */
static void check_refused(gofh_problem *problem, int column, const char *text, int line)
{
    gofh_study *study = (gofh_study *)problem; /* anything but NULL */
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_create(&study, problem, NULL, &error);
    if (status >= 0 || !strstr(error.message, text) || error.column != column)
        print_error("line %d: status %d, column %d, \"%s\"\n", line, (int)status, error.column,
                    error.message);
    assert_true(status < 0);
    assert_int_equal(status, error.status);
    assert_null(study);
    assert_non_null(strstr(error.message, text));
    assert_int_equal(error.column, column);
    gofh_problem_free(problem);
}
#define refused(problem, column, text) check_refused((problem), (column), (text), __LINE__)

static void an_unknown_name_is_pointed_at_with_what_was_meant(void **state)
{
    (void)state;
    static const double observed[] = {1.0, 2.0};
    gofh_problem *problem = named_valley();
    gofh_problem_set_data(problem, "observed", observed, 2);
    gofh_problem_minimize(problem, "sum((bend - obsrved)^2)");
    refused(problem, 13, "unknown name \"obsrved\" at column 13 (did you mean \"observed\"?)");
    problem = named_valley();
    gofh_problem_minimize(problem, "wavy");
    refused(problem, 1, "did you mean \"wave\"?");
    problem = named_valley(); /* y is for outputs without names */
    gofh_problem_minimize(problem, "y[0]");
    refused(problem, 1, "unknown name \"y\" at column 1: there are wave, bend, a, b");
}

static void names_have_letters_of_other_scripts(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    assert_non_null(problem);
    gofh_problem_add_parameter(problem, "\xCE\xB1", 0.0, 2.0, GOFH_SCALE_LINEAR); /* alpha */
    gofh_problem_add_parameter(problem,
                               "d\xC3\xA9"
                               "bit2",
                               1.0, 100.0, GOFH_SCALE_LOG);              /* debit */
    gofh_problem_add_output(problem, "\xE6\xB8\xA9_\xD0\xB6", VALLEY_M); /* Chinese, Cyrillic */
    gofh_problem_minimize(problem, "3*\xCE\xB1 + d\xC3\xA9"
                                   "bit2*(\xE6\xB8\xA9_\xD0\xB6[1]+2)");
    check_close(first_f(problem), 3.0 * 1.0 + 10.0 * (0.0 + 2.0), 1e-12);
    /* Signs, marks and bytes that are no letters, and one that is written too long. */
    static const char *const none[] = {"a\xC2\xB2",
                                       "a\xC3\x97"
                                       "b",
                                       "\xE2\x86\x92",
                                       "e\xCC\x81",
                                       "\xCE",
                                       "a\xB1",
                                       "\xC1\xA1",
                                       "2\xCE\xB1",
                                       "a b",
                                       ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        problem = nameless_valley();
        gofh_problem_add_parameter(problem, none[i], 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_minimize(problem, "sum(y)");
        gofh_study *study;
        assert_true(gofh_study_create(&study, problem, NULL, NULL) < 0);
        gofh_problem_free(problem);
    }
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const double observed[] = {1.0, 2.0};
    gofh_problem *problem = nameless_valley();
    gofh_problem_set_data(problem, "observed", observed, 2);
    gofh_problem_minimize(problem, "sum((y - observed)^2)");
    refused(problem, 8, "sizes do not fit at \"-\": \"y\" has 3 values, \"observed\" has 2");
    problem = nameless_valley();
    gofh_problem_minimize(problem, "y + 1");
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    assert_true(gofh_study_create(&study, problem, NULL, &error) < 0);
    assert_non_null(strstr(error.message, "3"));
    gofh_problem_free(problem);
}

static void a_wrong_constraint_is_named(void **state)
{
    (void)state;
    gofh_problem *problem = nameless_valley();
    gofh_problem_minimize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "y[0] <= 3");
    gofh_problem_add_constraint(problem, "y[1] + 2");
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    assert_true(gofh_study_create(&study, problem, NULL, &error) < 0);
    assert_non_null(strstr(error.message, "constraint 2: "));
    assert_non_null(strstr(error.message, "a constraint is a comparison"));
    gofh_problem_free(problem);
    problem = nameless_valley();
    gofh_problem_minimize(problem, "y[0]");
    gofh_problem_add_constraint(problem, "y[0] == 3");
    error = (gofh_error){.status = GOFH_OK};
    assert_true(gofh_study_create(&study, problem, NULL, &error) < 0);
    assert_non_null(strstr(error.message, "constraint 1: \"==\" in a constraint needs a tolerance"));
    gofh_problem_free(problem);
    problem = valley_problem(); /* a function as objective: the constraints are compiled all the same */
    gofh_problem_add_constraint(problem, "z <= 3");
    error = (gofh_error){.status = GOFH_OK};
    assert_true(gofh_study_create(&study, problem, NULL, &error) < 0);
    assert_non_null(strstr(error.message, "constraint 1: unknown name \"z\""));
    gofh_problem_free(problem);
}

static void a_name_used_twice_is_refused(void **state)
{
    (void)state;
    static const double values[] = {1.0};
    gofh_problem *problem = named_valley(); /* output and parameter */
    gofh_problem_add_output(problem, "a", 1);
    gofh_problem_minimize(problem, "wave");
    refused(problem, 0, "\"a\" is the name of an output and of a parameter: give one of them another");
    problem = named_valley(); /* data and parameter */
    gofh_problem_set_data(problem, "b", values, 1);
    gofh_problem_minimize(problem, "wave");
    refused(problem, 0, "\"b\" is the name of a parameter and of data: give one of them another");
    problem = named_valley(); /* data and output */
    gofh_problem_set_data(problem, "bend", values, 1);
    gofh_problem_minimize(problem, "wave");
    refused(problem, 0, "\"bend\" is the name of an output and of data: give one of them another");
    problem = nameless_valley(); /* data called like the outputs without names */
    gofh_problem_set_data(problem, "y", values, 1);
    gofh_problem_minimize(problem, "y[0]");
    refused(problem, 0, "\"y\" is the name of data, but in expressions y is the vector of all outputs");
    problem = named_valley(); /* two outputs: refused at once */
    assert_int_equal(gofh_problem_add_output(problem, "wave", 1), GOFH_ERROR_ARGUMENT);
    gofh_problem_minimize(problem, "wave");
    refused(problem, 0, "there are two outputs \"wave\"");
}

static void what_outputs_and_data_can_not_be_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {1.0, INFINITY};
    gofh_problem *problem = named_valley();
    assert_int_equal(gofh_problem_add_output(problem, "c", 0), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "size 0 of output \"c\"");
    problem = named_valley();
    assert_int_equal(gofh_problem_set_outputs(problem, 3), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "3 outputs without names, but \"wave\" has one");
    problem = nameless_valley();
    assert_int_equal(gofh_problem_add_output(problem, "c", 1), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "output \"c\" has a name, but 3 outputs without names were set");
    problem = nameless_valley();
    assert_int_equal(gofh_problem_set_data(problem, "w", bad, 2), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "value 1 of data \"w\"");
    problem = nameless_valley();
    assert_int_equal(gofh_problem_set_data(problem, "w", NULL, 2), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "data \"w\" have 0 values");
    problem = nameless_valley();
    assert_int_equal(gofh_problem_minimize(problem, NULL), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "the expression is NULL");
    problem = nameless_valley();
    assert_int_equal(gofh_problem_add_constraint(problem, NULL), GOFH_ERROR_ARGUMENT);
    refused(problem, 0, "the constraint is NULL");
    problem = nameless_valley();
    gofh_problem_minimize(problem, "2 * ");
    gofh_study *study;
    assert_true(gofh_study_create(&study, problem, NULL, NULL) < 0); /* nowhere to put the message */
    gofh_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_of_an_expression_are_named_in_the_order_told),
        cmocka_unit_test(outputs_without_names_are_the_vector_y),
        cmocka_unit_test(parameters_are_in_the_users_units),
        cmocka_unit_test(data_may_be_told_before_or_after_the_expression),
        cmocka_unit_test(data_told_again_replace_what_was_told),
        cmocka_unit_test(data_and_texts_are_copied),
        cmocka_unit_test(of_two_objectives_the_last_counts),
        cmocka_unit_test(a_broken_constraint_makes_f_infinite_on_the_bad_side),
        cmocka_unit_test(constraints_go_with_a_function_as_the_objective),
        cmocka_unit_test(an_expression_found_linear_asks_what_the_weights_ask),
        cmocka_unit_test(an_expression_asks_what_the_same_function_in_c_asks),
        cmocka_unit_test(the_mean_of_f_of_a_sum_of_squares_is_equation_22),
        cmocka_unit_test(samples_without_a_value_are_counted_and_told_in_the_log),
        cmocka_unit_test(constraints_without_a_value_are_told_in_the_log),
        cmocka_unit_test(an_unknown_name_is_pointed_at_with_what_was_meant),
        cmocka_unit_test(names_have_letters_of_other_scripts),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(a_wrong_constraint_is_named),
        cmocka_unit_test(a_name_used_twice_is_refused),
        cmocka_unit_test(what_outputs_and_data_can_not_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
