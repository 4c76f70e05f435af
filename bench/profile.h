/* Data profiles (More and Wild, SIAM J. Optim. 20, 2009): how many problems a method has solved
 * within k simplex gradients, that is k(d + 1) evaluations in all. A run has solved its problem to
 * tau by a point with f(x) <= f* + tau (f(x0) - f*), x0 the problem's start and f* its optimum;
 * where f is maximised likewise. */
#ifndef BENCH_PROFILE_H
#define BENCH_PROFILE_H

#include "bench/results.h"

#include <stdio.h>

enum { BENCH_TAUS = 4 };
extern const double BENCH_TAU[BENCH_TAUS];

typedef struct {
    const char *method;         /* borrowed from the results */
    int problems, runs;         /* with results; of these problems in all */
    double gradients;           /* simplex gradients of the shortest run */
    double *solved[BENCH_TAUS]; /* runs: simplex gradients when each was solved; infinite: not */
    double *share;              /* runs: what a run counts, 1 over its problem's number of runs */
} bench_profile;

typedef struct {
    bench_profile *profiles; /* one per method, in the order of the results */
    int count;
} bench_profiles;

/* Of sorted results, of the problems of a set. Rows must begin with the first evaluation of the
 * design. */
gofh_status bench_profiles_make(bench_profiles *profiles, const bench_results *results, const char *set,
                                gofh_error *error);
void bench_profiles_free(bench_profiles *profiles);

/* How many problems were solved to BENCH_TAU[tau] within k simplex gradients: the mean over
 * replications. */
double bench_profile_solved(const bench_profile *profile, int tau, double k);

/* A Markdown table: problems solved within 3, 5 and 10 simplex gradients. */
void bench_print_profiles(FILE *file, const bench_profiles *profiles);
/* DIR/<set>.svg, a frame for each tau, and as PNG where rsvg-convert is installed. */
gofh_status bench_plot_profiles(const bench_profiles *profiles, const char *set, const char *folder,
                                gofh_error *error);

#endif
