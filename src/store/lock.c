/* Locks that belong to an open file are Linux's, and glibc hides their names otherwise. */
#define _GNU_SOURCE
#include "store/lock.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where there are only the locks of POSIX, a second writer in the same process is not noticed. */
#ifdef F_OFD_SETLK
enum { SET_LOCK = F_OFD_SETLK };
#else
enum { SET_LOCK = F_SETLK };
#endif

enum { TEXT = 160 };

/* How each signature begins. A file with anything else in it is not ours. */
#define SIGNATURE "process "

/* The locks of this process. A lock belongs to the open file, which a child that is forked shares: it
 * closes its copies, or a child that outlives its parent would keep the study locked. */
static struct {
    pthread_mutex_t mutex;
    int *list;
    size_t count, room;
} held = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
    pthread_mutex_lock(&held.mutex);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&held.mutex);
}

static void in_child(void)
{
    while (held.count > 0) close(held.list[--held.count]);
    pthread_mutex_unlock(&held.mutex);
}

static int watch_status;

static void watch_forks(void)
{
    watch_status = pthread_atfork(before_fork, after_fork, in_child);
}

static int hold(int descriptor)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (watch_status) return -1;
    pthread_mutex_lock(&held.mutex);
    int status = memory_grow((void **)&held.list, &held.room, held.count + 1, sizeof *held.list);
    if (!status) held.list[held.count++] = descriptor;
    pthread_mutex_unlock(&held.mutex);
    return status;
}

/* Whether this process held it: a child that was forked has closed its copy. */
static int let_go(int descriptor)
{
    int found = 0;
    pthread_mutex_lock(&held.mutex);
    for (size_t i = 0; i < held.count && !found; i++)
        if (held.list[i] == descriptor) {
            held.list[i] = held.list[--held.count];
            found = 1;
        }
    if (held.count == 0) {
        free(held.list);
        held.list = NULL;
        held.room = 0;
    }
    pthread_mutex_unlock(&held.mutex);
    return found;
}

/* Says whose the lock is, for the message of the next who wants it. Nothing depends on it. */
static void sign(int descriptor)
{
    char host[64] = "unknown", when[32] = "unknown", text[TEXT];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
    int length = snprintf(text, sizeof text, SIGNATURE "%ld on %s since %s\n", (long)getpid(), host, when);
    if (ftruncate(descriptor, 0) || pwrite(descriptor, text, (size_t)length, 0) < 0) return;
}

static int is_ours(int descriptor)
{
    char text[sizeof SIGNATURE - 1];
    struct stat file;
    if (fstat(descriptor, &file)) return 0;
    return file.st_size == 0 ||
           (file.st_size < TEXT && pread(descriptor, text, sizeof text, 0) == sizeof text &&
            memcmp(text, SIGNATURE, sizeof text) == 0);
}

static gofh_status refuse_locked(int descriptor, const char *path, gofh_error *error)
{
    char holder[TEXT] = "";
    ssize_t length = pread(descriptor, holder, sizeof holder - 1, 0);
    holder[length > 0 ? length : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    for (char *c = holder; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '?';
    return error_set(error, GOFH_ERROR_LOCKED, "the study is being written by %s: wait for it or end it (%s)",
                     *holder ? holder : "another process", path);
}

static gofh_status refuse_opening(const char *path, int reason, gofh_error *error)
{
    if (reason == ENOENT || reason == ENOTDIR)
        return error_set(error, GOFH_ERROR_DISK, "the folder of %.*s does not exist: make it first",
                         (int)(strlen(path) - strlen(".lock")), path);
    if (reason == EACCES || reason == EROFS || reason == EPERM)
        return error_set(error, GOFH_ERROR_READ_ONLY,
                         "the folder of the study can't be written (%s): allow it, or copy the study to one "
                         "that can: %s",
                         strerror(reason), path);
    if (reason == ENOSPC || reason == EDQUOT)
        return error_set(error, GOFH_ERROR_DISK, "the disk is full: make space for %s, then try again", path);
    return error_set(error, GOFH_ERROR_DISK, "%s can't be opened: %s", path, strerror(reason));
}

static gofh_status refuse_foreign(const char *name, const char *what, gofh_error *error)
{
    return error_set(error, GOFH_ERROR_DISK,
                     "%s is %s, not the lock file of a study: move it away, then try again", name, what);
}

/* Locks the file, and sees that it is ours and still has its name: 0, or -1 and a message. *gone:
 * it has not. */
static int lock_file(int descriptor, const char *name, const char *path, int *gone, gofh_error *error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, SET_LOCK, &whole)) {
        if (errno == EAGAIN || errno == EACCES)
            refuse_locked(descriptor, path, error);
        else
            error_set(error, GOFH_ERROR_SYSTEM,
                      "the file system has no locks (%s): keep the study on another: %s", strerror(errno),
                      path);
        return -1;
    }
    *gone = !lock_holds(descriptor, path);
    if (*gone) return -1;
    if (is_ours(descriptor)) return 0;
    refuse_foreign(name, "a file of something else", error);
    return -1;
}

static int name_of(const char *path, char name[PATH_MAX + 8])
{
    return snprintf(name, PATH_MAX + 8, "%s.lock", path) < PATH_MAX + 8 ? 0 : -1;
}

int lock_take(const char *path, gofh_error *error)
{
    char name[PATH_MAX + 8];
    const char *what;
    if (name_of(path, name)) {
        error_set(error, GOFH_ERROR_ARGUMENT, "the path of the study is too long");
        return -1;
    }
    for (int gone = 1; gone;) {
        gone = 0;
        int descriptor = file_open(name, &what);
        if (descriptor < 0) {
            if (what)
                refuse_foreign(name, what, error);
            else
                refuse_opening(name, errno, error);
        } else if (lock_file(descriptor, name, path, &gone, error) == 0) {
            if (hold(descriptor) == 0) {
                sign(descriptor);
                return descriptor;
            }
            error_memory(error);
        }
        if (descriptor >= 0) close(descriptor);
    }
    return -1;
}

int lock_holds(int descriptor, const char *path)
{
    char name[PATH_MAX + 8];
    struct stat locked, named;
    return name_of(path, name) == 0 && fstat(descriptor, &locked) == 0 && lstat(name, &named) == 0 &&
           file_same(&locked, &named);
}

void lock_release(int descriptor)
{
    if (descriptor < 0 || !let_go(descriptor)) return;
    /* Where that fails an old signature misleads nobody: it is read only while the lock is held. */
    if (ftruncate(descriptor, 0)) {
    }
    /* What is being started meanwhile by vfork has a copy of the descriptor until its exec. */
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(descriptor, SET_LOCK, &whole);
    close(descriptor);
}
