/* Whether the problem is the one the file was made for. */
#include "store/checksum.h"
#include "store/numbers.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/printable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

/* A name that is not the one of now, or NULL, will be shown. */
static gofh_status check_name(const store *s, const char *name, const char *now, gofh_error *error)
{
    if (now && strcmp(name, now) == 0) return GOFH_OK;
    const char *at = name;
    while (*at && !printable_control(at)) at++;
    return *name && !*at ? GOFH_OK : store_damaged(s, error, "a name in it is not one that gofh writes");
}

static gofh_status other_bound(const store_parameter *now, int upper, double was, double is,
                               gofh_error *error)
{
    const char *which = now->is_list ? (upper ? "largest value" : "smallest value")
                                     : (upper ? "upper bound" : "lower bound");
    return error_set(error, GOFH_ERROR_CHANGED, "parameter %s: its %s was %.12g and is now %.12g", now->name,
                     which, was, is);
}

typedef struct {
    store *s;
    store_changed changed;
    void *context;
    gofh_error *error;
} comparison;

/* A fixed parameter has one value in all trials: nothing was learned of it that depends on bounds. Whether
 * the trials fit what it is now is seen when they are read. */
static void note_release(const comparison *c, const store_parameter *now, double was)
{
    char line[256];
    if (now->lower == now->upper) return; /* what it is fixed at is a fact */
    number_format(line, sizeof line,
                  "opened again with parameter %.90s free: it was fixed at %.12g and is now %.12g to %.12g",
                  now->name, was, now->lower, now->upper);
    printable_make(line);
    c->changed(c->context, line);
}

static gofh_status compare_parameter(const comparison *c, const store_parameter *now, sqlite3_stmt *was)
{
    gofh_error *error = c->error;
    const char *name = text_of(was, 0), *scale = text_of(was, 3);
    const char *scale_now = now->scale == GOFH_SCALE_LOG ? "log" : "linear";
    double lower = sqlite3_column_double(was, 1), upper = sqlite3_column_double(was, 2);
    if (strcmp(name, now->name) != 0)
        return error_set(error, GOFH_ERROR_CHANGED, "parameter %s is in the place where the study has %s",
                         now->name, name);
    if (sqlite3_column_int(was, 4) != now->has_choices)
        return error_set(error, GOFH_ERROR_CHANGED, "parameter %s %s", name,
                         now->has_choices ? "has choices, but had none in the study"
                                          : "had choices in the study, and has none now");
    if (lower == upper) note_release(c, now, lower);
    if (lower == upper || now->lower == now->upper) return GOFH_OK;
    if (lower != now->lower) return other_bound(now, 0, lower, now->lower, error);
    if (upper != now->upper) return other_bound(now, 1, upper, now->upper, error);
    if (strcmp(scale, scale_now) != 0)
        return error_set(error, GOFH_ERROR_CHANGED, "parameter %s: its scale was %s and is now %s", name,
                         scale, scale_now);
    return GOFH_OK;
}

static gofh_status compare_output(const store_output *now, sqlite3_stmt *was, gofh_error *error)
{
    const char *name = text_of(was, 0);
    long long size = sqlite3_column_int64(was, 1);
    if (strcmp(name, now->name) != 0)
        return error_set(error, GOFH_ERROR_CHANGED, "output %s is in the place where the study has %s",
                         now->name, name);
    if (size != now->size)
        return error_set(error, GOFH_ERROR_CHANGED, "output %s: its size was %lld and is now %d", name, size,
                         now->size);
    return GOFH_OK;
}

static gofh_status compare_counts(const char *what, int now, int was, const char *extra, gofh_error *error)
{
    if (now == was) return GOFH_OK;
    if (now > was)
        return error_set(error, GOFH_ERROR_CHANGED, "%s %s is not in the study, which has %d", what, extra,
                         was);
    return error_set(error, GOFH_ERROR_CHANGED, "%s %s of the study is missing", what, extra);
}

static gofh_status compare_parameters(const comparison *c, const store_problem *problem)
{
    store *s = c->s;
    gofh_error *error = c->error;
    sqlite3_stmt *statement = store_prepare(
        s,
        "SELECT name, lower, upper, scale, EXISTS (SELECT 1 FROM meta WHERE meta.name = 'choices of ' || "
        "parameters.name) FROM parameters ORDER BY position",
        error);
    if (!statement) return error->status;
    int more, k = 0;
    gofh_status status;
    while (!(status = store_next(s, statement, &more, error)) && more) {
        const char *now = k < problem->d ? problem->parameters[k].name : NULL;
        status = check_name(s, text_of(statement, 0), now, error);
        if (status) break;
        status = k < problem->d
                     ? compare_parameter(c, &problem->parameters[k], statement)
                     : compare_counts("parameter", problem->d, k + 1, text_of(statement, 0), error);
        if (status) break;
        k++;
    }
    if (!status && k < problem->d)
        status = compare_counts("parameter", problem->d, k, problem->parameters[k].name, error);
    sqlite3_finalize(statement);
    return status;
}

