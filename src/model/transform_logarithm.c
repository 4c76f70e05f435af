/* Outputs that are above 0, by their logarithms: y is log-normal. */
#include "base/exponential.h"
#include "base/instruction_sets.h"
#include "model/transform.h"

#include <math.h>

/* The largest |z| that is inverted: beyond it squares of y would soon overflow. */
static const double LOGARITHM_MAX = 300.0;
/* Values that differ by less than this factor are as simple without their logarithms. */
static const double RATIO_MIN = 2.0;

enum { AT_ONCE = 64 };

static int fit(transform *t, const double *y, int n, int stride, double magnitude)
{
    double smallest = INFINITY, largest = 0.0;
    (void)t, (void)magnitude;
    for (int i = 0; i < n; i++) {
        double value = y[(size_t)i * (size_t)stride];
        smallest = fmin(smallest, value);
        largest = fmax(largest, value);
    }
    return smallest > 0.0 && largest >= RATIO_MIN * smallest;
}

static int contains(double y)
{
    return y > 0.0 && isfinite(y);
}

static double forward(const transform *t, double y)
{
    (void)t;
    return log(y);
}

static double inverse(const transform *t, double z)
{
    (void)t;
    return exp(fmin(fmax(z, -LOGARITHM_MAX), LOGARITHM_MAX));
}

static double difference(const transform *t, double y, double more)
{
    (void)t;
    return log1p(more / y);
}

static double log_jacobian(const transform *t, double y)
{
    (void)t;
    return -log(y);
}

FOR_EACH_INSTRUCTION_SET
static void exponentiate(double *z, size_t step, int count)
{
    double part[AT_ONCE];
    for (int start = 0; start < count; start += AT_ONCE) {
        int rows = count - start < AT_ONCE ? count - start : AT_ONCE;
        double *column = z + (size_t)start * step;
        for (int i = 0; i < rows; i++) part[i] = column[(size_t)i * step];
        for (int i = 0; i < rows; i++) {
            double low = part[i] > -LOGARITHM_MAX ? part[i] : -LOGARITHM_MAX;
            part[i] = exponential(low < LOGARITHM_MAX ? low : LOGARITHM_MAX);
        }
        for (int i = 0; i < rows; i++) column[(size_t)i * step] = part[i];
    }
}

static void invert(const transform *t, double *z, int stride, int count)
{
    (void)t;
    exponentiate(z, (size_t)stride, count);
}

static void slopes(const transform *t, const double *y, int stride, int count, double *slope)
{
    (void)t;
    for (int i = 0; i < count; i++) slope[i] = y[(size_t)i * (size_t)stride];
}

/* Those of the log-normal distribution (eq. 28). */
static void moments(const transform *t, double *mean, double *deviation, int d, double *mean_gradient,
                    double *deviation_gradient)
{
    double s = *deviation, squares = expm1(fmin(s * s, LOGARITHM_MAX)), root = sqrt(squares);
    double ratio_slope = squares > 0.0 ? s * (squares + 1.0) / root : 1.0;
    *mean = inverse(t, *mean + 0.5 * s * s);
    *deviation = *mean * root;
    for (int k = 0; k < d; k++) {
        double in_mean = mean_gradient[k] + s * deviation_gradient[k];
        mean_gradient[k] = *mean * in_mean;
        deviation_gradient[k] = *deviation * in_mean + *mean * ratio_slope * deviation_gradient[k];
    }
}

const transform_kind transform_logarithm = {
    .of_one = "by its logarithm",
    .of_many = "by their logarithms",
    .fit = fit,
    .contains = contains,
    .forward = forward,
    .inverse = inverse,
    .difference = difference,
    .log_jacobian = log_jacobian,
    .invert = invert,
    .slopes = slopes,
    .moments = moments,
};
