/* Files that are opened again with another problem. */
#include "unit/api/stored.h"

static gofh_problem *valley_with(double upper, gofh_scale scale, const char *second, int outputs)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, upper, GOFH_SCALE_LINEAR);
    if (second) gofh_problem_add_parameter(problem, second, 1.0, 100.0, scale);
    gofh_problem_set_outputs(problem, outputs);
    gofh_problem_minimize(problem, "sum(y^2)");
    return problem;
}

static void another_problem_is_refused_with_the_reason(void **state)
{
    (void)state;
    make_valley_file();
    check_refused(valley_with(3.0, GOFH_SCALE_LOG, "b", 3), GOFH_ERROR_CHANGED,
                  "parameter a: its upper bound was 2 and is now 3");
    check_refused(valley_with(2.0, GOFH_SCALE_LINEAR, "b", 3), GOFH_ERROR_CHANGED,
                  "parameter b: its scale was log and is now linear");
    check_refused(valley_with(2.0, GOFH_SCALE_LOG, "c", 3), GOFH_ERROR_CHANGED,
                  "parameter c is not in the study, which has a, b");
    check_refused(valley_with(2.0, GOFH_SCALE_LOG, NULL, 3), GOFH_ERROR_CHANGED,
                  "parameter b of the study is missing");
    check_refused(valley_with(2.0, GOFH_SCALE_LOG, "b", 4), GOFH_ERROR_CHANGED,
                  "output y: its size was 3 and is now 4");
    gofh_problem *problem = valley_with(2.0, GOFH_SCALE_LOG, "b", 3);
    gofh_problem_add_parameter(problem, "extra", 0.0, 1.0, GOFH_SCALE_LINEAR);
    check_refused(problem, GOFH_ERROR_CHANGED, "parameter extra is not in the study, which has a, b");
}

/* Of parameters and outputs that are others nothing was learned yet. */
static void a_study_without_trials_is_one_of_another_problem(void **state)
{
    (void)state;
    gofh_error error;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    check_ok(study, gofh_study_enqueue(study, (double[]){2.0, 50.0}));
    gofh_study_free(study);
    static const gofh_open_mode modes[] = {GOFH_OPEN_READ, GOFH_OPEN_COPY, GOFH_OPEN_WRITE, GOFH_OPEN_READ};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        study = open_stored(valley_with(1.0, GOFH_SCALE_LINEAR, "c", 4), modes[i], NULL, &error);
        if (!study) print_error("%s\n", error.message);
        assert_non_null(study);
        assert_int_equal(gofh_study_count(study), 0);
        assert_true(log_has(study, "before the first trial: it begins anew"));
        gofh_study_free(study);
    }
    double x[2];
    int64_t id;
    study = open_stored(valley_with(1.0, GOFH_SCALE_LINEAR, "c", 4), GOFH_OPEN_WRITE, NULL, &error);
    check_ok(study, gofh_study_ask(study, &id, x));
    gofh_trial trial;
    check_ok(study, gofh_study_trial(study, id, &trial));
    assert_string_equal(trial.origin, "design"); /* the start point was one of the problem before */
    assert_true(x[0] <= 1.0);
    gofh_study_free(study);
    check_refused(valley_problem(), GOFH_ERROR_CHANGED, "parameter b is not in the study, which has a, c");
}

/* What is open has no result that a change could spoil. */
static void a_study_without_results_keeps_its_open_trials_in_another_problem(void **state)
{
    (void)state;
    gofh_error error;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[2] = {1.5, 50.0}, next[2];
    int64_t id;
    check_ok(study, gofh_study_enqueue(study, x));
    check_ok(study, gofh_study_ask(study, &id, next));
    check_ok(study, gofh_study_set_note(study, id, "place", "here"));
    gofh_study_free(study);
    check_refused(valley_with(1.0, GOFH_SCALE_LOG, "b", 3), GOFH_ERROR_CHANGED,
                  "parameter a: its upper bound was 2 and is now 1"); /* the open trial has 1.5 */
    static const gofh_open_mode modes[] = {GOFH_OPEN_READ, GOFH_OPEN_COPY, GOFH_OPEN_WRITE, GOFH_OPEN_READ};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        study = open_stored(valley_with(3.0, GOFH_SCALE_LINEAR, "b", 4), modes[i], NULL, &error);
        if (!study) print_error("%s\n", error.message);
        assert_non_null(study);
        gofh_trial trial;
        assert_int_equal(gofh_study_count(study), 1);
        check_ok(study, gofh_study_trial(study, 1, &trial));
        assert_int_equal(trial.state, GOFH_TRIAL_OPEN);
        assert_string_equal(trial.origin, "start");
        assert_true(trial.x[0] == 1.5 && fabs(trial.x[1] - 50.0) <= 1e-12 * 50.0);
        assert_string_equal(gofh_study_note(study, 1, "place"), "here");
        assert_true(log_has(study, "before the first result: it begins anew, with the open trials"));
        gofh_study_free(study);
    }
    study = open_stored(valley_with(3.0, GOFH_SCALE_LINEAR, "b", 4), GOFH_OPEN_WRITE, NULL, &error);
    check_ok(study, gofh_study_tell(study, 1, (double[]){1.0, 2.0, 3.0, 4.0}));
    check_ok(study, gofh_study_ask(study, &id, next));
    assert_int_equal(id, 2);
    gofh_study_free(study);
    check_refused(valley_with(2.0, GOFH_SCALE_LINEAR, "b", 4), GOFH_ERROR_CHANGED,
                  "parameter a: its upper bound was 3 and is now 2"); /* trial 1 has a result */
}

