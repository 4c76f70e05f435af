/* Files of our own in folders where anybody may have put links: a name of ours may lead to somebody
 * else's file, which is never written, cut or replaced. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

/* Why what is at `path` is not ours to write, as what it is: "a symbolic link". NULL where it is an
 * ordinary file with one name, or where there is nothing. */
const char *file_foreign(const char *path);
/* Opens the file for reading and writing, with all that is in it; makes it where there is none. -1
 * with errno, and *what is as above where it is not ours, NULL otherwise. */
int file_open(const char *path, const char **what);
/* Makes a new file for writing; -1 and EEXIST where there is anything of that name, be it a
 * link. */
int file_create(const char *path, mode_t mode);
/* Whether two looks were at the same file. */
int file_same(const struct stat *a, const struct stat *b);

#endif
