#include "model/classifier.h"

#include "base/memory.h"
#include "base/normal.h"
#include "base/vector.h"
#include "gofh.h"
#include "linalg/linalg.h"
#include "model/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 40 };
static const double TOLERANCE = 1e-5;
static const double VARIANCE_MIN = 1e-14; /* below it, relative to the prior's, is rounding */

classifier *classifier_create(int d, int n)
{
    classifier *c = linalg_reserve(1) ? NULL : memory_new(1, sizeof *c);
    if (!c) return NULL;
    size_t s = (size_t)n, p = (size_t)d;
    *c = (classifier){.d = d, .n = n, .block = memory_doubles(3 * s * s + p * s + p + 6 * s)};
    if (!c->block) {
        free(c);
        return NULL;
    }
    c->covariance = c->block;
    c->factor = c->covariance + s * s;
    c->half = c->factor + s * s;
    c->x = c->half + s * s;
    c->sign = c->x + p * s;
    c->precision = c->sign + s;
    c->root = c->precision + s;
    c->shift = c->root + s;
    c->mean = c->shift + s;
    c->weights = c->mean + s;
    c->inverse_lengthscale = c->weights + s;
    return c;
}

void classifier_free(classifier *c)
{
    if (!c) return;
    free(c->block);
    free(c);
}

/* The correlations of one point with the data. */
static void correlate(const classifier *c, const double *at, double *k)
{
    kernel_distances(c->d, c->n, at, c->x, c->n, c->inverse_lengthscale, k);
    kernel_apply(GOFH_KERNEL_SQUARED_EXPONENTIAL, k, c->n, k, NULL);
}

static void fill_covariance(classifier *c)
{
    size_t n = (size_t)c->n;
    double at[GOFH_MAX_PARAMETERS];
    for (size_t i = 0; i < n; i++) {
        double *column = c->covariance + i * n;
        for (int k = 0; k < c->d; k++) at[k] = c->x[(size_t)k * n + i];
        correlate(c, at, column);
        for (size_t j = 0; j < n; j++) column[j] = c->variance * (1.0 + column[j]);
    }
}

/* What the sites make of the prior: the factor of B, V = L^-1 S^1/2 K in `half`, weights and
 * mean. */
static int refresh(classifier *c)
{
    size_t n = (size_t)c->n;
    for (size_t i = 0; i < n; i++) c->root[i] = sqrt(c->precision[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t at = i * n + j;
            c->half[at] = c->root[j] * c->covariance[at];
            c->factor[at] = c->root[i] * c->half[at] + (i == j ? 1.0 : 0.0);
        }
    if (cholesky_factor(c->n, c->factor, c->n)) return -1;
    solve_lower(c->n, c->factor, c->n, c->n, c->half, c->n);
    multiply_transposed_vector(c->n, c->n, c->covariance, c->n, c->shift, c->mean);
    for (size_t i = 0; i < n; i++) c->weights[i] = c->root[i] * c->mean[i];
    solve_lower(c->n, c->factor, c->n, 1, c->weights, c->n);
    solve_lower_transposed(c->n, c->factor, c->n, 1, c->weights, c->n);
    for (size_t i = 0; i < n; i++) c->weights[i] = c->shift[i] - c->root[i] * c->weights[i];
    multiply_transposed_vector(c->n, c->n, c->covariance, c->n, c->weights, c->mean);
    return 0;
}

/* The cavity: the distribution of one datum without its own site. */
typedef struct {
    double precision, mean, z; /* z: Phi(z) is how likely its sign is */
} cavity;

static cavity leave_out(const classifier *c, int i)
{
    size_t n = (size_t)c->n;
    const double *column = c->half + (size_t)i * n;
    double variance = c->covariance[(size_t)i * (n + 1)] - dot_product(c->n, column, column);
    variance = fmax(variance, VARIANCE_MIN * c->variance);
    double precision = fmax(1.0 / variance - c->precision[i], VARIANCE_MIN / variance);
    double mean = (c->mean[i] / variance - c->shift[i]) / precision;
    return (cavity){precision, mean, c->sign[i] * mean / sqrt(1.0 + 1.0 / precision)};
}

/* Moves all sites towards what matches the moments (eq. 33), and returns the largest change. */
static double move_sites(classifier *c, double damping)
{
    double largest = 0.0;
    for (int i = 0; i < c->n; i++) {
        cavity out = leave_out(c, i);
        double variance = 1.0 / out.precision, scale = sqrt(1.0 + variance);
        double hazard = normal_hazard_left(out.z), curve = hazard * (hazard + out.z) / (1.0 + variance);
        double tilted = variance * (1.0 - variance * curve);
        double tilted_mean = out.mean + c->sign[i] * variance * hazard / scale;
        double precision = fmax(1.0 / tilted - out.precision, 0.0);
        double shift = tilted_mean / tilted - out.mean * out.precision;
        double change = damping * (precision - c->precision[i]);
        double change_shift = damping * (shift - c->shift[i]);
        largest = fmax(largest, fabs(change) * variance / (1.0 + variance * precision));
        largest = fmax(largest, fabs(change_shift) * sqrt(tilted));
        c->precision[i] += change;
        c->shift[i] += change_shift;
    }
    return largest;
}

/* The logarithm of the evidence (eq. 34). */
static double find_evidence(const classifier *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        cavity out = leave_out(c, i);
        double all = out.precision + c->precision[i];
        sum += normal_log_cdf(out.z) + 0.5 * log1p(c->precision[i] / out.precision);
        sum -= log(c->factor[(size_t)i * (size_t)(c->n + 1)]);
        sum += 0.5 * c->shift[i] * (c->mean[i] - c->shift[i] / all);
        sum += 0.5 * out.mean * out.precision * (c->precision[i] * out.mean - 2.0 * c->shift[i]) / all;
    }
    return sum;
}

