/* One replication: a method on a problem from its own initial design, with the paper's protocol
 * (the library's default settings; 2(d + 1) uniform random points first, of which the problem's
 * start may take the place of the first). */
#ifndef BENCH_REPLICATION_H
#define BENCH_REPLICATION_H

#include "bench/problems.h"
#include "bench/results.h"

#include <stdatomic.h>

typedef struct {
    const bench_problem *problem;
    const char *method;
    int rep, evaluations; /* evaluations after the initial design */
    uint64_t seed;        /* of the whole run */
    int one_draw;         /* every replication of a drawn problem uses draw 0, instead of its own */
    int start;            /* the first point is the problem's start, which it must have */
    int own_design;       /* the method's default design instead of 2(d + 1) points */
    int recommend;        /* whether to ask for the recommended point too, which takes time */
} bench_replication;

/* Regrets are floored at this: below is rounding. */
#define BENCH_REGRET_MIN 1e-16

/* The name of its method in results: "gofh+start" of gofh from the start, "gofh+own" of gofh with
 * its own design. */
void bench_recorded_method(const bench_replication *replication, char name[BENCH_NAME]);
/* Whether a method of results begins with the start; with its own design. */
int bench_method_starts(const char *recorded);
int bench_method_owns_design(const char *recorded);

/* The seed of a replication's study: the same for all problems and methods, so that methods share
 * the design. */
uint64_t bench_study_seed(uint64_t seed, int rep);
/* The instance of the problem that a replication uses; NULL when there is no memory. */
bench_instance *bench_replication_open(const bench_problem *problem, int rep, int one_draw);

/* A study of the problem as a user would state it: g as text, whose form the library sees
 * through. */
gofh_status bench_study_create(gofh_study **study, const bench_instance *instance, const char *method,
                               uint64_t seed, int rep, int budget, gofh_error *error);

/* The same with this seed of the study itself, and so many points of the design; negative: as many as
 * the method takes by default. */
gofh_status bench_study_open(gofh_study **study, const bench_instance *instance, const char *method,
                             uint64_t seed, int budget, int initial, gofh_error *error);

int bench_design_size(const bench_problem *problem);
/* How many rows of results a replication has for the design before row 0: all where the problem has
 * a start, as evaluations in all are what data profiles count, and none elsewhere. */
int bench_design_rows(const bench_problem *problem);
/* The initial design of every method, from the start or without: x is bench_design_size x d. */
gofh_status bench_design(const bench_instance *instance, uint64_t seed, int rep, int start, double *x,
                         gofh_error *error);
/* log10 of the regret of x, without noise. */
double bench_log_regret(const bench_instance *instance, const double *x);
/* Of the best point of the initial design, which tells results of another seed apart. For exact
 * problems only. */
gofh_status bench_design_regret(const bench_problem *problem, uint64_t seed, int rep, int one_draw, int start,
                                double *log_regret, gofh_error *error);

/* Fills rows (bench_design_rows + evaluations + 1). Soon after *stop becomes true, GOFH_STOP_CALLER
 * comes back. */
gofh_status bench_replication_run(const bench_replication *replication, bench_row *rows,
                                  const atomic_int *stop, gofh_error *error);

/* The seconds that a whole replication will take, from one suggestion half way. */
gofh_status bench_replication_probe(const bench_replication *replication, double *seconds, gofh_error *error);

#endif
