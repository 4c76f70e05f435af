/* Who may write a study, and who waits for whom. */
#include "unit/api/stored.h"

#include <sqlite3.h>

/* The path of the file with an ending. */
static const char *beside(const char *ending)
{
    static char name[sizeof stored_path + 16];
    snprintf(name, sizeof name, "%s%s", stored_path, ending);
    return name;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

/* Somebody's file beside the study, under its name alone. */
static const char *thesis(void)
{
    static char path[sizeof stored_folder + 16];
    snprintf(path, sizeof path, "%s/thesis.tex", stored_folder);
    write_text(path, "years of work");
    return path;
}

static void a_link_among_the_files_of_a_study_is_refused_and_leads_to_no_harm(void **state)
{
    (void)state;
    static const char *const endings[] = {"", ".lock", "-journal", "-wal", "-shm"};
    for (int hard = 0; hard < 2; hard++)
        for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
            const char *text = thesis();
            assert_int_equal(hard ? link(text, beside(endings[i])) : symlink(text, beside(endings[i])), 0);
            check_refused(valley_problem(), GOFH_ERROR_DISK,
                          hard ? "is a second name" : "is a symbolic link");
            check_text(text, "years of work");
            assert_int_equal(unlink(beside(endings[i])), 0);
            if (i > 0) gofh_study_free(stored_valley(GOFH_OPEN_WRITE, NULL));
            unlink(stored_path);
            unlink(beside(".lock"));
        }
}

static void a_link_to_nothing_makes_no_file_elsewhere(void **state)
{
    (void)state;
    char elsewhere[sizeof stored_folder + 16];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", stored_folder);
    assert_int_equal(symlink(elsewhere, stored_path), 0);
    check_refused(valley_problem(), GOFH_ERROR_DISK, "is a symbolic link");
    assert_int_equal(access(elsewhere, F_OK), -1);
}

static void a_link_that_comes_while_the_study_is_open_is_noticed(void **state)
{
    (void)state;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[VALLEY_D];
    int64_t trial;
    const char *text = thesis();
    unlink(beside("-journal"));
    assert_int_equal(link(text, beside("-journal")), 0);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_ERROR_DISK);
    assert_non_null(strstr(gofh_study_message(study), "is a second name"));
    check_text(text, "years of work");
    unlink(beside("-journal"));
    check_ok(study, gofh_study_ask(study, &trial, x));
    gofh_study_free(study);
}

static void a_file_that_is_no_lock_is_left_alone(void **state)
{
    (void)state;
    write_text(beside(".lock"), "years of work");
    check_refused(valley_problem(), GOFH_ERROR_DISK, "not the lock file of a study: move it away");
    check_text(beside(".lock"), "years of work");
}

static void the_folder_may_be_a_link_and_a_reader_may_come_by_one(void **state)
{
    (void)state;
    char real[sizeof stored_path], linked[sizeof stored_folder + 8];
    gofh_study *writer = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(writer, 2, NULL);
    memcpy(real, stored_path, sizeof real);
    snprintf(linked, sizeof linked, "%s/way", stored_folder);
    assert_int_equal(symlink(stored_folder, linked), 0);
    snprintf(stored_path, sizeof stored_path, "%s/study.db", linked);
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, "is being written by process"); /* the same lock */
    gofh_study_free(writer);
    gofh_study_free(stored_valley(GOFH_OPEN_WRITE, NULL));
    snprintf(stored_path, sizeof stored_path, "%s/other.db", stored_folder);
    for (int hard = 0; hard < 2; hard++) {
        assert_int_equal(hard ? link(real, stored_path) : symlink(real, stored_path), 0);
        gofh_study *reader = stored_valley(GOFH_OPEN_READ, NULL);
        assert_int_equal(gofh_study_count(reader), 2);
        gofh_study_free(reader);
        unlink(stored_path);
    }
    memcpy(stored_path, real, sizeof real);
}

/* All trials of a reader's are those of the writer. */
static void check_stored(gofh_study *writer)
{
    gofh_study *reader = stored_valley(GOFH_OPEN_READ, NULL);
    assert_int_equal(gofh_study_count(reader), gofh_study_count(writer));
    for (int64_t i = 1; i <= gofh_study_count(writer); i++) {
        gofh_trial stored, known;
        check_ok(reader, gofh_study_trial(reader, i, &stored));
        check_ok(writer, gofh_study_trial(writer, i, &known));
        assert_int_equal(stored.state, known.state);
        assert_memory_equal(stored.x, known.x, VALLEY_D * sizeof *known.x);
        if (known.y) assert_memory_equal(stored.y, known.y, VALLEY_M * sizeof *known.y);
    }
    gofh_study_free(reader);
}

