/* Smooth random functions: the posterior mean of a Gaussian process given a draw of it on a uniform
 * grid.
 *
 * Output j has the covariance variance_j exp(-|x - x'|^2 / (2 lengthscale_j^2)) on the unit cube,
 * and is drawn on the n^d points whose coordinates are 0, 1/(n-1), ..., 1. That covariance is a
 * product over the dimensions, so its matrix on the grid is the Kronecker power of the n x n matrix
 * K = L L' of one dimension, k(t) being its column for a coordinate t. With z standard normal and
 * phi(t) = L^-1 k(t),
 *
 *     draw on the grid:  sqrt(variance) (L x ... x L) z
 *     posterior mean:    h(x) = sqrt(variance) sum_i z_i phi_{i1}(x_1) ... phi_{id}(x_d)
 *
 * which needs only the factor of the small K: the full matrix, singular to machine precision, never
 * appears, and nothing of it has to be dropped. The phi are made in long double, and so are good to
 * double precision for lengthscales of up to 0.5 on 8 points.
 */
#ifndef BENCH_PROBLEMS_DRAW_H
#define BENCH_PROBLEMS_DRAW_H

#include <stdint.h>

enum { BENCH_DRAW_MAX_D = 4, BENCH_DRAW_MAX_AXIS = 8 };

typedef struct {
    double variance, lengthscale;
    long double factor[BENCH_DRAW_MAX_AXIS][BENCH_DRAW_MAX_AXIS]; /* L */
    /* axis^d, the last dimension fastest. */
    double *z;
} bench_draw_output;

typedef struct {
    int d, m, axis; /* axis: points a dimension */
    bench_draw_output output[];
} bench_draw;

/* A draw of m outputs, for the caller to free, or NULL when there is no memory. variance and
 * lengthscale: m each. The same name and number, the same draw. */
bench_draw *bench_draw_create(int d, int m, int axis, const double *variance, const double *lengthscale,
                              const char *name, uint64_t number);
void bench_draw_free(bench_draw *draw); /* NULL is fine */

/* Output number `index` at x[d]; where gradient is not NULL also its gradient (d) and hessian (d x
 * d). */
double bench_draw_value(const bench_draw *draw, int index, const double *x, double *gradient,
                        double *hessian);

/* The same on the uniform grid of `points` points a dimension: values[points^d], the last dimension
 * fastest. work as long as values. */
void bench_draw_grid(const bench_draw *draw, int index, int points, double *values, double *work);

#endif
