/* The move that restores the geometry of the incumbent's neighbours: on a bound they may all share
 * a coordinate, and no model of theirs can tell a slope along it. */
#include "study/engine.h"
#include "study/points.h"

#include <math.h>
#include <string.h>

/* How far off the bound the step goes, and at least; neighbours are within the first of the
 * incumbent. */
static const double GEOMETRY_REACH = 0.1, GEOMETRY_STEP_MIN = 0.01;
/* Of its distance from the incumbent: what a neighbour is off the bound by, if it tells a slope. */
static const double GEOMETRY_OFF = 0.7;

int geometry_is_degenerate(const study *st, const double *centre, int k)
{
    if (centre[k] > 0.0 && centre[k] < 1.0) return 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        const double *u = st->trials.list[i].u;
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
        if (candidates_plug_in(u, 1, &value, NULL, &o)) return o.status;
        if (!search_is_negligible(&e->state, e->state.best_f - value)) continue;
        *gain = value - e->state.best_f;
        break;
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
    const double *centre = e->st->trials.list[s->incumbent].u;
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
