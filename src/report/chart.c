#include "report/chart.h"

#include "base/number.h"
#include "report/plot.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { TOP = 8, RIGHT = 10, CHARACTER = 7, TICK_GAP = 6, WIDE = 400 };

void chart_include(chart_axis *axis, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]) || (axis->log && !(values[i] > 0.0))) continue;
        int empty = axis->low > axis->high;
        if (empty || values[i] < axis->low) axis->low = values[i];
        if (empty || values[i] > axis->high) axis->high = values[i];
    }
}

void chart_pad(chart_axis *axis)
{
    if (axis->low > axis->high) axis->low = axis->log ? 0.1 : 0.0, axis->high = 1.0;
    if (axis->log) {
        double room = pow(axis->high / axis->low, 0.05);
        if (room < 1.05) room = 1.5;
        axis->low = fmax(axis->low / room, 1e-307);
        axis->high = fmin(axis->high * room, 1e307);
        return;
    }
    double most = fmax(fabs(axis->low), fabs(axis->high));
    double room = 0.06 * (axis->high - axis->low);
    /* What differs by rounding only is constant. */
    if (!(axis->high - axis->low > 1e-12 * most)) room = most > 0.0 ? 0.1 * most : 0.5;
    axis->low = fmax(axis->low - room, -1e307);
    axis->high = fmin(axis->high + room, 1e307);
}

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

static void write_power(int exponent, char *text, size_t size)
{
    static const char *const digits[10] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    int used = snprintf(text, size, "10%s", exponent < 0 ? "⁻" : "");
    snprintf(plain, sizeof plain, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *p = plain; *p && used > 0 && (size_t)used < size; p++)
        used += snprintf(text + used, size - (size_t)used, "%s", digits[*p - '0']);
}

void chart_number(double value, int power, char *text, size_t size)
{
    double exponent = value > 0.0 ? log10(value) : NAN;
    if (isnan(value))
        snprintf(text, size, "–");
    else if (isinf(value))
        snprintf(text, size, "%s∞", value < 0.0 ? "−" : "");
    else if (power && fabs(exponent - round(exponent)) < 1e-9 && fabs(exponent) >= 3.0)
        write_power((int)round(exponent), text, size);
    else
        number_format(text, size, "%.6g", value + 0.0);
}

/* ---- Ticks ---- */

enum { TICKS_MAX = 64 };

static int linear_ticks(const chart_axis *axis, int wanted, double *tick)
{
    double step = plot_step(axis->low, axis->high, wanted);
    int count = 0;
    for (double k = ceil(axis->low / step - 1e-9); k * step <= axis->high + 1e-9 * step; k++) {
        if (count == TICKS_MAX) break;
        tick[count++] = k * step + 0.0;
    }
    return count;
}

static int log_ticks(const chart_axis *axis, int wanted, double *tick)
{
    double decades = log10(axis->high / axis->low), first = ceil(log10(axis->low) - 1e-9);
    int stride = (int)fmax(1.0, ceil(decades / wanted)), count = 0;
    if (decades < 1.3) return linear_ticks(axis, wanted, tick);
    first = stride * ceil(first / stride);
    for (double k = first; pow(10.0, k) <= axis->high * (1.0 + 1e-9) && count < TICKS_MAX; k += stride)
        tick[count++] = pow(10.0, k);
    return count;
}

static int make_ticks(const chart_axis *axis, double length, double apart, double *tick)
{
    int wanted = (int)fmax(2.0, length / apart);
    return axis->log ? log_ticks(axis, wanted, tick) : linear_ticks(axis, wanted, tick);
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* The title of an axis, cut to about the room that there is. */
static void axis_title(const chart *c, const char *title, double x, double y, double turn, double room)
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
    svg_text(c->file, "name", x, y, "middle", turn, text);
}

/* A tick's number, with the digits that tell it from the next. */
static void tick_number(const chart_axis *axis, const double *tick, int count, int i, char *text, size_t size)
{
    double most = fmax(fabs(tick[0]), fabs(tick[count - 1])), step = count > 1 ? tick[1] - tick[0] : most;
    int digits = axis->log || !(step > 0.0) ? 6 : (int)ceil(log10(most / step) - 1e-9) + 1;
    if (digits <= 6)
        chart_number(tick[i], axis->log, text, size);
    else
        number_format(text, size, "%.*g", digits < 15 ? digits : 15, tick[i]);
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
    for (;; apart *= 1.3) {
        char text[48];
        int count = make_ticks(&c->x, length, apart, tick), widest = 0;
        for (int i = 0; i < count; i++) {
            tick_number(&c->x, tick, count, i, text, sizeof text);
            if (width_of(text) > widest) widest = width_of(text);
        }
        if (count < 3 || chart_x(c, tick[1]) - chart_x(c, tick[0]) > CHARACTER * (widest + 1)) return count;
        if (apart > length) return count;
    }
}

