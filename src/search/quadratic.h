/* The quadratic model of L-BFGS-B (Byrd, Lu, Nocedal and Zhu 1995) and its minimisation on a box.
 *
 * The matrix is formed, d x d: with the dimensions met here (up to some tens) that costs no more
 * than the compact representation, of which it is the product, and the subspace problem becomes one
 * positive definite system. */
#ifndef SEARCH_QUADRATIC_H
#define SEARCH_QUADRATIC_H

#include <stddef.h>

/* The L-BFGS matrix of the pairs s and y (pairs x d each, the oldest first, each with s'y > 0);
 * without any, `scale` times the identity. matrix: d x d. work: d. */
void quadratic_form(int d, int pairs, const double *s, const double *y, double scale, double *matrix,
                    double *work);

/* Where gradient'(z - x) + (z - x)'matrix(z - x) / 2 is low inside the box: its minimum among the z
 * with the active bounds of the generalised Cauchy point, brought back into the box. x is inside
 * the box, whose bounds may be infinite. point: d. work: quadratic_work(d). Returns 0, or -1 when
 * the matrix is not positive definite. */
int quadratic_minimize(int d, const double *matrix, const double *x, const double *gradient,
                       const double *lower, const double *upper, double *point, double *work);
size_t quadratic_work(int d);

#endif
