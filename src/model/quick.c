#include "model/quick.h"

#include "base/exponential.h"
#include "base/fused.h"
#include "linalg/small.h"
#include "model/kernel.h"

#include <math.h>
#include <string.h>

/* SMALL_POINTS points side by side, so that a sum over the data does not depend on a point's
 * place. */
typedef double lane[SMALL_POINTS];

#define FOR_SET
#define NAMED(f) f##_anywhere
#include "model/quick_kernels.h"
#ifdef FUSED_SET
#    define FOR_SET  FUSED_SET
#    define NAMED(f) f##_fused
#    include "model/quick_kernels.h"
#endif

/* ---- Correlations ---- */

void quick_differences(const gp_inputs *inputs, double *differences)
{
    int n = inputs->n;
    for (int k = 0; k < inputs->d; k++) {
        const double *x = inputs->x + (size_t)k * (size_t)inputs->capacity;
        for (int j = 0; j < n; j++)
            for (int i = j + 1; i < n; i++) *differences++ = (x[i] - x[j]) * (x[i] - x[j]);
    }
}

void quick_correlations(const gp_inputs *inputs, gofh_kernel kernel, const double *differences,
                        const double *inverse_lengthscale, double *packed)
{
#ifdef FUSED_SET
    if (has_fused_set()) {
        correlations_fused(inputs, kernel, differences, inverse_lengthscale, packed);
        return;
    }
#endif
    correlations_anywhere(inputs, kernel, differences, inverse_lengthscale, packed);
}

/* ---- The likelihood ---- */

static size_t padded(int n)
{
    return ((size_t)n + SMALL_SIDE - 1) / SMALL_SIDE * SMALL_SIDE;
}

size_t quick_work(int n)
{
    return (padded(n) + SMALL_SIDE) * padded(n);
}

/* R padded to side n by rows and columns of the unit matrix, and below it the rows y and 1, padded
 * by 0. */
static void place(int data, size_t n, const double *packed, double diagonal, const double *y, double *a)
{
    size_t used = (size_t)data, ld = n + SMALL_SIDE;
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * ld;
        size_t below = j < used ? used - 1 - j : 0;
        column[j] = j < used ? diagonal : 1.0;
        memcpy(column + j + 1, packed, below * sizeof *packed);
        packed += below;
        memset(column + j + 1 + below, 0, (ld - j - 1 - below) * sizeof *column);
        if (j >= used) continue;
        column[n] = y[j];
        column[n + 1] = 1.0;
    }
}

/* sum of the logarithms of the pivots, by their product as long as that is far from the ends of the
 * range. */
static double log_pivots(size_t n, size_t ld, const double *a)
{
    double sum = 0.0, product = 1.0;
    for (size_t i = 0; i < n; i++) {
        product *= a[i * (ld + 1)];
        if (product > 1e-150 && product < 1e150) continue;
        sum += log(product);
        product = 1.0;
    }
    return sum + log(product);
}

int quick_factorise(int n, const double *packed, double noise, const double *y, quick_terms *terms,
                    double *work)
{
    size_t side = padded(n), ld = side + SMALL_SIDE;
    place(n, side, packed, 1.0 + noise, y, work);
    if (small_factor((int)side, work)) return -1;
    const double *solved = work + side; /* L^-1 y, and next to each L^-1 1 */
    double ones_sum = 0.0, product = 0.0, squares = 0.0;
    for (size_t i = 0; i < side; i++) {
        ones_sum += solved[i * ld + 1] * solved[i * ld + 1];
        product += solved[i * ld + 1] * solved[i * ld];
    }
    for (size_t i = 0; i < side; i++) {
        double rest = solved[i * ld] - product / ones_sum * solved[i * ld + 1];
        squares += rest * rest;
    }
    *terms = (quick_terms){2.0 * log_pivots(side, ld, work), ones_sum, squares};
    return 0;
}

/* ---- Prediction ---- */

size_t quick_predict_work(int n)
{
    return SMALL_POINTS * (size_t)n;
}

/* Sums over the data at the points of a lane: of the correlations k by the weights of each sample and by
 * R^-1 1, and of the squares of L^-1 k, unless NULL. */
static void find_sums(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                      const lane *at, lane *k, lane *weighted, lane known, lane explained)
{
#ifdef FUSED_SET
    if (has_fused_set()) {
        lane_sums_fused(g, samples, apart, inputs, kernel, at, k, weighted, known, explained);
        return;
    }
#endif
    lane_sums_anywhere(g, samples, apart, inputs, kernel, at, k, weighted, known, explained);
}

/* Up to SMALL_POINTS points; the last is repeated where there are fewer. The means of the samples are `q_all`
 * apart. */
static void predict_lane(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                         const double *points, int q, int q_all, double *mean, double *variance, lane *k)
{
    int d = inputs->d;
    lane at[GOFH_MAX_PARAMETERS], weighted[GP_SHARED_MAX], known, explained;
    for (int c = 0; c < d; c++)
        for (int p = 0; p < SMALL_POINTS; p++) at[c][p] = points[(p < q ? p : q - 1) * d + c];
    find_sums(g, samples, apart, inputs, kernel, (const lane *)at, k, weighted, known,
              variance ? explained : NULL);
    for (size_t s = 0; s < (size_t)samples; s++)
        for (int p = 0; p < q; p++)
            mean[s * (size_t)q_all + (size_t)p] = g[s * (size_t)apart].mean + weighted[s][p];
    for (int p = 0; variance && p < q; p++) {
        double rest = isnan(g->hyper.mean) ? 1.0 - known[p] : 0.0,
               diagonal = kernel_diagonal(d, points + p * d, g->hyper.inverse_lengthscale, g->hyper.trend,
                                          NULL);
        variance[p] = g->hyper.variance * (diagonal - explained[p] + rest * rest / g->ones_sum);
    }
}

void quick_predict(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                   const double *points, int q, double *mean, double *variance, double *work)
{
    for (int first = 0; first < q; first += SMALL_POINTS)
        predict_lane(g, samples, apart, inputs, kernel, points + (size_t)first * (size_t)inputs->d,
                     q - first < SMALL_POINTS ? q - first : SMALL_POINTS, q, mean + first,
                     variance ? variance + first : NULL, (lane *)work);
}
