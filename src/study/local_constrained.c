/* The local step where there are constraints: the maximiser of the corrected model that keeps its
 * margins. */
#include "base/memory.h"
#include "search/constrained.h"
#include "study/engine.h"
#include "study/fitted.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The distance kept from a constraint: a part of the last step's violation, and always more than
 * the rounding of x. */
static const double OF_VIOLATION = 0.1, OF_RANGE = 1e-14;
/* And so much of the gain, the more the more steps violated one. */
static const double OF_GAIN = 0.02, CAUTION = 5.0, OF_GAIN_MAX = 0.5;
static const double RETREAT_MIN = 0x1p-40; /* of the way back; doubled until nearly half of it */
enum { RETREATS = 40 };

typedef struct {
    const engine *e;
    const acquisition_correction *correction;
    gofh_status status;
} model_context;

static int look(const double *x, double *value, double *gradient, double *margin, double *slope,
                void *context)
{
    model_context *o = context;
    const engine *e = o->e;
    size_t given = (size_t)e->st->spec.g->margins;
    o->status = acquisition_with_margins(e->st->fitted->acquire, 0, o->correction, x, value, gradient, margin,
                                         slope);
    if (success_is_modelled(e->st)) success_score(e->st, x, 1, margin + given, slope + given * (size_t)e->d);
    if (e->known) space_look(e->st->space, x, margin + e->margins, slope + e->margins * e->d);
    const unsigned char *is_discrete = e->st->spec.box.is_discrete;
    for (int k = 0; is_discrete && k < e->d; k++) {
        if (!is_discrete[k]) continue;
        gradient[k] = 0.0;
        for (int i = 0; i < e->margins + e->known; i++) slope[i * e->d + k] = 0.0;
    }
    return o->status != GOFH_OK;
}

/* Whether all margins are kept, as well as at the incumbent: there they are known to be. */
static int all_kept(int k, const double *margin, const double *at_incumbent)
{
    for (int i = 0; i < k; i++)
        if (!(margin[i] >= fmin(at_incumbent[i], 0.0))) return 0;
    return 1;
}

/* Moves u towards the incumbent, as little as is needed, until all margins are kept; *value is
 * minus infinity where that never happens. */
static int retreat(model_context *o, const double *at_incumbent, double *u, double *value, double *gradient,
                   double *margin, double *slope)
{
    const engine *e = o->e;
    const double *best = e->st->trials.list[e->state.incumbent].u;
    double end[GOFH_MAX_PARAMETERS];
    memcpy(end, u, (size_t)e->d * sizeof *u);
    for (int retreats = 0; retreats <= RETREATS; retreats++) {
        double part = retreats ? RETREAT_MIN * exp2(retreats - 1.0) : 0.0;
        for (int k = 0; k < e->d; k++) u[k] = end[k] + part * (best[k] - end[k]);
        if (look(u, value, gradient, margin, slope, o)) return -1;
        if (all_kept(e->margins + e->known, margin, at_incumbent)) return 0;
    }
    *value = -INFINITY;
    return 0;
}

/* What is wanted of the margins: more than the rounding of x, and part of the last step's
 * violation. */
static void set_least(const engine *e, const double *slope, double *wanted)
{
    for (int i = 0; i < e->margins + e->known; i++) {
        double range = 0.0, violation = i < e->margins ? e->state.violation[i] : 0.0;
        for (int k = 0; k < e->d; k++) range += fabs(slope[i * e->d + k]);
        wanted[i] = fmax(OF_VIOLATION * violation, OF_RANGE * range);
    }
}

/* A distance from the active constraints, paid for by a part of the gain: the model is not
 * exact. */
static void keep_distance(const engine *e, double gain, const double *multiplier, double *wanted)
{
    int k = e->st->spec.g->margins,
        active = 0; /* how likely success is, is no margin to keep a distance in */
    double part = fmin(OF_GAIN * pow(CAUTION, e->state.region.violations), OF_GAIN_MAX);
    for (int i = 0; i < k; i++) active += multiplier[i] > 0.0;
    for (int i = 0; i < k; i++) {
        double distance = part * gain / (active * multiplier[i]);
        if (multiplier[i] > 0.0 && isfinite(distance)) wanted[i] = fmax(wanted[i], distance);
    }
}

gofh_status engine_maximise_constrained(const engine *e, const acquisition_correction *correction,
                                        const double *lower, const double *upper, double *u, double *value,
                                        double *multiplier)
{
    size_t d = (size_t)e->d, k = (size_t)(e->margins + e->known);
    model_context o = {.e = e, .correction = correction};
    double *wanted = memory_doubles(4 * k + d + k * d + constrained_work((int)k, e->d));
    if (!wanted) return GOFH_ERROR_MEMORY;
    double *found = wanted + k, *margin = found + k, *gradient = margin + k, *slope = gradient + d,
           *at_incumbent = slope + k * d, *work = at_incumbent + k;
    double start[2][GOFH_MAX_PARAMETERS], reached, best = -INFINITY;
    memcpy(start[0], u, d * sizeof *u);
    memcpy(start[1], e->st->trials.list[e->state.incumbent].u, d * sizeof *u);
    int failed = look(start[1], &reached, gradient, at_incumbent, slope, &o);
    set_least(e, slope, wanted);
    for (int s = 0; s < 3 && !failed; s++) {
        double *x = start[s % 2]; /* the third: the better of the two, at a distance */
        if (s == 2) {
            if (!(best > e->state.best_f)) break;
            keep_distance(e, best - e->state.best_f, multiplier, wanted);
            memcpy(x, u, d * sizeof *u);
        }
        failed = constrained_maximize(look, &o, (int)k, e->d, lower, upper, wanted, x, found, work) ||
                 retreat(&o, at_incumbent, x, &reached, gradient, margin, slope);
        if (failed || (s < 2 ? !(reached > best) : !(reached > e->state.best_f))) continue;
        best = reached;
        memcpy(u, x, d * sizeof *u);
        memcpy(multiplier, found, k * sizeof *multiplier);
    }
    *value = best;
    free(wanted);
    for (size_t i = 0; i < k; i++) multiplier[i] *= 2.0;
    return failed ? o.status : GOFH_OK;
}
