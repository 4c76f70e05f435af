/* Files that are locked, damaged, or on a disk that refuses. */
#include "unit/api/stored.h"
#include "unit/store/earlier.h"
#include "unit/store/sql.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void a_second_writer_is_told_who_the_first_is(void **state)
{
    (void)state;
    gofh_study *first = stored_valley(GOFH_OPEN_WRITE, NULL);
    char text[64], host[64] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, sizeof text, "is being written by process %ld on ", (long)getpid());
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, text);
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, host);
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, " since 20");
    gofh_study_free(first);
    gofh_study_free(stored_valley(GOFH_OPEN_WRITE, NULL));
}

static void a_dead_writer_leaves_no_lock(void **state)
{
    (void)state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
        advance_valley(study, 2, NULL);
        if (write(ready[1], "r", 1) != 1) _exit(1);
        pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, "is being written by process");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    assert_int_equal(gofh_study_count(study), 2);
    gofh_study_free(study);
    close(ready[0]);
    close(ready[1]);
}

/* A writer that forks: its child says its number, frees the study and stays. */
static void write_and_fork(int ready)
{
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(study, 2, NULL);
    pid_t child = fork();
    if (child == 0) {
        gofh_study_free(study);
        child = getpid();
        if (write(ready, &child, sizeof child) != sizeof child) _exit(1);
    }
    for (;;) pause();
}

static void a_child_of_a_dead_writer_does_not_keep_its_lock(void **state)
{
    (void)state;
    int ready[2];
    pid_t grandchild = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) write_and_fork(ready[1]);
    assert_int_equal(read(ready[0], &grandchild, sizeof grandchild), sizeof grandchild);
    /* That the grandchild has freed its copy of the study took nothing from the writer. */
    check_refused(valley_problem(), GOFH_ERROR_LOCKED, "is being written by process");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(kill(grandchild, 0), 0); /* it is still there */
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    assert_int_equal(gofh_study_count(study), 2);
    gofh_study_free(study);
    kill(grandchild, SIGKILL);
    close(ready[0]);
    close(ready[1]);
}

static void a_reader_sees_what_is_there_and_changes_nothing(void **state)
{
    (void)state;
    gofh_study *writer = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(writer, 2, NULL);
    gofh_study *reader = stored_valley(GOFH_OPEN_READ, NULL);
    advance_valley(writer, 1, NULL);
    assert_int_equal(gofh_study_count(reader), 2);
    assert_true(isfinite(best_f(reader)));
    double x[VALLEY_D] = {0.5, 5.0}, y[VALLEY_M] = {0.0};
    int64_t trial;
    const char *text = "the study was opened for reading: open it for writing to change it";
    assert_int_equal(gofh_study_ask(reader, &trial, x), GOFH_ERROR_READ_ONLY);
    assert_string_equal(gofh_study_message(reader), text);
    assert_int_equal(gofh_study_tell(reader, 1, y), GOFH_ERROR_READ_ONLY);
    assert_string_equal(gofh_study_message(reader), text);
    assert_int_equal(gofh_study_fail(reader, 1, "no"), GOFH_ERROR_READ_ONLY);
    assert_int_equal(gofh_study_import(reader, x, y, NULL), GOFH_ERROR_READ_ONLY);
    assert_int_equal(gofh_study_set_note(reader, 1, "job", "1"), GOFH_ERROR_READ_ONLY);
    assert_int_equal(gofh_study_count(reader), 2);
    gofh_study_free(reader);
    gofh_study_free(writer);
}

/* A copy asks what the writer asks next, and nobody but its owner knows that it did. */
static void a_copy_asks_what_the_writer_would_ask_and_changes_nothing(void **state)
{
    (void)state;
    gofh_study *writer = stored_valley(GOFH_OPEN_WRITE, NULL);
    int64_t open, copied, trial;
    double first[VALLEY_D], x[2][VALLEY_D], y[VALLEY_M];
    advance_valley(writer, VALLEY_INITIAL + 2, NULL);
    assert_int_equal(gofh_study_ask(writer, &open, first), GOFH_OK);
    gofh_study *copy = stored_valley(GOFH_OPEN_COPY, NULL);
    assert_int_equal(gofh_study_ask(copy, &copied, x[0]), GOFH_OK);
    valley_h(x[0], y, NULL);
    assert_int_equal(gofh_study_tell(copy, copied, y), GOFH_OK);
    assert_int_equal(gofh_study_set_note(copy, copied, "job", "1"), GOFH_OK);
    gofh_study_free(copy);
    gofh_study *reader = stored_valley(GOFH_OPEN_READ, NULL);
    assert_int_equal(gofh_study_count(reader), open);
    gofh_study_free(reader);
    assert_int_equal(gofh_study_ask(writer, &trial, x[1]), GOFH_OK);
    assert_int_equal(trial, copied);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    gofh_study_free(writer);
}

