/* The gradient of the log posterior density in closed form. With C = N + S R S, N the covariance of the noise
 * and of discrepancies, and a = C^-1 r, a change dmu of the means, dS of the emulator's deviations and dN gives
 *
 *     a' dmu + sum_i dS_i (a_i (R S a)_i - (R S C^-1)_ii) + (a' dN a - tr(C^-1 dN)) / 2,
 *
 * where S R S = C - N makes (R S a)_i = (r - N a)_i / S_i and (R S C^-1)_ii = (1 - (N C^-1)_ii) / S_i. */
#include "base/memory.h"
#include "infer/likelihood.h"
#include "linalg/linalg.h"
#include "study/fitted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    likelihood *l;
    const double *point;
    double *residual, *noise, *spread; /* count + 1 each (likelihood_parts) */
    double *covariance, *inverse;      /* count x count: N, and C^-1 */
    double *solved;                    /* count: a */
    double *mean_slope, *spread_slope; /* outputs x d, in the cube: of what residual and spread are made of */
    double *block;
} slope;

static int slope_create(slope *s, likelihood *l)
{
    size_t n = (size_t)l->count, rows = n + 1, m = (size_t)l->st->fitted->mo->outputs, d = (size_t)l->st->d;
    *s = (slope){.l = l};
    s->block = memory_doubles(3 * rows + 2 * n * n + n + 2 * (m + 1) * d);
    if (!s->block) return -1;
    s->residual = s->block;
    s->noise = s->residual + rows;
    s->spread = s->noise + rows;
    s->covariance = s->spread + rows;
    s->inverse = s->covariance + n * n;
    s->solved = s->inverse + n * n;
    s->mean_slope = s->solved + n;
    s->spread_slope = s->mean_slope + (m + 1) * d;
    return 0;
}

/* A discrepancy's covariance of two data, and its derivatives in the logarithms of its deviation and
 * length. */
static double discrepancy_between(const slope *s, int i, int k, double *by_deviation, double *by_length)
{
    const likelihood *l = s->l;
    const infer_datum *a = &l->data[i], *b = &l->data[k];
    *by_deviation = *by_length = 0.0;
    if (!a->field || a->field != b->field) return 0.0;
    int at = l->groups + 2 * (a->field - 1);
    double deviation = likelihood_sigma(l, at, s->point), length = likelihood_sigma(l, at + 1, s->point);
    double apart = (a->at - b->at) / length, value = deviation * deviation * exp(-0.5 * apart * apart);
    *by_deviation = 2.0 * value;
    *by_length = apart * apart * value;
    return value;
}

/* N, C^-1 and a. */
static int factorise(slope *s)
{
    const likelihood *l = s->l;
    const model *mo = l->st->fitted->mo;
    const output_correlation *r = mo->correlated && mo->correlation.rank ? &mo->correlation : NULL;
    int n = l->count;
    double ignored[2];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int a = l->data[i].output, b = l->data[k].output;
            double noise = (i == k ? s->noise[i] : 0.0) +
                           discrepancy_between(s, i, k, &ignored[0], &ignored[1]);
            double between = r ? correlation_between(r, a, b) : (double)(a == b);
            s->covariance[i * n + k] = noise;
            s->inverse[i * n + k] = noise + s->spread[i] * s->spread[k] * between;
        }
    if (cholesky_factor(n, s->inverse, n)) return -1;
    cholesky_invert(n, s->inverse, n);
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) s->inverse[k * n + i] = s->inverse[i * n + k];
    for (int i = 0; i < n; i++) s->solved[i] = dot_product(n, s->inverse + i * n, s->residual);
    return 0;
}

/* What a change of the deviation of datum i brings. */
static double by_spread(const slope *s, int i)
{
    int n = s->l->count;
    const double *row = s->covariance + (size_t)i * (size_t)n;
    if (!(s->spread[i] > 0.0)) return 0.0;
    double left = s->residual[i] - dot_product(n, row, s->solved),
           share = 1.0 - dot_product(n, row, s->inverse + (size_t)i * (size_t)n);
    return (s->solved[i] * left - share) / s->spread[i];
}

