#define _XOPEN_SOURCE 700 /* realpath */
#include "base/number.h"
#include "store/connection.h"
#include "store/lock.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* How many seconds a commit waits for those who read, and a reader for a commit, unless the caller
 * says otherwise. */
static const double PATIENCE = 20.0;

gofh_status store_damaged(const store *s, gofh_error *error, const char *format, ...)
{
    char what[128];
    va_list arguments;
    va_start(arguments, format);
    number_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    printable_make(what); /* it may have what was found in the file */
    return error_set(error, GOFH_ERROR_DAMAGED,
                     "the study is damaged: %s. Put a copy of it back, or move it away to start anew: %s",
                     what, s->path);
}

/* Of a file that this process writes; 0: none. SQLite does not hand on that a file became too
 * large. */
static unsigned long long size_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

static gofh_status refuse_read_only(const store *s, gofh_error *error)
{
    return error_set(error, GOFH_ERROR_READ_ONLY,
                     "the study or its folder can't be written: allow it, or copy the study to where it can: "
                     "%s",
                     s->path);
}

gofh_status store_refused(store *s, int code, gofh_error *error)
{
    int reason = s->connection ? sqlite3_system_errno(s->connection) : 0;
    if (s->mode == GOFH_OPEN_WRITE && reason == EROFS) return refuse_read_only(s, error);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_memory(error);
    case SQLITE_FULL:
        return error_set(error, GOFH_ERROR_DISK, "the disk is full: make space for %s, then try again",
                         s->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return refuse_read_only(s, error);
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
                         "another program has held the study for %.0f seconds: close it, then try again: %s",
                         s->waited, s->path);
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

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits a moment for others, unless it has been long enough; `count` moments have passed
 * already. */
static int wait_for(store *s, gofh_wait reason, int count)
{
    if (count == 0) s->waiting_since = clock_seconds();
    s->waited = clock_seconds() - s->waiting_since;
    int enough = s->patience.waiting ? s->patience.waiting(reason, s->waited, s->patience.context)
                                     : reason == GOFH_WAIT_WRITER || s->waited >= PATIENCE;
    if (enough) return 0;
    long milliseconds = count < 5 ? 1L << count : 50; /* a commit is over in a few of them */
    nanosleep(&(struct timespec){.tv_nsec = 1000000 * milliseconds}, NULL);
    return 1;
}

static int busy(void *context, int count)
{
    return wait_for(context, GOFH_WAIT_FILE, count);
}

static gofh_status take_lock(store *s, gofh_error *error)
{
    for (int count = 0;; count++) {
        gofh_error own = {.status = GOFH_OK};
        s->lock = lock_take(s->path, &own);
        if (s->lock >= 0) return GOFH_OK;
        if (own.status != GOFH_ERROR_LOCKED || !wait_for(s, GOFH_WAIT_WRITER, count))
            return error_set(error, own.status, "%s", own.message);
    }
}

/* What SQLite opens by itself must be a file of the study's own: it would write to whatever a link
 * leads to. */
static gofh_status check_names(const store *s, gofh_error *error)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
    char name[sizeof s->path + 8];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(name, sizeof name, "%s%s", s->path, endings[i]);
        const char *what = file_foreign(name);
        if (what)
            return error_set(error, GOFH_ERROR_DISK,
                             "%s is %s: a study is written only to files of its own. Put the file itself "
                             "there, or move it away",
                             name, what);
    }
    return GOFH_OK;
}

/* Where the study is, by whatever way its folder was named, so that two ways do not mean two locks.
 * Of the file itself a reader may have another name. */
