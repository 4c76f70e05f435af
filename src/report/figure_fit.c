/* Outputs at the best point against the data that the expressions compare them with. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/envelope.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the other trials fewer are drawn where each is an area. */
enum { FITS_MAX = 6, BEHIND_MAX = 24, BEHIND_AREAS_MAX = 8 };

/* Of a normal: 95 % lie within so many standard deviations. */
static const double SPREAD = 1.96;

typedef struct {
    gofh_comparison *compared;
    int count;
    int *of; /* which of them are of the output that is drawn */
    int of_count;
    double *at, *low, *high; /* r->m each */
    const double *deviation; /* of the model at the best point, m; NULL: no model */
} fit;

/* The comparisons of an output, whose first element is `first` of all. */
static void find_compared(fit *f, const report_output *output, int first)
{
    f->of_count = 0;
    for (int i = 0; i < f->count; i++)
        if (f->compared[i].output >= first && f->compared[i].output < first + output->size)
            f->of[f->of_count++] = i;
}

static const gofh_comparison *compared(const fit *f, int i)
{
    return &f->compared[f->of[i]];
}

/* The data's names, each once. */
static void write_names(const report *r, const fit *f)
{
    int written = 0;
    for (int i = 0; i < f->of_count; i++) {
        const char *name = compared(f, i)->data;
        int again = !name;
        for (int k = 0; k < i && !again; k++)
            again = compared(f, k)->data && strcmp(compared(f, k)->data, name) == 0;
        if (again) continue;
        fprintf(r->file, "%s<b>", written++ ? ", " : "");
        svg_escape(r->file, name);
        fputs("</b>", r->file);
    }
    if (!written) fputs("data", r->file);
}

static chart_axis value_axis(const fit *f, const report_output *output)
{
    chart_axis axis = CHART_EMPTY;
    for (int i = 0; i < f->of_count; i++) {
        const gofh_comparison *c = compared(f, i);
        double half = isnan(c->deviation) ? 0.0 : c->deviation;
        const double ends[2] = {c->value - half, c->value + half};
        chart_include(&axis, ends, 2);
    }
    chart_include(&axis, f->low, output->size);
    chart_include(&axis, f->high, output->size);
    chart_pad(&axis);
    double room = 0.25 * (axis.high - axis.low);
    axis.low -= room;
    axis.high += room;
    return axis;
}

/* Dots with bars of one standard deviation to each side, where it is given. Returns whether one
 * is. */
static int draw_data(const fit *f, chart *c, int first)
{
    int bars = 0;
    for (int i = 0; i < f->of_count; i++) {
        const gofh_comparison *one = compared(f, i);
        if (isnan(one->deviation)) continue;
        if (bars++ == 0) chart_bars(c, "measured");
        chart_bar(c, one->output - first, one->value - one->deviation, one->value + one->deviation);
    }
    if (bars) chart_marks_end(c);
    chart_marks(c, "measured");
    for (int i = 0; i < f->of_count; i++)
        chart_mark(c, CHART_DOT, compared(f, i)->output - first, compared(f, i)->value);
    chart_marks_end(c);
    return bars > 0;
}

/* The same as areas. */
static int draw_data_areas(const fit *f, chart *c, const report_output *output, int first)
{
    int bars = 0;
    envelope e;
    envelope_begin(&e, c, output->size);
    for (int i = 0; i < f->of_count; i++) {
        const gofh_comparison *one = compared(f, i);
        if (isnan(one->deviation)) continue;
        envelope_add(&e, one->output - first, one->value - one->deviation, one->value + one->deviation);
        bars = 1;
    }
    envelope_draw(&e, c, "measured");
    envelope_begin(&e, c, output->size);
    for (int i = 0; i < f->of_count; i++)
        envelope_add(&e, compared(f, i)->output - first, compared(f, i)->value, compared(f, i)->value);
    envelope_draw(&e, c, "dense measured");
    return bars;
}

/* A curve of an output: a line, or an area where it has many points. */
static void draw_curve(const fit *f, chart *c, const char *class, const double *y, int size)
{
    if (!envelope_needed(size)) {
        chart_line(c, class, f->at, y, size);
        return;
    }
    envelope e;
    char dense[32];
    snprintf(dense, sizeof dense, "dense %s", class);
    envelope_begin(&e, c, size);
    for (int j = 0; j < size; j++) envelope_add(&e, j, y[j], y[j]);
    envelope_join(&e);
    envelope_draw(&e, c, dense);
}

static void draw_band(const fit *f, chart *c, int size)
{
    if (!envelope_needed(size)) {
        chart_band(c, "model", f->at, f->low, f->high, size);
        return;
    }
    envelope e;
    envelope_begin(&e, c, size);
    for (int j = 0; j < size; j++) envelope_add(&e, j, f->low[j], f->high[j]);
    envelope_draw(&e, c, "model");
}

