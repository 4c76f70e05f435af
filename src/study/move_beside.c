/* The moves while trials are open: the slopes around a local step, which the step after it will need,
 * and points at a distance from all of them. */
#include "study/engine.h"
#include "study/points.h"

#include <math.h>

/* How much of a direction must be new. */
static const double GENERAL_POSITION = 0.2;
/* Of the local step's length: how far from its end a slope is told, within these bounds; and in units
 * of that, how near a trial is that tells one. */
static const double SLOPE_PART = 0.3, SLOPE_MIN = 1e-5, SLOPE_MAX = 0.1, SLOPE_NEAR = 3.0;
/* By points_distance: how far from the incumbent and all open trials a restart is. */
static const double SPREAD_APART = 0.1;

enum { INFLATION_DOUBLINGS = 10 };

typedef struct {
    int count;
    double vector[GOFH_MAX_PARAMETERS][GOFH_MAX_PARAMETERS];
} directions;

/* What is new of the direction, which it becomes, and the length of that. */
static double take_known_away(int d, const directions *known, double *direction)
{
    double length = 0.0;
    for (int b = 0; b < known->count; b++) {
        double along = 0.0;
        for (int k = 0; k < d; k++) along += known->vector[b][k] * direction[k];
        for (int k = 0; k < d; k++) direction[k] -= along * known->vector[b][k];
    }
    for (int k = 0; k < d; k++) length += direction[k] * direction[k];
    return sqrt(length);
}

/* The directions in general position of all trials that are within `reach` of the centre. */
static void find_known(const study *st, const double *centre, double reach, directions *known)
{
    known->count = 0;
    for (size_t i = 0; i < st->trials.count && known->count < st->d; i++) {
        const trial *t = &st->trials.list[i];
        double *next = known->vector[known->count], away = points_euclidean(st->d, t->u, centre);
        int tells = t->state == GOFH_TRIAL_DONE || t->state == GOFH_TRIAL_OPEN;
        if (!tells || !(away > 0.0) || away > reach) continue;
        for (int k = 0; k < st->d; k++) next[k] = (t->u[k] - centre[k]) / away;
        double length = take_known_away(st->d, known, next);
        if (length <= GENERAL_POSITION) continue;
        for (int k = 0; k < st->d; k++) next[k] /= length;
        known->count++;
    }
}

/* What is newest of the coordinates. */
static void find_new(int d, const directions *known, double *direction)
{
    double longest = 0.0;
    for (int axis = 0; axis < d; axis++) {
        double rest[GOFH_MAX_PARAMETERS] = {0};
        rest[axis] = 1.0;
        double length = take_known_away(d, known, rest);
        if (!(length > longest)) continue;
        longest = length;
        for (int k = 0; k < d; k++) direction[k] = rest[k] / length;
    }
}

/* `reach` along the direction from the centre, to the side where there is more room. */
static void step_along(const engine *e, const double *centre, const double *direction, double reach,
                       double *u)
{
    double room[2] = {INFINITY, INFINITY};
    for (int k = 0; k < e->d; k++)
        for (int side = 0; side < 2; side++) {
            double along = side ? direction[k] : -direction[k];
            if (along != 0.0)
                room[side] = fmin(room[side], (along > 0.0 ? 1.0 - centre[k] : -centre[k]) / along);
        }
    double sign = room[1] >= fmin(room[0], reach) ? 1.0 : -1.0;
    for (int k = 0; k < e->d; k++) u[k] = fmin(fmax(centre[k] + sign * reach * direction[k], 0.0), 1.0);
}

gofh_status propose_slope(engine *e, proposal *p)
{
    const search_state *s = &e->state;
    const double *centre = s->open_local;
    if (s->noisy || !centre) return GOFH_OK;
    const proposal *improve = engine_proposal(e, propose_improve);
    if (!improve) return e->status;
    double step = points_euclidean(e->d, centre, e->st->trials.list[s->incumbent].u);
    double reach = fmin(fmax(SLOPE_PART * step, SLOPE_MIN), SLOPE_MAX), direction[GOFH_MAX_PARAMETERS] = {0};
    /* More is expected elsewhere. */
    if (!search_is_negligible(s, improve->gain) &&
        points_euclidean(e->d, improve->u, centre) > fmax(step, reach))
        return GOFH_OK;
    directions known;
    find_known(e->st, centre, SLOPE_NEAR * reach, &known);
    if (known.count == e->d) return GOFH_OK;
    find_new(e->d, &known, direction);
    step_along(e, centre, direction, reach, p->u);
    p->gain = improve->gain;
    return GOFH_OK;
}

gofh_status propose_spread(engine *e, proposal *p)
{
    improvement_search search = {.goal = acquire_goal_of(ACQUIRE_IMPROVEMENT),
                                 .centre = e->st->trials.list[e->state.incumbent].u,
                                 .apart = SPREAD_APART};
    int best = -1;
    if (!e->state.open || e->state.noisy || !isfinite(e->state.best_f)) return GOFH_OK;
    if (!engine_proposal(e, propose_improve)) return e->status; /* makes the candidates */
    for (int doublings = 0; doublings <= INFLATION_DOUBLINGS; doublings++) {
        double largest = 0.0;
        search.inflation = ldexp(1.0, doublings);
        gofh_status status = engine_screen_apart(e, &search, &best, &largest);
        if (status) return status;
        if (doublings == 0) p->gain = best < 0 ? 0.0 : largest;
        if (best < 0 || !search_is_negligible(&e->state, largest)) break;
    }
    for (int k = 0; k < e->d; k++)
        p->u[k] = best < 0 ? random_uniform(&e->stream)
                           : e->pool.points[(size_t)best * (size_t)e->d + (size_t)k];
    return GOFH_OK;
}
