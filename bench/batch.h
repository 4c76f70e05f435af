/* What several evaluations at once are worth: rounds and evaluations until a problem is solved. */
#ifndef BENCH_BATCH_H
#define BENCH_BATCH_H

#include "bench/runner.h"

#include <stdio.h>

enum { BENCH_SIZES = 8 };

typedef struct {
    int count, at_once[BENCH_SIZES];
} bench_sizes;

/* Adds the replications of the plan's problems and methods that its file lacks, each with every
 * number of evaluations at once: in rounds that wait for all of a batch, and without waiting, where
 * run times are log-normal with spread 1. Prints the table of all that the file has. A round is the
 * mean run time. Designs are the methods' own, and count. */
gofh_status bench_batch(const bench_plan *plan, const bench_sizes *sizes, const atomic_int *stop, FILE *out,
                        gofh_error *error);

#endif
