/* Each pair of parameters given the data, their correlations, and the combinations that the data tell. */
#include "report/figure_posterior.h"

#include "base/number.h"
#include "report/chart_axis.h"
#include "report/chart_files.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { SHOWN_MAX = 8, BINS = 28, CELL = 92, GAP = 6, MARGIN = 66, LEVELS = 3, PARTS = REPORT_VALUES_MAX };
/* Samples that are drawn of a pair whose areas are thinner than a part. */
enum { SAMPLES_DRAWN = 600 };
static const double THIN = 0.95; /* a correlation */
/* Characters of a name that have room, and the width of one. */
enum { LETTERS = 13, CHARACTER = 7 };

/* Shares of the samples that the darkest, the middle and the lightest area hold. */
static const double HELD[LEVELS] = {0.5, 0.8, 0.95};
/* What a pair shows: the areas, the samples of a thin one, and the best. */
enum { SAMPLE = LEVELS, BEST, ITEMS };
static const chart_item CORNER[ITEMS] = {{"held h50", "50 % of the posterior", CHART_AREA},
                                         {"held h80", "80 %", CHART_AREA},
                                         {"held h95", "95 %", CHART_AREA},
                                         {"sample", "samples, where the areas would be too thin", CHART_DOT},
                                         {"star", "best trial", CHART_STAR}};

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

static double correlation_of(const posterior_figure *f, const parts *a, const parts *b)
{
    return f->found.correlation[a->parameter * f->found.parameters + b->parameter];
}

static int is_thin(const posterior_figure *f, const parts *a, const parts *b)
{
    return !a->values && !b->values && fabs(correlation_of(f, a, b)) > THIN;
}

/* Samples that are spread evenly over all. */
static void draw_samples(chart *c, const posterior_figure *f, const parts *a, const parts *b, double left,
                         double top)
{
    char series[2 * REPORT_NAME + 32];
    int step = (f->found.samples + SAMPLES_DRAWN - 1) / SAMPLES_DRAWN;
    snprintf(series, sizeof series, "%.60s and %.60s: sample", f->r->input->parameters[a->parameter].name,
             f->r->input->parameters[b->parameter].name);
    c->series = series;
    chart_marks(c, CORNER[SAMPLE].class);
    for (int i = 0; i < f->found.samples; i += step) {
        const double *sample = f->x + (size_t)i * (size_t)f->found.parameters;
        double x = sample[a->parameter], y = sample[b->parameter];
        double across = posterior_axis_place(&a->axis, x), up = posterior_axis_place(&b->axis, y);
        if (!(across >= 0.0 && across <= 1.0 && up >= 0.0 && up <= 1.0)) continue;
        number_print(c->file, "M%.1f %.1fh0", left + CELL * across, top + CELL * (1.0 - up));
        chart_record(c, "", x, y, NAN, NAN);
    }
    chart_marks_end(c);
    c->series = NULL;
}

static void draw_areas(chart *c, const posterior_figure *f, const parts *a, const parts *b, double left,
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
            svg_rectangle(c->file, CORNER[shade].class, left + CELL * a->from[j],
                          top + CELL * (1.0 - b->to[i]), CELL * (a->to[end - 1] - a->from[j]) + 0.1,
                          CELL * (b->to[i] - b->from[i]) + 0.1);
            number_format(series, sizeof series, "%.60s and %.60s: within %.0f %%",
                          f->r->input->parameters[a->parameter].name,
                          f->r->input->parameters[b->parameter].name, 100.0 * HELD[shade]);
            for (int k = j; k < end; k++) chart_record(c, "", a->centre[k], b->centre[i], NAN, NAN);
        }
    c->series = NULL;
}

