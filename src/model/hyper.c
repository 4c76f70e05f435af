#include "model/hyper.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static const double LENGTHSCALE_LEAST = 1e-2, LENGTHSCALE_MOST = 1e3;
static const double NOISE_LEAST = 1e-12, NOISE_MOST = 1e2;
static const double VARIANCE_LEAST = 1e-12, VARIANCE_MOST = 1e12;
/* A likelihood is wanted smooth in theta, so it always has the same small nugget, raised only where it must
 * be. */
static const double NUGGET = 1e-12, NUGGET_MOST = 1e-6;

size_t hyper_work(int n)
{
    size_t s = (size_t)n;
    return s * s + s * (s - 1) + 5 * s + GOFH_MOST_PARAMETERS;
}

int hyper_dimension(const hyper_target *target)
{
    return target->inputs->d + (target->noise == HYPER_EXACT ? 0 : 1);
}

void hyper_bounds(const hyper_target *target, double *lower, double *upper)
{
    int d = target->inputs->d;
    for (int k = 0; k < d; k++) {
        lower[k] = log(LENGTHSCALE_LEAST);
        upper[k] = log(LENGTHSCALE_MOST);
    }
    if (target->noise == HYPER_EXACT) return;
    int relative = target->noise == HYPER_ESTIMATED;
    lower[d] = log(relative ? NOISE_LEAST : VARIANCE_LEAST);
    upper[d] = log(relative ? NOISE_MOST : VARIANCE_MOST);
}

void hyper_start(const hyper_target *target, double *theta)
{
    int d = target->inputs->d;
    for (int k = 0; k < d; k++) theta[k] = log(target->prior->lengthscale_median);
    if (target->noise == HYPER_ESTIMATED) theta[d] = log(target->prior->noise_median);
    if (target->noise == HYPER_KNOWN) theta[d] = log(target->prior->variance_scale);
    double lower[GOFH_MOST_PARAMETERS + 1], upper[GOFH_MOST_PARAMETERS + 1];
    hyper_bounds(target, lower, upper);
    for (int k = 0; k < hyper_dimension(target); k++) theta[k] = fmin(fmax(theta[k], lower[k]), upper[k]);
}

static double noise_ratio(const hyper_target *target, const double *theta)
{
    int d = target->inputs->d;
    switch (target->noise) {
    case HYPER_EXACT:
        return 0.0;
    case HYPER_ESTIMATED:
        return exp(theta[d]);
    case HYPER_KNOWN:
        return target->known_noise / exp(theta[d]);
    }
    return 0.0;
}

/* Log prior density of theta, of everything but the signal variance (eq. 6 and 8), with its gradient added.
 */
static double log_prior(const hyper_target *target, const double *theta, double *gradient)
{
    const hyper_prior *prior = target->prior;
    int d = target->inputs->d;
    double sum = 0.0;
    for (int k = 0; k < hyper_dimension(target); k++) {
        if (k == d && target->noise == HYPER_KNOWN) continue;
        double median = k < d ? prior->lengthscale_median : prior->noise_median;
        double spread = k < d ? prior->lengthscale_spread : prior->noise_spread;
        double z = (theta[k] - log(median)) / spread;
        sum -= 0.5 * z * z;
        if (gradient) gradient[k] -= z / spread;
    }
    return sum;
}

typedef struct {
    double *r, *packed, *weight, *solved_y, *solved_one, *alpha, *ones;
    double log_det, ones_sum, mean;
} evaluation;

/* R and its factor, L^-1 y, L^-1 1, and what follows from them. Returns -1 if R can't be factorised. */
static int factorise(hyper_target *target, const double *inverse_lengthscale, double noise, int weights,
                     evaluation *e)
{
    int n = target->inputs->n;
    double nugget = NUGGET;
    do {
        gp_correlations(target->inputs, target->kernel, inverse_lengthscale, e->r, n, e->packed,
                        weights ? e->weight : NULL);
        for (int i = 0; i < n; i++) e->r[(size_t)i * (size_t)(n + 1)] += noise + nugget;
        if (cholesky_factor(n, e->r, n) == 0) break;
        nugget *= 10.0;
    } while (nugget <= NUGGET_MOST);
    if (nugget > NUGGET_MOST) return -1;
    memcpy(e->solved_y, target->y, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) e->solved_one[i] = 1.0;
    solve_lower(n, e->r, n, 2, e->solved_y, n);
    e->log_det = 0.0;
    for (int i = 0; i < n; i++) e->log_det += 2.0 * log(e->r[(size_t)i * (size_t)(n + 1)]);
    e->ones_sum = dot_product(n, e->solved_one, e->solved_one);
    e->mean = dot_product(n, e->solved_one, e->solved_y) / e->ones_sum;
    for (int i = 0; i < n; i++) e->alpha[i] = e->solved_y[i] - e->mean * e->solved_one[i];
    target->quadratic = dot_product(n, e->alpha, e->alpha);
    return 0;
}

