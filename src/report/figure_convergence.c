/* How the best value went, and the value of each trial. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/chart_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How trials are drawn, by their origins, of which the last stands for all others; and those without
 * a value. */
static const struct {
    const char *origin;
    chart_item item;
} KINDS[] = {
    {"design", {"design", "initial design", CHART_DOT}},
    {"start", {"given", "start point", CHART_DIAMOND}},
    {"check", {"given", "run of gofh check", CHART_SQUARE}},
    {"import", {"import", "imported", CHART_SQUARE}},
    {"improve", {"improve", "expected improvement", CHART_DIAMOND}},
    {"local", {"local", "local step", CHART_TRIANGLE}},
    {"geometry", {"geometry", "repair of the local model", CHART_DOT}},
    {"slope", {"local", "slope beside a local step", CHART_INVERTED}},
    {"exploit", {"local", "best of the model's mean", CHART_DIAMOND}},
    {"replicate", {"local", "best of the model's mean, again", CHART_SQUARE}},
    {"diversify", {"restart", "away from the best", CHART_DIAMOND}},
    {"restart", {"restart", "restart some way from the best", CHART_SQUARE}},
    {"spread", {"restart", "apart from what is running", CHART_INVERTED}},
    {"posterior", {"improve", "for the posterior", CHART_TRIANGLE}},
    {"feasibility", {"restart", "towards the constraints", CHART_TRIANGLE}},
    {"", {"improve", "suggested", CHART_DIAMOND}},
    {"", {"failed", "at the edge: breaks a constraint", CHART_DIAMOND}},
    {"", {"failed", "at the edge: f is not finite", CHART_INVERTED}},
    {"", {"failed", "at the edge: failed", CHART_CROSS}},
};
enum {
    KIND_COUNT = sizeof KINDS / sizeof *KINDS,
    FAILED = KIND_COUNT - 1,
    NOT_FINITE = FAILED - 1,
    INFEASIBLE = NOT_FINITE - 1,
    OTHER = INFEASIBLE - 1
};

/* Which of the kinds each trial is, -1: none; and the trials of one kind, at hand. */
typedef struct {
    int *kind, *trial;
    double *x, *y;
    double *step, *level; /* the best so far: points, two per trial at most */
    int points;
} convergence;

static int origin_of(const char *origin)
{
    int i = 0;
    while (i < OTHER && strcmp(KINDS[i].origin, origin) != 0) i++;
    return i;
}

/* The best f so far, as steps; where it is drawn on a page, those alone where it changes, and the ends.
 * Returns how often it improved. */
static int best_so_far(const report *r, convergence *v)
{
    double best = NAN;
    int larger = r->input->sense == GOFH_MAXIMIZE, improved = 0;
    v->points = 0;
    for (int i = 0; i < r->count; i++) {
        double before = best;
        int better = isfinite(r->f[i]) && (isnan(best) || (larger ? r->f[i] > best : r->f[i] < best));
        if (better) best = r->f[i];
        improved += better;
        if (!better && !r->files && i + 1 < r->count) continue;
        v->step[v->points] = v->step[v->points + 1] = i + 1;
        v->level[v->points++] = report_drawn_f(r, before);
        v->level[v->points++] = report_drawn_f(r, best);
    }
    return improved;
}

/* Draws the trials of one kind; what has no finite f stands at the frame. */
static void draw_kind(const report *r, const convergence *v, chart *c, int kind)
{
    int count = 0, larger = r->input->sense == GOFH_MAXIMIZE, framed = kind >= INFEASIBLE;
    double frame = (larger ? 1.0 : -1.0) * r->f_sign > 0.0 ? c->y.low : c->y.high;
    for (int i = 0; i < r->count; i++) {
        if (v->kind[i] != kind) continue;
        v->trial[count] = i + 1;
        v->x[count] = i + 1;
        v->y[count++] = framed ? frame : report_drawn_f(r, r->f[i]);
    }
    c->series = KINDS[kind].item.text;
    for (int i = 0; i < count && framed; i++) chart_record(c, "", v->x[i], NAN, NAN, NAN);
    c->unrecorded = framed;
    chart_trials(c, KINDS[kind].item.class, KINDS[kind].item.glyph, v->trial, v->x, v->y, count);
    c->unrecorded = 0;
}

static void describe(const report *r, int improved, char *text, size_t size)
{
    char first[48] = "", last[48];
    for (int i = 0; i < r->count && !first[0]; i++)
        if (isfinite(r->f[i])) chart_number(r->f[i], 0, first, sizeof first);
    chart_number(r->best >= 0 ? r->f[r->best] : NAN, 0, last, sizeof last);
    snprintf(
        text, size,
        "Best value of f so far and the value of each trial: f was %s at first and improved %d times, to %s "
        "at trial %d of %d. %d failed.",
        first, improved > 0 ? improved - 1 : 0, last, r->best + 1, r->count, r->failed);
}

