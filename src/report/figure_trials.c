/* Pictures of the trials themselves: how f went down, and where they were. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the origins of trials are drawn; the last stands for all others. */
static const struct {
    const char *origin, *class, *meaning;
    chart_glyph glyph;
} ORIGINS[] = {
    {"design", "design", "initial design", CHART_DOT},
    {"start", "design", "start point", CHART_DIAMOND},
    {"import", "import", "imported", CHART_SQUARE},
    {"improve", "improve", "expected improvement", CHART_DIAMOND},
    {"local", "local", "local step", CHART_TRIANGLE},
    {"geometry", "geometry", "repair of the local model", CHART_DOT},
    {"exploit", "local", "best of the model's mean", CHART_DIAMOND},
    {"replicate", "local", "best of the model's mean, again", CHART_SQUARE},
    {"diversify", "restart", "away from the best", CHART_DIAMOND},
    {"restart", "restart", "restart some way from the best", CHART_SQUARE},
    {"feasibility", "restart", "towards the constraints", CHART_TRIANGLE},
    {"", "improve", "suggested", CHART_DIAMOND},
};
enum { ORIGIN_COUNT = sizeof ORIGINS / sizeof *ORIGINS };

static int origin_of(const char *origin)
{
    int i = 0;
    while (i < ORIGIN_COUNT - 1 && strcmp(ORIGINS[i].origin, origin) != 0) i++;
    return i;
}

static void legend_item(FILE *file, const char *class, chart_glyph glyph, const char *text)
{
    fputs("<span>", file);
    chart_key(file, class, glyph);
    fprintf(file, "%s</span>\n", text);
}

/* The best f so far, as steps: two points per trial. */
static void best_so_far(const report *r, double *x, double *y)
{
    double best = NAN;
    int larger = r->input->sense == GOFH_MAXIMIZE;
    for (int i = 0; i < r->count; i++) {
        x[2 * i] = x[2 * i + 1] = i + 1;
        y[2 * i] = report_drawn_f(r, best);
        if (isfinite(r->f[i]) && (isnan(best) || (larger ? r->f[i] > best : r->f[i] < best))) best = r->f[i];
        y[2 * i + 1] = report_drawn_f(r, best);
    }
}

/* Trials of one origin in one path; what has no finite f stands at the frame. */
static int draw_origin(const report *r, chart *c, const int *origin, int which)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        if (origin[i] != which || r->state[i] != GOFH_TRIAL_DONE || !isfinite(r->f[i])) continue;
        if (count++ == 0) chart_marks(c, ORIGINS[which].class);
        chart_mark(c, ORIGINS[which].glyph, i + 1, report_drawn_f(r, r->f[i]));
    }
    if (count) chart_marks_end(c);
    return count;
}

static int draw_without_value(const report *r, chart *c)
{
    int count = 0, larger = r->input->sense == GOFH_MAXIMIZE;
    double frame = (larger ? 1.0 : -1.0) * r->f_sign > 0.0 ? c->y.low : c->y.high;
    for (int i = 0; i < r->count; i++) {
        int ended = r->state[i] == GOFH_TRIAL_DONE || r->state[i] == GOFH_TRIAL_FAILED;
        if (!ended || isfinite(r->f[i])) continue;
        if (count++ == 0) chart_marks(c, "failed");
        chart_mark(c, CHART_CROSS, i + 1, frame);
    }
    if (count) chart_marks_end(c);
    return count;
}

/* seen: how many there are of each origin, and after those how many without a value. */
static void draw_chart(const report *r, chart c, const double *steps, const double *level, const int *origin,
                       int seen[ORIGIN_COUNT + 1])
{
    c.x = (chart_axis){.low = 0.0, .high = r->count + 1.0};
    c.y = CHART_EMPTY;
    c.y.log = r->f_log;
    for (int i = 0; i < r->count; i++) {
        double f = report_drawn_f(r, r->f[i]);
        chart_include(&c.y, &f, 1);
    }
    chart_pad(&c.y);
    chart_begin(&c, "Best value so far and the value of each trial", "trial", r->f_name);
    chart_line(&c, "best", steps, level, 2 * r->count);
    for (int i = 0; i < ORIGIN_COUNT; i++) seen[i] = draw_origin(r, &c, origin, i);
    seen[ORIGIN_COUNT] = draw_without_value(r, &c);
    chart_end(&c);
}

/* Whether a value has no place on the logarithmic scale but its lower end. */
static int reaches_zero(const report *r)
{
    for (int i = 0; i < r->count && r->f_log; i++)
        if (report_drawn_f(r, r->f[i]) == 0.0) return 1;
    return 0;
}

static void draw_convergence(const report *r, double *steps, double *level, const int *origin)
{
    int seen[ORIGIN_COUNT + 1];
    best_so_far(r, steps, level);
    for (int narrow = 0; narrow < 2; narrow++)
        draw_chart(r, report_large_chart(r, narrow), steps, level, origin, seen);
    fputs("<p class=\"legend\"><span><i class=\"stroke\"></i>best so far</span>\n", r->file);
    for (int i = 0; i < ORIGIN_COUNT; i++)
        if (seen[i]) legend_item(r->file, ORIGINS[i].class, ORIGINS[i].glyph, ORIGINS[i].meaning);
    if (seen[ORIGIN_COUNT]) legend_item(r->file, "failed", CHART_CROSS, "failed, or not feasible");
    if (reaches_zero(r)) fprintf(r->file, "<span>on the lower edge: %s = 0</span>\n", r->f_name);
    fputs("</p></figure>\n", r->file);
}

