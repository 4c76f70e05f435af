/* How long the runs took. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/progress.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int *trial;
    double *x, *seconds, *sorted;
    int count;
} times;

static int ascending(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static void draw_times(const report *r, const times *t, chart c, const char *text)
{
    double least = t->sorted[0], most = t->sorted[t->count - 1], zero = 0.0;
    c.x = (chart_axis){.low = 0.0, .high = r->count + 1.0, .whole = 1};
    c.y = CHART_EMPTY;
    c.y.log = least > 0.0 && most > REPORT_DECADES * least;
    if (!c.y.log) chart_include(&c.y, &zero, 1);
    chart_include(&c.y, t->seconds, t->count);
    chart_pad(&c.y);
    if (!c.y.log) c.y.low = 0.0;
    chart_name(&c, "times", NULL, NULL);
    chart_begin(&c, text, "trial", "seconds");
    c.series = "run";
    chart_trials(&c, "predicted", CHART_DOT, t->trial, t->x, t->seconds, t->count);
    chart_end(&c);
}

static void write_times(const report *r, const times *t)
{
    char said[4][48], text[400];
    double total = 0.0;
    for (int i = 0; i < t->count; i++) total += t->seconds[i];
    const double values[4] = {t->sorted[t->count / 2], t->sorted[0], t->sorted[t->count - 1], total};
    for (int i = 0; i < 4; i++) {
        if (values[i] < 60.0)
            number_format(said[i], sizeof said[i], "%.3g s", values[i]);
        else
            progress_duration(values[i], said[i], sizeof said[i]);
    }
    snprintf(text, sizeof text, "Run times of %d trials: the median %s, from %s to %s, in all %s.", t->count,
             said[0], said[1], said[2], said[3]);
    fprintf(r->file,
            "<section id=\"times\"><h2>Run times</h2>\n<p class=\"note\">%s</p>\n<figure class=\"large\">\n",
            text);
    for (int size = 0; size < report_sizes(r); size++) draw_times(r, t, report_large_chart(r, size), text);
    fputs("</figure></section>\n", r->file);
}

gofh_status figure_times(const report *r)
{
    if (!r->input->runs || r->count == 0) return GOFH_OK;
    size_t count = (size_t)r->count;
    times t = {.trial = memory_new(count, sizeof *t.trial), .x = memory_doubles(3 * count)};
    gofh_status status = GOFH_OK;
    if (!t.trial || !t.x) {
        status = error_memory(r->error);
    } else {
        t.seconds = t.x + count;
        t.sorted = t.seconds + count;
        for (int i = 0; i < r->count; i++) {
            if (!isfinite(r->input->runs[i].seconds)) continue;
            t.trial[t.count] = i + 1;
            t.x[t.count] = i + 1;
            t.seconds[t.count] = t.sorted[t.count] = r->input->runs[i].seconds;
            t.count++;
        }
        qsort(t.sorted, (size_t)t.count, sizeof *t.sorted, ascending);
        if (t.count) write_times(r, &t);
    }
    free(t.trial);
    free(t.x);
    return status;
}
