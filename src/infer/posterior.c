#include "infer/posterior.h"

#include "base/memory.h"
#include "infer/inform.h"
#include "infer/mixture.h"
#include "infer/sampler.h"
#include "study/fitted.h"
#include "study/predict.h"
#include "study/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASINS = 8 };
_Static_assert((int)BASINS <= (int)MIXTURE_MODES, "each known mode has a place");

/* Beyond this populations disagree. */
static const double RHAT_MAX = 1.02;
static const double EFFECTIVE_MIN = 400.0;

static void draw_prior(random_stream *stream, double *point, void *context)
{
    likelihood_draw_prior(context, stream, point);
}

static double log_prior(const double *point, void *context)
{
    return likelihood_log_prior(context, point);
}

gofh_status posterior_run(likelihood *l, int samples, int populations, sampler_result *r)
{
    infer_basin basin[BASINS];
    double *block = NULL;
    int basins = l->factor > 0.0 ? 0 : likelihood_basins(l, BASINS, basin, &block);
    unsigned char *discrete = memory_new((size_t)l->dimension, 1);
    for (int k = 0; discrete && k < l->d; k++) discrete[k] = l->cells[k] > 0;
    sampler_target target = {.d = l->dimension,
                             .log_density = likelihood_density,
                             .draw = draw_prior,
                             .log_prior = log_prior,
                             .context = l,
                             .basin = basin,
                             .basins = basins,
                             .discrete = discrete,
                             .discrete_count = l->discrete,
                             .seed = l->st->spec.settings.seed,
                             .key = (uint64_t)l->st->fitted->data_count,
                             .samples = samples,
                             .populations = populations};
    gofh_status status = basins < 0 || !discrete ? GOFH_ERROR_MEMORY : sampler_run(&target, r);
    free(block);
    free(discrete);
    return status;
}

static int make_room(infer_posterior *p)
{
    size_t n = (size_t)p->samples, d = (size_t)p->d, g = (size_t)p->sigmas;
    p->block = memory_doubles(n * (d + g) + d * (12 + 2 * d) + 3 * g);
    if (!p->block) return -1;
    p->x = p->block;
    p->sigma = p->x + n * d;
    p->best = p->sigma + n * g;
    p->mean = p->best + d;
    p->deviation = p->mean + d;
    p->lower = p->deviation + d;
    p->median = p->lower + d;
    p->upper = p->median + d;
    p->exact_mean = p->upper + d;
    p->exact_deviation = p->exact_mean + d;
    p->share = p->exact_deviation + d;
    p->rhat = p->share + d;
    p->effective = p->rhat + d;
    p->correlation = p->effective + d;
    p->direction = p->correlation + d * d;
    p->direction_deviation = p->direction + d * d;
    p->sigma_mean = p->direction_deviation + d;
    p->sigma_lower = p->sigma_mean + g;
    p->sigma_upper = p->sigma_lower + g;
    return 0;
}

/* State number i of all that were recorded: walkers first, then steps. */
static const double *recorded(const sampler_result *r, long long i)
{
    long long walkers = (long long)r->populations * r->walkers;
    int w = (int)(i % walkers);
    return sampler_state(r, w / r->walkers, w % r->walkers, (int)(i / walkers));
}

/* As many states of each step as of any other, of walkers that the golden ratio spreads; u: samples x d. */
static void pick(infer_posterior *p, const likelihood *l, const sampler_result *r, double *u)
{
    long long walkers = (long long)r->populations * r->walkers;
    for (int i = 0; i < p->samples; i++) {
        long long step = (long long)((i + 0.5) / p->samples * r->steps);
        double part = 0.61803398874989485 * i;
        const double *state = recorded(r,
                                       step * walkers + (long long)((part - floor(part)) * (double)walkers));
        for (int k = 0; k < p->d; k++) u[i * p->d + k] = 0.5;
        for (int k = 0; k < l->d; k++) u[i * p->d + l->parameter[k]] = state[k];
        likelihood_to_user(l, state, p->x + i * p->d);
        for (int g = 0; g < p->sigmas; g++) {
            int at = g < p->groups ? g : p->groups + 2 * (g - p->groups);
            p->sigma[i * p->sigmas + g] = likelihood_sigma(l, at, state);
        }
    }
}

