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

typedef struct {
    store *s;
    store_changed changed;
    void *context;
    gofh_error *error;
} comparison;

/* What values a parameter has, as its fact says; "" of an interval. */
static const char *kind_of(const store_problem *problem, const store_parameter *now)
{
    static const char prefix[] = "kind of ";
    for (int i = 0; i < problem->fact_count; i++) {
        const char *name = problem->facts[i].name;
        if (strncmp(name, prefix, sizeof prefix - 1) == 0 && strcmp(name + sizeof prefix - 1, now->name) == 0)
            return problem->facts[i].value;
    }
    return "";
}

/* The last value of a grid may be below the bound that its user gave: that its step is another is said. */
static void write_bound(double bound, const char *kind, const char *other, char *text, size_t size)
{
    static const char step[] = "step ";
    int stepped = strcmp(kind, other) != 0 && strncmp(kind, step, sizeof step - 1) == 0;
    if (stepped)
        number_format(text, size, "%.12g (the last value with step %.12g)", bound,
                      number_scan(kind + sizeof step - 1, NULL));
    else
        number_format(text, size, "%.12g", bound);
}

static gofh_status other_lower(const store_parameter *now, double was, gofh_error *error)
{
    return error_set(error, GOFH_ERROR_CHANGED, "parameter %s: its lower bound was %.12g and is now %.12g",
                     now->name, was, now->lower);
}

static gofh_status other_upper(const store_parameter *now, double was, const char *kind_was,
                               const char *kind_now, gofh_error *error)
{
    char before[100], after[100];
    write_bound(was, kind_was, kind_now, before, sizeof before);
    write_bound(now->upper, kind_now, kind_was, after, sizeof after);
    return error_set(error, GOFH_ERROR_CHANGED, "parameter %s: its upper bound was %s and is now %s",
                     now->name, before, after);
}

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

static gofh_status compare_parameter(const comparison *c, const store_parameter *now, const char *kind_now,
                                     sqlite3_stmt *was)
{
    gofh_error *error = c->error;
    const char *name = text_of(was, 0), *scale = text_of(was, 3), *kind_was = text_of(was, 5);
    const char *scale_now = now->scale == GOFH_SCALE_LOG ? "log" : "linear";
    double lower = sqlite3_column_double(was, 1), upper = sqlite3_column_double(was, 2);
    if (sqlite3_column_int(was, 4) != now->has_choices)
        return error_set(error, GOFH_ERROR_CHANGED, "parameter %s %s", name,
                         now->has_choices ? "has choices, but had none in the study"
                                          : "had choices in the study, and has none now");
    if (lower == upper) note_release(c, now, lower);
    if (lower == upper || now->lower == now->upper) return GOFH_OK;
    /* Values may be added to a list: that it is another is a fact. */
    int listed = now->is_list && strncmp(kind_was, "values ", 7) == 0;
    if (!listed && lower != now->lower) return other_lower(now, lower, error);
    if (!listed && upper != now->upper) return other_upper(now, upper, kind_was, kind_now, error);
    if (strcmp(scale, scale_now) != 0)
        return error_set(error, GOFH_ERROR_CHANGED, "parameter %s: its scale was %s and is now %s", name,
                         scale, scale_now);
    return GOFH_OK;
}

static gofh_status compare_output(const store_output *now, sqlite3_stmt *was, gofh_error *error)
{
    long long size = sqlite3_column_int64(was, 1);
    if (size != now->size)
        return error_set(error, GOFH_ERROR_CHANGED, "output %s: its size was %lld and is now %d", now->name,
                         size, now->size);
    return GOFH_OK;
}

/* What there is by names: the parameters, or the outputs, of the problem of now. */
typedef struct {
    const char *what, *sql; /* the names of the file, in order */
    const store_problem *problem;
    const char *(*at)(const store_problem *problem, int i);
    int count;
} named;

static const char *parameter_at(const store_problem *problem, int i)
{
    return problem->parameters[i].name;
}

static const char *output_at(const store_problem *problem, int i)
{
    return problem->outputs[i].name;
}

static int find_name(const named *now, const char *name)
{
    for (int i = 0; i < now->count; i++)
        if (strcmp(now->at(now->problem, i), name) == 0) return i;
    return -1;
}

