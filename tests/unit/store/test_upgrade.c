/* Files of version 2, with a row for each number, are taken over once and whole: also by a process
 * that is killed meanwhile. */
#include "gofh.h"
#include "torture.h"
#include "unit/store/earlier.h"
#include "unit/store/sql.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { M = 3000, TRIALS = 20 };

static char copy[112];

static int setup(void **state)
{
    if (stored_setup(state)) return -1;
    snprintf(copy, sizeof copy, "%s/copy.db", stored_folder);
    return 0;
}

static gofh_study *open_study(gofh_open_mode mode)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    gofh_settings_defaults(&settings);
    settings.method = "random";
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "curve", M - 1);
    gofh_problem_add_output(problem, "t", 1);
    assert_int_equal(gofh_problem_minimize(problem, "sum(curve^2) + t"), GOFH_OK);
    gofh_study_open(&study, stored_path, mode, problem, &settings, &error);
    assert_string_equal(error.message, "");
    gofh_problem_free(problem);
    return study;
}

static double expected_y(int trial, int j)
{
    return sin(trial + 0.001 * j) * pow(10.0, j % 7 - 3);
}

/* Of every second trial, of some values. */
static double expected_variance(int trial, int j)
{
    return trial % 2 && j % 3 == 0 ? 0.5 + j : NAN;
}

/* The file, of version 2, and a copy of it. */
static void make_file(void)
{
    static double y[M], variance[M];
    gofh_study *study = open_study(GOFH_OPEN_WRITE);
    for (int i = 1; i <= TRIALS; i++) {
        const double x = (double)i / (TRIALS + 1);
        for (int j = 0; j < M; j++) {
            y[j] = expected_y(i, j);
            variance[j] = expected_variance(i, j);
        }
        gofh_evaluation e = {
            .size = sizeof e, .x = &x, .y = i == 7 ? NULL : y, .variance = i % 2 && i != 7 ? variance : NULL};
        e.reason = i == 7 ? "it diverged" : NULL;
        assert_int_equal(gofh_study_import_all(study, &e, 1, NULL), GOFH_OK);
    }
    assert_int_equal(gofh_study_set_note(study, 3, "job", "4711"), GOFH_OK);
    gofh_study_free(study);
    earlier_make(stored_path);
    char command[400];
    snprintf(command, sizeof command, "cp '%s' '%s'", stored_path, copy);
    assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
}

static void put_copy_back(void)
{
    char command[400];
    snprintf(command, sizeof command, "rm -f '%s-journal'; cp '%s' '%s'", stored_path, copy, stored_path);
    assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
}

static void check_numbers(gofh_study *study)
{
    assert_int_equal(gofh_study_count(study), TRIALS);
    for (int i = 1; i <= TRIALS; i++) {
        gofh_trial trial;
        assert_int_equal(gofh_study_trial(study, i, &trial), GOFH_OK);
        assert_int_equal(trial.y != NULL, i != 7);
        assert_int_equal(trial.variance != NULL, i % 2 && i != 7);
        for (int j = 0; j < M && trial.y; j++) {
            assert_true(trial.y[j] == expected_y(i, j));
            if (!trial.variance) continue;
            double variance = expected_variance(i, j);
            assert_true(isnan(variance) ? isnan(trial.variance[j]) : trial.variance[j] == variance);
        }
    }
    assert_string_equal(gofh_study_note(study, 3, "job"), "4711");
}

static void an_earlier_file_is_read_as_it_is_and_taken_over_when_it_is_written(void **state)
{
    (void)state;
    make_file();
    int64_t sums = number_of("SELECT total(value >> 32) FROM checksums WHERE item LIKE 'trial %'");
    gofh_study *study = open_study(GOFH_OPEN_READ);
    check_numbers(study);
    gofh_study_free(study);
    assert_int_equal(number_of("PRAGMA user_version"), 2);
    study = open_study(GOFH_OPEN_WRITE);
    check_numbers(study);
    gofh_study_free(study);
    assert_int_equal(number_of("PRAGMA user_version"), 3);
    assert_int_equal(number_of("SELECT count(*) FROM results"), 2 * (TRIALS - 1));
    /* A row for each output that has any: "t" is number 2999, and has none. */
    assert_int_equal(number_of("SELECT count(*) FROM variances"), TRIALS / 2 - 1);
    assert_int_equal(number_of("SELECT total(value >> 32) FROM checksums WHERE item LIKE 'trial %'"), sums);
    study = open_study(GOFH_OPEN_READ);
    check_numbers(study);
    gofh_study_free(study);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Another process opens the file for writing, and is killed after `delay` seconds; below 0: never. */
static void open_and_kill(double delay)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        gofh_study_free(open_study(GOFH_OPEN_WRITE));
        _exit(0);
    }
    if (delay >= 0.0) {
        nanosleep(&(struct timespec){.tv_sec = (time_t)delay, .tv_nsec = (long)(fmod(delay, 1.0) * 1e9)},
                  NULL);
        kill(child, SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void a_take_over_that_is_killed_leaves_the_old_file_or_the_new(void **state)
{
    (void)state;
    make_file();
    double begin = seconds();
    open_and_kill(-1.0);
    double whole = seconds() - begin;
    int kills = torture_count(20, 400), old = 0;
    for (int i = 0; i < kills; i++) {
        put_copy_back();
        open_and_kill(whole * (i + 0.5) / kills);
        /* A reader undoes what was left half done. */
        gofh_study *study = open_study(GOFH_OPEN_READ);
        check_numbers(study);
        gofh_study_free(study);
        int64_t version = number_of("PRAGMA user_version");
        assert_true(version == 2 || version == 3);
        old += version == 2;
        study = open_study(GOFH_OPEN_WRITE);
        check_numbers(study);
        gofh_study_free(study);
        assert_int_equal(number_of("PRAGMA user_version"), 3);
    }
    print_message("%d kills, %d of them left the old file\n", kills, old);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_earlier_file_is_read_as_it_is_and_taken_over_when_it_is_written),
        TEST(a_take_over_that_is_killed_leaves_the_old_file_or_the_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
