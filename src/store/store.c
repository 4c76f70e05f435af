#define _XOPEN_SOURCE 700 /* realpath */
#include "base/number.h"
#include "store/connection.h"
#include "store/lock.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* How long a commit waits for those who read, and a reader for a commit. */
enum { PATIENCE_MILLISECONDS = 20000 };

gofh_status store_damaged(const store *s, gofh_error *error, const char *format, ...)
{
    char what[128];
    va_list arguments;
    va_start(arguments, format);
    number_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, GOFH_ERROR_DAMAGED,
                     "the study is damaged: %s. Put a copy of it back, or move it away to start anew: %s",
                     what, s->path);
}

/* Of a file that this process writes; 0: none. SQLite does not hand on that a file became too large. */
static unsigned long long size_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

gofh_status store_refused(store *s, int code, gofh_error *error)
{
    int reason = s->connection ? sqlite3_system_errno(s->connection) : 0;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_memory(error);
    case SQLITE_FULL:
        return error_set(error, GOFH_ERROR_DISK, "the disk is full: make space for %s, then try again",
                         s->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return error_set(error, GOFH_ERROR_DISK,
                         "the study or its folder can't be written: allow it, or copy the study to where it "
                         "can: %s",
                         s->path);
    case SQLITE_CANTOPEN:
        return error_set(
            error, GOFH_ERROR_DISK,
            "the study can't be opened (%s): see that it and its folder may be read and written: "
            "%s",
            reason ? strerror(reason) : "no reason given", s->path);
    case SQLITE_IOERR:
        if (size_limit() > 0)
            return error_set(
                error, GOFH_ERROR_DISK,
                "the disk refused: files may have %llu bytes at most, perhaps too few: raise that "
                "limit (ulimit -f), then try again: %s",
                size_limit(), s->path);
        return error_set(error, GOFH_ERROR_DISK,
                         "the disk refused (%s): see that there is space and that it works, then try again: "
                         "%s",
                         reason ? strerror(reason) : "no reason given", s->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, GOFH_ERROR_LOCKED,
                         "another program has held the study for %d seconds: close it, then try again: %s",
                         PATIENCE_MILLISECONDS / 1000, s->path);
    case SQLITE_NOTADB:
        return store_damaged(s, error, "it is no SQLite file");
    case SQLITE_CORRUPT:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
        return store_damaged(s, error, "%s",
                             s->connection ? sqlite3_errmsg(s->connection) : sqlite3_errstr(code));
    default:
        return error_set(error, GOFH_ERROR_SYSTEM, "SQLite refused: %s (%s)",
                         s->connection ? sqlite3_errmsg(s->connection) : sqlite3_errstr(code), s->path);
    }
}

gofh_status store_execute(store *s, const char *sql, gofh_error *error)
{
    int code = sqlite3_exec(s->connection, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? GOFH_OK : store_refused(s, code, error);
}

sqlite3_stmt *store_prepare(store *s, const char *sql, gofh_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(s->connection, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) return statement;
    store_refused(s, code, error);
    return NULL;
}

gofh_status store_run(store *s, sqlite3_stmt *statement, gofh_error *error)
{
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? GOFH_OK : store_refused(s, code, error);
}

gofh_status store_next(store *s, sqlite3_stmt *statement, int *more, gofh_error *error)
{
    int code = sqlite3_step(statement);
    *more = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? GOFH_OK : store_refused(s, code, error);
}

/* Where the study is whatever name it was called by, so that two names do not mean two locks. */
static gofh_status find_file(store *s, const char *path, gofh_error *error)
{
    char resolved[PATH_MAX];
    if (strlen(path) + 16 > sizeof s->path)
        return error_set(error, GOFH_ERROR_ARGUMENT, "the path of the study is too long");
    memcpy(s->path, path, strlen(path) + 1);
    if (realpath(path, resolved)) {
        if (strlen(resolved) + 16 > sizeof s->path)
            return error_set(error, GOFH_ERROR_ARGUMENT, "the path of the study is too long");
        memcpy(s->path, resolved, strlen(resolved) + 1);
    }
    struct stat file;
    if (stat(s->path, &file) == 0) {
        if (!S_ISREG(file.st_mode))
            return error_set(error, GOFH_ERROR_DISK,
                             "%s is %s: a study is kept in a file, such as study.db in it", s->path,
                             S_ISDIR(file.st_mode) ? "a folder" : "no ordinary file");
        return GOFH_OK;
    }
    if (errno != ENOENT && errno != ENOTDIR)
        return error_set(error, GOFH_ERROR_DISK, "%s can't be opened: %s", s->path, strerror(errno));
    if (s->mode == GOFH_OPEN_READ)
        return error_set(error, GOFH_ERROR_EMPTY, "there is no study in %s yet", s->path);
    return GOFH_OK;
}

/* Nothing in the file is trusted to run: it may have come from anywhere. */
static gofh_status connect(store *s, gofh_error *error)
{
    int flags = s->mode == GOFH_OPEN_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                           : SQLITE_OPEN_READWRITE;
    /* A reader too may have to undo what a writer that died left half done; SQLite falls back to reading alone. */
    int code = sqlite3_open_v2(s->path, &s->connection, flags, NULL);
    if (code != SQLITE_OK) return store_refused(s, code, error);
    sqlite3_extended_result_codes(s->connection, 1);
    sqlite3_busy_timeout(s->connection, PATIENCE_MILLISECONDS);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (s->mode == GOFH_OPEN_READ)
        return store_execute(s, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1", error);
    if (sqlite3_db_readonly(s->connection, "main") == 1) return store_refused(s, SQLITE_READONLY, error);
    return store_execute(s,
                         "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; "
                         "PRAGMA cell_size_check = 1",
                         error);
}

/* SQLite takes the missing end of the last page for zeros. */
static gofh_status check_length(store *s, gofh_error *error)
{
    sqlite3_int64 pages = 0, size = 0;
    struct stat file;
    gofh_status status = store_number(s, "PRAGMA page_count", &pages, error);
    if (!status) status = store_number(s, "PRAGMA page_size", &size, error);
    if (!status && stat(s->path, &file) == 0 && file.st_size < pages * size)
        status = store_damaged(s, error, "its end is missing");
    return status;
}

static gofh_status check_pages(store *s, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "PRAGMA quick_check(1)", error);
    if (!statement) return error->status;
    int more;
    gofh_status status = store_next(s, statement, &more, error);
    const char *answer = more ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!status && more && !answer) status = error_memory(error);
    if (!status && answer && strcmp(answer, "ok") != 0) {
        const char *line = strchr(answer, '\n'); /* the first only says which database */
        status = store_damaged(s, error, "%s", line ? line + 1 : answer);
    }
    sqlite3_finalize(statement);
    return status;
}