/* The moments of all that were recorded, in the user's units. covariance: d x d, unless NULL. */
static void find_moments(const likelihood *l, const sampler_result *r, double *mean, double *deviation,
                         double *covariance)
{
    int d = l->st->parameters;
    long long all = (long long)r->populations * r->walkers * r->steps;
    double x[GOFH_MAX_PARAMETERS], squares[GOFH_MAX_PARAMETERS] = {0};
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (long long i = 0; i < all; i++) {
        likelihood_to_user(l, recorded(r, i), x);
        for (int k = 0; k < d; k++) mean[k] += x[k] / (double)all;
    }
    if (covariance) memset(covariance, 0, (size_t)d * (size_t)d * sizeof *covariance);
    for (long long i = 0; i < all; i++) {
        likelihood_to_user(l, recorded(r, i), x);
        for (int k = 0; k < d; k++) squares[k] += (x[k] - mean[k]) * (x[k] - mean[k]) / (double)all;
        for (int a = 0; covariance && a < d; a++)
            for (int b = 0; b < d; b++)
                covariance[a * d + b] += (x[a] - mean[a]) * (x[b] - mean[b]) / (double)all;
    }
    for (int k = 0; k < d; k++) {
        int fixed = domain_kind_of(&l->st->spec.box, k).kind == DOMAIN_FIXED;
        deviation[k] = fixed ? 0.0 : sqrt(squares[k]); /* without rounding */
        if (fixed) mean[k] = l->st->spec.box.lower[k];
    }
}