enum { LISTED = 100 };

/* Adds a name to a list with commas; "...": there is no more room. */
static void list_name(char list[LISTED], const char *name)
{
    static const char more[] = ", ...";
    size_t length = strlen(list);
    if (length >= sizeof more - 1 && strcmp(list + length - sizeof more + 1, more) == 0) return;
    int fits = length + 2 + strlen(name) + sizeof more <= LISTED;
    snprintf(list + length, LISTED - length, "%s%s", length && fits ? ", " : "", fits ? name : more);
}

/* In what way the names are others than those of the file. */
static gofh_status tell_names(store *s, const named *now, sqlite3_stmt *names, gofh_error *error)
{
    char list[LISTED] = "", missing[61] = "";
    int more;
    unsigned char *found = memory_new((size_t)now->count, 1);
    if (!found) return error_memory(error);
    gofh_status status = GOFH_OK;
    sqlite3_reset(names);
    while (!status && !(status = store_next(s, names, &more, error)) && more) {
        const char *name = text_of(names, 0);
        int i = find_name(now, name);
        status = check_name(s, name, NULL, error);
        list_name(list, name);
        if (i >= 0)
            found[i] = 1;
        else if (!*missing)
            snprintf(missing, sizeof missing, "%s", name);
    }
    const unsigned char *other = memchr(found, 0, (size_t)now->count);
    if (!status && other)
        status = error_set(error, GOFH_ERROR_CHANGED, "%s %.60s is not in the study, which has %s", now->what,
                           now->at(now->problem, (int)(other - found)), list);
    else if (!status && *missing)
        status = error_set(error, GOFH_ERROR_CHANGED, "%s %s of the study is missing", now->what, missing);
    else if (!status)
        status = error_set(error, GOFH_ERROR_CHANGED,
                           "the %ss are in another order than in the study: put them back, as %s", now->what,
                           list);
    free(found);
    return status;
}

static gofh_status compare_names(store *s, const named *now, gofh_error *error)
{
    sqlite3_stmt *names = store_prepare(s, now->sql, error);
    if (!names) return error->status;
    int more, i = 0, same = 1;
    gofh_status status;
    for (; !(status = store_next(s, names, &more, error)) && more && same; i++)
        same = i < now->count && strcmp(text_of(names, 0), now->at(now->problem, i)) == 0;
    if (!status && (!same || i < now->count)) status = tell_names(s, now, names, error);
    sqlite3_finalize(names);
    return status;
}

static gofh_status compare_parameters(const comparison *c, const store_problem *problem)
{
    named now = {"parameter", "SELECT name FROM parameters ORDER BY position", problem, parameter_at,
                 problem->d};
    gofh_status status = compare_names(c->s, &now, c->error);
    if (status) return status;
    sqlite3_stmt *statement = store_prepare(
        c->s,
        "SELECT name, lower, upper, scale, EXISTS (SELECT 1 FROM meta WHERE meta.name = 'choices of ' || "
        "parameters.name), (SELECT value FROM meta WHERE meta.name = 'kind of ' || parameters.name) "
        "FROM parameters ORDER BY position",
        c->error);
    if (!statement) return c->error->status;
    for (int k = 0, more; k < problem->d && !status; k++) {
        status = store_next(c->s, statement, &more, c->error);
        const store_parameter *parameter = &problem->parameters[k];
        if (!status) status = compare_parameter(c, parameter, kind_of(problem, parameter), statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static gofh_status compare_outputs(store *s, const store_problem *problem, gofh_error *error)
{
    named now = {"output", "SELECT name FROM outputs ORDER BY position", problem, output_at,
                 problem->output_count};
    gofh_status status = compare_names(s, &now, error);
    if (status) return status;
    sqlite3_stmt *statement = store_prepare(s, "SELECT name, size FROM outputs ORDER BY position", error);
    if (!statement) return error->status;
    for (int i = 0, more; i < problem->output_count && !status; i++) {
        status = store_next(s, statement, &more, error);
        if (!status) status = compare_output(&problem->outputs[i], statement, error);
    }
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
