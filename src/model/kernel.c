#include "model/kernel.h"

#include "base/exponential.h"
#include "base/instruction_sets.h"
#include "base/vector.h"

#include <math.h>
#include <stddef.h>

enum { BLOCK = 256 };

/* Beyond it vector_exp(-r) is 0, and its product with a power of r must be 0 too, not infinity
 * times 0. */
static const double R_MAX = 800.0;

FOR_EACH_FUSED_SET
static void squared_exponential(const double *r2, int count, double *value, double *weight)
{
    for (int i = 0; i < count; i++) value[i] = -0.5 * r2[i];
    vector_exp(value, count, value);
    if (weight)
        for (int i = 0; i < count; i++) weight[i] = value[i];
}

/* r = sqrt(factor r2), no longer than R_MAX, and decay = exp(-r). */
static void matern_decay(double factor, const double *r2, int count, double *r, double *decay)
{
    for (int i = 0; i < count; i++) {
        double scaled = sqrt(factor * r2[i]);
        r[i] = scaled > R_MAX ? R_MAX : scaled;
        decay[i] = -r[i];
    }
    vector_exp(decay, count, decay);
}

static void matern_32(const double *r2, int count, double *value, double *weight)
{
    double r[BLOCK], decay[BLOCK];
    matern_decay(3.0, r2, count, r, decay);
    for (int i = 0; i < count; i++) value[i] = (1.0 + r[i]) * decay[i];
    if (weight)
        for (int i = 0; i < count; i++) weight[i] = 3.0 * decay[i];
}

static void matern_52(const double *r2, int count, double *value, double *weight)
{
    double r[BLOCK], decay[BLOCK];
    matern_decay(5.0, r2, count, r, decay);
    for (int i = 0; i < count; i++) value[i] = (1.0 + r[i] + r[i] * r[i] / 3.0) * decay[i];
    if (weight)
        for (int i = 0; i < count; i++) weight[i] = 5.0 / 3.0 * (1.0 + r[i]) * decay[i];
}

void kernel_apply(gofh_kernel kernel, const double *r2, int count, double *value, double *weight)
{
    for (int start = 0; start < count; start += BLOCK) {
        int part = count - start < BLOCK ? count - start : BLOCK;
        double *part_weight = weight ? weight + start : NULL;
        switch (kernel) {
        case GOFH_KERNEL_SQUARED_EXPONENTIAL:
            squared_exponential(r2 + start, part, value + start, part_weight);
            break;
        case GOFH_KERNEL_MATERN_32:
            matern_32(r2 + start, part, value + start, part_weight);
            break;
        case GOFH_KERNEL_MATERN_52:
            matern_52(r2 + start, part, value + start, part_weight);
            break;
        }
    }
}

/* Two coordinates at a point x, for the sums that squared distance and trend are made of. */
typedef struct {
    double at, scale, lean; /* x_k, 1 / l_k, (x_k - 1/2) / l_k^2 */
    double other_at, other_scale, other_lean;
} pair;

static pair pair_of(int d, int k, const double *x, const double *inverse_lengthscale)
{
    int other = k + 1 < d; /* without one, the same coordinate with scales of 0 */
    double s = inverse_lengthscale[k], t = other ? inverse_lengthscale[k + 1] : 0.0;
    return (pair){x[k], s, s * s * (x[k] - 0.5), x[k + other], t, t * t * (x[k + other] - 0.5)};
}

static inline double add_squares_of(pair c, double x, double y, double sum)
{
    double p = (c.at - x) * c.scale, q = (c.other_at - y) * c.other_scale;
    return (sum + p * p) + q * q;
}

static inline double add_leaning_of(pair c, double x, double y, double sum)
{
    return (sum + c.lean * (x - 0.5)) + c.other_lean * (y - 0.5);
}

/* Two coordinates at once, for half of the memory traffic; the first pair sets the sum, the others
 * add. */
FOR_EACH_FUSED_SET
static void add_squares(pair c, const double *restrict x, const double *restrict y, int first, int count,
                        double *restrict sum)
{
    for (int i = 0; i < count; i++) sum[i] = add_squares_of(c, x[i], y[i], first ? 0.0 : sum[i]);
}

FOR_EACH_FUSED_SET
static void add_leaning(pair c, const double *restrict x, const double *restrict y, int first, int count,
                        double *restrict sum)
{
    for (int i = 0; i < count; i++) sum[i] = add_leaning_of(c, x[i], y[i], first ? 1.0 : sum[i]);
}

void kernel_distances(int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double *r2)
{
    for (int k = 0; k < d; k += 2) {
        const double *a = points + (size_t)k * (size_t)stride, *b = k + 1 < d ? a + stride : a;
        add_squares(pair_of(d, k, x, inverse_lengthscale), a, b, k == 0, count, r2);
    }
}

