/* Pictures of what the model believes: the fit to data, slices through the best point, and how well it foretells. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FITS = 6, MOST_BEHIND = 24, FINE = 49, COARSE = 25, MANY_VALUES = 200, OPEN_CHARTS = 48 };

/* Of a normal: 95 % lie within so many standard deviations. */
static const double SPREAD = 1.96;

/* ---- Measured data against the best fit ---- */

typedef struct {
    double *at, *low, *high; /* r->m each */
    const double *deviation; /* of the model at the best point, m; NULL: no model */
} fit_work;

static void draw_fit(const report *r, const fit_work *work, const report_output *output, int first,
                     const report_data *data)
{
    int size = output->size, behind = 0;
    const double *best = r->y + (size_t)r->best * (size_t)r->m + first;
    chart c = {.file = r->file, .width = 760.0, .height = 290.0};
    c.x = (chart_axis){.low = -0.5, .high = size - 0.5};
    c.y = CHART_EMPTY;
    for (int j = 0; j < size; j++) {
        work->at[j] = j;
        double half = work->deviation ? SPREAD * work->deviation[first + j] : 0.0;
        work->low[j] = best[j] - half;
        work->high[j] = best[j] + half;
    }
    chart_include(&c.y, data->values, size);
    chart_include(&c.y, work->low, size);
    chart_include(&c.y, work->high, size);
    chart_pad(&c.y);
    double room = 0.25 * (c.y.high - c.y.low);
    c.y.low -= room;
    c.y.high += room;
    fputs("<figure class=\"large\"><figcaption><b>", r->file);
    svg_escape(r->file, output->name);
    fputs("</b> against <b>", r->file);
    svg_escape(r->file, data->name);
    fputs("</b></figcaption>\n", r->file);
    chart_begin(&c, "Measured data and outputs at the best point", "element", NULL);
    for (int i = 0; i < r->count && behind < MOST_BEHIND; i++) {
        if (r->state[i] != GOFH_TRIAL_DONE || i == r->best) continue;
        chart_line(&c, "behind", work->at, r->y + (size_t)i * (size_t)r->m + first, size);
        behind++;
    }
    if (work->deviation) chart_band(&c, "model", work->at, work->low, work->high, size);
    chart_line(&c, "model", work->at, best, size);
    chart_marks(&c, "measured");
    for (int j = 0; j < size; j++) chart_mark(&c, CHART_DOT, j, data->values[j]);
    chart_marks_end(&c);
    chart_end(&c);
    fputs("<p class=\"legend\"><span>", r->file);
    chart_key(r->file, "measured", CHART_DOT);
    fputs("measured</span><span><i class=\"stroke model\"></i>best trial, and the model's 95 % band "
          "there</span>"
          "<span><i class=\"stroke behind\"></i>other trials</span></p></figure>\n",
          r->file);
}

/* Whether data k is what output i is measured against: of its size, and where there are as many data of that size as outputs,
 * in the same place among them. */
static int is_measured_by(const report_input *in, int i, int k)
{
    int size = in->outputs[i].size, outputs = 0, data = 0, output_place = 0, data_place = 0;
    if (size < 2 || in->data[k].count != size) return 0;
    for (int o = 0; o < in->output_count; o++) {
        if (in->outputs[o].size != size) continue;
        output_place += o < i;
        outputs++;
    }
    for (int v = 0; v < in->data_count; v++) {
        if (in->data[v].count != size) continue;
        data_place += v < k;
        data++;
    }
    return outputs != data || output_place == data_place;
}

static int fits_of(const report *r, const fit_work *work)
{
    int fits = 0, first = 0;
    const report_input *in = r->input;
    for (int i = 0; i < in->output_count; first += in->outputs[i++].size)
        for (int k = 0; k < in->data_count && fits < MOST_FITS; k++) {
            if (!is_measured_by(in, i, k)) continue;
            if (fits++ == 0 && work)
                fputs("<section id=\"fit\"><h2>Measured data and best fit</h2>\n", r->file);
            if (work) draw_fit(r, work, &in->outputs[i], first, &in->data[k]);
        }
    if (fits && work) fputs("</section>\n", r->file);
    return fits;
}

