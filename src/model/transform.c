/* The list of transforms, and the first of them: none. */
#include "model/transform.h"

#include <math.h>

#define TRANSFORM_ADDRESS(name) &name,
static const transform_kind *const KINDS[] = {TRANSFORMS(TRANSFORM_ADDRESS)};

const transform_kind *transform_numbered(int number)
{
    return number >= 0 && number < TRANSFORM_COUNT ? KINDS[number] : NULL;
}

int transform_number(const transform_kind *kind)
{
    int number = 0;
    while (number < TRANSFORM_COUNT - 1 && KINDS[number] != kind) number++;
    return number;
}

static int fit(transform *t, const double *y, int n, int stride, double magnitude)
{
    (void)t, (void)y, (void)n, (void)stride, (void)magnitude;
    return 1;
}

static int contains(double y)
{
    return isfinite(y);
}

static double same(const transform *t, double value)
{
    (void)t;
    return value;
}

static double difference(const transform *t, double y, double more)
{
    (void)t, (void)y;
    return more;
}

static double log_jacobian(const transform *t, double y)
{
    (void)t, (void)y;
    return 0.0;
}

static void invert(const transform *t, double *z, int stride, int count)
{
    (void)t, (void)z, (void)stride, (void)count;
}

static void slopes(const transform *t, const double *y, int stride, int count, double *slope)
{
    (void)t, (void)y, (void)stride;
    for (int i = 0; i < count; i++) slope[i] = 1.0;
}

static void moments(const transform *t, double *mean, double *deviation, int d, double *mean_gradient,
                    double *deviation_gradient)
{
    (void)t, (void)mean, (void)deviation, (void)d, (void)mean_gradient, (void)deviation_gradient;
}

const transform_kind transform_identity = {
    .of_one = "as it is",
    .of_many = "as they are",
    .fit = fit,
    .contains = contains,
    .forward = same,
    .inverse = same,
    .difference = difference,
    .log_jacobian = log_jacobian,
    .invert = invert,
    .slopes = slopes,
    .moments = moments,
};
