#include "cli/described.h"

#include "base/number.h"
#include "cli/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int is_folder(const char *directory, const char *name)
{
    struct stat found;
    size_t size = strlen(directory) + strlen(name) + sizeof "/runs/";
    char *path = malloc(size);
    if (!path) return 0;
    snprintf(path, size, "%s/runs/%s", directory, name);
    int is = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
    free(path);
    return is;
}

void described_folder(const char *directory, long long trial, char name[DESCRIBED_FOLDER])
{
    enum { ATTEMPTS_MAX = 1000 };
    char next[DESCRIBED_FOLDER];
    name[0] = '\0';
    snprintf(next, sizeof next, "%04lld", trial);
    for (int attempt = 2; attempt < ATTEMPTS_MAX && is_folder(directory, next); attempt++) {
        memcpy(name, next, sizeof next);
        snprintf(next, sizeof next, "%04lld-%d", trial, attempt);
    }
}

/* An address: "runs/0017/", with what has a meaning there as %XX. NULL: no memory. */
static char *address_of(const char *runs, const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    size_t size = 3 * strlen(runs) + strlen(name) + 3, used = 0;
    char *address = malloc(size);
    for (const char *p = runs; *p && address; p++)
        used += (size_t)(strchr(plain, *p)
                             ? snprintf(address + used, size - used, "%c", *p)
                             : snprintf(address + used, size - used, "%%%02X", (unsigned char)*p));
    if (address) snprintf(address + used, size - used, "/%s/", name);
    return address;
}

static int gather_runs(const session *s, const char *runs, described *d)
{
    d->count = (int)gofh_study_count(s->study);
    d->runs = calloc((size_t)d->count + 1, sizeof *d->runs);
    d->folders = calloc((size_t)d->count + 1, sizeof *d->folders);
    if (!d->runs || !d->folders) return session_no_memory(s);
    for (int i = 0; i < d->count; i++) {
        char name[DESCRIBED_FOLDER] = "";
        const char *seconds = gofh_study_note(s->study, i + 1, NOTE_SECONDS);
        d->runs[i].seconds = seconds ? number_scan(seconds, NULL) : NAN;
        if (i == 0) d->runs[i].checked = gofh_study_note(s->study, 1, NOTE_CHECKED) != NULL;
        if (runs) described_folder(s->directory, i + 1, name);
        if (name[0] && !(d->folders[i] = address_of(runs, name))) return session_no_memory(s);
        d->runs[i].folder = d->folders[i];
    }
    return EXIT_DONE;
}

int described_gather(const session *s, const char *runs, described *d)
{
    const problem_file *file = &s->file;
    time_t now = time(NULL);
    struct tm local;
    *d = (described){.count = 0};
    if (localtime_r(&now, &local)) strftime(d->made, sizeof d->made, "%Y-%m-%d %H:%M", &local);
    d->parameters = calloc((size_t)s->d, sizeof *d->parameters);
    d->outputs = calloc((size_t)file->output_count, sizeof *d->outputs);
    d->data = calloc((size_t)file->data_count + 1, sizeof *d->data);
    if (!d->parameters || !d->outputs || !d->data) return session_no_memory(s);
    d->parameter_count = s->d;
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &file->parameters[k];
        double *values = calloc(REPORT_VALUES_MAX, sizeof *values);
        if (!values) return session_no_memory(s);
        d->parameters[k] = (report_parameter){p->name,
                                              p->lower,
                                              p->upper,
                                              p->scale,
                                              parameter_list(p, REPORT_VALUES_MAX, values),
                                              values,
                                              p->kind == PARAMETER_CHOICES ? p->words : NULL};
    }
    for (int i = 0; i < file->output_count; i++)
        d->outputs[i] = (report_output){file->outputs[i].name, file->outputs[i].size};
    for (int i = 0; i < file->data_count; i++) {
        const problem_data *data = &file->data[i];
        d->data[i] = (report_data){data->name, data->size, data->at, data->at_name, data->unit, data->label};
    }
    int outcome = gather_runs(s, runs, d);
    d->input = (report_input){.study = s->study,
                              .title = file->path,
                              .made = d->made,
                              .parameters = d->parameters,
                              .parameter_count = s->d,
                              .outputs = d->outputs,
                              .output_count = file->output_count,
                              .data = d->data,
                              .data_count = file->data_count,
                              .objective = file->objective,
                              .sense = file->sense,
                              .constraints = (const char *const *)file->constraints,
                              .constraint_count = file->constraint_count,
                              .budget = file->settings.budget,
                              .runs = d->runs};
    return outcome;
}

void described_free(described *d)
{
    for (int k = 0; d->parameters && k < d->parameter_count; k++) free(d->parameters[k].values);
    for (int i = 0; i < d->count && d->folders; i++) free(d->folders[i]);
    free(d->folders);
    free(d->runs);
    free(d->parameters);
    free(d->outputs);
    free(d->data);
}
