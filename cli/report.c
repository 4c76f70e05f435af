/* gofh report: the study as a page of HTML. */
#include "report/html.h"

#include "base/file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char USAGE[] = "usage: gofh report problem.yaml [--output FILE] [--json]\n"
                            "\n"
                            "Writes the study's report, one HTML file that needs nothing else, to\n"
                            "problem.gofh/report.html or FILE.\n"
                            "  --json  print the file's name as JSON\n";

/* The problem file's names as the report takes them. */
typedef struct {
    report_parameter *parameters;
    report_output *outputs;
    report_data *data;
} names;

static int collect(const session *s, names *n)
{
    const problem_file *file = &s->file;
    n->parameters = calloc((size_t)s->d, sizeof *n->parameters);
    n->outputs = calloc((size_t)file->output_count, sizeof *n->outputs);
    n->data = calloc((size_t)file->data_count + 1, sizeof *n->data);
    if (!n->parameters || !n->outputs || !n->data) return session_no_memory(s);
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &file->parameters[k];
        double *values = calloc(REPORT_VALUES_MAX, sizeof *values);
        if (!values) return session_no_memory(s);
        n->parameters[k] = (report_parameter){p->name,
                                              p->lower,
                                              p->upper,
                                              p->scale,
                                              parameter_list(p, REPORT_VALUES_MAX, values),
                                              values,
                                              p->kind == PARAMETER_CHOICES ? p->words : NULL};
    }
    for (int i = 0; i < file->output_count; i++)
        n->outputs[i] = (report_output){file->outputs[i].name, file->outputs[i].size};
    for (int i = 0; i < file->data_count; i++) {
        const problem_data *data = &file->data[i];
        n->data[i] = (report_data){data->name, data->size, data->at, data->at_name, data->unit, data->label};
    }
    return EXIT_DONE;
}

static int cant_write(const session *s, const char *path, const char *why)
{
    fprintf(stderr, "gofh %s: %s can't be written: %s\n", s->command, path, why);
    return EXIT_STUDY;
}

static gofh_status write_page(const session *s, const names *n, FILE *file, gofh_error *error)
{
    char made[64] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local)) strftime(made, sizeof made, "%Y-%m-%d %H:%M", &local);
    const problem_file *problem = &s->file;
    report_input input = {.study = s->study,
                          .title = problem->path,
                          .made = made,
                          .parameters = n->parameters,
                          .parameter_count = s->d,
                          .outputs = n->outputs,
                          .output_count = problem->output_count,
                          .data = n->data,
                          .data_count = problem->data_count,
                          .objective = problem->objective,
                          .sense = problem->sense,
                          .constraints = (const char *const *)problem->constraints,
                          .constraint_count = problem->constraint_count,
                          .budget = problem->settings.budget};
    return report_html(file, &input, error);
}

/* Writes the page to an open file. */
static int write_open(const session *s, const names *n, int descriptor, const char *path)
{
    gofh_error error = {0};
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        int reason = errno;
        close(descriptor);
        return cant_write(s, path, strerror(reason));
    }
    gofh_status status = write_page(s, n, file, &error);
    int failed = fclose(file);
    if (!status && !failed) return EXIT_DONE;
    if (!status) return cant_write(s, path, strerror(errno));
    fprintf(stderr, "gofh %s: %s\n", s->command, error.message);
    return session_exit(status);
}

/* A report is whole or the old one: a new file beside it gets its name at the end. */
static int replace(const session *s, const names *n, const char *path)
{
    size_t size = strlen(path) + sizeof ".part-2147483647";
    char *part = malloc(size);
    if (!part) return session_no_memory(s);
    int file;
    snprintf(part, size, "%s.part", path);
    /* One that another left may be a link; we make our own. */
    for (int i = 2; (file = file_create(part, 0666)) < 0 && errno == EEXIST && i < INT_MAX; i++)
        snprintf(part, size, "%s.part-%d", path, i);
    int outcome = file < 0 ? cant_write(s, path, strerror(errno)) : write_open(s, n, file, path);
    if (!outcome && rename(part, path)) outcome = cant_write(s, path, strerror(errno));
    if (outcome && file >= 0) remove(part);
    free(part);
    return outcome;
}

/* A device or a pipe that the user named is written to, not replaced. */
static int write_report(const session *s, const names *n, const char *path, int named, int json)
{
    struct stat found;
    int outcome;
    if (named && stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
        int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        outcome = file < 0 ? cant_write(s, path, strerror(errno)) : write_open(s, n, file, path);
    } else {
        outcome = replace(s, n, path);
    }
    if (outcome) return outcome;
    if (!json) {
        printf("%s\n", path);
        return EXIT_DONE;
    }
    json_t *object = json_object();
    json_object_set_new(object, "report", describe_text(path));
    return describe_print(s, object);
}

static int report(const session *s, const char *output, int json)
{
    names n = {0};
    char *standard = NULL;
    if (!output) {
        size_t size = strlen(s->directory) + sizeof "/report.html";
        standard = malloc(size);
        if (!standard) return session_no_memory(s);
        snprintf(standard, size, "%s/report.html", s->directory);
    }
    int outcome = collect(s, &n);
    if (!outcome) outcome = write_report(s, &n, output ? output : standard, output != NULL, json);
    for (int k = 0; n.parameters && k < s->d; k++) free(n.parameters[k].values);
    free(n.parameters);
    free(n.outputs);
    free(n.data);
    free(standard);
    return outcome;
}

int command_report(int count, char **arguments)
{
    const char *path, *output = NULL;
    int json = 0;
    arguments_option options[] = {{"--output", NULL, &output}, {"--json", &json, NULL}, {0}};
    arguments_spec spec = {"report", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    status = session_read(&s, "report", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = report(&s, output, json);
    session_close(&s);
    return status;
}
