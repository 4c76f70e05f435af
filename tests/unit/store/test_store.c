/* The layer's own calls: what they write is what plain SQL finds in the file, and what SQL put there
 * is what they read. */
#include "store/lock.h"
#include "store/store.h"

#include "unit/store/sql.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { D = 2, M = 3 };

/* ---- The problem ---- */

static const store_parameter PARAMETERS[D] = {
    {.name = "a", .lower = 0.0, .upper = 2.0, .scale = GOFH_SCALE_LINEAR},
    {.name = "b", .lower = 1.0, .upper = 100.0, .scale = GOFH_SCALE_LOG}};
static const store_output OUTPUTS[] = {{"c", 2}, {"t", 1}};
static const double OBSERVED[] = {0.5, -1.5}, NOISE[] = {NAN, 0.25, NAN};
static const store_numbers NUMBERS[] = {{"data", "observed", OBSERVED, 2}, {"noise", "", NOISE, 3}};
static const store_fact FACTS[] = {{"objective", "sum(c^2) + t", 1}, {"budget", "60", 0}};
static const store_problem PROBLEM = {.d = D,
                                      .m = M,
                                      .output_count = 2,
                                      .number_count = 2,
                                      .fact_count = 2,
                                      .parameters = PARAMETERS,
                                      .outputs = OUTPUTS,
                                      .numbers = NUMBERS,
                                      .facts = FACTS};

static const double X1[D] = {0.5, 10.0}, X2[D] = {1.0, 20.0}, X3[D] = {2.0, 1.0};
static const double Y1[M] = {1.25, -3.0, 1e-300}, VARIANCE1[M] = {NAN, 0.5, NAN};
static const double STATE[] = {1.5, -2.0, 0.1};

static gofh_trial trial(int64_t number, gofh_trial_state state, const double *x, const double *y)
{
    return (gofh_trial){.size = sizeof(gofh_trial),
                        .trial = number,
                        .state = state,
                        .origin = "design",
                        .expected = NAN,
                        .f = y ? 7.5 : NAN,
                        .reason = state == GOFH_TRIAL_FAILED ? "it diverged" : "",
                        .x = x,
                        .y = y};
}

/* ---- The file, by the layer and by SQL ---- */

static store *open_file(gofh_open_mode mode)
{
    gofh_error error = {.status = GOFH_OK};
    store *s = store_open(stored_path, mode, (store_patience){0}, &error);
    assert_string_equal(error.message, "");
    assert_non_null(s);
    assert_int_equal(store_begin(s, &error), GOFH_OK);
    return s;
}

static void commit(store *s)
{
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(store_commit(s, &error), GOFH_OK);
    store_close(s);
}

/* A study without trials. */
static void make_file(void)
{
    gofh_error error = {.status = GOFH_OK};
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_true(store_is_new(s));
    assert_int_equal(store_create(s, &PROBLEM, &error), GOFH_OK);
    assert_int_equal(store_write_problem(s, &PROBLEM, &error), GOFH_OK);
    commit(s);
}

static int add_row(void *context, int count, char **values, char **names)
{
    (void)names;
    char *text = context;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, 1000 - length, "%s%s", values[i] ? values[i] : "NULL",
                 i + 1 < count ? "|" : "\n");
    }
    return 0;
}

/* The rows of a query: values with "|" between them, a line end after each row. */
static void check_rows(const char *query, const char *expected)
{
    char text[1000] = "", *message = NULL;
    sqlite3 *connection;
    assert_int_equal(sqlite3_open_v2(stored_path, &connection, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_exec(connection, query, add_row, text, &message)) fail_msg("%s", message);
    sqlite3_close(connection);
    assert_string_equal(text, expected);
}

/* ---- Writing ---- */

static void the_problem_is_in_its_tables(void **state)
{
    (void)state;
    make_file();
    check_rows("SELECT * FROM parameters ORDER BY position", "0|a|0.0|2.0|linear\n1|b|1.0|100.0|log\n");
    check_rows("SELECT * FROM outputs ORDER BY position", "0|c|2\n1|t|1\n");
    check_rows("SELECT kind, name, hex(value) FROM data ORDER BY kind, name",
               "data|observed|000000000000E03F000000000000F8BF\n"
               "noise||000000000000F87F000000000000D03F000000000000F87F\n");
    check_rows("SELECT * FROM meta ORDER BY name", "budget|60\nobjective|sum(c^2) + t\n");
    check_rows("PRAGMA user_version", "3\n");
    check_rows("PRAGMA application_id", "1735353960\n");
}

static void a_problem_written_again_replaces_the_one_before(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    static const store_fact other = {"objective", "t", 1};
    store_problem smaller = PROBLEM;
    smaller.facts = &other;
    smaller.fact_count = 1;
    smaller.number_count = 1;
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_problem(s, &smaller, &error), GOFH_OK);
    commit(s);
    check_rows("SELECT * FROM meta", "objective|t\n");
    check_rows("SELECT kind, count(*) FROM data GROUP BY kind", "data|1\n");
    check_rows("SELECT count(*) FROM parameters", "2\n");
}

