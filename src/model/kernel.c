#include "model/kernel.h"

#include "base/vector.h"

#include <math.h>
#include <stddef.h>

enum { BLOCK = 256 };

/* Beyond it vector_exp(-r) is 0, and so must the product with a power of r be, not infinity times 0. */
static const double FAR = 800.0;

static void squared_exponential(const double *r2, int count, double *value, double *weight)
{
    for (int i = 0; i < count; i++) value[i] = -0.5 * r2[i];
    vector_exp(value, count, value);
    if (weight)
        for (int i = 0; i < count; i++) weight[i] = value[i];
}

static void matern_32(const double *r2, int count, double *value, double *weight)
{
    double r[BLOCK], decay[BLOCK];
    for (int i = 0; i < count; i++) {
        double scaled = sqrt(3.0 * r2[i]);
        r[i] = scaled > FAR ? FAR : scaled;
        decay[i] = -r[i];
    }
    vector_exp(decay, count, decay);
    for (int i = 0; i < count; i++) value[i] = (1.0 + r[i]) * decay[i];
    if (weight)
        for (int i = 0; i < count; i++) weight[i] = 3.0 * decay[i];
}

static void matern_52(const double *r2, int count, double *value, double *weight)
{
    double r[BLOCK], decay[BLOCK];
    for (int i = 0; i < count; i++) {
        double scaled = sqrt(5.0 * r2[i]);
        r[i] = scaled > FAR ? FAR : scaled;
        decay[i] = -r[i];
    }
    vector_exp(decay, count, decay);
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

void kernel_distances(int d, int count, const double *x, const double *points, int stride,
                      const double *inverse_lengthscale, double *r2)
{
    for (int i = 0; i < count; i++) r2[i] = 0.0;
    for (int k = 0; k < d; k++) {
        const double *coordinate = points + (size_t)k * (size_t)stride;
        double scale = inverse_lengthscale[k], at = x[k];
        for (int i = 0; i < count; i++) {
            double difference = (at - coordinate[i]) * scale;
            r2[i] += difference * difference;
        }
    }
}
