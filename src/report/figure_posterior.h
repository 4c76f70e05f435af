/* The parts of the report's section on the posterior. */
#ifndef REPORT_FIGURE_POSTERIOR_H
#define REPORT_FIGURE_POSTERIOR_H

#include "report/figures.h"

typedef struct {
    const report *r;
    const gofh_posterior *posterior;
    gofh_posterior_results found;
    double *x, *sigma; /* samples x d, samples x sigmas */
    double *work;      /* samples */
    int *free, frees;  /* the parameters that are not fixed, which pictures are of */
} posterior_figure;

/* The scale of parameter k over what the samples have of it, with some room; of choices over all of them. */
chart_axis posterior_axis(const posterior_figure *f, int k);
/* In which of `bins` equal parts of the axis a value is, its upper end in the last; -1: in none. */
int posterior_bin(const chart_axis *axis, double value, int bins);
/* The place of a value on an axis, from 0 to 1 within it; and the value at a place. */
double posterior_axis_place(const chart_axis *axis, double value);
double posterior_axis_value(const chart_axis *axis, double share);
/* Whether a parameter has values on their own, and all of them are known. */
int posterior_has_values(const posterior_figure *f, int k);
/* Which of them is nearest to x; and half of the width of bars around them that do not touch, as a share of
 * the axis. */
int posterior_value(const posterior_figure *f, int k, double x);
double posterior_half_bar(const posterior_figure *f, int k, const chart_axis *axis);

/* figure_posterior_corner.c */
void posterior_corner(const posterior_figure *f);
void posterior_directions(const posterior_figure *f);
/* figure_posterior_fit.c: bands over the data, and residuals. */
gofh_status posterior_bands(const posterior_figure *f);

#endif
