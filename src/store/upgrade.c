/* A file of an earlier version, or one without checksums, becomes one of this version: within the
 * transaction that has read all of it, so that whatever happens the file is the old or the new. */
#include "store/checksum.h"
#include "store/numbers.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- Rows of numbers become BLOBs ---- */

typedef struct {
    store *s;
    gofh_error *error;
    sqlite3_stmt *rows, *blob; /* to read the one and write the other */
    double *values;            /* as many as the largest output has */
} take_over;

/* One output of one trial; nothing where it has no number. */
static gofh_status take_list(const take_over *t, int64_t trial, const store_output *output)
{
    sqlite3_reset(t->rows);
    int code = sqlite3_bind_int64(t->rows, 1, trial), found = 0;
    if (!code) code = sqlite3_bind_text(t->rows, 2, output->name, -1, SQLITE_STATIC);
    if (code) return store_refused(t->s, code, t->error);
    gofh_status status = numbers_read(t->s, t->rows, t->values, output->size, &found, t->error);
    if (status || found <= 0) return status;
    code = sqlite3_bind_int64(t->blob, 1, trial);
    if (!code) code = sqlite3_bind_text(t->blob, 2, output->name, -1, SQLITE_STATIC);
    if (!code) code = numbers_bind(t->blob, 3, t->values, output->size);
    return code ? store_refused(t->s, code, t->error) : store_run(t->s, t->blob, t->error);
}

static gofh_status take_trials(const take_over *t, const store_problem *problem)
{
    sqlite3_stmt *trials = store_prepare(t->s, "SELECT trial FROM trials WHERE state = 'done' ORDER BY trial",
                                         t->error);
    if (!trials) return t->error->status;
    int more;
    gofh_status status;
    while (!(status = store_next(t->s, trials, &more, t->error)) && more) {
        for (int i = 0; i < problem->output_count && !status; i++)
            status = take_list(t, sqlite3_column_int64(trials, 0), &problem->outputs[i]);
        if (status) break;
    }
    sqlite3_finalize(trials);
    return status;
}

/* From the table `from`, which then goes, by the statement `insert`. */
static gofh_status take_table(store *s, const store_problem *problem, const char *from, const char *insert,
                              const char *drop, gofh_error *error)
{
    int size = 1;
    for (int i = 0; i < problem->output_count; i++)
        if (problem->outputs[i].size > size) size = problem->outputs[i].size;
    take_over t = {.s = s, .error = error, .values = memory_doubles((size_t)size)};
    gofh_status status = t.values ? GOFH_OK : error_memory(error);
    if (!status && !(t.rows = numbers_prepare(s, from, "trial", 1, error))) status = error->status;
    if (!status && !(t.blob = store_prepare(s, insert, error))) status = error->status;
    if (!status) status = take_trials(&t, problem);
    sqlite3_finalize(t.rows);
    sqlite3_finalize(t.blob);
    free(t.values);
    return status ? status : store_execute(s, drop, error);
}

static gofh_status take_rows(store *s, const store_problem *problem, gofh_error *error)
{
    gofh_status status = store_replace_rows(s, problem, error);
    if (!status)
        status = take_table(s, problem, "results" STORE_ROWS, "INSERT INTO results VALUES (?, ?, ?)",
                            "DROP TABLE results" STORE_ROWS, error);
    if (!status && s->has_variances)
        status = take_table(s, problem, "variances" STORE_ROWS, "INSERT INTO variances VALUES (?, ?, ?)",
                            "DROP TABLE variances" STORE_ROWS, error);
    if (!status) status = store_write_version(s, error);
    return status ? status : store_write_problem(s, problem, error);
}

/* ---- What has no checksum gets one ---- */

typedef struct {
    store *s;
    const store_problem *problem;
    gofh_error *error;
    int64_t line, start;
} upgrade;

static gofh_status add_trial(void *context, const gofh_trial *trial)
{
    const upgrade *u = context;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "trial", trial->trial);
    return checksum_write(u->s, item, checksum_trial(u->problem, trial), u->error);
}

static gofh_status add_start(void *context, const double *x)
{
    upgrade *u = context;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "start", ++u->start);
    return checksum_write(u->s, item, checksum_start(u->problem, u->start, x), u->error);
}

static gofh_status add_note(void *context, int64_t trial, const char *name, const char *value)
{
    const upgrade *u = context;
    char item[CHECKSUM_ITEM];
    checksum_note(item, trial, name);
    return checksum_write(u->s, item, checksum_text(CHECKSUM_EMPTY, value), u->error);
}

static gofh_status add_line(void *context, const char *line)
{
    upgrade *u = context;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "log line", ++u->line);
    return checksum_write(u->s, item, checksum_text(CHECKSUM_EMPTY, line), u->error);
}

static gofh_status add_state(const upgrade *u)
{
    double *values;
    size_t count;
    gofh_status status = store_read_state(u->s, &values, &count, u->error);
    if (!status && values)
        status = checksum_write(u->s, CHECKSUM_STATE,
                                checksum_bytes(CHECKSUM_EMPTY, values, count * sizeof *values), u->error);
    free(values);
    return status;
}

/* What is read meanwhile is not compared: there is nothing yet to compare it with. */
static gofh_status add_checksums(store *s, const store_problem *problem, gofh_error *error)
{
    upgrade u = {.s = s, .problem = problem, .error = error};
    gofh_status status = store_create_checksums(s, error);
    if (!status) status = store_read_trials(s, problem, add_trial, &u, error);
    if (!status) status = store_read_starts(s, problem, add_start, &u, error);
    if (!status) status = store_read_notes(s, add_note, &u, error);
    if (!status) status = store_read_log(s, add_line, &u, error);
    if (!status) status = add_state(&u);
    if (status) return status;
    s->has_checksums = 1;
    return checksum_keep_problem(s, error);
}

gofh_status store_upgrade(store *s, const store_problem *problem, gofh_error *error)
{
    gofh_status status = store_has_rows(s) ? take_rows(s, problem, error) : GOFH_OK;
    if (!status) status = store_create_missing(s, error);
    return status || s->has_checksums ? status : add_checksums(s, problem, error);
}