static void trials_are_rows_and_their_numbers_exact(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial done = trial(1, GOFH_TRIAL_DONE, X1, Y1), failed = trial(2, GOFH_TRIAL_FAILED, X2, NULL),
               open = trial(3, GOFH_TRIAL_OPEN, X3, NULL);
    done.variance = VARIANCE1;
    open.expected = 0.125;
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    assert_int_equal(store_write_trial(s, &PROBLEM, &failed, &error), GOFH_OK);
    assert_int_equal(store_write_trial(s, &PROBLEM, &open, &error), GOFH_OK);
    commit(s);
    check_rows("SELECT trial, state, origin, imported, expected, f, reason, asked IS NULL, told IS NULL "
               "FROM trials ORDER BY trial",
               "1|done|design|0|NULL|7.5|NULL|0|0\n2|failed|design|0|NULL|NULL|it diverged|0|0\n"
               "3|open|design|0|0.125|NULL|NULL|0|1\n");
    check_rows("SELECT * FROM inputs ORDER BY trial, name",
               "1|a|0.5\n1|b|10.0\n2|a|1.0\n2|b|20.0\n3|a|2.0\n3|b|1.0\n");
    /* As IEEE 754 has them, the lowest byte first. */
    check_rows("SELECT trial, name, hex(value) FROM results ORDER BY trial, name",
               "1|c|000000000000F43F00000000000008C0\n1|t|59F3F8C21F6EA501\n");
    check_rows("SELECT trial, name, hex(value) FROM variances", "1|c|000000000000F87F000000000000E03F\n");
    check_rows("SELECT * FROM result_values ORDER BY trial, name, position",
               "1|c|0|1.25\n1|c|1|-3.0\n1|t|0|1.0e-300\n");
    check_rows("SELECT trial, a, b, \"c[0]\", \"c[1]\", t FROM evaluations WHERE trial < 3",
               "1|0.5|10.0|1.25|-3.0|1.0e-300\n2|1.0|20.0|NULL|NULL|NULL\n");
}

static void the_view_of_numbers_has_each_double_exactly(void **state)
{
    (void)state;
    static const double values[] = {
        1e-300, -DBL_MAX,       DBL_MIN, 4.9e-324,          -2.2e-308, 1.0 / 3.0, -1e22, 0.0,
        -1.0,   123456789.0625, 1e308,   3.141592653589793, 0x1p-1022, 0x1p1023,  0.1};
    enum { COUNT = sizeof values / sizeof values[0] };
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    gofh_error error = {.status = GOFH_OK};
    for (int i = 0; i < COUNT; i++) {
        const double y[M] = {values[i], -0.0, -values[i]};
        gofh_trial done = trial(i + 1, GOFH_TRIAL_DONE, X1, y);
        assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    }
    commit(s);
    sqlite3 *connection;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(stored_path, &connection), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(connection,
                                        "SELECT value FROM result_values ORDER BY trial, name, position", -1,
                                        &row, NULL),
                     SQLITE_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        assert_true(sqlite3_column_double(row, 0) == values[i]);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        assert_true(sqlite3_column_double(row, 0) == 0.0);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        assert_true(sqlite3_column_double(row, 0) == -values[i]);
    }
    assert_int_equal(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    sqlite3_close(connection);
}

static void a_trial_written_again_leaves_nothing_of_its_first_report(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial done = trial(1, GOFH_TRIAL_DONE, X1, Y1), failed = trial(1, GOFH_TRIAL_FAILED, X1, NULL);
    done.variance = VARIANCE1;
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    assert_int_equal(store_write_trial(s, &PROBLEM, &failed, &error), GOFH_OK);
    commit(s);
    check_rows("SELECT trial, state, f, reason FROM trials", "1|failed|NULL|it diverged\n");
    check_rows("SELECT (SELECT count(*) FROM results), (SELECT count(*) FROM variances)", "0|0\n");
    check_rows("SELECT count(*) FROM checksums WHERE item LIKE 'trial %'", "1\n");
}

