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

enum { CELL = 14 };

typedef struct {
    session s[COMPARE_MAX];
    described d[COMPARE_MAX];
    gofh_trial best[COMPARE_MAX];
    double x[COMPARE_MAX][GOFH_MAX_PARAMETERS];
    int found[COMPARE_MAX];
    session_counts counts[COMPARE_MAX];
    int count;
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

static void print_number(double value)
{
    char text[40] = "-";
    if (!isnan(value)) number_format(text, sizeof text, "%.6g", value);
    printf("  %*s", CELL, text);
}

/* The last characters of a path tell studies apart. */
static void print_names(const studies *c, int width)
{
    printf("%-*s", width, "");
    for (int i = 0; i < c->count; i++) {
        const char *path = c->s[i].file.path;
        size_t length = strlen(path);
        printf("  %*s", CELL, length > CELL ? path + length - CELL : path);
    }
    putchar('\n');
}

static void print_text(const studies *c)
{
    static const char *const names[] = {"best f", "at trial", "done", "failed", "open"};
    int width = 8, differ = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->s[i].d; k++) {
            int length = (int)strlen(c->s[i].file.parameters[k].name);
            if (length > width) width = length;
        }
    print_names(c, width);
    for (int row = 0; row < 5; row++) {
        printf("%-*s", width, names[row]);
        for (int i = 0; i < c->count; i++) {
            const double values[] = {c->found[i] ? c->best[i].f : NAN,
                                     c->found[i] ? (double)c->best[i].trial : NAN, c->counts[i].done,
                                     c->counts[i].failed, c->counts[i].open};
            print_number(values[row]);
        }
        putchar('\n');
    }
    for (int of = 0; of < c->count; of++) {
        for (int k = 0; k < c->s[of].d; k++) {
            const char *name = c->s[of].file.parameters[k].name;
            int before = 0;
            for (int i = 0; i < of; i++) before |= find_parameter(&c->s[i], name) >= 0;
            if (before) continue;
            printf("%-*s", width, name);
            for (int i = 0; i < c->count; i++) {
                int at = find_parameter(&c->s[i], name);
                print_number(at >= 0 && c->found[i] ? c->x[i][at] : NAN);
            }
            putchar('\n');
        }
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
