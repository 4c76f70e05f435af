/* Pictures of how well the model predicts. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

/* Of a normal: 95 % lie within so many standard deviations. */
static const double SPREAD = 1.96;

/* One output of the done trials: what was seen, what was predicted without it, and the ends of the
 * band. */
typedef struct {
    double *seen, *predicted, *low, *high;
    int count;
} left_out;

/* The band of a prediction. Of an output that is modelled by its logarithm it is that of a log-normal
 * with this mean and variance, which is above 0 as the output is. */
static void make_band(left_out *o, double mean, double variance, int logarithmic)
{
    if (logarithmic && mean > 0.0 && isfinite(variance)) {
        double spread = log1p(variance / (mean * mean)), middle = log(mean) - 0.5 * spread;
        o->low[o->count] = exp(middle - SPREAD * sqrt(spread));
        o->high[o->count] = exp(middle + SPREAD * sqrt(spread));
    } else {
        o->low[o->count] = mean - SPREAD * sqrt(variance);
        o->high[o->count] = mean + SPREAD * sqrt(variance);
    }
}

static void pick_output(const report *r, int j, const double *mean, const double *variance, left_out *o)
{
    gofh_hyperparameters hyper;
    int logarithmic = gofh_study_hyperparameters(r->study, 0, j, &hyper) == GOFH_OK && hyper.logarithmic;
    o->count = 0;
    for (int i = 0, row = 0; i < r->count; i++) {
        if (r->state[i] != GOFH_TRIAL_DONE) continue;
        size_t at = (size_t)row++ * (size_t)r->m + (size_t)j;
        o->seen[o->count] = r->y[(size_t)i * (size_t)r->m + (size_t)j];
        if (isnan(o->seen[o->count])) continue;
        o->predicted[o->count] = mean[at];
        make_band(o, mean[at], variance[at], logarithmic);
        o->count++;
    }
}

/* The share of the variation that is predicted, in percent; NaN where there is none. inside: how many
 * are in their bands. */
static double quality(const left_out *o, int *inside)
{
    double centre = 0.0, total = 0.0, rest = 0.0;
    *inside = 0;
    for (int i = 0; i < o->count; i++) centre += o->seen[i] / o->count;
    for (int i = 0; i < o->count; i++) {
        total += (o->seen[i] - centre) * (o->seen[i] - centre);
        rest += (o->seen[i] - o->predicted[i]) * (o->seen[i] - o->predicted[i]);
        *inside += o->low[i] <= o->seen[i] && o->seen[i] <= o->high[i];
    }
    return total > 1e-24 * centre * centre * o->count ? fmax(0.0, 100.0 * (1.0 - rest / total)) : NAN;
}

static const chart_item ITEMS[2] = {{"predicted", "a trial, with its 95 % band", CHART_DOT},
                                    {"reference", "predicted exactly", CHART_STROKE}};

static void draw_left_out(const report *r, const char *name, const left_out *o)
{
    chart c = report_chart(r, 290.0, 250.0);
    chart_axis axis = CHART_EMPTY;
    int inside;
    double explained = quality(o, &inside);
    char text[400], said[128];
    chart_include(&axis, o->seen, o->count);
    chart_include(&axis, o->predicted, o->count);
    chart_axis bars = axis;
    chart_include(&bars, o->low, o->count);
    chart_include(&bars, o->high, o->count);
    /* Bars that are much longer are cut: else nothing of the rest were seen. */
    double range = axis.high - axis.low;
    bars.low = fmax(bars.low, axis.low - range);
    bars.high = fmin(bars.high, axis.high + range);
    chart_pad(&axis);
    chart_pad(&bars);
    c.x = axis;
    c.y = bars;
    if (isnan(explained))
        snprintf(said, sizeof said, "constant");
    else
        number_format(said, sizeof said, "explains %.3g %%, %d of %d in their bands", explained, inside,
                      o->count);
    fputs("<figure><figcaption><b>", r->file);
    svg_escape(r->file, name);
    fprintf(r->file, "</b> <small>%s</small></figcaption>", said);
    const double ends[2] = {axis.low, axis.high};
    snprintf(text, sizeof text, "Predicted against simulated, of %.60s: %s", name, said);
    chart_name(&c, "quality", name, NULL);
    c.items = ITEMS;
    c.item_count = 2;
    chart_begin(&c, text, "simulated", "predicted");
    c.series = "exact";
    chart_line(&c, "reference", ends, ends, 2);
    c.series = "95 % band";
    chart_bars(&c, "");
    for (int i = 0; i < o->count; i++) chart_bar(&c, o->seen[i], o->low[i], o->high[i]);
    chart_marks_end(&c);
    c.series = "predicted";
    chart_marks(&c, "predicted");
    for (int i = 0; i < o->count; i++) chart_mark(&c, CHART_DOT, o->seen[i], o->predicted[i]);
    chart_marks_end(&c);
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

gofh_status figure_left_out(const report *r)
{
    if (!r->models_outputs || r->done < 2) return GOFH_OK;
    size_t n = (size_t)r->done, values = n * (size_t)r->m;
    double *mean = memory_doubles(2 * values + 4 * n);
    if (!mean) return error_memory(r->error);
    double *variance = mean + values, *seen = variance + values;
    left_out o = {.seen = seen, .predicted = seen + n, .low = seen + 2 * n, .high = seen + 3 * n};
    gofh_status status = gofh_study_leave_one_out(r->study, mean, variance);
    if (status) report_failure(r, status);
    int shown = report_shown_outputs(r);
    if (!status) {
        fputs("<section id=\"quality\"><h2>Quality of the model</h2>\n<p class=\"note\">Each trial as the "
              "model would "
              "predict it from all the others.",
              r->file);
        if (shown < r->m) fprintf(r->file, " The first %d of %d outputs.", shown, r->m);
        fputs("</p>", r->file);
        report_legend(r, ITEMS, 2);
        fputs("<div class=\"charts wide\">\n", r->file);
    }
    for (int j = 0; j < shown && !status; j++) {
        char name[REPORT_NAME];
        pick_output(r, j, mean, variance, &o);
        report_element_name(r, j, name);
        draw_left_out(r, name, &o);
    }
    if (!status) fputs("</div></section>\n", r->file);
    free(mean);
    return status;
}
