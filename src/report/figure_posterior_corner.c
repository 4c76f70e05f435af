/* Each pair of parameters given the data, their correlations, and the combinations that the data tell. */
#include "report/figure_posterior.h"

#include "base/number.h"
#include "report/chart_axis.h"
#include "report/chart_files.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { SHOWN_MAX = 8, BINS = 28, CELL = 92, GAP = 6, MARGIN = 62, LEVELS = 3, PARTS = REPORT_VALUES_MAX };
/* Characters of a name that have room, and the width of one. */
enum { LETTERS = 13, CHARACTER = 7 };

/* Shares of the samples that the darkest, the middle and the lightest area hold. */
static const double HELD[LEVELS] = {0.5, 0.8, 0.95};
static const double SHADE[LEVELS] = {0.85, 0.5, 0.22};

/* A parameter in the picture: equal parts of its axis, or a part around each of its values. */
typedef struct {
    int parameter, values, count;
    chart_axis axis;
    double from[PARTS], to[PARTS], centre[PARTS]; /* shares of the axis; of each part its value */
} parts;

static void make_parts(const posterior_figure *f, int k, parts *p)
{
    *p = (parts){.parameter = k, .values = posterior_has_values(f, k), .axis = posterior_axis(f, k)};
    const report_parameter *own = &f->r->input->parameters[k];
    double half = p->values ? posterior_half_bar(f, k, &p->axis) : 0.5 / BINS;
    p->count = p->values ? own->count : BINS;
    for (int i = 0; i < p->count; i++) {
        double middle = p->values ? posterior_axis_place(&p->axis, own->values[i]) : (i + 0.5) / BINS;
        p->centre[i] = p->values ? own->values[i] : posterior_axis_value(&p->axis, middle);
        p->from[i] = middle - half;
        p->to[i] = middle + half;
    }
}

/* The part that sample i is in; -1: none that is drawn. */
static int part_of(const posterior_figure *f, const parts *p, int i)
{
    double x = f->x[i * f->found.parameters + p->parameter];
    if (!p->values) return posterior_bin(&p->axis, x, BINS);
    int part = posterior_value(f, p->parameter, x);
    return p->from[part] >= 0.0 && p->to[part] <= 1.0 ? part : -1;
}

static void square(FILE *file, double x, double y, double width, double height, double opacity)
{
    number_print(file,
                 "<rect class=\"held\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                 "opacity=\"%.2f\"/>",
                 x, y, width, height, opacity);
}

/* Smooths counts along one direction by 1 2 1, twice, so that areas hang together. */
static void smooth(double *count, int lines, int between, int length, int stride)
{
    double next[PARTS];
    for (int pass = 0; pass < 2 * lines; pass++) {
        double *line = count + pass % lines * between;
        for (int i = 0; i < length; i++)
            next[i] = 0.25 * (line[(i > 0 ? i - 1 : i) * stride] + 2.0 * line[i * stride] +
                              line[(i + 1 < length ? i + 1 : i) * stride]);
        for (int i = 0; i < length; i++) line[i * stride] = next[i];
    }
}

/* The least count that a part of each area has. */
static void find_levels(const double *count, double *level)
{
    double total = 0.0;
    for (int i = 0; i < PARTS * PARTS; i++) total += count[i];
    for (int l = 0; l < LEVELS; l++) {
        double low = 0.0, high = total;
        for (int step = 0; step < 40; step++) {
            double middle = 0.5 * (low + high), held = 0.0;
            for (int i = 0; i < PARTS * PARTS; i++)
                if (count[i] >= middle) held += count[i];
            if (held > HELD[l] * total)
                low = middle;
            else
                high = middle;
        }
        level[l] = low;
    }
}

/* Which area a part belongs to; LEVELS: none. */
static int shade_of(double count, const double *level)
{
    int shade = 0;
    while (shade < LEVELS && !(count >= level[shade] && count > 0.0)) shade++;
    return shade;
}

