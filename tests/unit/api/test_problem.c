/* What a problem and its settings may say, and what they are told when they may not. */
#include "unit/api/valley.h"

#include <stdio.h>

#define check_problem(call, expected, text) check_problem_at(problem, (call), (expected), (text), __LINE__)

/* The call failed, and the study that is made of the problem says so too. Frees the problem. */
static void check_problem_at(gofh_problem *problem, gofh_status status, gofh_status expected,
                             const char *text, int line)
{
    gofh_study *study = (gofh_study *)problem; /* anything but NULL */
    gofh_error error = {.status = GOFH_OK};
    if (status != expected || !strstr(gofh_problem_message(problem), text))
        print_error("line %d: status %d, \"%s\"\n", line, (int)status, gofh_problem_message(problem));
    assert_int_equal(status, expected);
    assert_non_null(strstr(gofh_problem_message(problem), text));
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), expected);
    assert_null(study);
    assert_string_equal(error.message, gofh_problem_message(problem));
    assert_int_equal(error.status, expected);
    gofh_problem_free(problem);
}

static void bad_parameters_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double lower, upper;
        gofh_scale scale;
        const char *text;
    } bad[] = {
        {"D", 0.12, 0.02, GOFH_SCALE_LINEAR,
         "upper bound 0.02 of parameter \"D\" is not above its lower bound 0.12"},
        {"D", 1.0, 1.0, GOFH_SCALE_LINEAR, "upper bound 1 of"},
        {"D", 0.0, 1.0, GOFH_SCALE_LOG, "lower bound 0 of parameter \"D\""},
        {"D", -2.0, 1.0, GOFH_SCALE_LOG, "lower bound -2 of"},
        {"D", NAN, 1.0, GOFH_SCALE_LINEAR, "nan"},
        {"D", 0.0, INFINITY, GOFH_SCALE_LINEAR, "inf"},
        {"D", -1.7e308, 1.7e308, GOFH_SCALE_LINEAR, "too wide"},
        {"D", 1e-200, 1e200, GOFH_SCALE_LOG, "too wide"},
        {"D", 0.0, 1.0, (gofh_scale)7, "unknown scale 7 of parameter \"D\""},
        {"a", 0.0, 1.0, GOFH_SCALE_LINEAR, "two parameters \"a\""},
        {"", 0.0, 1.0, GOFH_SCALE_LINEAR, "needs a name"},
        {NULL, 0.0, 1.0, GOFH_SCALE_LINEAR, "needs a name"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gofh_problem *problem = valley_problem();
        check_problem(
            gofh_problem_add_parameter(problem, bad[i].name, bad[i].lower, bad[i].upper, bad[i].scale),
            GOFH_ERROR_ARGUMENT, bad[i].text);
    }
    gofh_problem *problem = gofh_problem_create();
    char name[8] = "p00";
    for (int k = 0; k < GOFH_MAX_PARAMETERS; k++) {
        name[1] = (char)('0' + k / 10);
        name[2] = (char)('0' + k % 10);
        assert_int_equal(gofh_problem_add_parameter(problem, name, 0.0, 1.0, GOFH_SCALE_LINEAR), GOFH_OK);
    }
    check_problem(gofh_problem_add_parameter(problem, "last", 0.0, 1.0, GOFH_SCALE_LINEAR),
                  GOFH_ERROR_ARGUMENT, "\"last\" is one too many");
}

