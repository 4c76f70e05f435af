#include "linalg/qr.h"

#include "linalg/lapack.h"

enum { WIDTH = 32 }; /* of LAPACK's blocks */

size_t qr_work(int columns)
{
    return (size_t)(WIDTH + 1) * (size_t)columns;
}

void qr_triangle(int rows, int columns, double *a, int ld, double *work)
{
    int work_size = WIDTH * columns, info;
    dgeqrf_(&rows, &columns, a, &ld, work, work + columns, &work_size, &info);
    int top = rows < columns ? rows : columns;
    for (int c = 0; c < columns; c++)
        for (int k = c + 1; k < top; k++) a[(size_t)c * (size_t)ld + (size_t)k] = 0.0;
}
