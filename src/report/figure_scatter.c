/* Where the trials were: two parameters at a time, by how good f was. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHADES = 5, INFEASIBLE = SHADES, NOT_FINITE, FAILED, OPEN, CLASS_COUNT };

typedef struct {
    double f;
    int trial;
} ranked;

/* The shade of each trial, and the trials of one shade, at hand. */
typedef struct {
    int *shade, *trial;
    double *x, *y;
    chart_item items[CLASS_COUNT + 2]; /* what is drawn */
    int item_count;
} scatter;

static const chart_item CLASSES[CLASS_COUNT] = {
    {"rank0", "best fifth of the trials", CHART_DOT},
    {"rank1", "second", CHART_DOT},
    {"rank2", "third", CHART_DOT},
    {"rank3", "fourth", CHART_DOT},
    {"rank4", "worst", CHART_DOT},
    {"failed", "breaks a constraint", CHART_DIAMOND},
    {"failed", "f is not finite", CHART_INVERTED},
    {"failed", "failed", CHART_CROSS},
    {"under-way", "under way", CHART_SQUARE},
};

static int compare_ranked(const void *first, const void *second)
{
    const ranked *a = first, *b = second;
    if (a->f != b->f) return a->f < b->f ? -1 : 1;
    return (a->trial > b->trial) - (a->trial < b->trial);
}

/* The class of a trial that is not ranked; -1: it has none, or is. */
static int class_of(const report *r, int i)
{
    if (r->state[i] == GOFH_TRIAL_FAILED) return FAILED;
    if (r->state[i] == GOFH_TRIAL_OPEN) return OPEN;
    if (r->state[i] != GOFH_TRIAL_DONE || !isinf(r->f[i])) return -1;
    return report_violation(r, i) != 0.0 ? INFEASIBLE : NOT_FINITE;
}

/* Which fifth of the trials with a finite f each is in, from the best, 0; or its class. */
static int rank_trials(const report *r, int *shade)
{
    ranked *order = memory_new((size_t)r->count, sizeof *order);
    int count = 0;
    if (!order) return -1;
    double sign = r->input->sense == GOFH_MAXIMIZE ? -1.0 : 1.0;
    for (int i = 0; i < r->count; i++) {
        shade[i] = class_of(r, i);
        if (r->state[i] == GOFH_TRIAL_DONE && isfinite(r->f[i])) order[count++] = (ranked){sign * r->f[i], i};
    }
    qsort(order, (size_t)count, sizeof *order, compare_ranked);
    for (int i = 0; i < count; i++) shade[order[i].trial] = SHADES * i / count;
    free(order);
    return 0;
}

static void draw_shade(const report *r, const scatter *s, chart *c, int shade, int a, int b)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        if (s->shade[i] != shade) continue;
        const double *x = r->x + (size_t)i * (size_t)r->d;
        s->trial[count] = i + 1;
        s->x[count] = x[a];
        s->y[count++] = x[b];
    }
    c->series = CLASSES[shade].text;
    chart_trials(c, CLASSES[shade].class, CLASSES[shade].glyph, s->trial, s->x, s->y, count);
}

static void draw_next(const report *r, const scatter *s, chart *c, int a, int b)
{
    int count = r->next_count < r->count ? r->next_count : r->count;
    for (int i = 0; i < count; i++) {
        s->x[i] = r->next[(size_t)i * (size_t)r->d + (size_t)a];
        s->y[i] = r->next[(size_t)i * (size_t)r->d + (size_t)b];
    }
    c->series = "next";
    if (count) chart_trials(c, "next", CHART_TRIANGLE, NULL, s->x, s->y, count);
}

static void draw_pair(const report *r, const scatter *s, int a, int b)
{
    const report_parameter *p = r->input->parameters;
    chart c = report_chart(r, 290.0, 250.0);
    char text[480], at[2][REPORT_NAME] = {"", ""};
    c.x = report_parameter_axis(r, a);
    c.y = report_parameter_axis(r, b);
    const double *best = r->best >= 0 ? r->x + (size_t)r->best * (size_t)r->d : NULL;
    if (best) report_value(r, a, best[a], at[0]);
    if (best) report_value(r, b, best[b], at[1]);
    snprintf(text, sizeof text, "Trials in the plane of %.60s and %.60s%s%s%s%s%s%s%s.", p[a].name, p[b].name,
             best ? "; the best at " : "", at[0], best ? " and " : "", at[1],
             r->failed ? "; crosses failed" : "", r->open ? "; open squares are under way" : "",
             r->next_count ? "; triangles would be next" : "");
    fputs("<figure>", r->file);
    c.items = s->items;
    c.item_count = s->item_count;
    chart_name(&c, "trials", p[a].name, p[b].name);
    chart_begin(&c, text, p[a].name, p[b].name);
    /* What is better lies above. */
    draw_shade(r, s, &c, NOT_FINITE, a, b);
    draw_shade(r, s, &c, INFEASIBLE, a, b);
    for (int shade = SHADES - 1; shade >= 0; shade--) draw_shade(r, s, &c, shade, a, b);
    draw_shade(r, s, &c, FAILED, a, b);
    draw_shade(r, s, &c, OPEN, a, b);
    draw_next(r, s, &c, a, b);
    c.series = "best";
    if (best) chart_trials(&c, "star", CHART_STAR, (int[]){r->best + 1}, &best[a], &best[b], 1);
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

static void list_items(const report *r, scatter *s)
{
    if (r->best >= 0) s->items[s->item_count++] = (chart_item){"star", "best", CHART_STAR};
    int seen[CLASS_COUNT] = {0};
    for (int i = 0; i < r->count; i++)
        if (s->shade[i] >= 0) seen[s->shade[i]] = 1;
    for (int i = 0; i < CLASS_COUNT; i++)
        if (seen[i < SHADES ? 0 : i]) s->items[s->item_count++] = CLASSES[i];
    if (r->next_count) s->items[s->item_count++] = (chart_item){"next", "next", CHART_TRIANGLE};
}

static void draw_pairs(const report *r, scatter *s)
{
    int shown = r->d < REPORT_SCATTERED_MAX ? r->d : REPORT_SCATTERED_MAX;
    fputs("<section id=\"scatter\"><h2>Where the trials were</h2>\n<p class=\"legend\">", r->file);
    list_items(r, s);
    for (int i = 0; i < s->item_count; i++) chart_legend(r->file, &s->items[i]);
    fputs("</p>\n", r->file);
    if (shown < r->d)
        fprintf(r->file, "<p class=\"note\">The first %d of %d parameters, two at a time.</p>\n", shown,
                r->d);
    fputs("<div class=\"charts wide\">\n", r->file);
    for (int a = 0; a < shown; a++)
        for (int b = a + 1; b < shown; b++)
            if (r->input->parameters[a].count != 1 && r->input->parameters[b].count != 1)
                draw_pair(r, s, a, b);
    fputs("</div></section>\n", r->file);
}

gofh_status figure_scatter(const report *r)
{
    if (r->d < 2 || r->done + r->failed == 0) return GOFH_OK;
    size_t count = (size_t)r->count;
    scatter s = {.shade = memory_new(2 * count, sizeof *s.shade), .x = memory_doubles(2 * count)};
    gofh_status status = GOFH_OK;
    if (!s.shade || !s.x || rank_trials(r, s.shade)) {
        status = error_memory(r->error);
    } else {
        s.trial = s.shade + count;
        s.y = s.x + count;
        draw_pairs(r, &s);
    }
    free(s.shade);
    free(s.x);
    return status;
}
