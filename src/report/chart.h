/* One chart of the HTML report: a frame with axes, in the page's own colours (classes of
 * page_style.c). */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "gofh.h"

#include <stdio.h>

enum { CHART_ID = 96 }; /* REPORT_ID */

typedef struct {
    double low, high;
    const char *const *words; /* names instead of numbers, at `first`, `first` + 1...; NULL: numbers */
    double first;
    int word_count;
    int log;   /* a logarithmic scale; both bounds are above 0 */
    int whole; /* there is nothing between whole numbers, no tick either */
} chart_axis;

/* Where charts go that are files of their own: <folder>/<id>.svg, with their numbers in <id>.csv. The
 * first failure is kept, and nothing is written after it. */
typedef struct {
    const char *folder;
    char (*ids)[CHART_ID]; /* of those that are written; freed by the caller */
    size_t count, room;
    gofh_error *error;
} chart_files;

/* What a mark, or a line, of a class stands for. */
typedef enum {
    CHART_DOT,
    CHART_CROSS,
    CHART_DIAMOND,
    CHART_SQUARE,
    CHART_TRIANGLE,
    CHART_INVERTED, /* a triangle on its tip */
    CHART_STAR,
    CHART_STROKE,
    CHART_AREA /* of a class of its own, such as "column" */
} chart_glyph;
typedef struct {
    const char *class, *text;
    chart_glyph glyph;
} chart_item;

typedef struct {
    FILE *file;
    const char *class; /* of the drawing; NULL: none */
    double width, height, left, bottom;
    double widest; /* of a drawing without axes: what the page scales it to at most; 0: it has axes */
    chart_axis x, y;
    chart_files *files;      /* NULL: the chart is a part of the page in `file` */
    char id[CHART_ID];       /* its name among the files */
    const chart_item *items; /* its legend, which a file has below the drawing; pages write their own */
    int item_count;
    int opened;         /* `file` is a file of its own */
    FILE *csv;          /* its numbers; NULL: nobody wants them */
    char *parts[2];     /* what both are called until they are whole */
    int unrecorded;     /* what is drawn next does not go there */
    const char *series; /* what the next lines of the CSV are; NULL: their class */
    const char *kind;   /* the class of the path that is open */
} chart;

/* An axis for `values` besides what it holds already; start with CHART_EMPTY. What is not finite is
 * passed over. */
#define CHART_EMPTY ((chart_axis){.low = 1.0, .high = 0.0})
void chart_include(chart_axis *axis, const double *values, int count);
/* Makes room around what was included; an empty axis becomes 0 to 1. Ready to be drawn
 * afterwards. */
void chart_pad(chart_axis *axis);

/* The id "slice-f-D" of the parts "slice", "f" and "D", of which the last two may be NULL. What is
 * neither a letter nor a digit becomes "_". */
void chart_name(chart *c, const char *first, const char *second, const char *third);

/* Begins an SVG with axes and their titles. The size is that of the drawing; the page scales it to
 * its column, and a file is as wide as a column of a paper. text: what is read out to readers who
 * can't see it. */
void chart_begin(chart *c, const char *text, const char *x_title, const char *y_title);
void chart_end(chart *c);
/* The same without axes, up to `widest`; the caller draws to c->file. The titles are those of the CSV. A
 * file has its legend at chart_close too. */
void chart_open(chart *c, const char *text, const char *x_title, const char *y_title);
void chart_close(chart *c);

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
void chart_bar(chart *c, double x, double low, double high); /* an end beyond the frame has an arrow */
/* An upright column from the lower end of the axis to y, between two values of x. */
void chart_column(chart *c, const char *class, double from, double to, double y);

/* Many marks of one kind in one path: chart_marks, then chart_mark for each, then
 * chart_marks_end. */
void chart_marks(chart *c, const char *class);
void chart_mark(chart *c, chart_glyph glyph, double x, double y);
void chart_marks_end(chart *c);
/* Marks of trials, whose numbers the page's script shows. Of very many, those that would lie upon
 * another are left out. trial: NULL for marks of something else. */
void chart_trials(chart *c, const char *class, chart_glyph glyph, const int *trial, const double *x,
                  const double *y, int count);

/* An item's glyph at a place of the drawing. */
void chart_draw_glyph(FILE *file, const chart_item *item, double x, double y);
/* A single glyph, in a small SVG for a line of text. */
void chart_key(FILE *file, const char *class, chart_glyph glyph);
/* The same with words: an item of a legend on a page. */
void chart_legend(FILE *file, const chart_item *item);

/* A number for readers: "0.25", "10⁻⁷" for whole powers where `power`, "∞". */
void chart_number(double value, int power, char *text, size_t size);

#endif
