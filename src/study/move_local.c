/* The local step: the model, made exact at the incumbent and its neighbours by a linear function,
 * is maximised with the exact g in a trust region. */
#include "base/memory.h"
#include "base/vector.h"
#include "study/climb.h"
#include "study/engine.h"
#include "study/points.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_STARTS = 4, LOCAL_ITERATIONS = 100 };
/* Of the corrected model's values, relative to f. Its slopes are more precise. */
static const double PRECISION = 1e-12;
/* How much of a neighbour's direction must be new. */
static const double GENERAL_POSITION = 0.2;
/* Steps to a constraint end closer and closer to each other, until rounding over their distances
 * makes slopes of nothing. */
static const double NEAREST_AT_CONSTRAINTS = 1e-7;

/* Whether two points have the same values of all discrete parameters. */
static int has_values_of(const study *st, const double *u, const double *other)
{
    const unsigned char *is_discrete = st->spec.box.is_discrete;
    for (int k = 0; is_discrete && k < st->d; k++)
        if (is_discrete[k] && fabs(u[k] - other[k]) >= POINTS_SAME) return 0;
    return 1;
}

/* Unit vectors in what is left beside the first `count` of an orthonormal basis. */
static void complete_basis(int d, int count, double basis[][GOFH_MAX_PARAMETERS])
{
    for (int next = 0; next < d && count < d; next++) {
        double rest[GOFH_MAX_PARAMETERS] = {0}, norm = 0.0;
        rest[next] = 1.0;
        for (int again = 0; again < 2; again++)
            for (int b = 0; b < count; b++) {
                double along = 0.0;
                for (int k = 0; k < d; k++) along += basis[b][k] * rest[k];
                for (int k = 0; k < d; k++) rest[k] -= along * basis[b][k];
            }
        for (int k = 0; k < d; k++) norm += rest[k] * rest[k];
        if (norm < 1e-6) continue;
        for (int k = 0; k < d; k++) basis[count][k] = rest[k] / sqrt(norm);
        count++;
    }
}

int local_choose_neighbours(const engine *e, int *neighbour, double basis[][GOFH_MAX_PARAMETERS])
{
    const study *st = e->st;
    int d = e->d, count = 0;
    double reached = st->spec.g->margins || space_has_constraints(st->space) ? NEAREST_AT_CONSTRAINTS : 0.0;
    const double *best = st->trials.list[e->state.incumbent].u;
    while (count < e->directions) {
        /* The next in order of distance: nearest of those farther than the last looked at. */
        double nearest = INFINITY;
        int next = -1;
        for (size_t i = 0; i < st->trials.count; i++) {
            if (st->trials.list[i].state != GOFH_TRIAL_DONE || isnan(st->trials.list[i].f)) continue;
            if (!has_values_of(st, st->trials.list[i].u, best)) continue;
            double away = points_euclidean(d, st->trials.list[i].u, best);
            if (away > reached && away < nearest) {
                nearest = away;
                next = (int)i;
            }
        }
        if (next < 0) break;
        reached = nearest;
        double rest[GOFH_MAX_PARAMETERS], norm = 0.0;
        for (int k = 0; k < d; k++) rest[k] = (st->trials.list[next].u[k] - best[k]) / nearest;
        for (int b = 0; b < count; b++) {
            double along = 0.0;
            for (int k = 0; k < d; k++) along += basis[b][k] * rest[k];
            for (int k = 0; k < d; k++) rest[k] -= along * basis[b][k];
        }
        for (int k = 0; k < d; k++) norm += rest[k] * rest[k];
        norm = sqrt(norm);
        if (norm <= GENERAL_POSITION) continue;
        for (int k = 0; k < d; k++) basis[count][k] = rest[k] / norm;
        neighbour[count++] = next;
    }
    return count;
}

/* Offset and slopes of the correction: none without enough neighbours in general position. */
static gofh_status find_correction(const engine *e, double *offset, double *slope)
{
    const study *st = e->st;
    size_t d = (size_t)e->d, m = (size_t)st->m;
    int neighbour[GOFH_MAX_PARAMETERS];
    double basis[GOFH_MAX_PARAMETERS][GOFH_MAX_PARAMETERS] = {{0}};
    int count = local_choose_neighbours(e, neighbour, basis);
    memset(offset, 0, m * sizeof *offset);
    memset(slope, 0, m * d * sizeof *slope);
    if (count < e->directions) return GOFH_OK;
    double *points = memory_doubles((d + 1) * (d + m) + model_plane_work(st->fitted->mo));
    if (!points) return GOFH_ERROR_MEMORY;
    double *values = points + (d + 1) * d, *work = values + (d + 1) * m;
    /* Along what neighbours can't differ in there is no correction. */
    if (count < e->d) complete_basis(e->d, count, basis);
    for (size_t i = (size_t)count + 1; i <= d; i++)
        for (size_t k = 0; k < d; k++)
            points[i * d + k] = st->trials.list[e->state.incumbent].u[k] + basis[i - 1][k];
    for (size_t i = 0; i <= (size_t)count; i++) {
        const trial *t = &st->trials.list[i ? neighbour[i - 1] : e->state.incumbent];
        memcpy(points + i * d, t->u, d * sizeof *points);
        memcpy(values + i * m, t->y, m * sizeof *values);
    }
    if (model_plane(st->fitted->mo, 0, count, points, values, offset, slope, work)) {
        memset(offset, 0, m * sizeof *offset);
        memset(slope, 0, m * d * sizeof *slope);
    }
    free(points);
    return GOFH_OK;
}