static void f_notes_lines_and_the_state_are_in_their_tables(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial done = trial(1, GOFH_TRIAL_DONE, X1, Y1);
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    assert_int_equal(store_write_f(s, 1, -4.5, &error), GOFH_OK);
    assert_int_equal(store_write_note(s, 1, "seconds", "3", &error), GOFH_OK);
    assert_int_equal(store_write_note(s, 1, "seconds", "12.5", &error), GOFH_OK);
    assert_int_equal(store_write_note(s, 0, "gone", "soon", &error), GOFH_OK);
    assert_int_equal(store_write_note(s, 0, "gone", NULL, &error), GOFH_OK);
    assert_int_equal(store_write_line(s, 1, "the first line", &error), GOFH_OK);
    assert_int_equal(store_write_state(s, STATE, 3, &error), GOFH_OK);
    commit(s);
    check_rows("SELECT trial, f FROM trials", "1|-4.5\n");
    check_rows("SELECT * FROM notes", "1|seconds|12.5\n");
    check_rows("SELECT * FROM log", "1|the first line\n");
    check_rows("SELECT hex(value) FROM state WHERE name = 'asked'",
               "000000000000F83F00000000000000C09A9999999999B93F\n");
}

static void nothing_is_left_of_what_was_rolled_back(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial done = trial(1, GOFH_TRIAL_DONE, X1, Y1);
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    store_rollback(s);
    assert_int_equal(store_begin(s, &error), GOFH_OK);
    assert_int_equal(store_write_line(s, 1, "kept", &error), GOFH_OK);
    assert_int_equal(store_commit(s, &error), GOFH_OK);
    assert_int_equal(store_begin(s, &error), GOFH_OK);
    assert_int_equal(store_write_line(s, 2, "closed too early", &error), GOFH_OK);
    store_close(s);
    check_rows("SELECT count(*) FROM trials", "0\n");
    check_rows("SELECT * FROM log", "1|kept\n");
}

/* ---- Reading, of a file of version 1 that SQL has filled ---- */

static const char VERSION_1[] =
    "DROP TABLE checksums; DROP TABLE variances; PRAGMA user_version = 1;"
    "DROP VIEW evaluations; DROP VIEW result_values; DROP TABLE results; DROP TABLE data;"
    "CREATE TABLE data (kind TEXT, name TEXT, position INTEGER, value REAL NOT NULL, "
    "PRIMARY KEY (kind, name, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE results (trial INTEGER, name TEXT, position INTEGER, value REAL NOT NULL, "
    "PRIMARY KEY (trial, name, position)) STRICT, WITHOUT ROWID;"
    "CREATE VIEW evaluations AS SELECT trial, state, origin, f, (SELECT value FROM results AS r WHERE "
    "r.trial = t.trial AND r.name = 't' AND r.position = 0) AS t FROM trials AS t;"
    "CREATE VIEW of_the_user AS SELECT position FROM results JOIN lost;"
    "INSERT INTO data VALUES ('data', 'observed', 0, 0.5), ('data', 'observed', 1, -1.5), "
    "('noise', '', 1, 0.25);"
    "INSERT INTO trials VALUES (1, 'done', 'design', 0, NULL, 7.5, NULL, '2024-01-01', '2024-01-02'),"
    "(2, 'failed', 'design', 0, NULL, NULL, 'it diverged', '2024-01-01', '2024-01-02');"
    "INSERT INTO inputs VALUES (1, 'a', 0.5), (1, 'b', 10.0), (2, 'a', 1.0), (2, 'b', 20.0);"
    "INSERT INTO results VALUES (1, 'c', 0, 1.25), (1, 'c', 1, -3.0), (1, 't', 0, 1e-300);"
    "INSERT INTO notes VALUES (1, 'seconds', '12.5');"
    "INSERT INTO log VALUES (1, 'the first line');"
    "INSERT INTO state VALUES ('asked', x'000000000000F83F00000000000000C09A9999999999B93F');";

typedef struct {
    int trials, notes, lines;
    int has_variance;
} seen;

