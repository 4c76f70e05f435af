/* Numbers that became others in the file, and files of version 1, which had no checksums. */
#include "unit/api/stored.h"
#include "unit/store/earlier.h"
#include "unit/store/sql.h"

/* Ten trials: the last is open, the second failed, one has a note, and the log has lines. */
static void make_file(void)
{
    gofh_settings settings = quick_settings();
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    double x[VALLEY_D];
    int64_t trial;
    advance_valley(study, 1, NULL);
    check_ok(study, gofh_study_ask(study, &trial, x));
    check_ok(study, gofh_study_fail(study, trial, "diverged"));
    advance_valley(study, 7, NULL);
    check_ok(study, gofh_study_ask(study, &trial, x));
    check_ok(study, gofh_study_set_note(study, 3, "job", "4711"));
    gofh_study_free(study);
    settings.seed = 2; /* which the log says */
    gofh_study_free(stored_valley(GOFH_OPEN_WRITE, &settings));
}

/* Each leaves a file that makes sense, with another number or text in it. */
static const char *const CHANGES[][2] = {
    {"UPDATE results SET value = CAST(x'01' || substr(value, 2) AS BLOB) WHERE trial = 4",
     "trial 4 is not what was written"},
    {"UPDATE results SET value = zeroblob(24) WHERE trial = 9", "trial 9 is not what was written"},
    {"INSERT INTO variances VALUES (4, 'y', zeroblob(8))", "trial 4 is not what was written"},
    {"UPDATE inputs SET value = 1.0 WHERE trial = 5 AND name = 'a'", "trial 5 is not what was written"},
    {"UPDATE inputs SET value = 1.0 WHERE trial = 10 AND name = 'a'", "trial 10 is not what was written"},
    {"UPDATE trials SET expected = 7.0 WHERE trial = 8", "trial 8 is not what was written"},
    {"UPDATE trials SET state = 'failed' WHERE trial = 3", "trial 3 is not what was written"},
    {"UPDATE trials SET state = 'open' WHERE trial = 3", "trial 3 is not what was written"},
    {"UPDATE trials SET imported = 1 WHERE trial = 3", "trial 3 is not what was written"},
    {"UPDATE trials SET reason = 'converged' WHERE trial = 2", "trial 2 is not what was written"},
    {"UPDATE trials SET origin = 'import' WHERE trial = 1", "trial 1 is not what was written"},
    {"DELETE FROM trials WHERE trial = 10", "checksums"},
    {"INSERT INTO trials SELECT 11, state, origin, imported, expected, f, reason, asked, told FROM trials "
     "WHERE "
     "trial = 10; INSERT INTO inputs SELECT 11, name, value FROM inputs WHERE trial = 10",
     "trial 11 is not what was written (its checksum is missing)"},
    {"UPDATE notes SET value = '4712'", "note 3 "},
    {"UPDATE notes SET name = 'jab'", "note 3 "},
    {"UPDATE notes SET trial = 4", "note 4 "},
    {"DELETE FROM notes", "checksums"},
    {"UPDATE log SET text = text || '.' WHERE line = 1", "log line 1 is not what was written"},
    {"DELETE FROM log WHERE line = (SELECT max(line) FROM log)", "checksums"},
    {"UPDATE state SET value = zeroblob(length(value)) WHERE name = 'asked'", "the model's state is not"},
    {"DELETE FROM state WHERE name = 'asked'", "checksums"},
    {"UPDATE parameters SET upper = 3.0 WHERE position = 0", "the problem is not what was written"},
    {"UPDATE meta SET value = '7' WHERE name = 'seed'", "the problem is not what was written"},
    {"UPDATE outputs SET size = 4", "the problem is not what was written"},
    {"INSERT INTO data VALUES ('data', 'observed', zeroblob(8))", "the problem is not what was written"},
    {"UPDATE checksums SET value = value + 1 WHERE item = 'trial 6'", "trial 6 is not what was written"},
    {"DELETE FROM checksums WHERE item = 'trial 6'", "trial 6 is not what was written"},
    {"DELETE FROM checksums", "is not what was written"},
    {"INSERT INTO checksums VALUES ('trial 12', 1)", "checksums"},
    {"PRAGMA user_version = -3", "its version says that it has no table \"checksums\""},
    {"DROP TABLE checksums", "it has no table \"checksums\""},
};

