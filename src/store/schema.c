/* The tables, as docs/store.md describes them. */
#include "store/connection.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* "gofh" in ASCII, by which file(1) and we know a study; and the version of the tables below. */
enum { APPLICATION = 0x676f6668, VERSION = 3 };

typedef struct {
    const char *name, *sql;
    const char *rows; /* in versions 1 and 2, where it was another: one row per number */
} table;

/* A file whose tables are made by other statements than these is not read. */
static const table TABLES[] = {
    {"meta", "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID", NULL},
    {"parameters",
     "CREATE TABLE parameters (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
     "lower REAL NOT NULL, upper REAL NOT NULL, scale TEXT NOT NULL) STRICT",
     NULL},
    {"outputs",
     "CREATE TABLE outputs (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
     "size INTEGER NOT NULL) STRICT",
     NULL},
    {"data", "CREATE TABLE data (kind TEXT, name TEXT, value BLOB NOT NULL, PRIMARY KEY (kind, name)) STRICT",
     "CREATE TABLE data (kind TEXT, name TEXT, position INTEGER, value REAL NOT NULL, "
     "PRIMARY KEY (kind, name, position)) STRICT, WITHOUT ROWID"},
    {"trials",
     "CREATE TABLE trials (trial INTEGER PRIMARY KEY, state TEXT NOT NULL, origin TEXT NOT NULL, "
     "imported INTEGER NOT NULL, expected REAL, f REAL, reason TEXT, asked TEXT, told TEXT) STRICT",
     NULL},
    {"inputs",
     "CREATE TABLE inputs (trial INTEGER, name TEXT, value REAL NOT NULL, "
     "PRIMARY KEY (trial, name)) STRICT, WITHOUT ROWID",
     NULL},
    {"results",
     "CREATE TABLE results (trial INTEGER, name TEXT, value BLOB NOT NULL, "
     "PRIMARY KEY (trial, name)) STRICT",
     "CREATE TABLE results (trial INTEGER, name TEXT, position INTEGER, value REAL NOT NULL, "
     "PRIMARY KEY (trial, name, position)) STRICT, WITHOUT ROWID"},
    {"notes",
     "CREATE TABLE notes (trial INTEGER, name TEXT, value TEXT NOT NULL, "
     "PRIMARY KEY (trial, name)) STRICT, WITHOUT ROWID",
     NULL},
    {"log", "CREATE TABLE log (line INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT", NULL},
    {"state", "CREATE TABLE state (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID", NULL},
    {"checksums",
     "CREATE TABLE checksums (item TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID", NULL},
    {"variances",
     "CREATE TABLE variances (trial INTEGER, name TEXT, value BLOB NOT NULL, "
     "PRIMARY KEY (trial, name)) STRICT",
     "CREATE TABLE variances (trial INTEGER, name TEXT, position INTEGER, value REAL NOT NULL, "
     "PRIMARY KEY (trial, name, position)) STRICT, WITHOUT ROWID"},
    {"starts",
     "CREATE TABLE starts (start INTEGER, name TEXT, value REAL, "
     "PRIMARY KEY (start, name)) STRICT, WITHOUT ROWID",
     NULL},
};

/* Those of version 1 are all but the last three; the last two may be missing from any file. */
enum {
    TABLE_COUNT = sizeof TABLES / sizeof TABLES[0],
    CHECKSUMS = TABLE_COUNT - 3,
    VARIANCES = TABLE_COUNT - 2,
    STARTS = TABLE_COUNT - 1,
    WIDEST_VIEW = 200
};

/* The outputs number by number: a double's 16 hexadecimal digits, those of its lowest byte first,
 * put together as an integer, of which the fields are taken. */