/* What is drawn: the line, and the kinds of which there are trials. Returns how many items. */
static int list_items(const report *r, const convergence *v, chart_item items[1 + KIND_COUNT])
{
    int count = 0, seen[KIND_COUNT] = {0};
    items[count++] = (chart_item){"best", "best so far", CHART_STROKE};
    for (int i = 0; i < r->count; i++)
        if (v->kind[i] >= 0) seen[v->kind[i]] = 1;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (seen[kind]) items[count++] = KINDS[kind].item;
    return count;
}

static void draw_chart(const report *r, const convergence *v, chart c, int improved)
{
    char text[400];
    c.x = (chart_axis){.low = 0.0, .high = r->count + 1.0, .whole = 1};
    c.y = CHART_EMPTY;
    c.y.log = r->f_log;
    for (int i = 0; i < r->count; i++) {
        double f = report_drawn_f(r, r->f[i]);
        chart_include(&c.y, &f, 1);
    }
    chart_pad(&c.y);
    describe(r, improved, text, sizeof text);
    chart_name(&c, "convergence", NULL, NULL);
    chart_begin(&c, text, "trial", r->f_name);
    c.series = "best so far";
    chart_line(&c, "best", v->step, v->level, v->points);
    for (int kind = 0; kind < KIND_COUNT; kind++) draw_kind(r, v, &c, kind);
    chart_end(&c);
}

/* Whether a value has no place on the logarithmic scale but its lower end. */
static int reaches_zero(const report *r)
{
    for (int i = 0; i < r->count && r->f_log; i++)
        if (report_drawn_f(r, r->f[i]) == 0.0) return 1;
    return 0;
}

/* With noise a value may be better than that of the best trial by chance. */
static void write_lucky(const report *r)
{
    int lucky = 0;
    if (r->best < 0 || !isfinite(r->f[r->best])) return;
    for (int i = 0; i < r->count; i++)
        lucky += isfinite(r->f[i]) &&
                 (r->input->sense == GOFH_MAXIMIZE ? r->f[i] > r->f[r->best] : r->f[i] < r->f[r->best]);
    if (lucky)
        fprintf(r->file,
                "<p class=\"note\">The line follows what was observed. With its noise taken into account, "
                "trial %d is the best; the value of %s is better by chance.</p>\n",
                r->best + 1, lucky > 1 ? "some others" : "another");
}

static void draw_convergence(const report *r, convergence *v)
{
    chart_item items[1 + KIND_COUNT];
    int count = list_items(r, v, items), improved = best_so_far(r, v);
    fputs("<section id=\"convergence\"><h2>Convergence</h2>\n<figure class=\"large\">\n", r->file);
    for (int size = 0; size < report_sizes(r); size++) {
        chart c = report_large_chart(r, size);
        c.items = items;
        c.item_count = count;
        draw_chart(r, v, c, improved);
    }
    fputs("<p class=\"legend\">", r->file);
    for (int i = 0; i < count; i++) chart_legend(r->file, &items[i]);
    if (reaches_zero(r)) fprintf(r->file, "<span>on the lower edge: %s = 0</span>\n", r->f_name);
    fputs("</p></figure>\n", r->file);
    write_lucky(r);
    fputs("</section>\n", r->file);
}

/* Fills the kinds. *finite: how many trials have a finite f. */
static gofh_status find_kinds(const report *r, const convergence *v, int *finite)
{
    for (int i = 0; i < r->count; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(r->study, i + 1, &trial);
        if (status) return report_failure(r, status);
        v->kind[i] = trial.state == GOFH_TRIAL_OPEN || trial.state == GOFH_TRIAL_FORGOTTEN ? -1
                     : trial.state == GOFH_TRIAL_FAILED                                    ? FAILED
                     : isfinite(trial.f)                               ? origin_of(report_origin(r, &trial))
                     : isinf(trial.f) && report_violation(r, i) != 0.0 ? INFEASIBLE
                                                                       : NOT_FINITE;
        *finite += trial.state == GOFH_TRIAL_DONE && isfinite(trial.f);
    }
    return GOFH_OK;
}

gofh_status figure_convergence(const report *r)
{
    if (r->done + r->failed == 0) return GOFH_OK;
    size_t count = (size_t)r->count;
    int finite = 0;
    convergence v = {.kind = memory_new(2 * count, sizeof *v.kind), .x = memory_doubles(6 * count)};
    gofh_status status = GOFH_ERROR_MEMORY;
    if (!v.kind || !v.x) {
        error_memory(r->error);
    } else {
        v.trial = v.kind + count;
        v.y = v.x + count;
        v.step = v.y + count;
        v.level = v.step + 2 * count;
        status = find_kinds(r, &v, &finite);
    }
    if (!status && finite > 0) draw_convergence(r, &v);
    if (!status && finite == 0)
        fprintf(r->file,
                "<section id=\"convergence\"><h2>Convergence</h2>\n<p class=\"note\">No trial has a finite f "
                "yet: "
                "%d failed, %d done without one.</p></section>\n",
                r->failed, r->done);
    free(v.kind);
    free(v.x);
    return status;
}
