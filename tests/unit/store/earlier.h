/* Makes a study's file one of version 2, in which each number of a trial had a row of its own, by
 * SQL and by what docs/store.md says of a BLOB. The problem must have no data. */
#ifndef TESTS_STORE_EARLIER_H
#define TESTS_STORE_EARLIER_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void earlier_require(int condition)
{
    if (!condition) abort();
}

static inline void earlier_run(sqlite3 *connection, const char *sql)
{
    earlier_require(sqlite3_exec(connection, sql, NULL, NULL, NULL) == SQLITE_OK);
}

/* What was a row per output becomes a row per number; little-endian machines only. */
static inline void earlier_table(sqlite3 *connection, const char *name)
{
    char sql[256];
    sqlite3_stmt *blob, *row;
    snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME TO later", name);
    earlier_run(connection, sql);
    snprintf(sql, sizeof sql,
             "CREATE TABLE %s (trial INTEGER, name TEXT, position INTEGER, value REAL NOT NULL, "
             "PRIMARY KEY (trial, name, position)) STRICT, WITHOUT ROWID",
             name);
    earlier_run(connection, sql);
    earlier_require(sqlite3_prepare_v2(connection, "SELECT trial, name, value FROM later", -1, &blob, NULL) ==
                    SQLITE_OK);
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?, ?, ?, ?)", name);
    earlier_require(sqlite3_prepare_v2(connection, sql, -1, &row, NULL) == SQLITE_OK);
    while (sqlite3_step(blob) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_bytes(blob, 2) / 8; i++) {
            double value;
            memcpy(&value, (const char *)sqlite3_column_blob(blob, 2) + (size_t)i * 8, 8);
            sqlite3_bind_int64(row, 1, sqlite3_column_int64(blob, 0));
            sqlite3_bind_value(row, 2, sqlite3_column_value(blob, 1));
            sqlite3_bind_int(row, 3, i);
            sqlite3_bind_double(row, 4, value);
            if (value == value) earlier_require(sqlite3_step(row) == SQLITE_DONE);
            sqlite3_reset(row);
        }
    sqlite3_finalize(blob);
    sqlite3_finalize(row);
    earlier_run(connection, "DROP TABLE later");
}

static inline void earlier_make(const char *path)
{
    sqlite3 *connection;
    earlier_require(sqlite3_open(path, &connection) == SQLITE_OK);
    earlier_run(connection,
                "PRAGMA synchronous = OFF; BEGIN; DROP VIEW evaluations; DROP VIEW result_values; "
                "DROP TABLE data");
    earlier_run(connection, "CREATE TABLE data (kind TEXT, name TEXT, position INTEGER, value REAL NOT NULL, "
                            "PRIMARY KEY (kind, name, position)) STRICT, WITHOUT ROWID");
    earlier_table(connection, "results");
    earlier_table(connection, "variances");
    earlier_run(connection, "PRAGMA user_version = 2; COMMIT");
    sqlite3_close(connection);
}

#endif