/* How often each value of each discrete parameter was recorded. */
static gofh_status find_probabilities(infer_posterior *p, const likelihood *l, const sampler_result *r)
{
    const domain *box = &l->st->spec.box;
    long long all = (long long)r->populations * r->walkers * r->steps;
    double x[GOFH_MAX_PARAMETERS];
    for (int k = 0; k < l->d; k++) {
        int of = l->parameter[k];
        if (!l->cells[k]) continue;
        p->probability[of] = memory_doubles((size_t)l->cells[k]);
        if (!p->probability[of]) return GOFH_ERROR_MEMORY;
        p->values[of] = l->cells[k];
    }
    for (long long i = 0; i < all && l->discrete; i++) {
        likelihood_to_user(l, recorded(r, i), x);
        for (int k = 0; k < p->d; k++)
            if (p->values[k]) p->probability[k][domain_nearest(box, k, x[k])] += 1.0 / (double)all;
    }
    return GOFH_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile_of(const double *sorted, int count, double p)
{
    double place = fmin(fmax(p * count - 0.5, 0.0), count - 1.0), share = place - floor(place);
    int at = (int)place, next = at + 1 < count ? at + 1 : at;
    return (1.0 - share) * sorted[at] + share * sorted[next];
}

/* Quantiles of one column of the samples. */
static void find_quantiles(const double *value, int count, int stride, double *work, double *lower,
                           double *median, double *upper)
{
    for (int i = 0; i < count; i++) work[i] = value[i * stride];
    qsort(work, (size_t)count, sizeof *work, ascending);
    *lower = quantile_of(work, count, 0.025);
    *upper = quantile_of(work, count, 0.975);
    if (median) *median = quantile_of(work, count, 0.5);
}

static void summarise_columns(infer_posterior *p, double *work)
{
    for (int k = 0; k < p->d; k++)
        find_quantiles(p->x + k, p->samples, p->d, work, &p->lower[k], &p->median[k], &p->upper[k]);
    for (int g = 0; g < p->sigmas; g++) {
        p->sigma_mean[g] = 0.0;
        for (int i = 0; i < p->samples; i++) p->sigma_mean[g] += p->sigma[i * p->sigmas + g] / p->samples;
        find_quantiles(p->sigma + g, p->samples, p->sigmas, work, &p->sigma_lower[g], NULL,
                       &p->sigma_upper[g]);
    }
}

/* Of the state with the largest density. */
static double misfit_of_mode(likelihood *l, const sampler_result *r)
{
    double most = -INFINITY;
    const double *mode = sampler_state(r, 0, 0, 0);
    for (int p = 0; p < r->populations; p++)
        for (int w = 0; w < r->walkers; w++)
            for (int t = 0; t < r->steps; t++) {
                double own = r->density[((size_t)p * (size_t)r->walkers + (size_t)w) * r->room + (size_t)t];
                if (!(own > most)) continue;
                most = own;
                mode = sampler_state(r, p, w, t);
            }
    return likelihood_misfit(l, mode);
}

/* The variance is at least that of the posterior of the emulator's mean and the squared distance to it: where
 * that is elsewhere, it is the emulator that says where the posterior is, however narrow. */
static void find_shares(infer_posterior *p)
{
    for (int k = 0; k < p->d; k++) {
        double variance = pow(p->deviation[k], 2.0), exact = pow(p->exact_deviation[k], 2.0),
               apart = pow(p->mean[k] - p->exact_mean[k], 2.0);
        p->share[k] = variance > 0.0 ? 1.0 - exact / fmax(variance, exact + apart) : 0.0;
    }
}

int posterior_is_elsewhere(const infer_posterior *p, const domain *box, int k)
{
    domain_kind kind = domain_kind_of(box, k).kind;
    if ((kind != DOMAIN_INTERVAL && kind != DOMAIN_ORDERED) || !(p->share[k] > 0.5)) return 0;
    double lower = p->lower[k], upper = p->upper[k], best = p->best[k];
    if (box->scale[k] == GOFH_SCALE_LOG) {
        lower = log(lower);
        upper = log(upper);
        best = log(best);
    }
    return fmax(lower - best, best - upper) > upper - lower;
}

/* One state of each walker, for whatever needs some of the posterior: walkers x dimension, to be freed. */
static double *last_states(const sampler_result *r)
{
    double *states = memory_doubles((size_t)r->walkers * (size_t)r->d);
    for (int w = 0; states && w < r->walkers; w++)
        memcpy(states + (size_t)w * (size_t)r->d, sampler_state(r, w % r->populations, w, r->steps - 1),
               (size_t)r->d * sizeof *states);
    return states;
}

/* How many runs more are expected to be needed, where the emulator's share is large. */
static gofh_status plan_runs(infer_posterior *p, likelihood *l, const sampler_result *r)
{
    double most = 0.0;
    for (int k = 0; k < p->d; k++) {
        if (posterior_is_elsewhere(p, &l->st->spec.box, k))
            return GOFH_OK; /* nobody knows where it will be */
        most = fmax(most, p->share[k]);
    }
    if (!(most > POSTERIOR_SHARE_LARGE) || l->factor > 0.0) return GOFH_OK;
    double *states = last_states(r);
    if (!states) return GOFH_ERROR_MEMORY;
    random_stream stream = random_open(l->st->spec.settings.seed, RANDOM_POSTERIOR,
                                       (uint64_t)l->st->fitted->data_count, SAMPLER_POPULATIONS);
    gofh_status status = inform_count_runs(l, states, r->walkers, p->exact_deviation, POSTERIOR_SHARE_SMALL,
                                           &stream, &p->runs);
    free(states);
    return status;
}

/* The values whose probabilities the emulator does not know. */
static gofh_status find_doubts(infer_posterior *p, likelihood *l, const sampler_result *r)
{
    size_t room = 0;
    for (int k = 0; k < l->d; k++) room += values_are_doubted(l, k) ? (size_t)l->cells[k] : 0;
    p->enough = values_enough(l);
    if (!room) return GOFH_OK;
    double *states = last_states(r);
    p->doubt = memory_new(room, sizeof *p->doubt);
    gofh_status status = states && p->doubt ? GOFH_OK : GOFH_ERROR_MEMORY;
    for (int k = 0; k < l->d; k++)
        for (int v = 0; values_are_doubted(l, k) && v < l->cells[k] && !status; v++) {
            infer_doubt own;
            status = values_doubt(l, states, r->walkers, k, v, &own);
            if (!status && own.rise > POSTERIOR_RISE_LARGE) p->doubt[p->doubts++] = own;
        }
    free(states);
    return status;
}

static gofh_status summarise(infer_posterior *p, likelihood *l, const sampler_result *r,
                             const infer_request *request)
{
    int d = p->d;
    double *u = memory_doubles((size_t)p->samples * (size_t)(d + 1));
    if (!u) return GOFH_ERROR_MEMORY;
    pick(p, l, r, u);
    memcpy(p->best, request->best, (size_t)d * sizeof *p->best);
    find_moments(l, r, p->mean, p->deviation, p->correlation);
    for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++) {
            double scale = p->deviation[a] * p->deviation[b];
            p->correlation[a * d + b] = a == b ? 1.0 : scale > 0.0 ? p->correlation[a * d + b] / scale : 0.0;
        }
    summarise_columns(p, u + (size_t)p->samples * (size_t)d);
    find_shares(p);
    p->converged = 1;
    for (int k = 0; k < r->d; k++) p->converged &= r->rhat[k] <= RHAT_MAX && r->effective[k] >= EFFECTIVE_MIN;
    for (int k = 0; k < d; k++) {
        p->rhat[k] = 1.0; /* of a fixed parameter */
        p->effective[k] = (double)r->populations * r->walkers * r->steps;
    }
    for (int k = 0; k < l->d; k++) {
        p->rhat[l->parameter[k]] = r->rhat[k];
        p->effective[l->parameter[k]] = r->effective[k];
    }
    p->steps = r->steps;
    p->walkers = r->populations * r->walkers;
    p->temperatures = r->temperatures;
    p->accepted = r->accepted;
    p->misfit = misfit_of_mode(l, r);
    gofh_status status = find_probabilities(p, l, r);
    if (!status) status = find_doubts(p, l, r);
    if (!status) status = plan_runs(p, l, r);
    if (status) {
        free(u);
        return status;
    }
    p->message = posterior_words(p, l->st, request, u);
    free(u);
    return p->message ? GOFH_OK : GOFH_ERROR_MEMORY;
}

