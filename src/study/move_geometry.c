/* The move that restores the geometry of the incumbent's neighbours. On a bound they may all share
 * a coordinate, and no model of theirs can tell a slope along it; and where local steps get small,
 * some neighbours are far away for their model. */
#include "study/engine.h"
#include "study/points.h"

#include <math.h>
#include <string.h>

/* How far off the bound the step goes, and at least; neighbours are within the first of the
 * incumbent. */
static const double GEOMETRY_REACH = 0.1, GEOMETRY_STEP_MIN = 0.01;
/* Of its distance from the incumbent: what a neighbour is off the bound by, if it tells a slope. */
static const double GEOMETRY_OFF = 0.7;
/* In units of the trust radius: a neighbour that is farther says little of the slopes there. */
static const double GEOMETRY_FAR = 10.0;

int geometry_is_degenerate(const study *st, const double *centre, int k)
{
    if (centre[k] > 0.0 && centre[k] < 1.0) return 0;
    if (st->spec.box.is_discrete && st->spec.box.is_discrete[k]) return 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        const double *u = st->trials.list[i].u;
        if (st->trials.list[i].state == GOFH_TRIAL_FORGOTTEN) continue;
        double off = fabs(u[k] - centre[k]);
        if (off > POINTS_SAME && points_reach(st->d, u, centre) <= GEOMETRY_REACH &&
            off >= GEOMETRY_OFF * points_euclidean(st->d, u, centre))
            return 0;
    }
    return 1;
}

/* The longest step off the bound of coordinate k at which g of the mean is next to nothing below
 * best_f, into u, and its gain: minus infinity where there is none. */
static gofh_status step_off(const engine *e, const double *centre, int k, double *u, double *gain)
{
    plug_in o = {.st = e->st};
    memcpy(u, centre, (size_t)e->d * sizeof *u);
    *gain = -INFINITY;
    for (double step = GEOMETRY_REACH; step >= GEOMETRY_STEP_MIN; step *= 0.5) {
        double value;
        u[k] = fabs(centre[k] - step);
        if (!space_holds(e->st->space, u)) continue;
        if (candidates_plug_in(u, 1, &value, NULL, &o)) return o.status;
        if (!search_is_negligible(&e->state, e->state.best_f - value)) continue;
        *gain = value - e->state.best_f;
        break;
    }
    return GOFH_OK;
}

/* Off the degenerate bound where g of the mean is largest. */
static gofh_status step_off_a_bound(const engine *e, proposal *p)
{
    const double *centre = e->st->trials.list[e->state.incumbent].u;
    double best = -INFINITY;
    for (int k = 0; k < e->d; k++) {
        double u[GOFH_MAX_PARAMETERS], gain;
        if (!geometry_is_degenerate(e->st, centre, k)) continue;
        gofh_status status = step_off(e, centre, k, u, &gain);
        if (status) return status;
        if (!(gain > best)) continue;
        memcpy(p->u, u, (size_t)e->d * sizeof *u);
        best = gain;
        p->gain = fmax(gain, 0.0);
    }
    return GOFH_OK;
}

/* Where one of the neighbours that correct the model is far away for the trust region: a step along
 * what only the farthest tells, to the side where g of the mean is larger. */
static gofh_status step_along(engine *e, proposal *p)
{
    int neighbour[GOFH_MAX_PARAMETERS];
    double basis[GOFH_MAX_PARAMETERS][GOFH_MAX_PARAMETERS], radius = e->state.region.radius;
    const double *centre = e->st->trials.list[e->state.incumbent].u;
    int count = local_choose_neighbours(e, neighbour, basis);
    if (count == 0 || count < e->directions) return GOFH_OK;
    const double *last = e->st->trials.list[neighbour[count - 1]].u;
    if (points_euclidean(e->d, last, centre) <= GEOMETRY_FAR * radius) return GOFH_OK;
    double best = -INFINITY;
    for (int sign = -1; sign <= 1; sign += 2) {
        double u[GOFH_MAX_PARAMETERS], value;
        plug_in o = {.st = e->st};
        for (int k = 0; k < e->d; k++)
            u[k] = fmin(fmax(centre[k] + sign * radius * basis[count - 1][k], 0.0), 1.0);
        if (!space_is_cube(e->st->space)) space_repair(e->st->space, u, NULL);
        if (points_euclidean(e->d, u, centre) < 0.5 * radius) continue;
        if (candidates_plug_in(u, 1, &value, NULL, &o)) return o.status;
        if (!(value > best)) continue;
        best = value;
        memcpy(p->u, u, (size_t)e->d * sizeof *u);
        p->gain = fmax(value - e->state.best_f, 0.0);
    }
    return GOFH_OK;
}

/* Whether next to nothing is expected, near the incumbent or anywhere. */
static int nothing_is_expected(engine *e)
{
    const proposal *improve = engine_proposal(e, propose_improve);
    if (!improve || !search_is_negligible(&e->state, improve->gain)) return 0;
    const proposal *local = engine_proposal(e, propose_local);
    return local && search_is_negligible(&e->state, local->gain);
}

gofh_status propose_geometry(engine *e, proposal *p)
{
    const search_state *s = &e->state;
    if (s->noisy || !isfinite(s->best_f) || !nothing_is_expected(e)) return e->status;
    gofh_status status = step_off_a_bound(e, p);
    if (status || p->gain > -INFINITY) return status;
    if (!trust_region_has_failed(&s->region) || s->region.repairs >= e->d) return GOFH_OK;
    return step_along(e, p);
}
