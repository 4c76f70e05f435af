/* What it means for a Gaussian process that its maximum over the unit cube is at x* (eq. P4 to P10
 * of docs/method_pes.md). All in units of the signal: variances relative to it, derivatives in
 * lengthscales. */
#ifndef ACQUIRE_PES_CONDITION_H
#define ACQUIRE_PES_CONDITION_H

#include "model/gp.h"

typedef enum {
    FUNCTIONAL_VALUE,     /* f(x*) */
    FUNCTIONAL_SLOPE,     /* df/dx_k at x* */
    FUNCTIONAL_CURVATURE, /* d^2f/dx_k^2 at x* */
    FUNCTIONAL_GAP        /* f(x*) less f at the datum with the best posterior mean */
} functional_kind;

/* sign times one of the above. All are linear in f, so all are jointly normal with it. */
typedef struct {
    functional_kind kind;
    int coordinate;
    double sign;
} functional;

/* One optimum of one process. Functional 0 is f(x*); `equal` ones that are 0 follow, then those
 * known to be positive. */
typedef struct {
    const gp *process;
    const gp_inputs *inputs;
    gofh_kernel kernel;
    double *x;              /* d */
    int count, equal, best; /* functionals; those that are 0; the datum with the best posterior mean */
    int failed;
    functional *functionals;
    double *solved;        /* n x count: L^-1 cov(data, functional) */
    double *rest;          /* count: what an unknown mean leaves over */
    double *factor;        /* Cholesky factor of cov(conditions) + their noise, count - 1 square */
    double *target;        /* factor^-1 (their values less their means) */
    double *optimum;       /* factor^-1 cov(conditions, f(x*)) */
    double mean, variance; /* of f(x*) given the conditions */
} condition;

/* What is known of f at one point: its correlation with the data, that through L^-1, its mean and
 * variance, and what an unknown mean leaves over. */
typedef struct {
    const double *x, *correlation, *solved;
    double mean, variance, rest;
} condition_point;

/* Doubles in one condition's block, to which condition_place points its arrays; `functionals` has
 * room for condition_most(d). */
int condition_most(int d);
size_t condition_size(int d, int n);
void condition_place(condition *c, int d, functional *functionals, double *block);

/* Covariance of f(x) with each of the functionals at c->x, a priori (eq. P5); gap: correlation of x
 * with the best datum. */
void condition_cross(const condition *c, const double *x, double gap, double *covariance);
/* The same between two functionals, numbers i and j; cross: condition_cross with the best datum
 * (eq. P6). */
double condition_prior(const condition *c, int i, int j, const double *cross);

/* Conditions on the maximum of the process being at c->x; sets c->failed where expectation
 * propagation broke down. work: condition_work(d, n) doubles. */
size_t condition_work(int d, int n);
void condition_prepare(condition *c, double *work);

/* Variance of f at a point given all that (eq. P10). work: 2 count doubles. */
double condition_variance(const condition *c, const condition_point *at, double *work);

#endif