store *store_open(const char *path, gofh_open_mode mode, gofh_error *error)
{
    store *s = memory_new(1, sizeof *s);
    if (!s) {
        error_memory(error);
        return NULL;
    }
    s->mode = mode;
    s->lock = -1;
    gofh_status status = find_file(s, path, error);
    if (!status && mode == GOFH_OPEN_WRITE) {
        s->lock = lock_take(s->path, error);
        if (s->lock < 0) status = error->status;
    }
    if (!status) status = connect(s, error);
    if (!status) status = store_begin(s, error);
    if (!status) status = store_check_schema(s, error);
    if (!status && !s->is_new) status = check_length(s, error);
    if (!status && mode == GOFH_OPEN_WRITE && !s->is_new) status = check_pages(s, error);
    if (!status && mode == GOFH_OPEN_READ && s->is_new)
        status = error_set(error, GOFH_ERROR_EMPTY, "there is no study in %s yet", s->path);
    if (!status && stat(s->path, &s->file))
        status = error_set(error, GOFH_ERROR_DISK, "%s can't be opened: %s", s->path, strerror(errno));
    if (!status) return s;
    store_close(s);
    return NULL;
}

void store_close(store *s)
{
    if (!s) return;
    if (s->connection) {
        store_rollback(s);
        /* Leaves no journal behind; where that fails an empty one stays, which is harmless. */
        if (s->mode == GOFH_OPEN_WRITE)
            sqlite3_exec(s->connection, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
        sqlite3_close(s->connection);
    }
    lock_release(s->lock);
    free(s);
}

int store_is_new(const store *s)
{
    return s->is_new;
}

/* A file that was deleted can still be written, and all of it would be lost. */
static gofh_status check_place(store *s, gofh_error *error)
{
    struct stat now;
    if (s->file.st_ino == 0) return GOFH_OK;
    if (stat(s->path, &now) == 0 && now.st_ino == s->file.st_ino && now.st_dev == s->file.st_dev)
        return GOFH_OK;
    return error_set(error, GOFH_ERROR_DISK,
                     "the study was removed or replaced while it was in use: put it back, or save it to "
                     "another file: %s",
                     s->path);
}

gofh_status store_begin(store *s, gofh_error *error)
{
    if (!sqlite3_get_autocommit(s->connection)) return GOFH_OK;
    gofh_status status = check_place(s, error);
    return status ? status
                  : store_execute(s, s->mode == GOFH_OPEN_WRITE ? "BEGIN IMMEDIATE" : "BEGIN", error);
}

gofh_status store_commit(store *s, gofh_error *error)
{
    gofh_status status = store_execute(s, "COMMIT", error);
    if (!status) s->is_new = 0;
    return status;
}

void store_rollback(store *s)
{
    if (!sqlite3_get_autocommit(s->connection)) sqlite3_exec(s->connection, "ROLLBACK", NULL, NULL, NULL);
}
