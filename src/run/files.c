#include "run/files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *files_join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = memory_new(size, 1);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *files_source(const char *folder, const char *path)
{
    return path[0] == '/' ? memory_copy_text(path) : files_join(folder, path);
}

int files_exists(const char *folder, const char *path)
{
    char *whole = files_source(folder, path);
    int found = whole && access(whole, F_OK) == 0;
    free(whole);
    return found;
}

int files_stays_inside(const char *name)
{
    if (name[0] == '\0' || name[0] == '/') return 0;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '\0' || part[2] == '/')) return 0;
    }
    return 1;
}

gofh_status files_status(int reason)
{
    switch (reason) {
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case ENOMEM:
        return GOFH_ERROR_MEMORY;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return GOFH_ERROR_DISK;
    default:
        return GOFH_ERROR_SYSTEM;
    }
}

gofh_status files_refuse(gofh_error *error, const char *name, const char *what)
{
    return error_set(error, files_status(errno), "%s can't be %s: %s", name, what, strerror(errno));
}

gofh_status files_make_parents(const char *folder, const char *name, gofh_error *error)
{
    char *path = files_join(folder, name);
    if (!path) return error_memory(error);
    gofh_status status = GOFH_OK;
    char *from = path + strlen(folder) + 1;
    for (char *slash; status == GOFH_OK && (slash = strchr(from, '/')); from = slash + 1) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) status = files_refuse(error, path, "made");
        *slash = '/';
    }
    free(path);
    return status;
}

/* Whether what is at `path`, all links followed, is in `folder`. */
static int is_below(const char *folder, const char *path)
{
    char real_folder[PATH_MAX], real_path[PATH_MAX];
    if (!realpath(folder, real_folder) || !realpath(path, real_path)) return 0;
    size_t length = strlen(real_folder);
    return strncmp(real_path, real_folder, length) == 0 &&
           (real_path[length] == '/' || real_path[length] == '\0');
}

char *files_prepare(const char *folder, const char *name, gofh_status *status, gofh_error *error)
{
    *status = GOFH_OK;
    if (!files_stays_inside(name))
        *status = error_set(error, GOFH_ERROR_PROBLEM, "%s is not a path inside the run's folder", name);
    if (*status == GOFH_OK) *status = files_make_parents(folder, name, error);
    if (*status != GOFH_OK) return NULL;
    char *path = files_join(folder, name);
    if (!path) {
        *status = error_memory(error);
        return NULL;
    }
    char *slash = strrchr(path, '/');
    *slash = '\0';
    int inside = is_below(folder, path);
    *slash = '/';
    if (inside) return path;
    *status = error_set(error, GOFH_ERROR_PROBLEM,
                        "%s would be written outside of the run's folder, through a link", name);
    free(path);
    return NULL;
}

