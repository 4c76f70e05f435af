#include "model/common.h"

#include "linalg/linalg.h"
#include "linalg/qr.h"

#include <string.h>

void common_coefficients(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points,
                         int q, double *w, double *variance, double *work)
{
    int n = inputs->n;
    double *rest = work;
    gp_basis(g, inputs, kernel, points, q, w, variance, NULL, NULL, work);
    for (int p = 0; p < q; p++) rest[p] = 1.0 - dot_product(n, g->ones, w + (size_t)p * (size_t)n);
    solve_lower(n, g->factor, inputs->capacity, q, w, n);
    solve_lower_transposed(n, g->factor, inputs->capacity, q, w, n);
    for (int p = 0; p < q; p++)
        for (int i = 0; i < n; i++)
            w[(size_t)p * (size_t)n + (size_t)i] += rest[p] / g->ones_sum * g->ones[i];
}

void common_errors(const gp *g, const gp_inputs *inputs, int count, double *y, double *mean, double *squares)
{
    int n = inputs->n;
    for (int j = 0; j < count; j++) {
        double *column = y + (size_t)j * (size_t)n, centre = dot_product(n, g->ones, column) / g->ones_sum;
        for (int i = 0; i < n; i++) column[i] -= centre;
        if (mean) mean[j] = centre;
    }
    solve_lower(n, g->factor, inputs->capacity, count, y, n);
    for (int j = 0; squares && j < count; j++) {
        const double *errors = y + (size_t)j * (size_t)n;
        squares[j] = dot_product(n, errors, errors);
    }
}

void common_residual_maker(const gp *g, const gp_inputs *inputs, double *maker)
{
    int n = inputs->n;
    memset(maker, 0, (size_t)n * (size_t)n * sizeof *maker);
    for (int i = 0; i < n; i++) maker[(size_t)i * (size_t)(n + 1)] = 1.0;
    solve_lower(n, g->factor, inputs->capacity, n, maker, n);
    solve_lower_transposed(n, g->factor, inputs->capacity, n, maker, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            maker[(size_t)i * (size_t)n + (size_t)k] -= g->ones[i] * g->ones[k] / g->ones_sum;
}

void common_residuals(int n, int count, const double *maker, const double *y, double *residuals)
{
    multiply_transposed(n, n, count, maker, n, y, n, residuals, n);
}

size_t common_triangle_work(int columns)
{
    return qr_work(columns);
}

void common_triangle(int rows, int columns, double *a, int ld, double *work)
{
    qr_triangle(rows, columns, a, ld, work);
}
