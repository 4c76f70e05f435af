#include "model/hyper.h"

#include "base/instruction_sets.h"
#include "base/vector.h"
#include "linalg/linalg.h"
#include "model/kernel.h"
#include "model/quick.h"

#include <math.h>
#include <string.h>

static const double LENGTHSCALE_MIN = 1e-2, LENGTHSCALE_MAX = 1e3;
static const double PLACE_MAX = 20.0; /* in lengthscales */
static const double NOISE_MIN = 1e-12, NOISE_MAX = 1e2;
static const double TREND_MAX = 14.0; /* logit */
static const double VARIANCE_MIN = 1e-12, VARIANCE_MAX = 1e12;
/* The likelihood must be smooth in theta, so its nugget is always the same, raised only where it
 * must be. */
static const double NUGGET = 1e-12, NUGGET_MAX = 1e-6;

size_t hyper_work(int n, int others)
{
    size_t s = (size_t)n, more = (size_t)others;
    return s * s + 3 * (s * (s - 1) / 2) + 6 * s + 2 * s * more + more + 1 + GOFH_MAX_PARAMETERS +
           (n <= QUICK_DATA ? quick_work(n) : 0) + s * GOFH_MAX_PARAMETERS;
}

/* The index in theta of the noise's coordinate, if there is one. */
static int noise_place(const hyper_target *target)
{
    return target->inputs->d + (target->trend ? 1 : 0);
}

int hyper_dimension(const hyper_target *target)
{
    return noise_place(target) + (target->noise == HYPER_EXACT ? 0 : 1);
}

/* Parameters that have places. */
static int place_count(const hyper_target *target)
{
    return target->latent ? target->latent->count : 0;
}

void hyper_bounds(const hyper_target *target, double *lower, double *upper)
{
    int d = target->inputs->d;
    for (int k = 0; k < d; k++) {
        lower[k] = log(LENGTHSCALE_MIN);
        upper[k] = log(LENGTHSCALE_MAX);
    }
    for (int i = 0; i < place_count(target); i++)
        for (int k = 0; k < target->latent->of[i].width; k++) {
            lower[target->latent->of[i].first + k] = -PLACE_MAX;
            upper[target->latent->of[i].first + k] = PLACE_MAX;
        }
    if (target->trend) {
        lower[d] = -TREND_MAX;
        upper[d] = TREND_MAX;
    }
    d = noise_place(target);
    if (target->noise == HYPER_ESTIMATED) {
        lower[d] = log(NOISE_MIN);
        upper[d] = log(NOISE_MAX);
    } else if (target->noise == HYPER_KNOWN) {
        lower[d] = log(VARIANCE_MIN);
        upper[d] = log(VARIANCE_MAX);
    }
}

/* The standard deviation of places: two of them are then as far from each other, in the mean square, as
 * two choices with the median of the lengthscales are. */
static double place_deviation(const hyper_prior *prior)
{
    return sqrt(0.5) / prior->lengthscale_median;
}

void hyper_prior_of(const hyper_target *target, int k, double *mean, double *deviation)
{
    const hyper_prior *prior = target->prior;
    int d = target->inputs->d, last = noise_place(target);
    *mean = k < d ? log(prior->lengthscale_median) : k < last ? 0.0 : log(prior->noise_median);
    *deviation = k < d ? prior->lengthscale_spread : k < last ? prior->trend_spread : prior->noise_spread;
    for (int i = 0; i < place_count(target); i++) {
        int first = target->latent->of[i].first, width = target->latent->of[i].width;
        if (k < first || k >= first + width) continue;
        *mean = 0.0;
        *deviation = place_deviation(prior);
    }
}

/* The means of y at the choices of one parameter, with the deviation of places. A choice without data is
 * in the middle. */
static void places_of_means(const hyper_target *target, int i, double *places)
{
    const gp_inputs *inputs = target->inputs;
    int width = target->latent->of[i].width, count[GOFH_MAX_PARAMETERS] = {0};
    double squares = 0.0;
    for (int k = 0; k < width; k++) places[k] = 0.0;
    for (int j = 0; j < inputs->n; j++) {
        int level = latent_level(target->latent, i, inputs->x + j, inputs->capacity);
        places[level] += target->y[j];
        count[level]++;
    }
    for (int k = 0; k < width; k++) {
        places[k] /= count[k] > 0 ? count[k] : 1;
        squares += places[k] * places[k] / width;
    }
    double scale = squares > 0.0 ? place_deviation(target->prior) / sqrt(squares) : 0.0;
    for (int k = 0; k < width; k++) places[k] *= scale;
}