static void bad_outputs_weights_noise_and_g_are_refused(void **state)
{
    (void)state;
    const double weights[VALLEY_M] = {1.0, 2.0, INFINITY};
    gofh_problem *problem = valley_problem();
    check_problem(gofh_problem_set_outputs(problem, 0), GOFH_ERROR_ARGUMENT, "0 outputs");
    problem = valley_problem();
    check_problem(gofh_problem_set_noise(problem, 3, 0.1), GOFH_ERROR_ARGUMENT, "no output 3");
    problem = valley_problem();
    check_problem(gofh_problem_set_noise(problem, 0, -0.1), GOFH_ERROR_ARGUMENT, "-0.1");
    problem = valley_problem();
    check_problem(gofh_problem_set_noise(problem, 0, NAN), GOFH_ERROR_ARGUMENT, "nan");
    problem = valley_problem();
    check_problem(gofh_problem_minimize_linear(problem, weights, 2), GOFH_ERROR_ARGUMENT,
                  "2 weights for 3 outputs");
    problem = valley_problem();
    check_problem(gofh_problem_maximize_linear(problem, weights, 3), GOFH_ERROR_ARGUMENT,
                  "weight inf of output 2");
    problem = valley_problem();
    check_problem(gofh_problem_minimize_linear(problem, NULL, 3), GOFH_ERROR_ARGUMENT, "weights are NULL");
    problem = valley_problem();
    check_problem(gofh_problem_maximize_function(problem, NULL, GOFH_GRADIENT_NONE, NULL),
                  GOFH_ERROR_ARGUMENT, "g is NULL");
    problem = valley_problem();
    check_problem(gofh_problem_minimize_function(problem, valley_g, (gofh_gradient)5, NULL),
                  GOFH_ERROR_ARGUMENT, "gradient 5");
    problem = gofh_problem_create();
    check_problem(gofh_problem_minimize_linear(problem, weights, 3), GOFH_ERROR_PROBLEM,
                  "outputs are to be set");
}

static void check_incomplete(gofh_problem *problem, const char *text)
{
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_ERROR_PROBLEM);
    if (!strstr(error.message, text)) print_error("\"%s\"\n", error.message);
    assert_non_null(strstr(error.message, text));
    assert_null(study);
    gofh_problem_free(problem);
}

static void an_incomplete_problem_can_not_be_studied(void **state)
{
    (void)state;
    const double weights[2] = {1.0, 2.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize_function(problem, valley_g, GOFH_GRADIENT_NONE, NULL);
    check_incomplete(problem, "no parameters");
    problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_minimize_function(problem, valley_g, GOFH_GRADIENT_NONE, NULL);
    check_incomplete(problem, "no outputs");
    problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    check_incomplete(problem, "nothing to minimise or maximise");
    problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize_linear(problem, weights, 2);
    gofh_problem_set_outputs(problem, 3);
    check_incomplete(problem, "2 weights for 3 outputs");
}

static void no_problem_at_all_is_refused(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    const double one = 1.0;
    assert_int_equal(gofh_problem_add_parameter(NULL, "a", 0.0, 1.0, GOFH_SCALE_LINEAR), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_problem_set_outputs(NULL, 1), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_problem_set_noise(NULL, 0, 1.0), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_problem_minimize_function(NULL, valley_g, GOFH_GRADIENT_NONE, NULL),
                     GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_problem_maximize_function(NULL, valley_g, GOFH_GRADIENT_NONE, NULL),
                     GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_problem_minimize_linear(NULL, &one, 1), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_problem_maximize_linear(NULL, &one, 1), GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(gofh_problem_message(NULL), "NULL"));
    gofh_problem_free(NULL);
    gofh_settings_defaults(NULL);
    assert_int_equal(gofh_study_create(&study, NULL, NULL, &error), GOFH_ERROR_ARGUMENT);
    assert_null(study);
    gofh_problem *problem = valley_problem();
    assert_int_equal(gofh_study_create(NULL, problem, NULL, NULL), GOFH_ERROR_ARGUMENT);
    gofh_problem_free(problem);
}

static void the_first_failure_is_the_one_that_is_kept(void **state)
{
    (void)state;
    gofh_problem *problem = valley_problem();
    assert_string_equal(gofh_problem_message(problem), "");
    gofh_problem_add_parameter(problem, "first", 1.0, 0.0, GOFH_SCALE_LINEAR);
    check_problem(gofh_problem_set_outputs(problem, -4), GOFH_ERROR_ARGUMENT, "\"first\"");
}

static void check_settings(const gofh_settings *settings, const char *text)
{
    gofh_problem *problem = valley_problem();
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_create(&study, problem, settings, &error);
    if (status != GOFH_ERROR_ARGUMENT || !strstr(error.message, text))
        print_error("status %d, \"%s\" does not say \"%s\"\n", (int)status, error.message, text);
    assert_int_equal(status, GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, text));
    assert_null(study);
    gofh_problem_free(problem);
}

