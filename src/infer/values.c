#include "infer/values.h"

#include "base/memory.h"
#include "infer/posterior.h"
#include "study/fitted.h"
#include "study/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of samples of the posterior: a value with a larger share is known by these. */
static const double RARE = 0.05;
/* A value with less than this of the prior is ruled out by it. */
static const double PRIOR_MIN = 1e-3;
enum {
    STATES = 100,    /* samples that the posterior given a value is looked at by */
    ORDERED_MAX = 20 /* ordered values that are looked at one by one */
};

/* Whether no value of coordinate k tells of another. */
static int are_cases(const likelihood *l, int k)
{
    return domain_is_case(domain_kind_of(&l->st->spec.box, l->parameter[k]));
}

int values_are_doubted(const likelihood *l, int k)
{
    return l->cells[k] > 0 && (l->cells[k] <= ORDERED_MAX || are_cases(l, k));
}

int values_enough(const likelihood *l)
{
    int intervals = l->d - l->discrete;
    return intervals ? intervals + 2 : 1;
}

static void count_trials(const likelihood *l, infer_doubt *doubt)
{
    const trial_list *trials = &l->st->trials;
    for (size_t i = 0; i < trials->count; i++) {
        const trial *t = &trials->list[i];
        if (domain_index(&l->st->spec.box, l->parameter[doubt->coordinate], t->u) != doubt->value) continue;
        doubt->done += t->state == GOFH_TRIAL_DONE;
        doubt->open += t->state == GOFH_TRIAL_OPEN;
        doubt->failed += t->state == GOFH_TRIAL_FAILED;
    }
}

/* Whether the prior gives the value that is held some weight, and known constraints allow it. */
static gofh_status find_possible(const likelihood *l, int *possible)
{
    const double *weight = l->log_weight[l->held];
    *possible = !weight || weight[l->held_value] >= log(PRIOR_MIN * l->cells[l->held]);
    if (!*possible || !space_has_constraints(l->st->space)) return GOFH_OK;
    double *point = memory_doubles((size_t)l->dimension);
    if (!point) return GOFH_ERROR_MEMORY;
    random_stream stream = random_open(l->st->spec.settings.seed, RANDOM_POSTERIOR, 0,
                                       SAMPLER_POPULATIONS + 3);
    likelihood_draw_prior(l, &stream, point);
    *possible = isfinite(likelihood_log_prior(l, point)) != 0;
    free(point);
    return GOFH_OK;
}

/* The mean log density of the states (count x dimension), with what is beyond parameters as in
 * `noises`. *best, unless NULL: as if h were what is most probable given the data, max_h N(y; h, D)
 * exp(-(h - mu)' K^-1 (h - mu) / 2) = |D|^(-1/2) exp(-(y - mu)' (D + K)^-1 (y - mu) / 2). */
static gofh_status mean_density(likelihood *l, const double *states, const double *noises, int count,
                                double *mean, double *best)
{
    size_t n = (size_t)l->count + 1, all = (size_t)l->dimension, d = (size_t)l->d;
    double *point = memory_doubles(all + 3 * n), determinant, least;
    int seen = 0;
    if (!point) return GOFH_ERROR_MEMORY;
    double *residual = point + all, *noise = residual + n, *spread = noise + n;
    *mean = 0.0;
    if (best) *best = 0.0;
    for (int i = 0; i < count; i++) {
        memcpy(point, states + (size_t)i * all, d * sizeof *point);
        memcpy(point + d, noises + (size_t)i * all + d, (all - d) * sizeof *point);
        if (!likelihood_parts(l, point, i % l->st->fitted->mo->samples, residual, noise, spread)) continue;
        double misfit = likelihood_normal(l, point, residual, noise, spread, &determinant);
        memset(spread, 0, n * sizeof *spread);
        likelihood_normal(l, point, residual, noise, spread, &least);
        double own = likelihood_log_prior(l, point) - 0.5 * (misfit + determinant);
        if (!isfinite(own) || !isfinite(least)) continue;
        *mean += (own - *mean) / ++seen;
        if (best) *best += (own + 0.5 * (determinant - least) - *best) / seen;
    }
    if (!seen) *mean = -INFINITY;
    free(point);
    return GOFH_OK;
}

/* The probability of a value whose posterior is as wide as that of the others together; their mean log
 * densities. */
static double probability_of(double own, double others)
{
    return 1.0 / (1.0 + exp(others - own));
}

/* Of the value that is held; known: the mean log density of the states. */
static gofh_status find_rise(likelihood *l, const double *states, int count, double known, double *rise)
{
    sampler_result r = {.d = 0};
    size_t all = (size_t)l->dimension;
    double *own = memory_doubles(2 * STATES * all), mean, best;
    if (!own) return GOFH_ERROR_MEMORY;
    double *noises = own + STATES * all;
    gofh_status status = posterior_run(l, 1, 1, &r);
    for (int i = 0; i < STATES && !status; i++) {
        memcpy(own + (size_t)i * all, sampler_state(&r, 0, i * r.walkers / STATES, r.steps - 1),
               all * sizeof *own);
        memcpy(noises + (size_t)i * all, states + (size_t)(i * count / STATES) * all, all * sizeof *own);
    }
    if (!status) status = mean_density(l, own, noises, STATES, &mean, &best);
    if (!status && isfinite(mean) && isfinite(known))
        *rise = probability_of(best, known) - probability_of(mean, known);
    sampler_release(&r);
    free(own);
    return status;
}

static int is_rare(const likelihood *l, const double *states, int count, int k, int value)
{
    double seen = 0.0;
    for (int i = 0; i < count; i++)
        seen += likelihood_value(l, k, states[(size_t)i * (size_t)l->dimension + (size_t)k]) == value;
    return seen < RARE * count;
}

gofh_status values_doubt(likelihood *l, const double *states, int count, int k, int value, infer_doubt *doubt)
{
    *doubt = (infer_doubt){.coordinate = k, .value = value, .parameter = l->parameter[k]};
    count_trials(l, doubt);
    int few = are_cases(l, k) && doubt->done < values_enough(l), rare = is_rare(l, states, count, k, value),
        possible = 0;
    double known = -INFINITY;
    gofh_status status = GOFH_OK;
    if (!few && (!rare || l->factor > 0.0)) return GOFH_OK;
    if (!few) status = mean_density(l, states, states, count, &known, NULL);
    l->held = k;
    l->held_value = value;
    if (!status) status = find_possible(l, &possible);
    if (!status && possible && few) doubt->rise = 1.0;
    if (!status && possible && !few) status = find_rise(l, states, count, known, &doubt->rise);
    l->held = -1;
    return status;
}
