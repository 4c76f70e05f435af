/* The files of a run's folder. Names are relative to the folder; what leads out of it is
 * refused. */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "gofh.h"
#include "run/buffer.h"

#include <sys/types.h>

/* The largest results file that is read: more is a mistake of the simulator. */
#define FILES_MAX ((size_t)64 << 20)

/* "folder/name", or NULL without memory. */
char *files_join(const char *folder, const char *name);
/* A path that the problem file gives: relative to the folder, or absolute. NULL without memory. */
char *files_source(const char *folder, const char *path);
/* Whether a name stays where it is put: relative, not empty, without "..". */
int files_stays_inside(const char *name);
/* Whether there is something at the path, relative to the folder or absolute. */
int files_exists(const char *folder, const char *path);
/* What an errno means to a run: GOFH_ERROR_MEMORY where something is lacking that comes back
 * (memory, open files, processes), GOFH_ERROR_DISK where there is no space, otherwise
 * GOFH_ERROR_SYSTEM. */
gofh_status files_status(int reason);
/* Says that `name` can't be opened, made... and why: errno. */
gofh_status files_refuse(gofh_error *error, const char *name, const char *what);
/* The path of `name`, which may be made: its parents are there, and none is a link out of the
 * folder. NULL with an error. */
char *files_prepare(const char *folder, const char *name, gofh_status *status, gofh_error *error);
/* Opens a file that was not there before. */
gofh_status files_open_new(const char *path, const char *name, mode_t mode, int *file, gofh_error *error);
/* All of the bytes; 0, or -1 with errno. */
int files_write(int file, const char *bytes, size_t count);
/* Makes the folders above folder/name. */
gofh_status files_make_parents(const char *folder, const char *name, gofh_error *error);
/* Writes a new file; there must be none of that name, nor a link. */
gofh_status files_create(const char *folder, const char *name, const char *bytes, size_t count,
                         gofh_error *error);
/* A symbolic link to `from`, which is absolute. */
gofh_status files_link(const char *from, const char *folder, const char *name, gofh_error *error);
/* Removes a folder with all that is in it, as far as that is possible; links are not followed. */
void files_remove_folder(const char *folder);
/* All of a file that the user wrote, at any path. */
gofh_status files_load(const char *path, buffer *content, gofh_error *error);
/* All of a file that a simulator wrote: a regular file in the folder, of at most FILES_MAX
 * bytes. */
gofh_status files_load_result(const char *folder, const char *name, buffer *content, gofh_error *error);
/* The last bytes of such a file, from the beginning of a line if there is one; nothing if it can't
 * be read. */
void files_tail(const char *folder, const char *name, char *text, size_t size);

#endif
