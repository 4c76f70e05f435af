/* A study that is closed and opened again goes on as if it had not been. */
#include "unit/api/stored.h"

enum { STEPS = VALLEY_INITIAL + 4 };

static void check_same_trials(gofh_study *a, gofh_study *b)
{
    assert_int_equal(gofh_study_count(a), gofh_study_count(b));
    for (int64_t i = 1; i <= gofh_study_count(a); i++) {
        gofh_trial p, q;
        check_ok(a, gofh_study_trial(a, i, &p));
        check_ok(b, gofh_study_trial(b, i, &q));
        assert_int_equal(p.state, q.state);
        assert_int_equal(p.imported, q.imported);
        assert_string_equal(p.origin, q.origin);
        assert_string_equal(p.reason, q.reason);
        assert_true(p.expected == q.expected || (isnan(p.expected) && isnan(q.expected)));
        assert_true(p.f == q.f || (isnan(p.f) && isnan(q.f)));
        assert_memory_equal(p.x, q.x, VALLEY_D * sizeof *p.x);
        assert_int_equal(p.y == NULL, q.y == NULL);
        if (p.y) assert_memory_equal(p.y, q.y, VALLEY_M * sizeof *p.y);
    }
}

/* An eventful life in STEPS calls of `step`: some are told at once, some late, one fails, one is
 * imported. */
static void step(gofh_study *study, int i, double *x)
{
    static const double elsewhere[VALLEY_D] = {1.1, 30.0};
    double y[VALLEY_M];
    int64_t trial;
    if (i == 3) {
        valley_h(elsewhere, y, NULL);
        check_ok(study, gofh_study_import(study, elsewhere, y, NULL));
    }
    check_ok(study, gofh_study_ask(study, &trial, x));
    if (i == 2) {
        check_ok(study, gofh_study_fail(study, trial, "it diverged; \"badly\""));
        return;
    }
    if (i % 4 == 1) return; /* stays open for one step */
    valley_h(x, y, NULL);
    check_ok(study, gofh_study_tell(study, trial, y));
    gofh_trial before;
    if (trial < 2) return;
    check_ok(study, gofh_study_trial(study, trial - 1, &before));
    if (before.state != GOFH_TRIAL_OPEN) return;
    valley_h(before.x, y, NULL);
    check_ok(study, gofh_study_tell(study, trial - 1, y));
}

static void every_method_resumed_after_each_step_asks_the_same_bits(void **state)
{
    (void)state;
    const char *name;
    for (int i = 0; (name = gofh_method_name(i)); i++)
        for (int noise = 0; noise < 2; noise++) {
            gofh_settings settings = quick_settings();
            settings.method = name;
            settings.noise = noise ? GOFH_NOISE_ESTIMATED : GOFH_NOISE_NONE;
            gofh_study *whole = valley_study(&settings);
            for (int k = 0; k < STEPS; k++) {
                double x[VALLEY_D], resumed[VALLEY_D];
                step(whole, k, x);
                gofh_study *part = stored_valley(GOFH_OPEN_WRITE, &settings);
                step(part, k, resumed);
                assert_memory_equal(x, resumed, sizeof x);
                gofh_study_free(part);
            }
            gofh_study *part = stored_valley(GOFH_OPEN_READ, &settings);
            check_same_trials(whole, part);
            gofh_study_free(part);
            gofh_study_free(whole);
            assert_int_equal(unlink(stored_path), 0);
        }
}

static void two_values_at_one_point_are_remembered_to_contradict(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *whole = valley_study(&settings), *part = stored_valley(GOFH_OPEN_WRITE, &settings);
    double x[VALLEY_D] = {0.5, 5.0}, y[VALLEY_M] = {1.0, 2.0, 3.0}, a[VALLEY_D], b[VALLEY_D];
    for (int i = 0; i < 2; i++, y[0] += 0.5) {
        check_ok(whole, gofh_study_import(whole, x, y, NULL));
        check_ok(part, gofh_study_import(part, x, y, NULL));
    }
    gofh_study_free(part);
    part = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_true(log_has(part, "with other outputs"));
    for (int i = 0; i < STEPS; i++) {
        advance_valley(whole, 1, a);
        advance_valley(part, 1, b);
        assert_memory_equal(a, b, sizeof a);
    }
    gofh_study_free(part);
    gofh_study_free(whole);
}

/* Over ten decades and of both signs: modelled by its inverse hyperbolic sine. */
static gofh_problem *steep_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "sum(y^2)");
    return problem;
}