gofh_status figure_convergence(const report *r)
{
    if (r->done + r->failed == 0) return GOFH_OK;
    size_t count = (size_t)r->count;
    double *steps = memory_doubles(4 * count);
    int *origin = memory_new(count, sizeof *origin);
    if (!steps || !origin) {
        free(steps);
        free(origin);
        return error_memory(r->error);
    }
    gofh_status status = GOFH_OK;
    for (int i = 0; !status && i < r->count; i++) {
        gofh_trial trial;
        status = gofh_study_trial(r->study, i + 1, &trial);
        if (status)
            report_failure(r, status);
        else
            origin[i] = origin_of(trial.origin);
    }
    if (!status) {
        fputs("<section id=\"convergence\"><h2>Convergence</h2>\n<figure class=\"large\">\n", r->file);
        draw_convergence(r, steps, steps + 2 * count, origin);
        fputs("</section>\n", r->file);
    }
    free(steps);
    free(origin);
    return status;
}

/* ---- Where the trials were ---- */

enum { SHADES = 5 };

typedef struct {
    double f;
    int trial;
} ranked;

static int compare_ranked(const void *first, const void *second)
{
    const ranked *a = first, *b = second;
    if (a->f != b->f) return a->f < b->f ? -1 : 1;
    return (a->trial > b->trial) - (a->trial < b->trial);
}

/* Which fifth of the done trials each is in, from the best, 0; -1 for those that are not done. */
static int rank_trials(const report *r, int *shade)
{
    ranked *order = memory_new((size_t)r->count, sizeof *order);
    int count = 0;
    if (!order) return -1;
    double sign = r->input->sense == GOFH_MAXIMIZE ? -1.0 : 1.0;
    for (int i = 0; i < r->count; i++) {
        shade[i] = -1;
        if (r->state[i] == GOFH_TRIAL_DONE) order[count++] = (ranked){sign * r->f[i], i};
    }
    qsort(order, (size_t)count, sizeof *order, compare_ranked);
    for (int i = 0; i < count; i++) shade[order[i].trial] = SHADES * i / count;
    free(order);
    return 0;
}

static void scatter_marks(const report *r, chart *c, const int *shade, int wanted, int a, int b,
                          const char *class, chart_glyph glyph)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        int is = r->state[i] == GOFH_TRIAL_FAILED ? SHADES : shade[i];
        if (is != wanted) continue;
        const double *x = r->x + (size_t)i * (size_t)r->d;
        if (count++ == 0) chart_marks(c, class);
        chart_mark(c, glyph, x[a], x[b]);
    }
    if (count) chart_marks_end(c);
}

static chart_axis parameter_axis(const report *r, int k)
{
    const report_parameter *p = &r->input->parameters[k];
    return (chart_axis){.low = p->lower, .high = p->upper, .log = p->scale == GOFH_SCALE_LOG};
}

static void draw_pair(const report *r, const int *shade, int a, int b)
{
    const report_parameter *p = r->input->parameters;
    chart c = {.file = r->file, .width = 290.0, .height = 250.0};
    char class[16];
    c.x = parameter_axis(r, a);
    c.y = parameter_axis(r, b);
    fputs("<figure>", r->file);
    chart_begin(&c, "Trials in the plane of two parameters", p[a].name, p[b].name);
    for (int i = SHADES - 1; i >= 0; i--) {
        snprintf(class, sizeof class, "rank%d", i);
        scatter_marks(r, &c, shade, i, a, b, class, CHART_DOT);
    }
    scatter_marks(r, &c, shade, SHADES, a, b, "failed", CHART_CROSS);
    if (r->best >= 0) {
        const double *x = r->x + (size_t)r->best * (size_t)r->d;
        chart_marks(&c, "star");
        chart_mark(&c, CHART_STAR, x[a], x[b]);
        chart_marks_end(&c);
    }
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

gofh_status figure_scatter(const report *r)
{
    static const char *const texts[SHADES] = {"best fifth of the trials", "second", "third", "fourth",
                                              "worst"};
    if (r->d < 2 || r->done + r->failed == 0) return GOFH_OK;
    int *shade = memory_new((size_t)r->count, sizeof *shade);
    if (!shade || rank_trials(r, shade)) {
        free(shade);
        return error_memory(r->error);
    }
    int shown = r->d < REPORT_SCATTERED_MAX ? r->d : REPORT_SCATTERED_MAX;
    fputs("<section id=\"scatter\"><h2>Where the trials were</h2>\n<p class=\"legend\">", r->file);
    if (r->best >= 0) legend_item(r->file, "star", CHART_STAR, "best");
    for (int i = 0; i < SHADES && r->done; i++) {
        char class[16];
        snprintf(class, sizeof class, "rank%d", i);
        legend_item(r->file, class, CHART_DOT, texts[i]);
    }
    if (r->failed) legend_item(r->file, "failed", CHART_CROSS, "failed");
    fputs("</p>\n", r->file);
    if (shown < r->d)
        fprintf(r->file, "<p class=\"note\">The first %d of %d parameters, two at a time.</p>\n", shown,
                r->d);
    fputs("<div class=\"charts wide\">\n", r->file);
    for (int a = 0; a < shown; a++)
        for (int b = a + 1; b < shown; b++)
            if (r->input->parameters[a].count != 1 && r->input->parameters[b].count != 1)
                draw_pair(r, shade, a, b);
    fputs("</div></section>\n", r->file);
    free(shade);
    return GOFH_OK;
}
