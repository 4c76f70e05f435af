/* Factors and solutions of matrices so small that the overhead of BLAS would be most of the
 * time. */
#ifndef LINALG_SMALL_H
#define LINALG_SMALL_H

/* SMALL_SIDE: sides are multiples of it. SMALL_POINTS: right-hand sides that are solved at once. */
enum { SMALL_SIDE = 4, SMALL_POINTS = 8 };

/* a: (n + SMALL_SIDE) x n, column-major, n a multiple of SMALL_SIDE. Its upper part is a matrix of
 * which the lower triangle counts and becomes its factor L; the rows B below become B L^-T. Returns
 * 0, or -1 where a pivot is not positive. What is above the diagonal is spoilt. */
int small_factor(int n, double *a);

/* b (n x SMALL_POINTS, row-major) becomes L^-1 b, with l as in linalg.h and any n. */
void small_solve(int n, const double *l, int ld, double *b);

#endif
