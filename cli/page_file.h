/* Pages as files. */
#ifndef CLI_PAGE_FILE_H
#define CLI_PAGE_FILE_H

#include "gofh.h"

#include <stdio.h>

typedef gofh_status page_writer(FILE *file, const void *content, gofh_error *error);

/* Writes a page to `path`: all of it, or what was there stays. A link there is replaced, not followed.
 * named: the user chose the path; a device or a pipe is then written to. Says what fails; the exit
 * status. */
int page_file_write(const char *command, const char *path, int named, page_writer *writer,
                    const void *content);

#endif
