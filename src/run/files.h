/* The files of a run's folder. Names are relative to the folder; what leads out of it is refused. */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "gofh.h"
#include "run/buffer.h"

/* A results file may be so large: more is a simulator gone wild. */
#define FILES_MOST ((size_t)64 << 20)

/* "folder/name", or NULL without memory. */
char *files_join(const char *folder, const char *name);
/* A path that the problem file gives: relative to the folder, or absolute. NULL without memory. */
char *files_source(const char *folder, const char *path);
/* Whether a name stays where it is put: relative, not empty, without "..". */
int files_stays_inside(const char *name);
/* Whether there is something at the path, relative to the folder or absolute. */
int files_exists(const char *folder, const char *path);
/* Makes the folders above folder/name. */
gofh_status files_make_parents(const char *folder, const char *name, gofh_error *error);
/* Writes a new file; there must be none of that name, nor a link. */
gofh_status files_create(const char *folder, const char *name, const char *bytes, size_t count,
                         gofh_error *error);
/* Copies a file, with its permissions, or a folder with all that is in it. */
gofh_status files_copy(const char *from, const char *folder, const char *name, gofh_error *error);
/* A symbolic link to `from`, which is absolute. */
gofh_status files_link(const char *from, const char *folder, const char *name, gofh_error *error);
/* All of a file that the user wrote, at any path. */
gofh_status files_load(const char *path, buffer *content, gofh_error *error);
/* All of a file that a simulator wrote: a regular file in the folder, of at most FILES_MOST bytes. */
gofh_status files_load_result(const char *folder, const char *name, buffer *content, gofh_error *error);
/* The last bytes of such a file, from the beginning of a line if there is one; nothing if it can't be read. */
void files_tail(const char *folder, const char *name, char *text, size_t size);

#endif
