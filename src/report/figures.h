/* The pictures of a report, each with its heading and caption. They write nothing where there is
 * nothing to show. Another figure is a function like these in a file of its own, and its place in the
 * list of html.c: it draws its charts by report_chart and gives each a name (chart_name), so that it
 * is a file of `gofh report --figures` too. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/chart.h"
#include "report/gather.h"

/* Of a discrete parameter: a mark at each value of `along`, and a line from low to high; between values
 * there is nothing. */
void report_draw_values(chart *c, const double *along, const double *low, const double *middle,
                        const double *high, int count);

gofh_status figure_convergence(const report *r);
gofh_status figure_fit(const report *r);
gofh_status figure_residuals(const report *r);
gofh_status figure_posterior(const report *r);
gofh_status figure_slices(const report *r);
gofh_status figure_sensitivity(const report *r);
gofh_status figure_scatter(const report *r);
gofh_status figure_left_out(const report *r);
gofh_status figure_times(const report *r);

#endif
