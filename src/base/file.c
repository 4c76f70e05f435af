#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
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

int file_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
