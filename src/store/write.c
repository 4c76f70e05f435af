/* Writing: each call replaces what an earlier one of the same left, so that a call can be
 * repeated. */
#include "store/checksum.h"
#include "store/numbers.h"

#include "base/error.h"

#include <math.h>

static const char *state_name(gofh_trial_state state)
{
    static const char *const names[] = {"open", "done", "failed", "forgotten"};
    return names[state];
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return text ? sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC)
                : sqlite3_bind_null(statement, at);
}

/* What SQLite has no number for becomes NULL. */
static int bind_double(sqlite3_stmt *statement, int at, double value)
{
    return isnan(value) ? sqlite3_bind_null(statement, at) : sqlite3_bind_double(statement, at, value);
}

static gofh_status write_facts(store *s, const store_problem *problem, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO meta VALUES (?, ?)", error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int i = 0; i < problem->fact_count && !status; i++) {
        int code = bind_text(statement, 1, problem->facts[i].name);
        if (!code) code = bind_text(statement, 2, problem->facts[i].value);
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gofh_status write_numbers(store *s, const store_problem *problem, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT INTO data VALUES (?, ?, ?)", error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int i = 0; i < problem->number_count && !status; i++) {
        const store_numbers *numbers = &problem->numbers[i];
        if (!numbers_any(numbers->values, numbers->count)) continue;
        int code = bind_text(statement, 1, numbers->kind);
        if (!code) code = bind_text(statement, 2, numbers->name);
        if (!code) code = numbers_bind(statement, 3, numbers->values, numbers->count);
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gofh_status write_parameters(store *s, const store_problem *problem, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT INTO parameters VALUES (?, ?, ?, ?, ?)", error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int k = 0; k < problem->d && !status; k++) {
        const store_parameter *parameter = &problem->parameters[k];
        int code = sqlite3_bind_int(statement, 1, k);
        if (!code) code = bind_text(statement, 2, parameter->name);
        if (!code) code = sqlite3_bind_double(statement, 3, parameter->lower);
        if (!code) code = sqlite3_bind_double(statement, 4, parameter->upper);
        if (!code) code = bind_text(statement, 5, parameter->scale == GOFH_SCALE_LOG ? "log" : "linear");
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gofh_status write_outputs(store *s, const store_problem *problem, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT INTO outputs VALUES (?, ?, ?)", error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int i = 0; i < problem->output_count && !status; i++) {
        int code = sqlite3_bind_int(statement, 1, i);
        if (!code) code = bind_text(statement, 2, problem->outputs[i].name);
        if (!code) code = sqlite3_bind_int(statement, 3, problem->outputs[i].size);
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_write_problem(store *s, const store_problem *problem, gofh_error *error)
{
    gofh_status status = store_execute(
        s, "DELETE FROM meta; DELETE FROM data; DELETE FROM parameters; DELETE FROM outputs", error);
    if (!status) status = write_facts(s, problem, error);
    if (!status) status = write_numbers(s, problem, error);
    if (!status) status = write_parameters(s, problem, error);
    if (!status) status = write_outputs(s, problem, error);
    return status ? status : checksum_keep_problem(s, error);
}

static gofh_status write_inputs(store *s, const store_problem *problem, const gofh_trial *trial,
                                gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO inputs VALUES (?, ?, ?)", error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int k = 0; k < problem->d && !status; k++) {
        int code = sqlite3_bind_int64(statement, 1, trial->trial);
        if (!code) code = bind_text(statement, 2, problem->parameters[k].name);
        if (!code) code = sqlite3_bind_double(statement, 3, trial->x[k]);
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* The values of each output that has any, by a statement that takes trial, name and values. */
static gofh_status write_values(store *s, const store_problem *problem, const char *sql, int64_t trial,
                                const double *values, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, sql, error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int i = 0; i < problem->output_count && !status; values += problem->outputs[i++].size) {
        const store_output *output = &problem->outputs[i];
        if (!numbers_any(values, output->size)) continue;
        int code = sqlite3_bind_int64(statement, 1, trial);
        if (!code) code = bind_text(statement, 2, output->name);
        if (!code) code = numbers_bind(statement, 3, values, output->size);
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gofh_status write_results(store *s, const store_problem *problem, const gofh_trial *trial,
                                 gofh_error *error)
{
    gofh_status status = write_values(s, problem, "INSERT OR REPLACE INTO results VALUES (?, ?, ?)",
                                      trial->trial, trial->y, error);
    if (status || !trial->variance) return status;
    return write_values(s, problem, "INSERT OR REPLACE INTO variances VALUES (?, ?, ?)", trial->trial,
                        trial->variance, error);
}

/* What an earlier report of a trial may have left. */
static gofh_status drop_rows(store *s, const char *sql, int64_t trial, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, sql, error);
    if (!statement) return error->status;
    int code = sqlite3_bind_int64(statement, 1, trial);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    return status;
}

/* A trial is asked when it is first written, and told when it is first written as no longer
 * open. */
static const char TRIAL[] =
    "INSERT INTO trials VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), "
    "CASE WHEN ?2 = 'open' THEN NULL ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END) "
    "ON CONFLICT (trial) DO UPDATE SET state = ?2, origin = ?3, imported = ?4, expected = ?5, f = ?6, "
    "reason = ?7, told = excluded.told";

gofh_status store_write_trial(store *s, const store_problem *problem, const gofh_trial *trial,
                              gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, TRIAL, error);
    if (!statement) return error->status;
    int failed = trial->state != GOFH_TRIAL_OPEN && !trial->y;
    int code = sqlite3_bind_int64(statement, 1, trial->trial);
    if (!code) code = bind_text(statement, 2, state_name(trial->state));
    if (!code) code = bind_text(statement, 3, trial->origin);
    if (!code) code = sqlite3_bind_int(statement, 4, trial->imported != 0);
    if (!code) code = bind_double(statement, 5, trial->expected);
    if (!code) code = bind_double(statement, 6, trial->f);
    if (!code) code = bind_text(statement, 7, failed ? trial->reason : NULL);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    if (!status) status = write_inputs(s, problem, trial, error);
    if (!status && trial->state != GOFH_TRIAL_OPEN)
        status = drop_rows(s, "DELETE FROM variances WHERE trial = ?", trial->trial, error);
    if (!status && trial->y) status = write_results(s, problem, trial, error);
    if (!status && trial->state == GOFH_TRIAL_FAILED)
        status = drop_rows(s, "DELETE FROM results WHERE trial = ?", trial->trial, error);
    if (status) return status;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "trial", trial->trial);
    return checksum_keep(s, item, checksum_trial(problem, trial), error);
}

gofh_status store_write_start(store *s, const store_problem *problem, int64_t start, const double *x,
                              gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO starts VALUES (?, ?, ?)", error);
    if (!statement) return error->status;
    gofh_status status = GOFH_OK;
    for (int k = 0; k < problem->d && !status; k++) {
        int code = sqlite3_bind_int64(statement, 1, start);
        if (!code) code = bind_text(statement, 2, problem->parameters[k].name);
        if (!code) code = bind_double(statement, 3, x[k]);
        status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    }
    sqlite3_finalize(statement);
    if (status) return status;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "start", start);
    return checksum_keep(s, item, checksum_start(problem, start, x), error);
}

gofh_status store_write_f(store *s, int64_t trial, double f, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "UPDATE trials SET f = ? WHERE trial = ?", error);
    if (!statement) return error->status;
    int code = bind_double(statement, 1, f);
    if (!code) code = sqlite3_bind_int64(statement, 2, trial);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_write_note(store *s, int64_t trial, const char *name, const char *value, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s,
                                            value ? "INSERT OR REPLACE INTO notes VALUES (?1, ?2, ?3)"
                                                  : "DELETE FROM notes WHERE trial = ?1 AND name = ?2",
                                            error);
    if (!statement) return error->status;
    int code = sqlite3_bind_int64(statement, 1, trial);
    if (!code) code = bind_text(statement, 2, name);
    if (!code && value) code = bind_text(statement, 3, value);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    if (status) return status;
    char item[CHECKSUM_ITEM];
    checksum_note(item, trial, name);
    return value ? checksum_keep(s, item, checksum_text(CHECKSUM_EMPTY, value), error)
                 : checksum_drop(s, item, error);
}

gofh_status store_write_line(store *s, int64_t line, const char *text, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO log VALUES (?, ?)", error);
    if (!statement) return error->status;
    int code = sqlite3_bind_int64(statement, 1, line);
    if (!code) code = bind_text(statement, 2, text);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    if (status) return status;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "log line", line);
    return checksum_keep(s, item, checksum_text(CHECKSUM_EMPTY, text), error);
}

gofh_status store_write_state(store *s, const double *values, size_t count, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO state VALUES ('asked', ?)", error);
    if (!statement) return error->status;
    int code = sqlite3_bind_blob64(statement, 1, values, count * sizeof *values, SQLITE_STATIC);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    return status ? status
                  : checksum_keep(s, CHECKSUM_STATE,
                                  checksum_bytes(CHECKSUM_EMPTY, values, count * sizeof *values), error);
}