static gofh_status find_file(store *s, const char *path, gofh_error *error)
{
    char resolved[PATH_MAX];
    static const size_t ROOM = 16; /* for what is added to the name */
    const char *found = path, *slash = strrchr(path, '/');
    if (strlen(path) + ROOM > sizeof s->path)
        return error_set(error, GOFH_ERROR_ARGUMENT, "the path of the study is too long");
    memcpy(s->path, path, strlen(path) + 1);
    if (s->mode == GOFH_OPEN_READ) {
        if (realpath(path, resolved)) found = resolved;
    } else {
        snprintf(s->path, sizeof s->path, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
        const char *name = slash ? slash + 1 : path;
        if (realpath(s->path, resolved) && strlen(resolved) + strlen(name) + 2 < sizeof resolved) {
            size_t length = strlen(resolved);
            snprintf(resolved + length, sizeof resolved - length, "%s%s",
                     strcmp(resolved, "/") == 0 ? "" : "/", name);
            found = resolved;
        }
    }
    if (strlen(found) + ROOM > sizeof s->path)
        return error_set(error, GOFH_ERROR_ARGUMENT, "the path of the study is too long");
    memcpy(s->path, found, strlen(found) + 1);
    struct stat file;
    if (stat(s->path, &file) == 0) {
        if (!S_ISREG(file.st_mode))
            return error_set(error, GOFH_ERROR_DISK,
                             "%s is %s: a study is kept in a file, such as study.db in it", s->path,
                             S_ISDIR(file.st_mode) ? "a folder" : "no ordinary file");
    } else if (errno != ENOENT && errno != ENOTDIR) {
        return error_set(error, GOFH_ERROR_DISK, "%s can't be opened: %s", s->path, strerror(errno));
    } else if (s->mode == GOFH_OPEN_READ) {
        return error_set(error, GOFH_ERROR_EMPTY, "there is no study in %s yet", s->path);
    }
    return GOFH_OK;
}

/* A file has two names for a moment while another takes its place: one who was killed then leaves
 * both. */
static void drop_second_name(const store *s)
{
    struct stat file, before;
    char name[sizeof s->path + sizeof STORE_BEFORE];
    snprintf(name, sizeof name, "%s" STORE_BEFORE, s->path);
    if (lstat(s->path, &file) == 0 && lstat(name, &before) == 0 && file_same(&file, &before)) unlink(name);
}

/* As the only one who writes, and only to files that are the study's own. */
static gofh_status enter(store *s, gofh_error *error)
{
    gofh_status status = take_lock(s, error);
    if (status) return status;
    drop_second_name(s);
    return check_names(s, error);
}

/* Nothing in the file is trusted to run: it may have come from anywhere. */
static gofh_status connect(store *s, gofh_error *error)
{
    gofh_error ignored = {.status = GOFH_OK};
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    /* A reader too may have to undo what a writer that died left half done; SQLite falls back to
     * reading only. In a file with several names, as backups have, it changes nothing. */
    if (s->mode == GOFH_OPEN_READ)
        flags = check_names(s, &ignored) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    int code = sqlite3_open_v2(s->path, &s->connection, flags, NULL);
    if (code != SQLITE_OK) return store_refused(s, code, error);
    sqlite3_extended_result_codes(s->connection, 1);
    sqlite3_busy_handler(s->connection, busy, s);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* An upgrade renames tables, and is not to look at views that others may have made. */
    sqlite3_db_config(s->connection, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 1, NULL);
    if (s->mode == GOFH_OPEN_READ)
        return store_execute(s, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1", error);
    if (sqlite3_db_readonly(s->connection, "main") == 1) return store_refused(s, SQLITE_READONLY, error);
    return store_execute(s,
                         "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; "
                         "PRAGMA cell_size_check = 1",
                         error);
}

/* SQLite treats the missing end of the last page as zeros. */
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

store *store_open(const char *path, gofh_open_mode mode, store_patience patience, gofh_error *error)
{
    store *s = memory_new(1, sizeof *s);
    if (!s) {
        error_memory(error);
        return NULL;
    }
    s->mode = mode;
    s->patience = patience;
    s->lock = -1;
    gofh_status status = find_file(s, path, error);
    if (!status && mode == GOFH_OPEN_WRITE) status = enter(s, error);
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
    if (s->file.st_ino == 0 || s->mode == GOFH_OPEN_READ) return GOFH_OK;
    if (lstat(s->path, &now) == 0 && file_same(&now, &s->file)) return check_names(s, error);
    return error_set(error, GOFH_ERROR_DISK,
                     "the study was removed or replaced while it was in use: put it back, or save it to "
                     "another file: %s",
                     s->path);
}

/* Somebody who removes the lock file lets others in. It is made again; who came meanwhile has
 * changed the token. */
static gofh_status check_lock(store *s, gofh_error *error)
{
    if (lock_holds(s->lock, s->path)) return GOFH_OK;
    int again = lock_take(s->path, error);
    if (again < 0) return error->status;
    lock_release(s->lock);
    s->lock = again;
    return GOFH_OK;
}

/* Within the transaction: whether the last commit was ours. */
static gofh_status check_token(store *s, gofh_error *error)
{
    if (s->token.commits == 0) return GOFH_OK;
    sqlite3_stmt *statement = store_prepare(s, "SELECT value FROM state WHERE name = 'writer'", error);
    if (!statement) return error->status;
    int more, same = 0;
    gofh_status status = store_next(s, statement, &more, error);
    if (!status && more) {
        const void *token = sqlite3_column_blob(statement, 0);
        same = token && sqlite3_column_bytes(statement, 0) == sizeof s->token &&
               memcmp(token, &s->token, sizeof s->token) == 0;
    }
    sqlite3_finalize(statement);
    if (status || same) return status;
    return error_set(error, GOFH_ERROR_LOCKED,
                     "another process has written the study since this one did, so this one may not go on: "
                     "end one of them and start again: %s",
                     s->path);
}

static gofh_status write_token(store *s, const store_token *token, gofh_error *error)
{
    sqlite3_stmt *statement = store_prepare(s, "INSERT OR REPLACE INTO state VALUES ('writer', ?)", error);
    if (!statement) return error->status;
    int code = sqlite3_bind_blob(statement, 1, token, sizeof *token, SQLITE_STATIC);
    gofh_status status = code ? store_refused(s, code, error) : store_run(s, statement, error);
    sqlite3_finalize(statement);
    return status;
}

gofh_status store_begin(store *s, gofh_error *error)
{
    if (!sqlite3_get_autocommit(s->connection)) return GOFH_OK;
    if (s->mode == GOFH_OPEN_READ) return store_execute(s, "BEGIN", error);
    gofh_status status = check_place(s, error);
    if (!status) status = store_execute(s, "BEGIN IMMEDIATE", error);
    if (!status) status = check_lock(s, error);
    return status ? status : check_token(s, error);
}

gofh_status store_commit(store *s, gofh_error *error)
{
    store_token next = s->token;
    gofh_status status = GOFH_OK;
    if (s->mode == GOFH_OPEN_WRITE) {
        if (next.commits++ == 0) sqlite3_randomness(sizeof next.writer, &next.writer);
        status = write_token(s, &next, error);
    }
    if (!status) status = store_execute(s, "COMMIT", error);
    if (status) return status;
    s->token = next;
    s->is_new = 0;
    return check_place(s, error);
}

void store_rollback(store *s)
{
    if (!sqlite3_get_autocommit(s->connection)) sqlite3_exec(s->connection, "ROLLBACK", NULL, NULL, NULL);
}
