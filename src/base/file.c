#include "base/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that was removed while we opened it has no name, which harms nobody. */
static const char *foreign(const struct stat *file)
{
    if (S_ISLNK(file->st_mode)) return "a symbolic link";
    if (S_ISDIR(file->st_mode)) return "a folder";
    if (!S_ISREG(file->st_mode)) return "no ordinary file";
    return file->st_nlink > 1 ? "a second name (a hard link) of another file" : NULL;
}

const char *file_foreign(const char *path)
{
    struct stat file;
    return lstat(path, &file) == 0 ? foreign(&file) : NULL;
}

int file_open(const char *path, const char **what)
{
    struct stat file;
    *what = file_foreign(path); /* a pipe or a device is not even opened */
    if (*what) {
        errno = EEXIST;
        return -1;
    }
    int descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        if (errno == ELOOP) *what = "a symbolic link";
        return -1;
    }
    if (fstat(descriptor, &file) == 0 && !(*what = foreign(&file))) return descriptor;
    int reason = *what ? EEXIST : errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int file_create(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode);
}

int file_beside(const char *path, char **part)
{
    size_t size = strlen(path) + sizeof ".part-2147483647";
    int file = -1;
    *part = memory_new(1, size);
    if (!*part) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(*part, size, "%s.part", path);
    /* One that another left may be a link; we make our own. */
    for (int i = 2; (file = file_create(*part, 0666)) < 0 && errno == EEXIST && i < INT_MAX; i++)
        snprintf(*part, size, "%s.part-%d", path, i);
    if (file >= 0) return file;
    int reason = errno;
    free(*part);
    *part = NULL;
    errno = reason;
    return -1;
}

int file_take_name(const char *part, const char *path)
{
    if (rename(part, path) == 0) return 0;
    int reason = errno;
    unlink(part);
    errno = reason;
    return -1;
}

int file_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