static void without_the_lock_file_the_first_of_two_writers_is_refused(void **state)
{
    (void)state;
    gofh_study *first = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[VALLEY_D], y[VALLEY_M];
    int64_t trial;
    advance_valley(first, 3, NULL);
    check_ok(first, gofh_study_ask(first, &trial, x));
    valley_h(x, y, NULL);
    assert_int_equal(unlink(beside(".lock")), 0);
    gofh_settings other = quick_settings();
    other.seed = 2; /* so that it writes other numbers */
    gofh_study *second = stored_valley(GOFH_OPEN_WRITE, &other);
    advance_valley(second, 4, NULL);
    assert_int_equal(gofh_study_tell(first, trial, y), GOFH_ERROR_LOCKED);
    assert_non_null(strstr(gofh_study_message(first), "is being written by process"));
    check_stored(second);
    /* Nor when the second has gone. */
    check_ok(second, gofh_study_tell(second, trial, y));
    gofh_study_free(second);
    assert_int_equal(gofh_study_tell(first, trial, y), GOFH_ERROR_LOCKED);
    assert_non_null(strstr(gofh_study_message(first), "another process has written the study"));
    assert_int_equal(gofh_study_ask(first, &trial, x), GOFH_ERROR_LOCKED);
    assert_int_equal(gofh_study_set_note(first, 1, "a", "b"), GOFH_ERROR_LOCKED);
    gofh_study_free(first);
    second = stored_valley(GOFH_OPEN_READ, NULL);
    assert_int_equal(gofh_study_count(second), 8);
    gofh_study_free(second);
}

static void a_lock_file_that_was_removed_is_made_again(void **state)
{
    (void)state;
    gofh_study *first = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(first, 1, NULL);
    assert_int_equal(unlink(beside(".lock")), 0);
    advance_valley(first, 1, NULL);
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, "is being written by process");
    check_stored(first);
    gofh_study_free(first);
}

static void an_older_copy_put_over_the_file_is_noticed(void **state)
{
    (void)state;
    char command[512];
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[VALLEY_D];
    int64_t trial;
    advance_valley(study, 2, NULL);
    snprintf(command, sizeof command, "cp '%s' '%s.old'", stored_path, stored_path);
    assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
    advance_valley(study, 2, NULL);
    /* cp writes into the file that is there: it stays the same to those who look at its name
     * alone. */
    snprintf(command, sizeof command, "cp '%s.old' '%s'", stored_path, stored_path);
    assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_ERROR_LOCKED);
    gofh_study_free(study);
}

/* Another program that reads, and goes when it was waited for `left` times; never for a negative
 * number. */
typedef struct {
    sqlite3 *connection;
    int left, asked;
    gofh_wait reason;
    gofh_study *writer; /* or a writer that goes */
} visitor;

static void arrive(visitor *v)
{
    assert_int_equal(sqlite3_open(stored_path, &v->connection), SQLITE_OK);
    assert_int_equal(sqlite3_exec(v->connection, "BEGIN; SELECT count(*) FROM trials", NULL, NULL, NULL),
                     SQLITE_OK);
}

static int wait_for_visitor(gofh_wait reason, double seconds, void *context)
{
    visitor *v = context;
    assert_true(seconds >= 0.0);
    v->reason = reason;
    v->asked++;
    if (v->left < 0) return 1;
    if (v->left-- > 0) return 0;
    if (v->connection) assert_int_equal(sqlite3_exec(v->connection, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    gofh_study_free(v->writer);
    v->writer = NULL;
    return 0;
}

static void a_program_that_holds_the_file_is_waited_for_as_long_as_the_caller_wants(void **state)
{
    (void)state;
    visitor v = {.left = 20};
    gofh_settings settings = quick_settings();
    settings.waiting = wait_for_visitor;
    settings.waiting_context = &v;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    double x[VALLEY_D], y[VALLEY_M];
    int64_t trial;
    check_ok(study, gofh_study_ask(study, &trial, x));
    valley_h(x, y, NULL);
    arrive(&v);
    check_ok(study, gofh_study_tell(study, trial, y));
    assert_true(v.asked >= 21);
    assert_int_equal(v.reason, GOFH_WAIT_FILE);
    check_stored(study);
    /* Who does not want to wait makes the same call again. */
    v.left = -1;
    assert_int_equal(sqlite3_exec(v.connection, "BEGIN; SELECT count(*) FROM trials", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_ERROR_LOCKED);
    assert_non_null(strstr(gofh_study_message(study), "another program has held the study"));
    assert_int_equal(gofh_study_count(study), 1);
    sqlite3_close(v.connection);
    check_ok(study, gofh_study_ask(study, &trial, x));
    check_stored(study);
    gofh_study_free(study);
}

static void a_writer_is_waited_for_if_the_caller_wants(void **state)
{
    (void)state;
    visitor v = {.left = 3, .writer = stored_valley(GOFH_OPEN_WRITE, NULL)};
    gofh_settings settings = quick_settings();
    settings.waiting = wait_for_visitor;
    settings.waiting_context = &v;
    advance_valley(v.writer, 2, NULL);
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_int_equal(v.asked, 4);
    assert_int_equal(v.reason, GOFH_WAIT_WRITER);
    assert_int_equal(gofh_study_count(study), 2);
    gofh_study_free(study);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_link_among_the_files_of_a_study_is_refused_and_leads_to_no_harm),
        STORED(a_link_to_nothing_makes_no_file_elsewhere),
        STORED(a_link_that_comes_while_the_study_is_open_is_noticed),
        STORED(a_file_that_is_no_lock_is_left_alone),
        STORED(the_folder_may_be_a_link_and_a_reader_may_come_by_one),
        STORED(without_the_lock_file_the_first_of_two_writers_is_refused),
        STORED(a_lock_file_that_was_removed_is_made_again),
        STORED(an_older_copy_put_over_the_file_is_noticed),
        STORED(a_program_that_holds_the_file_is_waited_for_as_long_as_the_caller_wants),
        STORED(a_writer_is_waited_for_if_the_caller_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
