/* Dense linear algebra on BLAS and LAPACK, the only place that includes them. Matrices are
 * column-major with a leading dimension; triangular factors are lower. Nothing here allocates. */
#ifndef LINALG_LINALG_H
#define LINALG_LINALG_H

#include <stddef.h>

/* Between these two OpenBLAS uses one thread, whatever the program around us had set; they nest,
 * from any thread. Another BLAS is left alone. */
void linalg_enter(void);
void linalg_leave(void);

/* Whether OpenBLAS will find its memory for so many threads: 0, or -1. Comes before all that is
 * below, since OpenBLAS tries for ever to get memory that there is not. */
int linalg_reserve(int threads);

/* a (n x n, its lower triangle) becomes its factor. Returns 0, or the number (from 1) of the pivot
 * that is not positive. The upper triangle is not touched. */
int cholesky_factor(int n, double *a, int ld);

/* Adds row n to the factor l of an n x n matrix: on entry its first n elements hold the new row of
 * the matrix, on return of the factor. `diagonal` is the new diagonal element. O(n^2). Returns 0,
 * or 1 when the pivot is below `least`, which then takes its place. row: l + n, stride ld. work: n
 * doubles. */
int cholesky_append(int n, double *l, int ld, double diagonal, double least, double *work);

/* The lower triangle of the inverse of the factored matrix, in place of the factor. */
void cholesky_invert(int n, double *l, int ld);

/* b (n x q) becomes L^-1 b. */
void solve_lower(int n, const double *l, int ld, int q, double *b, int ldb);
/* b (n x q) becomes L^-T b. */
void solve_lower_transposed(int n, const double *l, int ld, int q, double *b, int ldb);

/* y = A^T x, with A n x q. */
void multiply_transposed_vector(int n, int q, const double *a, int lda, const double *x, double *y);
/* C = A^T B, with A n x p and B n x q: p x q. */
void multiply_transposed(int n, int p, int q, const double *a, int lda, const double *b, int ldb, double *c,
                         int ldc);
/* C = A B: A n x p, B p x q, C n x q. */
void multiply(int n, int p, int q, const double *a, int lda, const double *b, int ldb, double *c, int ldc);
/* y += L x with L lower triangular n x n. x and y must not overlap. */
void add_lower_product(int n, const double *l, int ld, const double *x, double *y);
/* C += A^T A, or C -= A^T A, with A n x q and C q x q, its lower triangle. */
void add_gram(int n, int q, const double *a, int lda, double *c, int ldc);
void subtract_gram(int n, int q, const double *a, int lda, double *c, int ldc);

/* b (n x q) becomes a^-1 b; a (n x n) is destroyed. pivots: n. Returns 0, or not where a is
 * singular. */
int solve_general(int n, double *a, int q, double *b, int *pivots);

double dot_product(int n, const double *a, const double *b);

#endif
