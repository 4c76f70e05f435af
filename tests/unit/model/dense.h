/* Gaussian processes by the textbook, in long double and with nothing shared with the code under
 * test: the kernels from their formulas, systems by Gaussian elimination, kriging from its defining
 * equations. */
#ifndef TESTS_MODEL_DENSE_H
#define TESTS_MODEL_DENSE_H

#include "gofh.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { DENSE_MOST = 48 };

typedef struct {
    gofh_kernel kernel;
    int d, n;
    const double *x; /* n x d */
    const double *y;
    const double *inverse_lengthscale;
    double variance, noise; /* noise: all that is on the diagonal, relative to the variance */
    const double *own;      /* NULL, or what the noise of each datum adds to that */
    double mean;            /* NaN: unknown */
    double trend;           /* share of the quadratic trend around the centre */
} dense_gp;

static inline long double dense_kernel(gofh_kernel kernel, long double r2)
{
    long double r = sqrtl(r2);
    switch (kernel) {
    case GOFH_KERNEL_SQUARED_EXPONENTIAL:
        return expl(-r2 / 2);
    case GOFH_KERNEL_MATERN_32:
        return (1 + sqrtl(3) * r) * expl(-sqrtl(3) * r);
    case GOFH_KERNEL_MATERN_52:
        return (1 + sqrtl(5) * r + 5 * r2 / 3) * expl(-sqrtl(5) * r);
    }
    return NAN;
}

static inline long double dense_correlation(const dense_gp *g, const double *a, const double *b)
{
    long double r2 = 0, root = 1;
    for (int k = 0; k < g->d; k++) {
        long double scale = g->inverse_lengthscale[k], part = ((long double)a[k] - b[k]) * scale;
        r2 += part * part;
        root += (a[k] - 0.5L) * (b[k] - 0.5L) * scale * scale;
    }
    return (1 - (long double)g->trend) * dense_kernel(g->kernel, r2) + g->trend * root * root;
}

/* a (n x n, by rows) is destroyed; b (n x columns, by rows) becomes the solution. Returns log |det
 * a|. */
static inline long double dense_solve(int n, long double *a, int columns, long double *b)
{
    long double log_det = 0;
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            if (fabsl(a[i * n + c]) > fabsl(a[pivot * n + c])) pivot = i;
        for (int j = 0; j < n; j++) {
            long double swap = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        for (int j = 0; j < columns; j++) {
            long double swap = b[c * columns + j];
            b[c * columns + j] = b[pivot * columns + j];
            b[pivot * columns + j] = swap;
        }
        log_det += logl(fabsl(a[c * n + c]));
        for (int i = c + 1; i < n; i++) {
            long double factor = a[i * n + c] / a[c * n + c];
            for (int j = c; j < n; j++) a[i * n + j] -= factor * a[c * n + j];
            for (int j = 0; j < columns; j++) b[i * columns + j] -= factor * b[c * columns + j];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            for (int k = i + 1; k < n; k++) b[i * columns + j] -= a[i * n + k] * b[k * columns + j];
            b[i * columns + j] /= a[i * n + i];
        }
    return log_det;
}

/* What is on the diagonal beside the correlation. */
static inline long double dense_noise(const dense_gp *g, int i)
{
    return (long double)g->noise + (g->own ? g->own[i] : 0);
}

/* R by rows, n x n with leading dimension ld. */
static inline void dense_matrix(const dense_gp *g, long double *r, int ld)
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            r[i * ld + j] = dense_correlation(g, g->x + i * g->d, g->x + j * g->d) +
                            (i == j ? dense_noise(g, i) : 0);
}

/* The weights of the best linear predictor at x: those that minimise the variance of the error, and
 * sum to 1 where the mean is unknown (a Lagrange multiplier then). */
static inline void dense_weights(const dense_gp *g, const double *x, long double *lambda)
{
    int n = g->n, size = isnan(g->mean) ? n + 1 : n;
    static long double a[(DENSE_MOST + 1) * (DENSE_MOST + 1)];
    assert(n <= DENSE_MOST);
    dense_matrix(g, a, size);
    for (int i = 0; i < n; i++) lambda[i] = dense_correlation(g, x, g->x + i * g->d);
    if (size > n) {
        for (int i = 0; i < n; i++) a[i * size + n] = a[n * size + i] = 1;
        a[n * size + n] = 0;
        lambda[n] = 1;
    }
    dense_solve(size, a, 1, lambda);
}

static inline double dense_mean(const dense_gp *g, const double *x)
{
    long double lambda[DENSE_MOST + 1], known = isnan(g->mean) ? 0 : g->mean, sum = known;
    dense_weights(g, x, lambda);
    for (int i = 0; i < g->n; i++) sum += lambda[i] * (g->y[i] - known);
    return (double)sum;
}

/* Covariance of the errors of the two predictors, written out. */
static inline double dense_covariance(const dense_gp *g, const double *x, const double *other)
{
    long double at_x[DENSE_MOST + 1], at_other[DENSE_MOST + 1];
    dense_weights(g, x, at_x);
    dense_weights(g, other, at_other);
    long double sum = dense_correlation(g, x, other);
    for (int i = 0; i < g->n; i++) {
        sum -= at_x[i] * dense_correlation(g, other, g->x + i * g->d);
        sum -= at_other[i] * dense_correlation(g, x, g->x + i * g->d);
        for (int j = 0; j < g->n; j++) {
            long double r = dense_correlation(g, g->x + i * g->d, g->x + j * g->d) +
                            (i == j ? dense_noise(g, i) : 0);
            sum += at_x[i] * r * at_other[j];
        }
    }
    return (double)(g->variance * sum);
}

/* log |R|, y' R^-1 y, 1' R^-1 y, 1' R^-1 1: all that a normal density of y needs. */
static inline void dense_forms(const dense_gp *g, long double *log_det, long double *yy, long double *oy,
                               long double *oo)
{
    int n = g->n;
    static long double a[DENSE_MOST * DENSE_MOST], b[2 * DENSE_MOST];
    assert(n <= DENSE_MOST);
    dense_matrix(g, a, n);
    for (int i = 0; i < n; i++) {
        b[2 * i] = g->y[i];
        b[2 * i + 1] = 1;
    }
    *log_det = dense_solve(n, a, 2, b);
    *yy = *oy = *oo = 0;
    for (int i = 0; i < n; i++) {
        *yy += g->y[i] * b[2 * i];
        *oy += b[2 * i];
        *oo += b[2 * i + 1];
    }
}

#endif