gofh_status figure_fit(const report *r)
{
    if (r->best < 0 || fits_of(r, NULL) == 0) return GOFH_OK;
    size_t m = (size_t)r->m;
    double *block = memory_doubles(4 * m);
    if (!block) return error_memory(r->error);
    double *deviation = block + 3 * m;
    fit_work work = {.at = block, .low = block + m, .high = block + 2 * m};
    gofh_status status = GOFH_OK;
    if (r->models_outputs) {
        status = gofh_study_predict(r->study, r->x + (size_t)r->best * (size_t)r->d, 1, NULL, deviation, NULL,
                                    NULL);
        if (status) report_failure(r, status);
        for (size_t j = 0; j < m; j++) deviation[j] = sqrt(deviation[j]);
        work.deviation = deviation;
    }
    if (!status) fits_of(r, &work);
    free(block);
    return status;
}

/* ---- Slices through the best point ---- */

/* All slices: d of them, of `points` points each. */
typedef struct {
    int points;
    double *along;                           /* d x points: the parameter that moves */
    double *x;                               /* d x points x d */
    double *mean, *variance, *f, *deviation; /* d x points, x m */
    double *low, *middle, *high;             /* points */
} slices;

/* Slice k goes through the best point itself, which may be in a valley narrower than the steps. */
static void pass_through_best(const report *r, slices *s, int k)
{
    double best = r->x[(size_t)r->best * (size_t)r->d + (size_t)k];
    size_t first = (size_t)(k * s->points), nearest = first;
    for (size_t row = first; row < first + (size_t)s->points; row++)
        if (fabs(s->along[row] - best) < fabs(s->along[nearest] - best)) nearest = row;
    s->along[nearest] = s->x[nearest * (size_t)r->d + (size_t)k] = best;
}

static void slice_points(const report *r, slices *s)
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
            memcpy(s->x + row * (size_t)r->d, best, (size_t)r->d * sizeof *best);
            s->x[row * (size_t)r->d + (size_t)k] = s->along[row] = value;
        }
        pass_through_best(r, s, k);
    }
}

