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
/* For a file that is whole or what it was before: makes a new one beside `path`, whose name is *part
 * and to be freed. -1 with errno, and *part is NULL. */
int file_beside(const char *path, char **part);
/* Gives that file the name `path`, in the place of whatever has it, be it a link. -1 with errno, and
 * it is gone. */
int file_take_name(const char *part, const char *path);
/* Whether two looks were at the same file. */
int file_same(const struct stat *a, const struct stat *b);

#endif
