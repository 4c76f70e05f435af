/* Bad calls: a status, a message that names the value, and nothing changed. */
#include "unit/api/valley.h"

#include <limits.h>

enum { TOLD = VALLEY_INITIAL + 1 };

/* A study with TOLD results and one open trial. */
static gofh_study *used_study(int64_t *open)
{
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D];
    advance_valley(study, TOLD, NULL);
    check_ok(study, gofh_study_ask(study, open, x));
    return study;
}

/* Finishes what used_study began, and hands back what came next. */
static void finish(gofh_study *study, int64_t open, double *next)
{
    gofh_trial trial;
    double y[VALLEY_M];
    check_ok(study, gofh_study_trial(study, open, &trial));
    assert_int_equal(trial.state, GOFH_TRIAL_OPEN);
    assert_int_equal(gofh_study_count(study), TOLD + 1);
    valley_h(trial.x, y, NULL);
    check_ok(study, gofh_study_tell(study, open, y));
    next[VALLEY_D] = best_f(study);
    int64_t id;
    check_ok(study, gofh_study_ask(study, &id, next));
}

static void check_message(const gofh_study *study, const char *text, int line)
{
    if (strstr(gofh_study_message(study), text)) return;
    print_error("line %d: message \"%s\" does not say \"%s\"\n", line, gofh_study_message(study), text);
    fail();
}

#define check_refused(study, call, expected, text)                                                           \
    do {                                                                                                     \
        check_status((study), (call), (expected), __LINE__);                                                 \
        check_message((study), (text), __LINE__);                                                            \
    } while (0)

static void refused_calls_on_a_study_name_the_value_and_change_nothing(void **state)
{
    (void)state;
    int64_t open, id;
    double untouched[VALLEY_D + 1], after[VALLEY_D + 1];
    gofh_study *study = used_study(&open);
    finish(study, open, untouched);
    gofh_study_free(study);

    study = used_study(&open);
    double y[VALLEY_M] = {1.0, 2.0, 3.0}, nan_y[VALLEY_M] = {1.0, NAN, 3.0},
           inf_y[VALLEY_M] = {1.0, 2.0, INFINITY};
    double x[VALLEY_D] = {1.0, 10.0}, low[VALLEY_D] = {-0.25, 10.0}, high[VALLEY_D] = {1.0, 123.0};
    double nan_x[VALLEY_D] = {NAN, 10.0}, value;
    const double length[VALLEY_D] = {0.5, 0.5};
    gofh_trial trial;
    gofh_hyperparameters hyper = {.lengthscale = length, .variance = 1.0};

    assert_string_equal(gofh_study_message(study), "");
    check_refused(study, gofh_study_tell(study, open, nan_y), GOFH_ERROR_ARGUMENT, "output y[1] is nan");
    check_refused(study, gofh_study_tell(study, open, inf_y), GOFH_ERROR_ARGUMENT, "output y[2] is inf");
    check_refused(study, gofh_study_tell(study, 99, y), GOFH_ERROR_TRIAL, "no trial 99");
    check_refused(study, gofh_study_tell(study, 0, y), GOFH_ERROR_TRIAL, "no trial 0");
    check_refused(study, gofh_study_tell(study, INT64_MIN, y), GOFH_ERROR_TRIAL,
                  "no trial -9223372036854775808");
    check_refused(study, gofh_study_tell(study, 2, y), GOFH_ERROR_TRIAL, "trial 2 has been told");
    check_refused(study, gofh_study_fail(study, 2, "late"), GOFH_ERROR_TRIAL, "trial 2 has been told");
    check_refused(study, gofh_study_fail(study, -1, "late"), GOFH_ERROR_TRIAL, "no trial -1");
    check_refused(study, gofh_study_trial(study, 10, &trial), GOFH_ERROR_TRIAL, "no trial 10");
    check_refused(study, gofh_study_import(study, low, y, &id), GOFH_ERROR_ARGUMENT,
                  "value -0.25 of parameter \"a\"");
    check_refused(study, gofh_study_import(study, high, y, &id), GOFH_ERROR_ARGUMENT,
                  "value 123 of parameter \"b\"");
    check_refused(study, gofh_study_import(study, nan_x, y, &id), GOFH_ERROR_ARGUMENT,
                  "value nan of parameter \"a\"");
    check_refused(study, gofh_study_import(study, x, nan_y, &id), GOFH_ERROR_ARGUMENT, "output y[1] is nan");
    check_refused(study, gofh_study_predict(study, high, 1, NULL, NULL, &value, NULL), GOFH_ERROR_ARGUMENT,
                  "123");
    check_refused(study, gofh_study_predict(study, x, -3, NULL, NULL, &value, NULL), GOFH_ERROR_ARGUMENT,
                  "-3");
    check_refused(study, gofh_study_acquisition(study, low, 1, &value), GOFH_ERROR_ARGUMENT, "-0.25");
    check_refused(study, gofh_study_acquisition(study, x, -1, &value), GOFH_ERROR_ARGUMENT, "-1");
    check_refused(study, gofh_study_set_hyperparameters(study, 0, &hyper), GOFH_ERROR_ARGUMENT, "not fixed");
    check_refused(study, gofh_study_hyperparameters(study, 3, 0, &hyper), GOFH_ERROR_ARGUMENT, "sample 3");
    check_refused(study, gofh_study_hyperparameters(study, -1, 0, &hyper), GOFH_ERROR_ARGUMENT, "sample -1");
    check_refused(study, gofh_study_hyperparameters(study, 0, 3, &hyper), GOFH_ERROR_ARGUMENT, "output 3");
    assert_null(gofh_study_log(study, -1));
    assert_null(gofh_study_log(study, INT_MAX));

    finish(study, open, after);
    assert_memory_equal(untouched, after, sizeof after);
    gofh_study_free(study);
}

