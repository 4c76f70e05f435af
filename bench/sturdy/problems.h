/* Hardships: outer functions with kinks and plateaus, outputs with kinks, steps and noise, runs
 * that fail at random, many parameters, many outputs, and constraints that hardly anything
 * meets. */
#ifndef BENCH_STURDY_PROBLEMS_H
#define BENCH_STURDY_PROBLEMS_H

#include "gofh.h"

enum { STURDY_PARAMETERS_MAX = 10, STURDY_OUTPUTS_MAX = 100 };

typedef struct {
    const char *name, *description;
    int d, m;
    double lower, upper;   /* of every parameter, x1 to xd */
    const char *objective; /* minimised; of the outputs y and of o, h at `truth` */
    const char *constraint;
    gofh_inner h;
    const double *truth; /* d */
    double optimum;
    double noise;    /* its standard deviation over that of the output */
    double fails;    /* how many of all runs, wherever */
    int noise_known; /* whether the variance of the noise is given */
    int beyond;      /* evaluations beyond 2(d + 1) */
} sturdy_problem;

/* By index from 0; NULL after the last. */
const sturdy_problem *sturdy_problem_at(int index);

#endif
