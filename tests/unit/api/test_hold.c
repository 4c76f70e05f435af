/* What is held reaches the disk together, or not at all. */
#include "unit/api/stored.h"

#include <signal.h>
#include <sys/resource.h>

/* SQLite counts the commits of a file in bytes 24 to 27 of its header. */
static unsigned long commits(void)
{
    unsigned char header[28];
    FILE *file = fopen(stored_path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    unsigned long count = 0;
    for (int i = 24; i < 28; i++) count = 256 * count + header[i];
    return count;
}

/* How many trials of the file are done, and how many it has. */
static int count_done(int *trials)
{
    gofh_settings settings = quick_settings();
    gofh_study *reader = stored_valley(GOFH_OPEN_READ, &settings);
    gofh_trial seen;
    int done = 0;
    *trials = (int)gofh_study_count(reader);
    for (int64_t i = 1; i <= *trials; i++) {
        check_ok(reader, gofh_study_trial(reader, i, &seen));
        done += seen.state == GOFH_TRIAL_DONE;
    }
    gofh_study_free(reader);
    return done;
}

/* Asks, notes and tells of so many. */
static void hold_some(gofh_study *study, int count)
{
    gofh_study_hold(study);
    for (int i = 0; i < count; i++) {
        double x[VALLEY_D], y[VALLEY_M];
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, x));
        check_ok(study, gofh_study_set_note(study, trial, "job", "7"));
        valley_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, trial, y));
    }
}

static void what_is_held_is_seen_by_others_after_one_commit(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    int trials;
    advance_valley(study, 2, NULL);
    unsigned long before = commits();
    hold_some(study, 5);
    assert_int_equal(gofh_study_count(study), 7);
    assert_int_equal(commits(), before);
    assert_int_equal(count_done(&trials), 2);
    assert_int_equal(trials, 2);
    check_ok(study, gofh_study_release(study));
    assert_int_equal(commits(), before + 1);
    assert_int_equal(count_done(&trials), 7);
    /* With nothing held there is nothing to write, and what comes later is written at once. */
    check_ok(study, gofh_study_release(study));
    assert_int_equal(commits(), before + 1);
    check_ok(study, gofh_study_set_note(study, 1, "job", "8"));
    assert_int_equal(commits(), before + 2);
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_string_equal(gofh_study_note(study, 1, "job"), "8");
    assert_string_equal(gofh_study_note(study, 7, "job"), "7");
    gofh_study_free(study);
}

static void a_study_that_was_held_goes_on_like_one_that_was_not(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    gofh_study *whole = valley_study(&settings), *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    advance_valley(whole, 9, NULL);
    for (int i = 0; i < 3; i++) {
        hold_some(study, 3);
        check_ok(study, gofh_study_release(study));
        gofh_study_free(study);
        study = stored_valley(GOFH_OPEN_WRITE, &settings);
    }
    double a[VALLEY_D], b[VALLEY_D];
    advance_valley(whole, 1, a);
    advance_valley(study, 1, b);
    assert_memory_equal(a, b, sizeof a);
    gofh_study_free(study);
    gofh_study_free(whole);
}

static void a_study_that_is_freed_before_loses_all_of_it(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    int trials;
    advance_valley(study, 2, NULL);
    hold_some(study, 3);
    gofh_study_free(study);
    assert_int_equal(count_done(&trials), 2);
    assert_int_equal(trials, 2);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A limit on the size of files stands in for a full disk. */
static void a_disk_that_is_full_when_it_is_released_ends_the_study(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    gofh_settings settings = quick_settings();
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    double x[VALLEY_D];
    int64_t trial;
    int trials;
    advance_valley(study, 2, NULL);
    hold_some(study, 3);
    limit_files(512);
    check_status(study, gofh_study_release(study), GOFH_ERROR_DISK, __LINE__);
    limit_files(RLIM_INFINITY);
    check_status(study, gofh_study_ask(study, &trial, x), GOFH_ERROR_DISK, __LINE__);
    assert_non_null(strstr(gofh_study_message(study), "open it again"));
    check_status(study, gofh_study_set_note(study, 1, "job", "1"), GOFH_ERROR_DISK, __LINE__);
    check_status(study, gofh_study_release(study), GOFH_ERROR_DISK, __LINE__);
    gofh_study_free(study);
    assert_int_equal(count_done(&trials), 2);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    advance_valley(study, 1, NULL);
    gofh_study_free(study);
    assert_int_equal(count_done(&trials), 3);
}

static void without_a_file_nothing_is_held(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    hold_some(study, 2);
    check_ok(study, gofh_study_release(study));
    assert_int_equal(gofh_study_count(study), 2);
    gofh_study_hold(NULL);
    assert_int_equal(gofh_study_release(NULL), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_held_is_seen_by_others_after_one_commit),
        TEST(a_study_that_was_held_goes_on_like_one_that_was_not),
        TEST(a_study_that_is_freed_before_loses_all_of_it),
        TEST(a_disk_that_is_full_when_it_is_released_ends_the_study),
        TEST(without_a_file_nothing_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