void chart_begin(chart *c, const char *name, const char *x_title, const char *y_title)
{
    double tick[TICKS_MAX];
    char text[48];
    c->bottom = c->width > WIDE ? 46.0 : 36.0;
    int count = make_ticks(&c->y, c->height - TOP - c->bottom, 36.0, tick), widest = 1;
    for (int i = 0; i < count; i++) {
        tick_number(&c->y, tick, count, i, text, sizeof text);
        if (width_of(text) > widest) widest = width_of(text);
    }
    c->left = CHARACTER * widest + 2.0 * TICK_GAP + (y_title ? 16.0 : 0.0);
    fputs("<svg ", c->file);
    if (c->class) fprintf(c->file, "class=\"%s\" ", c->class);
    number_print(c->file, "viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", c->width, c->height);
    svg_escape(c->file, name);
    fputs("\">\n", c->file);
    double low = c->height - c->bottom, right = c->width - RIGHT;
    for (int i = 0; i < count; i++) {
        double at = chart_y(c, tick[i]);
        svg_line(c->file, "grid", c->left, at, right, at);
        tick_number(&c->y, tick, count, i, text, sizeof text);
        svg_text(c->file, "tick", c->left - TICK_GAP, at + 3.5, "end", 0.0, text);
    }
    count = make_x_ticks(c, right - c->left, tick);
    for (int i = 0; i < count; i++) {
        double at = chart_x(c, tick[i]);
        svg_line(c->file, "axis", at, low, at, low + 3.0);
        tick_number(&c->x, tick, count, i, text, sizeof text);
        draw_number(c, at, low + c->bottom / 3.0 + 2.0, text);
    }
    svg_line(c->file, "axis", c->left, low, right, low);
    if (x_title) axis_title(c, x_title, 0.5 * (c->left + right), c->height - 6.0, 0.0, right - c->left);
    if (y_title) axis_title(c, y_title, 13.0, 0.5 * (TOP + low), -90.0, low - TOP);
}

void chart_end(chart *c)
{
    fputs("</svg>\n", c->file);
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
    for (int i = 0; i < 2 * count; i++) {
        int at = i < count ? i : 2 * count - 1 - i;
        if (isnan(x[at]) || isnan(low[at]) || isnan(high[at])) continue;
        number_print(c->file, "%c%.1f %.1f", drawn++ ? 'L' : 'M', chart_x(c, x[at]),
                     chart_y(c, i < count ? high[at] : low[at]));
    }
    fputs(drawn ? "Z\"/>\n" : "\"/>\n", c->file);
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
        [CHART_STAR] = {0.0, -7.0, "l1.7 4.7 5 .1-4 3.1 1.5 4.8-4.2-2.9-4.2 2.9 1.5-4.8-4-3.1 5-.1z"}};
    number_print(file, "M%.1f %.1f%s", x + shapes[glyph].x, y + shapes[glyph].y, shapes[glyph].rest);
}

void chart_shade(chart *c, const char *class, double from, double to)
{
    svg_rectangle(c->file, class, from, TOP, to - from, c->height - c->bottom - TOP);
}

void chart_bars(chart *c, const char *class)
{
    fprintf(c->file, "<path class=\"line bars %s\" d=\"", class);
}

void chart_bar(chart *c, double x, double low, double high)
{
    if (isnan(x) || isnan(low) || isnan(high)) return;
    number_print(c->file, "M%.1f %.1fV%.1f", chart_x(c, x), chart_y(c, low), chart_y(c, high));
}

void chart_marks(chart *c, const char *class)
{
    fprintf(c->file, "<path class=\"mark %s\" d=\"", class);
}

void chart_mark(chart *c, chart_glyph glyph, double x, double y)
{
    if (isnan(x) || isnan(y)) return;
    write_glyph(c->file, glyph, chart_x(c, x), chart_y(c, y));
}

void chart_marks_end(chart *c)
{
    fputs("\"/>\n", c->file);
}

void chart_key(FILE *file, const char *class, chart_glyph glyph)
{
    fprintf(file,
            "<svg class=\"key\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path class=\"mark %s\" d=\"",
            class);
    write_glyph(file, glyph, 8.0, 8.0);
    fputs("\"/></svg>", file);
}
