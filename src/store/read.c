/* Reading. The file may have come from anywhere: whatever it says is checked before it is used. */
#include "store/checksum.h"
#include "store/numbers.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    store *s;
    const store_problem *problem;
    gofh_error *error;
    sqlite3_stmt *trials, *inputs, *results, *variances; /* the last may be NULL: there are none */
    double *x, *y, *variance;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS]; /* of the file: one that is fixed now, or
                                                                    * was, has others in the problem */
} reader;

/* NULL where there is no memory, or no text. */
static const char *text_at(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_TEXT
               ? (const char *)sqlite3_column_text(statement, column)
               : NULL;
}

static gofh_status bind_key(const reader *r, sqlite3_stmt *statement, int64_t trial, const char *name)
{
    sqlite3_reset(statement);
    int code = sqlite3_bind_int64(statement, 1, trial);
    if (!code) code = sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    return code ? store_refused(r->s, code, r->error) : GOFH_OK;
}

static gofh_status read_bounds(reader *r)
{
    sqlite3_stmt *statement = store_prepare(r->s, "SELECT lower, upper FROM parameters ORDER BY position",
                                            r->error);
    if (!statement) return r->error->status;
    int more;
    gofh_status status;
    for (int k = 0; !(status = store_next(r->s, statement, &more, r->error)) && more; k++) {
        if (k >= r->problem->d) continue;
        r->lower[k] = sqlite3_column_double(statement, 0);
        r->upper[k] = sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
    return status;
}

static gofh_status read_inputs(const reader *r, int64_t trial)
{
    for (int k = 0; k < r->problem->d; k++) {
        const store_parameter *parameter = &r->problem->parameters[k];
        int more;
        gofh_status status = bind_key(r, r->inputs, trial, parameter->name);
        if (!status) status = store_next(r->s, r->inputs, &more, r->error);
        if (status) return status;
        if (!more || sqlite3_column_type(r->inputs, 0) != SQLITE_FLOAT)
            return store_damaged(r->s, r->error, "trial %lld has no value of parameter \"%.40s\"",
                                 (long long)trial, parameter->name);
        r->x[k] = sqlite3_column_double(r->inputs, 0);
        if (!(r->x[k] >= r->lower[k] && r->x[k] <= r->upper[k]))
            return store_damaged(r->s, r->error, "trial %lld: parameter \"%.40s\" is %g, beyond its bounds",
                                 (long long)trial, parameter->name, r->x[k]);
    }
    return GOFH_OK;
}

static gofh_status read_results(const reader *r, int64_t trial)
{
    double *y = r->y;
    for (int i = 0; i < r->problem->output_count; i++) {
        const store_output *output = &r->problem->outputs[i];
        const unsigned char *missing = r->problem->missing ? r->problem->missing + (y - r->y) : NULL;
        int found = 0;
        gofh_status status = bind_key(r, r->results, trial, output->name);
        if (!status) status = numbers_read(r->s, r->results, y, output->size, &found, r->error);
        if (status) return status;
        if (found >= 0 && found != output->size && !(missing && missing[0] && found == 0))
            return store_damaged(r->s, r->error, "trial %lld: output \"%.40s\" has %d values of %d",
                                 (long long)trial, output->name, found, output->size);
        for (int j = 0; j < output->size; j++, y++)
            if (found < 0 || !(isfinite(*y) || (missing && missing[j] && isnan(*y))))
                return store_damaged(r->s, r->error, "trial %lld: output \"%.40s\" has a wrong value",
                                     (long long)trial, output->name);
    }
    return GOFH_OK;
}

/* *given: whether there are any. */
static gofh_status read_variances(const reader *r, int64_t trial, int *given)
{
    double *variance = r->variance;
    *given = 0;
    for (int i = 0; r->variances && i < r->problem->output_count; i++) {
        const store_output *output = &r->problem->outputs[i];
        int found = 0;
        gofh_status status = bind_key(r, r->variances, trial, output->name);
        if (!status) status = numbers_read(r->s, r->variances, variance, output->size, &found, r->error);
        if (status) return status;
        int wrong = found < 0 || found > output->size;
        for (int j = 0; j < output->size && !wrong; j++, variance++) {
            wrong = !isnan(*variance) && !(*variance >= 0.0 && isfinite(*variance));
            *given |= !isnan(*variance);
        }
        if (wrong) return store_damaged(r->s, r->error, "trial %lld has a wrong variance", (long long)trial);
    }
    return GOFH_OK;
}

static int read_state_name(const char *name, gofh_trial_state *state)
{
    static const char *const names[] = {"open", "done", "failed", "forgotten"};
    for (int i = 0; i < 4; i++)
        if (name && strcmp(name, names[i]) == 0) {
            *state = (gofh_trial_state)i;
            return 0;
        }
    return -1;
}

static int is_origin(const char *text)
{
    return text && *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

/* The row of the trial that should be next. */
static gofh_status read_trial(const reader *r, int64_t number, gofh_trial *trial)
{
    sqlite3_stmt *row = r->trials;
    int expected = sqlite3_column_type(row, 4);
    *trial = (gofh_trial){.trial = number, .x = r->x, .expected = NAN, .f = NAN, .reason = ""};
    if (sqlite3_column_int64(row, 0) != number)
        return store_damaged(r->s, r->error, "trial %lld is missing", (long long)number);
    trial->origin = text_at(row, 2);
    if (read_state_name(text_at(row, 1), &trial->state) || !is_origin(trial->origin) ||
        sqlite3_column_type(row, 3) != SQLITE_INTEGER || sqlite3_column_int64(row, 3) < 0 ||
        sqlite3_column_int64(row, 3) > 1 || (expected != SQLITE_NULL && expected != SQLITE_FLOAT))
        return store_damaged(r->s, r->error, "the row of trial %lld is wrong", (long long)number);
    trial->imported = (int)sqlite3_column_int64(row, 3);
    if (trial->imported && trial->state == GOFH_TRIAL_OPEN)
        return store_damaged(r->s, r->error, "trial %lld is imported and has no result", (long long)number);
    if (expected == SQLITE_FLOAT) trial->expected = sqlite3_column_double(row, 4);
    int failed = trial->state == GOFH_TRIAL_FAILED ||
                 (trial->state == GOFH_TRIAL_FORGOTTEN && sqlite3_column_type(row, 5) != SQLITE_NULL);
    if (failed && text_at(row, 5)) trial->reason = text_at(row, 5);
    gofh_status status = read_inputs(r, number);
    if (!status && trial->state != GOFH_TRIAL_OPEN && !failed) {
        int given = 0;
        status = read_results(r, number);
        if (!status) status = read_variances(r, number, &given);
        trial->y = r->y;
        trial->variance = given ? r->variance : NULL;
    }
    if (status) return status;
    char item[CHECKSUM_ITEM];
    checksum_item(item, "trial", number);
    return checksum_compare(r->s, item, checksum_trial(r->problem, trial), r->error);
}

static gofh_status reader_open(reader *r)
{
    r->x = memory_doubles((size_t)r->problem->d + 2 * (size_t)r->problem->m);
    if (!r->x) {
        error_memory(r->error);
        return GOFH_ERROR_MEMORY;
    }
    r->y = r->x + r->problem->d;
    r->variance = r->y + r->problem->m;
    gofh_status status = read_bounds(r);
    if (status) return status;
    r->trials = store_prepare(
        r->s, "SELECT trial, state, origin, imported, expected, reason FROM trials ORDER BY trial", r->error);
    if (!r->trials) return r->error->status;
    r->inputs = store_prepare(r->s, "SELECT value FROM inputs WHERE trial = ? AND name = ?", r->error);
    if (!r->inputs) return r->error->status;
    int rows = store_has_rows(r->s);
    r->results = numbers_prepare(r->s, "results", "trial", rows, r->error);
    if (!r->results) return r->error->status;
    if (!r->s->has_variances) return GOFH_OK;
    r->variances = numbers_prepare(r->s, "variances", "trial", rows, r->error);
    return r->variances ? GOFH_OK : r->error->status;
}

gofh_status store_read_trials(store *s, const store_problem *problem, store_take_trial take, void *context,
                              gofh_error *error)
{
    reader r = {.s = s, .problem = problem, .error = error};
    gofh_status status = reader_open(&r);
    int64_t number = 0;
    while (!status) {
        int more;
        gofh_trial trial;
        status = store_next(s, r.trials, &more, error);
        if (status || !more) break;
        status = read_trial(&r, ++number, &trial);
        if (!status) status = take(context, &trial);
    }
    sqlite3_finalize(r.trials);
    sqlite3_finalize(r.inputs);
    sqlite3_finalize(r.results);
    sqlite3_finalize(r.variances);
    free(r.x);
    return status;
}

store_output *store_read_outputs(store *s, int *count, gofh_error *error)
{
    sqlite3_int64 rows = 0, letters = 0;
    gofh_status status = store_number(s, "SELECT count(*) FROM outputs", &rows, error);
    if (!status)
        status = store_number(s, "SELECT coalesce(sum(length(CAST(name AS BLOB)) + 1), 0) FROM outputs",
                              &letters, error);
    sqlite3_stmt *statement = status ? NULL
                                     : store_prepare(s, "SELECT name, size FROM outputs ORDER BY position",
                                                     error);
    if (!statement) return NULL;
    store_output *list = memory_new(1, (size_t)rows * sizeof *list + (size_t)letters + 1);
    if (!list) error_memory(error);
    char *name = list ? (char *)(list + rows) : NULL;
    int more = 0;
    for (*count = 0; list && !(status = store_next(s, statement, &more, error)) && more; (*count)++) {
        const char *text = text_at(statement, 0);
        sqlite3_int64 size = sqlite3_column_int64(statement, 1);
        if (!text || size < 1 || size > INT_MAX) {
            status = store_damaged(s, error, "its outputs are wrong");
            break;
        }
        size_t length = strlen(text) + 1;
        memcpy(name, text, length);
        list[*count] = (store_output){name, (int)size};
        name += length;
    }
    sqlite3_finalize(statement);
    if (!status) return list;
    free(list);
    return NULL;
}

/* The values of one start, NaN where it gives none. */
static gofh_status read_start(const reader *r, int64_t start)
{
    for (int k = 0; k < r->problem->d; k++) {
        const store_parameter *parameter = &r->problem->parameters[k];
        int more;
        gofh_status status = bind_key(r, r->inputs, start, parameter->name);
        if (!status) status = store_next(r->s, r->inputs, &more, r->error);
        if (status) return status;
        int type = more ? sqlite3_column_type(r->inputs, 0) : SQLITE_TEXT;
        r->x[k] = type == SQLITE_FLOAT ? sqlite3_column_double(r->inputs, 0) : NAN;
        int inside = r->x[k] >= r->lower[k] && r->x[k] <= r->upper[k];
        if (type != SQLITE_NULL && !inside)
            return store_damaged(r->s, r->error, "start %lld has a wrong value of parameter \"%.40s\"",
                                 (long long)start, parameter->name);
    }
    char item[CHECKSUM_ITEM];
    checksum_item(item, "start", start);
    return checksum_compare(r->s, item, checksum_start(r->problem, start, r->x), r->error);
}

gofh_status store_read_starts(store *s, const store_problem *problem, store_take_start take, void *context,
                              gofh_error *error)
{
    if (!s->has_starts) return GOFH_OK;
    reader r = {.s = s, .problem = problem, .error = error, .x = memory_doubles((size_t)problem->d)};
    sqlite3_int64 last = 0;
    gofh_status status = r.x ? store_number(s, "SELECT max(start) FROM starts", &last, error)
                             : error_memory(error);
    if (!status) status = read_bounds(&r);
    if (!status) r.inputs = store_prepare(s, "SELECT value FROM starts WHERE start = ? AND name = ?", error);
    if (!status && !r.inputs) status = error->status;
    for (int64_t start = 1; start <= last && !status; start++) {
        status = read_start(&r, start);
        if (!status) status = take(context, r.x);
    }
    sqlite3_finalize(r.inputs);
    free(r.x);
    return status;
}

gofh_status store_read_notes(store *s, store_take_note take, void *context, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "SELECT trial, name, value FROM notes", error);
    if (!statement) return error->status;
    gofh_status status;
    int more;
    while (!(status = store_next(s, statement, &more, error)) && more) {
        const char *name = text_at(statement, 1), *value = text_at(statement, 2);
        int64_t trial = sqlite3_column_int64(statement, 0);
        char item[CHECKSUM_ITEM];
        if (!name || !value || !*name || sqlite3_column_type(statement, 0) != SQLITE_INTEGER) {
            status = store_damaged(s, error, "a note is wrong");
        } else {
            checksum_note(item, trial, name);
            status = checksum_compare(s, item, checksum_text(CHECKSUM_EMPTY, value), error);
            if (!status) status = take(context, trial, name, value);
        }
        if (status) break;
    }
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_read_log(store *s, store_take_line take, void *context, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "SELECT line, text FROM log ORDER BY line", error);
    if (!statement) return error->status;
    gofh_status status;
    int more;
    for (int64_t line = 1; !(status = store_next(s, statement, &more, error)) && more; line++) {
        const char *text = text_at(statement, 1);
        char item[CHECKSUM_ITEM];
        checksum_item(item, "log line", line);
        status = text && sqlite3_column_int64(statement, 0) == line
                     ? checksum_compare(s, item, checksum_text(CHECKSUM_EMPTY, text), error)
                     : store_damaged(s, error, "line %lld of its log is wrong", (long long)line);
        if (!status) status = take(context, text);
        if (status) break;
    }
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_read_state(store *s, double **values, size_t *count, gofh_error *error)
{
    *values = NULL;
    *count = 0;
    sqlite3_stmt *statement = store_prepare(s, "SELECT value FROM state WHERE name = 'asked'", error);
    if (!statement) return error->status;
    int more;
    gofh_status status = store_next(s, statement, &more, error);
    if (!status && more) {
        const void *blob = sqlite3_column_blob(statement, 0);
        int bytes = sqlite3_column_bytes(statement, 0);
        *count = (size_t)bytes / sizeof **values;
        *values = memory_doubles(*count);
        if (!*values) {
            status = error_memory(error);
        } else if (sqlite3_column_type(statement, 0) != SQLITE_BLOB || !blob || *count == 0) {
            status = store_damaged(s, error, "what the model was is not kept as it should be");
        } else {
            memcpy(*values, blob, *count * sizeof **values);
            status = checksum_compare(s, CHECKSUM_STATE,
                                      checksum_bytes(CHECKSUM_EMPTY, blob, *count * sizeof **values), error);
        }
        if (status) {
            free(*values);
            *values = NULL;
            *count = 0;
        }
    }
    sqlite3_finalize(statement);
    return status;
}