/* The slopes of a datum's mean and deviation along coordinate c; of logarithms those of what is normal. */
static void slopes_of(const slope *s, const posterior *p, int i, int c, double *mean, double *spread)
{
    const infer_datum *datum = &s->l->data[i];
    size_t at = (size_t)datum->output, d = (size_t)s->l->st->d;
    double own = s->mean_slope[at * d + (size_t)c],
           deviation = s->l->emulator ? s->spread_slope[at * d + (size_t)c] : 0.0;
    *mean = own;
    *spread = deviation;
    if (!datum->logarithm) return;
    /* v = log(1 + s^2/m^2): the mean of the logarithm is log m - v/2, its deviation the root of v. */
    double m = p->mean[at], ratio = s->l->emulator ? p->deviation[at] / m : 0.0;
    double change = 2.0 * ratio * (deviation / m - ratio * own / m) / (1.0 + ratio * ratio);
    *mean = own / m - 0.5 * change;
    *spread = s->spread[i] > 0.0 ? 0.5 * change / s->spread[i] : 0.0;
}

/* Jeffreys' prior of the total variance: log(sigma^2 / (sigma^2 + k)), k the mean of the emulator's variances
 * of the group; its derivatives in the deviation of datum i, and in the logarithm of sigma. */
static double sigma_prior_slope(const slope *s, int group, int datum, double *by_logarithm)
{
    const likelihood *l = s->l;
    double variance = 0.0, sigma = likelihood_sigma(l, group, s->point);
    int count = 0;
    for (int i = 0; i < l->count; i++) {
        if (!isnan(l->data[i].sigma) || l->data[i].group != group) continue;
        variance += pow(s->spread[i] / l->data[i].unit, 2.0);
        count++;
    }
    double total = sigma * sigma + variance / count;
    *by_logarithm = 2.0 * variance / count / total;
    if (datum < 0) return 0.0;
    return -2.0 * s->spread[datum] / pow(l->data[datum].unit, 2.0) / count / total;
}

/* Of the directions beyond those of the runs, which have no residual: -n/2 log(noise + rest spread^2). */
static double beyond_slope(const slope *s, int c, double *by_noise)
{
    const likelihood *l = s->l;
    const model *mo = l->st->fitted->mo;
    double rest = mo->correlated ? mo->correlation.rest : 1.0, spread = s->spread[l->count],
           variance = s->noise[l->count] + rest * spread * spread;
    *by_noise = -0.5 * l->beyond / variance;
    if (c < 0 || !l->emulator) return 0.0;
    size_t at = (size_t)mo->outputs - 1, d = (size_t)l->st->d;
    return -l->beyond * rest * spread * s->spread_slope[at * d + (size_t)c] / variance;
}

static void add_parameters(const slope *s, const posterior *p, double *gradient)
{
    const likelihood *l = s->l;
    double by[2], ignored;
    for (int k = 0; k < l->d; k++) {
        if (l->cells[k]) continue;
        int c = domain_kind_of(&l->st->spec.box, l->parameter[k]).first;
        for (int i = 0; i < l->count; i++) {
            double own = by_spread(s, i);
            if (isnan(l->data[i].sigma)) own += sigma_prior_slope(s, l->data[i].group, i, &ignored);
            slopes_of(s, p, i, c, &by[0], &by[1]);
            gradient[k] += s->solved[i] * by[0] + own * by[1];
        }
        if (l->beyond) gradient[k] += beyond_slope(s, c, &ignored);
        gradient[k] += prior_slope(&l->prior[l->parameter[k]], &l->st->spec.box, l->parameter[k],
                                   s->point[k]);
    }
}