static void nothing_to_read_is_said_so(void **state)
{
    (void)state;
    gofh_error error;
    assert_null(open_stored(valley_problem(), GOFH_OPEN_READ, NULL, &error));
    assert_int_equal(error.status, GOFH_ERROR_EMPTY);
    assert_non_null(strstr(error.message, "there is no study in "));
    assert_int_equal(access(stored_path, F_OK), -1);
}

static void write_bytes(const char *bytes, size_t count, long at)
{
    FILE *file = fopen(stored_path, at < 0 ? "wb" : "r+b");
    assert_non_null(file);
    if (at >= 0) fseek(file, at, SEEK_SET);
    fwrite(bytes, 1, count, file);
    fclose(file);
}

static void what_is_no_study_is_refused(void **state)
{
    (void)state;
    static char text[2000];
    memset(text, 'x', sizeof text);
    write_bytes(text, sizeof text, -1);
    check_refused(valley_problem(), GOFH_ERROR_DAMAGED, "it is no SQLite file");
    unlink(stored_path);
    run_sql("CREATE TABLE other (a)");
    check_refused(valley_problem(), GOFH_ERROR_DAMAGED, "is a database of another program");
    unlink(stored_path);
    assert_int_equal(mkdir(stored_path, 0777), 0);
    check_refused(valley_problem(), GOFH_ERROR_DISK, "is a folder");
    rmdir(stored_path);
    snprintf(stored_path, sizeof stored_path, "%s/no/study.db", stored_folder);
    check_refused(valley_problem(), GOFH_ERROR_DISK, "/no/study.db does not exist: make it first");
}

static void a_file_cut_anywhere_is_refused_or_whole(void **state)
{
    (void)state;
    make_valley_file();
    struct stat file;
    assert_int_equal(stat(stored_path, &file), 0);
    for (off_t size = file.st_size - 1; size > 0; size -= 4096 + 511) {
        assert_int_equal(truncate(stored_path, size), 0);
        gofh_error error;
        gofh_study *study = open_stored(valley_problem(), GOFH_OPEN_WRITE, NULL, &error);
        if (study) print_error("cut to %ld of %ld bytes\n", (long)size, (long)file.st_size);
        assert_null(study);
        assert_int_equal(error.status, GOFH_ERROR_DAMAGED);
        assert_null(open_stored(valley_problem(), GOFH_OPEN_READ, NULL, &error));
    }
}

/* As docs/store.md has it for a file that was changed by hand. */
static const char UNPROTECTED[] = "DROP TABLE checksums; DELETE FROM state WHERE name = 'writer'; "
                                  "PRAGMA user_version = -3";
/* After earlier_make: a file of version 1, which had no checksums and a row for each number. */
static const char VERSION_1[] = "DROP TABLE checksums; DELETE FROM state WHERE name = 'writer'; "
                                "PRAGMA user_version = 1";