static gofh_status take_trial(void *context, const gofh_trial *found)
{
    seen *all = context;
    gofh_trial expected = ++all->trials == 1 ? trial(1, GOFH_TRIAL_DONE, X1, Y1)
                                             : trial(2, GOFH_TRIAL_FAILED, X2, NULL);
    assert_int_equal(found->trial, expected.trial);
    assert_int_equal(found->state, expected.state);
    assert_string_equal(found->origin, expected.origin);
    assert_string_equal(found->reason, expected.reason);
    assert_int_equal(found->imported, 0);
    assert_true(isnan(found->expected));
    assert_memory_equal(found->x, expected.x, sizeof X1);
    assert_int_equal(found->y != NULL, expected.y != NULL);
    if (found->y) assert_memory_equal(found->y, expected.y, sizeof Y1);
    if (!found->variance) return GOFH_OK;
    all->has_variance = 1;
    for (int j = 0; j < M; j++)
        assert_true(isnan(VARIANCE1[j]) ? isnan(found->variance[j]) : found->variance[j] == VARIANCE1[j]);
    return GOFH_OK;
}

static gofh_status take_note(void *context, int64_t number, const char *name, const char *value)
{
    ((seen *)context)->notes++;
    assert_int_equal(number, 1);
    assert_string_equal(name, "seconds");
    assert_string_equal(value, "12.5");
    return GOFH_OK;
}

static gofh_status take_line(void *context, const char *line)
{
    ((seen *)context)->lines++;
    assert_string_equal(line, "the first line");
    return GOFH_OK;
}

static void no_change(void *context, const char *line)
{
    (void)context;
    fail_msg("%s", line);
}

/* All of it is what VERSION_1 says. */
static seen read_all(store *s)
{
    gofh_error error = {.status = GOFH_OK};
    seen all = {0};
    double *values;
    size_t count;
    assert_int_equal(store_read_log(s, take_line, &all, &error), GOFH_OK);
    assert_int_equal(store_compare(s, &PROBLEM, no_change, NULL, &error), GOFH_OK);
    assert_int_equal(store_read_trials(s, &PROBLEM, take_trial, &all, &error), GOFH_OK);
    assert_int_equal(store_read_notes(s, take_note, &all, &error), GOFH_OK);
    assert_int_equal(store_read_state(s, &values, &count, &error), GOFH_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(values, STATE, sizeof STATE);
    free(values);
    assert_int_equal(store_check_complete(s, &error), GOFH_OK);
    assert_int_equal(all.trials, 2);
    assert_int_equal(all.notes, 1);
    assert_int_equal(all.lines, 1);
    return all;
}

static void what_sql_put_there_is_what_is_read(void **state)
{
    (void)state;
    make_file();
    run_sql(VERSION_1);
    store *s = open_file(GOFH_OPEN_READ);
    assert_false(store_is_new(s));
    read_all(s);
    store_close(s);
    check_rows("PRAGMA user_version", "1\n"); /* reading changes nothing */
}

/* The checksums are those of another implementation of FNV-1a: integers and numbers as eight bytes,
 * the lowest first, NaN as -1, texts with the zero at their end. */
static void a_file_of_version_1_is_upgraded_with_all_its_checksums(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    make_file();
    run_sql(VERSION_1);
    store *s = open_file(GOFH_OPEN_WRITE);
    read_all(s);
    assert_int_equal(store_upgrade(s, &PROBLEM, &error), GOFH_OK);
    commit(s);
    check_rows("PRAGMA user_version", "3\n");
    check_rows("SELECT count(*) FROM variances", "0\n");
    check_rows("SELECT trial, name, hex(value) FROM results ORDER BY trial, name",
               "1|c|000000000000F43F00000000000008C0\n1|t|59F3F8C21F6EA501\n");
    check_rows("SELECT kind, name, hex(value) FROM data ORDER BY kind, name",
               "data|observed|000000000000E03F000000000000F8BF\n"
               "noise||000000000000F87F000000000000D03F000000000000F87F\n");
    check_rows("SELECT name FROM sqlite_schema WHERE name LIKE '%rows%'", "");
    check_rows("SELECT trial, a, b, \"c[0]\", \"c[1]\", t, told FROM evaluations JOIN trials USING (trial)",
               "1|0.5|10.0|1.25|-3.0|1.0e-300|2024-01-02\n2|1.0|20.0|NULL|NULL|NULL|2024-01-02\n");
    check_rows("SELECT * FROM checksums WHERE item != 'the problem' ORDER BY item",
               "log line 1|3676189950853823580\n"
               "note 1 cdb45266bad5eafe|3389588223634634753\n"
               "the model's state|1443642881136337293\n"
               "trial 1|-6230827295790021410\n"
               "trial 2|-6738232013963435515\n");
    check_rows("SELECT count(*) FROM checksums WHERE item = 'the problem'", "1\n");
    s = open_file(GOFH_OPEN_READ);
    read_all(s);
    store_close(s);
}

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial done = trial(1, GOFH_TRIAL_DONE, X1, Y1), failed = trial(2, GOFH_TRIAL_FAILED, X2, NULL);
    done.variance = VARIANCE1;
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    assert_int_equal(store_write_trial(s, &PROBLEM, &failed, &error), GOFH_OK);
    assert_int_equal(store_write_note(s, 1, "seconds", "12.5", &error), GOFH_OK);
    assert_int_equal(store_write_line(s, 1, "the first line", &error), GOFH_OK);
    assert_int_equal(store_write_state(s, STATE, 3, &error), GOFH_OK);
    commit(s);
    s = open_file(GOFH_OPEN_READ);
    assert_true(read_all(s).has_variance);
    store_close(s);
}

