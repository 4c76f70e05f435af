/* The data in the bands that the posterior predicts, with and without noise, and what is left of them. */
#include "report/figure_posterior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/normal.h"
#include "report/compared.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 250, FITS_MAX = 6, SIZE_MAX_DRAWN = 400 };

typedef struct {
    double at, value, noise; /* noise: a standard deviation */
    double low, middle, high, noisy_low, noisy_high;
} predicted;

typedef struct {
    const posterior_figure *f;
    gofh_comparison *compared;
    int count;
    double *mean, *variance; /* DRAWS x m */
    predicted *rows;
    double *block; /* what is drawn of an output, SIZE_MAX_DRAWN each */
} bands;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
    const predicted *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The number i of a sequence of normals that depends on nothing else. */
static double normal_number(int i, double step)
{
    double at = (i + 0.5) * step;
    return normal_quantile(fmin(fmax(at - floor(at), 1e-6), 1.0 - 1e-6));
}

/* The noise of a datum: its own, or that which is estimated. */
static double noise_of(const bands *b, const gofh_comparison *c)
{
    const gofh_posterior_results *p = &b->f->found;
    if (!isnan(c->deviation)) return c->deviation;
    for (int g = 0; g < p->sigmas; g++)
        if (c->data && strcmp(p->sigma_data[g], c->data) == 0) return p->sigma_mean[g];
    return 0.0;
}

static void predict_one(const bands *b, const gofh_comparison *c, predicted *to)
{
    double without[DRAWS], with[DRAWS];
    int m = b->f->r->m;
    to->value = c->value;
    to->noise = noise_of(b, c);
    for (int i = 0; i < DRAWS; i++) {
        size_t at = (size_t)i * (size_t)m + (size_t)c->output;
        without[i] = b->mean[at] + sqrt(fmax(b->variance[at], 0.0)) * normal_number(i, 0.6180339887498949);
        with[i] = without[i] + to->noise * normal_number(i, 0.7548776662466927);
    }
    qsort(without, DRAWS, sizeof *without, ascending);
    qsort(with, DRAWS, sizeof *with, ascending);
    int tail = DRAWS / 40;
    to->low = without[tail];
    to->middle = 0.5 * (without[(DRAWS - 1) / 2] + without[DRAWS / 2]);
    to->high = without[DRAWS - 1 - tail];
    to->noisy_low = with[tail];
    to->noisy_high = with[DRAWS - 1 - tail];
}

static const report_data *find_data(const report *r, const char *name, int size)
{
    for (int i = 0; name && i < r->input->data_count; i++)
        if (strcmp(r->input->data[i].name, name) == 0)
            return r->input->data[i].size == size ? &r->input->data[i] : NULL;
    return NULL;
}

static int is_of(const gofh_comparison *c, const report_output *output, int first)
{
    return c->output >= first && c->output < first + output->size;
}

/* The data of an output, in the order of their places: all, or of very many some that are spread evenly.
 * Returns how many; fills in how many there are. */
static int collect(const bands *b, const report_output *output, int first, const report_data **data, int *all)
{
    int count = 0, passed = 0;
    *data = NULL;
    *all = 0;
    for (int i = 0; i < b->count; i++) *all += is_of(&b->compared[i], output, first);
    int step = (*all + SIZE_MAX_DRAWN - 1) / SIZE_MAX_DRAWN;
    for (int i = 0; i < b->count; i++) {
        const gofh_comparison *c = &b->compared[i];
        if (!is_of(c, output, first) || passed++ % step) continue;
        const report_data *own = find_data(b->f->r, c->data, output->size);
        if (count == 0) *data = own;
        predicted *to = &b->rows[count++];
        to->at = own && own->at ? own->at[c->output - first] : c->output - first;
        predict_one(b, c, to);
    }
    qsort(b->rows, (size_t)count, sizeof *b->rows, by_place);
    return count;
}

typedef struct {
    const double *x, *low, *middle, *high, *noisy_low, *noisy_high, *value, *noise;
} columns;

/* The rows as columns; rest: less the middle, for residuals. */
static columns as_columns(const bands *b, int count, int rest)
{
    double *to = b->block;
    size_t n = SIZE_MAX_DRAWN;
    for (int i = 0; i < count; i++) {
        const predicted *p = &b->rows[i];
        double less = rest ? p->middle : 0.0;
        const double values[8] = {p->at,
                                  p->low - less,
                                  p->middle - less,
                                  p->high - less,
                                  p->noisy_low - less,
                                  p->noisy_high - less,
                                  p->value - less,
                                  p->noise};
        for (size_t k = 0; k < 8; k++) to[k * n + (size_t)i] = values[k];
    }
    return (columns){to, to + n, to + 2 * n, to + 3 * n, to + 4 * n, to + 5 * n, to + 6 * n, to + 7 * n};
}

enum { ITEM_COUNT = 4 };
static const chart_item ITEMS[ITEM_COUNT] = {
    {"measured", "data, with one standard deviation to each side", CHART_DOT},
    {"model", "posterior median", CHART_STROKE},
    {"band inner", "95 % of the outputs", CHART_AREA},
    {"band model", "95 % with noise", CHART_AREA}};