/* Each statement, and what is then said of a file without checksums. */
static const char *const DAMAGES[][2] = {
    {"PRAGMA user_version = 4",
     "was written by a newer gofh (its tables are of version 4, this one knows 3)"},
    {"PRAGMA user_version = -4", "its version -4 was never in use"},
    {"PRAGMA user_version = 1", "its table \"data\" is not as gofh made it"},
    {"PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', char(27)) WHERE name "
     "= 'log'",
     "unrecognized token: \" \""},
    {"PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', CAST(x'a9' AS TEXT)) "
     "WHERE name = 'log'",
     "unknown table option: ?"},
    {"DROP TABLE notes", "it has no table \"notes\""},
    {"DROP TABLE results; CREATE TABLE results (trial)", "its table \"results\" is not as gofh made it"},
    {"DROP TABLE log; CREATE VIEW log AS SELECT 1 AS line, 'x' AS text", "it has no table \"log\""},
    {"UPDATE trials SET trial = 9223372036854775807 WHERE trial = 10", "trial 10 is missing"},
    {"UPDATE trials SET trial = -1 WHERE trial = 1", "trial 1 is missing"},
    {"UPDATE trials SET state = 'lost' WHERE trial = 2", "the row of trial 2 is wrong"},
    {"UPDATE trials SET origin = '' WHERE trial = 2", "the row of trial 2 is wrong"},
    {"UPDATE trials SET origin = '=cmd|x' WHERE trial = 2", "the row of trial 2 is wrong"},
    {"UPDATE trials SET origin = 'far' || char(27) WHERE trial = 2", "the row of trial 2 is wrong"},
    {"UPDATE parameters SET name = 'a' || char(27) || '[2J' WHERE position = 0",
     "a name in it is not one that gofh writes"},
    {"UPDATE outputs SET name = 'y' || char(155) || '2J'", "a name in it is not one that gofh writes"},
    {"UPDATE trials SET imported = 2 WHERE trial = 2", "the row of trial 2 is wrong"},
    {"UPDATE trials SET imported = 1 WHERE trial = 10", "trial 10 is imported and has no result"},
    {"UPDATE inputs SET value = 2.5 WHERE trial = 3 AND name = 'a'",
     "trial 3: parameter \"a\" is 2.5, beyond its bounds"},
    {"UPDATE inputs SET value = 9e999 WHERE trial = 3 AND name = 'a'", "parameter \"a\" is inf"},
    {"DELETE FROM inputs WHERE trial = 3", "trial 3 has no value of parameter \"a\""},
    {"UPDATE results SET value = CAST(substr(value, 1, 8) || x'000000000000f0ff' || substr(value, 17) AS "
     "BLOB) WHERE trial = 4",
     "trial 4: output \"y\" has a wrong value"},
    {"UPDATE results SET value = CAST(substr(value, 1, 16) || x'000000000000f87f' AS BLOB) WHERE trial = 4",
     "trial 4: output \"y\" has a wrong value"},
    {"UPDATE results SET value = zeroblob(23) WHERE trial = 4", "trial 4: output \"y\" has a wrong value"},
    {"UPDATE results SET value = zeroblob(16) WHERE trial = 4", "trial 4: output \"y\" has 2 values of 3"},
    {"UPDATE results SET value = zeroblob(32) WHERE trial = 4", "trial 4: output \"y\" has 4 values of 3"},
    {"UPDATE results SET value = x'' WHERE trial = 4", "trial 4: output \"y\" has 0 values of 3"},
    {"DELETE FROM results WHERE trial = 4", "trial 4: output \"y\" has 0 values of 3"},
    {"INSERT INTO variances VALUES (4, 'y', zeroblob(32))", "trial 4 has a wrong variance"},
    {"INSERT INTO variances VALUES (4, 'y', x'000000000000f0bf')", "trial 4 has a wrong variance"},
    {"INSERT INTO notes VALUES (11, 'a', 'b')", "it has a note on trial 11 of 10"},
    {"INSERT INTO log VALUES (7, 'b')", "of its log is wrong"},
    {"UPDATE state SET value = x'00'", "what the model was is not kept as it should be"},
    {"UPDATE state SET value = CAST(substr(value, 1, 80) AS BLOB)",
     "what its model was does not fit its trials"},
    {"UPDATE state SET value = CAST(substr(value, 1, 32) || x'000000000000f07f' || substr(value, 41) AS "
     "BLOB)",
     "what its model was does not fit its trials"},
    /* an output's transform is number 9 */
    {"UPDATE state SET value = CAST(substr(value, 1, 184) || x'0000000000002240' || substr(value, 193) AS "
     "BLOB)",
     "what its model was does not fit its trials"},
};