static void draw_pair(chart *c, const posterior_figure *f, const parts *a, const parts *b, double left,
                      double top)
{
    double count[PARTS][PARTS], level[LEVELS];
    char series[2 * REPORT_NAME + 32];
    memset(count, 0, sizeof count);
    for (int i = 0; i < f->found.samples; i++) {
        int x = part_of(f, a, i), y = part_of(f, b, i);
        if (x >= 0 && y >= 0) count[y][x] += 1.0;
    }
    if (!a->values) smooth(count[0], b->count, PARTS, a->count, 1);
    if (!b->values) smooth(count[0], a->count, 1, b->count, PARTS);
    find_levels(count[0], level);
    c->series = series;
    for (int i = 0; i < b->count; i++)
        for (int j = 0, end; j < a->count; j = end) {
            int shade = shade_of(count[i][j], level);
            for (end = j + 1; !a->values && end < a->count; end++) /* equal neighbours are one */
                if (shade_of(count[i][end], level) != shade) break;
            if (shade == LEVELS) continue;
            square(c->file, left + CELL * a->from[j], top + CELL * (1.0 - b->to[i]),
                   CELL * (a->to[end - 1] - a->from[j]) + 0.1, CELL * (b->to[i] - b->from[i]) + 0.1,
                   SHADE[shade]);
            number_format(series, sizeof series, "%.60s and %.60s: within %.0f %%",
                          f->r->input->parameters[a->parameter].name,
                          f->r->input->parameters[b->parameter].name, 100.0 * HELD[shade]);
            for (int k = j; k < end; k++) chart_record(c, "", a->centre[k], b->centre[i], NAN, NAN);
        }
    c->series = NULL;
    fputc('\n', c->file);
}

static void draw_column(chart *c, const posterior_figure *f, const parts *p, double left, double top)
{
    double share[PARTS] = {0.0}, most = 0.0;
    for (int i = 0; i < f->found.samples; i++) {
        int part = part_of(f, p, i);
        if (part >= 0) share[part] += 1.0 / f->found.samples;
    }
    for (int i = 0; i < p->count; i++) most = fmax(most, share[i]);
    c->series = f->r->input->parameters[p->parameter].name;
    for (int i = 0; i < p->count && most > 0.0; i++) {
        double height = 0.92 * CELL * share[i] / most;
        chart_record(c, "", p->centre[i], share[i], NAN, NAN);
        if (height > 0.0)
            square(c->file, left + CELL * p->from[i], top + CELL - height,
                   CELL * (p->to[i] - p->from[i]) + 0.1, height, 0.6);
    }
    fputc('\n', c->file);
}

/* The correlation, larger where it is stronger; choices have none. */
static void draw_correlation(chart *c, const posterior_figure *f, const parts *a, const parts *b, double left,
                             double top)
{
    char text[16];
    if (a->axis.words || b->axis.words) return;
    double value = f->found.correlation[a->parameter * f->found.parameters + b->parameter];
    number_format(text, sizeof text, "%.2f", fabs(value) < 0.005 ? 0.0 : value);
    number_print(c->file,
                 "<text class=\"strong\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                 "style=\"font-size:%.1fpx\" opacity=\"%.2f\">%s</text>\n",
                 left + 0.5 * CELL, top + 0.5 * CELL + 5.0, 12.0 + 8.0 * fabs(value), 0.5 + 0.5 * fabs(value),
                 text);
}

/* The ends of an axis, or the first and the last value that it has, where they are. */
static void draw_ends(chart *c, const parts *p, double x, double y, int upright)
{
    char text[48];
    int ends[2] = {0, p->count - 1};
    while (p->values && ends[0] < ends[1] && p->from[ends[0]] < 0.0) ends[0]++;
    while (p->values && ends[0] < ends[1] && p->to[ends[1]] > 1.0) ends[1]--;
    for (int end = 0; end < 2; end++) {
        double share = end;
        if (p->axis.words)
            axis_number(&p->axis, &p->centre[ends[end]], 1, 0, upright ? 9 : 7, text, sizeof text);
        else
            number_format(text, sizeof text, "%.3g",
                          p->values ? p->centre[ends[end]]
                          : end     ? p->axis.high
                                    : p->axis.low);
        int placed = p->values && strlen(text) <= 4;
        if (placed) share = posterior_axis_place(&p->axis, p->centre[ends[end]]);
        if (upright)
            svg_text(c->file, "tick", x - 4.0, y + CELL * (1.0 - share) + (placed ? 4.0 : 9.0 * end), "end",
                     0.0, text);
        else
            svg_text(c->file, "tick", x + CELL * share, y,
                     placed ? "middle"
                     : end  ? "end"
                            : "start",
                     0.0, text);
    }
}

