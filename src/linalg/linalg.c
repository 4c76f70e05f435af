#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "linalg/linalg.h"

#include "linalg/lapack.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>

/* Another BLAS has no such functions; but one that is chosen when the program starts may be
 * OpenBLAS all the same. */
#ifndef GOFH_OPENBLAS
int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int count) __attribute__((weak));
#endif

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int inside, threads_outside;

static int get_threads(void)
{
#ifndef GOFH_OPENBLAS
    if (!openblas_get_num_threads || !openblas_set_num_threads) return 1;
#endif
    return openblas_get_num_threads();
}

void linalg_enter(void)
{
    pthread_mutex_lock(&guard);
    if (inside++ == 0) {
        threads_outside = get_threads();
        if (threads_outside != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&guard);
}

void linalg_leave(void)
{
    pthread_mutex_lock(&guard);
    if (--inside == 0 && threads_outside != 1) openblas_set_num_threads(threads_outside);
    pthread_mutex_unlock(&guard);
}

/* What OpenBLAS takes for each thread that is in it at once, and some of ours; it never gives it back. */
enum { BUFFER_SIZE = (128 + 8) << 20 };

/* Whether `count` more buffers can be had at once. */
static int has_room(int count)
{
    if (count <= 0) return 1;
    void *buffer = mmap(NULL, BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) return 0;
    int found = has_room(count - 1);
    munmap(buffer, BUFFER_SIZE);
    return found;
}

int linalg_reserve(int threads)
{
    static int reserved;
    pthread_mutex_lock(&guard);
    int found = has_room(threads - reserved);
    if (found && reserved < 1) {
        /* Any product of matrices takes the first buffer. */
        double one = 1.0, square = 0.0;
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, 1, 1, 1.0, &one, 1, 0.0, &square, 1);
    }
    if (found && reserved < threads) reserved = threads;
    pthread_mutex_unlock(&guard);
    return found ? 0 : -1;
}

int cholesky_factor(int n, double *a, int ld)
{
    int info;
    dpotrf_("L", &n, a, &ld, &info, 1);
    return info;
}

int cholesky_append(int n, double *l, int ld, double diagonal, double least, double *work)
{
    cblas_dcopy(n, l + n, ld, work, 1);
    solve_lower(n, l, ld, 1, work, n > 1 ? n : 1);
    cblas_dcopy(n, work, 1, l + n, ld);
    double pivot = diagonal - cblas_ddot(n, work, 1, work, 1);
    int small = !(pivot >= least);
    l[(size_t)n * (size_t)ld + (size_t)n] = sqrt(small ? least : pivot);
    return small;
}

/* LAPACK inverts by columns up to n = 64. Here it goes by halves down to SMALL, so that nearly all
 * of the work is in products of matrices. */
enum { SMALL = 16 };

/* Of n > SMALL: a multiple of what the kernels of a product take at once. */
static int half(int n)
{
    return n / 2 / 8 * 8;
}

/* The inverse of a small lower triangular matrix, in its place, column by column from the last. */
static void invert_small(int n, double *l, int ld)
{
    for (int j = n - 1; j >= 0; j--) {
        double *column = l + (size_t)j * (size_t)(ld + 1), pivot = 1.0 / column[0];
        const double *rest = l + (size_t)(j + 1) * (size_t)(ld + 1);
        int below = n - 1 - j;
        column[0] = pivot;
        column++;
        for (int k = below - 1; k >= 0; k--) { /* column = - pivot * inverse below * column */
            double factor = -pivot * column[k];
            const double *inverse = rest + (size_t)k * (size_t)ld;
            column[k] = factor * inverse[k];
            for (int i = k + 1; i < below; i++) column[i] += factor * inverse[i];
        }
    }
}

static void invert_lower(int n, double *l, int ld)
{
    if (n <= SMALL) {
        invert_small(n, l, ld);
        return;
    }
    int top = half(n), rest = n - top;
    double *corner = l + top, *last = corner + (size_t)top * (size_t)ld;
    invert_lower(top, l, ld);
    invert_lower(rest, last, ld);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rest, top, -1.0, last, ld,
                corner, ld);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rest, top, 1.0, l, ld,
                corner, ld);
}

/* The lower triangle of L^T L, in place of L, by halves too. */
static void square_lower(int n, double *l, int ld)
{
    if (n <= SMALL) {
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++) {
                const double *a = l + (size_t)i * (size_t)ld, *b = l + (size_t)j * (size_t)ld;
                double sum = 0.0;
                for (int k = i; k < n; k++) sum += a[k] * b[k];
                l[(size_t)j * (size_t)ld + (size_t)i] = sum;
            }
        return;
    }
    int top = half(n), rest = n - top;
    double *corner = l + top, *last = corner + (size_t)top * (size_t)ld;
    square_lower(top, l, ld);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, top, rest, 1.0, corner, ld, 1.0, l, ld);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, rest, top, 1.0, last, ld,
                corner, ld);
    square_lower(rest, last, ld);
}

void cholesky_invert(int n, double *l, int ld)
{
    invert_lower(n, l, ld);
    square_lower(n, l, ld);
}

void solve_lower(int n, const double *l, int ld, int q, double *b, int ldb)
{
    if (q == 1)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, l, ld, b, 1);
    else
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, q, 1.0, l, ld, b,
                    ldb);
}

void solve_lower_transposed(int n, const double *l, int ld, int q, double *b, int ldb)
{
    if (q == 1)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, l, ld, b, 1);
    else
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, q, 1.0, l, ld, b, ldb);
}

void multiply_transposed_vector(int n, int q, const double *a, int lda, const double *x, double *y)
{
    cblas_dgemv(CblasColMajor, CblasTrans, n, q, 1.0, a, lda, x, 1, 0.0, y, 1);
}

void multiply_transposed(int n, int p, int q, const double *a, int lda, const double *b, int ldb, double *c,
                         int ldc)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, p, q, n, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

void multiply(int n, int p, int q, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, q, p, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

void add_lower_product(int n, const double *l, int ld, const double *x, double *y)
{
    for (int j = 0; j < n; j++) cblas_daxpy(n - j, x[j], l + j + (size_t)j * (size_t)ld, 1, y + j, 1);
}

void add_gram(int n, int q, const double *a, int lda, double *c, int ldc)
{
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, q, n, 1.0, a, lda, 1.0, c, ldc);
}

void subtract_gram(int n, int q, const double *a, int lda, double *c, int ldc)
{
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, q, n, -1.0, a, lda, 1.0, c, ldc);
}

int solve_general(int n, double *a, int q, double *b, int *pivots)
{
    int info;
    dgesv_(&n, &q, a, &n, pivots, b, &n, &info);
    return info;
}

double dot_product(int n, const double *a, const double *b)
{
    return cblas_ddot(n, a, 1, b, 1);
}
