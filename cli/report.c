/* gofh report: the study as a page of HTML. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/described.h"
#include "cli/figures.h"
#include "cli/page_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh report problem.yaml [--output FILE] [--figures DIR] [--json]\n"
    "\n"
    "Writes the study's report, one HTML file that needs nothing else, to\n"
    "problem.gofh/report.html or FILE.\n"
    "  --figures DIR  each figure to DIR instead, as wide as a column of a paper: as\n"
    "                 SVG, its numbers as CSV, and as PNG where rsvg-convert is\n"
    "                 installed\n"
    "  --json  print the names of the files as JSON\n";

static gofh_status write_html(FILE *file, const void *content, gofh_error *error)
{
    return report_html(file, content, error);
}

static int write_report(const session *s, const described *n, const char *path, int named, int json)
{
    int outcome = page_file_write(s->command, path, named, write_html, &n->input);
    if (outcome) return outcome;
    if (!json) {
        printf("%s\n", path);
        return EXIT_DONE;
    }
    json_t *object = json_object();
    json_object_set_new(object, "report", describe_text(path));
    return describe_print(s, object);
}

/* The address of the folder of runs, from where the page will be: beside it, or in full. */
static char *runs_address(const session *s, const char *output)
{
    const char *home = s->file.simulator.directory, *slash = strrchr(s->directory, '/');
    if (!output || !home) return strdup("runs");
    const char *name = slash ? slash + 1 : s->directory;
    size_t size = strlen(home) + strlen(name) + sizeof "//runs";
    char *address = malloc(size);
    if (address) snprintf(address, size, "%s/%s/runs", home, name);
    return address;
}

static int report(const session *s, const char *output, int json)
{
    described n = {0};
    size_t size = strlen(s->directory) + sizeof "/report.html";
    char *standard = malloc(size), *runs = runs_address(s, output);
    if (!standard || !runs) {
        free(standard);
        free(runs);
        return session_no_memory(s);
    }
    snprintf(standard, size, "%s/report.html", s->directory);
    int outcome = described_gather(s, runs, &n);
    if (!outcome) outcome = write_report(s, &n, output ? output : standard, output != NULL, json);
    described_free(&n);
    free(standard);
    free(runs);
    return outcome;
}

static int report_folder(const session *s, const char *folder, int json)
{
    described n = {0};
    int outcome = described_gather(s, NULL, &n);
    if (!outcome) outcome = figures_write(s, &n, folder, json);
    described_free(&n);
    return outcome;
}

int command_report(int count, char **arguments)
{
    const char *path, *output = NULL, *figures = NULL;
    int json = 0;
    arguments_option options[] = {
        {"--output", NULL, &output}, {"--figures", NULL, &figures}, {"--json", &json, NULL}, {0}};
    arguments_spec spec = {"report", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    if (output && figures) return arguments_wrong("report", "--output and --figures are two commands");
    session s;
    status = session_read(&s, "report", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = figures ? report_folder(&s, figures, json) : report(&s, output, json);
    session_close(&s);
    return status;
}
