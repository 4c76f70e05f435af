/* Runs replications, several at once, into a CSV file, and goes on where an earlier run ended. */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "bench/problems.h"

#include <stdatomic.h>

typedef struct {
    const bench_problem **problems;
    int problem_count;
    const char **methods;
    int method_count;
    int reps, first_rep;
    int evaluations; /* after the initial design */
    int gradients; /* above 0, instead of that: this many times d + 1 evaluations in all, the design included */
    uint64_t seed;
    int threads; /* replications at once; each has one thread */
    int one_draw, recommend, quiet;
    int start;      /* replications begin with the problem's start */
    int own_design; /* replications have the default design of their method */
    const char *csv;
} bench_plan;

/* Runs what the file does not have yet. A replication is on disk, whole, before the next one
 * starts; at the end the file is sorted, so that it does not depend on the number of threads.
 * Progress goes to stderr. Ends with GOFH_STOP_CALLER soon after *stop becomes true. */
gofh_status bench_run(const bench_plan *plan, const atomic_int *stop, gofh_error *error);

#endif
