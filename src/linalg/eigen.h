/* Eigenvalues and eigenvectors of symmetric matrices. */
#ifndef LINALG_EIGEN_H
#define LINALG_EIGEN_H

#include <stddef.h>

/* Doubles of workspace. */
size_t eigen_symmetric_work(int n);

/* a: n x n, column-major, its upper triangle is read; becomes the eigenvectors, one per column.
 * values: n, in ascending order. work: eigen_symmetric_work(n). Returns 0, or -1 when the iteration
 * did not converge (a matrix that is not finite). */
int eigen_symmetric(int n, double *a, double *values, double *work);

#endif
