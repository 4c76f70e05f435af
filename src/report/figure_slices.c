/* Slices through the best point: the objective and each output as the model has them along one
 * parameter. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points over the whole range, and of these on either side of the best one. */
enum { FINE = 49, COARSE = 25, NEAR = 8, MANY_VALUES = 200, OBJECTIVE = -1 };
/* Each of the latter is nearer by this factor than the one before: f that falls by decades towards the best
 * falls within a step. */
static const double NEARER = 0.2;

/* The ends of the band. */
static const double LEVELS[2] = {0.025, 0.975};
/* On a logarithmic scale a band is drawn down to this part of the least mean. */
static const double DEEPEST = 0.01;
/* And above the largest value that was seen. */
static const double HIGHEST = 1e3;
/* No scale is finer than this part of what the trials varied by, which counts up to REPORT_DECADES times
 * the values at hand: below it a model that interpolates shows its rounding. */
static const double FINEST = 1e-4;

/* All slices: d of them, of `points` points each. */
typedef struct {
    int points, even;            /* of each; those of them that are spread over the range */
    double *along;               /* d x points: the parameter that moves */
    double *x;                   /* d x points x d */
    double *mean, *f, *feasible; /* d x points, x m */
    double *band, *f_band;       /* the same, x 2 */
    double probable;             /* constraints are taken to hold where they do so with this probability */
    double *low, *middle, *high; /* points: of the slice at hand */
} slices;

static double value_at(const report_parameter *p, double share)
{
    double value = p->scale == GOFH_SCALE_LOG ? p->lower * pow(p->upper / p->lower, share)
                                              : p->lower + share * (p->upper - p->lower);
    return fmin(fmax(value, p->lower), p->upper);
}

static double share_of(const report_parameter *p, double value)
{
    return p->scale == GOFH_SCALE_LOG ? log(value / p->lower) / log(p->upper / p->lower)
                                      : (value - p->lower) / (p->upper - p->lower);
}