static void null_pointers_are_refused_and_change_nothing(void **state)
{
    (void)state;
    int64_t open, id;
    double untouched[VALLEY_D + 1], after[VALLEY_D + 1], x[VALLEY_D] = {1.0, 10.0}, y[VALLEY_M] = {0}, value;
    gofh_study *study = used_study(&open);
    finish(study, open, untouched);
    gofh_study_free(study);
    study = used_study(&open);
    check_refused(study, gofh_study_ask(study, NULL, x), GOFH_ERROR_ARGUMENT, "trial is NULL");
    check_refused(study, gofh_study_ask(study, &id, NULL), GOFH_ERROR_ARGUMENT, "x is NULL");
    check_refused(study, gofh_study_tell(study, open, NULL), GOFH_ERROR_ARGUMENT, "y is NULL");
    check_refused(study, gofh_study_import(study, NULL, y, NULL), GOFH_ERROR_ARGUMENT, "x is NULL");
    check_refused(study, gofh_study_import(study, x, NULL, NULL), GOFH_ERROR_ARGUMENT, "y is NULL");
    check_refused(study, gofh_study_trial(study, 1, NULL), GOFH_ERROR_ARGUMENT, "result is NULL");
    check_refused(study, gofh_study_best(study, NULL), GOFH_ERROR_ARGUMENT, "best is NULL");
    check_refused(study, gofh_study_recommend(study, NULL), GOFH_ERROR_ARGUMENT, "result is NULL");
    check_refused(study, gofh_study_predict(study, NULL, 1, NULL, NULL, &value, NULL), GOFH_ERROR_ARGUMENT,
                  "x is NULL");
    check_refused(study, gofh_study_acquisition(study, NULL, 1, &value), GOFH_ERROR_ARGUMENT, "x is NULL");
    check_refused(study, gofh_study_acquisition(study, x, 1, NULL), GOFH_ERROR_ARGUMENT, "value is NULL");
    check_refused(study, gofh_study_hyperparameters(study, 0, 0, NULL), GOFH_ERROR_ARGUMENT,
                  "values is NULL");
    check_refused(study, gofh_study_set_hyperparameters(study, 0, NULL), GOFH_ERROR_ARGUMENT,
                  "values is NULL");
    check_refused(study, gofh_optimize(study, NULL, NULL), GOFH_ERROR_ARGUMENT, "h is NULL");
    finish(study, open, after);
    assert_memory_equal(untouched, after, sizeof after);
    gofh_study_free(study);
}

