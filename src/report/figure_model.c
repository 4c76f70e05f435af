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

/* Output j of the done trials that have it: what was seen, what was predicted without it, and the
 * half width of the band. Returns how many they are. */
static int pick_output(const report *r, int j, const double *mean, const double *variance, double *seen,
                       double *predicted, double *half)
{
    int known = 0;
    for (int i = 0, row = 0; i < r->count; i++) {
        if (r->state[i] != GOFH_TRIAL_DONE) continue;
        size_t at = (size_t)row++ * (size_t)r->m + (size_t)j;
        seen[known] = r->y[(size_t)i * (size_t)r->m + (size_t)j];
        if (isnan(seen[known])) continue;
        predicted[known] = mean[at];
        half[known++] = SPREAD * sqrt(variance[at]);
    }
    return known;
}

static void quality_caption(const report *r, const double *seen, const double *predicted, const double *half,
                            int count)
{
    double centre = 0.0, total = 0.0, rest = 0.0;
    int inside = 0;
    for (int i = 0; i < count; i++) centre += seen[i] / count;
    for (int i = 0; i < count; i++) {
        total += (seen[i] - centre) * (seen[i] - centre);
        rest += (seen[i] - predicted[i]) * (seen[i] - predicted[i]);
        inside += fabs(seen[i] - predicted[i]) <= half[i];
    }
    if (total > 1e-24 * centre * centre * count)
        number_print(r->file, "<small>explains %.4g %%, %d of %d in their bands</small>",
                     fmax(0.0, 100.0 * (1.0 - rest / total)), inside, count);
    else
        fputs("<small>constant</small>", r->file);
}

static void draw_left_out(const report *r, const char *name, const double *seen, const double *predicted,
                          const double *half, int count)
{
    chart c = {.file = r->file, .width = 290.0, .height = 250.0};
    chart_axis axis = CHART_EMPTY;
    chart_include(&axis, seen, count);
    chart_include(&axis, predicted, count);
    chart_pad(&axis);
    c.x = c.y = axis;
    fputs("<figure><figcaption><b>", r->file);
    svg_escape(r->file, name);
    fputs("</b> ", r->file);
    quality_caption(r, seen, predicted, half, count);
    fputs("</figcaption>", r->file);
    const double ends[2] = {axis.low, axis.high};
    chart_begin(&c, "Predicted against seen", "seen", "predicted");
    chart_line(&c, "behind", ends, ends, 2);
    fputs("<path class=\"line bars\" d=\"", r->file);
    for (int i = 0; i < count; i++)
        number_print(r->file, "M%.1f %.1fV%.1f", chart_x(&c, seen[i]), chart_y(&c, predicted[i] - half[i]),
                     chart_y(&c, predicted[i] + half[i]));
    fputs("\"/>\n", r->file);
    chart_marks(&c, "predicted");
    for (int i = 0; i < count; i++) chart_mark(&c, CHART_DOT, seen[i], predicted[i]);
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
    double *variance = mean + values, *seen = variance + values, *predicted = seen + n, *half = predicted + n;
    gofh_status status = gofh_study_leave_one_out(r->study, mean, variance);
    if (status) report_failure(r, status);
    int shown = report_shown_outputs(r);
    if (!status) {
        fputs("<section id=\"quality\"><h2>Quality of the model</h2>\n<p class=\"note\">Each trial as the "
              "model would "
              "predict it from all the others, with 95 % bands. On the line: predicted exactly.",
              r->file);
        if (shown < r->m) fprintf(r->file, " The first %d of %d outputs.", shown, r->m);
        fputs("</p><div class=\"charts wide\">\n", r->file);
    }
    for (int j = 0; j < shown && !status; j++) {
        char name[REPORT_NAME];
        int count = pick_output(r, j, mean, variance, seen, predicted, half);
        report_element_name(r, j, name);
        draw_left_out(r, name, seen, predicted, half, count);
    }
    if (!status) fputs("</div></section>\n", r->file);
    free(mean);
    return status;
}
