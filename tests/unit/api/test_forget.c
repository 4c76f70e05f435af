/* Trials that are left out, and outputs that are read again. */
#include "check.h"
#include "gofh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gofh_problem *make_problem(const char *output, int size, const char *objective)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, output, size);
    gofh_problem_minimize(problem, objective);
    return problem;
}

static gofh_study *make_study(const gofh_problem *problem)
{
    gofh_study *study;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.initial = 3;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    return study;
}

/* h = (a - 0.3, b - 0.6) at points of a grid; a result that is wrong by 10 is left out. */
static void add_points(gofh_study *study, int wrong)
{
    for (int i = 0; i < 9; i++) {
        double x[] = {(i % 3) / 2.0, (i / 3) / 2.0}, y[] = {x[0] - 0.3, x[1] - 0.6};
        if (i == 4 && wrong < 0) continue;
        if (i == 4 && wrong) y[0] += 10.0;
        assert_int_equal(gofh_study_import(study, x, y, NULL), GOFH_OK);
    }
}

static double predict(gofh_study *study)
{
    const double x[] = {0.4, 0.4};
    double mean[2];
    assert_int_equal(gofh_study_predict(study, x, 1, mean, NULL, NULL, NULL), GOFH_OK);
    return mean[0];
}

static void a_forgotten_result_is_not_learned_from(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem("y", 2, "sum(y^2)");
    gofh_study *with = make_study(problem), *without = make_study(problem);
    add_points(with, 1);
    add_points(without, -1);
    assert_int_equal(gofh_study_forget(with, 5, 1), GOFH_OK);
    check_near(predict(with), 0.1, 1e-3); /* h itself: 0.4 - 0.3 */
    check_near(predict(with), predict(without), 1e-9);
    gofh_trial trial;
    assert_int_equal(gofh_study_trial(with, 5, &trial), GOFH_OK);
    assert_int_equal(trial.state, GOFH_TRIAL_FORGOTTEN);
    assert_true(isnan(trial.f));
    check_near(trial.y[0], 10.2, 1e-12);
    assert_int_equal(gofh_study_forget(with, 5, 0), GOFH_OK);
    assert_true(fabs(predict(with) - 0.1) > 0.5);
    gofh_study_free(with);
    gofh_study_free(without);
    gofh_problem_free(problem);
}

static void what_can_not_be_forgotten_is_refused(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem("y", 2, "sum(y^2)");
    gofh_study *study = make_study(problem);
    int64_t trial;
    double x[2];
    const double y[] = {1.0, 2.0};
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_OK);
    assert_int_equal(gofh_study_forget(study, trial, 1), GOFH_ERROR_TRIAL);
    assert_string_equal(gofh_study_message(study), "trial 1 is open: there is nothing to forget yet");
    assert_int_equal(gofh_study_forget(study, 2, 1), GOFH_ERROR_TRIAL);
    assert_int_equal(gofh_study_fail(study, trial, "broken"), GOFH_OK);
    assert_int_equal(gofh_study_forget(study, trial, 1), GOFH_OK);
    assert_int_equal(gofh_study_forget(study, trial, 1), GOFH_ERROR_TRIAL);
    assert_int_equal(gofh_study_replace(study, trial, y, NULL, NULL), GOFH_ERROR_TRIAL);
    assert_int_equal(gofh_study_tell(study, trial, y), GOFH_ERROR_TRIAL);
    assert_int_equal(gofh_study_forget(study, trial, 0), GOFH_OK);
    gofh_trial again;
    assert_int_equal(gofh_study_trial(study, trial, &again), GOFH_OK);
    assert_int_equal(again.state, GOFH_TRIAL_FAILED);
    assert_string_equal(again.reason, "broken");
    gofh_study_free(study);
    gofh_problem_free(problem);
}

static char folder[] = "/tmp/gofh-forget-XXXXXX";
static char path[64], before[96];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/study.db", folder);
    snprintf(before, sizeof before, "%s.before-reread", path);
    return 0;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static gofh_study *open_study(const gofh_problem *problem, gofh_open_mode mode)
{
    gofh_study *study;
    gofh_error error = {0};
    gofh_study_open(&study, path, mode, problem, NULL, &error);
    assert_string_equal(error.message, "");
    return study;
}

