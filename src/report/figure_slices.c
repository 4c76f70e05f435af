/* Slices through the best point: the objective and each output as the model has them along one
 * parameter. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 49, COARSE = 25, MANY_VALUES = 200, OPEN_CHARTS = 48, OBJECTIVE = -1 };

/* Of a normal: 95 % lie within so many standard deviations. */
static const double SPREAD = 1.96;
/* Slices of which one is flatter than this part of them all have scales of their own. */
static const double FLAT = 0.25;
/* No scale is finer than this part of what the trials varied by: below it a model that interpolates
 * shows its rounding. */
static const double FINEST = 1e-4;

/* All slices: d of them, of `points` points each. */
typedef struct {
    int points;
    double *along;                                      /* d x points: the parameter that moves */
    double *x;                                          /* d x points x d */
    double *mean, *variance, *f, *deviation, *feasible; /* d x points, x m */
    double *low, *middle, *high;                        /* points: of the slice at hand */
    chart_axis *axis;                                   /* d */
} slices;

/* Slice k goes through the best point itself, which may be in a valley narrower than the steps. */
static size_t pass_through_best(const report *r, const slices *s, int k)
{
    double best = r->x[(size_t)r->best * (size_t)r->d + (size_t)k];
    size_t first = (size_t)(k * s->points), nearest = first;
    for (size_t row = first; row < first + (size_t)s->points; row++)
        if (fabs(s->along[row] - best) < fabs(s->along[nearest] - best)) nearest = row;
    s->along[nearest] = s->x[nearest * (size_t)r->d + (size_t)k] = best;
    return nearest;
}

static void slice_points(const report *r, const slices *s)
{
    const double *best = r->x + (size_t)r->best * (size_t)r->d;
    for (int k = 0; k < r->d; k++) {
        const report_parameter *p = &r->input->parameters[k];
        for (int i = 0; i < s->points; i++) {
            size_t row = (size_t)(k * s->points + i);
            double share = (double)i / (s->points - 1);
            double value = p->scale == GOFH_SCALE_LOG ? p->lower * pow(p->upper / p->lower, share)
                                                      : p->lower + share * (p->upper - p->lower);
            value = fmin(fmax(value, p->lower), p->upper);
            if (p->count > 0) value = p->values[(int)(share * (p->count - 1) + 0.5)];
            memcpy(s->x + row * (size_t)r->d, best, (size_t)r->d * sizeof *best);
            s->x[row * (size_t)r->d + (size_t)k] = s->along[row] = value;
        }
        if (p->count == 0) pass_through_best(r, s, k);
    }
}

/* The sign that the objective is drawn with. */
static double sign_of_f(const report *r)
{
    return r->f_origin == 0.0 ? r->f_sign : 1.0;
}

/* low, middle and high of output j, or of the objective, along slice k. */
static void take_slice(const report *r, const slices *s, int k, int j)
{
    for (int i = 0; i < s->points; i++) {
        size_t row = (size_t)(k * s->points + i), at = row * (size_t)r->m + (size_t)j;
        double value = j == OBJECTIVE ? sign_of_f(r) * s->f[row] : s->mean[at];
        double half = SPREAD * (j == OBJECTIVE ? s->deviation[row] : sqrt(s->variance[at]));
        s->middle[i] = isfinite(value) ? value : NAN;
        s->low[i] = isfinite(value) && isfinite(half) ? value - half : NAN;
        s->high[i] = isfinite(value) && isfinite(half) ? value + half : NAN;
    }
}

/* What was seen at the best point; of the objective where that is infeasible, what the model
 * predicts. */
static double best_value(const report *r, const slices *s, int j)
{
    if (j != OBJECTIVE) return r->y[(size_t)r->best * (size_t)r->m + (size_t)j];
    double f = isfinite(r->f[r->best]) ? r->f[r->best] : s->f[pass_through_best(r, s, 0)];
    return isfinite(f) ? sign_of_f(r) * f : NAN;
}

/* What the trials varied by. */
static double seen_range(const report *r, int j)
{
    chart_axis seen = CHART_EMPTY;
    for (int i = 0; i < r->count; i++)
        chart_include(&seen, j == OBJECTIVE ? &r->f[i] : &r->y[(size_t)i * (size_t)r->m + (size_t)j], 1);
    return fmax(seen.high - seen.low, 0.0);
}

/* Adds the slice at hand. On a logarithmic scale the band ends at the frame, for it may come as
 * near to 0 as it likes. */
