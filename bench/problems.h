/* The benchmark problems: f(x) = g(h(x)) with a known optimum.
 *
 * A problem is a constant description; an instance of it can be evaluated. Instances of a drawn
 * problem are different functions, those of a noisy one have different noise, and all others are
 * alike. An instance is never changed after it was opened: any number of threads may use it at
 * once. */
#ifndef BENCH_PROBLEMS_H
#define BENCH_PROBLEMS_H

#include "gofh.h"

enum { BENCH_MAX_PARAMETERS = 30, BENCH_MAX_OUTPUTS = 10000, BENCH_MAX_DATA = 2 };

typedef struct {
    const char *name;
    double lower, upper;
    gofh_scale scale;
} bench_parameter;

/* What values a parameter has: of a grid (1: whole numbers), listed, choices, or, all 0, an interval. */
typedef struct {
    double step;
    const double *list;
    const char *const *choices;
    int count; /* of the list or the choices */
} bench_values;

typedef struct {
    const char *name; /* as in the objective's text */
    const double *values;
    int count;
} bench_data;

typedef struct bench_instance bench_instance;

typedef struct {
    const char *name, *description;
    int d, m;
    const bench_parameter *parameters; /* d; the bounds of choices are those of their numbers, from 0 */
    const bench_values *values;        /* d; NULL: all are intervals */
    /* D: where local methods usually start; NULL where there is no such point. */
    const double *start;
    const char *objective; /* g in the expression language, of y, parameters and data */
    /* In the expression language, ended by NULL; NULL where there are none. */
    const char *const *constraints;
    int maximise;
    /* G is the sum of weight (y - observed)^2, or minus that: see bench_residuals. */
    int least_squares;
    int drawn; /* each instance number is another function */
    /* Standard deviation of the noise that bench_observe adds to each output; 0: exact. */
    double noise;
    gofh_inner h; /* without noise; its context is the instance */
    /* Its context is the instance. Gives dy and dx when asked. Infinite, on the bad side, where a
     * constraint does not hold: the gradient is 0 there. */
    gofh_outer g;

    /* What an instance is made of. Take the values from the instance: these are not complete. */
    const double *observed; /* m */
    const double *weight;   /* m; NULL: all 1 */
    /* D: observed is h at this point; NULL where the data are given. */
    const double *truth;
    double optimum;          /* of f */
    const double *optimiser; /* d */
    bench_data data;         /* what else g uses */
    /* Finishes an instance of a drawn problem; not 0: no memory. */
    int (*open)(bench_instance *instance);
    void (*close)(bench_instance *instance);
} bench_problem;

struct bench_instance {
    const bench_problem *problem;
    int number;
    double optimum;                         /* f*, known to 1e-12 */
    double optimiser[BENCH_MAX_PARAMETERS]; /* x*, one of them where there are several */
    double observed[BENCH_MAX_OUTPUTS], weight[BENCH_MAX_OUTPUTS]; /* of a least-squares problem */
    bench_data data[BENCH_MAX_DATA];
    int data_count;
    void *draw; /* of a drawn problem */
};

/* The problems by index from 0; NULL after the last. Those of the paper come first. */
const bench_problem *bench_problem_at(int index);
/* NULL where there is none of that name. */
const bench_problem *bench_problem_find(const char *name);
/* Whether problem `index` belongs to the set of that name: all, paper (the paper's five), mixed (those
 * with discrete parameters), more-wild (the 53 of More and Wild), more-wild-even or more-wild-odd
 * (every other one of these), more-wild-small (those of at most five parameters). -1: there is no such
 * set. */
int bench_problem_in_set(int index, const char *set);

/* An instance, for the caller to close, or NULL when there is no memory. number is 0 or more; 0 is
 * the usual one. */
bench_instance *bench_problem_open(const bench_problem *problem, int number);
void bench_problem_close(bench_instance *instance); /* NULL is fine */

/* x at u in the unit cube, on each parameter's scale; the values of a discrete one have equal parts of it. */
void bench_point(const bench_problem *problem, const double *u, double *x);
/* How many values parameter k has; 0: it is an interval. */
int bench_value_count(const bench_problem *problem, int k);

/* h as an experiment gives it: with the noise of this evaluation (any number; the same number, the
 * same noise). Not 0 where the evaluation failed. */
int bench_observe(const bench_instance *instance, const double *x, int64_t evaluation, double *y);
/* f(x) without noise; NaN where the evaluation failed. */
double bench_value(const bench_instance *instance, const double *x);
/* How far f(x), without noise, is from the optimum. May be below 0 by a rounding error. */
double bench_regret(const bench_instance *instance, const double *x);
/* Of a least-squares problem: residual[m], whose sum of squares is |g(y)|. */
void bench_residuals(const bench_instance *instance, const double *y, double *residual);

#endif
