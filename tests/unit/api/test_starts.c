/* Points that the user has: asked first, kept in the file, part of the design and of the budget. */
#include "torture.h"
#include "unit/api/stored.h"
#include "unit/store/sql.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* b is on a log scale, where a value does not come back exactly from the unit interval and back. */
static const double FIRST[VALLEY_D] = {0.3, 7.3}, SECOND[VALLEY_D] = {1.7, 42.1};

static gofh_trial trial_of(gofh_study *study, int64_t number)
{
    gofh_trial trial;
    check_ok(study, gofh_study_trial(study, number, &trial));
    return trial;
}

/* The points of a study without starts. */
static void plain_points(const gofh_settings *settings, int count, double *x)
{
    gofh_study *study = valley_study(settings);
    advance_valley(study, count, x);
    gofh_study_free(study);
}

static void starts_are_asked_first_in_their_order_with_their_exact_values(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    double x[2 * VALLEY_D];
    check_ok(study, gofh_study_enqueue(study, FIRST));
    check_ok(study, gofh_study_enqueue(study, SECOND));
    assert_int_equal(gofh_study_queued(study), 2);
    assert_int_equal(gofh_study_count(study), 0);
    advance_valley(study, 2, x);
    assert_memory_equal(x, FIRST, sizeof FIRST);
    assert_memory_equal(x + VALLEY_D, SECOND, sizeof SECOND);
    assert_int_equal(gofh_study_queued(study), 0);
    for (int i = 1; i <= 2; i++) {
        gofh_trial trial = trial_of(study, i);
        assert_string_equal(trial.origin, "start");
        assert_int_equal(trial.imported, 0);
        assert_true(isnan(trial.expected));
    }
    gofh_study_free(study);
}

/* Of VALLEY_INITIAL points the starts are the first; the others are those of a design without them. */
static void starts_take_the_place_of_the_first_points_of_the_design(void **state)
{
    (void)state;
    for (int sobol = 0; sobol < 2; sobol++) {
        gofh_settings settings = quick_settings();
        settings.design = sobol ? GOFH_DESIGN_SOBOL : GOFH_DESIGN_UNIFORM;
        double plain[VALLEY_INITIAL * VALLEY_D], x[(VALLEY_INITIAL + 1) * VALLEY_D];
        plain_points(&settings, VALLEY_INITIAL, plain);
        gofh_study *study = valley_study(&settings);
        check_ok(study, gofh_study_enqueue(study, FIRST));
        check_ok(study, gofh_study_enqueue(study, SECOND));
        advance_valley(study, VALLEY_INITIAL + 1, x);
        assert_memory_equal(x + 2 * VALLEY_D, plain + 2 * VALLEY_D, sizeof plain - 2 * sizeof FIRST);
        for (int i = 3; i <= VALLEY_INITIAL; i++) assert_string_equal(trial_of(study, i).origin, "design");
        assert_string_equal(trial_of(study, VALLEY_INITIAL + 1).origin, "ei-cf");
        gofh_study_free(study);
    }
}

static void more_starts_than_the_design_leave_none_of_it(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.initial = 2;
    gofh_study *study = valley_study(&settings);
    for (int i = 0; i < 3; i++) {
        const double x[VALLEY_D] = {0.2 + 0.5 * i, 5.0 + i};
        check_ok(study, gofh_study_enqueue(study, x));
    }
    advance_valley(study, 4, NULL);
    assert_string_equal(trial_of(study, 3).origin, "start");
    assert_string_equal(trial_of(study, 4).origin, "ei-cf");
    gofh_study_free(study);
}