typedef struct {
    const engine *e;
    acquisition_correction correction;
    gofh_status status;
} local_context;

static int local_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    local_context *o = context;
    o->status = acquisition_corrected(o->e->st->fitted->acquire, 0, &o->correction, x, count, value,
                                      gradient);
    return o->status != GOFH_OK;
}

/* Whether the maximiser u may violate a constraint or is likely to fail. */
static int must_keep_margins(const engine *e, const double *u)
{
    double score = 0.0;
    if (success_is_modelled(e->st)) success_score(e->st, u, 1, &score, NULL);
    return e->st->spec.g->margins > 0 || e->known > 0 || score < 0.0;
}

/* Maximises the corrected model in the trust region, from the incumbent and random points; where
 * there are constraints first with a penalty, then exactly. multiplier: of each margin. */
static gofh_status maximise(engine *e, local_context *o, double *u, double *value, double *multiplier)
{
    size_t d = (size_t)e->d;
    const double *best = e->st->trials.list[e->state.incumbent].u;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS], x[LOCAL_STARTS * GOFH_MAX_PARAMETERS];
    double reached[LOCAL_STARTS];
    for (size_t k = 0; k < d; k++) {
        lower[k] = fmax(best[k] - e->state.region.radius, 0.0);
        upper[k] = fmin(best[k] + e->state.region.radius, 1.0);
        x[k] = best[k];
        if (e->st->spec.box.is_discrete && e->st->spec.box.is_discrete[k]) lower[k] = upper[k] = best[k];
    }
    for (size_t i = d; i < LOCAL_STARTS * d; i++)
        x[i] = lower[i % d] + (upper[i % d] - lower[i % d]) * random_uniform(&e->stream);
    double here, slope[GOFH_MAX_PARAMETERS];
    if (local_objective(best, 1, &here, slope, o)) return o->status;
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = LOCAL_ITERATIONS;
    settings.value_tolerance = 0.0;
    settings.rounding = PRECISION;
    gofh_status status = climb_box(&e->st->climbing, local_objective, o, &o->status, &settings,
                                   LOCAL_STARTS - 1, e->d, lower, upper, x + d, reached + 1);
    /* From the incumbent in tiny steps at first: the optimum may be nearer than a line search can
     * shrink to. */
    settings.first_step = 1e-6;
    if (!status)
        status = climb_box(&e->st->climbing, local_objective, o, &o->status, &settings, 1, e->d, lower, upper,
                           x, reached);
    if (status) return status;
    int top = vector_largest(reached, LOCAL_STARTS);
    memcpy(u, x + (size_t)top * d, d * sizeof *u);
    *value = reached[top];
    /* A gain that is lost in the model's rounding follows from its slope: a quadratic gains half of
     * what that predicts. */
    if (fabs(*value - here) < 10.0 * PRECISION * fabs(here)) {
        double predicted = 0.0;
        for (size_t k = 0; k < d; k++) predicted += 0.5 * slope[k] * (u[k] - best[k]);
        *value = e->state.best_f + predicted;
    }
    if (!must_keep_margins(e, u)) return GOFH_OK;
    double free_value = *value;
    status = engine_maximise_constrained(e, &o->correction, lower, upper, u, value, multiplier);
    /* An edge of failures that may be chance and leaves nothing to gain is tried now and then. */
    int doubtful = e->st->spec.g->margins == 0 && success_is_doubtful(e->st);
    if (status || !e->state.forced || !doubtful || *value > e->state.best_f) return status;
    memcpy(u, x + (size_t)top * d, d * sizeof *u);
    *value = free_value;
    return GOFH_OK;
}

gofh_status propose_local(engine *e, proposal *p)
{
    study *st = e->st;
    if (!isfinite(e->state.best_f) || e->directions == 0) return GOFH_OK;
    size_t d = (size_t)e->d, m = (size_t)st->m;
    double *offset = memory_doubles(m * (d + 1) + (size_t)(e->margins + e->known));
    if (!offset) return GOFH_ERROR_MEMORY;
    double *multiplier = offset + m * (d + 1), value = -INFINITY, mean;
    local_context o = {.e = e, .correction = {st->trials.list[e->state.incumbent].u, offset, offset + m}};
    gofh_status status = find_correction(e, offset, offset + m);
    if (!status) status = maximise(e, &o, p->u, &value, multiplier);
    if (!status && value > -INFINITY && !space_is_cube(st->space)) space_repair(st->space, p->u, NULL);
    p->gain = value - e->state.best_f;
    if (!status)
        status = acquisition_penalised_moments(st->fitted->acquire, multiplier, e->z, e->draws, p->u, 1,
                                               &mean, &p->deviation);
    free(offset);
    return status;
}