static void what_was_forgotten_is_so_after_the_file_is_opened_again(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem("y", 2, "sum(y^2)");
    gofh_study *study = open_study(problem, GOFH_OPEN_WRITE);
    gofh_evaluation broken = {.x = (const double[]){0.9, 0.9}, .reason = "broken"};
    add_points(study, 1);
    assert_int_equal(gofh_study_import_all(study, &broken, 1, NULL), GOFH_OK);
    assert_int_equal(gofh_study_forget(study, 5, 1), GOFH_OK);
    assert_int_equal(gofh_study_forget(study, 10, 1), GOFH_OK);
    double predicted = predict(study);
    gofh_study_free(study);
    study = open_study(problem, GOFH_OPEN_WRITE);
    gofh_trial trial;
    assert_int_equal(gofh_study_trial(study, 5, &trial), GOFH_OK);
    assert_int_equal(trial.state, GOFH_TRIAL_FORGOTTEN);
    check_near(trial.y[0], 10.2, 1e-12);
    assert_int_equal(gofh_study_trial(study, 10, &trial), GOFH_OK);
    assert_int_equal(trial.state, GOFH_TRIAL_FORGOTTEN);
    assert_null(trial.y);
    assert_string_equal(trial.reason, "broken");
    check_near(predict(study), predicted, 1e-9);
    assert_int_equal(gofh_study_set_note(study, 1, "folder", "one"), GOFH_OK);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

typedef struct {
    int calls, stop_at;
    char note[16];
} reader;

/* z = (a + b, a b, 1); y is there with what it was. */
static int read_again(const gofh_trial *past, const char *note, double *y, const char **reason, void *context)
{
    reader *r = context;
    if (++r->calls == r->stop_at) return -1;
    if (note) snprintf(r->note, sizeof r->note, "%s", note);
    if (!past->y) {
        *reason = "still broken";
        return GOFH_TRIAL_FAILED;
    }
    assert_true(isnan(y[0]));
    y[0] = past->x[0] + past->x[1];
    y[1] = past->x[0] * past->x[1];
    y[2] = 1.0;
    return GOFH_TRIAL_DONE;
}

static void other_outputs_are_read_and_the_old_file_stays(void **state)
{
    (void)state;
    gofh_problem *was = make_problem("y", 2, "sum(y^2)"), *now = make_problem("z", 3, "sum(z^2)");
    reader r = {.stop_at = 7};
    gofh_error error = {0};
    assert_int_equal(gofh_study_reread(path, now, NULL, "folder", read_again, &r, &error), GOFH_STOP_CALLER);
    gofh_study_free(open_study(was, GOFH_OPEN_READ)); /* as it was */
    assert_int_not_equal(access(before, F_OK), 0);
    r = (reader){0};
    error = (gofh_error){0};
    assert_int_equal(gofh_study_reread(path, now, NULL, "folder", read_again, &r, &error), GOFH_OK);
    assert_int_equal(r.calls, 10);
    assert_string_equal(r.note, "one");
    gofh_study *study = open_study(now, GOFH_OPEN_WRITE);
    gofh_trial trial;
    assert_int_equal(gofh_study_trial(study, 9, &trial), GOFH_OK);
    check_near(trial.f, 4.0 + 1.0 + 1.0, 1e-12); /* at (1, 1) */
    assert_int_equal(gofh_study_trial(study, 5, &trial), GOFH_OK);
    assert_int_equal(trial.state, GOFH_TRIAL_FORGOTTEN);
    check_near(trial.y[0], 1.0, 1e-12);
    assert_string_equal(gofh_study_note(study, 1, "folder"), "one");
    gofh_study_free(study);
    assert_int_equal(rename(before, path), 0);
    gofh_study_free(open_study(was, GOFH_OPEN_READ));
    gofh_problem_free(was);
    gofh_problem_free(now);
}

static int keep_all(const gofh_trial *past, const char *note, double *y, const char **reason, void *context)
{
    (void)past, (void)note, (void)y, (void)context;
    *reason = "";
    return past->y ? GOFH_TRIAL_DONE : GOFH_TRIAL_FAILED;
}

static void outputs_of_the_same_name_are_carried_over_and_others_are_needed(void **state)
{
    (void)state;
    gofh_problem *now = make_problem("y", 2, "sum(abs(y))");
    gofh_error error = {0};
    assert_int_equal(gofh_study_reread(path, now, NULL, NULL, keep_all, NULL, &error), GOFH_OK);
    gofh_study *study = open_study(now, GOFH_OPEN_READ);
    gofh_trial trial;
    assert_int_equal(gofh_study_trial(study, 9, &trial), GOFH_OK);
    check_near(trial.f, 0.7 + 0.4, 1e-12);
    gofh_study_free(study);
    gofh_problem_add_output(now, "more", 1);
    assert_int_equal(gofh_study_reread(path, now, NULL, NULL, keep_all, NULL, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "output 2 of trial 1 has no value");
    gofh_problem_free(now);
    now = make_problem("y", 2, "sum(y^2)");
    error = (gofh_error){0};
    assert_int_equal(gofh_study_reread("/tmp/gofh-no-such-file", now, NULL, NULL, keep_all, NULL, &error),
                     GOFH_ERROR_EMPTY);
    gofh_problem_free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forgotten_result_is_not_learned_from),
        cmocka_unit_test(what_can_not_be_forgotten_is_refused),
        cmocka_unit_test(what_was_forgotten_is_so_after_the_file_is_opened_again),
        cmocka_unit_test(other_outputs_are_read_and_the_old_file_stays),
        cmocka_unit_test(outputs_of_the_same_name_are_carried_over_and_others_are_needed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