static void what_a_start_leaves_out_is_that_of_the_design(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    double plain[3 * VALLEY_D], x[3 * VALLEY_D];
    const double starts[3][VALLEY_D] = {{0.3, NAN}, {NAN, 7.3}, {NAN, NAN}};
    plain_points(&settings, 3, plain);
    gofh_study *study = valley_study(&settings);
    for (int i = 0; i < 3; i++) check_ok(study, gofh_study_enqueue(study, starts[i]));
    advance_valley(study, 3, x);
    for (int i = 0; i < 3 * VALLEY_D; i++) {
        double given = starts[i / VALLEY_D][i % VALLEY_D];
        assert_true(x[i] == (isnan(given) ? plain[i] : given));
    }
    gofh_study_free(study);
}

/* A start is like a point of the design to all that comes after it: the range of f, the trust
 * region, whether the design is over. */
static void starts_at_the_points_of_the_design_lead_to_the_same_suggestions(void **state)
{
    (void)state;
    enum { MORE = 12, ALL = VALLEY_INITIAL + MORE };
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    settings.initial = VALLEY_INITIAL;
    double plain[ALL * VALLEY_D], x[ALL * VALLEY_D];
    plain_points(&settings, ALL, plain);
    gofh_study *study = valley_study(&settings);
    for (int i = 0; i < VALLEY_INITIAL; i++) check_ok(study, gofh_study_enqueue(study, plain + i * VALLEY_D));
    advance_valley(study, ALL, x);
    assert_memory_equal(x, plain, sizeof x);
    gofh_study_free(study);
}

static void starts_count_in_the_budget(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.budget = 2;
    gofh_study *study = valley_study(&settings);
    for (int i = 0; i < 3; i++) check_ok(study, gofh_study_enqueue(study, FIRST));
    double x[VALLEY_D];
    int64_t trial;
    advance_valley(study, 2, NULL);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_BUDGET);
    assert_int_equal(gofh_study_queued(study), 1);
    gofh_study_free(study);
}

static void a_start_given_later_comes_before_the_next_suggestion(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.patience = 1; /* nothing expected is enough: the study ends with its first suggestion */
    settings.tolerance = 1e9;
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D], y[VALLEY_M];
    int64_t trial;
    advance_valley(study, VALLEY_INITIAL + 1, NULL);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_IMPROVEMENT);
    check_ok(study, gofh_study_enqueue(study, FIRST));
    check_ok(study, gofh_study_ask(study, &trial, x));
    assert_memory_equal(x, FIRST, sizeof x);
    valley_h(x, y, NULL);
    check_ok(study, gofh_study_tell(study, trial, y));
    /* A start is no suggestion: the last of those is still the one before it. */
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_IMPROVEMENT);
    gofh_study_free(study);
}

