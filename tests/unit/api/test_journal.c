/* The log: it calls outputs by their names, and says a thing once, however often the study is taken
 * up again. */
#include "unit/api/stored.h"

enum { BUDGET = 16, CASES = 4 };

/* Growth over decades, which is modelled by its logarithm, beside what changes sign; fails where a
 * is large. */
static int growth(const double *x, double *y)
{
    for (int j = 0; j < CASES; j++) y[j] = exp((1 + j) * (2.0 * x[0] - 1.5 * x[0] * log10(x[1])) - j);
    y[CASES] = x[0] - log10(x[1]);
    return x[0] > 1.6;
}

static gofh_problem *growth_problem(void)
{
    static const double counted[CASES] = {1.0, 2.0, 4.0, 8.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_add_output(problem, "cases", CASES);
    gofh_problem_add_output(problem, "drift", 1);
    gofh_problem_set_data(problem, "counted", counted, CASES);
    gofh_problem_minimize(problem, "sum((cases / counted - 1)^2) + drift^2");
    return problem;
}

static void step(gofh_study *study)
{
    double x[2], y[CASES + 1];
    int64_t id;
    check_ok(study, gofh_study_ask(study, &id, x));
    check_ok(study, growth(x, y) ? gofh_study_fail(study, id, "diverged") : gofh_study_tell(study, id, y));
}

static gofh_study *unbroken(void)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = BUDGET;
    gofh_study *study = study_of(growth_problem(), &settings);
    for (int i = 0; i < BUDGET; i++) step(study);
    return study;
}

static int lines_with(const gofh_study *study, const char *words)
{
    int count = 0;
    for (int i = 0; gofh_study_log(study, i); i++) count += strstr(gofh_study_log(study, i), words) != NULL;
    return count;
}

static void outputs_go_by_their_names(void **state)
{
    (void)state;
    gofh_study *study = unbroken();
    assert_true(lines_with(study, "cases[") > 0);
    assert_int_equal(lines_with(study, "cases[") + lines_with(study, "cases is"),
                     lines_with(study, "logarithm"));
    assert_int_equal(lines_with(study, "output 0") + lines_with(study, "output 1"), 0);
    gofh_study_free(study);
}

static void a_study_taken_up_at_each_step_says_nothing_twice(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_error error;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = BUDGET;
    for (int i = 0; i < BUDGET; i++) {
        gofh_study *study = open_stored(growth_problem(), GOFH_OPEN_WRITE, &settings, &error);
        assert_non_null(study);
        step(study);
        gofh_study_free(study);
    }
    gofh_study *whole = unbroken(), *last = open_stored(growth_problem(), GOFH_OPEN_READ, &settings, &error);
    assert_true(lines_with(whole, "logarithm") > 0);
    assert_int_equal(lines_with(whole, "of success is modelled") + lines_with(whole, "look like chance") > 0,
                     1);
    for (int i = 0; gofh_study_log(whole, i) || gofh_study_log(last, i); i++) {
        assert_non_null(gofh_study_log(whole, i));
        assert_non_null(gofh_study_log(last, i));
        assert_string_equal(gofh_study_log(last, i), gofh_study_log(whole, i));
    }
    gofh_study_free(whole);
    gofh_study_free(last);
}

static int flat(const double *x, double *y)
{
    (void)x;
    y[0] = 1.0;
    return 0;
}

/* Asks and answers as a program does that opens the study each time; how many lines have the words. */
static int said_in_steps(gofh_problem *(*make)(void), const gofh_settings *settings,
                         int (*h)(const double *, double *), const char *words)
{
    gofh_error error;
    gofh_study *study = NULL;
    for (int i = 0; i < settings->budget; i++) {
        double x[2], y[CASES + 1];
        int64_t id;
        gofh_study_free(study);
        study = open_stored(make(), GOFH_OPEN_WRITE, settings, &error);
        if (gofh_study_ask(study, &id, x) != GOFH_OK) break;
        check_ok(study, h(x, y) ? gofh_study_fail(study, id, "diverged") : gofh_study_tell(study, id, y));
    }
    int count = lines_with(study, words);
    gofh_study_free(study);
    return count;
}

static gofh_problem *flat_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    return problem;
}

static void what_is_so_at_every_trial_is_said_once(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = "pi-cf";
    settings.budget = 12;
    assert_int_equal(said_in_steps(flat_problem, &settings, flat, "is 0 everywhere"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_go_by_their_names),
        cmocka_unit_test_setup_teardown(what_is_so_at_every_trial_is_said_once, stored_setup,
                                        stored_teardown),
        cmocka_unit_test_setup_teardown(a_study_taken_up_at_each_step_says_nothing_twice, stored_setup,
                                        stored_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