/* Mixes a trend into correlations without. */
FOR_EACH_FUSED_SET
static void add_trend(int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double trend, double *value, double *weight,
                      double *slope)
{
    double q[BLOCK] = {0};
    for (int start = 0; start < count; start += BLOCK) {
        int part = count - start < BLOCK ? count - start : BLOCK;
        for (int k = 0; k < d; k += 2) {
            const double *a = points + (size_t)k * (size_t)stride + start, *b = k + 1 < d ? a + stride : a;
            add_leaning(pair_of(d, k, x, inverse_lengthscale), a, b, k == 0, part, q);
        }
        for (int i = 0; i < part; i++)
            value[start + i] = (1.0 - trend) * value[start + i] + trend * q[i] * q[i];
        for (int i = 0; weight && i < part; i++) {
            weight[start + i] *= 1.0 - trend;
            slope[start + i] = 2.0 * trend * q[i];
        }
    }
}

FOR_EACH_FUSED_SET
static void add_pair(pair c, const double *restrict x, const double *restrict y, int first, int count,
                     double *restrict r2, double *restrict q)
{
    for (int i = 0; i < count; i++) {
        r2[i] = add_squares_of(c, x[i], y[i], first ? 0.0 : r2[i]);
        q[i] = add_leaning_of(c, x[i], y[i], first ? 1.0 : q[i]);
    }
}

/* With the last pair also what is made of the sums; value holds the squares so far. There is but
 * one way to fuse this, so that values with slopes are those without: (1 - trend) * exp + trend * q
 * * q would have two. */
FOR_EACH_FUSED_SET
static void finish_values(pair c, const double *restrict x, const double *restrict y, int first, int count,
                          double trend, const double *restrict sum, double *restrict value)
{
    for (int i = 0; i < count; i++) {
        double r2 = add_squares_of(c, x[i], y[i], first ? 0.0 : value[i]);
        double q = add_leaning_of(c, x[i], y[i], first ? 1.0 : sum[i]);
        double without = exponential(-0.5 * r2), part = without - trend * without;
        value[i] = part + trend * q * q;
    }
}

FOR_EACH_FUSED_SET
static void finish_slopes(pair c, const double *restrict x, const double *restrict y, int first, int count,
                          double trend, const double *restrict sum, double *restrict value,
                          double *restrict weight, double *restrict slope)
{
    for (int i = 0; i < count; i++) {
        double r2 = add_squares_of(c, x[i], y[i], first ? 0.0 : value[i]);
        double q = add_leaning_of(c, x[i], y[i], first ? 1.0 : sum[i]);
        double without = exponential(-0.5 * r2), part = without - trend * without;
        weight[i] = part;
        value[i] = part + trend * q * q;
        slope[i] = 2.0 * trend * q;
    }
}

/* Squared exponential with a trend, all in as few passes as there are pairs of coordinates. */
static void correlate_together(int d, int count, const double *x, const double *points, int stride,
                               const double *inverse_lengthscale, double trend, double *value, double *weight,
                               double *slope)
{
    double q[BLOCK];
    for (int start = 0; start < count; start += BLOCK) {
        int part = count - start < BLOCK ? count - start : BLOCK;
        for (int k = 0; k < d; k += 2) {
            const double *a = points + (size_t)k * (size_t)stride + start, *b = k + 1 < d ? a + stride : a;
            pair c = pair_of(d, k, x, inverse_lengthscale);
            if (k + 2 < d)
                add_pair(c, a, b, k == 0, part, value + start, q);
            else if (weight)
                finish_slopes(c, a, b, k == 0, part, trend, q, value + start, weight + start, slope + start);
            else
                finish_values(c, a, b, k == 0, part, trend, q, value + start);
        }
    }
}

void kernel_correlate(gofh_kernel kernel, int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double trend, double *value, double *weight,
                      double *slope)
{
    if (kernel == GOFH_KERNEL_SQUARED_EXPONENTIAL && trend > 0.0) {
        correlate_together(d, count, x, points, stride, inverse_lengthscale, trend, value, weight, slope);
        return;
    }
    kernel_distances(d, count, x, points, stride, inverse_lengthscale, value);
    kernel_apply(kernel, value, count, value, weight);
    if (trend > 0.0) add_trend(d, count, x, points, stride, inverse_lengthscale, trend, value, weight, slope);
}

double kernel_diagonal(int d, const double *x, const double *inverse_lengthscale, double trend,
                       double *gradient)
{
    double q = 1.0;
    for (int k = 0; trend > 0.0 && k < d; k++) {
        double z = (x[k] - 0.5) * inverse_lengthscale[k];
        q += z * z;
    }
    for (int k = 0; gradient && k < d; k++)
        gradient[k] = 4.0 * trend * q * (x[k] - 0.5) * inverse_lengthscale[k] * inverse_lengthscale[k];
    return 1.0 - trend + trend * q * q;
}
