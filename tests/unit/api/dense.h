/* A Gaussian process in the user's units by Gaussian elimination, written from the textbook. */
#ifndef TESTS_API_DENSE_H
#define TESTS_API_DENSE_H

#include "gofh.h"

#include <math.h>
#include <string.h>

enum { DENSE_MOST = 80 };

typedef struct {
    gofh_kernel kernel;
    int d, n;
    const double *length;         /* in the units of z */
    double variance, noise, mean; /* NaN: unknown */
    const double *own;            /* NULL, or the variance of the noise of each datum, in place of that */
    double z[DENSE_MOST * 4];     /* n x d: inputs as fractions of their ranges */
    double y[DENSE_MOST];
} dense;

static inline double dense_kernel(const dense *p, const double *a, const double *b)
{
    double r2 = 0.0;
    for (int k = 0; k < p->d; k++) r2 += pow((a[k] - b[k]) / p->length[k], 2.0);
    double r = sqrt(r2);
    switch (p->kernel) {
    case GOFH_KERNEL_MATERN_32:
        return p->variance * (1.0 + sqrt(3.0) * r) * exp(-sqrt(3.0) * r);
    case GOFH_KERNEL_MATERN_52:
        return p->variance * (1.0 + sqrt(5.0) * r + 5.0 * r2 / 3.0) * exp(-sqrt(5.0) * r);
    default:
        return p->variance * exp(-0.5 * r2);
    }
}

/* Solves (K + noise I) x = b, or (K + diag(own)) x = b, with partial pivoting. */
static inline void dense_solve(const dense *p, const double *b, double *x)
{
    static double a[DENSE_MOST][DENSE_MOST + 1];
    int n = p->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = dense_kernel(p, p->z + i * p->d, p->z + j * p->d) + (i != j   ? 0.0
                                                                           : p->own ? p->own[i]
                                                                                    : p->noise);
        a[i][n] = b[i];
    }
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(a[i][c]) > fabs(a[pivot][c])) pivot = i;
        for (int j = 0; j <= n; j++) {
            double kept = a[c][j];
            a[c][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        for (int i = c + 1; i < n; i++) {
            double factor = a[i][c] / a[c][c];
            for (int j = c; j <= n; j++) a[i][j] -= factor * a[c][j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = a[i][n];
        for (int j = i + 1; j < n; j++) x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

static inline double dense_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Mean and variance of the function (without noise) at z. */
static inline void dense_predict(const dense *p, const double *z, double *mean, double *variance)
{
    double one[DENSE_MOST], k[DENSE_MOST], rest[DENSE_MOST], solved_one[DENSE_MOST], solved[DENSE_MOST];
    for (int i = 0; i < p->n; i++) {
        one[i] = 1.0;
        k[i] = dense_kernel(p, z, p->z + i * p->d);
    }
    double centre = p->mean, extra = 0.0;
    dense_solve(p, k, solved);
    if (isnan(p->mean)) {
        dense_solve(p, one, solved_one);
        double sum = dense_dot(p->n, one, solved_one), left = 1.0 - dense_dot(p->n, k, solved_one);
        centre = dense_dot(p->n, p->y, solved_one) / sum;
        extra = left * left / sum;
    }
    for (int i = 0; i < p->n; i++) rest[i] = p->y[i] - centre;
    *mean = centre + dense_dot(p->n, solved, rest);
    *variance = p->variance - dense_dot(p->n, solved, k) + extra;
}

#endif
