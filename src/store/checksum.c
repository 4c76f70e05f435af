#include "store/checksum.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

checksum checksum_bytes(checksum sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

checksum checksum_integer(checksum sum, int64_t value)
{
    unsigned char bytes[8]; /* in the same order on every machine */
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)value >> (8 * i));
    return checksum_bytes(sum, bytes, sizeof bytes);
}

checksum checksum_number(checksum sum, double value)
{
    int64_t bits = -1;
    value += 0.0;
    if (!isnan(value)) memcpy(&bits, &value, sizeof bits);
    return checksum_integer(sum, bits);
}

checksum checksum_text(checksum sum, const char *text)
{
    return checksum_bytes(sum, text ? text : "", text ? strlen(text) + 1 : 1);
}

checksum checksum_trial(const store_problem *problem, const gofh_trial *trial)
{
    checksum sum = checksum_integer(CHECKSUM_EMPTY, trial->trial);
    sum = checksum_integer(sum, trial->state);
    sum = checksum_integer(sum, trial->imported != 0);
    sum = checksum_text(sum, trial->origin);
    sum = checksum_number(sum, trial->expected);
    sum = checksum_text(sum, trial->state != GOFH_TRIAL_OPEN && !trial->y ? trial->reason : "");
    for (int k = 0; k < problem->d; k++) sum = checksum_number(sum, trial->x[k]);
    for (int j = 0; trial->y && j < problem->m; j++) sum = checksum_number(sum, trial->y[j]);
    for (int j = 0; trial->variance && j < problem->m; j++) sum = checksum_number(sum, trial->variance[j]);
    return sum;
}

checksum checksum_start(const store_problem *problem, int64_t start, const double *x)
{
    checksum sum = checksum_integer(CHECKSUM_EMPTY, start);
    for (int k = 0; k < problem->d; k++) sum = checksum_number(sum, x[k]);
    return sum;
}

void checksum_item(char item[CHECKSUM_ITEM], const char *kind, int64_t number)
{
    snprintf(item, CHECKSUM_ITEM, "%s %lld", kind, (long long)number);
}

void checksum_note(char item[CHECKSUM_ITEM], int64_t trial, const char *name)
{
    snprintf(item, CHECKSUM_ITEM, "note %lld %016llx", (long long)trial,
             (unsigned long long)checksum_text(CHECKSUM_EMPTY, name));
}

gofh_status checksum_write(store *s, const char *item, checksum sum, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO checksums VALUES (?, ?)", error);
    if (!statement) return error->status;
    int code = sqlite3_bind_text(statement, 1, item, -1, SQLITE_STATIC);
    if (!code) code = sqlite3_bind_int64(statement, 2, (sqlite3_int64)sum);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    return status;
}

gofh_status checksum_keep(store *s, const char *item, checksum sum, gofh_error *error)
{
    return !s->has_checksums ? GOFH_OK : checksum_write(s, item, sum, error);
}

gofh_status checksum_drop(store *s, const char *item, gofh_error *error)
{
    if (!s->has_checksums) return GOFH_OK;
    sqlite3_stmt *statement = store_prepare(s, "DELETE FROM checksums WHERE item = ?", error);
    if (!statement) return error->status;
    int code = sqlite3_bind_text(statement, 1, item, -1, SQLITE_STATIC);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    return status;
}

gofh_status checksum_compare(store *s, const char *item, checksum sum, gofh_error *error)
{
    if (!s->has_checksums) return GOFH_OK;
    sqlite3_stmt *statement = store_prepare(s, "SELECT value FROM checksums WHERE item = ?", error);
    if (!statement) return error->status;
    int more = 0, code = sqlite3_bind_text(statement, 1, item, -1, SQLITE_STATIC);
    gofh_status status = code ? store_refused(s, code, error) : store_next(s, statement, &more, error);
    int same = more && sqlite3_column_type(statement, 0) == SQLITE_INTEGER &&
               sqlite3_column_int64(statement, 0) == (sqlite3_int64)sum;
    sqlite3_finalize(statement);
    s->compared++;
    if (status || same) return status;
    return store_damaged(s, error, "%.80s is not what was written (its checksum %s)", item,
                         more ? "differs" : "is missing");
}

/* -1: there is no memory. */
static int add_row(checksum *sum, sqlite3_stmt *row)
{
    for (int k = 0; k < sqlite3_column_count(row); k++) {
        int type = sqlite3_column_type(row, k);
        *sum = checksum_integer(*sum, type);
        if (type == SQLITE_INTEGER) {
            *sum = checksum_integer(*sum, sqlite3_column_int64(row, k));
        } else if (type == SQLITE_FLOAT) {
            *sum = checksum_number(*sum, sqlite3_column_double(row, k));
        } else if (type == SQLITE_BLOB) {
            const void *bytes = sqlite3_column_blob(row, k);
            int size = sqlite3_column_bytes(row, k);
            if (!bytes && size > 0) return -1;
            *sum = checksum_bytes(checksum_integer(*sum, size), bytes, (size_t)size);
        } else {
            const unsigned char *text = sqlite3_column_text(row, k);
            if (!text && type != SQLITE_NULL) return -1;
            *sum = checksum_text(*sum, (const char *)text);
        }
    }
    return 0;
}

/* All rows of the tables that describe the problem. */
static gofh_status sum_problem(store *s, checksum *sum, gofh_error *error)
{
    const char *const tables[] = {"SELECT * FROM meta ORDER BY name",
                                  "SELECT * FROM parameters ORDER BY position",
                                  "SELECT * FROM outputs ORDER BY position",
                                  store_has_rows(s) ? "SELECT * FROM data ORDER BY kind, name, position"
                                                    : "SELECT * FROM data ORDER BY kind, name"};
    gofh_status status = GOFH_OK;
    *sum = CHECKSUM_EMPTY;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !status; i++) {
        sqlite3_stmt *statement = store_prepare(s, tables[i], error);
        if (!statement) return error->status;
        int more;
        *sum = checksum_integer(*sum, (int64_t)i);
        while (!status && !(status = store_next(s, statement, &more, error)) && more)
            if (add_row(sum, statement)) status = error_memory(error);
        sqlite3_finalize(statement);
    }
    return status;
}

gofh_status checksum_keep_problem(store *s, gofh_error *error)
{
    checksum sum;
    gofh_status status = sum_problem(s, &sum, error);
    return status ? status : checksum_keep(s, CHECKSUM_PROBLEM, sum, error);
}

gofh_status checksum_compare_problem(store *s, gofh_error *error)
{
    checksum sum;
    if (!s->has_checksums) return GOFH_OK;
    gofh_status status = sum_problem(s, &sum, error);
    return status ? status : checksum_compare(s, CHECKSUM_PROBLEM, sum, error);
}

gofh_status store_check_complete(store *s, gofh_error *error)
{
    sqlite3_int64 count = 0;
    if (!s->has_checksums) return GOFH_OK;
    gofh_status status = store_number(s, "SELECT count(*) FROM checksums", &count, error);
    if (status || count == s->compared) return status;
    return store_damaged(s, error, "it has %lld checksums, but %lld things that they are of",
                         (long long)count, (long long)s->compared);
}
