/* What outputs with one kernel have in common: of any of them the model says what its data and these say,
 * without a process of its own (section 8.12 of docs/method.md). */
#ifndef MODEL_COMMON_H
#define MODEL_COMMON_H

#include "model/gp.h"

/* The coefficients w (n x q) of q points, by which the posterior mean of any output is y'w (eq. 38), and
 * the variances there of a signal of variance 1. The mean of g must be unknown. work: gp_basis_work(n, q). */
void common_coefficients(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points,
                         int q, double *w, double *variance, double *work);
/* The data y (n x count, one column per output) become their errors L^-1 (y - mean); mean[count] and the
 * sums of squared errors[count], either may be NULL. */
void common_errors(const gp *g, const gp_inputs *inputs, int count, double *y, double *mean, double *squares);
/* P of eq. 5a: n x n, symmetric; and P y for `count` columns of data. */
void common_residual_maker(const gp *g, const gp_inputs *inputs, double *maker);
void common_residuals(int n, int count, const double *maker, const double *y, double *residuals);

/* The triangle of the QR factorisation (linalg/qr.h) of a matrix whose columns are data. */
size_t common_triangle_work(int columns);
void common_triangle(int rows, int columns, double *a, int ld, double *work);

#endif
