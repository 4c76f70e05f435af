#include "cli/page_file.h"

#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cant_write(const char *command, const char *path, int reason)
{
    fprintf(stderr, "gofh %s: %s can't be written: %s\n", command, path, strerror(reason));
    return EXIT_STUDY;
}

/* Writes the page to an open file, and closes it. */
static int write_open(const char *command, const char *path, int descriptor, page_writer *writer,
                      const void *content)
{
    gofh_error error = {0};
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        int reason = errno;
        close(descriptor);
        return cant_write(command, path, reason);
    }
    gofh_status status = writer(file, content, &error);
    int failed = fclose(file);
    if (!status && !failed) return EXIT_DONE;
    if (!status) return cant_write(command, path, errno);
    fprintf(stderr, "gofh %s: %s\n", command, error.message);
    return session_exit(status);
}

/* A device, a pipe, or a name of a file that is open, such as /dev/stdout, wherever that leads. */
static int is_device(const char *path)
{
    struct stat found;
    if (strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0 ||
        strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0)
        return 1;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

int page_file_write(const char *command, const char *path, int named, page_writer *writer,
                    const void *content)
{
    if (named && is_device(path)) {
        fflush(stdout);
        int device = open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
        return device < 0 ? cant_write(command, path, errno)
                          : write_open(command, path, device, writer, content);
    }
    char *part;
    int file = file_beside(path, &part);
    if (file < 0) return cant_write(command, path, errno);
    int outcome = write_open(command, path, file, writer, content);
    if (outcome)
        unlink(part);
    else if (file_take_name(part, path))
        outcome = cant_write(command, path, errno);
    free(part);
    return outcome;
}