static void draw_pair(chart *c, const posterior_figure *f, const parts *a, const parts *b, double left,
                      double top)
{
    if (is_thin(f, a, b))
        draw_samples(c, f, a, b, left, top);
    else
        draw_areas(c, f, a, b, left, top);
    double across = posterior_axis_place(&a->axis, f->found.best[a->parameter]);
    double up = posterior_axis_place(&b->axis, f->found.best[b->parameter]);
    if (across >= 0.0 && across <= 1.0 && up >= 0.0 && up <= 1.0)
        chart_draw_glyph(c->file, &CORNER[BEST], left + CELL * across, top + CELL * (1.0 - up));
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
            svg_rectangle(c->file, "column", left + CELL * p->from[i], top + CELL - height,
                          CELL * (p->to[i] - p->from[i]) + 0.1, height);
    }
    c->series = NULL;
}

/* Two digits, or as many as tell it from 1. */
static void write_correlation(double value, char *text, size_t size)
{
    enum { DIGITS = 2, DIGITS_MAX = 6 };
    for (int digits = DIGITS; digits <= DIGITS_MAX; digits++) {
        double unit = pow(10.0, -digits);
        number_format(text, size, "%.*f", digits, fabs(value) < 0.5 * unit ? 0.0 : value);
        if (fabs(value) < 1.0 - 0.5 * unit) return;
    }
}

/* The correlation, larger where it is stronger; choices have none. */
static void draw_correlation(chart *c, const posterior_figure *f, const parts *a, const parts *b, double left,
                             double top)
{
    char text[16];
    if (a->axis.words || b->axis.words) return;
    double value = correlation_of(f, a, b);
    write_correlation(value, text, sizeof text);
    number_print(c->file,
                 "<text class=\"strong\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                 "style=\"font-size:%.1fpx\" opacity=\"%.2f\">%s</text>\n",
                 left + 0.5 * CELL, top + 0.5 * CELL + 5.0, 12.0 + 8.0 * fabs(value), 0.5 + 0.5 * fabs(value),
                 text);
}

/* A number beside a cell: its place along the edge, and half of the room that it takes there. */
typedef struct {
    double at, half;
    char text[48];
} label;

static label make_label(const parts *p, const double *tick, int count, int i, int upright)
{
    label l;
    double share = posterior_axis_place(&p->axis, tick[i]);
    l.at = CELL * (upright ? 1.0 - share : share);
    axis_number(&p->axis, tick, count, i, 9, l.text, sizeof l.text);
    l.half = upright ? 5.0 : 0.5 * (CHARACTER - 1) * (double)strlen(l.text);
    return l;
}

/* Whether it does not reach beyond the cell, where the next one has its own. */
static int has_room(const label *l)
{
    return l->at >= l->half - 0.5 * GAP && l->at <= CELL + 0.5 * GAP - l->half;
}

/* So many ticks that two numbers have room, if they can. */
static int find_ticks(const parts *p, double *tick, int upright)
{
    int count = 0, inside = 0;
    for (double apart = 36.0; apart > 10.0 && inside < 2; apart *= 0.7) {
        count = axis_ticks(&p->axis, CELL, apart, tick);
        inside = 0;
        for (int i = 0; i < count; i++) {
            label l = make_label(p, tick, count, i, upright);
            inside += has_room(&l);
        }
    }
    return count;
}

/* The ticks of an interval below a cell (y: the line of the numbers), or left of it (y: its top). */
static void draw_ticks(chart *c, const parts *p, double x, double y, int upright)
{
    enum { LENGTH = 3, BELOW = 14, BETWEEN = 5 };
    double tick[AXIS_TICKS], before = -CELL;
    int count = find_ticks(p, tick, upright);
    for (int i = 0; i < count; i++) {
        label l = make_label(p, tick, count, i, upright);
        if (upright)
            svg_line(c->file, "axis", x - LENGTH, y + l.at, x, y + l.at);
        else
            svg_line(c->file, "axis", x + l.at, y - BELOW, x + l.at, y - BELOW + LENGTH);
        if (!has_room(&l) || (!upright && l.at - l.half < before + BETWEEN)) continue;
        before = l.at + l.half;
        if (upright)
            svg_text(c->file, "tick", x - LENGTH - 3.0, y + l.at + 3.5, "end", 0.0, l.text);
        else
            svg_text(c->file, "tick", x + l.at, y, "middle", 0.0, l.text);
    }
}