static void steep_h(const double *x, double *y)
{
    y[0] = sinh(12.0 * (x[0] - 0.31));
    y[1] = sinh(12.0 * (x[1] - 0.62));
}

/* With more than 100 data hyperparameters stay while a few more come; their transform must too. */
static void the_scale_of_a_transform_is_that_of_its_fit(void **state)
{
    (void)state;
    enum { DATA = 200 };
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    settings.initial = DATA;
    settings.budget = 0;
    double next[2][2], scale[2];
    for (int reopened = 0; reopened < 2; reopened++) {
        gofh_error error;
        gofh_study *study = open_stored(steep_problem(), GOFH_OPEN_WRITE, &settings, &error);
        const double better[2] = {0.3101, 0.6201};
        double x[2], y[2];
        int64_t id;
        for (int i = 0; i <= DATA; i++) {
            check_ok(study, gofh_study_ask(study, &id, x));
            steep_h(x, y);
            check_ok(study, gofh_study_tell(study, id, y));
        }
        steep_h(better, y);
        check_ok(study, gofh_study_import(study, better, y, NULL));
        if (reopened) {
            gofh_study_free(study);
            study = open_stored(steep_problem(), GOFH_OPEN_WRITE, &settings, &error);
        }
        check_ok(study, gofh_study_ask(study, &id, next[reopened]));
        gofh_hyperparameters values;
        check_ok(study, gofh_study_hyperparameters(study, 0, 0, &values));
        scale[reopened] = values.asinh_scale;
        gofh_study_free(study);
        assert_int_equal(unlink(stored_path), 0);
    }
    assert_true(scale[0] > 0.0 && scale[0] == scale[1]);
    assert_memory_equal(next[0], next[1], sizeof next[0]);
}

/* Fails where a is above 0.7. */
static int64_t fail_above(gofh_study *study, int64_t *failed, int count)
{
    int64_t trial, failures = 0;
    double x[VALLEY_D], y[VALLEY_M];
    for (int i = 0; i < count; i++) {
        check_ok(study, gofh_study_ask(study, &trial, x));
        valley_h(x, y, NULL);
        if (x[0] > 0.7) {
            failed[failures++] = trial;
            check_ok(study, gofh_study_fail(study, trial, "no"));
        } else {
            check_ok(study, gofh_study_tell(study, trial, y));
        }
    }
    return failures;
}

/* What failures taught is forgotten with the last of them. */
static void failures_that_are_forgotten_leave_nothing_behind(void **state)
{
    (void)state;
    enum { COUNT = 14 };
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    int64_t failed[COUNT], failures = fail_above(study, failed, COUNT), trial;
    assert_in_range(failures, 3, COUNT - 3);
    for (int64_t i = 0; i < failures; i++) check_ok(study, gofh_study_forget(study, failed[i], 1));
    for (int i = 0; i < 3; i++) {
        double x[VALLEY_D], again[VALLEY_D], y[VALLEY_M];
        gofh_study *copy = stored_valley(GOFH_OPEN_COPY, &settings);
        check_ok(copy, gofh_study_ask(copy, &trial, again));
        gofh_study_free(copy);
        check_ok(study, gofh_study_ask(study, &trial, x));
        assert_memory_equal(x, again, sizeof x);
        valley_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, trial, y));
    }
    gofh_study_free(study);
}

static void a_saved_study_can_be_opened_and_goes_on(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    gofh_study *whole = valley_study(&settings);
    for (int k = 0; k < STEPS; k++) {
        double x[VALLEY_D];
        step(whole, k, x);
    }
    check_ok(whole, gofh_study_set_note(whole, 2, "job", "4711"));
    check_ok(whole, gofh_study_save(whole, stored_path));
    gofh_study *part = stored_valley(GOFH_OPEN_WRITE, &settings);
    check_same_trials(whole, part);
    assert_string_equal(gofh_study_note(part, 2, "job"), "4711");
    double a[3 * VALLEY_D], b[3 * VALLEY_D];
    advance_valley(whole, 3, a);
    advance_valley(part, 3, b);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(gofh_study_save(whole, stored_path), GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(gofh_study_message(whole), "exists: a study is saved to a new file"));
    gofh_study_free(part);
    gofh_study_free(whole);
}

