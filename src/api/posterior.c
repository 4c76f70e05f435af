/* The posterior of the parameters. */
#include "infer/posterior.h"
#include "api/observed.h"
#include "api/sized.h"
#include "base/error.h"
#include "base/memory.h"
#include "study/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4000, SAMPLES_MIN = 100, SAMPLES_MAX = 1000000 };

struct gofh_posterior {
    infer_posterior found;
    observed_data observed;
    infer_prior *prior;    /* d */
    double *lower, *upper; /* d */
    gofh_scale *scale;     /* d */
};

void gofh_posterior_free(gofh_posterior *posterior)
{
    if (!posterior) return;
    posterior_release(&posterior->found);
    observed_release(&posterior->observed);
    free(posterior->prior);
    free(posterior->lower);
    free(posterior->scale);
    free(posterior);
}

static gofh_status refuse(gofh_study *st, int samples)
{
    gofh_error *error = &st->error;
    if (samples < SAMPLES_MIN || samples > SAMPLES_MAX)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%d samples: there must be %d to %d", samples,
                         SAMPLES_MIN, SAMPLES_MAX);
    if (st->core->method->subject == MODEL_OF_F)
        return error_set(error, GOFH_ERROR_ARGUMENT, "method \"%s\" models f alone: it knows nothing of h",
                         st->core->method->name);
    if (space_equalities(st->core->space))
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "a posterior does not know equalities of parameters: write one of them as an "
                         "expression of the others");
    return GOFH_OK;
}

/* The study may be gone when somebody asks for a prior. */
static gofh_status copy_priors(gofh_posterior *posterior, const gofh_study *st)
{
    size_t d = (size_t)st->core->parameters;
    const domain *box = &st->problem.box;
    posterior->prior = memory_new(d, sizeof *posterior->prior);
    posterior->lower = memory_doubles(2 * d);
    posterior->scale = memory_new(d, sizeof *posterior->scale);
    if (!posterior->prior || !posterior->lower || !posterior->scale) return GOFH_ERROR_MEMORY;
    posterior->upper = posterior->lower + d;
    memcpy(posterior->prior, st->problem.prior, d * sizeof *posterior->prior);
    memcpy(posterior->lower, box->lower, d * sizeof *posterior->lower);
    memcpy(posterior->upper, box->upper, d * sizeof *posterior->upper);
    memcpy(posterior->scale, box->scale, d * sizeof *posterior->scale);
    return GOFH_OK;
}

gofh_status gofh_posterior_prior(const gofh_posterior *posterior, int parameter, const double *x, int count,
                                 double *density)
{
    if (!posterior || parameter < 0 || parameter >= posterior->found.d || count < 0 || !x || !density)
        return GOFH_ERROR_ARGUMENT;
    int k = parameter;
    const domain box = {.d = posterior->found.d,
                        .lower = posterior->lower,
                        .upper = posterior->upper,
                        .scale = posterior->scale};
    const domain one = {.d = 1, .lower = box.lower + k, .upper = box.upper + k, .scale = box.scale + k};
    for (int i = 0; i < count; i++) {
        double u, slope;
        density[i] = 0.0;
        if (!(box.lower[k] < box.upper[k] && x[i] >= box.lower[k] && x[i] <= box.upper[k])) continue;
        domain_to_unit(&one, &x[i], &u);
        domain_slope(&one, &x[i], &slope);
        density[i] = exp(prior_log_density(&posterior->prior[k], &box, k, u)) / slope;
    }
    return GOFH_OK;
}

/* Of fewer trials an emulator says nothing, and would not know it. */
static gofh_status check_count(gofh_study *st)
{
    int known = 0, least = (st->core->d < st->core->parameters ? st->core->d : st->core->parameters) + 2;
    for (size_t i = 0; i < st->core->trials.count; i++)
        known += st->core->trials.list[i].state == GOFH_TRIAL_DONE && !isnan(st->core->trials.list[i].f);
    if (known >= least) return GOFH_OK;
    return error_set(&st->error, GOFH_ERROR_EMPTY,
                     "a posterior of %d parameters needs %d trials with an f at least, and there %s %d",
                     least - 2, least, known == 1 ? "is" : "are", known);
}