void hyper_scatter_places(const hyper_target *target, random_stream *stream, double *theta)
{
    for (int i = 0; i < place_count(target); i++)
        for (int k = 0; k < target->latent->of[i].width; k++)
            theta[target->latent->of[i].first + k] = place_deviation(target->prior) * random_normal(stream);
}

void hyper_start(const hyper_target *target, double *theta)
{
    int d = target->inputs->d;
    for (int k = 0; k < d; k++) theta[k] = log(target->prior->lengthscale_median);
    for (int i = 0; i < place_count(target); i++)
        places_of_means(target, i, theta + target->latent->of[i].first);
    if (target->trend) theta[d] = 0.0;
    d = noise_place(target);
    if (target->noise == HYPER_ESTIMATED) theta[d] = log(target->prior->noise_median);
    /* A prior this weak says nothing of the order of magnitude either: outputs are standardised. */
    if (target->noise == HYPER_KNOWN) theta[d] = log(fmax(target->prior->variance_scale, 1.0));
    double lower[HYPER_MAX] = {0}, upper[HYPER_MAX] = {0};
    hyper_bounds(target, lower, upper);
    for (int k = 0; k < hyper_dimension(target); k++) theta[k] = fmin(fmax(theta[k], lower[k]), upper[k]);
}

static double trend_share(const hyper_target *target, const double *theta)
{
    return target->trend ? 1.0 / (1.0 + exp(-theta[target->inputs->d])) : 0.0;
}