/* (a' dN a - tr(C^-1 dN)) / 2 of one pair of data. */
static double by_noise(const slope *s, int i, int k)
{
    return 0.5 * (s->solved[i] * s->solved[k] - s->inverse[(size_t)i * (size_t)s->l->count + (size_t)k]);
}

static void add_noise(const slope *s, double *gradient)
{
    const likelihood *l = s->l;
    for (int g = 0; g < l->groups; g++) {
        double range = log(l->sigma_high[g] / l->sigma_low[g]), sum, beyond;
        sigma_prior_slope(s, g, -1, &sum);
        for (int i = 0; i < l->count; i++)
            if (isnan(l->data[i].sigma) && l->data[i].group == g)
                sum += by_noise(s, i, i) * 2.0 * s->noise[i];
        if (l->beyond) {
            beyond_slope(s, -1, &beyond);
            sum += beyond * 2.0 * s->noise[l->count];
        }
        gradient[l->d + g] += range * sum;
    }
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->count && l->data[i].field; k++) {
            double own[2];
            int at = l->groups + 2 * (l->data[i].field - 1);
            discrepancy_between(s, i, k, &own[0], &own[1]);
            for (int j = 0; j < 2; j++)
                gradient[l->d + at + j] += log(l->sigma_high[at + j] / l->sigma_low[at + j]) *
                                           by_noise(s, i, k) * own[j];
        }
}

/* One sample of the hyperparameters. */
static int sample_gradient(slope *s, int sample, double *gradient)
{
    likelihood *l = s->l;
    const model *mo = l->st->fitted->mo;
    double cube[GOFH_MAX_PARAMETERS];
    size_t size = posterior_size(1, mo->outputs, l->st->d),
           slopes = (size_t)mo->outputs * (size_t)l->st->d * sizeof *cube;
    double *block = memory_doubles(size + model_predict_work(mo, 1));
    if (!block) return -1;
    posterior p;
    likelihood_cube(l, s->point, cube);
    posterior_place(&p, 1, mo->outputs, l->st->d, block);
    model_predict(mo, sample, cube, 1, PREDICT_GRADIENT, &p, block + size);
    posterior_moments(&p, 1);
    memcpy(s->mean_slope, p.mean_gradient, slopes);
    memcpy(s->spread_slope, p.deviation_gradient, slopes);
    int has = likelihood_parts(l, s->point, sample, s->residual, s->noise, s->spread) && !factorise(s);
    memset(gradient, 0, (size_t)l->dimension * sizeof *gradient);
    if (has) {
        add_parameters(s, &p, gradient);
        add_noise(s, gradient);
    }
    free(block);
    return has;
}

gofh_status likelihood_gradient(likelihood *l, const double *point, double *value, double *gradient)
{
    slope s;
    gofh_status status = likelihood_density(point, 1, value, l);
    int samples = l->st->fitted->mo->samples;
    if (status) return status;
    double *own = memory_doubles((size_t)l->dimension);
    if (!own || slope_create(&s, l)) {
        free(own);
        return GOFH_ERROR_MEMORY;
    }
    s.point = point;
    double total = 0.0;
    memset(gradient, 0, (size_t)l->dimension * sizeof *gradient);
    for (int i = 0; i < samples && !status; i++) {
        int has = sample_gradient(&s, i, own);
        if (has < 0) status = GOFH_ERROR_MEMORY;
        if (has <= 0) continue;
        double determinant, misfit = likelihood_normal(l, point, s.residual, s.noise, s.spread, &determinant);
        double weight = exp(-0.5 * (misfit + determinant) + likelihood_sigma_prior(l, point, s.spread) +
                            likelihood_log_prior(l, point) - *value);
        total += weight;
        for (int k = 0; k < l->dimension; k++) gradient[k] += weight * own[k];
    }
    for (int k = 0; k < l->dimension && total > 0.0; k++) gradient[k] /= total;
    free(s.block);
    free(own);
    return status;
}
