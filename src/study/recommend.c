/* What the model says: the posterior at given points, and the point where the posterior mean of
 * f is best. */
#include "base/memory.h"
#include "base/vector.h"
#include "study/candidates.h"
#include "study/climb.h"
#include "study/fit.h"
#include "study/fitted.h"
#include "study/predict.h"
#include "study/reduce.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECOMMEND_ITERATIONS = 100 };

typedef struct {
    study *st;
    const double *z;
    int best; /* the trial */
    gofh_status status;
} mean_context;

static int mean_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    mean_context *o = context;
    acquisition *a = o->st->fitted->acquire;
    o->status = acquisition_has_closed_form(a, ACQUIRE_MEAN)
                    ? acquisition_closed_form(a, acquire_goal_of(ACQUIRE_MEAN), x, count, value, gradient)
                    : acquisition_monte_carlo(a, acquire_goal_of(ACQUIRE_MEAN), 0, o->st->fitted->mo->samples,
                                              o->z, PREDICT_DRAWS, x, count, value, gradient);
    if (!o->status) success_penalise(o->st, x, count, value, gradient);
    return o->status != GOFH_OK;
}

/* Screens the candidates and all data, polishes the best STARTS. */
static gofh_status search_mean(mean_context *o, candidates *c, double *u, double *mean)
{
    study *st = o->st;
    size_t d = (size_t)st->d;
    double moved[(STARTS + 1) * GOFH_MAX_PARAMETERS], value[STARTS + 1];
    if (mean_objective(c->points, c->count, c->value, NULL, o)) return o->status;
    candidates_choose(c, st);
    memcpy(moved, c->incumbent, d * sizeof *moved);
    memcpy(moved + d, c->start, (size_t)c->starts * d * sizeof *moved);
    int starts = c->starts + 1;
    gofh_status status = climb_allowed(st, mean_objective, o, &o->status, RECOMMEND_ITERATIONS, starts, moved,
                                       value);
    if (status) return status;
    int best = vector_largest(value, starts);
    memcpy(u, moved + (size_t)best * d, d * sizeof *u);
    *mean = value[best];
    /* What was seen without noise is known, even where the model, at the edge of the feasible region,
     * is not so sure. */
    const trial *seen = &st->trials.list[o->best];
    if (study_is_noisy(st) || !(seen->f >= *mean)) return GOFH_OK;
    memcpy(u, seen->u, d * sizeof *u);
    *mean = seen->f;
    return GOFH_OK;
}

/* The best E[f] of the model as it is said to the user. */
static gofh_status recommend(study *st, double *u, double *mean)
{
    gofh_status status = success_fit(st);
    if (status) return status;
    candidates c;
    double *z = predict_normals(st);
    if (!z) return GOFH_ERROR_MEMORY;
    mean_context o = {.st = st, .z = z, .best = study_best(st, &status)};
    if (!status) status = candidates_make(&c, st, 0);
    if (!status) {
        status = search_mean(&o, &c, u, mean);
        candidates_free(&c);
    }
    free(z);
    return status;
}

gofh_status study_recommend(study *st, double *u, double *mean, double *deviation)
{
    gofh_status status;
    study *by = reduce_study(st, &status);
    if (status) return status;
    status = predict_enter(by);
    if (!status) status = recommend(by, u, mean);
    predict_leave(by);
    return status ? status : study_predict(st, u, 1, NULL, NULL, NULL, deviation);
}