static void draw_chart(const report_output *output, const columns *v, int count, const report_data *data,
                       int rest, chart c)
{
    const char *name = output->name;
    c.x = CHART_EMPTY;
    c.x.whole = !data || !data->at;
    c.y = CHART_EMPTY;
    chart_include(&c.x, v->x, count);
    chart_pad(&c.x);
    chart_include(&c.y, v->noisy_low, count);
    chart_include(&c.y, v->noisy_high, count);
    for (int i = 0; i < count; i++) {
        const double ends[2] = {v->value[i] - v->noise[i], v->value[i] + v->noise[i]};
        chart_include(&c.y, ends, 2);
    }
    chart_pad(&c.y);
    if (rest) c.height *= 0.62;
    c.items = ITEMS;
    c.item_count = ITEM_COUNT;
    char own[REPORT_NAME] = "residual";
    const char *title = rest ? own : compared_value_title(data, output, own);
    if (rest && data && data->unit) snprintf(own, sizeof own, "residual (%.20s)", data->unit);
    chart_name(&c, "posterior", name, rest ? "residuals" : "bands");
    char text[256];
    snprintf(text, sizeof text,
             rest ? "Residuals of %.60s from the posterior's median, in its bands of 95 %%."
                  : "Data of %.60s in the bands that hold 95 %% of the posterior, without and with noise.",
             name);
    chart_begin(&c, text, compared_place_title(data), title);
    c.series = "95 % with noise";
    chart_band(&c, "model", v->x, v->noisy_low, v->noisy_high, count);
    c.series = "95 % without noise";
    chart_band(&c, "model", v->x, v->low, v->high, count);
    c.series = "median";
    chart_line(&c, "model", v->x, v->middle, count);
    c.series = "data";
    chart_bars(&c, "measured");
    for (int i = 0; i < count; i++)
        if (v->noise[i] > 0.0) chart_bar(&c, v->x[i], v->value[i] - v->noise[i], v->value[i] + v->noise[i]);
    chart_marks_end(&c);
    chart_marks(&c, "measured");
    for (int i = 0; i < count; i++) chart_mark(&c, CHART_DOT, v->x[i], v->value[i]);
    chart_marks_end(&c);
    chart_end(&c);
}

static void draw_output(const bands *b, const report_output *output, int first)
{
    const report *r = b->f->r;
    const report_data *data;
    int all, count = collect(b, output, first, &data, &all), inside = 0;
    for (int i = 0; i < count; i++)
        inside += b->rows[i].value >= b->rows[i].noisy_low && b->rows[i].value <= b->rows[i].noisy_high;
    fputs("<figure class=\"large\"><figcaption><b>", r->file);
    svg_escape(r->file, output->name);
    fprintf(r->file, "</b> <small>%d of %d data are in the outer band", inside, count);
    if (all > count) fprintf(r->file, "; those drawn are %d of %d, spread evenly", count, all);
    fputs("</small></figcaption>\n", r->file);
    for (int rest = 0; rest < 2; rest++) {
        columns v = as_columns(b, count, rest);
        for (int narrow = 0; narrow < report_sizes(r); narrow++)
            draw_chart(output, &v, count, data, rest, report_large_chart(r, narrow));
    }
    fputs("</figure>\n", r->file);
}

static void draw_all(const bands *b)
{
    const report *r = b->f->r;
    const report_input *in = r->input;
    int drawn = 0, first = 0;
    for (int i = 0; i < in->output_count && drawn < FITS_MAX; first += in->outputs[i++].size) {
        int has = 0;
        for (int k = 0; k < b->count; k++) has += is_of(&b->compared[k], &in->outputs[i], first);
        if (has < 2) continue;
        if (drawn++ == 0) {
            fputs("<h3>Data in the bands of the posterior</h3>\n", r->file);
            report_legend(r, ITEMS, ITEM_COUNT);
            fputs("<p class=\"note\">Below each, the data minus the posterior median.</p>\n", r->file);
        }
        draw_output(b, &in->outputs[i], first);
    }
}

/* Outputs at some of the samples. */
static gofh_status predict(bands *b)
{
    const posterior_figure *f = b->f;
    size_t d = (size_t)f->found.parameters;
    double *x = memory_doubles(DRAWS * d);
    if (!x) return error_memory(f->r->error);
    for (int i = 0; i < DRAWS; i++) {
        size_t from = (size_t)((long long)i * f->found.samples / DRAWS);
        memcpy(x + (size_t)i * d, f->x + from * d, d * sizeof *x);
    }
    gofh_status status = gofh_study_predict(f->r->study, x, DRAWS, b->mean, b->variance, NULL, NULL);
    free(x);
    return status ? report_failure(f->r, status) : GOFH_OK;
}

gofh_status posterior_bands(const posterior_figure *f)
{
    const report *r = f->r;
    bands b = {.f = f};
    size_t m = (size_t)r->m;
    gofh_status status = gofh_study_comparisons(r->study, NULL, 0, &b.count);
    if (status) return report_failure(r, status);
    b.compared = memory_new((size_t)b.count + 1, sizeof *b.compared);
    b.rows = memory_new(SIZE_MAX_DRAWN, sizeof *b.rows);
    b.block = memory_doubles(8 * SIZE_MAX_DRAWN);
    b.mean = memory_doubles(2 * DRAWS * m);
    if (!b.compared || !b.rows || !b.block || !b.mean) {
        status = error_memory(r->error);
    } else {
        b.variance = b.mean + DRAWS * m;
        status = gofh_study_comparisons(r->study, b.compared, b.count, &b.count);
        status = status ? report_failure(r, status) : predict(&b);
    }
    if (!status && b.compared) draw_all(&b);
    free(b.compared);
    free(b.rows);
    free(b.block);
    free(b.mean);
    return status;
}
