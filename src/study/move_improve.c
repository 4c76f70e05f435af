/* The moves that follow the expected improvement: to its maximiser, away from the incumbent, or far
 * from it. */
#include "study/engine.h"
#include "study/points.h"

#include <math.h>

/* By points_distance: how far from the incumbent a restart goes at least. */
static const double RESTART_APART = 0.1;
/* The range of f in units of what basins differ by at most, and of itself at least. */
static const double RANGE_OF_BASINS = 10.0, RANGE_LEAST = 1e-8;
enum { DIVERSIFY_FROM = 3, INFLATION_DOUBLINGS = 10 };

static improvement_search search_from_incumbent(const engine *e, double inflation, double apart)
{
    return (improvement_search){.goal = acquire_goal_of(ACQUIRE_IMPROVEMENT),
                                .centre = e->st->trials.list[e->state.incumbent].u,
                                .inflation = inflation,
                                .apart = apart};
}

/* One stiff term of g makes f vary by far more over the design than between the places that may be
 * optimal, and next to its range any gain of going from one to another is nothing. So the range
 * counts as at most so many times what those places differ by: the local maximisers of g of the
 * posterior mean away from the incumbent. */
static void find_basin_range(engine *e)
{
    search_state *s = &e->state;
    double apart = 0.0;
    if (!(e->st->method->parts & PART_BASINS) || s->best_f == -INFINITY) return;
    for (int i = 0; i < CANDIDATES_POLISHED; i++)
        if (isfinite(e->all.reached[i]) && points_distance(e->d, e->all.polished + (size_t)i * (size_t)e->d,
                                                           e->all.incumbent) >= SEARCH_NEAR)
            apart = fmax(apart, fabs(s->best_f - e->all.reached[i]));
    if (apart > 0.0)
        s->basin_range = fmin(s->f_range, fmax(RANGE_OF_BASINS * apart, RANGE_LEAST * s->f_range));
}

gofh_status propose_improve(engine *e, proposal *p)
{
    improvement_search search = search_from_incumbent(e, 1.0, 0.0);
    double value;
    gofh_status status = engine_make_candidates(e, ACQUIRE_OBJECTIVE, search.centre);
    if (status) return status;
    find_basin_range(e);
    status = engine_maximise_improvement(e, &search, p->u, &value);
    if (status) return status;
    if (e->state.best_f == -INFINITY) {
        p->gain = NAN;
        p->feasible = value;
    } else {
        p->gain = value;
    }
    return GOFH_OK;
}

gofh_status propose_diversify(engine *e, proposal *p)
{
    const search_state *s = &e->state;
    const proposal *improve = engine_proposal(e, propose_improve);
    if (!improve) return e->status;
    improvement_search search = search_from_incumbent(e, 1.0, SEARCH_NEAR);
    /* With noise what is near is worth another look. */
    if (s->noisy || s->best_f == -INFINITY || s->region.turn < DIVERSIFY_FROM || !s->recently_near ||
        search_is_negligible(s, improve->gain) ||
        points_distance(e->d, improve->u, search.centre) >= SEARCH_NEAR)
        return GOFH_OK;
    return engine_maximise_improvement(e, &search, p->u, &p->gain);
}

gofh_status propose_restart(engine *e, proposal *p)
{
    /* The least inflation that is enough, by bisection over its doublings: more of it expects
     * more. */
    int least = 0, enough = INFLATION_DOUBLINGS;
    while (least < enough) {
        int middle = (least + enough) / 2;
        improvement_search search = search_from_incumbent(e, ldexp(1.0, middle), RESTART_APART);
        double largest;
        gofh_status status = engine_screen_improvement(e, &search, &largest);
        if (status) return status;
        if (largest > SEARCH_NEGLIGIBLE * e->state.basin_range)
            enough = middle;
        else
            least = middle + 1;
    }
    improvement_search search = search_from_incumbent(e, ldexp(1.0, enough), RESTART_APART);
    return engine_maximise_improvement(e, &search, p->u, &p->gain);
}

gofh_status propose_anywhere(engine *e, proposal *p)
{
    if (!e->state.flat) return GOFH_OK;
    for (int k = 0; k < e->d; k++) p->u[k] = random_uniform(&e->stream);
    space_scatter(e->st->space, &e->stream, 1, p->u);
    p->gain = 0.0;
    return GOFH_OK;
}