static void no_study_at_all_is_refused(void **state)
{
    (void)state;
    int64_t id;
    double x[VALLEY_D] = {1.0, 10.0}, y[VALLEY_M] = {0}, value;
    gofh_trial trial;
    gofh_recommendation recommended;
    gofh_hyperparameters hyper = {.lengthscale = x};
    assert_int_equal(gofh_study_ask(NULL, &id, x), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_tell(NULL, 1, y), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_fail(NULL, 1, ""), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_import(NULL, x, y, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_trial(NULL, 1, &trial), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_best(NULL, &trial), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_recommend(NULL, &recommended), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_predict(NULL, x, 1, NULL, NULL, &value, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_acquisition(NULL, x, 1, &value), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_set_hyperparameters(NULL, 0, &hyper), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_hyperparameters(NULL, 0, 0, &hyper), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_optimize(NULL, valley_h, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_count(NULL), 0);
    assert_null(gofh_study_log(NULL, 0));
    assert_non_null(strstr(gofh_study_message(NULL), "NULL"));
    gofh_study_free(NULL);
}

static void an_empty_study_has_nothing_to_answer_from(void **state)
{
    (void)state;
    gofh_study *study = valley_study(NULL);
    double value;
    gofh_trial trial;
    gofh_recommendation recommended;
    gofh_hyperparameters hyper;
    check_refused(study, gofh_study_best(study, &trial), GOFH_ERROR_EMPTY, "no evaluation");
    check_refused(study, gofh_study_recommend(study, &recommended), GOFH_ERROR_EMPTY, "no evaluation");
    check_refused(study, gofh_study_predict(study, VALLEY_TRUTH, 1, NULL, NULL, &value, NULL),
                  GOFH_ERROR_EMPTY, "");
    check_refused(study, gofh_study_acquisition(study, VALLEY_TRUTH, 1, &value), GOFH_ERROR_EMPTY, "");
    check_refused(study, gofh_study_hyperparameters(study, 0, 0, &hyper), GOFH_ERROR_EMPTY, "");
    gofh_study_free(study);
}

static void methods_refuse_what_they_do_not_have(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.method = "random";
    gofh_study *study = valley_study(&settings);
    advance_valley(study, 3, NULL);
    double value, mean[VALLEY_M];
    check_refused(study, gofh_study_acquisition(study, VALLEY_TRUTH, 1, &value), GOFH_ERROR_ARGUMENT,
                  "\"random\"");
    check_refused(study, gofh_study_predict(study, VALLEY_TRUTH, 1, mean, NULL, NULL, NULL),
                  GOFH_ERROR_ARGUMENT, "\"random\"");
    check_ok(study, gofh_study_predict(study, VALLEY_TRUTH, 1, NULL, NULL, &value, NULL));
    gofh_study_free(study);
}

static void fixed_hyperparameters_are_checked_and_missed(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_FIXED;
    gofh_study *study = valley_study(&settings);
    const double good[VALLEY_D] = {0.5, 0.5}, bad[VALLEY_D] = {0.5, -2.0};
    gofh_hyperparameters h = {.lengthscale = bad, .variance = 1.0, .mean = NAN};
    check_refused(study, gofh_study_set_hyperparameters(study, 0, &h), GOFH_ERROR_ARGUMENT,
                  "lengthscale -2 of parameter \"b\"");
    h.lengthscale = NULL;
    check_refused(study, gofh_study_set_hyperparameters(study, 0, &h), GOFH_ERROR_ARGUMENT,
                  "lengthscale is NULL");
    h.lengthscale = good;
    check_refused(study, gofh_study_set_hyperparameters(study, 3, &h), GOFH_ERROR_ARGUMENT, "output 3");
    h.variance = 0.0;
    check_refused(study, gofh_study_set_hyperparameters(study, 0, &h), GOFH_ERROR_ARGUMENT, "variance 0");
    h.variance = 1.0;
    h.noise = -0.5;
    check_refused(study, gofh_study_set_hyperparameters(study, 0, &h), GOFH_ERROR_ARGUMENT, "-0.5");
    h.noise = 0.0;
    check_ok(study, gofh_study_set_hyperparameters(study, 0, &h));
    check_ok(study, gofh_study_set_hyperparameters(study, 2, &h));
    advance_valley(study, VALLEY_INITIAL, NULL);
    int64_t id;
    double x[VALLEY_D], value;
    check_refused(study, gofh_study_ask(study, &id, x), GOFH_ERROR_PROBLEM, "output 1");
    check_refused(study, gofh_study_predict(study, VALLEY_TRUTH, 1, NULL, NULL, &value, NULL),
                  GOFH_ERROR_PROBLEM, "output 1");
    assert_int_equal(gofh_study_count(study), VALLEY_INITIAL);
    check_ok(study, gofh_study_set_hyperparameters(study, 1, &h));
    check_ok(study, gofh_study_ask(study, &id, x));
    gofh_study_free(study);
}

/* g that fails after *context more calls; never if that is negative. */
static int mortal_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                    void *context)
{
    int *left = context;
    if (*left == 0) return 1;
    if (*left > 0) --*left;
    return valley_g(y, x, count, value, dy, dx, NULL);
}

/* Asks with three trials open; with `trouble`, after asking with a g that fails at its first call,
 * its second... */
static void with_failing_g(int trouble, double *x, double *f)
{
    int left = -1;
    gofh_problem *problem = valley_problem();
    gofh_problem_minimize_function(problem, mortal_g, GOFH_GRADIENT_GIVEN, &left);
    gofh_settings settings = quick_settings();
    gofh_study *study = study_of(problem, &settings);
    advance_valley(study, VALLEY_INITIAL, NULL);
    int64_t id;
    double ignored[VALLEY_D], y[VALLEY_M] = {0};
    for (int i = 0; i < 3; i++) check_ok(study, gofh_study_ask(study, &id, ignored));
    for (int calls = 0; trouble && calls < 40; calls++) {
        left = calls;
        check_refused(study, gofh_study_ask(study, &id, ignored), GOFH_ERROR_OUTER, "outer function");
        left = calls < 9 ? calls : 0; /* one for each sample and open trial, at least */
        check_refused(study, gofh_study_acquisition(study, VALLEY_TRUTH, 1, y), GOFH_ERROR_OUTER, "outer");
        left = 0;
        check_refused(study, gofh_study_tell(study, VALLEY_INITIAL + 1, y), GOFH_ERROR_OUTER, "outer");
        assert_int_equal(gofh_study_count(study), VALLEY_INITIAL + 3);
    }
    left = -1;
    check_ok(study, gofh_study_predict(study, VALLEY_TRUTH, 1, NULL, NULL, f, NULL));
    check_ok(study, gofh_study_ask(study, &id, x));
    gofh_study_free(study);
}

static void a_failing_g_leaves_the_study_as_it_was(void **state)
{
    (void)state;
    double calm[VALLEY_D], troubled[VALLEY_D], calm_f, troubled_f;
    with_failing_g(0, calm, &calm_f);
    with_failing_g(1, troubled, &troubled_f);
    assert_memory_equal(calm, troubled, sizeof calm);
    check_near(troubled_f, calm_f, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_calls_on_a_study_name_the_value_and_change_nothing),
        cmocka_unit_test(null_pointers_are_refused_and_change_nothing),
        cmocka_unit_test(no_study_at_all_is_refused),
        cmocka_unit_test(an_empty_study_has_nothing_to_answer_from),
        cmocka_unit_test(methods_refuse_what_they_do_not_have),
        cmocka_unit_test(fixed_hyperparameters_are_checked_and_missed),
        cmocka_unit_test(a_failing_g_leaves_the_study_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