static gofh_status make(gofh_posterior *posterior, gofh_study *st, int samples)
{
    gofh_status status = observed_collect(&posterior->observed, st, &st->error);
    int best = status ? -1 : study_best(st->core, &status);
    if (!status && best < 0) status = GOFH_ERROR_EMPTY;
    if (!status) status = check_count(st);
    if (!status) status = copy_priors(posterior, st);
    if (status) return status;
    double x[GOFH_MAX_PARAMETERS];
    const char *const *word[GOFH_MAX_PARAMETERS];
    for (int k = 0; k < st->core->parameters; k++) word[k] = (const char *const *)st->problem.kind[k].word;
    memcpy(x, st->core->trials.list[best].x, (size_t)st->core->parameters * sizeof *x);
    observed_data *o = &posterior->observed;
    infer_request request = {.prior = st->problem.prior,
                             .name = (const char *const *)st->problem.name,
                             .word = word,
                             .group = (const char *const *)o->group,
                             .best = x,
                             .samples = samples,
                             .factor = st->problem.likelihood_factor};
    infer_datum *data = o->data; /* taken over */
    o->data = NULL;
    return posterior_make(&posterior->found, st->core, &request, data, o->count, o->groups);
}

gofh_status gofh_posterior_create(gofh_posterior **result, gofh_study *st, int samples)
{
    if (result) *result = NULL;
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!result) return handle_refuse(st, "posterior");
    if (samples == 0) samples = SAMPLES;
    handle_enter(st);
    gofh_status status = refuse(st, samples);
    gofh_posterior *made = status ? NULL : memory_new(1, sizeof *made);
    if (!status) status = made ? make(made, st, samples) : GOFH_ERROR_MEMORY;
    study_abandon(st->core, st->mark); /* it was only looked at, and leaves no line in the log */
    status = handle_leave(st, status);
    if (status)
        gofh_posterior_free(made);
    else
        *result = made;
    return status;
}

gofh_status gofh_posterior_sample(const gofh_posterior *posterior, double *x, double *sigma)
{
    if (!posterior) return GOFH_ERROR_ARGUMENT;
    const infer_posterior *p = &posterior->found;
    size_t samples = (size_t)p->samples;
    if (x) memcpy(x, p->x, samples * (size_t)p->d * sizeof *x);
    if (sigma) memcpy(sigma, p->sigma, samples * (size_t)p->sigmas * sizeof *sigma);
    return GOFH_OK;
}

int gofh_posterior_probabilities(const gofh_posterior *posterior, int parameter, const double **probability)
{
    if (probability) *probability = NULL;
    if (!posterior || !probability || parameter < 0 || parameter >= posterior->found.d) return 0;
    *probability = posterior->found.probability[parameter];
    return posterior->found.values[parameter];
}

gofh_status gofh_posterior_summary_sized(const gofh_posterior *posterior, gofh_posterior_results *results,
                                         size_t size)
{
    if (!posterior || !results || sized_check(size, "gofh_posterior_results", NULL))
        return GOFH_ERROR_ARGUMENT;
    const infer_posterior *p = &posterior->found;
    gofh_posterior_results own = {.parameters = p->d,
                                  .samples = p->samples,
                                  .best = p->best,
                                  .mean = p->mean,
                                  .deviation = p->deviation,
                                  .lower = p->lower,
                                  .median = p->median,
                                  .upper = p->upper,
                                  .data_deviation = p->exact_deviation,
                                  .correlation = p->correlation,
                                  .rhat = p->rhat,
                                  .effective = p->effective,
                                  .converged = p->converged,
                                  .data = p->data,
                                  .misfit = p->misfit,
                                  .sigmas = p->sigmas,
                                  .sigma_data = (const char *const *)posterior->observed.group,
                                  .sigma_mean = p->sigma_mean,
                                  .sigma_lower = p->sigma_lower,
                                  .sigma_upper = p->sigma_upper,
                                  .message = p->message,
                                  .direction = p->direction,
                                  .direction_deviation = p->direction_deviation,
                                  .direction_logarithms = p->logarithms,
                                  .runs = p->runs,
                                  .emulator = p->share};
    sized_give(results, size, &own, sizeof own);
    return GOFH_OK;
}