static void include_slice(chart_axis *axis, const slices *s, double best)
{
    chart_include(axis, &best, 1);
    chart_include(axis, s->middle, s->points);
    chart_include(axis, s->high, s->points);
    if (!axis->log) chart_include(axis, s->low, s->points);
}

/* Whether values are above 0 over decades: an objective may reach 0 exactly, which stands at the
 * frame. */
static int spans_decades(const slices *s, double best, int j, double *least, double *most)
{
    for (int i = -1; i < s->points; i++) {
        double value = i < 0 ? best : s->middle[i];
        if (isnan(value)) continue;
        if (value < 0.0 || (value == 0.0 && j != OBJECTIVE)) return 0;
        if (value > 0.0) *least = fmin(*least, value);
        *most = fmax(*most, value);
    }
    return 1;
}

static chart_axis axis_of(const report *r, const slices *s, int from, int to, int j, double best)
{
    chart_axis axis = CHART_EMPTY;
    double least = INFINITY, most = 0.0;
    axis.log = 1;
    for (int k = from; k < to && axis.log; k++) {
        take_slice(r, s, k, j);
        axis.log = spans_decades(s, best, j, &least, &most);
    }
    axis.log = axis.log && most > REPORT_DECADES * least;
    for (int k = from; k < to; k++) {
        take_slice(r, s, k, j);
        include_slice(&axis, s, best);
    }
    double missing = FINEST * seen_range(r, j) - (axis.high - axis.low);
    if (!axis.log && missing > 0.0 && axis.low <= axis.high) {
        axis.low -= 0.5 * missing;
        axis.high += 0.5 * missing;
    }
    return axis;
}

static double length_of(const chart_axis *axis)
{
    return axis->log ? log(axis->high / axis->low) : axis->high - axis->low;
}

/* One axis for all slices, so that they can be compared, unless one of them would be flat: then
 * each has its own. Returns whether they do. */
static int choose_axes(const report *r, const slices *s, int j, double best)
{
    chart_axis common = axis_of(r, s, 0, r->d, j, best);
    int apart = 0;
    for (int k = 0; k < r->d; k++) {
        s->axis[k] = axis_of(r, s, k, k + 1, j, best);
        chart_axis same = s->axis[k];
        same.log = common.log;
        if (r->input->parameters[k].count == 1) continue;
        if (same.low < same.high && (!same.log || same.low > 0.0))
            apart |= length_of(&same) < FLAT * length_of(&common);
    }
    for (int k = 0; k < r->d; k++) {
        if (!apart) s->axis[k] = common;
        chart_pad(&s->axis[k]);
    }
    return apart;
}

/* Where the constraints more probably do not hold than do. */
static void draw_infeasible(chart *c, const double *along, const double *feasible, int count)
{
    for (int i = 0; i < count; i++) {
        if (!(feasible[i] < 0.5)) continue;
        int last = i;
        while (last + 1 < count && feasible[last + 1] < 0.5) last++;
        double from = chart_x(c, along[i]), to = chart_x(c, along[last]);
        if (i > 0) from = 0.5 * (from + chart_x(c, along[i - 1]));
        if (last + 1 < count) to = 0.5 * (to + chart_x(c, along[last + 1]));
        chart_shade(c, "not-feasible", from, to);
        i = last;
    }
}

/* Which number stands for which choice. */
static void name_choices(const report *r, const report_parameter *p)
{
    if (!p->words) return;
    fputs("<figcaption>", r->file);
    for (int i = 0; i < p->count; i++) {
        fprintf(r->file, "%s%d ", i ? ", " : "", i);
        svg_escape(r->file, p->words[i]);
    }
    fputs("</figcaption>", r->file);
}

/* Of a discrete parameter: a mark at each value, and a line over its deviations; between them is
 * nothing. */
static void draw_values(chart *c, const slices *s, const double *along)
{
    for (int i = 0; i < s->points; i++) {
        double x[2] = {along[i], along[i]}, y[2] = {s->low[i], s->high[i]};
        if (i > 0 && along[i] == along[i - 1]) continue;
        chart_line(c, "model", x, y, 2);
        chart_marks(c, "rank0");
        if (isfinite(s->middle[i])) chart_mark(c, CHART_DOT, along[i], s->middle[i]);
        chart_marks_end(c);
    }
}

