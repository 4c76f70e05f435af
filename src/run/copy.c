#include "run/copy.h"

#include "base/error.h"
#include "base/memory.h"
#include "run/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder that is being copied, in the one that is being copied... A link may lead back to any of
 * them. */
typedef struct level {
    const struct level *above;
    dev_t device;
    ino_t inode;
} level;

typedef struct {
    const copy_job *job;
    /* The run's folder, and the one of all runs: what is copied into them is not copied from them. */
    level run, runs;
} copying;

static gofh_status copy_item(const copying *c, const level *above, const char *from, const char *folder,
                             const char *name, gofh_error *error);

static int is_interrupted(const copying *c)
{
    return c->job->interrupted && c->job->interrupted(c->job->context);
}

static gofh_status interrupted(gofh_error *error)
{
    return error_set(error, GOFH_STOP_CALLER, "interrupted while files were copied");
}

static gofh_status copy_bytes(const copying *c, int source, const char *from, int target, const char *path,
                              gofh_error *error)
{
    static const size_t SIZE = 1 << 16;
    char *bytes = memory_new(SIZE, 1);
    if (!bytes) return error_memory(error);
    gofh_status status = GOFH_OK;
    for (ssize_t count; status == GOFH_OK && (count = read(source, bytes, SIZE)) != 0;) {
        if (is_interrupted(c))
            status = interrupted(error);
        else if (count < 0 && errno != EINTR)
            status = files_refuse(error, from, "copied");
        else if (count > 0 && files_write(target, bytes, (size_t)count) != 0)
            status = files_refuse(error, path, "written");
    }
    free(bytes);
    return status;
}

static gofh_status copy_file(const copying *c, int source, const char *from, mode_t mode, const char *path,
                             const char *name, gofh_error *error)
{
    int target;
    gofh_status status = files_open_new(path, name, mode, &target, error);
    if (status != GOFH_OK) return status;
    status = copy_bytes(c, source, from, target, path, error);
    if (close(target) != 0 && status == GOFH_OK) status = files_refuse(error, path, "written");
    return status;
}

static int is_same(const level *a, const level *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static int is_ours(const copying *c, const level *here)
{
    return is_same(here, &c->run) || is_same(here, &c->runs);
}

static int is_study(const char *name)
{
    size_t length = strlen(name), ending = strlen(".gofh");
    return length > ending && strcmp(name + length - ending, ".gofh") == 0;
}

/* Whether an entry of a folder stays behind. */
static int is_left_out(const copying *c, const char *path, const char *name)
{
    struct stat about;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 1;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return 0;
    level here = {NULL, about.st_dev, about.st_ino};
    return is_study(name) || is_ours(c, &here);
}

static gofh_status copy_folder(const copying *c, const level *here, DIR *entries, const char *from,
                               const char *path, gofh_error *error)
{
    gofh_status status = GOFH_OK;
    for (const level *above = here->above; above; above = above->above)
        if (is_same(above, here))
            return error_set(error, GOFH_ERROR_PROBLEM,
                             "%s can't be copied: it is a link to a folder that it is in itself", from);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return files_refuse(error, path, "made");
    errno = 0;
    for (const struct dirent *entry; status == GOFH_OK && (entry = readdir(entries)); errno = 0) {
        char *source = files_join(from, entry->d_name);
        if (!source)
            status = error_memory(error);
        else if (!is_left_out(c, source, entry->d_name))
            status = copy_item(c, here, source, path, entry->d_name, error);
        free(source);
    }
    return status == GOFH_OK && errno ? files_refuse(error, from, "read") : status;
}

/* A file or a folder that is open as `source`, which is closed. */
static gofh_status copy_open(const copying *c, const level *above, int source, const char *from,
                             const char *path, const char *name, gofh_error *error)
{
    struct stat about;
    gofh_status status = GOFH_OK;
    DIR *entries = NULL;
    if (fstat(source, &about) != 0) {
        status = files_refuse(error, from, "copied");
    } else if (S_ISDIR(about.st_mode)) {
        level here = {above, about.st_dev, about.st_ino};
        if (!above && is_ours(c, &here))
            status = error_set(error, GOFH_ERROR_PROBLEM,
                               "%s can't be copied: the copy would be in the folder itself", from);
        else if (!(entries = fdopendir(source)))
            status = files_refuse(error, from, "read");
        else
            status = copy_folder(c, &here, entries, from, path, error);
    } else if (S_ISREG(about.st_mode)) {
        status = copy_file(c, source, from, about.st_mode & 0777, path, name, error);
    } else {
        status = error_set(error, GOFH_ERROR_PROBLEM, "%s is neither a file nor a folder", from);
    }
    if (entries)
        closedir(entries);
    else
        close(source);
    return status;
}

static gofh_status copy_item(const copying *c, const level *above, const char *from, const char *folder,
                             const char *name, gofh_error *error)
{
    gofh_status status;
    if (is_interrupted(c)) return interrupted(error);
    char *path = files_prepare(folder, name, &status, error);
    if (!path) return status;
    /* Not blocked by a pipe that nobody writes to. */
    int source = open(from, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    status = source < 0 ? files_refuse(error, from, "copied")
                        : copy_open(c, above, source, from, path, name, error);
    free(path);
    return status;
}

static gofh_status find(const char *folder, level *found, gofh_error *error)
{
    struct stat about;
    if (stat(folder, &about) != 0) return files_refuse(error, folder, "read");
    *found = (level){NULL, about.st_dev, about.st_ino};
    return GOFH_OK;
}

gofh_status copy_into(const copy_job *job, const char *from, const char *name, gofh_error *error)
{
    copying c = {.job = job};
    char *runs = files_join(job->folder, "..");
    if (!runs) return error_memory(error);
    gofh_status status = find(job->folder, &c.run, error);
    if (status == GOFH_OK) status = find(runs, &c.runs, error);
    if (status == GOFH_OK) status = copy_item(&c, NULL, from, job->folder, name, error);
    free(runs);
    return status;
}