static void a_number_changed_by_hand_is_damage(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial done = trial(1, GOFH_TRIAL_DONE, X1, Y1);
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_trial(s, &PROBLEM, &done, &error), GOFH_OK);
    commit(s);
    run_sql("UPDATE results SET value = x'000000000000F83F00000000000008C0' WHERE name = 'c'");
    s = open_file(GOFH_OPEN_READ);
    assert_int_equal(store_read_trials(s, &PROBLEM, take_trial, &(seen){0}, &error), GOFH_ERROR_DAMAGED);
    assert_non_null(strstr(error.message, "trial 1"));
    store_close(s);
}

/* ---- Comparing ---- */

static void keep_lines(void *context, const char *line)
{
    char *lines = context;
    snprintf(lines + strlen(lines), 1000 - strlen(lines), "%s\n", line);
}

static void check_compared(const store_problem *problem, gofh_status expected, const char *message,
                           const char *changes)
{
    gofh_error error = {.status = GOFH_OK};
    char lines[1000] = "";
    store *s = open_file(GOFH_OPEN_READ);
    assert_int_equal(store_compare(s, problem, keep_lines, lines, &error), expected);
    store_close(s);
    assert_string_equal(error.message, message);
    assert_string_equal(lines, changes);
}

static void other_parameters_and_outputs_are_another_problem(void **state)
{
    (void)state;
    store_parameter parameters[D + 1] = {PARAMETERS[0], PARAMETERS[1], {.name = "k", .upper = 1.0}};
    store_output outputs[2] = {OUTPUTS[0], OUTPUTS[1]};
    store_problem now = PROBLEM;
    now.parameters = parameters;
    now.outputs = outputs;
    make_file();
    check_compared(&now, GOFH_OK, "", "");
    parameters[1].upper = 50.0;
    check_compared(&now, GOFH_ERROR_CHANGED, "parameter b: its upper bound was 100 and is now 50", "");
    parameters[1] = PARAMETERS[1];
    parameters[1].scale = GOFH_SCALE_LINEAR;
    check_compared(&now, GOFH_ERROR_CHANGED, "parameter b: its scale was log and is now linear", "");
    parameters[1] = PARAMETERS[1];
    parameters[0].name = "z";
    check_compared(&now, GOFH_ERROR_CHANGED, "parameter z is not in the study, which has a, b", "");
    parameters[0] = PARAMETERS[1];
    parameters[1] = PARAMETERS[0];
    check_compared(&now, GOFH_ERROR_CHANGED,
                   "the parameters are in another order than in the study: put them back, as a, b", "");
    parameters[0] = PARAMETERS[0];
    parameters[1] = PARAMETERS[1];
    now.d = D + 1;
    check_compared(&now, GOFH_ERROR_CHANGED, "parameter k is not in the study, which has a, b", "");
    now.d = D - 1;
    check_compared(&now, GOFH_ERROR_CHANGED, "parameter b of the study is missing", "");
    now.d = D;
    outputs[0].size = 5;
    check_compared(&now, GOFH_ERROR_CHANGED, "output c: its size was 2 and is now 5", "");
    outputs[0] = OUTPUTS[1];
    outputs[1] = OUTPUTS[0];
    check_compared(&now, GOFH_ERROR_CHANGED,
                   "the outputs are in another order than in the study: put them back, as c, t", "");
    outputs[0] = OUTPUTS[0];
    outputs[1] = OUTPUTS[1];
    now.output_count = 1;
    check_compared(&now, GOFH_ERROR_CHANGED, "output t of the study is missing", "");
}

