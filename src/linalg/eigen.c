#include "linalg/eigen.h"

#include <lapacke.h>

size_t eigen_symmetric_work(int n)
{
    return 3 * (size_t)n;
}

int eigen_symmetric(int n, double *a, double *values, double *work)
{
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, work, 3 * n) == 0 ? 0 : -1;
}
