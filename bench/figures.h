/* The paper's figures, as SVG, and as PNG where rsvg-convert is installed. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include "bench/results.h"

/* DIR/<problem>.svg for each problem of sorted results: mean log10 regret with 1.96 standard errors
 * against evaluations, one curve per method. Makes the folder if needed. */
gofh_status bench_plot_results(const bench_results *results, int recommended, const char *folder,
                               gofh_error *error);

/* DIR/figure1.svg: Figure 1 of the paper, on a problem with scalar h and g = h^2. */
gofh_status bench_plot_figure1(const char *folder, gofh_error *error);

#endif