static void a_number_that_became_another_is_noticed_by_readers_and_writers(void **state)
{
    (void)state;
    char copy[sizeof stored_path + 8], command[256];
    gofh_settings settings = quick_settings();
    settings.seed = 2;
    make_file();
    snprintf(copy, sizeof copy, "%s.copy", stored_path);
    assert_int_equal(rename(stored_path, copy), 0);
    snprintf(command, sizeof command, "cp '%s' '%s'", copy, stored_path);
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
        run_sql(CHANGES[i][0]);
        for (int mode = 0; mode < 2; mode++) {
            gofh_error error;
            gofh_study *study = open_stored(valley_problem(), (gofh_open_mode)mode, &settings, &error);
            if (study || !strstr(error.message, CHANGES[i][1]))
                print_error("%s: \"%s\"\n", CHANGES[i][0], study ? "opened" : error.message);
            assert_null(study);
            assert_int_equal(error.status, GOFH_ERROR_DAMAGED);
            assert_non_null(strstr(error.message, CHANGES[i][1]));
            assert_non_null(strstr(error.message, "Put a copy of it back, or move it away"));
        }
    }
    assert_int_equal(system(command), 0); /* NOLINT: the names are ours */
    gofh_study_free(stored_valley(GOFH_OPEN_READ, &settings));
    gofh_study_free(stored_valley(GOFH_OPEN_WRITE, &settings));
}

/* What gofh 0.1.0 left. */
static const char VERSION_1[] = "DROP TABLE checksums; DELETE FROM state WHERE name = 'writer'; "
                                "PRAGMA user_version = 1";

static void a_file_of_version_1_is_read_as_it_is_and_protected_once_it_is_written(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.seed = 2;
    make_file();
    int64_t sums = number_of("SELECT count(*) FROM checksums");
    int64_t whole = number_of("SELECT total(value >> 32) FROM checksums");
    earlier_make(stored_path);
    run_sql(VERSION_1);
    gofh_study *study = stored_valley(GOFH_OPEN_READ, &settings);
    assert_int_equal(gofh_study_count(study), 10);
    assert_string_equal(gofh_study_note(study, 3, "job"), "4711");
    gofh_study_free(study);
    assert_int_equal(number_of("PRAGMA user_version"), 1);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    gofh_study_free(study);
    /* The same checksums as if it had had them from the beginning. */
    assert_int_equal(number_of("PRAGMA user_version"), 3);
    assert_int_equal(number_of("SELECT count(*) FROM checksums"), sums);
    assert_int_equal(number_of("SELECT total(value >> 32) FROM checksums"), whole);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_int_equal(gofh_study_count(study), 10);
    advance_valley(study, 1, NULL);
    gofh_study_free(study);
    run_sql("UPDATE results SET value = CAST(x'01' || substr(value, 2) AS BLOB) WHERE trial = 4");
    check_refused(valley_problem(), GOFH_ERROR_DAMAGED, "trial 4 is not what was written");
}

static void long_names_of_notes_do_not_share_a_checksum(void **state)
{
    (void)state;
    char name[1001];
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, NULL);
    advance_valley(study, 1, NULL);
    memset(name, 'n', sizeof name);
    name[1000] = '\0';
    for (int i = 0; i < 3; i++) {
        name[999] = (char)('a' + i);
        check_ok(study, gofh_study_set_note(study, 1, name, "text"));
    }
    check_ok(study, gofh_study_set_note(study, 1, name, NULL));
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_READ, NULL);
    assert_null(gofh_study_note(study, 1, name));
    name[999] = 'a';
    assert_string_equal(gofh_study_note(study, 1, name), "text");
    gofh_study_free(study);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_number_that_became_another_is_noticed_by_readers_and_writers),
        STORED(a_file_of_version_1_is_read_as_it_is_and_protected_once_it_is_written),
        STORED(long_names_of_notes_do_not_share_a_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
