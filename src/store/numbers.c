#include "store/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 8 }; /* of a double */

int numbers_any(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isnan(values[i])) return 1;
    return 0;
}

/* The bytes are in the same order on every machine. */
static void put(unsigned char *bytes, double value)
{
    uint64_t bits = 0x7ff8000000000000u; /* of all NaN alike */
    value += 0.0;
    if (!isnan(value)) memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
}

static double get(const unsigned char *bytes)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < BYTES; i++) bits |= (uint64_t)bytes[i] << (8 * i);
    memcpy(&value, &bits, sizeof value);
    return value + 0.0;
}

int numbers_bind(sqlite3_stmt *statement, int at, const double *values, int count)
{
    sqlite3_uint64 size = (sqlite3_uint64)count * BYTES;
    if (count == 0) return sqlite3_bind_zeroblob(statement, at, 0);
    unsigned char *bytes = sqlite3_malloc64(size);
    if (!bytes) return SQLITE_NOMEM;
    for (int i = 0; i < count; i++) put(bytes + (size_t)i * BYTES, values[i]);
    return sqlite3_bind_blob64(statement, at, bytes, size, sqlite3_free);
}

sqlite3_stmt *numbers_prepare(store *s, const char *table, const char *key, int rows, gofh_error *error)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE %s = ? AND name = ?%s",
             rows ? "position, value" : "value", table, key, rows ? " ORDER BY position" : "");
    return store_prepare(s, sql, error);
}

static gofh_status read_rows(store *s, sqlite3_stmt *statement, double *values, int count, int *found,
                             gofh_error *error)
{
    int more;
    gofh_status status;
    sqlite3_int64 next = 0;
    while (!(status = store_next(s, statement, &more, error)) && more) {
        sqlite3_int64 position = sqlite3_column_int64(statement, 0);
        if (position < next || position >= count || sqlite3_column_type(statement, 1) != SQLITE_FLOAT) {
            *found = -1;
            return GOFH_OK;
        }
        values[position] = sqlite3_column_double(statement, 1);
        next = position + 1;
        ++*found;
    }
    return status;
}

static gofh_status read_blob(store *s, sqlite3_stmt *statement, double *values, int count, int *found,
                             gofh_error *error)
{
    int more;
    gofh_status status = store_next(s, statement, &more, error);
    if (status || !more) return status;
    int is_blob = sqlite3_column_type(statement, 0) == SQLITE_BLOB;
    const unsigned char *bytes = is_blob ? sqlite3_column_blob(statement, 0) : NULL;
    int size = is_blob ? sqlite3_column_bytes(statement, 0) : 0;
    if (is_blob && !bytes && sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM)
        return store_refused(s, SQLITE_NOMEM, error);
    *found = is_blob && size % BYTES == 0 ? size / BYTES : -1;
    for (int i = 0; i < *found && i < count; i++) values[i] = get(bytes + (size_t)i * BYTES);
    return GOFH_OK;
}

gofh_status numbers_read(store *s, sqlite3_stmt *statement, double *values, int count, int *found,
                         gofh_error *error)
{
    *found = 0;
    for (int i = 0; i < count; i++) values[i] = NAN;
    return sqlite3_column_count(statement) == 2 ? read_rows(s, statement, values, count, found, error)
                                                : read_blob(s, statement, values, count, found, error);
}
