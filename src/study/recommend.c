/* What the model says: the posterior at given points, and the point where the posterior mean of
 * f is best. */
#include "base/memory.h"
#include "base/quasi.h"
#include "base/vector.h"
#include "study/candidates.h"
#include "study/climb.h"
#include "study/fit.h"
#include "study/fitted.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEAN_DRAWS = 128, RECOMMEND_ITERATIONS = 100 };

/* Normals that depend on the data alone, so that asking twice gives the same answer. */
static double *mean_normals(const study *st)
{
    double *z = memory_doubles((size_t)MEAN_DRAWS * (size_t)st->outputs);
    if (!z) return NULL;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_RECOMMEND,
                                       (uint64_t)st->fitted->data_count, 0);
    quasi_normals(&stream, st->outputs, MEAN_DRAWS, z);
    return z;
}

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
                                              o->z, MEAN_DRAWS, x, count, value, gradient);
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
    gofh_status status = climb_cube(&st->climbing, mean_objective, o, &o->status, RECOMMEND_ITERATIONS,
                                    starts, st->d, moved, value);
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

gofh_status study_recommend(study *st, double *u, double *mean, double *deviation)
{
    gofh_status status = study_fit(st);
    if (!status) status = success_fit(st);
    if (status) return status;
    candidates c;
    double *z = mean_normals(st);
    if (!z) return GOFH_ERROR_MEMORY;
    mean_context o = {.st = st, .z = z, .best = study_best(st, &status)};
    if (!status) status = candidates_make(&c, st, 0);
    if (!status) {
        status = search_mean(&o, &c, u, mean);
        candidates_free(&c);
    }
    free(z);
    return status ? status : study_predict(st, u, 1, NULL, NULL, NULL, deviation);
}

/* Mixture over the hyperparameter samples: mean of means, mean of variances plus variance of
 * means. */
static gofh_status predict_outputs(study *st, const double *points, int q, double *mean, double *variance)
{
    const model *mo = st->fitted->mo;
    size_t m = (size_t)st->outputs, d = (size_t)st->d;
    enum { CHUNK = 64 };
    double *block = memory_doubles(posterior_size(CHUNK, st->outputs, st->d) + model_predict_work(mo, CHUNK) +
                                   2 * m * CHUNK);
    if (!block) return GOFH_ERROR_MEMORY;
    double *work = block + posterior_size(CHUNK, st->outputs, st->d),
           *sum = work + model_predict_work(mo, CHUNK);
    double *squares = sum + m * CHUNK;
    for (int start = 0; start < q; start += CHUNK) {
        int part = q - start < CHUNK ? q - start : CHUNK;
        size_t values = (size_t)part * m, at = (size_t)start * m;
        for (int s = 0; s < mo->samples; s++) {
            posterior p;
            posterior_place(&p, part, st->outputs, st->d, block);
            model_predict(mo, s, points + (size_t)start * d, part, PREDICT_DEVIATION, &p, work);
            posterior_moments(&p, 0);
            for (size_t i = 0; i < values; i++) {
                if (s == 0) sum[i] = squares[i] = 0.0;
                double rest = p.mean[i] - sum[i];
                sum[i] += rest / (s + 1);
                squares[i] += rest * (p.mean[i] - sum[i]) + p.deviation[i] * p.deviation[i];
            }
        }
        for (size_t i = 0; i < values; i++) {
            if (mean) mean[at + i] = sum[i];
            if (variance) variance[at + i] = squares[i] / mo->samples;
        }
    }
    free(block);
    return GOFH_OK;
}

gofh_status study_predict(study *st, const double *points, int q, double *mean, double *variance, double *f,
                          double *f_deviation)
{
    gofh_status status = study_fit(st);
    if (!status && (mean || variance)) status = predict_outputs(st, points, q, mean, variance);
    int exact = !status && acquisition_has_closed_form(st->fitted->acquire, ACQUIRE_MEAN);
    if (!status && f && exact)
        status = acquisition_closed_form(st->fitted->acquire, acquire_goal_of(ACQUIRE_MEAN), points, q, f,
                                         NULL);
    if (status || (!f_deviation && (exact || !f))) return status;
    double *z = mean_normals(st), *discarded = memory_doubles((size_t)q);
    status = z && discarded ? acquisition_moments(st->fitted->acquire, z, MEAN_DRAWS, points, q,
                                                  f && !exact ? f : discarded, f_deviation)
                            : GOFH_ERROR_MEMORY;
    free(z);
    free(discarded);
    return status;
}

gofh_status study_predict_objective(study *st, const double *points, int q, double *objective,
                                    double *deviation, double *feasible)
{
    size_t margins = (size_t)st->spec.g->margins;
    int apart = margins > 0 && st->method->subject == MODEL_OF_H;
    for (int i = 0; feasible && i < q; i++) feasible[i] = margins ? NAN : 1.0;
    if (!apart) return study_predict(st, points, q, NULL, NULL, objective, deviation);
    gofh_status status = study_fit(st);
    if (status) return status;
    double *z = mean_normals(st), *free_of_cost = memory_doubles(margins + (size_t)q);
    if (!z || !free_of_cost)
        status = GOFH_ERROR_MEMORY;
    else
        status = acquisition_penalised_moments(st->fitted->acquire, free_of_cost, z, MEAN_DRAWS, points, q,
                                               objective ? objective : free_of_cost + margins, deviation);
    if (!status && feasible)
        status = acquisition_monte_carlo(st->fitted->acquire, acquire_goal_of(ACQUIRE_FEASIBILITY), 0,
                                         st->fitted->mo->samples, z, MEAN_DRAWS, points, q, feasible, NULL);
    free(z);
    free(free_of_cost);
    return status;
}

gofh_status study_leave_one_out(study *st, double *mean, double *variance)
{
    gofh_status status = study_fit(st);
    if (status) return status;
    const model *mo = st->fitted->mo;
    size_t n = (size_t)st->fitted->data_count, m = (size_t)st->outputs;
    double *own = memory_doubles(2 * n + gp_leave_one_out_work(st->fitted->data_count));
    if (!own) return GOFH_ERROR_MEMORY;
    double *squares = own + n, *work = squares + n;
    memset(mean, 0, n * m * sizeof *mean);
    memset(variance, 0, n * m * sizeof *variance);
    for (int s = 0; s < mo->samples; s++)
        for (size_t j = 0; j < m; j++) {
            model_leave_one_out(mo, s, (int)j, own, squares, work);
            for (size_t i = 0; i < n; i++) {
                double *at = mean + i * m + j, rest = own[i] - *at;
                *at += rest / (s + 1);
                variance[i * m + j] += (isnan(own[i]) ? INFINITY : rest * (own[i] - *at) + squares[i]) /
                                       mo->samples;
            }
        }
    free(own);
    return GOFH_OK;
}
