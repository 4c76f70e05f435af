/* Whether the model's word can be believed: how often what is true lies in its intervals. */
#ifndef BENCH_COVERAGE_H
#define BENCH_COVERAGE_H

#include "bench/runner.h"

#include <stdio.h>

/* Of each problem and method of the plan, after 15, 25 and 50 uniform random points: the shares of
 * fresh random points whose true f, and of their true outputs all together, that lie in their 50, 80
 * and 95 % intervals. One line each, as soon as it is known. Of the plan only problems, methods, reps,
 * first_rep, seed and one_draw count. */
gofh_status bench_coverage(FILE *file, const bench_plan *plan, const atomic_int *stop, gofh_error *error);

#endif