static double noise_ratio(const hyper_target *target, const double *theta)
{
    int d = noise_place(target);
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

void hyper_theta_of(const hyper_target *target, const double *kept, double *theta)
{
    for (int k = 0; k < target->inputs->d; k++) theta[k] = -log(kept[k]);
    for (int i = 0; i < place_count(target); i++)
        for (int k = 0; k < target->latent->of[i].width; k++)
            theta[target->latent->of[i].first + k] = latent_place(target->latent, i, kept, k);
}

/* The inverse. */
static void keep_theta(const hyper_target *target, const double *theta, gp_hyper *hyper)
{
    hyper->latent = target->latent;
    for (int k = 0; k < target->inputs->d; k++) hyper->inverse_lengthscale[k] = exp(-theta[k]);
    for (int i = 0; i < place_count(target); i++)
        latent_keep(target->latent, i, theta + target->latent->of[i].first, hyper->inverse_lengthscale);
}

/* Log prior density of theta, of everything but the signal variance (eq. 6, 8 and 25), with its
 * gradient added. */
static double log_prior(const hyper_target *target, const double *theta, double *gradient)
{
    const hyper_prior *prior = target->prior;
    int last = noise_place(target);
    double sum = 0.0;
    for (int k = 0; k < hyper_dimension(target); k++) {
        if (k == last && target->noise == HYPER_KNOWN) continue;
        if (k == last && prior->noise_rate > 0.0) {
            sum -= prior->noise_rate * theta[k];
            if (gradient) gradient[k] -= prior->noise_rate;
            continue;
        }
        double centre, deviation;
        hyper_prior_of(target, k, &centre, &deviation);
        double z = (theta[k] - centre) / deviation;
        sum -= 0.5 * z * z;
        if (gradient) gradient[k] -= z / deviation;
    }
    return sum;
}

typedef struct {
    gp_inputs inputs; /* as the kernel sees them */
    double *r, *packed, *weight, *slope, *solved_y, *solved_one, *alpha, *ones, *trace;
    double *room; /* of quick_factorise */
    /* Outputs: the sum that each variance is a part of */
    double *squares;
    double diagonal, noise, log_det, ones_sum; /* noise: the nugget is part of it */
    /* Gradient in the mean of the diagonal, of what is not in R */
    double in_diagonal;
    double noise_trace; /* sum over the data of their noise M_ii */
} evaluation;

/* Whether factorise_quickly will do. */
static int is_quick(const hyper_target *target)
{
    return target->differences && target->inputs->n <= QUICK_DATA && !target->trend && !target->others &&
           !target->own_noise && !target->latent;
}

/* Of one datum, relative to the variance of the signal as hyper->noise is. */
static double own_ratio(const hyper_target *target, const gp_hyper *hyper, int i)
{
    return hyper->noise * (target->own_noise[i] / target->known_noise);
}

/* Only log_det, ones_sum and squares. Returns -1 if R can't be factorised. */
static int factorise_quickly(const hyper_target *target, const gp_hyper *hyper, evaluation *e)
{
    const hyper_prior *prior = target->prior;
    quick_terms terms;
    quick_correlations(target->inputs, target->kernel, target->differences, hyper->inverse_lengthscale,
                       e->packed);
    for (double nugget = NUGGET; nugget <= NUGGET_MAX; nugget *= 10.0) {
        if (quick_factorise(target->inputs->n, e->packed, hyper->noise + nugget, target->y, &terms, e->room))
            continue;
        e->diagonal = 1.0;
        e->log_det = terms.log_det;
        e->ones_sum = terms.ones_sum;
        e->squares[0] = prior->variance_weight * prior->variance_scale + terms.squares;
        return 0;
    }
    return -1;
}

/* R and its factor, L^-1 y, L^-1 1, and what follows from them. Returns -1 if R can't be
 * factorised. */
static int factorise(const hyper_target *target, const gp_hyper *hyper, int weights, evaluation *e)
{
    int n = target->inputs->n;
    double nugget = NUGGET;
    do {
        e->diagonal = gp_correlations(&e->inputs, target->kernel, hyper, e->r, n, e->packed,
                                      weights ? e->weight : NULL, weights ? e->slope : NULL);
        e->noise = hyper->noise + nugget;
        for (int i = 0; i < n; i++)
            e->r[(size_t)i * (size_t)(n + 1)] += (target->own_noise ? own_ratio(target, hyper, i) + nugget
                                                                    : e->noise) *
                                                 e->diagonal;
        if (cholesky_factor(n, e->r, n) == 0) break;
        nugget *= 10.0;
    } while (nugget <= NUGGET_MAX);
    if (nugget > NUGGET_MAX) return -1;
    int outputs = 1 + target->others;
    memcpy(e->solved_y, target->y, (size_t)outputs * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) e->solved_one[i] = 1.0;
    solve_lower(n, e->r, n, outputs + 1, e->solved_y, n);
    e->log_det = 0.0;
    for (int i = 0; i < n; i++) e->log_det += 2.0 * log(e->r[(size_t)i * (size_t)(n + 1)]);
    e->ones_sum = dot_product(n, e->solved_one, e->solved_one);
    const hyper_prior *prior = target->prior;
    for (int j = 0; j < outputs; j++) {
        const double *y = e->solved_y + (size_t)j * (size_t)n;
        double *alpha = e->alpha + (size_t)j * (size_t)n,
               mean = dot_product(n, e->solved_one, y) / e->ones_sum;
        for (int i = 0; i < n; i++) alpha[i] = y[i] - mean * e->solved_one[i];
        e->squares[j] = prior->variance_weight * prior->variance_scale + dot_product(n, alpha, alpha);
    }
    return 0;
}

/* sum over pairs i > j of scaled_ij times a product of the k-th coordinates: their squared
 * difference, or where `lean` the product of their distances to the centre. */
static double pair_sum(const gp_inputs *inputs, int k, const double *scaled, int lean)
{
    int n = inputs->n;
    const double *x = inputs->x + (size_t)k * (size_t)inputs->capacity;
    double sum = 0.0;
    for (int j = 0; j < n; scaled += n - 1 - j++) {
        int count = n - 1 - j;
        sum += lean ? vector_weighted_difference(scaled, 0.5, x + j + 1, count) * (0.5 - x[j])
                    : vector_weighted_squares(scaled, x[j], x + j + 1, count);
    }
    return sum;
}

/* The derivative in the logit of the trend's share through the pairs. adjoint: M_ij, which is then
 * multiplied by the slopes. packed: the correlations, which are lost. */
FOR_EACH_INSTRUCTION_SET
static double adjoint_of_share(size_t pairs, double share, const double *slope, double *packed,
                               double *adjoint)
{
    double half = 1.0 / (2.0 * share);
    for (size_t i = 0; i < pairs; i++) {
        double root = slope[i] * half;
        packed[i] = root * root - packed[i];
    }
    double sum = share * vector_dot(adjoint, packed, (int)pairs);
    for (size_t i = 0; i < pairs; i++) adjoint[i] *= slope[i];
    return sum;
}

/* What datum i has to do with the mean of the diagonal, and with its own element of it. */
static double diagonal_weight(const evaluation *e, int n, int i)
{
    /* M_ii itself, and what the mean of the diagonal adds to all of them through noise and
     * variance. */
    return 0.5 * (e->trace[i] + e->noise_trace / n) + e->in_diagonal / n;
}

/* The part of the gradient that the trend adds: through the pairs, the diagonal, and the noise,
 * which is relative to the diagonal's mean (eq. 25). adjoint: M_ij packed; e->trace: M_ii. share:
 * of the trend. */
static void trend_gradient(const gp_inputs *inputs, const gp_hyper *hyper, const evaluation *e,
                           double *adjoint, double *gradient)
{
    int n = inputs->n, d = inputs->d;
    size_t pairs = (size_t)n * (size_t)(n - 1) / 2;
    double share = hyper->trend;
    double in_share = adjoint_of_share(pairs, share, e->slope, e->packed, adjoint);
    for (int k = 0; k < d; k++) {
        double scale = hyper->inverse_lengthscale[k];
        gradient[k] -= 2.0 * scale * scale * pair_sum(inputs, k, adjoint, 1);
    }
    for (int i = 0; i < n; i++) {
        double weight = diagonal_weight(e, n, i), root = 1.0;
        for (int k = 0; k < d; k++) {
            double z = (inputs->x[(size_t)k * (size_t)inputs->capacity + (size_t)i] - 0.5) *
                       hyper->inverse_lengthscale[k];
            root += z * z;
        }
        for (int k = 0; k < d; k++) {
            double z = (inputs->x[(size_t)k * (size_t)inputs->capacity + (size_t)i] - 0.5) *
                       hyper->inverse_lengthscale[k];
            gradient[k] -= weight * 4.0 * share * root * z * z;
        }
        in_share += weight * share * (1.0 - share) * (root * root - 1.0);
    }
    gradient[d] += in_share;
}

/* d log likelihood / d place of each datum on the line of one coordinate, whose scale is 1 (eq. 10a).
 * e->weight: M_ij times the kernel's weights; lean: M_ij times the trend's slopes, NULL without one. */
static void gradient_on_line(const gp_inputs *inputs, const gp_hyper *hyper, const evaluation *e, int k,
                             const double *lean, double *gradient)
{
    int n = inputs->n;
    const double *x = inputs->x + (size_t)k * (size_t)inputs->capacity, *weight = e->weight;
    for (int i = 0; i < n; i++) gradient[i] = 0.0;
    for (int j = 0; j < n; weight += n - 1 - j, lean += lean ? n - 1 - j : 0, j++)
        for (int i = j + 1; i < n; i++) {
            double pull = weight[i - j - 1] * (x[i] - x[j]);
            gradient[i] -= pull;
            gradient[j] += pull;
            if (!lean) continue;
            gradient[i] += lean[i - j - 1] * (x[j] - 0.5);
            gradient[j] += lean[i - j - 1] * (x[i] - 0.5);
        }
    for (int i = 0; lean && i < n; i++) {
        double at[GOFH_MAX_PARAMETERS], slope[GOFH_MAX_PARAMETERS];
        for (int c = 0; c < inputs->d; c++)
            at[c] = inputs->x[(size_t)c * (size_t)inputs->capacity + (size_t)i];
        kernel_diagonal(inputs->d, at, hyper->inverse_lengthscale, hyper->trend, slope);
        gradient[i] += diagonal_weight(e, n, i) * slope[k];
    }
}

/* The gradient in the places, where that in lengthscales would be. */
static void place_gradient(const hyper_target *target, const gp_hyper *hyper, const evaluation *e,
                           double *gradient)
{
    const gp_inputs *inputs = target->inputs;
    for (int i = 0; i < place_count(target); i++) {
        int first = target->latent->of[i].first, width = target->latent->of[i].width;
        double total = 0.0;
        gradient_on_line(&e->inputs, hyper, e, first, target->trend ? e->r : NULL, e->alpha);
        for (int k = 0; k < width; k++) gradient[first + k] = 0.0;
        for (int j = 0; j < inputs->n; j++) {
            int level = latent_level(target->latent, i, inputs->x + j, inputs->capacity);
            gradient[first + level] += e->alpha[j];
            total += e->alpha[j];
        }
        /* Only differences of places count. */
        for (int k = 0; k < width; k++) gradient[first + k] -= total / width;
    }
}

/* Replaces the lower triangle of R^-1 by that of (1 + others) R^-1 - sum_j alpha_j alpha_j' /
 * variance_j, over all but the first output, minus `others` times what their means take. What
 * follows as if for the first output by itself then holds for all. */
static void add_others(const hyper_target *target, double degrees, evaluation *e)
{
    int n = target->inputs->n, others = target->others;
    double *scaled = e->solved_y; /* others x n, no longer needed as it was */
    for (int j = 0; j < others; j++) {
        double root = sqrt(degrees / e->squares[j + 1]);
        for (int i = 0; i < n; i++)
            scaled[(size_t)i * (size_t)others + (size_t)j] =
                root * e->alpha[(size_t)(j + 1) * (size_t)n + (size_t)i];
    }
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double *entry = e->r + (size_t)j * (size_t)n + (size_t)i;
            *entry = (1 + others) * *entry - others * e->ones[i] * e->ones[j] / e->ones_sum;
        }
    subtract_gram(others, n, scaled, others, e->r, n);
}

