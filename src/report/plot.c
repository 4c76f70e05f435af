#include "report/plot.h"

#include "base/number.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 58,
    RIGHT = 14,
    TOP = 30,
    BOTTOM = 46,
    LEGEND = 132,       /* width of the legend, at least */
    LEGEND_SAMPLE = 56, /* of that before a label, */
    LEGEND_LETTER = 8,  /* and of each of its letters */
    LEGEND_LINE = 19,   /* height of one of its lines */
    SAMPLE = 34,        /* length of the piece of curve in it */
    MARKERS = 9         /* about so many on a curve */
};

/* Neighbours in this list differ in lightness too; all are visible on white and on black. */
typedef struct {
    const char *colour, *dashes;
    char marker;
    int filled;
} style;

static const style STYLES[PLOT_STYLES] = {
    {"#1f6fc4", "none", 'o', 1},        {"#d55e00", "9 4", 's', 1},      {"#1b9e5a", "2 3", '^', 1},
    {"#9350c9", "none", 'o', 0},        {"#b07d00", "9 4", 's', 0},      {"#7f7f7f", "2 3", '^', 0},
    {"#d6418f", "12 3 2 3", 'd', 1},    {"#1494a4", "12 3 2 3", 'd', 0}, {"#a0522d", "5 2 2 2 2 2", 'v', 1},
    {"#5b7c14", "5 2 2 2 2 2", 'v', 0}, {"#c03030", "16 4", 'x', 0},     {"#5566cc", "1 4", '+', 0},
    {"#8c6d31", "none", 's', 1},        {"#17a0c0", "9 4", 'o', 1},      {"#bc5090", "none", '^', 0},
    {"#6b8e23", "16 4", 'd', 1},
};

static const style *style_of(int index)
{
    return &STYLES[(index % PLOT_STYLES + PLOT_STYLES) % PLOT_STYLES];
}

static void draw_marker(FILE *file, const style *s, double x, double y)
{
    const double r = 4.2;
    if (!isfinite(x) || !isfinite(y)) return;
    const char *class = s->filled ? "marker" : "marker paper";
    if (s->marker == 'o') {
        number_print(file, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\"", class, x, y, r);
    } else {
        fprintf(file, "<path class=\"%s\" d=\"", class);
        switch (s->marker) {
        case 's':
            number_print(file, "M%.2f %.2f h7.4 v7.4 h-7.4 Z", x - 3.7, y - 3.7);
            break;
        case '^':
            number_print(file, "M%.2f %.2f l4.6 8 h-9.2 Z", x, y - 5.0);
            break;
        case 'v':
            number_print(file, "M%.2f %.2f l4.6 -8 h-9.2 Z", x, y + 5.0);
            break;
        case 'd':
            number_print(file, "M%.2f %.2f l4.6 5.2 l-4.6 5.2 l-4.6 -5.2 Z", x, y - 5.2);
            break;
        case 'x':
            number_print(file, "M%.2f %.2f l7.6 7.6 m0 -7.6 l-7.6 7.6", x - 3.8, y - 3.8);
            break;
        default:
            number_print(file, "M%.2f %.2f h10 m-5 -5 v10", x - 5.0, y);
            break;
        }
        fputc('"', file);
    }
    if (s->filled) fprintf(file, " fill=\"%s\"", s->colour);
    fprintf(file, " stroke=\"%s\" stroke-width=\"1.6\"/>\n", s->colour);
}

static void line_attributes(const style *s, char *text, size_t size)
{
    snprintf(text, size, "stroke=\"%s\" stroke-width=\"1.8\" stroke-dasharray=\"%s\"", s->colour, s->dashes);
}

static void band_attributes(const style *s, char *text, size_t size)
{
    snprintf(text, size, "fill=\"%s\" fill-opacity=\"0.16\"", s->colour);
}

void plot_sample(FILE *file, int style_index, plot_kind kind, int band, double x, double y, const char *label)
{
    const style *s = style_of(style_index);
    const double ends[2] = {x, x + SAMPLE}, level[2] = {y, y};
    const double low[2] = {y + 6.0, y + 6.0}, high[2] = {y - 6.0, y - 6.0};
    char attributes[160];
    band_attributes(s, attributes, sizeof attributes);
    if (band) svg_band(file, ends, low, high, 2, attributes);
    line_attributes(s, attributes, sizeof attributes);
    if (kind != PLOT_POINTS) svg_path(file, ends, level, 2, attributes);
    if (kind != PLOT_LINE) draw_marker(file, s, x + 0.5 * SAMPLE, y);
    svg_text(file, "small", x + SAMPLE + 6.0, y + 4.0, "start", 0.0, label);
}