/* The first and the last of the values on their own that an axis has, where they are. */
static void draw_ends(chart *c, const parts *p, double x, double y, int upright)
{
    char text[48];
    int ends[2] = {0, p->count - 1};
    if (!p->values) {
        draw_ticks(c, p, x, y, upright);
        return;
    }
    while (ends[0] < ends[1] && p->from[ends[0]] < 0.0) ends[0]++;
    while (ends[0] < ends[1] && p->to[ends[1]] > 1.0) ends[1]--;
    for (int end = 0; end < 2; end++) {
        double share = end;
        if (p->axis.words)
            axis_number(&p->axis, &p->centre[ends[end]], 1, 0, upright ? 9 : 7, text, sizeof text);
        else
            number_format(text, sizeof text, "%.3g", p->centre[ends[end]]);
        int placed = strlen(text) <= 4;
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

/* Those of the items that are drawn. Returns how many. */
static int corner_items(const posterior_figure *f, const parts *of, int shown, chart_item *items)
{
    int count = 0, thin = 0;
    for (int row = 0; row < shown; row++)
        for (int column = 0; column < row; column++) thin += is_thin(f, &of[column], &of[row]);
    for (int i = 0; i < ITEMS; i++)
        if (i == BEST || (i == SAMPLE ? thin > 0 : thin < shown * (shown - 1) / 2))
            items[count++] = CORNER[i];
    return count;
}

void posterior_corner(const posterior_figure *f)
{
    parts of[SHOWN_MAX];
    chart_item items[ITEMS];
    FILE *file = f->r->file;
    if (f->frees < 2) return;
    int shown = f->frees < SHOWN_MAX ? f->frees : SHOWN_MAX;
    for (int k = 0; k < shown; k++) make_parts(f, f->free[k], &of[k]);
    double side = MARGIN + shown * (CELL + GAP);
    int item_count = corner_items(f, of, shown, items);
    fputs("<h3>Pairs of parameters</h3>\n<p class=\"note\">Above the diagonal the correlation.", file);
    if (f->frees > shown) fprintf(file, " The first %d of %d parameters.", shown, f->frees);
    fputs("</p><p class=\"legend\">", file);
    for (int i = 0; i < item_count; i++) chart_legend(file, &items[i]);
    fputs("</p><figure class=\"corner\"><div class=\"scroll\">", file);
    chart c = {.file = file, .files = f->r->files, .width = side + 4.0, .height = side - MARGIN + 40.0};
    c.widest = 1.25 * c.width;
    c.items = items;
    c.item_count = item_count;
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

/* How the combinations are drawn: the width of a parameter's column, and of a bar of all of the prior's
 * deviation. */
typedef struct {
    double column, bar;
    const int *which; /* the parameters */
    int shown;
} layout;

enum { ROW = 26, HEAD = 24, BESIDE = 20 };
static const double LONGEST = 1.2; /* what is left is rarely more than all */

/* What is drawn of a combination: its weights, and how well it is known. */
static void draw_direction(chart *c, const posterior_figure *f, int e, const layout *l, int row)
{
    int d = f->found.parameters;
    const double *vector = f->found.direction + (size_t)e * (size_t)d;
    double most = 0.0, sign = 1.0, top = HEAD + ROW * row;
    for (int k = 0; k < d; k++)
        if (fabs(vector[k]) > most) {
            most = fabs(vector[k]);
            sign = vector[k] < 0.0 ? -1.0 : 1.0;
        }
    for (int k = 0; k < l->shown; k++) {
        double centre = (k + 0.5) * l->column, value = sign * vector[l->which[k]],
               reach = 0.46 * l->column * fabs(value);
        svg_rectangle(c->file, value < 0.0 ? "weight below" : "weight", value < 0.0 ? centre - reach : centre,
                      top, reach, 14.0);
        svg_line(c->file, "axis", centre, top - 3.0, centre, top + 17.0);
        c->series = f->r->input->parameters[l->which[k]].name;
        chart_record(c, "", row + 1.0, value, NAN, NAN);
    }
    double left = f->found.direction_deviation[e], from = l->shown * l->column + BESIDE,
           reach = l->bar * fmin(left, LONGEST);
    svg_rectangle(c->file, "weight left", from, top, reach, 14.0);
    svg_line(c->file, "axis", from, top - 3.0, from, top + 17.0);
    svg_line(c->file, "axis", from + l->bar, top - 3.0, from + l->bar, top + 17.0);
    char text[64];
    number_format(text, sizeof text, left < 0.1 ? "%.2g %%" : "%.0f %%", 100.0 * left);
    svg_text(c->file, "tick", from + LONGEST * l->bar + 5.0, top + 11.0, "start", 0.0, text);
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

/* For a wide screen, or a narrow one and a file. */
static layout choose_layout(const posterior_figure *f, const int *which, int shown, int narrow)
{
    layout l = {.column = narrow ? 46.0 : 480.0 / shown,
                .bar = narrow ? 70.0 : 140.0,
                .which = which,
                .shown = shown};
    for (int k = 0; k < shown; k++) {
        size_t length = strlen(f->r->input->parameters[which[k]].name);
        l.column = fmax(l.column, CHARACTER * fmin((double)length + 1.0, LETTERS + 1.0));
    }
    return l;
}

static void draw_directions(const posterior_figure *f, const layout *l, const int *drawn, int rows,
                            const char *class)
{
    enum { NUMBER = 46 };
    chart c = {.file = f->r->file, .files = f->r->files, .class = class};
    c.width = l->shown * l->column + BESIDE + fmax(LONGEST * l->bar, CHARACTER * 14.0) + NUMBER;
    c.height = HEAD + ROW * rows;
    c.widest = 1.1 * c.width;
    chart_name(&c, "posterior", "combinations", NULL);
    chart_open(&c, "Combinations of parameters and how well they are known", "combination",
               "weight, or deviation left");
    for (int k = 0; k < l->shown; k++)
        draw_name(&c, f, l->which[k], (k + 0.5) * l->column, 13.0, 0.0, LETTERS);
    svg_text(c.file, "name", l->shown * l->column + BESIDE, 13.0, "start", 0.0, "deviation left");
    for (int row = 0; row < rows; row++) draw_direction(&c, f, drawn[row], l, row);
    chart_close(&c);
}

void posterior_directions(const posterior_figure *f)
{
    FILE *file = f->r->file;
    int which[SHOWN_MAX], shown = combined(f, which), drawn[SHOWN_MAX] = {0}, rows = 0;
    if (shown < 2) return;
    /* The best known first, and the last place for the one that is known least. */
    for (int e = 0; e < f->found.parameters; e++)
        if (is_drawn(f, e)) drawn[rows < SHOWN_MAX ? rows++ : SHOWN_MAX - 1] = e;
    fprintf(file,
            "<h3>What the data tell</h3>\n<p class=\"note\">Combinations of the parameters%s, the best known "
            "first: the weight of each parameter, and the deviation that is left of the prior's, up to the "
            "thin line at 100 %%. A long bar to the right is a combination of which the data tell "
            "nothing.</p><figure><div class=\"scroll\">",
            f->found.direction_logarithms ? " (their logarithms, where they have one)" : "");
    for (int size = 0; size < report_sizes(f->r); size++) {
        int narrow = size == 1 || f->r->files;
        layout l = choose_layout(f, which, shown, narrow);
        draw_directions(f, &l, drawn, rows, narrow ? "slim" : "broad");
    }
    fputs("</div></figure>\n", file);
}
