/* What the best trial leaves unexplained: its residuals, and whether they look like noise. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/normal.h"
#include "base/number.h"
#include "report/compared.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

enum { OUTPUTS_MAX = 6, LEAST = 3 };

/* The residuals of one output. */
typedef struct {
    double *place, *residual; /* count */
    double *sorted, *normal;  /* count: in order, and what they would be if they were normal */
    int count;
    int scaled; /* over the data's sigma */
    double mean, deviation;
} residuals;

static int ascending(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Output minus datum, in units of sigma where all data have one. */
static void take(const report *r, const compared *c, const report_data *data, int first, residuals *s)
{
    const double *best = r->y + (size_t)r->best * (size_t)r->m;
    double sum = 0.0, squares = 0.0;
    s->count = 0;
    s->scaled = 1;
    for (int i = 0; i < c->count; i++) s->scaled &= isfinite(compared_at(c, i)->deviation);
    for (int i = 0; i < c->count; i++) {
        const gofh_comparison *one = compared_at(c, i);
        double value = (best[one->output] - one->value) / (s->scaled ? one->deviation : 1.0);
        if (!isfinite(value)) continue;
        s->place[s->count] = compared_place(data, one->output - first);
        s->residual[s->count] = s->sorted[s->count] = value;
        sum += value;
        s->count++;
    }
    s->mean = s->count ? sum / s->count : 0.0;
    for (int i = 0; i < s->count; i++) squares += (s->residual[i] - s->mean) * (s->residual[i] - s->mean);
    s->deviation = s->count > 1 ? sqrt(squares / (s->count - 1)) : 0.0;
    qsort(s->sorted, (size_t)s->count, sizeof *s->sorted, ascending);
    /* Blom's plotting positions. */
    for (int i = 0; i < s->count; i++) s->normal[i] = normal_quantile((i + 0.625) / (s->count + 0.25));
}

static void draw_level(chart *c, const char *class, double level)
{
    const double x[2] = {c->x.low, c->x.high}, y[2] = {level, level};
    if (level >= c->y.low && level <= c->y.high) chart_line(c, class, x, y, 2);
}

static void draw_residuals(const report *r, const residuals *s, const report_output *output,
                           const report_data *data)
{
    chart c = report_chart(r, 360.0, 250.0);
    char text[400], spread[48], title[REPORT_NAME];
    const double two[2] = {-2.0, 2.0}, zero = 0.0;
    c.x = compared_axis(data, output->size);
    c.y = CHART_EMPTY;
    chart_include(&c.y, &zero, 1);
    chart_include(&c.y, s->residual, s->count);
    if (s->scaled) chart_include(&c.y, two, 2);
    chart_pad(&c.y);
    chart_number(s->deviation, 0, spread, sizeof spread);
    snprintf(text, sizeof text, "Residuals of %.60s at the best point: %d, with a standard deviation of %s.",
             output->name, s->count, spread);
    snprintf(title, sizeof title, "residual%s%s%s",
             s->scaled            ? " / sigma"
             : data && data->unit ? " ("
                                  : "",
             !s->scaled && data && data->unit ? data->unit : "", !s->scaled && data && data->unit ? ")" : "");
    static const chart_item ITEMS[] = {{"reference", "residual 0", CHART_STROKE},
                                       {"limit", "two sigma", CHART_STROKE}};
    c.items = ITEMS;
    c.item_count = s->scaled ? 2 : 1;
    fputs("<figure>", r->file);
    chart_name(&c, "residuals", output->name, NULL);
    chart_begin(&c, text, compared_place_title(data), title);
    c.series = "0";
    draw_level(&c, "reference", 0.0);
    c.series = "two sigma";
    for (int i = 0; i < 2 && s->scaled; i++) draw_level(&c, "limit", two[i]);
    c.series = "residual";
    chart_trials(&c, "residual", CHART_DOT, NULL, s->place, s->residual, s->count);
    chart_end(&c);
    report_legend(r, c.items, c.item_count);
    fputs("</figure>\n", r->file);
}

/* In order, against those of a normal: a straight line if they are normal. */
static void draw_normal(const report *r, const residuals *s, const report_output *output)
{
    chart c = report_chart(r, 360.0, 250.0);
    char text[400];
    c.x = c.y = CHART_EMPTY;
    chart_include(&c.x, s->normal, s->count);
    chart_include(&c.y, s->sorted, s->count);
    chart_pad(&c.x);
    double slope = s->scaled ? 1.0 : s->deviation, origin = s->scaled ? 0.0 : s->mean;
    const double x[2] = {c.x.low, c.x.high}, y[2] = {origin + slope * x[0], origin + slope * x[1]};
    chart_include(&c.y, y, 2);
    chart_pad(&c.y);
    snprintf(text, sizeof text,
             "Normal plot of the residuals of %.60s: in order against the quantiles of a normal "
             "distribution, whose "
             "straight line is drawn.",
             output->name);
    const chart_item item = {"reference",
                             s->scaled ? "normal distribution of deviation sigma" : "normal distribution",
                             CHART_STROKE};
    c.items = &item;
    c.item_count = 1;
    fputs("<figure>", r->file);
    chart_name(&c, "normal", output->name, NULL);
    chart_begin(&c, text, "normal quantile", s->scaled ? "residual / sigma" : "residual");
    c.series = item.text;
    chart_line(&c, "reference", x, y, 2);
    c.series = "residual";
    chart_trials(&c, "residual", CHART_DOT, NULL, s->normal, s->sorted, s->count);
    chart_end(&c);
    report_legend(r, &item, 1);
    fputs("</figure>\n", r->file);
}

/* What they say, beside the heading. */
static void write_words(const report *r, const residuals *s)
{
    double squares = 0.0;
    int beyond = 0;
    for (int i = 0; i < s->count; i++) {
        squares += s->residual[i] * s->residual[i];
        beyond += fabs(s->residual[i]) > 2.0;
    }
    fputs("<p class=\"note\">", r->file);
    if (s->scaled)
        number_print(
            r->file,
            "The sum of squared residuals over sigma is %.4g for %d data; %d of them %s more than two "
            "sigma away. Noise alone gives about as much as there are data, and one in twenty beyond "
            "two sigma.",
            squares, s->count, beyond, beyond == 1 ? "is" : "are");
    else
        number_print(
            r->file,
            "Root mean square of %d residuals: %.4g; their mean: %.3g. The data have no sigma: how large "
            "noise alone would be is not known.",
            s->count, sqrt(squares / s->count), s->mean);
    fputs("</p>\n", r->file);
}

static void write_output(const report *r, const compared *c, const report_output *output, int first,
                         residuals *s, int *shown)
{
    const report_data *data = compared_data(r, c, output);
    take(r, c, data, first, s);
    if (s->count < LEAST) return;
    if ((*shown)++ == 0) fputs("<section id=\"residuals\"><h2>Residuals of the best fit</h2>\n", r->file);
    fputs("<h3>", r->file);
    svg_escape(r->file, output->name);
    fputs(" <small>output minus data</small></h3>\n", r->file);
    write_words(r, s);
    fputs("<div class=\"charts pair\">\n", r->file);
    draw_residuals(r, s, output, data);
    draw_normal(r, s, output);
    fputs("</div>\n", r->file);
}

static void write_all(const report *r, compared *c, residuals *s)
{
    int first = 0, shown = 0;
    s->residual = s->place + c->list_count;
    s->sorted = s->residual + c->list_count;
    s->normal = s->sorted + c->list_count;
    for (int i = 0; i < r->input->output_count && shown < OUTPUTS_MAX; i++) {
        const report_output *output = &r->input->outputs[i];
        if (compared_take(c, output, first) > 0) write_output(r, c, output, first, s, &shown);
        first += output->size;
    }
    if (shown) fputs("</section>\n", r->file);
}

gofh_status figure_residuals(const report *r)
{
    compared c;
    residuals s = {.count = 0};
    if (r->best < 0) return GOFH_OK;
    gofh_status status = compared_gather(r, &c);
    if (!status) {
        s.place = memory_doubles(4 * (size_t)c.list_count);
        if (s.place)
            write_all(r, &c, &s);
        else
            status = error_memory(r->error);
    }
    free(s.place);
    compared_free(&c);
    return status;
}
