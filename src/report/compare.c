#include "report/compare.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/gather.h"
#include "report/page_style.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines that differ in colour and dashes (chart.css). */
static const char *const CLASSES[COMPARE_MAX] = {"model", "s1", "s2", "s3", "s4", "s5"};

typedef struct {
    report r[COMPARE_MAX];
    int count;
    FILE *file;
} comparison;

static void write_title(const comparison *c, int i)
{
    svg_escape(c->file, c->r[i].input->title ? c->r[i].input->title : "study");
}

/* ---- Convergence ---- */

/* The best f so far of study i, as steps; returns how many points. */
static int best_so_far(const report *r, double *x, double *y)
{
    double best = NAN;
    int larger = r->input->sense == GOFH_MAXIMIZE;
    for (int i = 0; i < r->count; i++) {
        x[2 * i] = x[2 * i + 1] = i + 1;
        y[2 * i] = best;
        if (isfinite(r->f[i]) && (isnan(best) || (larger ? r->f[i] > best : r->f[i] < best))) best = r->f[i];
        y[2 * i + 1] = best;
    }
    return 2 * r->count;
}

static void draw(const comparison *c, chart picture, double *const x[], double *const y[], const int *points)
{
    chart_axis values = CHART_EMPTY, positive = {.low = 1.0, .high = 0.0, .log = 1};
    int longest = 1;
    for (int i = 0; i < c->count; i++) {
        chart_include(&values, y[i], points[i]);
        chart_include(&positive, y[i], points[i]);
        if (c->r[i].count > longest) longest = c->r[i].count;
    }
    int log = values.low > 0.0 && values.high > REPORT_DECADES * values.low;
    picture.x = (chart_axis){.low = 0.0, .high = longest + 1.0, .whole = 1};
    picture.y = log ? positive : values;
    chart_pad(&picture.y);
    chart_name(&picture, "compare", NULL, NULL);
    chart_begin(&picture, "Best value of f so far, of each study.", "trial", "best f so far");
    for (int i = 0; i < c->count; i++) chart_line(&picture, CLASSES[i], x[i], y[i], points[i]);
    chart_end(&picture);
}

static gofh_status write_convergence(const comparison *c, gofh_error *error)
{
    double *x[COMPARE_MAX] = {NULL}, *y[COMPARE_MAX] = {NULL};
    int points[COMPARE_MAX] = {0};
    gofh_status status = GOFH_OK;
    for (int i = 0; i < c->count && !status; i++) {
        x[i] = memory_doubles(4 * (size_t)c->r[i].count);
        if (!x[i]) {
            status = error_memory(error);
            break;
        }
        y[i] = x[i] + 2 * (size_t)c->r[i].count;
        points[i] = best_so_far(&c->r[i], x[i], y[i]);
    }
    if (!status) {
        fputs("<section id=\"convergence\"><h2>Convergence</h2>\n<figure class=\"large\">\n", c->file);
        for (int size = 0; size < 2; size++) draw(c, report_large_chart(&c->r[0], size), x, y, points);
        fputs("<p class=\"legend\">", c->file);
        for (int i = 0; i < c->count; i++) {
            fprintf(c->file,
                    "<span><svg class=\"key line-key\" viewBox=\"0 0 32 16\" aria-hidden=\"true\"><path "
                    "class=\"line %s\" d=\"M1 8L31 8\"/></svg>",
                    CLASSES[i]);
            write_title(c, i);
            fputs("</span>\n", c->file);
        }
        fputs("</p></figure></section>\n", c->file);
    }
    for (int i = 0; i < c->count; i++) free(x[i]);
    return status;
}

/* ---- The table ---- */

static void begin_row(const comparison *c, const char *name, int code)
{
    fprintf(c->file, "<tr><td class=\"t\">%s", code ? "<code>" : "");
    svg_escape(c->file, name);
    fputs(code ? "</code></td>" : "</td>", c->file);
}

static void write_cell(const comparison *c, double value)
{
    char text[48];
    chart_number(value, 0, text, sizeof text);
    fprintf(c->file, "<td>%s</td>", text);
}

/* A parameter at a study's best trial, a choice by its text. */
static void write_best(const comparison *c, const report *r, int k)
{
    if (k < 0 || r->best < 0) {
        write_cell(c, NAN);
        return;
    }
    const report_parameter *p = &r->input->parameters[k];
    double value = r->x[(size_t)r->best * (size_t)r->d + (size_t)k];
    if (!p->words || !(value >= 0.0 && value < p->count)) {
        write_cell(c, value);
        return;
    }
    fputs("<td class=\"w\">", c->file);
    svg_escape(c->file, p->words[(int)value]);
    fputs("</td>", c->file);
}