/* The same of a file of version 1. */
static const char *const DAMAGED_ROWS[][2] = {
    {"UPDATE results SET value = -9e999 WHERE trial = 4 AND position = 1",
     "trial 4: output \"y\" has a wrong value"},
    {"UPDATE results SET position = -1 WHERE trial = 4 AND position = 1",
     "trial 4: output \"y\" has a wrong value"},
    {"UPDATE results SET position = 99999999999 WHERE trial = 4 AND position = 2",
     "trial 4: output \"y\" has a wrong value"},
    {"DELETE FROM results WHERE trial = 4 AND position = 2", "trial 4: output \"y\" has 2 values of 3"},
    {"INSERT INTO results VALUES (4, 'y', 3, 1.0)", "trial 4: output \"y\" has a wrong value"},
    {"INSERT INTO variances VALUES (4, 'y', 1, -1.0)", "trial 4 has a wrong variance"},
    {"INSERT INTO variances VALUES (4, 'y', 3, 1.0)", "trial 4 has a wrong variance"},
    {"PRAGMA user_version = 3", "its table \"data\" is not as gofh made it"},
};

static void check_damages(const char *const damages[][2], size_t count, const char *before)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.hyper_samples = 3;
    char copy[sizeof stored_path + 8], command[256];
    snprintf(copy, sizeof copy, "%s.copy", stored_path);
    assert_int_equal(rename(stored_path, copy), 0);
    for (size_t i = 0; i < count; i++) {
        snprintf(command, sizeof command, "cp '%s' '%s'", copy, stored_path);
        assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
        run_sql(before);
        run_sql(damages[i][0]);
        for (int mode = 0; mode < 2; mode++) {
            gofh_error error;
            gofh_study *study = open_stored(valley_problem(), (gofh_open_mode)mode, &settings, &error);
            if (study || !strstr(error.message, damages[i][1]))
                print_error("%s: \"%s\"\n", damages[i][0], error.message);
            assert_null(study);
            assert_int_equal(error.status, GOFH_ERROR_DAMAGED);
            assert_non_null(strstr(error.message, damages[i][1]));
        }
    }
}

static void damage_is_refused_with_what_it_is(void **state)
{
    (void)state;
    make_valley_file();
    check_damages(DAMAGES, sizeof DAMAGES / sizeof DAMAGES[0], UNPROTECTED);
}

static void damage_to_an_earlier_file_is_refused_too(void **state)
{
    (void)state;
    make_valley_file();
    earlier_make(stored_path);
    check_damages(DAMAGED_ROWS, sizeof DAMAGED_ROWS / sizeof DAMAGED_ROWS[0], VERSION_1);
}

static void a_deleted_file_is_noticed(void **state)
{
    (void)state;
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    double x[VALLEY_D];
    int64_t trial;
    unlink(stored_path);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_ERROR_DISK);
    assert_non_null(strstr(gofh_study_message(study), "was removed or replaced while it was in use"));
    char other[sizeof stored_path + 8];
    snprintf(other, sizeof other, "%s.saved", stored_path);
    check_ok(study, gofh_study_save(study, other));
    gofh_study_free(study);
}

/* Runs as nobody, for root may write anywhere. */
static int as_nobody(int (*action)(void))
{
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgid(65534) || setuid(65534))) _exit(90);
        _exit(action());
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int open_in_a_read_only_folder(void)
{
    gofh_study *study;
    gofh_problem *problem = valley_problem();
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_open(&study, stored_path, GOFH_OPEN_WRITE, problem, NULL, &error) !=
            GOFH_ERROR_READ_ONLY ||
        !strstr(error.message, "the folder of the study can't be written"))
        return fprintf(stderr, "%s\n", error.message), 1;
    error = (gofh_error){.status = GOFH_OK};
    if (gofh_study_open(&study, stored_path, GOFH_OPEN_READ, problem, NULL, &error))
        return fprintf(stderr, "%s\n", error.message), 2;
    char other[sizeof stored_path + 8];
    snprintf(other, sizeof other, "%s.copy", stored_path);
    if (gofh_study_save(study, other) != GOFH_ERROR_READ_ONLY ||
        !strstr(gofh_study_message(study), "allow it, or save the study to another folder"))
        return fprintf(stderr, "%s\n", gofh_study_message(study)), 4;
    return gofh_study_count(study) == 10 ? 0 : 3;
}

static int open_a_read_only_file(void)
{
    gofh_study *study;
    gofh_problem *problem = valley_problem();
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_open(&study, stored_path, GOFH_OPEN_WRITE, problem, NULL, &error) ==
            GOFH_ERROR_READ_ONLY &&
        strstr(error.message, "allow it, or copy the study to where it can"))
        return 0;
    return fprintf(stderr, "%d: %s\n", error.status, error.message), 1;
}

