/* Lists of numbers: a trial's outputs, the variances of their noise, and the problem's data. Each is
 * a BLOB of doubles, the lowest byte first, NaN where there is none; in files of versions 1 and 2 it
 * is one row per number. */
#ifndef STORE_NUMBERS_H
#define STORE_NUMBERS_H

#include "store/connection.h"

/* Whether there is a number that is not NaN. */
int numbers_any(const double *values, int count);
/* Binds the list to parameter `at`, -0 as 0; SQLite's code. */
int numbers_bind(sqlite3_stmt *statement, int at, const double *values, int count);

/* A statement that finds the list with the key `key` = ? and name = ? of a table; `rows`: a table of
 * an earlier version. NULL and a message on failure. */
sqlite3_stmt *numbers_prepare(store *s, const char *table, const char *key, int rows, gofh_error *error);
/* Reads the list that the statement, whose key is bound, finds: NaN where there is no number.
 * *found: how many there are, perhaps more than `count`; -1 if they are no list of numbers. */
gofh_status numbers_read(store *s, sqlite3_stmt *statement, double *values, int count, int *found,
                         gofh_error *error);

#endif
