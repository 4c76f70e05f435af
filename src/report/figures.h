/* The pictures of a report, each with its heading and caption. They write nothing where there is
 * nothing to show. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/chart.h"
#include "report/gather.h"

gofh_status figure_convergence(const report *r);
gofh_status figure_fit(const report *r);
gofh_status figure_posterior(const report *r);
gofh_status figure_slices(const report *r);
gofh_status figure_scatter(const report *r);
gofh_status figure_left_out(const report *r);

#endif