static void a_value_outside_the_bounds_is_refused_with_its_name_and_bounds(void **state)
{
    (void)state;
    static const struct {
        double x[VALLEY_D];
        const char *message;
    } wrong[] = {
        {{2.5, 7.0}, "start value 2.5 of parameter \"a\" is outside its bounds 0 to 2"},
        {{NAN, 0.5}, "start value 0.5 of parameter \"b\" is outside its bounds 1 to 100"},
        {{nextafter(2.0, 3.0), 7.0},
         "start value 2.0000000000000004 of parameter \"a\" is outside its bounds 0 to 2"},
        {{1.0, INFINITY}, "start value inf of parameter \"b\" is outside its bounds 1 to 100"},
    };
    gofh_study *study = valley_study(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(gofh_study_enqueue(study, wrong[i].x), GOFH_ERROR_ARGUMENT);
        assert_string_equal(gofh_study_message(study), wrong[i].message);
        const double list[2 * VALLEY_D] = {1.0, 7.0, wrong[i].x[0], wrong[i].x[1]};
        assert_int_equal(gofh_study_enqueue_missing(study, list, 2), GOFH_ERROR_ARGUMENT);
        assert_string_equal(gofh_study_message(study), wrong[i].message);
    }
    assert_int_equal(gofh_study_enqueue(study, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_enqueue(NULL, FIRST), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_enqueue_missing(study, FIRST, -1), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_enqueue_missing(study, NULL, 1), GOFH_ERROR_ARGUMENT);
    check_ok(study, gofh_study_enqueue_missing(study, NULL, 0));
    assert_int_equal(gofh_study_queued(study), 0);
    assert_int_equal(gofh_study_queued(NULL), 0);
    const double corners[2 * VALLEY_D] = {0.0, 1.0, 2.0, 100.0};
    check_ok(study, gofh_study_enqueue_missing(study, corners, 2));
    assert_int_equal(gofh_study_queued(study), 2);
    gofh_study_free(study);
}

static void the_same_point_is_queued_again_unless_it_is_only_to_be_there(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    for (int i = 0; i < 2; i++) check_ok(study, gofh_study_enqueue(study, FIRST));
    assert_int_equal(gofh_study_queued(study), 2);
    check_ok(study, gofh_study_enqueue_missing(study, FIRST, 1));
    assert_int_equal(gofh_study_queued(study), 2);
    advance_valley(study, 2, NULL);
    check_ok(study, gofh_study_enqueue_missing(study, FIRST, 1));
    assert_int_equal(gofh_study_queued(study), 0);
    check_ok(study, gofh_study_enqueue(study, FIRST));
    assert_int_equal(gofh_study_queued(study), 1);
    gofh_study_free(study);
}

/* How many of the points (count x d) a study would queue. */
static int64_t missing(gofh_study *study, const double *x, int count)
{
    int64_t before = gofh_study_queued(study);
    check_ok(study, gofh_study_enqueue_missing(study, x, count));
    return gofh_study_queued(study) - before;
}

static void points_of_a_list_are_known_by_the_values_they_give(void **state)
{
    (void)state;
    const double list[][VALLEY_D] = {{0.3, NAN}, {0.3, 7.3}, {0.3, NAN}, {NAN, 7.3}};
    const int count = (int)(sizeof list / sizeof list[0]);
    double y[VALLEY_M];
    gofh_study *study = valley_study(NULL);
    valley_h(FIRST, y, NULL);
    /* As "gofh check" leaves it: the answer to one point, and to the one that gives all of it. */
    check_ok(study, gofh_study_import(study, FIRST, y, NULL));
    assert_int_equal(missing(study, list[0], count), 3);
    for (int asked = 0; asked < count; asked++) {
        assert_int_equal(missing(study, list[0], count), 0);
        advance_valley(study, 1, NULL);
    }
    /* One more than there were. */
    const double more[][VALLEY_D] = {{0.3, NAN}, {0.3, 7.3}, {0.3, NAN}, {NAN, 7.3}, {0.3, NAN}};
    assert_int_equal(missing(study, more[0], count + 1), 1);
    gofh_study_free(study);
    /* What is given later in full is met by what the study chose then. */
    study = valley_study(NULL);
    double x[VALLEY_D];
    assert_int_equal(missing(study, list[0], 1), 1);
    advance_valley(study, 1, x);
    assert_int_equal(missing(study, x, 1), 0);
    gofh_study_free(study);
}

/* ---- In a file ---- */

static void a_study_resumed_after_each_step_goes_on_with_its_queue(void **state)
{
    (void)state;
    enum { STEPS = VALLEY_INITIAL + 3 };
    static const double partial[VALLEY_D] = {NAN, 12.0};
    gofh_settings settings = quick_settings();
    gofh_study *whole = valley_study(&settings);
    for (int i = 0; i < STEPS; i++) {
        gofh_study *part = stored_valley(GOFH_OPEN_WRITE, &settings), *both[] = {whole, part};
        double x[2][VALLEY_D];
        for (int k = 0; k < 2; k++) {
            if (i == 0) check_ok(both[k], gofh_study_enqueue(both[k], FIRST));
            if (i == 0) check_ok(both[k], gofh_study_enqueue(both[k], partial));
            if (i == VALLEY_INITIAL + 1) check_ok(both[k], gofh_study_enqueue(both[k], SECOND));
            advance_valley(both[k], 1, x[k]);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_int_equal(gofh_study_queued(whole), gofh_study_queued(part));
        gofh_trial a = trial_of(whole, i + 1), b = trial_of(part, i + 1);
        assert_string_equal(a.origin, b.origin);
        gofh_study_free(part);
    }
    gofh_study *part = stored_valley(GOFH_OPEN_READ, &settings);
    assert_int_equal(gofh_study_enqueue(part, FIRST), GOFH_ERROR_READ_ONLY);
    assert_int_equal(gofh_study_enqueue_missing(part, FIRST, 1), GOFH_ERROR_READ_ONLY);
    gofh_study_free(part);
    gofh_study_free(whole);
}

static void a_saved_study_has_its_queue(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    double x[VALLEY_D];
    check_ok(study, gofh_study_enqueue(study, FIRST));
    check_ok(study, gofh_study_enqueue(study, SECOND));
    advance_valley(study, 1, NULL);
    check_ok(study, gofh_study_save(study, stored_path));
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    advance_valley(study, 1, x);
    assert_memory_equal(x, SECOND, sizeof x);
    gofh_study_free(study);
}

/* One start asked and told, one in the queue that leaves b out. */
static void make_file(void)
{
    static const double partial[VALLEY_D] = {1.5, NAN};
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    check_ok(study, gofh_study_enqueue(study, FIRST));
    check_ok(study, gofh_study_enqueue(study, partial));
    advance_valley(study, 1, NULL);
    gofh_study_free(study);
}

static void a_changed_queue_is_noticed(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"UPDATE starts SET value = 1.6 WHERE start = 2 AND name = 'a'", "start 2 is not what was written"},
        {"UPDATE starts SET value = 5.0 WHERE start = 2 AND name = 'b'", "start 2 is not what was written"},
        {"UPDATE starts SET value = NULL WHERE start = 2", "start 2 is not what was written"},
        {"UPDATE starts SET value = 2.6 WHERE start = 2 AND name = 'a'",
         "start 2 has a wrong value of parameter \"a\""},
        {"DELETE FROM starts WHERE start = 2 AND name = 'b'", "start 2 has a wrong value of parameter \"b\""},
        {"DELETE FROM starts WHERE start = 1", "start 1 has a wrong value of parameter \"a\""},
        {"DELETE FROM starts WHERE start = 2", "checksums"},
        {"UPDATE starts SET start = 9223372036854775807 WHERE start = 2", "start 2 has a wrong value"},
        {"DELETE FROM starts", "it has 1 trials at start points, but 0 start points"},
        {"DROP TABLE starts", "it has 1 trials at start points, but 0 start points"},
        {"DROP TABLE starts; CREATE TABLE starts (start)", "its table \"starts\" is not as gofh made it"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        unlink(stored_path);
        make_file();
        run_sql(changes[i][0]);
        check_refused(valley_problem(), GOFH_ERROR_DAMAGED, changes[i][1]);
    }
}

static void files_without_starts_or_checksums_are_read_and_get_them(void **state)
{
    (void)state;
    double x[VALLEY_D];
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(study, 2, NULL);
    gofh_study_free(study);
    run_sql("DROP TABLE starts");
    study = stored_valley(GOFH_OPEN_READ, NULL);
    assert_int_equal(gofh_study_queued(study), 0);
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, NULL);
    check_ok(study, gofh_study_enqueue(study, FIRST));
    gofh_study_free(study);
    /* As docs/store.md has it for a file that was changed by hand. */
    run_sql("DROP TABLE checksums; PRAGMA user_version = -3");
    for (int i = 0; i < 2; i++) {
        study = stored_valley(GOFH_OPEN_WRITE, NULL);
        assert_int_equal(gofh_study_queued(study), 1);
        gofh_study_free(study);
    }
    study = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(study, 1, x);
    assert_memory_equal(x, FIRST, sizeof x);
    gofh_study_free(study);
}

