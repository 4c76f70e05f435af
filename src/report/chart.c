#include "report/chart.h"

#include "base/number.h"
#include "report/chart_axis.h"
#include "report/chart_files.h"
#include "report/page_style.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { TOP = 8, RIGHT = 10, CHARACTER = 7, TICK_GAP = 6, WIDE = 400, NUMBER = 48, WORD_MAX = 12, LINE = 12 };

static double fraction(const chart_axis *axis, double value)
{
    double share = axis->log ? (value > 0.0 ? log(value / axis->low) / log(axis->high / axis->low) : 0.0)
                             : (value / 2.0 - axis->low / 2.0) / (axis->high / 2.0 - axis->low / 2.0);
    return isnan(share) ? share : fmin(fmax(share, 0.0), 1.0);
}

double chart_x(const chart *c, double value)
{
    return c->left + fraction(&c->x, value) * (c->width - RIGHT - c->left);
}

double chart_y(const chart *c, double value)
{
    double low = c->height - c->bottom;
    return low - fraction(&c->y, value) * (low - TOP);
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* The title of an axis, cut to about the room that there is. */
static void axis_title(const chart *c, const char *class, const char *title, double x, double y, double turn,
                       double room)
{
    enum { LONGEST = 240 };
    char text[LONGEST + 8];
    int most = (int)(room / (CHARACTER + 1)), characters = 0;
    size_t end = 0;
    while (end < LONGEST && title[end]) {
        if ((title[end] & 0xc0) != 0x80 && ++characters > most) break;
        end++;
    }
    snprintf(text, sizeof text, "%.*s%s", (int)end, title, title[end] ? "…" : "");
    svg_text(c->file, class, x, y, "middle", turn, text);
}

/* The number below a tick; at the ends of the axis it stays inside the drawing. */
static void draw_number(const chart *c, double at, double y, const char *text)
{
    double half = 0.5 * CHARACTER * width_of(text);
    svg_text(c->file, "tick", fmin(fmax(at, half), c->width - half), y, "middle", 0.0, text);
}

/* As many ticks as there is room for their numbers. */
static int make_x_ticks(const chart *c, double length, double *tick)
{
    double apart = c->width > WIDE ? 80.0 : c->x.log ? 44.0 : 62.0;
    if (c->x.words) return axis_ticks(&c->x, length, apart, tick);
    while (apart > 30.0 && axis_ticks(&c->x, length, apart, tick) < 2) apart *= 0.8;
    for (;; apart *= 1.3) {
        char text[NUMBER];
        int count = axis_ticks(&c->x, length, apart, tick), widest = 0;
        for (int i = 0; i < count; i++) {
            axis_number(&c->x, tick, count, i, WORD_MAX, text, sizeof text);
            if (width_of(text) > widest) widest = width_of(text);
        }
        double least = INFINITY;
        for (int i = 1; i < count; i++) least = fmin(least, chart_x(c, tick[i]) - chart_x(c, tick[i - 1]));
        if (count < 3 || least > CHARACTER * (widest + 1)) return count;
        if (apart > length) return count;
    }
}

/* Words that would be cut are on two lines in turn, each with twice the room. */
static int tick_lines(const chart *c, const double *tick, int count, int most)
{
    int longest = 0;
    for (int i = 0; c->x.words && i < count; i++)
        longest = (int)fmax(longest, width_of(c->x.words[(int)(tick[i] - c->x.first)]));
    return longest > most && count > 1 ? 2 : 1;
}

static void draw_x_ticks(const chart *c, const double *tick, int count, int lines, int most)
{
    char text[NUMBER];
    double low = c->height - c->bottom, first = low + (c->bottom - LINE * (lines - 1)) / 3.0 + 2.0;
    for (int i = 0; i < count; i++) {
        double at = chart_x(c, tick[i]);
        svg_line(c->file, "axis", at, low, at, low + 3.0);
        axis_number(&c->x, tick, count, i, most, text, sizeof text);
        draw_number(c, at, first + LINE * (i % lines), text);
    }
}

/* The script that zooms names ticks by these. */
static void write_words(FILE *file, const char *attribute, const chart_axis *axis)
{
    if (!axis->words) return;
    number_print(file, "%s=\"%g", attribute, axis->first);
    for (int i = 0; i < axis->word_count; i++) {
        fputc('\n', file);
        svg_escape(file, axis->words[i]);
    }
    fputs("\" ", file);
}

static void write_glyph(FILE *file, chart_glyph glyph, double x, double y)
{
    static const struct {
        double x, y;
        const char *rest;
    } shapes[] = {
        [CHART_DOT] = {0.0, 0.0, "h0"},
        [CHART_CROSS] = {-3.0, -3.0, "l6 6m0-6l-6 6"},
        [CHART_DIAMOND] = {0.0, -3.8, "l3.8 3.8l-3.8 3.8l-3.8-3.8z"},
        [CHART_SQUARE] = {-2.8, -2.8, "h5.6v5.6h-5.6z"},
        [CHART_TRIANGLE] = {0.0, -3.6, "l3.6 6.2h-7.2z"},
        [CHART_INVERTED] = {-3.6, -2.6, "h7.2l-3.6 6.2z"},
        [CHART_STAR] = {0.0, -7.0, "l1.7 4.7 5 .1-4 3.1 1.5 4.8-4.2-2.9-4.2 2.9 1.5-4.8-4-3.1 5-.1z"},
        [CHART_STROKE] = {-6.0, 0.0, "h12"},
        [CHART_AREA] = {-6.0, -4.5, "h12v9h-12z"}};
    number_print(file, "M%.1f %.1f%s", x + shapes[glyph].x, y + shapes[glyph].y, shapes[glyph].rest);
}

void chart_draw_glyph(FILE *file, const chart_item *item, double x, double y)
{
    const char *kind = item->glyph == CHART_STROKE ? "line " : item->glyph == CHART_AREA ? "" : "mark ";
    fprintf(file, "<path class=\"%s%s\" d=\"", kind, item->class);
    write_glyph(file, item->glyph, x, y);
    fputs("\"/>\n", file);
}

/* Items of the legend one after the other, in lines below the drawing. Returns their height; drawn: 0
 * to know it beforehand. */
static double legend(const chart *c, int drawn)
{
    enum { KEY = 16, APART = 10, EDGE = 8 };
    double x = EDGE, y = c->height + LINE;
    if (!c->files || c->item_count == 0) return 0.0;
    for (int i = 0; i < c->item_count; i++) {
        const chart_item *item = &c->items[i];
        double width = KEY + 0.88 * CHARACTER * width_of(item->text);
        if (x > EDGE && x + width > c->width) {
            x = EDGE;
            y += LINE + 3.0;
        }
        if (drawn) {
            chart_draw_glyph(c->file, item, x + 0.4 * KEY, y - 3.5);
            svg_text(c->file, "tick", x + KEY, y, "start", 0.0, item->text);
        }
        x += width + APART;
    }
    return y + 6.0 - c->height;
}

static void open_drawing(chart *c)
{
    static const double MILLIMETRES = 86.0 / 360.0,
                        BOTH = 178.0; /* of a column of two, per unit; and of both */
    double height = c->height + legend(c, 0);
    if (!c->files) {
        fputs("<svg ", c->file);
        if (c->class) fprintf(c->file, "class=\"%s\" ", c->class);
    } else {
        double unit = fmin(MILLIMETRES, BOTH / c->width);
        number_print(c->file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.4gmm\" height=\"%.4gmm\" ",
                     c->width * unit, height * unit);
    }
    number_print(c->file, "viewBox=\"0 0 %g %g\" role=\"img\" ", c->width, height);
    if (c->widest > 0.0) {
        if (!c->files)
            number_print(c->file, "style=\"max-width:%.0fpx;--least:%.0fpx\" ", c->widest, c->width);
        return;
    }
    if (!c->files)
        number_print(c->file,
                     "data-frame=\"%.1f %d %g %g\" data-x=\"%.9g %.9g %d %d\" data-y=\"%.9g %.9g %d %d\" ",
                     c->left, TOP, c->width - RIGHT, c->height - c->bottom, c->x.low, c->x.high, c->x.log,
                     c->x.whole, c->y.low, c->y.high, c->y.log, c->y.whole);
    if (!c->files) write_words(c->file, "data-x-words", &c->x);
    if (!c->files) write_words(c->file, "data-y-words", &c->y);
}

void chart_open(chart *c, const char *text, const char *x_title, const char *y_title)
{
    if (c->files) chart_files_begin(c, x_title, y_title);
    open_drawing(c);
    fputs("aria-label=\"", c->file);
    svg_escape(c->file, text);
    fputs("\">\n", c->file);
    if (!c->files) return;
    fputs("<title>", c->file);
    svg_escape(c->file, text);
    fputs("</title>\n<style>\n", c->file);
    page_style_figure(c->file);
    fputs("</style>\n", c->file);
    svg_rectangle(c->file, "paper", 0.0, 0.0, c->width, c->height + legend(c, 0));
}

void chart_close(chart *c)
{
    legend(c, 1);
    fputs("</svg>\n", c->file);
    chart_files_end(c);
}

void chart_begin(chart *c, const char *text, const char *x_title, const char *y_title)
{
    double tick[AXIS_TICKS], along[AXIS_TICKS];
    char number[NUMBER];
    c->bottom = c->width > WIDE ? 46.0 : 36.0;
    int count = axis_ticks(&c->y, c->height - TOP - c->bottom, 36.0, tick), widest = 1;
    for (int i = 0; i < count; i++) {
        axis_number(&c->y, tick, count, i, WORD_MAX, number, sizeof number);
        if (width_of(number) > widest) widest = width_of(number);
    }
    c->left = CHARACTER * widest + 2.0 * TICK_GAP + (y_title ? 16.0 : 0.0);
    double right = c->width - RIGHT;
    int along_count = make_x_ticks(c, right - c->left, along);
    int most = (int)((right - c->left) / fmax(along_count, 1.0) / CHARACTER);
    int lines = tick_lines(c, along, along_count, most);
    c->bottom += LINE * (lines - 1);
    double low = c->height - c->bottom;
    chart_open(c, text, x_title, y_title);
    fputs("<g class=\"ticks\">\n", c->file);
    for (int i = 0; i < count; i++) {
        double at = chart_y(c, tick[i]);
        svg_line(c->file, "grid", c->left, at, right, at);
        axis_number(&c->y, tick, count, i, WORD_MAX, number, sizeof number);
        svg_text(c->file, "tick", c->left - TICK_GAP, at + 3.5, "end", 0.0, number);
    }
    draw_x_ticks(c, along, along_count, lines, lines * most);
    fputs("</g>\n", c->file);
    svg_line(c->file, "axis", c->left, low, right, low);
    if (x_title)
        axis_title(c, "name", x_title, 0.5 * (c->left + right), c->height - 6.0, 0.0, right - c->left);
    if (y_title) axis_title(c, "name", y_title, 13.0, 0.5 * (TOP + low), -90.0, low - TOP);
    fputs("<g class=\"plot\">\n", c->file);
}

void chart_end(chart *c)
{
    fputs("</g>\n", c->file);
    chart_close(c);
}

/* Which side of the frame a value is on: -1 below it, 1 above, 0 inside. On a logarithmic scale all
 * is held at the frame. */
static int side_of(const chart_axis *axis, double value)
{
    return axis->log ? 0 : (value > axis->high) - (value < axis->low);
}

/* Where the line from point a to point b crosses the frame, above (side 1) or below (-1). */
static void write_crossing(const chart *c, char command, const double *x, const double *y, int a, int b,
                           int side)
{
    double frame = side > 0 ? c->y.high : c->y.low, share = (frame - y[a]) / (y[b] - y[a]);
    double from = chart_x(c, x[a]), to = chart_x(c, x[b]);
    number_print(c->file, "%c%.1f %.1f", command, from + share * (to - from), chart_y(c, frame));
}

void chart_line(chart *c, const char *class, const double *x, const double *y, int count)
{
    int before = -1; /* the point that the line comes from; -1: none */
    fprintf(c->file, "<path class=\"line %s\" d=\"", class);
    for (int i = 0; i < count; i++) {
        chart_record(c, class, x[i], y[i], NAN, NAN);
        if (isnan(x[i]) || !isfinite(y[i])) {
            before = -1;
            continue;
        }
        int side = side_of(&c->y, y[i]), last = before >= 0 ? side_of(&c->y, y[before]) : side;
        if (last && last != side) write_crossing(c, 'M', x, y, before, i, last);
        if (side && last != side) write_crossing(c, 'L', x, y, before, i, side);
        if (!side)
            number_print(c->file, "%c%.1f %.1f", before >= 0 ? 'L' : 'M', chart_x(c, x[i]), chart_y(c, y[i]));
        before = i;
    }
    fputs("\"/>\n", c->file);
}

void chart_band(chart *c, const char *class, const double *x, const double *low, const double *high,
                int count)
{
    int drawn = 0;
    fprintf(c->file, "<path class=\"band %s\" d=\"", class);
    for (int i = 0; i < count; i++) chart_record(c, class, x[i], NAN, low[i], high[i]);
    for (int i = 0; i < 2 * count; i++) {
        int at = i < count ? i : 2 * count - 1 - i;
        if (isnan(x[at]) || isnan(low[at]) || isnan(high[at])) continue;
        number_print(c->file, "%c%.1f %.1f", drawn++ ? 'L' : 'M', chart_x(c, x[at]),
                     chart_y(c, i < count ? high[at] : low[at]));
    }
    fputs(drawn ? "Z\"/>\n" : "\"/>\n", c->file);
}

void chart_shade(chart *c, const char *class, double from, double to)
{
    svg_rectangle(c->file, class, from, TOP, to - from, c->height - c->bottom - TOP);
}

void chart_bars(chart *c, const char *class)
{
    fprintf(c->file, "<path class=\"line bars %s\" d=\"", class);
    c->kind = class;
}

void chart_bar(chart *c, double x, double low, double high)
{
    if (isnan(x) || isnan(low) || isnan(high)) return;
    chart_record(c, c->kind, x, NAN, low, high);
    double at = chart_x(c, x), from = chart_y(c, low), to = chart_y(c, high);
    number_print(c->file, "M%.1f %.1fV%.1f", at, from, to);
    if (high > c->y.high) number_print(c->file, "m-2.5 4.5l2.5-4.5l2.5 4.5");
    if (low < c->y.low) number_print(c->file, "M%.1f %.1fm-2.5-4.5l2.5 4.5l2.5-4.5", at, from);
}

void chart_marks(chart *c, const char *class)
{
    fprintf(c->file, "<path class=\"mark %s\" d=\"", class);
    c->kind = class;
}

void chart_mark(chart *c, chart_glyph glyph, double x, double y)
{
    if (isnan(x) || isnan(y)) return;
    chart_record(c, c->kind, x, y, NAN, NAN);
    write_glyph(c->file, glyph, chart_x(c, x), chart_y(c, y));
}

void chart_marks_end(chart *c)
{
    fputs("\"/>\n", c->file);
}

/* Places that a mark has been drawn at, larger where there are many more marks than places. */
enum { PLACE = 4, LARGE_PLACE = 8, PLACES = 40000, CROWD = 1000, LARGE_CROWD = 5000 };

static int is_taken(const chart *c, unsigned char *taken, int place, double x, double y)
{
    int across = (int)(c->width / place) + 1;
    int at = (int)(chart_y(c, y) / place) * across + (int)(chart_x(c, x) / place);
    if (at < 0 || at >= PLACES) return 0;
    int was = taken[at / 8] >> (at % 8) & 1;
    taken[at / 8] |= (unsigned char)(1 << (at % 8));
    return was;
}

void chart_trials(chart *c, const char *class, chart_glyph glyph, const int *trial, const double *x,
                  const double *y, int count)
{
    unsigned char taken[2][PLACES / 8 + 1];
    int place = count > LARGE_CROWD ? LARGE_PLACE : PLACE;
    if (count == 0) return;
    memset(taken, 0, count > CROWD ? sizeof taken : 0);
    chart_marks(c, class);
    for (int i = 0; i < count; i++) {
        chart_record(c, class, x[i], y[i], NAN, NAN);
        if (isnan(x[i]) || isnan(y[i]) || (count > CROWD && is_taken(c, taken[0], place, x[i], y[i])))
            continue;
        write_glyph(c->file, glyph, chart_x(c, x[i]), chart_y(c, y[i]));
    }
    if (trial) fputs("\" data-trials=\"", c->file);
    for (int i = 0; i < count && trial; i++)
        if (!isnan(x[i]) && !isnan(y[i]) && !(count > CROWD && is_taken(c, taken[1], place, x[i], y[i])))
            fprintf(c->file, "%d ", trial[i]);
    chart_marks_end(c);
}

void chart_column(chart *c, const char *class, double from, double to, double y)
{
    double left = chart_x(c, from), top = chart_y(c, y);
    chart_record(c, class, 0.5 * (from + to), y, NAN, NAN);
    svg_rectangle(c->file, class, left, top, chart_x(c, to) - left, c->height - c->bottom - top);
}

void chart_key(FILE *file, const char *class, chart_glyph glyph)
{
    fputs("<svg class=\"key\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">", file);
    chart_draw_glyph(file, &(chart_item){class, "", glyph}, 8.0, 8.0);
    fputs("</svg>", file);
}

void chart_legend(FILE *file, const chart_item *item)
{
    fputs("<span>", file);
    chart_key(file, item->class, item->glyph);
    svg_escape(file, item->text);
    fputs("</span>\n", file);
}
