/* Whether studies stop where they should, and whether they are sure where they may be: replications
 * that use all their evaluations, and where GOFH_STOPPING_AUTO would have ended them. */
#ifndef BENCH_STOP_H
#define BENCH_STOP_H

#include "bench/runner.h"

#include <stdio.h>

/* Adds the replications of the plan's problems that its file lacks, one line each, and prints the
 * table of all that the file has. */
gofh_status bench_stop(const bench_plan *plan, const atomic_int *stop, FILE *out, gofh_error *error);

#endif
