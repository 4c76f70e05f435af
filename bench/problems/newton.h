/* Newton's method to a maximum in a box, for the optima of drawn problems. */
#ifndef BENCH_PROBLEMS_NEWTON_H
#define BENCH_PROBLEMS_NEWTON_H

enum { BENCH_NEWTON_MAX_D = 4 };

/* The value at x[d], its gradient (d) and hessian (d x d). */
typedef double (*bench_newton_function)(const double *x, double *gradient, double *hessian,
                                        const void *context);

/* Climbs from x, inside [0, 1]^d, to a local maximum there, to machine precision. Returns the
 * value. */
double bench_newton_climb(bench_newton_function function, const void *context, int d, double *x);

#endif