static gofh_status compare_outputs(store *s, const store_problem *problem, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "SELECT name, size FROM outputs ORDER BY position", error);
    if (!statement) return error->status;
    int more, i = 0;
    gofh_status status;
    while (!(status = store_next(s, statement, &more, error)) && more) {
        const char *now = i < problem->output_count ? problem->outputs[i].name : NULL;
        status = check_name(s, text_of(statement, 0), now, error);
        if (status) break;
        status = i < problem->output_count
                     ? compare_output(&problem->outputs[i], statement, error)
                     : compare_counts("output", problem->output_count, i + 1, text_of(statement, 0), error);
        if (status) break;
        i++;
    }
    if (!status && i < problem->output_count)
        status = compare_counts("output", problem->output_count, i, problem->outputs[i].name, error);
    sqlite3_finalize(statement);
    return status;
}

static gofh_status compare_fact(const comparison *c, sqlite3_stmt *statement, const store_fact *fact)
{
    int more;
    sqlite3_reset(statement);
    int code = sqlite3_bind_text(statement, 1, fact->name, -1, SQLITE_STATIC);
    if (code) return store_refused(c->s, code, c->error);
    gofh_status status = store_next(c->s, statement, &more, c->error);
    if (status || (more && strcmp(text_of(statement, 0), fact->value) == 0)) return status;
    char line[256];
    snprintf(line, sizeof line, "opened again with another %s: it was %.90s and is now %.90s", fact->name,
             more ? text_of(statement, 0) : "not known", fact->value);
    printable_make(line);
    c->changed(c->context, line);
    return GOFH_OK;
}

gofh_status store_read_fact(store *s, const char *name, char **value, gofh_error *error)
{
    *value = NULL;
    sqlite3_stmt *statement = store_prepare(s, "SELECT value FROM meta WHERE name = ?", error);
    if (!statement) return error->status;
    int more = 0, code = sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    gofh_status status = code ? store_refused(s, code, error) : store_next(s, statement, &more, error);
    if (!status && more && !(*value = memory_copy_text(text_of(statement, 0)))) status = error_memory(error);
    sqlite3_finalize(statement);
    return status;
}

static gofh_status compare_facts(const comparison *c, const store_problem *problem)
{
    sqlite3_stmt *statement = store_prepare(c->s, "SELECT value FROM meta WHERE name = ?", c->error);
    if (!statement) return c->error->status;
    gofh_status status = GOFH_OK;
    for (int i = 0; i < problem->fact_count && !status; i++)
        if (problem->facts[i].noted) status = compare_fact(c, statement, &problem->facts[i]);
    sqlite3_finalize(statement);
    return status;
}

static gofh_status compare_list(const comparison *c, sqlite3_stmt *statement, const store_numbers *now,
                                int *differs)
{
    int found = 0;
    sqlite3_reset(statement);
    int code = sqlite3_bind_text(statement, 1, now->kind, -1, SQLITE_STATIC);
    if (!code) code = sqlite3_bind_text(statement, 2, now->name, -1, SQLITE_STATIC);
    if (code) return store_refused(c->s, code, c->error);
    double *was = memory_doubles((size_t)now->count);
    if (!was) return error_memory(c->error);
    gofh_status status = numbers_read(c->s, statement, was, now->count, &found, c->error);
    *differs = found < 0 || found > now->count;
    for (int j = 0; j < now->count && !*differs; j++)
        *differs = isnan(was[j]) ? !isnan(now->values[j]) : was[j] != now->values[j];
    free(was);
    return status;
}

static gofh_status compare_numbers(const comparison *c, const store_problem *problem)
{
    sqlite3_stmt *statement = numbers_prepare(c->s, "data", "kind", store_has_rows(c->s), c->error);
    if (!statement) return c->error->status;
    gofh_status status = GOFH_OK;
    for (int i = 0; i < problem->number_count && !status; i++) {
        const store_numbers *now = &problem->numbers[i];
        int differs = 0;
        char line[256];
        status = compare_list(c, statement, now, &differs);
        if (status || !differs) continue;
        snprintf(line, sizeof line, "opened again with other numbers: %s %.90s", now->kind, now->name);
        c->changed(c->context, line);
    }
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_compare(store *s, const store_problem *problem, store_changed changed, void *context,
                          gofh_error *error)
{
    comparison c = {.s = s, .changed = changed, .context = context, .error = error};
    gofh_status status = checksum_compare_problem(s, error);
    if (!status) status = compare_parameters(&c, problem);
    if (!status) status = compare_outputs(s, problem, error);
    if (!status) status = compare_facts(&c, problem);
    return status ? status : compare_numbers(&c, problem);
}