/* One chart of slice k; low, middle and high are set. */
static void draw_slice(const report *r, const slices *s, int k, const char *name, double best)
{
    const report_parameter *p = &r->input->parameters[k];
    const double *along = s->along + (size_t)k * (size_t)s->points;
    chart c = {.file = r->file, .width = 250.0, .height = 170.0, .y = s->axis[k]};
    c.x = (chart_axis){.low = p->lower, .high = p->upper, .log = p->scale == GOFH_SCALE_LOG};
    fputs("<figure>", r->file);
    chart_begin(&c, "Slice through the best point", p->name, name);
    draw_infeasible(&c, along, s->feasible + (size_t)k * (size_t)s->points, s->points);
    if (p->count == 0) {
        chart_band(&c, "model", along, s->low, s->high, s->points);
        chart_line(&c, "model", along, s->middle, s->points);
    } else {
        draw_values(&c, s, along);
    }
    chart_marks(&c, "star");
    chart_mark(&c, CHART_STAR, r->x[(size_t)r->best * (size_t)r->d + (size_t)k], best);
    chart_marks_end(&c);
    chart_end(&c);
    name_choices(r, p);
    fputs("</figure>\n", r->file);
}

/* The slices of output j, or of the objective, whose heading is not yet ended. */
static void draw_slices(const report *r, const slices *s, int j, const char *name, const char *heading)
{
    double best = best_value(r, s, j);
    if (choose_axes(r, s, j, best)) fputs(" <small>each with a scale of its own</small>", r->file);
    fprintf(r->file, "</%s><div class=\"charts\">\n", heading);
    for (int k = 0; k < r->d; k++) {
        if (r->input->parameters[k].count == 1) continue; /* it is fixed */
        take_slice(r, s, k, j);
        draw_slice(r, s, k, name, best);
    }
    fputs("</div>\n", r->file);
}

static void draw_slices_of_outputs(const report *r, const slices *s)
{
    int shown = report_shown_outputs(r);
    char name[REPORT_NAME];
    if (shown < r->m) fprintf(r->file, "<p class=\"note\">The first %d of %d outputs.</p>\n", shown, r->m);
    for (int j = 0; j < shown; j++) {
        report_element_name(r, j, name);
        fprintf(r->file, "<details%s><summary>Output ", (j + 1) * r->d <= OPEN_CHARTS ? " open" : "");
        svg_escape(r->file, name);
        draw_slices(r, s, j, name, "summary");
        fputs("</details>\n", r->file);
    }
}

static gofh_status predict_slices(const report *r, const slices *s)
{
    int count = r->d * s->points;
    gofh_status status = GOFH_OK;
    if (r->models_outputs)
        status = gofh_study_predict(r->study, s->x, count, s->mean, s->variance, NULL, NULL);
    if (!status)
        status = gofh_study_predict_objective(r->study, s->x, count, s->f, s->deviation, s->feasible);
    return status ? report_failure(r, status) : GOFH_OK;
}

static void write_slices(const report *r, const slices *s)
{
    int infeasible = 0;
    for (int i = 0; i < r->d * s->points; i++) infeasible |= s->feasible[i] < 0.5;
    fputs("<section id=\"slices\"><h2>Slices through the best point</h2>\n<p class=\"legend\"><span>"
          "<i class=\"stroke model\"></i>posterior mean and 95 % band</span><span>",
          r->file);
    chart_key(r->file, "star", CHART_STAR);
    fputs("best trial</span>", r->file);
    if (infeasible) fputs("<span><i class=\"patch\"></i>constraints probably do not hold</span>", r->file);
    fputs("</p>\n<h3>Objective", r->file);
    draw_slices(r, s, OBJECTIVE, sign_of_f(r) < 0.0 ? r->f_name : "f", "h3");
    if (r->models_outputs) draw_slices_of_outputs(r, s);
    fputs("</section>\n", r->file);
}

gofh_status figure_slices(const report *r)
{
    if (r->best < 0 || !r->models_f) return GOFH_OK;
    slices s = {.points = r->d * r->m > MANY_VALUES ? COARSE : FINE};
    size_t d = (size_t)r->d, m = (size_t)r->m, points = (size_t)s.points, rows = d * points;
    double *block = memory_doubles(rows * (4 + d + 2 * m) + 3 * points);
    s.axis = memory_new(d, sizeof *s.axis);
    if (!block || !s.axis) {
        free(block);
        free(s.axis);
        return error_memory(r->error);
    }
    s.along = block;
    s.f = s.along + rows;
    s.deviation = s.f + rows;
    s.feasible = s.deviation + rows;
    s.x = s.feasible + rows;
    s.mean = s.x + rows * d;
    s.variance = s.mean + rows * m;
    s.low = s.variance + rows * m;
    s.middle = s.low + points;
    s.high = s.middle + points;
    slice_points(r, &s);
    gofh_status status = predict_slices(r, &s);
    if (!status) write_slices(r, &s);
    free(block);
    free(s.axis);
    return status;
}
