#include "bench/figures.h"

#include "bench/picture.h"
#include "bench/summary.h"
#include "report/plot.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same style for a method in every figure: the library's in their order, then the others by
 * name. */
static int method_style(const bench_summary *summary, const char *method)
{
    int place = 0;
    for (; gofh_method_name(place); place++)
        if (strcmp(gofh_method_name(place), method) == 0) return place;
    for (int i = 0; i < summary->count; i++) {
        const char *other = summary->series[i].method;
        int known = 0, seen = 0;
        for (int m = 0; gofh_method_name(m); m++) known |= strcmp(gofh_method_name(m), other) == 0;
        for (int j = 0; j < i; j++) seen |= strcmp(summary->series[j].method, other) == 0;
        if (!known && !seen && strcmp(other, method) < 0) place++;
    }
    return place;
}

typedef struct {
    plot_curve *curves;
    double *values; /* x, low and high of all curves */
} curve_set;

static void curve_set_free(curve_set *set)
{
    free(set->curves);
    free(set->values);
}

/* Curves of series first .. first + count - 1. A mean of a single replication has no band. */
static gofh_status make_curves(curve_set *set, const bench_summary *summary, int first, int count)
{
    size_t total = 0;
    for (int i = first; i < first + count; i++) total += (size_t)summary->series[i].length;
    *set = (curve_set){.curves = calloc((size_t)count, sizeof *set->curves),
                       .values = malloc((3 * total + 1) * sizeof *set->values)};
    if (!set->curves || !set->values) return GOFH_ERROR_MEMORY;
    double *next = set->values;
    for (int i = 0; i < count; i++) {
        const bench_series *series = &summary->series[first + i];
        int length = series->length;
        double *x = next, *low = x + length, *high = low + length;
        next = high + length;
        for (int e = 0; e < length; e++) {
            x[e] = e;
            low[e] = series->mean[e] - series->half_width[e];
            high[e] = series->mean[e] + series->half_width[e];
        }
        set->curves[i] = (plot_curve){.label = series->method,
                                      .kind = PLOT_MARKED,
                                      .style = method_style(summary, series->method),
                                      .count = length,
                                      .x = x,
                                      .y = series->mean,
                                      .low = low,
                                      .high = high};
    }
    return GOFH_OK;
}

static gofh_status plot_problem(const bench_summary *summary, int first, int count, int recommended,
                                const char *folder, gofh_error *error)
{
    const plot_box box = {0.0, 0.0, 720.0, 440.0};
    const char *problem = summary->series[first].problem;
    curve_set set;
    bench_picture picture;
    gofh_status status = make_curves(&set, summary, first, count);
    if (!status) status = bench_picture_open(&picture, folder, problem, error);
    if (!status) {
        plot p = {.title = problem,
                  .x_label = "evaluations after the initial design",
                  .y_label = recommended ? "mean log10 regret, recommended" : "mean log10 regret",
                  .curves = set.curves,
                  .count = count,
                  .legend = 1};
        svg_begin(picture.file, box.width, box.height, problem);
        if (plot_draw(picture.file, &p, box) != 0) status = GOFH_ERROR_MEMORY;
        svg_end(picture.file);
        status = bench_picture_close(&picture, status, error);
    }
    curve_set_free(&set);
    return status;
}

gofh_status bench_plot_results(const bench_results *results, int recommended, const char *folder,
                               gofh_error *error)
{
    bench_summary summary;
    gofh_status status = bench_summarise(&summary, results, recommended);
    if (status) return status;
    for (int first = 0, end; first < summary.count && !status; first = end) {
        const char *problem = summary.series[first].problem;
        for (end = first; end < summary.count && strcmp(summary.series[end].problem, problem) == 0;) end++;
        status = plot_problem(&summary, first, end - first, recommended, folder, error);
    }
    bench_summary_free(&summary);
    return status;
}
