/* What is used of LAPACK, by its Fortran names: they are in every LAPACK, where the C interface may
 * be missing. The lengths of the texts come last, as compilers of Fortran pass them. */
#ifndef LINALG_LAPACK_H
#define LINALG_LAPACK_H

#include <stddef.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);
void dgeqrf_(const int *rows, const int *columns, double *a, const int *lda, double *tau, double *work,
             const int *work_size, int *info);
void dsyev_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *values,
            double *work, const int *work_size, int *info, size_t job_length, size_t uplo_length);

#endif