/* One chart of slice k; low, middle and high are set. `best` is the value seen at the best point. */
static void draw_slice(const report *r, const slices *s, int k, chart_axis y, const char *name, double best)
{
    const report_parameter *p = &r->input->parameters[k];
    const double *along = s->along + (size_t)k * (size_t)s->points;
    chart c = {.file = r->file, .width = 250.0, .height = 170.0, .y = y};
    c.x = (chart_axis){.low = p->lower, .high = p->upper, .log = p->scale == GOFH_SCALE_LOG};
    fputs("<figure>", r->file);
    chart_begin(&c, "Slice through the best point", p->name, name);
    chart_band(&c, "model", along, s->low, s->high, s->points);
    chart_line(&c, "model", along, s->middle, s->points);
    chart_marks(&c, "star");
    chart_mark(&c, CHART_STAR, r->x[(size_t)r->best * (size_t)r->d + (size_t)k], best);
    chart_marks_end(&c);
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

/* low, middle and high of f along slice k. */
static void slice_of_f(const report *r, const slices *s, int k)
{
    for (int i = 0; i < s->points; i++) {
        size_t row = (size_t)(k * s->points + i);
        double f = report_drawn_f(r, s->f[row]), half = SPREAD * s->deviation[row];
        s->middle[i] = isfinite(f) ? f : NAN;
        s->low[i] = isfinite(f) ? f - half : NAN;
        s->high[i] = isfinite(f) ? f + half : NAN;
    }
}

static void slice_of_output(const report *r, const slices *s, int k, int j)
{
    for (int i = 0; i < s->points; i++) {
        size_t at = (size_t)(k * s->points + i) * (size_t)r->m + (size_t)j;
        double half = SPREAD * sqrt(s->variance[at]);
        s->middle[i] = s->mean[at];
        s->low[i] = s->mean[at] - half;
        s->high[i] = s->mean[at] + half;
    }
}

static void draw_slices_of_f(const report *r, const slices *s)
{
    chart_axis y = CHART_EMPTY;
    double best = report_drawn_f(r, r->f[r->best]);
    y.log = r->f_log;
    chart_include(&y, &best, 1);
    for (int k = 0; k < r->d; k++) {
        slice_of_f(r, s, k);
        chart_include(&y, s->middle, s->points);
        if (!y.log) chart_include(&y, s->low, s->points);
        chart_include(&y, s->high, s->points);
    }
    chart_pad(&y);
    fputs("<h3>Objective</h3><div class=\"charts\">\n", r->file);
    for (int k = 0; k < r->d; k++) {
        slice_of_f(r, s, k);
        draw_slice(r, s, k, y, r->f_name, best);
    }
    fputs("</div>\n", r->file);
}

static void draw_slices_of_outputs(const report *r, const slices *s)
{
    int shown = report_shown_outputs(r);
    char name[REPORT_NAME];
    if (shown < r->m) fprintf(r->file, "<p class=\"note\">The first %d of %d outputs.</p>\n", shown, r->m);
    for (int j = 0; j < shown; j++) {
        double best = r->y[(size_t)r->best * (size_t)r->m + (size_t)j];
        chart_axis y = CHART_EMPTY;
        chart_include(&y, &best, 1);
        for (int k = 0; k < r->d; k++) {
            slice_of_output(r, s, k, j);
            chart_include(&y, s->low, s->points);
            chart_include(&y, s->high, s->points);
        }
        chart_pad(&y);
        report_element_name(r, j, name);
        fprintf(r->file, "<details%s><summary>Output ", (j + 1) * r->d <= OPEN_CHARTS ? " open" : "");
        svg_escape(r->file, name);
        fputs("</summary><div class=\"charts\">\n", r->file);
        for (int k = 0; k < r->d; k++) {
            slice_of_output(r, s, k, j);
            draw_slice(r, s, k, y, name, best);
        }
        fputs("</div></details>\n", r->file);
    }
}

static gofh_status predict_slices(const report *r, const slices *s)
{
    int count = r->d * s->points;
    double *mean = r->models_outputs ? s->mean : NULL, *variance = r->models_outputs ? s->variance : NULL;
    gofh_status status = gofh_study_predict(r->study, s->x, count, mean, variance, s->f, s->deviation);
    return status ? report_failure(r, status) : GOFH_OK;
}

gofh_status figure_slices(const report *r)
{
    if (r->best < 0 || !r->models_f) return GOFH_OK;
    slices s = {.points = r->d * r->m > MANY_VALUES ? COARSE : FINE};
    size_t d = (size_t)r->d, m = (size_t)r->m, points = (size_t)s.points, rows = d * points;
    double *block = memory_doubles(rows * (3 + d + 2 * m) + 3 * points);
    if (!block) return error_memory(r->error);
    s.along = block;
    s.f = s.along + rows;
    s.deviation = s.f + rows;
    s.x = s.deviation + rows;
    s.mean = s.x + rows * d;
    s.variance = s.mean + rows * m;
    s.low = s.variance + rows * m;
    s.middle = s.low + points;
    s.high = s.middle + points;
    slice_points(r, &s);
    gofh_status status = predict_slices(r, &s);
    if (!status) {
        fputs("<section id=\"slices\"><h2>Slices through the best point</h2>\n<p class=\"legend\"><span>"
              "<i class=\"stroke model\"></i>posterior mean and 95 % band</span><span>",
              r->file);
        chart_key(r->file, "star", CHART_STAR);
        fputs("best trial</span></p>\n", r->file);
        if (r->input->constraint_count)
            fputs("<p class=\"note\">The objective has no line where the model is not sure that the "
                  "constraints "
                  "hold.</p>\n",
                  r->file);
        draw_slices_of_f(r, &s);
        if (r->models_outputs) draw_slices_of_outputs(r, &s);
        fputs("</section>\n", r->file);
    }
    free(block);
    return status;
}

/* ---- Leave one out ---- */

/* Output j of the done trials: what was seen, what was foretold without it, and the half width of the band. */
static void pick_output(const report *r, int j, const double *mean, const double *variance, double *seen,
                        double *foretold, double *half)
{
    for (int i = 0, row = 0; i < r->count; i++) {
        if (r->state[i] != GOFH_TRIAL_DONE) continue;
        size_t at = (size_t)row * (size_t)r->m + (size_t)j;
        seen[row] = r->y[(size_t)i * (size_t)r->m + (size_t)j];
        foretold[row] = mean[at];
        half[row++] = SPREAD * sqrt(variance[at]);
    }
}

static void quality_caption(const report *r, const double *seen, const double *foretold, const double *half)
{
    double centre = 0.0, total = 0.0, rest = 0.0;
    int inside = 0;
    for (int i = 0; i < r->done; i++) centre += seen[i] / r->done;
    for (int i = 0; i < r->done; i++) {
        total += (seen[i] - centre) * (seen[i] - centre);
        rest += (seen[i] - foretold[i]) * (seen[i] - foretold[i]);
        inside += fabs(seen[i] - foretold[i]) <= half[i];
    }
    if (total > 1e-24 * centre * centre * r->done)
        number_print(r->file, "<small>explains %.4g %%, %d of %d in their bands</small>",
                     fmax(0.0, 100.0 * (1.0 - rest / total)), inside, r->done);
    else
        fputs("<small>constant</small>", r->file);
}

static void draw_left_out(const report *r, const char *name, const double *seen, const double *foretold,
                          const double *half)
{
    chart c = {.file = r->file, .width = 290.0, .height = 250.0};
    chart_axis axis = CHART_EMPTY;
    chart_include(&axis, seen, r->done);
    chart_include(&axis, foretold, r->done);
    chart_pad(&axis);
    c.x = c.y = axis;
    fputs("<figure><figcaption><b>", r->file);
    svg_escape(r->file, name);
    fputs("</b> ", r->file);
    quality_caption(r, seen, foretold, half);
    fputs("</figcaption>", r->file);
    const double ends[2] = {axis.low, axis.high};
    chart_begin(&c, "Foretold against seen", "seen", "foretold");
    chart_line(&c, "behind", ends, ends, 2);
    fputs("<path class=\"line bars\" d=\"", r->file);
    for (int i = 0; i < r->done; i++)
        number_print(r->file, "M%.1f %.1fV%.1f", chart_x(&c, seen[i]), chart_y(&c, foretold[i] - half[i]),
                     chart_y(&c, foretold[i] + half[i]));
    fputs("\"/>\n", r->file);
    chart_marks(&c, "foretold");
    for (int i = 0; i < r->done; i++) chart_mark(&c, CHART_DOT, seen[i], foretold[i]);
    chart_marks_end(&c);
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

gofh_status figure_left_out(const report *r)
{
    if (!r->models_outputs || r->done < 2) return GOFH_OK;
    size_t n = (size_t)r->done, values = n * (size_t)r->m;
    double *mean = memory_doubles(2 * values + 3 * n);
    if (!mean) return error_memory(r->error);
    double *variance = mean + values, *seen = variance + values, *foretold = seen + n, *half = foretold + n;
    gofh_status status = gofh_study_leave_one_out(r->study, mean, variance);
    if (status) report_failure(r, status);
    int shown = report_shown_outputs(r);
    if (!status) {
        fputs("<section id=\"quality\"><h2>Quality of the model</h2>\n<p class=\"note\">Each trial as the "
              "model would "
              "foretell it from all the others, with 95 % bands. On the line: foretold exactly.",
              r->file);
        if (shown < r->m) fprintf(r->file, " The first %d of %d outputs.", shown, r->m);
        fputs("</p><div class=\"charts wide\">\n", r->file);
    }
    for (int j = 0; j < shown && !status; j++) {
        char name[REPORT_NAME];
        pick_output(r, j, mean, variance, seen, foretold, half);
        report_element_name(r, j, name);
        draw_left_out(r, name, seen, foretold, half);
    }
    if (!status) fputs("</div></section>\n", r->file);
    free(mean);
    return status;
}