static void append_values(sqlite3_str *sql)
{
    sqlite3_str_appendall(
        sql, "CREATE VIEW result_values AS WITH RECURSIVE places(position) AS (SELECT 0 UNION ALL "
             "SELECT position + 1 FROM places WHERE position + 1 < (SELECT max(size) FROM outputs)), "
             "digits AS (SELECT trial, name, position, hex(substr(value, 8*position + 1, 8)) AS h "
             "FROM results JOIN places ON 8*position < length(value)), "
             "bits AS (SELECT trial, name, position, 0");
    for (int i = 0; i < 16; i++)
        sqlite3_str_appendf(sql, " | (instr('123456789ABCDEF', substr(h, %d, 1)) << %d)", i + 1,
                            8 * (i / 2) + (i % 2 ? 0 : 4));
    sqlite3_str_appendall(
        sql, " AS b FROM digits), fields AS (SELECT trial, name, position, iif(b < 0, -1.0, 1.0) AS sign, "
             "(b >> 52) & 2047 AS exponent, b & 4503599627370495 AS fraction FROM bits) "
             "SELECT trial, name, position, sign * (fraction + iif(exponent > 0, 4503599627370496, 0)) * "
             "pow(2.0, max(exponent, 1) - 1075) AS value FROM fields; ");
}

/* A table of trials with one column per parameter and, where they are few, one per output. */
static void append_evaluations(sqlite3_str *sql, const store_problem *problem)
{
    int wide = problem->m > WIDEST_VIEW;
    sqlite3_str_appendall(sql, "CREATE VIEW evaluations AS SELECT t.trial, t.state, t.origin, t.f");
    for (int k = 0; k < problem->d; k++)
        sqlite3_str_appendf(sql,
                            ", (SELECT value FROM inputs AS i WHERE i.trial = t.trial AND i.name = %Q) AS "
                            "\"%w\"",
                            problem->parameters[k].name, problem->parameters[k].name);
    for (int i = 0; i < problem->output_count && !wide; i++)
        for (int j = 0; j < problem->outputs[i].size; j++) {
            const store_output *output = &problem->outputs[i];
            sqlite3_str_appendf(sql, ", max(CASE WHEN v.name = %Q AND v.position = %d THEN v.value END) AS ",
                                output->name, j);
            if (output->size == 1)
                sqlite3_str_appendf(sql, "\"%w\"", output->name);
            else
                sqlite3_str_appendf(sql, "\"%w[%d]\"", output->name, j);
        }
    sqlite3_str_appendall(sql, wide ? " FROM trials AS t"
                                    : " FROM trials AS t LEFT JOIN result_values AS v ON v.trial = t.trial "
                                      "GROUP BY t.trial");
}

/* For people, not for the library. */
static gofh_status create_views(store *s, const store_problem *problem, gofh_error *error)
{
    sqlite3_str *sql = sqlite3_str_new(s->connection);
    append_values(sql);
    append_evaluations(sql, problem);
    char *text = sqlite3_str_finish(sql);
    gofh_status status = text ? store_execute(s, text, error) : error_memory(error);
    sqlite3_free(text);
    return status;
}

gofh_status store_write_version(store *s, gofh_error *error)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             (int)APPLICATION, (int)VERSION);
    s->version = VERSION;
    return store_execute(s, pragmas, error);
}

gofh_status store_create_checksums(store *s, gofh_error *error)
{
    gofh_status status = store_write_version(s, error);
    return status ? status : store_execute(s, TABLES[CHECKSUMS].sql, error);
}

gofh_status store_create_missing(store *s, gofh_error *error)
{
    gofh_status status = GOFH_OK;
    if (!s->has_variances) status = store_execute(s, TABLES[VARIANCES].sql, error);
    if (!status && !s->has_starts) status = store_execute(s, TABLES[STARTS].sql, error);
    s->has_variances = s->has_starts = 1;
    return status;
}

gofh_status store_replace_rows(store *s, const store_problem *problem, gofh_error *error)
{
    /* The view of earlier versions goes first: it is about columns that will not be there. */
    gofh_status status = store_execute(s, "DROP VIEW IF EXISTS evaluations; DROP TABLE data", error);
    if (!status) status = store_execute(s, "ALTER TABLE results RENAME TO results" STORE_ROWS, error);
    if (!status && s->has_variances)
        status = store_execute(s, "ALTER TABLE variances RENAME TO variances" STORE_ROWS, error);
    for (int i = 0; i < TABLE_COUNT && !status; i++)
        if (TABLES[i].rows && (i != VARIANCES || s->has_variances))
            status = store_execute(s, TABLES[i].sql, error);
    return status ? status : create_views(s, problem, error);
}