static int ascending(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Points of an interval: evenly over it, the best one itself, and ever nearer ones on both sides of it. */
static void place_points(const report_parameter *p, const slices *s, double best, double *along)
{
    double distance = 1.0 / (s->even - 1);
    int count = 0;
    for (int i = 0; i < s->even; i++) along[count++] = value_at(p, (double)i / (s->even - 1));
    for (int i = 0; i < NEAR; i++) {
        distance *= NEARER;
        along[count++] = value_at(p, share_of(p, best) - distance);
        along[count++] = value_at(p, share_of(p, best) + distance);
    }
    along[count++] = best;
    qsort(along, (size_t)count, sizeof *along, ascending);
}

static void slice_points(const report *r, const slices *s)
{
    const double *best = r->x + (size_t)r->best * (size_t)r->d;
    for (int k = 0; k < r->d; k++) {
        const report_parameter *p = &r->input->parameters[k];
        double *along = s->along + (size_t)k * (size_t)s->points;
        if (p->count == 0) place_points(p, s, best[k], along);
        for (int i = 0; i < s->points; i++) {
            double *x = s->x + (size_t)(k * s->points + i) * (size_t)r->d;
            if (p->count > 0) along[i] = p->values[i * (p->count - 1) / (s->points - 1)];
            memcpy(x, best, (size_t)r->d * sizeof *best);
            x[k] = along[i];
        }
    }
}

/* A point of the first slice that is the best one, or next to it. */
static size_t best_row(const report *r, const slices *s)
{
    double best = r->x[(size_t)r->best * (size_t)r->d];
    size_t nearest = 0;
    for (size_t row = 0; row < (size_t)s->points; row++)
        if (fabs(s->along[row] - best) < fabs(s->along[nearest] - best)) nearest = row;
    return nearest;
}

/* The sign that the objective is drawn with. */
static double sign_of_f(const report *r)
{
    return r->f_origin == 0.0 ? r->f_sign : 1.0;
}

/* low, middle and high of output j, or of the objective, along slice k. */
static void take_slice(const report *r, const slices *s, int k, int j)
{
    double sign = j == OBJECTIVE ? sign_of_f(r) : 1.0;
    for (int i = 0; i < s->points; i++) {
        size_t row = (size_t)(k * s->points + i), at = row * (size_t)r->m + (size_t)j;
        const double *band = j == OBJECTIVE ? s->f_band + 2 * row : s->band + 2 * at;
        double value = sign * (j == OBJECTIVE ? s->f[row] : s->mean[at]);
        int known = isfinite(value) && isfinite(band[0]) && isfinite(band[1]);
        s->middle[i] = isfinite(value) ? value : NAN;
        s->low[i] = known ? sign * band[sign < 0.0] : NAN;
        s->high[i] = known ? sign * band[sign > 0.0] : NAN;
    }
}

/* What was seen at the best point; of the objective where that is infeasible, what the model
 * predicts. */
static double best_value(const report *r, const slices *s, int j)
{
    if (j != OBJECTIVE) return r->y[(size_t)r->best * (size_t)r->m + (size_t)j];
    double f = isfinite(r->f[r->best]) ? r->f[r->best] : s->f[best_row(r, s)];
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

/* Whether the slice, and the best value unless it is NaN, are above 0 over decades: an objective may reach 0
 * exactly, which stands at the frame. *least: above 0. */
static int spans_decades(const slices *s, double best, int j, double *least)
{
    double most = 0.0;
    *least = INFINITY;
    for (int i = -1; i < s->points; i++) {
        double value = i < 0 ? best : s->middle[i];
        if (isnan(value)) continue;
        if (value < 0.0 || (value == 0.0 && j != OBJECTIVE)) return 0;
        if (value > 0.0) *least = fmin(*least, value);
        most = fmax(most, value);
    }
    return most > REPORT_DECADES * *least;
}

/* How far down a logarithmic scale of the slice at hand goes for the best value. Where that is decades below
 * what the model tells apart from 0, it stands at the frame. */
static double deepest(const slices *s, double best, int j)
{
    double least;
    return spans_decades(s, NAN, j, &least) && best < DEEPEST * least ? DEEPEST * least : best;
}

/* The scale of the slice at hand, which is its own. */
static chart_axis axis_of(const report *r, const slices *s, int j, double best)
{
    chart_axis axis = CHART_EMPTY;
    double least;
    axis.log = spans_decades(s, best, j, &least);
    double shown = axis.log ? deepest(s, best, j) : best;
    if (best < shown) least = shown / DEEPEST;
    chart_include(&axis, &shown, 1);
    /* What the model does not know may be 1e300 of a logarithm's output. */
    double ceiling = axis.log ? HIGHEST * fmax(shown, seen_range(r, j)) : INFINITY;
    for (int i = 0; i < s->points; i++) {
        double low = axis.log ? fmax(s->low[i], DEEPEST * least) : s->low[i];
        const double limits[] = {low, fmin(s->middle[i], ceiling), fmin(s->high[i], ceiling)};
        chart_include(&axis, limits, 3);
    }
    double varied = fmin(seen_range(r, j), REPORT_DECADES * fmax(fabs(axis.low), fabs(axis.high)));
    double missing = FINEST * varied - (axis.high - axis.low);
    if (!axis.log && missing > 0.0 && axis.low <= axis.high) {
        axis.low -= 0.5 * missing;
        axis.high += 0.5 * missing;
    }
    chart_pad(&axis);
    return axis;
}

/* The probability at the best trial, which met the constraints, may be small where it is at their limits:
 * the ground of what is as probable as half of it is not red. */
static double find_probable(const report *r, const slices *s)
{
    static const double HALF = 0.5;
    double most = isfinite(r->f[r->best]) ? 0.0 : HALF;
    for (int k = 0; k < r->d; k++)
        for (int i = 0; i < s->points; i++) {
            size_t row = (size_t)(k * s->points + i);
            if (s->along[row] == r->x[(size_t)r->best * (size_t)r->d + (size_t)k])
                most = fmax(most, s->feasible[row]);
        }
    return most < HALF ? HALF * most : HALF;
}

/* Where the constraints probably do not hold, up to the middle between two points. */
static void draw_infeasible(chart *c, const double *along, const double *feasible, int count, double probable)
{
    for (int i = 0; i < count; i++) {
        if (!(feasible[i] < probable)) continue;
        int last = i;
        while (last + 1 < count && feasible[last + 1] < probable) last++;
        double from = chart_x(c, c->x.low), to = chart_x(c, c->x.high);
        if (i > 0) from = 0.5 * (chart_x(c, along[i - 1]) + chart_x(c, along[i]));
        if (last + 1 < count) to = 0.5 * (chart_x(c, along[last]) + chart_x(c, along[last + 1]));
        chart_shade(c, "not-feasible", from, to);
        i = last;
    }
}

void report_draw_values(chart *c, const double *along, const double *low, const double *middle,
                        const double *high, int count)
{
    const char *series = c->series;
    c->series = "95 % band";
    chart_bars(c, "model");
    for (int i = 0; i < count; i++)
        if (i == 0 || along[i] != along[i - 1]) chart_bar(c, along[i], low[i], high[i]);
    chart_marks_end(c);
    c->series = series;
    chart_marks(c, "predicted");
    for (int i = 0; i < count; i++)
        if ((i == 0 || along[i] != along[i - 1]) && isfinite(middle[i]))
            chart_mark(c, CHART_DOT, along[i], middle[i]);
    chart_marks_end(c);
}

static const chart_item ITEMS[4] = {{"model", "posterior mean", CHART_STROKE},
                                    {"band model", "95 % band", CHART_AREA},
                                    {"star", "best trial", CHART_STAR},
                                    {"not-feasible", "constraints probably do not hold", CHART_AREA}};

/* One chart of slice k; low, middle and high are set. */
static void draw_slice(const report *r, const slices *s, int k, int j, const char *name, double best)
{
    const report_parameter *p = &r->input->parameters[k];
    const double *along = s->along + (size_t)k * (size_t)s->points;
    double at_best = r->x[(size_t)r->best * (size_t)r->d + (size_t)k];
    chart c = report_chart(r, 250.0, 170.0);
    char text[480], place[REPORT_NAME], ends[2][48];
    c.y = axis_of(r, s, j, best);
    c.x = report_parameter_axis(r, k);
    report_value(r, k, at_best, place);
    chart_number(s->middle[0], 0, ends[0], sizeof ends[0]);
    chart_number(s->middle[s->points - 1], 0, ends[1], sizeof ends[1]);
    snprintf(
        text, sizeof text,
        "Slice through the best point: %.60s along %.60s, from %s at its lower bound to %s at its upper; the "
        "best trial is at %s.",
        name, p->name, ends[0], ends[1], place);
    int infeasible = 0;
    for (int i = 0; i < s->points; i++) infeasible |= s->feasible[k * s->points + i] < s->probable;
    c.items = ITEMS;
    c.item_count = infeasible ? 4 : 3;
    fputs("<figure>", r->file);
    chart_name(&c, "slice", name, p->name);
    chart_begin(&c, text, p->name, name);
    draw_infeasible(&c, along, s->feasible + (size_t)k * (size_t)s->points, s->points, s->probable);
    if (p->count == 0) {
        c.series = "95 % band";
        chart_band(&c, "model", along, s->low, s->high, s->points);
        c.series = "posterior mean";
        chart_line(&c, "model", along, s->middle, s->points);
    } else {
        c.series = "posterior mean";
        report_draw_values(&c, along, s->low, s->middle, s->high, s->points);
    }
    c.series = "best trial";
    chart_trials(&c, "star", CHART_STAR, (int[]){r->best + 1}, &at_best, &best, 1);
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

/* The slices of output j, or of the objective. */
static void draw_slices(const report *r, const slices *s, int j, const char *name)
{
    double best = best_value(r, s, j);
    fputs("<div class=\"charts\">\n", r->file);
    for (int k = 0; k < r->d; k++) {
        if (r->input->parameters[k].count == 1) continue; /* it is fixed */
        take_slice(r, s, k, j);
        draw_slice(r, s, k, j, name, best);
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
        fputs("<details><summary>Output ", r->file);
        svg_escape(r->file, name);
        fputs("</summary>", r->file);
        draw_slices(r, s, j, name);
        fputs("</details>\n", r->file);
    }
}

static gofh_status predict_slices(const report *r, const slices *s)
{
    int count = r->d * s->points;
    gofh_status status = GOFH_OK;
    if (r->models_outputs) status = gofh_study_predict(r->study, s->x, count, s->mean, NULL, NULL, NULL);
    if (!status) status = gofh_study_predict_objective(r->study, s->x, count, s->f, NULL, s->feasible);
    if (!status)
        status = gofh_study_predict_quantiles(r->study, s->x, count, LEVELS, 2, s->f_band,
                                              r->models_outputs ? s->band : NULL);
    return status ? report_failure(r, status) : GOFH_OK;
}

/* Whether the star of a slice of f stands at the frame. */
static int is_deeper(const report *r, const slices *s)
{
    double best = best_value(r, s, OBJECTIVE);
    int deeper = 0;
    for (int k = 0; k < r->d; k++) {
        take_slice(r, s, k, OBJECTIVE);
        deeper |= best < deepest(s, best, OBJECTIVE);
    }
    return deeper;
}

static void write_slices(const report *r, const slices *s)
{
    int infeasible = 0;
    for (int i = 0; i < r->d * s->points; i++) infeasible |= s->feasible[i] < s->probable;
    chart_item items[4] = {ITEMS[0], ITEMS[1], ITEMS[2], ITEMS[3]};
    if (is_deeper(r, s))
        items[2].text = "best trial; on the lower edge: less than the model tells apart from 0";
    fputs("<section id=\"slices\"><h2>Slices through the best point</h2>\n<p class=\"legend\">", r->file);
    for (int i = 0; i < (infeasible ? 4 : 3); i++) chart_legend(r->file, &items[i]);
    fputs("<span>each with a scale of its own</span></p>\n<h3>Objective</h3>", r->file);
    draw_slices(r, s, OBJECTIVE, sign_of_f(r) < 0.0 ? r->f_name : "f");
    if (r->models_outputs) draw_slices_of_outputs(r, s);
    fputs("</section>\n", r->file);
}

gofh_status figure_slices(const report *r)
{
    if (r->best < 0 || !r->models_f) return GOFH_OK;
    slices s = {.even = r->d * r->m > MANY_VALUES ? COARSE : FINE};
    s.points = s.even + 2 * NEAR + 1;
    size_t d = (size_t)r->d, m = (size_t)r->m, points = (size_t)s.points, rows = d * points;
    double *block = memory_doubles(rows * (5 + d + 3 * m) + 3 * points);
    if (!block) return error_memory(r->error);
    s.along = block;
    s.f = s.along + rows;
    s.feasible = s.f + rows;
    s.f_band = s.feasible + rows;
    s.x = s.f_band + 2 * rows;
    s.mean = s.x + rows * d;
    s.band = s.mean + rows * m;
    s.low = s.band + 2 * rows * m;
    s.middle = s.low + points;
    s.high = s.middle + points;
    slice_points(r, &s);
    gofh_status status = predict_slices(r, &s);
    if (!status) {
        s.probable = find_probable(r, &s);
        write_slices(r, &s);
    }
    free(block);
    return status;
}
