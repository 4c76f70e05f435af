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
    double *at, *low, *high, *row; /* r->m each, in the order of their places on the axis */
    int *order, *rank;             /* r->m each: the elements in that order; where each is in it */
    const double *deviation;       /* of the model at the best point, m; NULL: no model */
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

/* What is known of the data that an output is compared with; NULL: nothing, or they are several. */
static const report_data *find_data(const report *r, const fit *f, const report_output *output)
{
    const char *name = NULL;
    for (int i = 0; i < f->of_count; i++) {
        const gofh_comparison *c = compared(f, i);
        if (!c->data || (name && strcmp(c->data, name) != 0)) return NULL;
        name = c->data;
    }
    for (int i = 0; name && i < r->input->data_count; i++) {
        const report_data *data = &r->input->data[i];
        if (strcmp(data->name, name) == 0) return data->size == output->size ? data : NULL;
    }
    return NULL;
}

/* Where element j is on the axis. */
static double place_of(const report_data *data, int j)
{
    return data && data->at ? data->at[j] : j;
}

/* The elements in the order of their places: a merge of ever longer runs, which keeps equals in
 * order. work: size. */
static void sort_places(const report_data *data, int size, int *order, int *work)
{
    for (int j = 0; j < size; j++) order[j] = j;
    for (int run = 1; run < size; run *= 2) {
        for (int begin = 0; begin < size; begin += 2 * run) {
            int middle = begin + run < size ? begin + run : size, a = begin, b = middle;
            int end = begin + 2 * run < size ? begin + 2 * run : size;
            for (int i = begin; i < end; i++)
                work[i] = b >= end || (a < middle && place_of(data, order[a]) <= place_of(data, order[b]))
                              ? order[a++]
                              : order[b++];
        }
        memcpy(order, work, (size_t)size * sizeof *order);
    }
}

/* Values of an output in that order. */
static const double *in_order(const fit *f, const double *values, int size)
{
    for (int j = 0; j < size; j++) f->row[j] = values[f->order[j]];
    return f->row;
}

/* "temperature (K)"; NULL: nothing is known. */
static const char *value_title(const report_data *data, char title[REPORT_NAME])
{
    if (!data || (!data->label && !data->unit)) return NULL;
    if (data->label && data->unit)
        snprintf(title, REPORT_NAME, "%.60s (%.20s)", data->label, data->unit);
    else
        snprintf(title, REPORT_NAME, "%.60s", data->label ? data->label : data->unit);
    return title;
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
static int draw_data(const fit *f, chart *c, int first, const report_data *data)
{
    int bars = 0;
    for (int i = 0; i < f->of_count; i++) {
        const gofh_comparison *one = compared(f, i);
        if (isnan(one->deviation)) continue;
        if (bars++ == 0) chart_bars(c, "measured");
        chart_bar(c, place_of(data, one->output - first), one->value - one->deviation,
                  one->value + one->deviation);
    }
    if (bars) chart_marks_end(c);
    chart_marks(c, "measured");
    for (int i = 0; i < f->of_count; i++)
        chart_mark(c, CHART_DOT, place_of(data, compared(f, i)->output - first), compared(f, i)->value);
    chart_marks_end(c);
    return bars > 0;
}

/* With columns at the places of their values. */
static void begin_envelope(const fit *f, const chart *c, int size, envelope *e)
{
    envelope_begin(e, c, size);
    for (int k = 0; k < e->columns; k++) e->at[k] = f->at[(int)(e->at[k] + 0.5)];
}

/* The same as areas. */
static int draw_data_areas(const fit *f, chart *c, const report_output *output, int first)
{
    int bars = 0;
    envelope e;
    begin_envelope(f, c, output->size, &e);
    for (int i = 0; i < f->of_count; i++) {
        const gofh_comparison *one = compared(f, i);
        if (isnan(one->deviation)) continue;
        envelope_add(&e, f->rank[one->output - first], one->value - one->deviation,
                     one->value + one->deviation);
        bars = 1;
    }
    envelope_draw(&e, c, "measured");
    begin_envelope(f, c, output->size, &e);
    for (int i = 0; i < f->of_count; i++)
        envelope_add(&e, f->rank[compared(f, i)->output - first], compared(f, i)->value,
                     compared(f, i)->value);
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
    begin_envelope(f, c, size, &e);
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
    begin_envelope(f, c, size, &e);
    for (int j = 0; j < size; j++) envelope_add(&e, j, f->low[j], f->high[j]);
    envelope_draw(&e, c, "model");
}

/* Returns whether deviations are drawn. */
static int draw_chart(const report *r, const fit *f, const report_output *output, int first, chart c)
{
    int size = output->size, behind = 0, areas = envelope_needed(size), bars = 0;
    const report_data *data = find_data(r, f, output);
    char title[REPORT_NAME];
    c.x = (chart_axis){.low = -0.5, .high = size - 0.5};
    if (data && data->at) {
        c.x = CHART_EMPTY;
        chart_include(&c.x, data->at, size);
        chart_pad(&c.x);
    }
    c.y = value_axis(f, output);
    chart_begin(&c, "Data and outputs at the best point", !data || !data->at ? "element" : data->at_name,
                value_title(data, title));
    for (int i = 0; i < r->count && behind < (areas ? BEHIND_AREAS_MAX : BEHIND_MAX); i++) {
        if (r->state[i] != GOFH_TRIAL_DONE || i == r->best) continue;
        draw_curve(f, &c, "behind", in_order(f, r->y + (size_t)i * (size_t)r->m + first, size), size);
        behind++;
    }
    if (f->deviation) draw_band(f, &c, size);
    /* Areas of data would hide the curve, dots do not. */
    if (areas) bars = draw_data_areas(f, &c, output, first);
    draw_curve(f, &c, "model", in_order(f, r->y + (size_t)r->best * (size_t)r->m + first, size), size);
    if (!areas) bars = draw_data(f, &c, first, data);
    chart_end(&c);
    return bars;
}

static void draw_fit(const report *r, const fit *f, const report_output *output, int first)
{
    const double *best = r->y + (size_t)r->best * (size_t)r->m + first;
    const report_data *data = find_data(r, f, output);
    sort_places(data, output->size, f->order, f->rank);
    for (int k = 0; k < output->size; k++) f->rank[f->order[k]] = k;
    for (int k = 0; k < output->size; k++) {
        int j = f->order[k];
        f->at[k] = place_of(data, j);
        double half = f->deviation ? SPREAD * f->deviation[first + j] : 0.0;
        f->low[k] = best[j] - half;
        f->high[k] = best[j] + half;
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
    double *block = memory_doubles(5 * m);
    f.order = memory_new(2 * m, sizeof *f.order);
    f.compared = memory_new((size_t)f.count, sizeof *f.compared);
    f.of = memory_new((size_t)f.count, sizeof *f.of);
    if (!block || !f.compared || !f.of || !f.order) {
        status = error_memory(r->error);
    } else {
        f.at = block;
        f.low = block + m;
        f.high = block + 2 * m;
        f.row = block + 3 * m;
        f.rank = f.order + m;
        status = predict_best(r, &f, block + 4 * m);
    }
    if (!status) {
        status = gofh_study_comparisons(r->study, f.compared, f.count, &f.count);
        if (status) report_failure(r, status);
    }
    if (!status) draw_fits(r, &f);
    free(block);
    free(f.order);
    free(f.compared);
    free(f.of);
    return status;
}