/* M = alpha alpha' / variance + ones ones' / ones_sum - R^-1: below the diagonal in place of R^-1,
 * packed, and the weights multiplied by it. Returns its trace. */
FOR_EACH_INSTRUCTION_SET
static double find_adjoint(int n, double variance, evaluation *e)
{
    double total = 0.0, *adjoint = e->r, *weight = e->weight;
    for (int j = 0; j < n; adjoint += n - 1 - j, weight += n - 1 - j, j++) {
        const double *inverse = e->r + (size_t)j * (size_t)(n + 1);
        const double *alpha = e->alpha + j, *ones = e->ones + j;
        double a = alpha[0] / variance, u = ones[0] / e->ones_sum;
        e->trace[j] = alpha[0] * a + ones[0] * u - inverse[0];
        total += e->trace[j];
        for (int i = 0; i < n - 1 - j; i++) adjoint[i] = alpha[i + 1] * a + ones[i + 1] * u - inverse[i + 1];
        for (int i = 0; i < n - 1 - j; i++) weight[i] *= adjoint[i];
    }
    return total;
}

/* Adds d log likelihood / d log lengthscale and d logit trend, and returns that in log noise ratio
 * (eq. 10). */
static double likelihood_gradient(const hyper_target *target, const gp_hyper *hyper, double variance,
                                  double degrees, evaluation *e, double *gradient)
{
    const gp_inputs *inputs = &e->inputs;
    int n = inputs->n;
    memcpy(e->ones, e->solved_one, (size_t)n * sizeof(double));
    solve_lower_transposed(n, e->r, n, 2 + target->others, e->alpha, n);
    cholesky_invert(n, e->r, n);
    if (target->others) add_others(target, degrees, e);
    double total = find_adjoint(n, variance, e);
    for (int k = 0; k < inputs->d; k++) {
        double scale = hyper->inverse_lengthscale[k];
        gradient[k] += scale * scale * pair_sum(inputs, k, e->weight, 0);
    }
    double in_noise = 0.5 * hyper->noise * e->diagonal * total;
    e->noise_trace = e->noise * total;
    if (target->own_noise) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += own_ratio(target, hyper, i) * e->trace[i];
        in_noise = 0.5 * e->diagonal * sum;
        e->noise_trace = sum + (e->noise - hyper->noise) * total;
    }
    if (target->trend) trend_gradient(inputs, hyper, e, e->r, gradient);
    place_gradient(target, hyper, e, gradient);
    return in_noise;
}

