/* Replications summarised: for each problem and method, the mean of log10 regret after each
 * evaluation. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include "bench/results.h"

typedef struct {
    const char *problem, *method; /* borrowed from the results */
    int reps;                     /* that have evaluation 0 */
    int length;                   /* evaluations 0 .. length - 1 */
    int *count;                   /* length: replications that have this evaluation */
    double *mean;                 /* length: infinite where one of them is */
    double *half_width;           /* length: 1.96 standard errors; NaN for a single replication */
    int *floored;                 /* length: how many of them are at the floor of regrets */
} bench_series;

typedef struct {
    bench_series *series;
    int count;
} bench_summary;

/* Of sorted results, in their order. recommended: of the recommended points; rows without one are
 * left out. */
gofh_status bench_summarise(bench_summary *summary, const bench_results *results, int recommended);
void bench_summary_free(bench_summary *summary);

/* A Markdown table of the means after 0, 10, 20, 30, 50 and 100 evaluations. "(k of n runs)" is how
 * many are at the floor of regrets; where all are there is no error to speak of. */
void bench_print_table(FILE *file, const bench_summary *summary);

#endif