#define check_setting(member, value, text)                                                                   \
    do {                                                                                                     \
        gofh_settings settings = quick_settings();                                                           \
        settings.member = (value);                                                                           \
        check_settings(&settings, (text));                                                                   \
    } while (0)

static void each_bad_setting_is_refused_by_name(void **state)
{
    (void)state;
    check_setting(size, 0, "size 0");
    check_setting(size, 1000000, "size 1000000");
    check_setting(method, "simplex", "\"simplex\"");
    check_setting(method, NULL, "unknown method");
    check_setting(threads, 0, "threads is 0");
    check_setting(threads, 65, "threads is 65");
    check_setting(budget, -1, "budget is -1");
    check_setting(initial, 1000001, "initial is 1000001");
    check_setting(design, (gofh_design)2, "design is 2");
    check_setting(kernel, (gofh_kernel)3, "kernel is 3");
    check_setting(hyper, (gofh_hyper)3, "hyper is 3");
    check_setting(hyper_samples, 0, "hyper_samples is 0");
    check_setting(noise, (gofh_noise)2, "noise is 2");
    check_setting(lengthscale_median, 0.0, "lengthscale_median is 0");
    check_setting(lengthscale_spread, -1.0, "lengthscale_spread is -1");
    check_setting(variance_scale, NAN, "variance_scale is nan");
    check_setting(variance_weight, INFINITY, "variance_weight is inf");
    check_setting(noise_median, 0.0, "noise_median is 0");
    check_setting(noise_spread, 0.0, "noise_spread is 0");
    check_setting(memory_limit, -5.0, "memory_limit is -5");
}

static void settings_of_an_older_and_shorter_version_are_taken(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.size = offsetof(gofh_settings, method);
    settings.budget = 2;
    settings.method = "not looked at";
    gofh_study *study = valley_study(&settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_BUDGET);
    assert_int_equal(gofh_study_count(study), 2);
    gofh_study_free(study);
}

static void what_is_passed_in_is_copied(void **state)
{
    (void)state;
    char name[] = "a", method[] = "ei-cf";
    double weights[1] = {1.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, name, 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_maximize_linear(problem, weights, 1);
    gofh_settings settings = quick_settings();
    settings.method = method;
    gofh_study *study = study_of(problem, &settings);
    memset(name, 'X', 1);
    memset(method, 'X', 5);
    weights[0] = -1.0;
    const double x = 0.5, y = 3.0, outside = 2.0;
    check_ok(study, gofh_study_import(study, &x, &y, NULL));
    check_near(best_f(study), 3.0, 0.0);
    assert_int_equal(gofh_study_import(study, &outside, &y, NULL), GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(gofh_study_message(study), "\"a\""));
    gofh_study_free(study);
}

static void statuses_methods_and_the_version_have_texts(void **state)
{
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", GOFH_VERSION_MAJOR, GOFH_VERSION_MINOR, GOFH_VERSION_PATCH);
    assert_string_equal(gofh_version(), version);
    assert_string_equal(gofh_status_text(GOFH_STOP_BUDGET), "the budget of evaluations is used up");
    assert_non_null(gofh_status_text((gofh_status)77));
    assert_null(gofh_method_name(-1));
    assert_null(gofh_method_name(100));
    assert_string_equal(gofh_method_name(0), "gofh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused_by_name),
        cmocka_unit_test(bad_outputs_weights_noise_and_g_are_refused),
        cmocka_unit_test(an_incomplete_problem_can_not_be_studied),
        cmocka_unit_test(no_problem_at_all_is_refused),
        cmocka_unit_test(the_first_failure_is_the_one_that_is_kept),
        cmocka_unit_test(each_bad_setting_is_refused_by_name),
        cmocka_unit_test(settings_of_an_older_and_shorter_version_are_taken),
        cmocka_unit_test(what_is_passed_in_is_copied),
        cmocka_unit_test(statuses_methods_and_the_version_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