/* Returns whether deviations are drawn. */
static int draw_chart(const report *r, const fit *f, const report_output *output, int first, chart c)
{
    int size = output->size, behind = 0, areas = envelope_needed(size), bars = 0;
    const double *best = r->y + (size_t)r->best * (size_t)r->m + first;
    c.x = (chart_axis){.low = -0.5, .high = size - 0.5};
    c.y = value_axis(f, output);
    chart_begin(&c, "Data and outputs at the best point", "element", NULL);
    for (int i = 0; i < r->count && behind < (areas ? BEHIND_AREAS_MAX : BEHIND_MAX); i++) {
        if (r->state[i] != GOFH_TRIAL_DONE || i == r->best) continue;
        draw_curve(f, &c, "behind", r->y + (size_t)i * (size_t)r->m + first, size);
        behind++;
    }
    if (f->deviation) draw_band(f, &c, size);
    /* Areas of data would hide the curve, dots do not. */
    if (areas) bars = draw_data_areas(f, &c, output, first);
    draw_curve(f, &c, "model", best, size);
    if (!areas) bars = draw_data(f, &c, first);
    chart_end(&c);
    return bars;
}

static void draw_fit(const report *r, const fit *f, const report_output *output, int first)
{
    const double *best = r->y + (size_t)r->best * (size_t)r->m + first;
    for (int j = 0; j < output->size; j++) {
        f->at[j] = j;
        double half = f->deviation ? SPREAD * f->deviation[first + j] : 0.0;
        f->low[j] = best[j] - half;
        f->high[j] = best[j] + half;
    }
    fputs("<figure class=\"large\"><figcaption><b>", r->file);
    svg_escape(r->file, output->name);
    fputs("</b> against ", r->file);
    write_names(r, f);
    if (envelope_needed(output->size))
        fprintf(r->file, " <small>%d values: from the lowest to the highest in each column</small>",
                output->size);
    fputs("</figcaption>\n", r->file);
    int bars = 0;
    for (int narrow = 0; narrow < 2; narrow++)
        bars = draw_chart(r, f, output, first, report_large_chart(r, narrow));
    fputs("<p class=\"legend\"><span>", r->file);
    chart_key(r->file, "measured", CHART_DOT);
    fprintf(r->file,
            "data%s</span><span><i class=\"stroke model\"></i>best trial%s</span>"
            "<span><i class=\"stroke behind\"></i>other trials</span></p></figure>\n",
            bars ? ", with one standard deviation to each side" : "",
            f->deviation ? ", and the model's 95 % band there" : "");
}

static void draw_fits(const report *r, fit *f)
{
    int fits = 0, first = 0;
    const report_input *in = r->input;
    for (int i = 0; i < in->output_count && fits < FITS_MAX; first += in->outputs[i++].size) {
        if (in->outputs[i].size < 2) continue;
        find_compared(f, &in->outputs[i], first);
        if (f->of_count == 0) continue;
        if (fits++ == 0) fputs("<section id=\"fit\"><h2>Measured data and best fit</h2>\n", r->file);
        draw_fit(r, f, &in->outputs[i], first);
    }
    if (fits) fputs("</section>\n", r->file);
}

static gofh_status predict_best(const report *r, fit *f, double *deviation)
{
    if (!r->models_outputs) return GOFH_OK;
    const double *x = r->x + (size_t)r->best * (size_t)r->d;
    gofh_status status = gofh_study_predict(r->study, x, 1, NULL, deviation, NULL, NULL);
    if (status) return report_failure(r, status);
    for (int j = 0; j < r->m; j++) deviation[j] = sqrt(deviation[j]);
    f->deviation = deviation;
    return GOFH_OK;
}

gofh_status figure_fit(const report *r)
{
    fit f = {.count = 0};
    if (r->best < 0) return GOFH_OK;
    gofh_status status = gofh_study_comparisons(r->study, NULL, 0, &f.count);
    if (status) return report_failure(r, status);
    if (f.count == 0) return GOFH_OK;
    size_t m = (size_t)r->m;
    double *block = memory_doubles(4 * m);
    f.compared = memory_new((size_t)f.count, sizeof *f.compared);
    f.of = memory_new((size_t)f.count, sizeof *f.of);
    if (!block || !f.compared || !f.of) {
        status = error_memory(r->error);
    } else {
        f.at = block;
        f.low = block + m;
        f.high = block + 2 * m;
        status = predict_best(r, &f, block + 3 * m);
    }
    if (!status) {
        status = gofh_study_comparisons(r->study, f.compared, f.count, &f.count);
        if (status) report_failure(r, status);
    }
    if (!status) draw_fits(r, &f);
    free(block);
    free(f.compared);
    free(f.of);
    return status;
}