static void other_settings_and_numbers_are_said(void **state)
{
    (void)state;
    static const double observed[] = {0.5, -1.25}, noise[] = {0.25, NAN, NAN};
    store_fact facts[2] = {FACTS[0], FACTS[1]};
    store_numbers numbers[2] = {NUMBERS[0], NUMBERS[1]};
    store_problem now = PROBLEM;
    now.facts = facts;
    now.numbers = numbers;
    make_file();
    facts[1].value = "80"; /* may change at will */
    check_compared(&now, GOFH_OK, "", "");
    facts[0].value = "t";
    numbers[0].values = observed;
    numbers[1].values = noise;
    check_compared(&now, GOFH_OK, "",
                   "opened again with another objective: it was sum(c^2) + t and is now t\n"
                   "opened again with other numbers: data observed\n"
                   "opened again with other numbers: noise \n");
}

/* ---- One writer ---- */

static void a_second_writer_is_refused_and_a_reader_is_not(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    store_rollback(s);
    assert_null(store_open(stored_path, GOFH_OPEN_WRITE, (store_patience){0}, &error));
    assert_int_equal(error.status, GOFH_ERROR_LOCKED);
    store *reader = open_file(GOFH_OPEN_READ);
    store_close(reader);
    store_close(s);
    s = open_file(GOFH_OPEN_WRITE);
    store_close(s);
}

static void the_lock_ends_with_its_process(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    int ready[2], end[2], status;
    char byte;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(end[1]);
        gofh_error own = {.status = GOFH_OK};
        char taken = lock_take(stored_path, &own) >= 0;
        if (write(ready[1], &taken, 1) != 1 || read(end[0], &byte, 1) != 0) _exit(1);
        _exit(0); /* without lock_release */
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    assert_int_equal(lock_take(stored_path, &error), -1);
    assert_int_equal(error.status, GOFH_ERROR_LOCKED);
    char number[24];
    snprintf(number, sizeof number, "%ld", (long)child);
    assert_non_null(strstr(error.message, number));
    for (int i = 0; i < 2; i++) {
        close(end[i]);
        close(ready[i]);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    error = (gofh_error){.status = GOFH_OK};
    int lock = lock_take(stored_path, &error);
    assert_string_equal(error.message, "");
    assert_true(lock >= 0);
    lock_release(lock);
}

static void a_lock_whose_file_was_removed_holds_no_more(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    char name[112];
    snprintf(name, sizeof name, "%s.lock", stored_path);
    int lock = lock_take(stored_path, &error);
    assert_true(lock >= 0);
    assert_true(lock_holds(lock, stored_path));
    assert_int_equal(unlink(name), 0);
    assert_false(lock_holds(lock, stored_path));
    int other = lock_take(stored_path, &error);
    assert_true(other >= 0);
    assert_false(lock_holds(lock, stored_path));
    assert_true(lock_holds(other, stored_path));
    lock_release(lock);
    lock_release(other);
}

static void who_writes_after_another_has_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    make_file();
    store *s = open_file(GOFH_OPEN_WRITE);
    assert_int_equal(store_write_line(s, 1, "first", &error), GOFH_OK);
    assert_int_equal(store_commit(s, &error), GOFH_OK);
    run_sql("UPDATE state SET value = x'00' WHERE name = 'writer'");
    assert_int_equal(store_begin(s, &error), GOFH_ERROR_LOCKED);
    store_close(s);
    check_rows("SELECT * FROM log", "1|first\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_problem_is_in_its_tables),
        TEST(a_problem_written_again_replaces_the_one_before),
        TEST(trials_are_rows_and_their_numbers_exact),
        TEST(the_view_of_numbers_has_each_double_exactly),
        TEST(a_trial_written_again_leaves_nothing_of_its_first_report),
        TEST(f_notes_lines_and_the_state_are_in_their_tables),
        TEST(nothing_is_left_of_what_was_rolled_back),
        TEST(what_sql_put_there_is_what_is_read),
        TEST(a_file_of_version_1_is_upgraded_with_all_its_checksums),
        TEST(what_was_written_is_read_back),
        TEST(a_number_changed_by_hand_is_damage),
        TEST(other_parameters_and_outputs_are_another_problem),
        TEST(other_settings_and_numbers_are_said),
        TEST(a_second_writer_is_refused_and_a_reader_is_not),
        TEST(the_lock_ends_with_its_process),
        TEST(a_lock_whose_file_was_removed_holds_no_more),
        TEST(who_writes_after_another_has_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