double hyper_log_posterior(hyper_target *target, const double *theta, double *gradient)
{
    const hyper_prior *prior = target->prior;
    int n = target->inputs->n, d = target->inputs->d;
    size_t pairs = (size_t)n * (size_t)(n - 1) / 2;
    evaluation e = {.inputs = *target->inputs, .r = target->work};
    e.packed = e.r + (size_t)n * (size_t)n;
    e.weight = e.packed + pairs;
    e.slope = e.weight + pairs;
    size_t all = (size_t)(1 + target->others) * (size_t)n;
    e.solved_y = e.slope + pairs;
    e.solved_one = e.solved_y + all;
    e.alpha = e.solved_one + n;
    e.ones = e.alpha + all;
    e.trace = e.ones + n;
    e.squares = target->squares = e.trace + n;
    gp_hyper hyper = {.inverse_lengthscale = e.squares + 1 + target->others};
    e.room = hyper.inverse_lengthscale + GOFH_MAX_PARAMETERS;
    keep_theta(target, theta, &hyper);
    if (target->latent) {
        e.inputs.x = e.room + (n <= QUICK_DATA ? quick_work(n) : 0);
        e.inputs.capacity = n;
        latent_see_all(target->latent, hyper.inverse_lengthscale, d, n, target->inputs->x,
                       target->inputs->capacity, e.inputs.x, n);
    }
    hyper.trend = trend_share(target, theta);
    hyper.noise = noise_ratio(target, theta);
    target->diagonal = 1.0;
    if (!gradient && is_quick(target) ? factorise_quickly(target, &hyper, &e)
                                      : factorise(target, &hyper, gradient != NULL, &e))
        return -INFINITY;
    target->diagonal = e.diagonal;
    d = noise_place(target);

    double value = -0.5 * (e.log_det + log(e.ones_sum));
    double degrees = prior->variance_weight + (double)(n - 1), squares = e.squares[0], variance;
    if (target->noise == HYPER_KNOWN) {
        /* theta holds the average variance of the signal, and the known noise is relative to
         * that. */
        variance = exp(theta[d]) / e.diagonal;
        value -= 0.5 * (degrees * log(variance) + squares / variance);
        e.in_diagonal = 0.5 * (degrees - squares / variance) / e.diagonal;
    } else {
        variance = squares / degrees;
        value -= 0.5 * degrees * log(squares);
        for (int j = 1; j <= target->others; j++)
            value -= 0.5 * (e.log_det + log(e.ones_sum) + degrees * log(e.squares[j]));
    }
    if (gradient) {
        for (int k = 0; k < hyper_dimension(target); k++) gradient[k] = 0.0;
        double in_noise = likelihood_gradient(target, &hyper, variance, degrees, &e, gradient);
        if (target->noise == HYPER_ESTIMATED) gradient[d] = in_noise;
        if (target->noise == HYPER_KNOWN) gradient[d] = 0.5 * (squares / variance - degrees) - in_noise;
    }
    value += log_prior(target, theta, gradient);
    return isnan(value) ? -INFINITY : value;
}