static int find_parameter(const report *r, const char *name)
{
    for (int k = 0; k < r->d; k++)
        if (strcmp(r->input->parameters[k].name, name) == 0) return k;
    return -1;
}

/* A row for each parameter of study `of` that none before it has. */
static void write_parameters(const comparison *c, int of)
{
    for (int k = 0; k < c->r[of].d; k++) {
        const char *name = c->r[of].input->parameters[k].name;
        int before = 0;
        for (int i = 0; i < of; i++) before |= find_parameter(&c->r[i], name) >= 0;
        if (before) continue;
        begin_row(c, name, 1);
        for (int i = 0; i < c->count; i++) write_best(c, &c->r[i], find_parameter(&c->r[i], name));
        fputs("</tr>\n", c->file);
    }
}

static void write_table(const comparison *c)
{
    static const char *const names[] = {"best f", "at trial", "done", "failed", "open"};
    fputs("<div class=\"scroll\"><table><thead><tr><th></th>", c->file);
    for (int i = 0; i < c->count; i++) {
        fputs("<th>", c->file);
        write_title(c, i);
        fputs("</th>", c->file);
    }
    fputs("</tr></thead><tbody>\n", c->file);
    for (int row = 0; row < 5; row++) {
        begin_row(c, names[row], 0);
        for (int i = 0; i < c->count; i++) {
            const report *r = &c->r[i];
            const double values[] = {r->best >= 0 ? r->f[r->best] : NAN,
                                     r->best >= 0 ? r->best + 1.0 : (double)NAN, r->done, r->failed, r->open};
            write_cell(c, values[row]);
        }
        fputs("</tr>\n", c->file);
    }
    for (int i = 0; i < c->count; i++) write_parameters(c, i);
    fputs("</tbody></table></div>\n", c->file);
}

/* f of different objectives is not comparable: that is said. */
static void write_objectives(const comparison *c)
{
    int differ = 0;
    for (int i = 1; i < c->count; i++) {
        const report_input *a = c->r[0].input, *b = c->r[i].input;
        differ |= a->sense != b->sense || !a->objective || !b->objective ||
                  strcmp(a->objective, b->objective) != 0;
    }
    if (!differ) return;
    fputs("<p class=\"active\">The studies have different objectives: their f are not the same "
          "thing.</p>\n<dl>",
          c->file);
    for (int i = 0; i < c->count; i++) {
        const report_input *in = c->r[i].input;
        fputs("<dt>", c->file);
        write_title(c, i);
        fprintf(c->file, "</dt><dd>%s <code>", in->sense == GOFH_MAXIMIZE ? "maximise" : "minimise");
        svg_escape(c->file, in->objective ? in->objective : "a function of the program");
        fputs("</code></dd>", c->file);
    }
    fputs("</dl>\n", c->file);
}

static gofh_status write_page(const comparison *c, gofh_error *error)
{
    char hash[PAGE_SCRIPT_HASH];
    page_script_hash(hash);
    fprintf(c->file,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; img-src data:; script-src 'sha256-%s'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>Comparison of studies</title>\n<style>\n",
            hash);
    page_style_write(c->file);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>Comparison of studies</h1>\n", c->file);
    if (c->r[0].input->made) {
        fputs("<p class=\"by\">", c->file);
        svg_escape(c->file, c->r[0].input->made);
        fprintf(c->file, " · gofh %s</p>\n", gofh_version());
    }
    write_objectives(c);
    write_table(c);
    gofh_status status = write_convergence(c, error);
    fprintf(c->file, "</main>\n<script>%s</script>\n</body>\n</html>\n", PAGE_SCRIPT);
    return status;
}

static gofh_status gather_and_write(comparison *c, report_input *quick, const report_input *inputs, int count,
                                    gofh_error *error)
{
    for (; c->count < count; c->count++) {
        int i = c->count;
        quick[i] = inputs[i];
        quick[i].quick = 1;
        gofh_status status = report_gather(&c->r[i], c->file, &quick[i], error);
        if (status) {
            report_release(&c->r[i]);
            return status;
        }
    }
    return write_page(c, error);
}

gofh_status compare_html(FILE *file, const report_input *inputs, int count, gofh_error *error)
{
    report_input quick[COMPARE_MAX];
    if (count < 2 || count > COMPARE_MAX)
        return error_set(error, GOFH_ERROR_ARGUMENT, "2 to %d studies can be compared, not %d", COMPARE_MAX,
                         count);
    comparison *c = memory_new(1, sizeof *c);
    if (!c) return error_memory(error);
    c->file = file;
    gofh_status status = gather_and_write(c, quick, inputs, count, error);
    for (int i = 0; i < c->count; i++) report_release(&c->r[i]);
    free(c);
    return status ? status : report_finish(file, "comparison", error);
}
