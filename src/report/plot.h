/* Plots of curves and their uncertainty in a frame with axes, made to be distinguished without
 * colours. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stdio.h>

/* Styles differ in colour, dashes and marker. */
enum { PLOT_STYLES = 16 };

typedef enum {
    PLOT_LINE,   /* a line; low and high are a shaded band */
    PLOT_MARKED, /* a line with a marker now and then; low and high are error bars there */
    PLOT_POINTS  /* markers only */
} plot_kind;

typedef struct {
    const char *label; /* in the legend; NULL: not there */
    plot_kind kind;
    int style; /* taken modulo PLOT_STYLES */
    int count;
    const double *x, *y;      /* count; what is not finite is not drawn */
    const double *low, *high; /* count; NULL: none */
} plot_curve;

typedef struct {
    const char *title, *x_label, *y_label; /* NULL: none */
    const plot_curve *curves;
    int count;
    int legend; /* beside the frame, in the order in which the curves end */
} plot;

typedef struct {
    double x, y, width, height;
} plot_box;

/* Draws into `box`, all labels included, of an SVG that has begun. Returns 0, or -1 when there is
 * no memory. */
int plot_draw(FILE *file, const plot *p, plot_box box);

/* A sample of a style with its label, at (x, y): for legends outside the plot. band: with a piece
 * of band. */
void plot_sample(FILE *file, int style, plot_kind kind, int band, double x, double y, const char *label);

/* Ticks at multiples of a step of 1, 2 or 5 times a power of 10: the step for about `wanted` of
 * them. */
double plot_step(double low, double high, int wanted);

#endif
