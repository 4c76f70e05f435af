/* A hardship made ready: what its noise is, studies of it, and its evaluations. */
#ifndef BENCH_STURDY_HARDSHIP_H
#define BENCH_STURDY_HARDSHIP_H

#include "bench/sturdy/problems.h"
#include "gofh_expression.h"

typedef struct {
    const sturdy_problem *problem;
    gofh_expression *objective;
    gofh_constraints *constraints;
    double observed[STURDY_OUTPUTS_MAX];
    double deviation[STURDY_OUTPUTS_MAX]; /* of the noise */
} hardship;

/* What can't be opened ends the program. */
void hardship_open(hardship *h, const sturdy_problem *p);
void hardship_close(hardship *h);
gofh_study *hardship_study(const hardship *h, const char *method, uint64_t seed);
/* Outputs of evaluation `number` of a seed, with its noise. Not 0: it failed. */
int hardship_evaluate(const hardship *h, uint64_t seed, int number, const double *x, double *y);
/* Ends the program with a message if the status is a failure. */
void hardship_must(gofh_status status, const char *message);

#endif