void hyper_resolve(hyper_target *target, const double *theta, random_stream *stream, gp_hyper *hyper)
{
    hyper_resolve_last(target, theta, hyper_log_posterior(target, theta, NULL), stream, hyper);
}

void hyper_resolve_last(hyper_target *target, const double *theta, double value, random_stream *stream,
                        gp_hyper *hyper)
{
    const hyper_prior *prior = target->prior;
    keep_theta(target, theta, hyper);
    hyper->trend = trend_share(target, theta);
    hyper->noise = noise_ratio(target, theta);
    hyper->mean = NAN;
    if (target->noise == HYPER_KNOWN) {
        hyper->variance = exp(theta[noise_place(target)]) / target->diagonal;
        return;
    }
    double degrees = prior->variance_weight + (double)(target->inputs->n - 1);
    if (!isfinite(value)) target->squares[0] = prior->variance_weight * prior->variance_scale;
    if (!stream) {
        hyper->variance = hyper_variance(target, 0);
        return;
    }
    double variance = 0.5 * target->squares[0] / random_gamma(stream, 0.5 * degrees);
    /* With few data and a weak prior the tail of its posterior reaches beyond all doubles. */
    hyper->variance = fmin(fmax(variance, VARIANCE_MIN), VARIANCE_MAX);
}

double hyper_variance(const hyper_target *target, int output)
{
    double degrees = target->prior->variance_weight + (double)(target->inputs->n - 1);
    return fmin(fmax(target->squares[output] / degrees, 1e-300), VARIANCE_MAX);
}