/* The name of a parameter, cut to so many characters. */
static void draw_name(chart *c, const posterior_figure *f, int k, double x, double y, double turn, int most)
{
    static const double first = 0.0;
    const chart_axis axis = {.words = &f->r->input->parameters[k].name, .word_count = 1};
    char text[REPORT_NAME];
    axis_number(&axis, &first, 1, 0, most, text, sizeof text);
    svg_text(c->file, "name", x, y, "middle", turn, text);
}

static void draw_corner(chart *c, const posterior_figure *f, const parts *of, int shown)
{
    for (int row = 0; row < shown; row++)
        for (int column = 0; column < shown; column++) {
            double left = MARGIN + column * (CELL + GAP), top = row * (CELL + GAP) + 2.0;
            svg_rectangle(c->file, "cell", left, top, CELL, CELL);
            if (column < row)
                draw_pair(c, f, &of[column], &of[row], left, top);
            else if (column == row)
                draw_column(c, f, &of[row], left, top);
            else
                draw_correlation(c, f, &of[row], &of[column], left, top);
        }
    for (int k = 0; k < shown; k++) {
        double at = k * (CELL + GAP) + 2.0, low = shown * (CELL + GAP) + 10.0;
        draw_name(c, f, of[k].parameter, MARGIN + at + 0.5 * CELL - 2.0, low + 17.0, 0.0, LETTERS);
        draw_ends(c, &of[k], MARGIN + k * (CELL + GAP), low, 0);
        if (k == 0) continue;
        draw_name(c, f, of[k].parameter, 13.0, at + 0.5 * CELL, -90.0, LETTERS);
        draw_ends(c, &of[k], MARGIN, at, 1);
    }
}

void posterior_corner(const posterior_figure *f)
{
    parts of[SHOWN_MAX];
    FILE *file = f->r->file;
    if (f->frees < 2) return;
    int shown = f->frees < SHOWN_MAX ? f->frees : SHOWN_MAX;
    for (int k = 0; k < shown; k++) make_parts(f, f->free[k], &of[k]);
    double side = MARGIN + shown * (CELL + GAP);
    fputs("<h3>Pairs of parameters</h3>\n<p class=\"note\">Below the diagonal the areas that hold 50, 80 and "
          "95 % of the posterior, above it the correlation.",
          file);
    if (f->frees > shown) fprintf(file, " The first %d of %d parameters.", shown, f->frees);
    fputs("</p><figure class=\"corner\"><div class=\"scroll\">", file);
    chart c = report_chart(f->r, side + 4.0, side - MARGIN + 40.0);
    c.widest = 1.25 * c.width;
    chart_name(&c, "posterior", "pairs", NULL);
    chart_open(&c, "Posterior of each pair of parameters", "x", "y, or the share of samples");
    draw_corner(&c, f, of, shown);
    chart_close(&c);
    fputs("</div></figure>\n", file);
}

/* The parameters that combinations are of: a choice is no number. which: SHOWN_MAX. */
static int combined(const posterior_figure *f, int *which)
{
    int count = 0;
    for (int i = 0; i < f->frees && count < SHOWN_MAX; i++)
        if (!f->r->input->parameters[f->free[i]].words) which[count++] = f->free[i];
    return count;
}