/* The extremes of doubles, and what SQLite has no place for. */
static void doubles_come_back_exactly(void **state)
{
    (void)state;
    static const double told[][VALLEY_M] = {{-0.0, 5e-324, 1.7976931348623157e308},
                                            {0.1, -1.0 / 3.0, 9007199254740993.0},
                                            {1e-310, -2.0, 4503599627370497.5}};
    gofh_settings settings = quick_settings();
    settings.method = "random";
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    double x[VALLEY_D];
    int64_t trial;
    for (int i = 0; i < 3; i++) {
        check_ok(study, gofh_study_ask(study, &trial, x));
        check_ok(study, gofh_study_tell(study, trial, told[i]));
    }
    gofh_study *read = stored_valley(GOFH_OPEN_READ, &settings);
    check_same_trials(study, read);
    for (int i = 0; i < 3; i++) {
        gofh_trial got;
        check_ok(read, gofh_study_trial(read, i + 1, &got));
        for (int j = 0; j < VALLEY_M; j++) assert_true(got.y[j] == told[i][j]);
    }
    gofh_study_free(read);
    gofh_study_free(study);
}

static void notes_are_kept_replaced_and_removed(void **state)
{
    (void)state;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[VALLEY_D];
    int64_t trial;
    check_ok(study, gofh_study_ask(study, &trial, x));
    assert_null(gofh_study_note(study, 1, "job"));
    check_ok(study, gofh_study_set_note(study, 1, "job", "17"));
    check_ok(study, gofh_study_set_note(study, 1, "job", "18"));
    check_ok(study, gofh_study_set_note(study, 1, "host", "n1"));
    check_ok(study, gofh_study_set_note(study, 1, "gone", "soon"));
    check_ok(study, gofh_study_set_note(study, 1, "gone", NULL));
    check_ok(study, gofh_study_set_note(study, 1, "never", NULL));
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, NULL);
    assert_string_equal(gofh_study_note(study, 1, "job"), "18");
    assert_string_equal(gofh_study_note(study, 1, "host"), "n1");
    assert_null(gofh_study_note(study, 1, "gone"));
    assert_int_equal(gofh_study_set_note(study, 2, "job", "1"), GOFH_ERROR_TRIAL);
    assert_string_equal(gofh_study_message(study), "there is no trial 2: there are 1 so far");
    assert_int_equal(gofh_study_set_note(study, 1, "", "1"), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "a note needs a name");
    gofh_study_free(study);
}

static void the_log_is_kept(void **state)
{
    (void)state;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    const double x[VALLEY_D] = {0.5, 5.0}, y[VALLEY_M] = {1.0, 2.0, 3.0};
    for (int i = 0; i < 2; i++) check_ok(study, gofh_study_import(study, x, y, NULL));
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_READ, NULL);
    assert_string_equal(gofh_study_log(study, 0), "trial 2 is at the point of trial 1");
    assert_null(gofh_study_log(study, 1));
    gofh_study_free(study);
}

static void a_study_stops_when_no_improvement_is_expected(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.tolerance = 1e9; /* nothing is ever expected to gain so much */
    settings.patience = 3;
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D];
    int64_t trial;
    advance_valley(study, VALLEY_INITIAL + 3, NULL);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_IMPROVEMENT);
    gofh_study_free(study);
    settings.method = "random"; /* which expects nothing at all */
    study = valley_study(&settings);
    advance_valley(study, VALLEY_INITIAL + 6, NULL);
    gofh_study_free(study);
    settings.patience = 0;
    settings.method = "ei-cf";
    study = valley_study(&settings);
    advance_valley(study, VALLEY_INITIAL + 5, NULL);
    gofh_study_free(study);
    gofh_error error = {.status = GOFH_OK};
    gofh_problem *problem = valley_problem();
    settings.tolerance = -1.0;
    assert_int_equal(gofh_study_create(&study, problem, &settings, &error), GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "setting tolerance is -1: it must be 0 or above");
    gofh_problem_free(problem);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(every_method_resumed_after_each_step_asks_the_same_bits),
        STORED(two_values_at_one_point_are_remembered_to_contradict),
        STORED(the_scale_of_a_transform_is_that_of_its_fit),
        STORED(failures_that_are_forgotten_leave_nothing_behind),
        STORED(a_saved_study_can_be_opened_and_goes_on),
        STORED(doubles_come_back_exactly),
        STORED(notes_are_kept_replaced_and_removed),
        STORED(the_log_is_kept),
        cmocka_unit_test(a_study_stops_when_no_improvement_is_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
