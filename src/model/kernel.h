/* Correlation functions of the scaled squared distance r^2 = sum_k (x_k - x'_k)^2 / l_k^2 (eq. 2 of
 * docs/method.md). */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include "gofh.h"

/* value = c(r^2); weight = -2 dc/d(r^2), of which all derivatives are made (eq. 3); weight may be
 * NULL. value may be r2. */
void kernel_apply(gofh_kernel kernel, const double *r2, int count, double *value, double *weight);

/* r2[i] = sum_k (x_k - points_k[i])^2 / l_k^2 by differences. points: one row per coordinate,
 * `stride` apart. */
void kernel_distances(int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double *r2);

/* The correlations of x with points. With a trend, a value is (1 - trend) c(r^2) + trend q^2 where
 * q = 1 + sum_k (x_k - 1/2)(points_k - 1/2) / l_k^2 (eq. 24); the weight is (1 - trend) times that
 * of c, and slope = 2 trend q, the derivative of the trend's part in that sum. Without a trend
 * slope is not written. weight and slope are both NULL or neither. */
void kernel_correlate(gofh_kernel kernel, int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double trend, double *value, double *weight,
                      double *slope);
/* The correlation of x with itself, and its gradient in x unless NULL. */
double kernel_diagonal(int d, const double *x, const double *inverse_lengthscale, double trend,
                       double *gradient);

#endif
