#include "base/normal.h"

#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440;
static const double INVERSE_SQRT_TWO_PI = 0.39894228040143267794;
static const double LOG_SQRT_TWO_PI = 0.91893853320467274178;

double normal_density(double z)
{
    return INVERSE_SQRT_TWO_PI * exp(-0.5 * z * z);
}

double normal_cdf(double z)
{
    return 0.5 * erfc(-z * SQRT_HALF);
}

/* t + first/(t + (first + 1)/(t + ...)), the continued fraction that Mills' ratio is made of. It
 * starts from where the fraction would stay if its numerators grew no more, which makes it exact to
 * rounding for t >= 2.5.
 */
static double mills_fraction(double t, int first)
{
    double tail = 0.5 * (t + sqrt(t * t + 240.0));
    for (int k = 60; k >= first; k--) tail = t + (double)k / tail;
    return tail;
}

/* cdf(-t) / density(t). */
static double mills_ratio(double t)
{
    return 1.0 / mills_fraction(t, 1);
}

double normal_log_cdf(double z)
{
    /* log1p loses what little is left of 1 - cdf(-z) to the left of 0, log what is missing to 1 on
     * the right.
     */
    if (z > 0.0) return log1p(-0.5 * erfc(z * SQRT_HALF));
    if (z > -5.0) return log(normal_cdf(z));
    return -0.5 * z * z - LOG_SQRT_TWO_PI + log(mills_ratio(-z));
}

double normal_hazard_left(double z)
{
    if (z > -5.0) return normal_density(z) / normal_cdf(z);
    return 1.0 / mills_ratio(-z);
}

double normal_expected_positive(double z)
{
    if (z > -2.5) return z * normal_cdf(z) + normal_density(z);
    /* With t = -z: density(t) (1 - t M(t)), and 1 - t M = M * K where M = 1/(t + K): no
     * cancellation. */
    double t = -z, rest = 1.0 / mills_fraction(t, 2);
    return normal_density(t) * rest / (t + rest);
}

double normal_quantile(double p)
{
    if (p > 0.5) return -normal_quantile(1.0 - p);
    if (p == 0.5) return 0.0;
    /* Abramowitz and Stegun 26.2.23 (error below 4.5e-4), then Halley's iteration on log cdf to the
     * last bit.
     */
    double t = sqrt(-2.0 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int i = 0; i < 2; i++) {
        double step = (z > -5.0 ? (normal_cdf(z) - p) / normal_density(z)
                                : (normal_log_cdf(z) - log(p)) * mills_ratio(-z));
        /* The curvature of cdf is -z; of log cdf it is nearly 0 after the division by the
         * hazard. */
        z -= z > -5.0 ? step / (1.0 + 0.5 * z * step) : step;
    }
    return z;
}
