/* Outputs at the best point against the data that the expressions compare them with. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/compared.h"
#include "report/envelope.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the other trials fewer are drawn where each is an area. */
enum { FITS_MAX = 6, BEHIND_MAX = 24, BEHIND_AREAS_MAX = 8, LEGEND = 320 };

typedef struct {
    compared c;
    double *at, *low, *high, *row; /* r->m each, in the order of their places on the axis */
    int *order, *rank;             /* r->m each: the elements in that order; where each is in it */
} fit;

/* The name of data, with the function that the objective takes of them: "log10(current)". */
static void name_data(const report *r, const char *name, char text[REPORT_NAME])
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *objective = r->input->objective ? r->input->objective : "";
    size_t length = strlen(name);
    snprintf(text, REPORT_NAME, "%.60s", name);
    for (const char *at = objective; (at = strstr(at, name)); at++) {
        if (at == objective || at[-1] != '(' || at[length] != ')') continue;
        const char *function = at - 1;
        while (function > objective && strchr(LETTERS, function[-1])) function--;
        int letters = (int)(at - 1 - function);
        if (letters > 0)
            snprintf(text, REPORT_NAME, "%.*s(%.60s)", letters < 20 ? letters : 20, function, name);
        return;
    }
}

/* The data's names, each once, joined by ", "; "data" where they have none. */
static void join_names(const report *r, const fit *f, char text[LEGEND])
{
    size_t used = 0;
    snprintf(text, LEGEND, "data");
    for (int i = 0; i < f->c.count; i++) {
        const char *name = compared_at(&f->c, i)->data;
        int again = !name;
        for (int k = 0; k < i && !again; k++)
            again = compared_at(&f->c, k)->data && strcmp(compared_at(&f->c, k)->data, name) == 0;
        char said[REPORT_NAME];
        if (again || used >= LEGEND / 2) continue;
        name_data(r, name, said);
        used += (size_t)snprintf(text + used, LEGEND - used, "%s%s", used ? ", " : "", said);
    }
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
                work[i] = b >= end || (a < middle &&
                                       compared_place(data, order[a]) <= compared_place(data, order[b]))
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

/* Includes a value; on a logarithmic axis what is below `least` stands at its end. */
static void include(chart_axis *axis, double value, double least)
{
    double held = axis->log && !isnan(value) ? fmax(value, least) : value;
    chart_include(axis, &held, 1);
}

/* All of the data and of the best fit, and of other trials what is near them. Logarithmic where the data
 * are above 0 over decades; then down to a part of the least. */
static chart_axis value_axis(const report *r, const fit *f, const report_output *output, int first)
{
    static const double DEEPEST = 0.1;
    chart_axis axis = CHART_EMPTY, seen = CHART_EMPTY;
    for (int i = 0; i < f->c.count; i++) chart_include(&seen, &compared_at(&f->c, i)->value, 1);
    axis.log = seen.low > 0.0 && seen.high > REPORT_DECADES * seen.low;
    double least = DEEPEST * seen.low;
    for (int i = 0; i < f->c.count; i++) {
        const gofh_comparison *c = compared_at(&f->c, i);
        double half = isnan(c->deviation) ? 0.0 : c->deviation;
        include(&axis, c->value - half, least);
        include(&axis, c->value + half, least);
    }
    for (int j = 0; j < output->size; j++) {
        include(&axis, f->low[j], least);
        include(&axis, f->high[j], least);
    }
    chart_axis others = axis;
    for (int i = 0; i < r->count; i++)
        for (int j = 0; j < output->size; j++)
            include(&others, r->y[(size_t)i * (size_t)r->m + (size_t)(first + j)], least);
    chart_pad(&axis);
    double room = axis.log ? pow(axis.high / axis.low, 0.1) : 0.25 * (axis.high - axis.low);
    double lowest = axis.log ? axis.low / room : axis.low - room;
    double highest = axis.log ? axis.high * room : axis.high + room;
    axis.low = fmax(lowest, fmin(axis.low, others.low));
    axis.high = fmin(highest, fmax(axis.high, others.high));
    return axis;
}

/* Dots with bars of one standard deviation to each side, where it is given. */
static void draw_data(const fit *f, chart *c, int first, const report_data *data)
{
    int bars = 0;
    for (int i = 0; i < f->c.count; i++) {
        const gofh_comparison *one = compared_at(&f->c, i);
        if (isnan(one->deviation)) continue;
        if (bars++ == 0) chart_bars(c, "measured");
        chart_bar(c, compared_place(data, one->output - first), one->value - one->deviation,
                  one->value + one->deviation);
    }
    if (bars) chart_marks_end(c);
    chart_marks(c, "measured");
    for (int i = 0; i < f->c.count; i++)
        chart_mark(c, CHART_DOT, compared_place(data, compared_at(&f->c, i)->output - first),
                   compared_at(&f->c, i)->value);
    chart_marks_end(c);
}

/* With columns at the places of their values. */
static void begin_envelope(const fit *f, const chart *c, int size, envelope *e)
{
    envelope_begin(e, c, size);
    for (int k = 0; k < e->columns; k++) e->at[k] = f->at[(int)(e->at[k] + 0.5)];
}

/* The same as areas. */
static void draw_data_areas(const fit *f, chart *c, const report_output *output, int first)
{
    envelope e;
    begin_envelope(f, c, output->size, &e);
    for (int i = 0; i < f->c.count; i++) {
        const gofh_comparison *one = compared_at(&f->c, i);
        if (isnan(one->deviation)) continue;
        envelope_add(&e, f->rank[one->output - first], one->value - one->deviation,
                     one->value + one->deviation);
    }
    envelope_draw(&e, c, "measured");
    begin_envelope(f, c, output->size, &e);
    for (int i = 0; i < f->c.count; i++)
        envelope_add(&e, f->rank[compared_at(&f->c, i)->output - first], compared_at(&f->c, i)->value,
                     compared_at(&f->c, i)->value);
    envelope_draw(&e, c, "dense measured");
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

/* How far the data are from the line, in words. */
static void describe(const report *r, const fit *f, const report_output *output, char *text, size_t size)
{
    const double *best = r->y + (size_t)r->best * (size_t)r->m;
    double most = 0.0;
    char said[48];
    for (int i = 0; i < f->c.count; i++) {
        const gofh_comparison *one = compared_at(&f->c, i);
        most = fmax(most, fabs(best[one->output] - one->value));
    }
    chart_number(most, 0, said, sizeof said);
    snprintf(text, size, "Data and outputs at the best point: %d data against %.60s, at most %s apart.",
             f->c.count, output->name, said);
}

/* The trials that are drawn behind the best one: index i of them is the return value's next. */
static int next_behind(const report *r, int i)
{
    while (i < r->count && (r->state[i] != GOFH_TRIAL_DONE || i == r->best)) i++;
    return i;
}

static int behind_max(const report_output *output)
{
    return envelope_needed(output->size) ? BEHIND_AREAS_MAX : BEHIND_MAX;
}

static void draw_chart(const report *r, const fit *f, const report_output *output, int first, chart c)
{
    int size = output->size, areas = envelope_needed(size), behind = 0;
    const report_data *data = compared_data(r, &f->c, output);
    char title[REPORT_NAME], text[400], series[32];
    c.x = compared_axis(data, size);
    chart_name(&c, "fit", output->name, NULL);
    describe(r, f, output, text, sizeof text);
    chart_begin(&c, text, compared_place_title(data), compared_value_title(data, output, title));
    c.series = series;
    for (int i = next_behind(r, 0); i < r->count && behind < behind_max(output); i = next_behind(r, i + 1)) {
        snprintf(series, sizeof series, "trial %d", i + 1);
        draw_curve(f, &c, "behind", in_order(f, r->y + (size_t)i * (size_t)r->m + first, size), size);
        behind++;
    }
    c.series = "95 % band of the model";
    if (r->models_outputs) draw_band(f, &c, size);
    c.series = "data";
    /* Areas of data would hide the curve, dots do not. */
    if (areas) draw_data_areas(f, &c, output, first);
    c.series = "best trial";
    draw_curve(f, &c, "model", in_order(f, r->y + (size_t)r->best * (size_t)r->m + first, size), size);
    c.series = "data";
    if (!areas) draw_data(f, &c, first, data);
    chart_end(&c);
}

/* Whether the band is somewhere wider than the line. */
static int has_band(const report *r, const fit *f, chart_axis axis, int size)
{
    static const double LINE = 2.5;
    chart c = report_large_chart(r, 0);
    double widest = 0.0;
    c.y = axis;
    for (int k = 0; k < size; k++) widest = fmax(widest, chart_y(&c, f->low[k]) - chart_y(&c, f->high[k]));
    return r->models_outputs && widest > LINE;
}

/* How many other trials are drawn; *cut: whether one leaves the frame. */
static int count_behind(const report *r, const report_output *output, int first, chart_axis axis, int *cut)
{
    int count = 0;
    *cut = 0;
    for (int i = next_behind(r, 0); i < r->count && count < behind_max(output); i = next_behind(r, i + 1)) {
        const double *y = r->y + (size_t)i * (size_t)r->m + first;
        for (int j = 0; j < output->size; j++) *cut |= y[j] < axis.low || y[j] > axis.high;
        count++;
    }
    return count;
}

/* The legend. names, text: of the data. Returns how many items. */
static int list_items(const report *r, const fit *f, const report_output *output, int first, chart_axis axis,
                      const char *names, char text[LEGEND], chart_item items[3])
{
    int bars = 0, count = 0, cut;
    for (int i = 0; i < f->c.count; i++) bars |= !isnan(compared_at(&f->c, i)->deviation);
    snprintf(text, LEGEND, "%.240s%s", names, bars ? ", with one standard deviation to each side" : "");
    items[count++] = (chart_item){"measured", text, CHART_DOT};
    items[count++] = (chart_item){
        "model",
        has_band(r, f, axis, output->size) ? "best trial, and the model's 95 % band there" : "best trial",
        CHART_STROKE};
    if (count_behind(r, output, first, axis, &cut))
        items[count++] = (chart_item){
            "behind", cut ? "other trials, some of them cut at the edge" : "other trials", CHART_STROKE};
    return count;
}

static void draw_fit(const report *r, const fit *f, const report_output *output, int first)
{
    const double *best = r->y + (size_t)r->best * (size_t)r->m + first;
    const report_data *data = compared_data(r, &f->c, output);
    sort_places(data, output->size, f->order, f->rank);
    for (int k = 0; k < output->size; k++) f->rank[f->order[k]] = k;
    for (int k = 0; k < output->size; k++) {
        int j = f->order[k];
        f->at[k] = compared_place(data, j);
        f->low[k] = r->models_outputs ? r->low[first + j] : best[j];
        f->high[k] = r->models_outputs ? r->high[first + j] : best[j];
    }
    char names[LEGEND], text[LEGEND];
    chart_item items[3];
    chart_axis axis = value_axis(r, f, output, first);
    join_names(r, f, names);
    int item_count = list_items(r, f, output, first, axis, names, text, items);
    fputs("<figure class=\"large\"><figcaption><b>", r->file);
    svg_escape(r->file, output->name);
    fputs("</b> and <b>", r->file);
    svg_escape(r->file, names);
    fputs("</b>", r->file);
    if (envelope_needed(output->size))
        fprintf(r->file, " <small>%d values: from the lowest to the highest in each column</small>",
                output->size);
    fputs("</figcaption>\n", r->file);
    for (int size = 0; size < report_sizes(r); size++) {
        chart c = report_large_chart(r, size);
        c.y = axis;
        c.items = items;
        c.item_count = item_count;
        draw_chart(r, f, output, first, c);
    }
    report_legend(r, items, item_count);
    fputs("</figure>\n", r->file);
}

static void draw_fits(const report *r, fit *f)
{
    int fits = 0, first = 0;
    const report_input *in = r->input;
    for (int i = 0; i < in->output_count && fits < FITS_MAX; first += in->outputs[i++].size) {
        if (in->outputs[i].size < 2) continue;
        if (compared_take(&f->c, &in->outputs[i], first) == 0) continue;
        if (fits++ == 0) fputs("<section id=\"fit\"><h2>Measured data and best fit</h2>\n", r->file);
        draw_fit(r, f, &in->outputs[i], first);
    }
    if (fits) fputs("</section>\n", r->file);
}

gofh_status figure_fit(const report *r)
{
    fit f;
    if (r->best < 0) return GOFH_OK;
    gofh_status status = compared_gather(r, &f.c);
    if (status || f.c.list_count == 0) {
        compared_free(&f.c);
        return status;
    }
    size_t m = (size_t)r->m;
    f.at = memory_doubles(4 * m);
    f.order = memory_new(2 * m, sizeof *f.order);
    if (!f.at || !f.order) {
        status = error_memory(r->error);
    } else {
        f.low = f.at + m;
        f.high = f.low + m;
        f.row = f.high + m;
        f.rank = f.order + m;
        draw_fits(r, &f);
    }
    free(f.at);
    free(f.order);
    compared_free(&f.c);
    return status;
}