enum { STARTS = 12 };

/* What a program does that gives its list each time it is begun, and evaluates what was left open. */
static int live(void)
{
    gofh_settings settings = quick_settings();
    settings.budget = STARTS;
    double list[STARTS][VALLEY_D], x[VALLEY_D], y[VALLEY_M];
    for (int i = 0; i < STARTS; i++) {
        list[i][0] = 0.1 * i;
        list[i][1] = i % 2 ? NAN : 1.0 + i;
    }
    gofh_problem *problem = valley_problem();
    gofh_study *study;
    if (gofh_study_open(&study, stored_path, GOFH_OPEN_WRITE, problem, &settings, NULL)) return 1;
    if (gofh_study_enqueue_missing(study, list[0], STARTS)) return 2;
    for (int64_t i = 1; i <= gofh_study_count(study); i++) {
        gofh_trial past;
        if (gofh_study_trial(study, i, &past)) return 3;
        valley_h(past.x, y, NULL);
        if (past.state == GOFH_TRIAL_OPEN && gofh_study_tell(study, i, y)) return 4;
    }
    int64_t trial;
    while (!gofh_study_ask(study, &trial, x)) {
        valley_h(x, y, NULL);
        if (gofh_study_tell(study, trial, y)) return 5;
    }
    gofh_study_free(study);
    gofh_problem_free(problem);
    return 0;
}