/* What is drawn of a combination: its weights, and how well it is known. */
static void draw_direction(chart *c, const posterior_figure *f, int e, const int *which, int shown, int row,
                           double width)
{
    enum { ROW = 26 };
    int d = f->found.parameters;
    const double *vector = f->found.direction + (size_t)e * (size_t)d;
    double most = 0.0, sign = 1.0, top = 24.0 + ROW * row;
    for (int k = 0; k < d; k++)
        if (fabs(vector[k]) > most) {
            most = fabs(vector[k]);
            sign = vector[k] < 0.0 ? -1.0 : 1.0;
        }
    for (int k = 0; k < shown; k++) {
        double centre = (k + 0.5) * width, value = sign * vector[which[k]],
               reach = 0.46 * width * fabs(value);
        svg_rectangle(c->file, value < 0.0 ? "weight below" : "weight", value < 0.0 ? centre - reach : centre,
                      top, reach, 14.0);
        svg_line(c->file, "axis", centre, top - 3.0, centre, top + 17.0);
        c->series = f->r->input->parameters[which[k]].name;
        chart_record(c, "", row + 1.0, value, NAN, NAN);
    }
    double left = f->found.direction_deviation[e], known = fmin(fmax(left, 1e-4), 1.5);
    double from = shown * width + 20.0, reach = 150.0 * (log10(known) + 4.0) / (log10(1.5) + 4.0);
    svg_rectangle(c->file, "weight left", from, top, reach, 14.0);
    char text[64];
    number_format(text, sizeof text, left < 0.1 ? "%.2g %%" : "%.0f %%", 100.0 * left);
    svg_text(c->file, "tick", from + reach + 5.0, top + 11.0, "start", 0.0, text);
    c->series = "deviation left";
    chart_record(c, "", row + 1.0, left, NAN, NAN);
}

/* Whether a combination is of what is drawn; of what is fixed, and of choices, each is one of its own. */
static int is_drawn(const posterior_figure *f, int e)
{
    const double *vector = f->found.direction + (size_t)e * (size_t)f->found.parameters;
    int largest = 0;
    for (int k = 1; k < f->found.parameters; k++)
        if (fabs(vector[k]) > fabs(vector[largest])) largest = k;
    const report_parameter *p = &f->r->input->parameters[largest];
    return p->count != 1 && !p->words;
}

void posterior_directions(const posterior_figure *f)
{
    enum { ROW = 26, LEAST = 60 };
    FILE *file = f->r->file;
    int which[SHOWN_MAX], shown = combined(f, which), drawn[SHOWN_MAX] = {0}, rows = 0;
    if (shown < 2) return;
    /* The best known first, and the last place for the one that is known least. */
    for (int e = 0; e < f->found.parameters; e++)
        if (is_drawn(f, e)) drawn[rows < SHOWN_MAX ? rows++ : SHOWN_MAX - 1] = e;
    double width = f->r->files ? LEAST : 480.0 / shown;
    for (int k = 0; k < shown; k++) {
        size_t length = strlen(f->r->input->parameters[which[k]].name);
        width = fmax(width, CHARACTER * fmin((double)length + 1.0, LETTERS + 1.0));
    }
    fprintf(file,
            "<h3>What the data tell</h3>\n<p class=\"note\">Combinations of the parameters%s, the best known "
            "first: the weight of each parameter, and the deviation that is left of the prior's. A long bar "
            "to the right is a combination of which the data tell nothing.</p><figure><div class=\"scroll\">",
            f->found.direction_logarithms ? " (their logarithms, where they have one)" : "");
    chart c = report_chart(f->r, shown * width + 240.0, 24.0 + ROW * rows);
    c.widest = 1.1 * c.width;
    chart_name(&c, "posterior", "combinations", NULL);
    chart_open(&c, "Combinations of parameters and how well they are known", "combination",
               "weight, or deviation left");
    for (int k = 0; k < shown; k++) draw_name(&c, f, which[k], (k + 0.5) * width, 13.0, 0.0, LETTERS);
    svg_text(c.file, "name", shown * width + 20.0, 13.0, "start", 0.0, "deviation left");
    for (int row = 0; row < rows; row++) draw_direction(&c, f, drawn[row], which, shown, row, width);
    chart_close(&c);
    fputs("</div></figure>\n", file);
}
