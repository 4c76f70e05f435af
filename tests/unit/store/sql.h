/* The file of files.h by plain SQL. */
#ifndef TESTS_STORE_SQL_H
#define TESTS_STORE_SQL_H

#include "check.h"
#include "unit/store/files.h"

#include <sqlite3.h>

/* Returns how many rows the last statement changed. */
static inline int run_sql(const char *sql)
{
    sqlite3 *connection;
    char *message = NULL;
    assert_int_equal(sqlite3_open(stored_path, &connection), SQLITE_OK);
    if (sqlite3_exec(connection, sql, NULL, NULL, &message)) print_error("%s: %s\n", sql, message);
    assert_null(message);
    int changed = sqlite3_changes(connection);
    sqlite3_close(connection);
    return changed;
}

/* The first column of a query's first row. */
static inline int64_t number_of(const char *query)
{
    sqlite3 *connection;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(stored_path, &connection), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(connection, query, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return number;
}

#endif
