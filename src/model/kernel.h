/* Correlation functions of the scaled squared distance r^2 = sum_k (x_k - x'_k)^2 / l_k^2 (eq. 2 of
 * docs/method.md). */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include "gofh.h"

/* value = c(r^2); weight = -2 dc/d(r^2), of which all derivatives are made (eq. 3); weight may be NULL. value
 * may be r2. */
void kernel_apply(gofh_kernel kernel, const double *r2, int count, double *value, double *weight);

/* r2[i] = sum_k (x_k - points_k[i])^2 / l_k^2 by differences. points: a coordinate after the other, `stride`
 * apart. */
void kernel_distances(int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double *r2);

#endif
