/* The posterior of the parameters. */
#include "infer/posterior.h"
#include "api/handle.h"
#include "api/sized.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4000, SAMPLES_MIN = 100, SAMPLES_MAX = 1000000 };

struct gofh_posterior {
    infer_posterior found;
    char **group; /* the names of the data whose sigmas are not known */
    int groups;
};

void gofh_posterior_free(gofh_posterior *posterior)
{
    if (!posterior) return;
    posterior_release(&posterior->found);
    for (int g = 0; g < posterior->groups; g++) free(posterior->group[g]);
    free(posterior->group);
    free(posterior);
}

/* The group of data without sigma, a new one for a new name; -1: no memory. place: of the groups among
 * the data. */
static int find_group(gofh_posterior *posterior, const gofh_study *st, int data, int *place)
{
    for (int g = 0; g < posterior->groups; g++)
        if (place[g] == data) return g;
    char *name = memory_copy_text(st->description.problem.numbers[data].name);
    if (!name) return -1;
    posterior->group[posterior->groups] = name;
    place[posterior->groups] = data;
    return posterior->groups++;
}

/* What is fitted, as the likelihood wants it; NULL: no memory. */
static infer_datum *collect(gofh_posterior *posterior, const gofh_study *st)
{
    const comparisons *fitted = &st->problem.fitted;
    infer_datum *data = memory_new(fitted->count, sizeof *data);
    int *place = memory_new(fitted->count, sizeof *place), failed = !data || !place;
    posterior->group = memory_new(fitted->count, sizeof *posterior->group);
    failed |= !posterior->group;
    for (size_t i = 0; i < fitted->count && !failed; i++) {
        const comparison *c = &fitted->items[i];
        int known = !isnan(c->deviation), group = known ? 0 : find_group(posterior, st, c->data, place);
        data[i] = (infer_datum){.output = c->output,
                                .value = c->value,
                                .sigma = c->deviation,
                                .group = group,
                                .unit = c->relative ? fabs(c->value) : 1.0};
        failed = group < 0;
    }
    free(place);
    if (!failed) return data;
    free(data);
    return NULL;
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
    if (st->problem.no_likelihood)
        return error_set(error, GOFH_ERROR_PROBLEM, "%s", st->problem.no_likelihood);
    if (st->problem.box.kinds)
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "a posterior is of intervals: it does not know fixed or discrete parameters yet");
    if (st->core->reduction) /* its model has but some of the outputs */
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "a posterior of %d outputs is not supported: fit 500 or fewer of them", st->core->m);
    return GOFH_OK;
}

/* A sigma can be told from residuals only where there are more data than parameters. */
static gofh_status check_sigmas(gofh_study *st, const gofh_posterior *posterior, const infer_datum *data,
                                int count)
{
    for (int g = 0; g < posterior->groups; g++) {
        int own = 0;
        for (int i = 0; i < count; i++) own += isnan(data[i].sigma) && data[i].group == g;
        if (own <= st->core->d)
            return error_set(&st->error, GOFH_ERROR_PROBLEM,
                             "sigma of data \"%.60s\" can't be estimated from %d values with %d parameter%s: "
                             "give it",
                             posterior->group[g], own, st->core->d, st->core->d == 1 ? "" : "s");
    }
    return GOFH_OK;
}

static gofh_status make(gofh_posterior *posterior, gofh_study *st, int samples)
{
    gofh_status status;
    int best = study_best(st->core, &status), count = (int)st->problem.fitted.count;
    if (!status && best < 0) status = GOFH_ERROR_EMPTY;
    if (status) return status;
    double x[GOFH_MAX_PARAMETERS];
    memcpy(x, st->core->trials.list[best].x, (size_t)st->core->parameters * sizeof *x);
    infer_datum *data = collect(posterior, st);
    if (!data) return GOFH_ERROR_MEMORY;
    status = check_sigmas(st, posterior, data, count);
    if (status) {
        free(data);
        return status;
    }
    infer_request request = {.prior = st->problem.prior,
                             .name = (const char *const *)st->problem.name,
                             .group = (const char *const *)posterior->group,
                             .best = x,
                             .samples = samples};
    return posterior_make(&posterior->found, st->core, &request, data, count, posterior->groups);
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
                                  .sigma_data = (const char *const *)posterior->group,
                                  .sigma_mean = p->sigma_mean,
                                  .sigma_lower = p->sigma_lower,
                                  .sigma_upper = p->sigma_upper,
                                  .message = p->message};
    sized_give(results, size, &own, sizeof own);
    return GOFH_OK;
}
