/* What the files of this layer share: the connection, statements on it, and what SQLite's refusals
 * mean. */
#ifndef STORE_CONNECTION_H
#define STORE_CONNECTION_H

#include "store/store.h"

#include <limits.h>
#include <sqlite3.h>
#include <sys/stat.h>

/* Which writer wrote last: a number drawn when the study was opened, and the count of its
 * commits. */
typedef struct {
    uint64_t writer, commits;
} store_token;

struct store {
    sqlite3 *connection;
    gofh_open_mode mode;
    store_patience patience;
    double waiting_since, waited; /* seconds, for a file that others hold */
    int lock;
    int is_new;
    sqlite3_int64 version;  /* of the tables */
    int has_checksums;      /* which files of version 1 lack, and those that were changed by hand */
    int has_variances;      /* whether there is a table of them, which files of early versions lack */
    int has_starts;         /* the same of starts */
    sqlite3_int64 compared; /* checksums so far */
    struct stat file;       /* which file it was when it was opened */
    store_token token;      /* what the last commit left in the file; all 0: there was none yet */
    char path[PATH_MAX];
};

/* Says what SQLite's last answer means, and returns the status for it. */
gofh_status store_refused(store *s, int code, gofh_error *error);
gofh_status store_damaged(const store *s, gofh_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
gofh_status store_execute(store *s, const char *sql, gofh_error *error);
/* NULL and a message on failure; to be finalised. */
sqlite3_stmt *store_prepare(store *s, const char *sql, gofh_error *error);
/* Runs a statement that gives no rows, and makes it ready to run again. */
gofh_status store_run(store *s, sqlite3_stmt *statement, gofh_error *error);
/* *more: whether there is a row. */
gofh_status store_next(store *s, sqlite3_stmt *statement, int *more, gofh_error *error);

/* schema.c: the first number of an answer; 0 where there is none. */
gofh_status store_number(store *s, const char *sql, sqlite3_int64 *number, gofh_error *error);
/* Says in the file that it is of this version. */
gofh_status store_write_version(store *s, gofh_error *error);
/* The table of checksums, and those of variances and starts, in a file that has none. */
gofh_status store_create_checksums(store *s, gofh_error *error);
gofh_status store_create_missing(store *s, gofh_error *error);
/* Whether a file is of version 1 or 2, with a row for each number (numbers.h). */
static inline int store_has_rows(const store *s)
{
    return s->version < 3;
}
/* The tables and views of this version in the place of those with a row for each number, of which
 * those of trials get a longer name. */
#define STORE_ROWS "_rows"
gofh_status store_replace_rows(store *s, const store_problem *problem, gofh_error *error);
/* The version of the file, and that its tables are as they should be; whether there is a study at
 * all. */
gofh_status store_check_schema(store *s, gofh_error *error);

#endif
