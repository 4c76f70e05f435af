/* The best value so far as a few lines of characters. */
#include "report/progress.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

enum { ROWS = 6, EIGHTHS = 8, MARGIN = 12, WIDEST = 60 };

/* Values whose largest is so many times their smallest are shown on a logarithmic scale. */
static const double DECADES = 100.0;

typedef struct {
    double low, high, sign;
    int log;
} curve_scale;

/* The best of the first `count` values; NaN where none is finite. */
static double best_of(const double *values, int count, gofh_sense sense)
{
    double best = NAN;
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        if (isnan(best) || (sense == GOFH_MINIMIZE ? values[i] < best : values[i] > best)) best = values[i];
    }
    return best;
}

/* From the first best to the last; 0 where there is nothing to draw. */
static int choose_scale(const double *values, int count, gofh_sense sense, curve_scale *s)
{
    double first = NAN, last = best_of(values, count, sense), zero_free = INFINITY;
    int finite = 0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        if (finite++ == 0) first = values[i];
        if (values[i] != 0.0) zero_free = fmin(zero_free, fabs(values[i]));
    }
    if (finite < 2 || first == last) return 0;
    double least = fmin(first, last), most = fmax(first, last);
    s->sign = most <= 0.0 ? -1.0 : 1.0;
    double near = fmin(fabs(least), fabs(most)), far = fmax(fabs(least), fabs(most));
    s->log = least * most >= 0.0 && far > DECADES * fmax(near, zero_free) && far > 0.0;
    s->low = least;
    s->high = most;
    /* Zero has no logarithm: it stands at the smallest that was seen. */
    if (s->log && s->low == 0.0) s->low = zero_free;
    if (s->log && s->high == 0.0) s->high = -zero_free;
    return 1;
}

/* From 0 at the lower end to 1. */
static double height_of(const curve_scale *s, double value)
{
    if (s->high == s->low) return 0.0;
    double share = s->log ? log(fmax(s->sign * value, s->sign * (s->sign > 0.0 ? s->low : s->high)) /
                                (s->sign * s->low)) /
                                log(s->high / s->low)
                          : (value - s->low) / (s->high - s->low);
    return fmin(fmax(share, 0.0), 1.0);
}

static void add(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* What stands in `row` (from 0 at the bottom) of a column that is `height` high, in eighths. */
static const char *cell(int height, int row, int unicode)
{
    static const char *const blocks[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int filled = height - row * EIGHTHS;
    filled = filled < 0 ? 0 : filled > EIGHTHS ? EIGHTHS : filled;
    if (unicode) return blocks[filled];
    return filled == 0 ? " " : filled < EIGHTHS || height == (row + 1) * EIGHTHS ? "*" : " ";
}

void progress_curve(char *text, size_t size, const double *values, int count, gofh_sense sense,
                    const progress_style *style)
{
    curve_scale s;
    text[0] = '\0';
    if (!choose_scale(values, count, sense, &s)) return;
    int width = style->columns - MARGIN - 1, height[WIDEST];
    if (width > WIDEST) width = WIDEST;
    if (width > count) width = count;
    if (width < 2) return;
    for (int c = 0; c < width; c++) {
        double best = best_of(values, 1 + c * (count - 1) / (width - 1), sense);
        height[c] = isnan(best) ? 0 : 1 + (int)lround((ROWS * EIGHTHS - 1) * height_of(&s, best));
    }
    for (int row = ROWS - 1; row >= 0; row--) {
        char label[32] = "";
        if (row == ROWS - 1) number_format(label, sizeof label, "%.4g", s.high);
        if (row == 0) number_format(label, sizeof label, "%.4g", s.low);
        char margin[MARGIN + 8];
        snprintf(margin, sizeof margin, "%10.10s  ", label);
        add(text, size, margin);
        for (int c = 0; c < width; c++) add(text, size, cell(height[c], row, style->unicode));
        size_t used = strlen(text);
        while (used > 0 && text[used - 1] == ' ') text[--used] = '\0';
        add(text, size, "\n");
    }
    char scale[64];
    snprintf(scale, sizeof scale, "%*sbest of %d evaluations%s\n", MARGIN, "", count,
             s.log ? ", logarithmic" : "");
    add(text, size, scale);
}

void progress_spark(char text[PROGRESS_SPARK], const double *values, int count, gofh_sense sense,
                    const progress_style *style, int width)
{
    curve_scale s;
    text[0] = '\0';
    if (!style->unicode || !choose_scale(values, count, sense, &s)) return;
    if (width > count) width = count;
    if (width > (PROGRESS_SPARK - 1) / 3) width = (PROGRESS_SPARK - 1) / 3;
    for (int c = 0; c < width && width > 1; c++) {
        double best = best_of(values, 1 + c * (count - 1) / (width - 1), sense);
        int height = isnan(best) ? 0 : 1 + (int)lround((EIGHTHS - 1) * height_of(&s, best));
        add(text, PROGRESS_SPARK, cell(height, 0, 1));
    }
}