int files_write(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

gofh_status files_open_new(const char *path, const char *name, mode_t mode, int *file, gofh_error *error)
{
    *file = file_create(path, mode);
    if (*file >= 0) return GOFH_OK;
    if (errno == EEXIST)
        return error_set(error, GOFH_ERROR_PROBLEM, "%s is put into the run's folder twice", name);
    return files_refuse(error, path, "written");
}

gofh_status files_create(const char *folder, const char *name, const char *bytes, size_t count,
                         gofh_error *error)
{
    gofh_status status;
    char *path = files_prepare(folder, name, &status, error);
    if (!path) return status;
    int file = -1;
    if (status == GOFH_OK) status = files_open_new(path, name, 0666, &file, error);
    if (status == GOFH_OK && files_write(file, bytes, count) != 0)
        status = files_refuse(error, path, "written");
    if (file >= 0 && close(file) != 0 && status == GOFH_OK) status = files_refuse(error, path, "written");
    free(path);
    return status;
}

gofh_status files_link(const char *from, const char *folder, const char *name, gofh_error *error)
{
    gofh_status status;
    char *path = files_prepare(folder, name, &status, error);
    if (!path) return status;
    if (access(from, F_OK) != 0) status = files_refuse(error, from, "linked");
    if (status == GOFH_OK && symlink(from, path) != 0) {
        if (errno == EEXIST)
            status = error_set(error, GOFH_ERROR_PROBLEM, "%s is put into the run's folder twice", name);
        else
            status = files_refuse(error, path, "made");
    }
    free(path);
    return status;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void files_remove_folder(const char *folder)
{
    enum { OPEN_AT_ONCE = 8 };
    nftw(folder, remove_entry, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Opens a regular file for reading; -1 with a reason that names it `name`. */
static int open_regular(const char *path, const char *name, int flags, gofh_error *error)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (file < 0 || fstat(file, &about) != 0) {
        files_refuse(error, name, "read");
    } else if (!S_ISREG(about.st_mode)) {
        error_set(error, GOFH_ERROR_ARGUMENT, "%s is not a regular file", name);
    } else if (about.st_size > (off_t)FILES_MAX) {
        error_set(error, GOFH_ERROR_ARGUMENT, "%s has %lld MiB, the most is %d MiB", name,
                  (long long)about.st_size >> 20, (int)(FILES_MAX >> 20));
    } else {
        return file;
    }
    if (file >= 0) close(file);
    return -1;
}

static gofh_status load(int file, const char *name, buffer *content, gofh_error *error)
{
    char part[1 << 14];
    ssize_t count;
    buffer_text(content, "");
    while ((count = read(file, part, sizeof part)) != 0) {
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return files_refuse(error, name, "read");
        buffer_add(content, part, (size_t)count);
        if (content->length > FILES_MAX)
            return error_set(error, GOFH_ERROR_ARGUMENT, "%s has more than %d MiB", name,
                             (int)(FILES_MAX >> 20));
    }
    return content->failed ? error_memory(error) : GOFH_OK;
}

gofh_status files_load(const char *path, buffer *content, gofh_error *error)
{
    gofh_error own = {.status = GOFH_OK};
    int file = open_regular(path, path, 0, &own);
    if (file < 0) return error_set(error, own.status, "%s", own.message);
    gofh_status status = load(file, path, content, error);
    close(file);
    return status;
}

/* Opens a file of the folder, with links followed only as long as they stay in it. */
static int open_result(const char *folder, const char *name, gofh_error *error)
{
    char real[PATH_MAX];
    char *path = files_join(folder, name);
    int file = -1;
    if (!path) {
        error_memory(error);
    } else if (!realpath(path, real)) {
        if (errno == ENOENT)
            error_set(error, GOFH_ERROR_ARGUMENT, "%s was not written", name);
        else
            files_refuse(error, name, "read");
    } else if (!is_below(folder, real)) {
        error_set(error, GOFH_ERROR_ARGUMENT, "%s is a link that leads out of the run's folder", name);
    } else {
        file = open_regular(real, name, O_NOFOLLOW, error);
    }
    free(path);
    return file;
}

gofh_status files_load_result(const char *folder, const char *name, buffer *content, gofh_error *error)
{
    gofh_error own = {.status = GOFH_OK};
    int file = open_result(folder, name, &own);
    gofh_status status = file < 0 ? own.status : load(file, name, content, &own);
    if (file >= 0) close(file);
    if (status != GOFH_OK) error_set(error, status, "%s", own.message);
    return status;
}

void files_tail(const char *folder, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    int file = open_result(folder, name, NULL);
    if (file < 0) return;
    off_t end = lseek(file, 0, SEEK_END), from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t count = pread(file, text, size - 1, from);
    close(file);
    if (count < 0) count = 0;
    for (ssize_t i = 0; i < count; i++)
        if (text[i] == '\0') text[i] = ' ';
    text[count] = '\0';
    const char *line = from > 0 ? strchr(text, '\n') : NULL;
    if (line && line[1]) memmove(text, line + 1, strlen(line + 1) + 1);
}