static void a_read_only_file_is_a_status_of_its_own(void **state)
{
    (void)state;
    make_valley_file();
    chmod(stored_path, 0444);
    chmod(stored_folder, 0777);
    char lock[sizeof stored_path + 8];
    snprintf(lock, sizeof lock, "%s.lock", stored_path);
    chmod(lock, 0666);
    assert_int_equal(as_nobody(open_a_read_only_file), 0);
}

/* sysfs takes no files from anybody, root included, whether it is mounted read-only or not. */
static void a_file_system_that_takes_no_files_is_read_only(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_problem *problem = valley_problem();
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_open(&study, "/sys/study.db", GOFH_OPEN_WRITE, problem, NULL, &error);
    assert_int_equal(status, GOFH_ERROR_READ_ONLY);
    assert_null(study);
    assert_non_null(strstr(error.message, "allow it, or copy the study to one that can"));
    gofh_problem_free(problem);
}

static void a_read_only_folder_can_be_read_and_says_why_not_written(void **state)
{
    (void)state;
    char lock[sizeof stored_path + 8];
    make_valley_file();
    snprintf(lock, sizeof lock, "%s.lock", stored_path);
    unlink(lock);
    chmod(stored_path, 0444);
    chmod(stored_folder, 0555);
    assert_int_equal(as_nobody(open_in_a_read_only_folder), 0);
}

/* The bytes a file may have, for this process. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void check_disk_refused(const gofh_study *study, gofh_status status)
{
    check_status(study, status, GOFH_ERROR_DISK, __LINE__);
    assert_non_null(strstr(gofh_study_message(study), "then try again"));
}

/* A limit on the size of files stands in for a full disk: each write beyond it is refused. */
static void a_full_disk_loses_nothing_and_the_call_can_be_repeated(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    gofh_study *whole = valley_study(&settings), *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    for (int i = 0; i < 12; i++) {
        double expected[VALLEY_D], x[VALLEY_D], y[VALLEY_M];
        int64_t trial, other;
        check_ok(whole, gofh_study_ask(whole, &other, expected));
        limit_files(i % 2 ? 512 : 4096);
        check_disk_refused(study, gofh_study_ask(study, &trial, x));
        assert_int_equal(gofh_study_count(study), i);
        limit_files(RLIM_INFINITY);
        check_ok(study, gofh_study_ask(study, &trial, x));
        assert_int_equal(trial, other);
        assert_memory_equal(x, expected, sizeof x);
        valley_h(x, y, NULL);
        check_ok(whole, gofh_study_tell(whole, other, y));
        limit_files(512);
        gofh_trial seen;
        check_disk_refused(study, gofh_study_set_note(study, trial, "job", "1"));
        assert_null(gofh_study_note(study, trial, "job"));
        check_disk_refused(study, gofh_study_tell(study, trial, y));
        check_ok(study, gofh_study_trial(study, trial, &seen));
        assert_int_equal(seen.state, GOFH_TRIAL_OPEN);
        check_disk_refused(study, gofh_study_fail(study, trial, "no"));
        check_disk_refused(study, gofh_study_import(study, x, y, NULL));
        assert_int_equal(gofh_study_count(study), i + 1);
        limit_files(RLIM_INFINITY);
        check_ok(study, gofh_study_tell(study, trial, y));
    }
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_int_equal(gofh_study_count(study), 12);
    double a[VALLEY_D], b[VALLEY_D];
    advance_valley(whole, 1, a);
    advance_valley(study, 1, b);
    assert_memory_equal(a, b, sizeof a);
    gofh_study_free(study);
    gofh_study_free(whole);
}

