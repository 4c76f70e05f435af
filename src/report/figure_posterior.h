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
} posterior_figure;

/* The scale of parameter k over what the samples have of it, with some room; of choices over all of them. */
chart_axis posterior_axis(const posterior_figure *f, int k);
/* In which of `bins` equal parts of the axis a value is, its upper end in the last; -1: in none. */
int posterior_bin(const chart_axis *axis, double value, int bins);
/* The share of the samples in each of `bins` equal parts of the axis. */
void posterior_histogram(const posterior_figure *f, int k, const chart_axis *axis, int bins, double *share);

/* figure_posterior_corner.c */
void posterior_corner(const posterior_figure *f);
void posterior_directions(const posterior_figure *f);
/* figure_posterior_fit.c: bands over the data, and residuals. */
gofh_status posterior_bands(const posterior_figure *f);

#endif
