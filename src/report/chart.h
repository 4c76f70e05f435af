/* One chart of the HTML report: a frame with axes, in the page's own colours (classes of
 * page_style.c). */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdio.h>

typedef struct {
    double low, high;
    int log; /* a logarithmic scale; both bounds are above 0 */
} chart_axis;

typedef struct {
    FILE *file;
    const char *class; /* of the drawing; NULL: none */
    double width, height, left, bottom;
    chart_axis x, y;
} chart;

/* An axis for `values` besides what it holds already; start with CHART_EMPTY. What is not finite is
 * passed over. */
#define CHART_EMPTY ((chart_axis){.low = 1.0, .high = 0.0})
void chart_include(chart_axis *axis, const double *values, int count);
/* Makes room around what was included; an empty axis becomes 0 to 1. Ready to be drawn
 * afterwards. */
void chart_pad(chart_axis *axis);

/* Begins an SVG with axes and their titles. The size is that of the drawing; the page scales it to
 * its column. name: what is read out to readers who can't see it. */
void chart_begin(chart *c, const char *name, const char *x_title, const char *y_title);
void chart_end(chart *c);

/* In the data's units; marks outside the axes are held at the frame, lines end there, what is not a
 * number is left out. */
double chart_x(const chart *c, double value);
double chart_y(const chart *c, double value);
void chart_line(chart *c, const char *class, const double *x, const double *y, int count);
void chart_band(chart *c, const char *class, const double *x, const double *low, const double *high,
                int count);

/* The whole height between two places, as chart_x gives them. */
void chart_shade(chart *c, const char *class, double from, double to);

/* Upright bars in one path: chart_bars, then chart_bar for each, then chart_marks_end. */
void chart_bars(chart *c, const char *class);
void chart_bar(chart *c, double x, double low, double high);

/* Many marks of one kind in one path: chart_marks, then chart_mark for each, then
 * chart_marks_end. */
typedef enum { CHART_DOT, CHART_CROSS, CHART_DIAMOND, CHART_SQUARE, CHART_TRIANGLE, CHART_STAR } chart_glyph;
void chart_marks(chart *c, const char *class);
void chart_mark(chart *c, chart_glyph glyph, double x, double y);
void chart_marks_end(chart *c);

/* A single glyph, in a small SVG for a line of text. */
void chart_key(FILE *file, const char *class, chart_glyph glyph);

/* A number for readers: "0.25", "10⁻⁷" for whole powers where `power`, "∞". */
void chart_number(double value, int power, char *text, size_t size);

#endif