/* ---- Scales ---- */

double plot_step(double low, double high, int wanted)
{
    double rough = (high - low) / wanted, power = pow(10.0, floor(log10(rough))), digit = rough / power;
    if (digit < 1.5) return power;
    if (digit < 3.5) return 2.0 * power;
    return digit < 7.5 ? 5.0 * power : 10.0 * power;
}

typedef struct {
    double low, high, step; /* of the data */
    double from, to;        /* in the picture */
} scale;

static double place(const scale *s, double value)
{
    return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

static void include(double *low, double *high, const double *values, int count)
{
    for (int i = 0; i < count && values; i++) {
        if (!isfinite(values[i])) continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static void set_scale(scale *s, double low, double high, int wanted, int round)
{
    if (!(low <= high)) low = 0.0, high = 1.0; /* there is nothing to show */
    if (low == high) low -= 0.5, high += 0.5;
    s->step = plot_step(low, high, wanted);
    s->low = round ? s->step * floor(low / s->step + 1e-9) : low;
    s->high = round ? s->step * ceil(high / s->step - 1e-9) : high;
}

static void draw_axes(FILE *file, const plot *p, const scale *x, const scale *y)
{
    char text[32];
    for (double tick = ceil(x->low / x->step - 1e-9); tick * x->step <= x->high + 1e-9 * x->step; tick++) {
        double at = place(x, tick * x->step);
        svg_line(file, "axis", at, y->from, at, y->from + 5.0);
        number_format(text, sizeof text, "%g", tick * x->step + 0.0); /* 0, not -0 */
        svg_text(file, "small", at, y->from + 18.0, "middle", 0.0, text);
    }
    for (double tick = ceil(y->low / y->step - 1e-9); tick * y->step <= y->high + 1e-9 * y->step; tick++) {
        double at = place(y, tick * y->step);
        svg_line(file, "grid", x->from, at, x->to, at);
        svg_line(file, "axis", x->from - 5.0, at, x->from, at);
        number_format(text, sizeof text, "%g", tick * y->step + 0.0);
        svg_text(file, "small", x->from - 8.0, at + 4.0, "end", 0.0, text);
    }
    double middle = 0.5 * (x->from + x->to);
    if (p->title) svg_text(file, "title", middle, y->to - 11.0, "middle", 0.0, p->title);
    if (p->x_label) svg_text(file, "label", middle, y->from + 37.0, "middle", 0.0, p->x_label);
    if (p->y_label)
        svg_text(file, "label", x->from - 42.0, 0.5 * (y->from + y->to), "middle", -90.0, p->y_label);
}

/* ---- Curves ---- */

static void draw_band(FILE *file, const plot_curve *c, const scale *x, const scale *y, double *work)
{
    double *at = work, *low = work + c->count, *high = work + 2 * (size_t)c->count;
    char attributes[160];
    if (!c->low || !c->high || c->kind != PLOT_LINE) return;
    for (int i = 0; i < c->count; i++) {
        at[i] = place(x, c->x[i]);
        low[i] = place(y, c->low[i]);
        high[i] = place(y, c->high[i]);
    }
    band_attributes(style_of(c->style), attributes, sizeof attributes);
    svg_band(file, at, low, high, c->count, attributes);
}

static void draw_bar(FILE *file, const plot_curve *c, int i, const scale *x, const scale *y)
{
    if (!c->low || !c->high || !isfinite(c->low[i]) || !isfinite(c->high[i])) return;
    double at = place(x, c->x[i]), low = place(y, c->low[i]), high = place(y, c->high[i]);
    const double across[7] = {at - 3.0, at + 3.0, NAN, at, at, at - 3.0, at + 3.0};
    const double along[7] = {low, low, NAN, low, high, high, high};
    char attributes[160];
    snprintf(attributes, sizeof attributes, "stroke=\"%s\" stroke-width=\"1.1\" stroke-opacity=\"0.75\"",
             style_of(c->style)->colour);
    svg_path(file, across, along, 5, attributes);
    svg_path(file, across + 5, along + 5, 2, attributes);
}

/* Markers of different curves stand at different places, so that they hide each other less. */
static void draw_curve(FILE *file, const plot_curve *c, const scale *x, const scale *y, double *work)
{
    double *at = work, *level = work + c->count;
    const style *s = style_of(c->style);
    char attributes[160];
    for (int i = 0; i < c->count; i++) {
        at[i] = place(x, c->x[i]);
        level[i] = place(y, c->y[i]);
    }
    line_attributes(s, attributes, sizeof attributes);
    if (c->kind != PLOT_POINTS) svg_path(file, at, level, c->count, attributes);
    if (c->kind == PLOT_LINE) return;
    int step = c->kind == PLOT_POINTS || c->count < MARKERS ? 1 : c->count / MARKERS;
    for (int i = c->kind == PLOT_POINTS ? 0 : c->style * 5 % step; i < c->count; i += step) {
        draw_bar(file, c, i, x, y);
        draw_marker(file, s, at[i], level[i]);
    }
}

/* ---- Legend ---- */

typedef struct {
    int curve;
    double y;
} entry;

static int compare_entries(const void *first, const void *second)
{
    const entry *a = first, *b = second;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return (a->curve > b->curve) - (a->curve < b->curve);
}

static double last_level(const plot_curve *c, const scale *y)
{
    for (int i = c->count - 1; i >= 0; i--)
        if (isfinite(c->y[i])) return place(y, c->y[i]);
    return y->to;
}

/* Each label as near to the end of its curve as the others let it. */
static int draw_legend(FILE *file, const plot *p, const scale *x, const scale *y)
{
    entry *entries = malloc((size_t)(p->count ? p->count : 1) * sizeof *entries);
    int count = 0;
    if (!entries) return -1;
    for (int i = 0; i < p->count; i++)
        if (p->curves[i].label) entries[count++] = (entry){i, last_level(&p->curves[i], y)};
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int i = 1; i < count; i++) entries[i].y = fmax(entries[i].y, entries[i - 1].y + LEGEND_LINE);
    double lowest = y->from - 4.0;
    for (int i = count - 1; i >= 0; i--) {
        entries[i].y = fmin(entries[i].y, lowest);
        lowest = entries[i].y - LEGEND_LINE;
    }
    for (int i = 0; i < count; i++) {
        const plot_curve *c = &p->curves[entries[i].curve];
        plot_sample(file, c->style, c->kind, 0, x->to + 12.0, entries[i].y, c->label);
    }
    free(entries);
    return 0;
}

static double legend_width(const plot *p)
{
    double width = LEGEND;
    for (int i = 0; i < p->count; i++)
        if (p->curves[i].label)
            width = fmax(width, LEGEND_SAMPLE + LEGEND_LETTER * (double)strlen(p->curves[i].label));
    return width;
}

int plot_draw(FILE *file, const plot *p, plot_box box)
{
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    int longest = 1;
    for (int i = 0; i < p->count; i++) {
        const plot_curve *c = &p->curves[i];
        include(&x_low, &x_high, c->x, c->count);
        include(&y_low, &y_high, c->y, c->count);
        include(&y_low, &y_high, c->low, c->count);
        include(&y_low, &y_high, c->high, c->count);
        if (c->count > longest) longest = c->count;
    }
    scale x = {.from = box.x + LEFT, .to = box.x + box.width - (p->legend ? legend_width(p) : RIGHT)};
    scale y = {.from = box.y + box.height - BOTTOM, .to = box.y + TOP};
    set_scale(&x, x_low, x_high, (int)fmax(2.0, (x.to - x.from) / 70.0), 0);
    set_scale(&y, y_low, y_high, (int)fmax(2.0, (y.from - y.to) / 45.0), 1);
    double *work = malloc(3 * (size_t)longest * sizeof *work);
    if (!work) return -1;
    draw_axes(file, p, &x, &y);
    for (int i = 0; i < p->count; i++) draw_band(file, &p->curves[i], &x, &y, work);
    svg_rectangle(file, "axis", x.from, y.to, x.to - x.from, y.from - y.to);
    for (int i = p->count - 1; i >= 0; i--) draw_curve(file, &p->curves[i], &x, &y, work);
    free(work);
    return p->legend ? draw_legend(file, p, &x, &y) : 0;
}