static void killed_at_random_moments_each_start_is_asked_once(void **state)
{
    (void)state;
    dice moments = {.state = 2027};
    int kills = 0, most = torture_count(10, 300);
    while (kills < most) {
        int status = -1;
        unlink(stored_path);
        while (status != 0) {
            pid_t child = fork();
            if (child == 0) _exit(live());
            long wait = (long)(6e7 * dice_uniform(&moments));
            if (kills < most) {
                nanosleep(&(struct timespec){.tv_nsec = wait}, NULL);
                kill(child, SIGKILL);
            }
            waitpid(child, &status, 0);
            if (WIFSIGNALED(status))
                kills++;
            else
                assert_int_equal(status, 0);
        }
        gofh_settings settings = quick_settings();
        settings.budget = STARTS;
        gofh_study *study = stored_valley(GOFH_OPEN_READ, &settings);
        assert_int_equal(gofh_study_count(study), STARTS);
        assert_int_equal(gofh_study_queued(study), 0);
        for (int i = 0; i < STARTS; i++) {
            gofh_trial trial = trial_of(study, i + 1);
            assert_string_equal(trial.origin, "start");
            assert_true(trial.x[0] == 0.1 * i);
        }
        gofh_study_free(study);
    }
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_asked_first_in_their_order_with_their_exact_values),
        cmocka_unit_test(starts_take_the_place_of_the_first_points_of_the_design),
        cmocka_unit_test(more_starts_than_the_design_leave_none_of_it),
        cmocka_unit_test(what_a_start_leaves_out_is_that_of_the_design),
        cmocka_unit_test(starts_at_the_points_of_the_design_lead_to_the_same_suggestions),
        cmocka_unit_test(starts_count_in_the_budget),
        cmocka_unit_test(a_start_given_later_comes_before_the_next_suggestion),
        cmocka_unit_test(a_value_outside_the_bounds_is_refused_with_its_name_and_bounds),
        cmocka_unit_test(the_same_point_is_queued_again_unless_it_is_only_to_be_there),
        cmocka_unit_test(points_of_a_list_are_known_by_the_values_they_give),
        STORED(a_study_resumed_after_each_step_goes_on_with_its_queue),
        STORED(a_saved_study_has_its_queue),
        STORED(a_changed_queue_is_noticed),
        STORED(files_without_starts_or_checksums_are_read_and_get_them),
        STORED(killed_at_random_moments_each_start_is_asked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
