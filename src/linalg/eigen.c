#include "linalg/eigen.h"

#include "linalg/lapack.h"

size_t eigen_symmetric_work(int n)
{
    return 3 * (size_t)n;
}

int eigen_symmetric(int n, double *a, double *values, double *work)
{
    int work_size = 3 * n, info;
    dsyev_("V", "U", &n, a, &n, values, work, &work_size, &info, 1, 1);
    return info == 0 ? 0 : -1;
}
