/* Outputs at the best point against the data that the expressions compare them with. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FITS_MAX = 6, BEHIND_MAX = 24 };

/* Of a normal: 95 % lie within so many standard deviations. */
static const double SPREAD = 1.96;

typedef struct {
    gofh_comparison *compared;
    int count;
    double *at, *low, *high, *row; /* r->m each, in the order of their places on the axis */
    int *order;                    /* r->m: the elements in that order */
    const double *deviation;       /* of the model at the best point, m; NULL: no model */
} fit;

static int is_of(const gofh_comparison *c, const report_output *output, int first)
{
    return c->output >= first && c->output < first + output->size;
}

/* Whether an output, whose first element is `first` of all, has more than one element and is
 * compared with data. */
static int is_compared(const fit *f, const report_output *output, int first)
{
    for (int i = 0; i < f->count; i++)
        if (is_of(&f->compared[i], output, first)) return output->size > 1;
    return 0;
}

/* The data's names, each once. */
static void write_names(const report *r, const fit *f, const report_output *output, int first)
{
    int written = 0;
    for (int i = 0; i < f->count; i++) {
        const char *name = f->compared[i].data;
        int again = !name || !is_of(&f->compared[i], output, first);
        for (int k = 0; k < i && !again; k++)
            again = f->compared[k].data && is_of(&f->compared[k], output, first) &&
                    strcmp(f->compared[k].data, name) == 0;
        if (again) continue;
        fprintf(r->file, "%s<b>", written++ ? ", " : "");
        svg_escape(r->file, name);
        fputs("</b>", r->file);
    }
    if (!written) fputs("data", r->file);
}

/* What is known of the data that an output is compared with; NULL: nothing, or they are several. */
static const report_data *find_data(const report *r, const fit *f, const report_output *output, int first)
{
    const char *name = NULL;
    for (int i = 0; i < f->count; i++) {
        const gofh_comparison *c = &f->compared[i];
        if (!is_of(c, output, first)) continue;
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

static chart_axis value_axis(const fit *f, const report_output *output, int first)
{
    chart_axis axis = CHART_EMPTY;
    for (int i = 0; i < f->count; i++) {
        const gofh_comparison *c = &f->compared[i];
        if (!is_of(c, output, first)) continue;
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
static int draw_data(const fit *f, chart *c, const report_output *output, int first, const report_data *data)
{
    int bars = 0;
    for (int i = 0; i < f->count; i++) {
        const gofh_comparison *one = &f->compared[i];
        if (!is_of(one, output, first) || isnan(one->deviation)) continue;
        if (bars++ == 0) chart_bars(c, "measured");
        chart_bar(c, place_of(data, one->output - first), one->value - one->deviation,
                  one->value + one->deviation);
    }
    if (bars) chart_marks_end(c);
    chart_marks(c, "measured");
    for (int i = 0; i < f->count; i++) {
        const gofh_comparison *one = &f->compared[i];
        if (is_of(one, output, first))
            chart_mark(c, CHART_DOT, place_of(data, one->output - first), one->value);
    }
    chart_marks_end(c);
    return bars > 0;
}

/* Returns whether deviations are drawn. */
static int draw_chart(const report *r, const fit *f, const report_output *output, int first, chart c)
{
    int size = output->size, behind = 0;
    const report_data *data = find_data(r, f, output, first);
    char title[REPORT_NAME];
    c.x = (chart_axis){.low = -0.5, .high = size - 0.5};
    if (data && data->at) {
        c.x = CHART_EMPTY;
        chart_include(&c.x, data->at, size);
        chart_pad(&c.x);
    }
    c.y = value_axis(f, output, first);
    chart_begin(&c, "Data and outputs at the best point", !data || !data->at ? "element" : data->at_name,
                value_title(data, title));
    for (int i = 0; i < r->count && behind < BEHIND_MAX; i++) {
        if (r->state[i] != GOFH_TRIAL_DONE || i == r->best) continue;
        chart_line(&c, "behind", f->at, in_order(f, r->y + (size_t)i * (size_t)r->m + first, size), size);
        behind++;
    }
    if (f->deviation) chart_band(&c, "model", f->at, f->low, f->high, size);
    chart_line(&c, "model", f->at, in_order(f, r->y + (size_t)r->best * (size_t)r->m + first, size), size);
    int bars = draw_data(f, &c, output, first, data);
    chart_end(&c);
    return bars;
}

static void draw_fit(const report *r, const fit *f, const report_output *output, int first)
{
    const double *best = r->y + (size_t)r->best * (size_t)r->m + first;
    const report_data *data = find_data(r, f, output, first);
    sort_places(data, output->size, f->order, f->order + r->m);
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
    write_names(r, f, output, first);
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

static void draw_fits(const report *r, const fit *f)
{
    int fits = 0, first = 0;
    const report_input *in = r->input;
    for (int i = 0; i < in->output_count; first += in->outputs[i++].size) {
        if (!is_compared(f, &in->outputs[i], first) || fits == FITS_MAX) continue;
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
    if (!block || !f.compared || !f.order) {
        status = error_memory(r->error);
    } else {
        f.at = block;
        f.low = block + m;
        f.high = block + 2 * m;
        f.row = block + 3 * m;
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
    return status;
}