gofh_status store_create(store *s, const store_problem *problem, gofh_error *error)
{
    gofh_status status = store_write_version(s, error);
    s->has_checksums = s->has_variances = s->has_starts = 1;
    for (int i = 0; i < TABLE_COUNT && !status; i++) status = store_execute(s, TABLES[i].sql, error);
    return status ? status : create_views(s, problem, error);
}

gofh_status store_number(store *s, const char *sql, sqlite3_int64 *number, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, sql, error);
    if (!statement) return error->status;
    int more;
    gofh_status status = store_next(s, statement, &more, error);
    *number = more ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_clear(store *s, gofh_error *error)
{
    gofh_status status = store_execute(
        s, "DROP VIEW IF EXISTS evaluations; DROP VIEW IF EXISTS result_values", error);
    for (int i = 0; i < TABLE_COUNT && !status; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", TABLES[i].name);
        status = store_execute(s, sql, error);
    }
    return status;
}

gofh_status store_count_trials(store *s, int64_t *count, gofh_error *error)
{
    sqlite3_int64 found = 0;
    gofh_status status = store_number(s, "SELECT count(*) FROM trials", &found, error);
    *count = found;
    return status;
}

static gofh_status check_table(store *s, sqlite3_stmt *statement, const table *wanted, gofh_error *error)
{
    int more;
    sqlite3_reset(statement);
    int code = sqlite3_bind_text(statement, 1, wanted->name, -1, SQLITE_STATIC);
    if (code != SQLITE_OK) return store_refused(s, code, error);
    gofh_status status = store_next(s, statement, &more, error);
    if (status) return status;
    if (wanted == &TABLES[VARIANCES]) s->has_variances = more;
    if (wanted == &TABLES[STARTS]) s->has_starts = more;
    if (!more && (wanted == &TABLES[VARIANCES] || wanted == &TABLES[STARTS])) return GOFH_OK;
    int is_wanted = wanted != &TABLES[CHECKSUMS] || s->has_checksums;
    if (!more && !is_wanted) return GOFH_OK;
    if (!more) return store_damaged(s, error, "it has no table \"%s\"", wanted->name);
    if (!is_wanted)
        return store_damaged(s, error, "its version says that it has no table \"%s\"", wanted->name);
    const char *sql = (const char *)sqlite3_column_text(statement, 0);
    if (!sql || strcmp(sql, wanted->rows && store_has_rows(s) ? wanted->rows : wanted->sql) != 0)
        return store_damaged(s, error, "its table \"%s\" is not as gofh made it", wanted->name);
    return GOFH_OK;
}

gofh_status store_check_schema(store *s, gofh_error *error)
{
    sqlite3_int64 tables = 0, application = 0, version = 0;
    gofh_status status = store_number(s, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (!status) status = store_number(s, "PRAGMA application_id", &application, error);
    if (!status) status = store_number(s, "PRAGMA user_version", &version, error);
    if (status) return status;
    if (tables == 0 && application == 0 && version == 0) {
        s->is_new = 1;
        return GOFH_OK;
    }
    if (application != APPLICATION)
        return error_set(error, GOFH_ERROR_DAMAGED,
                         "%s is a database of another program: give the study another file", s->path);
    if (version > VERSION)
        return error_set(
            error, GOFH_ERROR_DAMAGED,
            "the study was written by a newer gofh (its tables are of version %lld, this one knows "
            "%d): use the newer one: %s",
            (long long)version, (int)VERSION, s->path);
    if (version < 1 && version != -VERSION)
        return store_damaged(s, error, "its version %lld was never in use", (long long)version);
    s->version = version < 0 ? -version : version;
    s->has_checksums = version > 1;
    sqlite3_stmt *statement = store_prepare(
        s, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", error);
    if (!statement) return error->status;
    for (int i = 0; i < TABLE_COUNT && !status; i++) status = check_table(s, statement, &TABLES[i], error);
    sqlite3_finalize(statement);
    return status;
}
