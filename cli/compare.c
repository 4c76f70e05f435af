/* gofh compare: several studies beside each other. */
#include "report/compare.h"

#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/described.h"
#include "cli/page_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char USAGE[] = "usage: gofh compare a.yaml b.yaml... [--output FILE] [--json]\n"
                            "\n"
                            "Prints the best value of 2 to 6 studies, how many trials it took, and the\n"
                            "parameters there, beside each other.\n"
                            "  --output FILE  also write a page of HTML with their convergence\n"
                            "  --json         print it as JSON\n";

enum { CELL_MIN = 14, CELL_MAX = 30 };

typedef struct {
    session s[COMPARE_MAX];
    described d[COMPARE_MAX];
    gofh_trial best[COMPARE_MAX];
    double x[COMPARE_MAX][GOFH_MAX_PARAMETERS];
    int found[COMPARE_MAX];
    session_counts counts[COMPARE_MAX];
    int count;
    int cell; /* characters of a column */
} studies;

static int open_all(studies *c, const char *const *paths, int count)
{
    int outcome = EXIT_DONE;
    for (c->count = 0; c->count < count && !outcome; c->count++) {
        int i = c->count;
        outcome = session_read(&c->s[i], "compare", paths[i]);
        if (!outcome) outcome = session_open(&c->s[i], GOFH_OPEN_READ);
        if (!outcome) outcome = described_gather(&c->s[i], NULL, &c->d[i]);
        if (outcome) continue;
        gofh_status status = session_count(&c->s[i], &c->counts[i]);
        if (!status) status = gofh_study_best(c->s[i].study, &c->best[i]);
        c->found[i] = status == GOFH_OK;
        if (c->found[i]) memcpy(c->x[i], c->best[i].x, (size_t)c->s[i].d * sizeof(double));
        if (status && status != GOFH_ERROR_EMPTY) outcome = session_failed(&c->s[i], status);
    }
    return outcome;
}

static int find_parameter(const session *s, const char *name)
{
    for (int k = 0; k < s->d; k++)
        if (strcmp(s->file.parameters[k].name, name) == 0) return k;
    return -1;
}

static void print_number(const studies *c, double value)
{
    char text[40] = "-";
    if (!isnan(value)) number_format(text, sizeof text, "%.6g", value);
    printf("  %*s", c->cell, text);
}

/* A choice by its text, as much of it as there is room for. */
static void print_word(const studies *c, const problem_parameter *p, double value)
{
    char text[PARAMETER_TEXT];
    parameter_write(p, value, text);
    number_make_printable(text);
    printf("  %*.*s", c->cell, c->cell, text);
}

/* The last characters of a path tell studies apart. */
static void print_names(const studies *c, int width)
{
    printf("%-*s", width, "");
    for (int i = 0; i < c->count; i++) {
        const char *path = c->s[i].file.path;
        int length = (int)strlen(path), cut = length > c->cell;
        printf("  %*s%s", cut ? 0 : c->cell, cut ? "..." : path, cut ? path + length - c->cell + 3 : "");
    }
    putchar('\n');
}

/* A row of the parameters of that name, at the best trial of each study. */
static void print_parameter(const studies *c, const char *name, int width)
{
    printf("%-*s", width, name);
    for (int i = 0; i < c->count; i++) {
        int at = find_parameter(&c->s[i], name);
        const problem_parameter *p = at >= 0 ? &c->s[i].file.parameters[at] : NULL;
        if (p && p->words && c->found[i])
            print_word(c, p, c->x[i][at]);
        else
            print_number(c, p && c->found[i] ? c->x[i][at] : NAN);
    }
    putchar('\n');
}

/* Those of study `of` that none before it has. */
static void print_parameters(const studies *c, int of, int width)
{
    for (int k = 0; k < c->s[of].d; k++) {
        const char *name = c->s[of].file.parameters[k].name;
        int before = 0;
        for (int i = 0; i < of; i++) before |= find_parameter(&c->s[i], name) >= 0;
        if (!before) print_parameter(c, name, width);
    }
}

static void print_text(studies *c)
{
    static const char *const names[] = {"best f", "at trial", "done", "failed", "open"};
    int width = 8, differ = 0;
    c->cell = CELL_MIN;
    for (int i = 0; i < c->count; i++) {
        int path = (int)strlen(c->s[i].file.path);
        if (path > c->cell) c->cell = path < CELL_MAX ? path : CELL_MAX;
        for (int k = 0; k < c->s[i].d; k++) {
            int length = (int)strlen(c->s[i].file.parameters[k].name);
            if (length > width) width = length;
        }
    }
    print_names(c, width);
    for (int row = 0; row < 5; row++) {
        printf("%-*s", width, names[row]);
        for (int i = 0; i < c->count; i++) {
            const double values[] = {c->found[i] ? c->best[i].f : NAN,
                                     c->found[i] ? (double)c->best[i].trial : NAN, c->counts[i].done,
                                     c->counts[i].failed, c->counts[i].open};
            print_number(c, values[row]);
        }
        putchar('\n');
    }
    for (int of = 0; of < c->count; of++) {
        print_parameters(c, of, width);
        differ |= strcmp(c->s[of].file.objective, c->s[0].file.objective) != 0 ||
                  c->s[of].file.sense != c->s[0].file.sense;
    }
    if (differ) puts("the objectives differ: their f are not the same thing");
}

static int print_json(const studies *c)
{
    json_t *list = json_array(), *object = json_object();
    for (int i = 0; i < c->count; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "problem", describe_text(c->s[i].file.path));
        json_object_set_new(one, "objective", describe_text(c->s[i].file.objective));
        json_object_set_new(one, "done", json_integer(c->counts[i].done));
        json_object_set_new(one, "failed", json_integer(c->counts[i].failed));
        json_object_set_new(one, "open", json_integer(c->counts[i].open));
        json_object_set_new(one, "best", c->found[i] ? describe_number(c->best[i].f) : json_null());
        json_object_set_new(one, "trial", c->found[i] ? json_integer(c->best[i].trial) : json_null());
        json_object_set_new(one, "parameters",
                            c->found[i] ? describe_parameters(&c->s[i], c->x[i]) : json_null());
        json_array_append_new(list, one);
    }
    json_object_set_new(object, "studies", list);
    return describe_print(&c->s[0], object);
}

static gofh_status write_html(FILE *file, const void *content, gofh_error *error)
{
    const studies *c = content;
    report_input inputs[COMPARE_MAX];
    for (int i = 0; i < c->count; i++) inputs[i] = c->d[i].input;
    return compare_html(file, inputs, c->count, error);
}

int command_compare(int count, char **arguments)
{
    const char *paths[COMPARE_MAX], *output = NULL;
    int json = 0;
    arguments_option options[] = {{"--output", NULL, &output}, {"--json", &json, NULL}, {0}};
    arguments_spec spec = {"compare", USAGE, options, paths, 2, COMPARE_MAX, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    studies c = {.count = 0};
    int outcome = open_all(&c, paths, spec.count);
    if (!outcome && json) outcome = print_json(&c);
    if (!outcome && !json) print_text(&c);
    if (!outcome && output) outcome = page_file_write("compare", output, 1, write_html, &c);
    for (int i = 0; i < c.count; i++) {
        described_free(&c.d[i]);
        session_close(&c.s[i]);
    }
    return outcome;
}
