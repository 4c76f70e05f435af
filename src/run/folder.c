#include "run/folder.h"

#include "base/error.h"
#include "base/memory.h"
#include "run/copy.h"
#include "run/files.h"
#include "run/parameters.h"
#include "run/template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *folder_make(const char *directory, long long trial, gofh_error *error)
{
    if (files_make_parents(directory, "runs/.", error) != GOFH_OK) return NULL;
    char *real = realpath(directory, NULL);
    if (!real) {
        files_refuse(error, directory, "used");
        return NULL;
    }
    for (int attempt = 1;; attempt++) {
        buffer path = {0};
        buffer_format(&path, attempt > 1 ? "%s/runs/%04lld-%d" : "%s/runs/%04lld", real, trial, attempt);
        if (!path.failed && mkdir(path.bytes, 0777) == 0) {
            free(real);
            return path.bytes;
        }
        int taken = !path.failed && errno == EEXIST;
        if (path.failed) error_memory(error);
        if (!path.failed && !taken) files_refuse(error, path.bytes, "made");
        buffer_free(&path);
        if (!taken) break;
    }
    free(real);
    return NULL;
}

/* What follows "folder/" in a path; NULL if something else does. */
static const char *after_folder(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* The same for a folder that is gone: only its name can be looked at. */
static int was_in(const char *directory, const char *folder)
{
    char *real = realpath(directory, NULL), *runs = real ? files_join(real, "runs") : NULL;
    const char *rest = runs ? after_folder(folder, runs) : NULL;
    int result = rest && files_stays_inside(rest);
    free(real);
    free(runs);
    return result;
}

int folder_is_in(const char *directory, const char *folder)
{
    char *path = files_join(directory, "runs"), *runs = path ? realpath(path, NULL) : NULL;
    char *real = realpath(folder, NULL);
    int gone = !real && errno == ENOENT;
    const char *rest = real && runs ? after_folder(real, runs) : NULL;
    int result = (rest && *rest) || (gone && was_in(directory, folder));
    free(path);
    free(runs);
    free(real);
    return result;
}

static gofh_status put_file(const simulator *sim, const simulator_file *file, const copy_job *job,
                            gofh_error *error)
{
    char *from = files_source(sim->directory, file->from);
    if (!from) return error_memory(error);
    gofh_status status = file->link ? files_link(from, job->folder, file->to, error)
                                    : copy_into(job, from, file->to, error);
    free(from);
    return status;
}

static gofh_status put_template(const simulator *sim, const simulator_template *template, const char *folder,
                                const double *x, gofh_error *error)
{
    buffer text = {0}, filled = {0};
    char *from = files_source(sim->directory, template->from);
    gofh_status status = from ? files_load(from, &text, error) : error_memory(error);
    if (status == GOFH_OK)
        status = template_fill(sim, template->from, text.bytes, text.length, x, &filled, error);
    if (status == GOFH_OK) status = files_create(folder, template->to, filled.bytes, filled.length, error);
    free(from);
    buffer_free(&text);
    buffer_free(&filled);
    return status;
}

gofh_status folder_fill(const run_request *request, const char *folder, gofh_error *error)
{
    const simulator *sim = request->simulator;
    const copy_job job = {folder, request->interrupted, request->context};
    gofh_status status = GOFH_OK;
    for (int i = 0; status == GOFH_OK && i < sim->file_count; i++)
        status = put_file(sim, &sim->files[i], &job, error);
    for (int i = 0; status == GOFH_OK && i < sim->template_count; i++)
        status = put_template(sim, &sim->templates[i], folder, request->x, error);
    if (status != GOFH_OK || sim->params == PARAMS_TEMPLATE || !sim->params_file) return status;
    buffer file = {0};
    parameters_write(sim, request->trial, request->x, &file);
    status = file.failed ? error_memory(error)
                         : files_create(folder, sim->params_file, file.bytes, file.length, error);
    buffer_free(&file);
    return status;
}