/* The moments of `count` states (count x dimension) with logarithms of weights, which are replaced.
 * Returns how many states count. */
static double weighted_moments(const likelihood *l, const double *state, double *weight, int count,
                               double *mean, double *deviation)
{
    int d = l->st->parameters;
    double most = -INFINITY, sum = 0.0, squares = 0.0, x[GOFH_MAX_PARAMETERS];
    double square[GOFH_MAX_PARAMETERS] = {0};
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int i = 0; i < count; i++)
        if (weight[i] > most) most = weight[i];
    for (int i = 0; i < count; i++) {
        weight[i] = isfinite(most) && !isnan(weight[i]) ? exp(weight[i] - most) : 0.0;
        if (!(weight[i] > 0.0)) continue;
        likelihood_to_user(l, state + (size_t)i * (size_t)l->dimension, x);
        sum += weight[i];
        squares += weight[i] * weight[i];
        for (int k = 0; k < d; k++) {
            double rest = x[k] - mean[k];
            mean[k] += weight[i] / sum * rest;
            square[k] += weight[i] * rest * (x[k] - mean[k]);
        }
    }
    for (int k = 0; k < d; k++) deviation[k] = sum > 0.0 ? sqrt(square[k] / sum) : 0.0;
    return squares > 0.0 ? sum * sum / squares : 0.0;
}

/* The same states weighted for an exact model. Returns how many of them then count; -1: no memory. */
static double reweigh(infer_posterior *p, likelihood *l, const sampler_result *r)
{
    enum { STATES = 6000 };
    long long all = (long long)r->populations * r->walkers * r->steps;
    int count = all < STATES ? (int)all : STATES;
    size_t size = (size_t)l->dimension;
    double *state = memory_doubles((size_t)count * (size + 2));
    if (!state) return -1.0;
    double *before = state + (size_t)count * size, *weight = before + count;
    for (int i = 0; i < count; i++) {
        long long at = (long long)((i + 0.5) / count * (double)all),
                  walkers = (long long)r->populations * r->walkers;
        memcpy(state + (size_t)i * size, recorded(r, at), size * sizeof *state);
        before[i] = r->density[(size_t)(at % walkers) * r->room + (size_t)(at / walkers)];
    }
    l->emulator = 0;
    gofh_status status = likelihood_density(state, count, weight, l);
    l->emulator = 1;
    for (int i = 0; i < count; i++) weight[i] -= before[i];
    double counted = status ? 0.0
                            : weighted_moments(l, state, weight, count, p->exact_mean, p->exact_deviation);
    free(state);
    return counted;
}

/* What the moments would be if the model of h were exact: of the samples, weighted, or where too few of
 * them then count, of others. */
static gofh_status find_exact(infer_posterior *p, likelihood *l, const sampler_result *found)
{
    static const double ENOUGH = 1500.0;
    double counted = reweigh(p, l, found);
    if (counted < 0.0) return GOFH_ERROR_MEMORY;
    if (counted >= ENOUGH) return GOFH_OK;
    sampler_result r = {.d = 0};
    l->emulator = 0;
    gofh_status status = posterior_run(l, 1, 0, &r);
    l->emulator = 1;
    if (!status) find_moments(l, &r, p->exact_mean, p->exact_deviation, NULL);
    sampler_release(&r);
    return status;
}

gofh_status posterior_make(infer_posterior *p, study *st, const infer_request *request, infer_datum *data,
                           int count, int groups)
{
    int fields = 0;
    for (int i = 0; i < count; i++) fields = data[i].field > fields ? data[i].field : fields;
    *p = (infer_posterior){.d = st->parameters,
                           .sigmas = groups + fields,
                           .groups = groups,
                           .samples = request->samples,
                           .data = count};
    likelihood l;
    sampler_result r = {.d = 0};
    gofh_status status;
    study *by = reduce_study(st, &status);
    if (!status) status = predict_enter(by);
    if (status) {
        free(data);
    } else {
        status = request->factor > 0.0 ? likelihood_create_draws(&l, by, request->prior, request->factor)
                                       : likelihood_create(&l, by, request->prior, data, count, groups);
        if (request->factor > 0.0) free(data);
        if (!status && make_room(p)) status = GOFH_ERROR_MEMORY;
        if (!status) status = posterior_run(&l, request->samples, 0, &r);
        if (!status) status = find_exact(p, &l, &r);
        if (!status) status = summarise(p, &l, &r, request);
        sampler_release(&r);
        likelihood_free(&l);
    }
    if (by) predict_leave(by);
    if (status) posterior_release(p);
    return status;
}

void posterior_release(infer_posterior *p)
{
    free(p->block);
    free(p->message);
    free(p->doubt);
    for (int k = 0; k < p->d; k++) free(p->probability[k]);
    *p = (infer_posterior){.d = 0};
}
