/* Outputs over many decades and of both signs, by asinh(y / s): linear up to the size s that values have
 * where f is good, logarithmic beyond. */
#include "base/exponential.h"
#include "base/instruction_sets.h"
#include "model/transform.h"

#include <math.h>

/* The largest |z| that is inverted: beyond it squares of y would soon overflow. */
static const double ASINH_MAX = 300.0;
/* Of the largest value to s: what spans less is as simple as it is. */
static const double RATIO_MIN = 30.0;

enum { AT_ONCE = 64 };

static int fit(transform *t, const double *y, int n, int stride, double magnitude)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(y[(size_t)i * (size_t)stride]));
    t->parameter = magnitude;
    return magnitude > 0.0 && largest >= RATIO_MIN * magnitude && largest / magnitude < INFINITY;
}

static int contains(double y)
{
    return isfinite(y);
}

static double forward(const transform *t, double y)
{
    return asinh(y / t->parameter);
}

static double clamp(double z)
{
    return fmin(fmax(z, -ASINH_MAX), ASINH_MAX);
}

static double inverse(const transform *t, double z)
{
    return t->parameter * sinh(clamp(z));
}

static double difference(const transform *t, double y, double more)
{
    double a = y / t->parameter, b = (y + more) / t->parameter;
    if (!(a * b > 0.0)) return asinh(b) - asinh(a);
    double sum = b * sqrt(1.0 + a * a) + a * sqrt(1.0 + b * b);
    double within = more / t->parameter * ((b + a) / sum);
    return isfinite(within) ? asinh(within) : asinh(b) - asinh(a);
}

static double log_jacobian(const transform *t, double y)
{
    return -log(hypot(y, t->parameter));
}

/* sinh(z) for loops: by its series up to 1, where the difference of exponentials would cancel. */
static inline double hyperbolic_sine(double z)
{
    double square = z * z < 1.0 ? z * z : 1.0, series = 1.0;
    for (int k = 18; k > 0; k -= 2) series = 1.0 + series * square / (k * (k + 1.0));
    double grown = exponential(z), shrunk = exponential(-z);
    return fabs(z) < 1.0 ? z * series : 0.5 * (grown - shrunk);
}

FOR_EACH_INSTRUCTION_SET
static void invert_column(double scale, double *z, size_t step, int count)
{
    double part[AT_ONCE];
    for (int start = 0; start < count; start += AT_ONCE) {
        int rows = count - start < AT_ONCE ? count - start : AT_ONCE;
        double *column = z + (size_t)start * step;
        for (int i = 0; i < rows; i++) part[i] = column[(size_t)i * step];
        for (int i = 0; i < rows; i++) {
            double low = part[i] > -ASINH_MAX ? part[i] : -ASINH_MAX;
            part[i] = scale * hyperbolic_sine(low < ASINH_MAX ? low : ASINH_MAX);
        }
        for (int i = 0; i < rows; i++) column[(size_t)i * step] = part[i];
    }
}

static void invert(const transform *t, double *z, int stride, int count)
{
    invert_column(t->parameter, z, (size_t)stride, count);
}

static void slopes(const transform *t, const double *y, int stride, int count, double *slope)
{
    for (int i = 0; i < count; i++) slope[i] = hypot(y[(size_t)i * (size_t)stride], t->parameter);
}

/* E[y] = s e^(v/2) sinh m and Var[y] = s^2/2 (e^v - 1)(e^v cosh 2m + 1) of z ~ N(m, v). */
static void moments(const transform *t, double *mean, double *deviation, int d, double *mean_gradient,
                    double *deviation_gradient)
{
    double s = t->parameter, sigma = *deviation, v = fmin(sigma * sigma, 0.5 * ASINH_MAX);
    double m = fmin(fmax(*mean, -0.5 * ASINH_MAX), 0.5 * ASINH_MAX), root = exp(0.5 * v);
    double grown = exp(v), less = expm1(v), wide = grown * cosh(2.0 * m) + 1.0;
    double of_y = s * sqrt(0.5 * less) * sqrt(wide);
    double mean_in_m = s * root * cosh(m), mean_in_sigma = sigma * s * root * sinh(m);
    double in_m = of_y > 0.0 ? of_y * grown * sinh(2.0 * m) / wide : 0.0;
    double in_sigma = of_y > 0.0 ? of_y * sigma * grown * (1.0 / less + cosh(2.0 * m) / wide) : s * cosh(m);
    *mean = s * root * sinh(m);
    *deviation = of_y;
    for (int k = 0; k < d; k++) {
        double dm = mean_gradient[k], ds = deviation_gradient[k];
        mean_gradient[k] = mean_in_m * dm + mean_in_sigma * ds;
        deviation_gradient[k] = in_m * dm + in_sigma * ds;
    }
}

const transform_kind transform_asinh = {
    .of_one = "by its inverse hyperbolic sine",
    .of_many = "by their inverse hyperbolic sines",
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
