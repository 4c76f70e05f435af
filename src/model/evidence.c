#include "linalg/linalg.h"
#include "model/hyper.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double STEP = 1e-2;       /* in theta, for second derivatives */
static const double NOISE_NONE = 1e-9; /* below it the likelihood no longer depends on the noise */

/* The standard deviation of coordinate k of theta under its prior. */
static double prior_deviation(const hyper_target *target, int k)
{
    double mean, deviation;
    hyper_prior_of(target, k, &mean, &deviation);
    return deviation;
}

/* Whether coordinate k is a noise with the exponential prior. */
static int is_exponential(const hyper_target *target, int k)
{
    return target->prior->noise_rate > 0.0 && k == target->inputs->d + (target->trend ? 1 : 0);
}

/* Minus the second derivatives in the `count` coordinates `of`, by differences of gradients,
 * symmetric. */
static void find_curvature(hyper_target *target, double *theta, int count, const int *of, double *curvature)
{
    double after[HYPER_MAX], before[HYPER_MAX];
    for (int a = 0; a < count; a++) {
        double middle = theta[of[a]];
        theta[of[a]] = middle + STEP;
        hyper_log_posterior(target, theta, after);
        theta[of[a]] = middle - STEP;
        hyper_log_posterior(target, theta, before);
        theta[of[a]] = middle;
        for (int b = 0; b < count; b++)
            curvature[a * count + b] = (before[of[b]] - after[of[b]]) / (2.0 * STEP);
    }
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            curvature[a * count + b] = curvature[b * count + a] = 0.5 * (curvature[a * count + b] +
                                                                         curvature[b * count + a]);
}

/* The logarithm of the determinant of the curvature. Where it is not positive definite, that of its
 * diagonal, whose elements are at least those of the prior. */
static double log_determinant(const hyper_target *target, int count, const int *of, double *curvature)
{
    double diagonal[HYPER_MAX], sum = 0.0;
    for (int a = 0; a < count; a++) diagonal[a] = curvature[a * (count + 1)];
    int failed = cholesky_factor(count, curvature, count);
    for (int a = 0; a < count; a++) {
        double deviation = prior_deviation(target, of[a]), least = 1.0 / (deviation * deviation);
        sum += failed ? log(fmax(diagonal[a], least)) : 2.0 * log(curvature[a * (count + 1)]);
    }
    return sum;
}

double hyper_log_evidence(hyper_target *target, double *theta)
{
    int dimension = hyper_dimension(target), count = 0, of[HYPER_MAX];
    double lower[HYPER_MAX], upper[HYPER_MAX], gradient[HYPER_MAX];
    double curvature[HYPER_MAX * HYPER_MAX];
    double value = hyper_log_posterior(target, theta, gradient);
    if (!isfinite(value)) return value;
    hyper_bounds(target, lower, upper);
    /* A line may be read from either end: there are as many maxima, all alike. */
    if (target->latent) value += target->latent->count * log(2.0);
    for (int k = 0; k < dimension; k++) {
        double deviation = prior_deviation(target, k), rate = target->prior->noise_rate;
        int inside = theta[k] - lower[k] > STEP && upper[k] - theta[k] > STEP;
        if (is_exponential(target, k)) {
            value += log(rate) + rate * lower[k];
            if (theta[k] < log(NOISE_NONE)) /* at the floor the density falls exponentially */
                value -= log(fmax(-gradient[k], rate));
            else
                of[count++] = k;
        } else if (inside) {
            value -= log(deviation * sqrt(2.0 * PI));
            of[count++] = k;
        }
    }
    find_curvature(target, theta, count, of, curvature);
    return value + 0.5 * count * log(2.0 * PI) - 0.5 * log_determinant(target, count, of, curvature);
}