/* SQLite counts the commits of a file in bytes 24 to 27 of its header. */
static unsigned long commits(void)
{
    unsigned char bytes[4];
    FILE *file = fopen(stored_path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 24, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    return (unsigned long)bytes[0] << 24 | (unsigned long)bytes[1] << 16 | (unsigned long)bytes[2] << 8 |
           bytes[3];
}

static void a_list_of_evaluations_is_imported_in_one_commit_or_not_at_all(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    double x[ROWS][VALLEY_D], y[ROWS][VALLEY_M];
    const double variance[VALLEY_M] = {0.25, NAN, 0.0};
    gofh_evaluation list[ROWS] = {{0}};
    int64_t first = 0;
    for (int i = 0; i < ROWS; i++) {
        x[i][0] = 2.0 * i / ROWS;
        x[i][1] = 1.0 + i % 7;
        valley_h(x[i], y[i], NULL);
        list[i].x = x[i];
        if (i % 7 != 3) list[i].y = y[i]; /* the others failed */
        if (i % 7 == 3) list[i].reason = "it boiled";
        if (i % 5 == 0) list[i].variance = variance;
    }
    signal(SIGXFSZ, SIG_IGN);
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(study, 2, NULL);
    x[ROWS - 1][0] = 5.0; /* outside */
    assert_int_equal(gofh_study_import_all(study, list, ROWS, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_count(study), 2);
    x[ROWS - 1][0] = 1.0;
    limit_files(512);
    check_disk_refused(study, gofh_study_import_all(study, list, ROWS, NULL));
    limit_files(RLIM_INFINITY);
    assert_int_equal(gofh_study_count(study), 2);
    assert_int_equal(gofh_study_import_all(study, list, -1, NULL), GOFH_ERROR_ARGUMENT);
    unsigned long before = commits();
    check_ok(study, gofh_study_import_all(study, list, ROWS, &first));
    assert_int_equal(commits() - before, 1);
    assert_int_equal(first, 3);
    check_ok(study, gofh_study_import_all(study, list, 0, NULL));
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_READ, NULL);
    assert_int_equal(gofh_study_count(study), 2 + ROWS);
    for (int i = 0; i < ROWS; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, first + i, &trial));
        assert_true(trial.imported);
        assert_memory_equal(trial.x, x[i], sizeof x[i]);
        assert_int_equal(trial.state, list[i].y ? GOFH_TRIAL_DONE : GOFH_TRIAL_FAILED);
        assert_string_equal(trial.reason, list[i].y ? "" : "it boiled");
        assert_int_equal(trial.y == NULL, list[i].y == NULL);
        if (trial.y) assert_memory_equal(trial.y, y[i], sizeof y[i]);
        int noisy = list[i].y && list[i].variance;
        assert_int_equal(trial.variance != NULL, noisy);
        if (noisy)
            assert_true(trial.variance[0] == 0.25 && isnan(trial.variance[1]) && trial.variance[2] == 0.0);
    }
    gofh_study_free(study);
}

static void arguments_that_are_wrong_are_refused(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_problem *problem = valley_problem();
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(gofh_study_open(&study, NULL, GOFH_OPEN_WRITE, problem, NULL, &error),
                     GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "the study has no path");
    error = (gofh_error){.status = GOFH_OK};
    assert_int_equal(gofh_study_open(&study, stored_path, (gofh_open_mode)3, problem, NULL, &error),
                     GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "unknown mode 3 to open a study");
    assert_int_equal(gofh_study_open(NULL, stored_path, GOFH_OPEN_WRITE, problem, NULL, NULL),
                     GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_save(NULL, stored_path), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_set_note(NULL, 1, "a", "b"), GOFH_ERROR_ARGUMENT);
    assert_null(gofh_study_note(NULL, 1, "a"));
    gofh_problem_free(problem);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_second_writer_is_told_who_the_first_is),
        STORED(a_dead_writer_leaves_no_lock),
        STORED(a_child_of_a_dead_writer_does_not_keep_its_lock),
        STORED(a_reader_sees_what_is_there_and_changes_nothing),
        STORED(a_copy_asks_what_the_writer_would_ask_and_changes_nothing),
        STORED(nothing_to_read_is_said_so),
        STORED(what_is_no_study_is_refused),
        STORED(a_file_cut_anywhere_is_refused_or_whole),
        STORED(damage_is_refused_with_what_it_is),
        STORED(damage_to_an_earlier_file_is_refused_too),
        STORED(a_deleted_file_is_noticed),
        STORED(a_read_only_folder_can_be_read_and_says_why_not_written),
        STORED(a_read_only_file_is_a_status_of_its_own),
        STORED(a_file_system_that_takes_no_files_is_read_only),
        STORED(a_full_disk_loses_nothing_and_the_call_can_be_repeated),
        STORED(a_list_of_evaluations_is_imported_in_one_commit_or_not_at_all),
        STORED(arguments_that_are_wrong_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