/* Adds d log likelihood / d log lengthscale and returns that in log noise ratio (eq. 10). */
static double likelihood_gradient(const hyper_target *target, const double *inverse_lengthscale, double noise,
                                  double variance, evaluation *e, double *gradient)
{
    const gp_inputs *inputs = target->inputs;
    int n = inputs->n;
    memcpy(e->ones, e->solved_one, (size_t)n * sizeof(double));
    solve_lower_transposed(n, e->r, n, 2, e->alpha, n);
    cholesky_invert(n, e->r, n);
    double trace = 0.0, *scaled = e->packed;
    const double *weight = e->weight;
    for (int j = 0; j < n; j++) {
        const double *inverse = e->r + (size_t)j * (size_t)n;
        double a = e->alpha[j] / variance, u = e->ones[j] / e->ones_sum;
        trace += e->alpha[j] * a + e->ones[j] * u - inverse[j];
        for (int i = j + 1; i < n; i++)
            *scaled++ = *weight++ * (e->alpha[i] * a + e->ones[i] * u - inverse[i]);
    }
    for (int k = 0; k < inputs->d; k++) {
        const double *x = inputs->x + (size_t)k * (size_t)inputs->capacity;
        double sum = 0.0;
        scaled = e->packed;
        for (int j = 0; j < n; j++) {
            double at = x[j], part = 0.0;
            for (int i = j + 1; i < n; i++) {
                double difference = x[i] - at;
                part += scaled[i - j - 1] * difference * difference;
            }
            sum += part;
            scaled += n - 1 - j;
        }
        gradient[k] += sum * inverse_lengthscale[k] * inverse_lengthscale[k];
    }
    return 0.5 * noise * trace;
}

double hyper_log_posterior(hyper_target *target, const double *theta, double *gradient)
{
    const hyper_prior *prior = target->prior;
    int n = target->inputs->n, d = target->inputs->d;
    size_t pairs = (size_t)n * (size_t)(n - 1) / 2;
    evaluation e = {.r = target->work};
    e.packed = e.r + (size_t)n * (size_t)n;
    e.weight = e.packed + pairs;
    e.solved_y = e.weight + pairs;
    e.solved_one = e.solved_y + n;
    e.alpha = e.solved_one + n;
    e.ones = e.alpha + n;
    double *inverse_lengthscale = e.ones + n;
    for (int k = 0; k < d; k++) inverse_lengthscale[k] = exp(-theta[k]);
    double noise = noise_ratio(target, theta);
    if (factorise(target, inverse_lengthscale, noise, gradient != NULL, &e)) return -INFINITY;

    double value = -0.5 * (e.log_det + log(e.ones_sum));
    double prior_sum = prior->variance_weight * prior->variance_scale, count = (double)(n - 1);
    double degrees = prior->variance_weight + count, squares = prior_sum + target->quadratic, variance;
    if (target->noise == HYPER_KNOWN) {
        variance = exp(theta[d]);
        value -= 0.5 * (degrees * theta[d] + squares / variance);
    } else {
        variance = squares / degrees;
        value -= 0.5 * degrees * log(squares);
    }
    if (gradient) {
        for (int k = 0; k < hyper_dimension(target); k++) gradient[k] = 0.0;
        double in_noise = likelihood_gradient(target, inverse_lengthscale, noise, variance, &e, gradient);
        if (target->noise == HYPER_ESTIMATED) gradient[d] = in_noise;
        if (target->noise == HYPER_KNOWN) gradient[d] = 0.5 * (squares / variance - degrees) - in_noise;
    }
    value += log_prior(target, theta, gradient);
    return isnan(value) ? -INFINITY : value;
}

/* One slice move of coordinate k, from a point of log density `value`; returns the new point's. */
static double slice_move(hyper_target *target, double *theta, int k, double value, double low, double high,
                         random_stream *stream)
{
    /* The bounds are all that ends the stepping out: a limit on the steps would have to be shared between the
     * sides at random, or the chain is not reversible. */
    const double width = 1.0;
    double start = theta[k], level = value + log(random_uniform(stream));
    double left = start - width * random_uniform(stream), right = left + width;
    for (; left > low; left -= width) {
        theta[k] = left;
        if (!(hyper_log_posterior(target, theta, NULL) > level)) break;
    }
    for (; right < high; right += width) {
        theta[k] = right;
        if (!(hyper_log_posterior(target, theta, NULL) > level)) break;
    }
    left = fmax(left, low);
    right = fmin(right, high);
    for (int i = 0; i < 64; i++) {
        theta[k] = left + (right - left) * random_uniform(stream);
        double here = hyper_log_posterior(target, theta, NULL);
        if (here > level) return here;
        if (theta[k] < start)
            left = theta[k];
        else
            right = theta[k];
    }
    theta[k] = start; /* only where the density is flat to rounding */
    return value;
}

void hyper_sample(hyper_target *target, double *theta, int sweeps, random_stream *stream)
{
    double lower[GOFH_MOST_PARAMETERS + 1], upper[GOFH_MOST_PARAMETERS + 1];
    hyper_bounds(target, lower, upper);
    double value = hyper_log_posterior(target, theta, NULL);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int k = 0; k < hyper_dimension(target); k++)
            value = slice_move(target, theta, k, value, lower[k], upper[k], stream);
}

void hyper_resolve(hyper_target *target, const double *theta, random_stream *stream, gp_hyper *hyper)
{
    const hyper_prior *prior = target->prior;
    int d = target->inputs->d;
    for (int k = 0; k < d; k++) hyper->inverse_lengthscale[k] = exp(-theta[k]);
    hyper->noise = noise_ratio(target, theta);
    hyper->mean = NAN;
    if (target->noise == HYPER_KNOWN) {
        hyper->variance = exp(theta[d]);
        return;
    }
    double degrees = prior->variance_weight + (double)(target->inputs->n - 1);
    double squares = prior->variance_weight * prior->variance_scale;
    if (isfinite(hyper_log_posterior(target, theta, NULL))) squares += target->quadratic;
    double variance = stream ? 0.5 * squares / random_gamma(stream, 0.5 * degrees) : squares / degrees;
    /* With few data and a weak prior the tail of its posterior reaches beyond all doubles. */
    hyper->variance = fmin(fmax(variance, VARIANCE_LEAST), VARIANCE_MOST);
}
