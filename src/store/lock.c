/* Locks that belong to an open file are Linux's, and glibc hides their names otherwise. */
#define _GNU_SOURCE
#include "store/lock.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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

/* Says whose the lock is, for the message of the next who wants it. Nothing depends on it. */
static void sign(int descriptor)
{
    char host[64] = "unknown", when[32] = "unknown", text[TEXT];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
    int length = snprintf(text, sizeof text, "process %ld on %s since %s\n", (long)getpid(), host, when);
    if (ftruncate(descriptor, 0) || pwrite(descriptor, text, (size_t)length, 0) < 0) return;
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
        return error_set(error, GOFH_ERROR_DISK, "the folder of %s does not exist: make it first", path);
    if (reason == EACCES || reason == EROFS || reason == EPERM)
        return error_set(error, GOFH_ERROR_DISK,
                         "the folder of the study can't be written (%s): allow it, or copy the study to one "
                         "that can: %s",
                         strerror(reason), path);
    if (reason == ENOSPC || reason == EDQUOT)
        return error_set(error, GOFH_ERROR_DISK, "the disk is full: make space for %s, then try again", path);
    return error_set(error, GOFH_ERROR_DISK, "%s can't be opened: %s", path, strerror(reason));
}

int lock_take(const char *path, gofh_error *error)
{
    char name[PATH_MAX + 8];
    if (snprintf(name, sizeof name, "%s.lock", path) >= (int)sizeof name) {
        error_set(error, GOFH_ERROR_ARGUMENT, "the path of the study is too long");
        return -1;
    }
    int descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (descriptor < 0) {
        refuse_opening(name, errno, error);
        return -1;
    }
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, SET_LOCK, &whole) == 0) {
        sign(descriptor);
        return descriptor;
    }
    if (errno == EAGAIN || errno == EACCES)
        refuse_locked(descriptor, path, error);
    else
        error_set(error, GOFH_ERROR_SYSTEM,
                  "the file system has no locks (%s): keep the study on another: %s", strerror(errno), path);
    close(descriptor);
    return -1;
}

void lock_release(int descriptor)
{
    if (descriptor < 0) return;
    if (ftruncate(descriptor,
                  0)) { /* an old signature misleads nobody: it is read only while the lock is held */
    }
    /* A child that was forked meanwhile has a copy of the descriptor, which would keep the lock. */
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(descriptor, SET_LOCK, &whole);
    close(descriptor);
}