/* A failure is something that was learned. */
static void a_study_with_a_failed_trial_is_not_one_of_another_problem(void **state)
{
    (void)state;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[2];
    int64_t id;
    check_ok(study, gofh_study_ask(study, &id, x));
    check_ok(study, gofh_study_fail(study, id, "no licence"));
    gofh_study_free(study);
    check_refused(valley_with(3.0, GOFH_SCALE_LOG, "b", 3), GOFH_ERROR_CHANGED,
                  "parameter a: its upper bound was 2 and is now 3");
}

/* The start points of a study without trials are checked as trials are. */
static void a_study_without_trials_forgets_starts_that_are_not_allowed(void **state)
{
    (void)state;
    gofh_error error;
    for (int i = 0; i < 2; i++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_values(problem, "v", i ? (double[]){1.0, 4.0} : (double[]){1.0, 3.0}, 2,
                                GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 1);
        gofh_problem_minimize(problem, "y[0]");
        gofh_study *study = open_stored(problem, GOFH_OPEN_WRITE, NULL, &error);
        assert_non_null(study);
        if (i == 0) check_ok(study, gofh_study_enqueue(study, (double[]){3.0}));
        gofh_study_free(study);
    }
}

static void values_may_be_added_anywhere(void **state)
{
    (void)state;
    static const double lists[][4] = {{2.0, 4.0, 8.0, 0.0}, {1.0, 2.0, 4.0, 8.0}, {2.0, 3.0, 4.0, 9.0}};
    static const int counts[] = {3, 4, 4};
    gofh_error error;
    gofh_study *study = NULL;
    for (int i = 0; i < 3; i++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_values(problem, "v", lists[i], counts[i], GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 1);
        gofh_problem_minimize(problem, "y[0]");
        if (i == 2) {
            check_refused(problem, GOFH_ERROR_CHANGED,
                          "parameter v: trial 1 has 8, which is no longer allowed");
            break;
        }
        study = open_stored(problem, GOFH_OPEN_WRITE, NULL, &error);
        if (!study) print_error("%s\n", error.message);
        assert_non_null(study);
        if (i == 0) check_ok(study, gofh_study_import(study, (double[]){8.0}, (double[]){0.3}, NULL));
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, 1, &trial));
        assert_true(trial.x[0] == 8.0);
        gofh_study_free(study);
    }
}

static void another_objective_is_taken_and_noted(void **state)
{
    (void)state;
    make_valley_file();
    gofh_error error;
    gofh_settings settings = quick_settings();
    settings.seed = 7;
    settings.budget = 200;
    gofh_study *study = open_stored(valley_with(2.0, GOFH_SCALE_LOG, "b", 3), GOFH_OPEN_WRITE, &settings,
                                    &error);
    assert_non_null(study);
    assert_true(
        log_has(study, "another objective: it was minimize (a function) and is now minimize sum(y^2)"));
    assert_true(log_has(study, "another seed: it was 1 and is now 7"));
    assert_true(log_has(study, "another method: it was gofh and is now ei-cf"));
    assert_false(log_has(study, "budget"));
    for (int64_t i = 1; i < 10; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, i, &trial));
        double sum = trial.y[0] * trial.y[0] + trial.y[1] * trial.y[1] + trial.y[2] * trial.y[2];
        check_close(trial.f, sum, 1e-14);
    }
    advance_valley(study, 1, NULL);
    gofh_study_free(study);
    study = open_stored(valley_with(2.0, GOFH_SCALE_LOG, "b", 3), GOFH_OPEN_READ, &settings, &error);
    assert_non_null(study);
    int lines = 0;
    while (gofh_study_log(study, lines)) lines += strstr(gofh_study_log(study, lines), "seed") ? 100 : 1;
    assert_true(lines >= 100 && lines < 200); /* said once */
    gofh_study_free(study);
}

static void other_data_are_noted(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        gofh_problem *problem = valley_with(2.0, GOFH_SCALE_LOG, "b", 3);
        const double observed[3] = {1.0, 2.0, 3.0 + i};
        gofh_problem_set_data(problem, "observed", observed, 3);
        gofh_problem_minimize(problem, "sum((y - observed)^2)");
        gofh_error error;
        gofh_study *study = open_stored(problem, GOFH_OPEN_WRITE, NULL, &error);
        assert_non_null(study);
        assert_int_equal(log_has(study, "opened again with other numbers: data observed"), i);
        gofh_study_free(study);
    }
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(another_problem_is_refused_with_the_reason),
        STORED(a_study_without_trials_is_one_of_another_problem),
        STORED(a_study_without_results_keeps_its_open_trials_in_another_problem),
        STORED(a_study_with_a_failed_trial_is_not_one_of_another_problem),
        STORED(a_study_without_trials_forgets_starts_that_are_not_allowed),
        STORED(values_may_be_added_anywhere),
        STORED(another_objective_is_taken_and_noted),
        STORED(other_data_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