int classifier_condition(classifier *c)
{
    size_t n = (size_t)c->n;
    fill_covariance(c);
    memset(c->precision, 0, n * sizeof *c->precision);
    memset(c->shift, 0, n * sizeof *c->shift);
    double damping = 1.0, last = INFINITY;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (refresh(c)) return -1;
        double change = move_sites(c, damping);
        if (!isfinite(change)) return -1;
        if (change < TOLERANCE) break;
        if (change > 0.8 * last) damping = fmax(0.7 * damping, 0.2);
        last = change;
    }
    if (refresh(c)) return -1;
    c->log_evidence = find_evidence(c);
    return isfinite(c->log_evidence) ? 0 : -1;
}

void classifier_evidence_gradient(classifier *c, double *gradient)
{
    size_t n = (size_t)c->n;
    memcpy(c->half, c->factor, n * n * sizeof *c->half);
    cholesky_invert(c->n, c->half, c->n);
    for (int k = 0; k <= c->d; k++) gradient[k] = 0.0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double adjoint = c->weights[i] * c->weights[j] - c->root[i] * c->half[j * n + i] * c->root[j];
            double covariance = c->covariance[j * n + i], part = i == j ? 0.5 : 1.0;
            gradient[c->d] += part * adjoint * covariance;
            for (size_t k = 0; i != j && k < (size_t)c->d; k++) {
                double z = (c->x[k * n + i] - c->x[k * n + j]) * c->inverse_lengthscale[k];
                gradient[k] += adjoint * (covariance - c->variance) * z * z;
            }
        }
}

void classifier_score(const classifier *c, const double *points, int q, double *score, double *gradient,
                      double *work)
{
    int n = c->n, d = c->d;
    double *k = work, *v = work + n;
    for (int p = 0; p < q; p++) {
        const double *at = points + (size_t)p * (size_t)d;
        correlate(c, at, k);
        for (int i = 0; i < n; i++) v[i] = c->root[i] * c->variance * (1.0 + k[i]);
        solve_lower(n, c->factor, n, 1, v, n);
        double mean = 0.0, variance = fmax(2.0 * c->variance - dot_product(n, v, v), 0.0);
        for (int i = 0; i < n; i++) mean += c->weights[i] * c->variance * (1.0 + k[i]);
        double scale = sqrt(1.0 + variance);
        score[p] = mean / scale;
        if (!gradient) continue;
        solve_lower_transposed(n, c->factor, n, 1, v, n);
        /* The score's slope in each covariance, times how that changes with its distance (eq.
         * 3). */
        for (int i = 0; i < n; i++) {
            double in_covariance = c->weights[i] / scale + mean / (scale * scale * scale) * c->root[i] * v[i];
            k[i] *= -c->variance * in_covariance;
        }
        for (int i = 0; i < d; i++) {
            double inverse = c->inverse_lengthscale[i];
            gradient[(size_t)p * (size_t)d + (size_t)i] = inverse * inverse *
                                                          vector_weighted_difference(
                                                              k, at[i], c->x + (size_t)i * (size_t)n, n);
        }
    }
}
