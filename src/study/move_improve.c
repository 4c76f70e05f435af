/* The moves that follow the expected improvement: to its maximiser, away from the incumbent, or far
 * from it. */
#include "base/memory.h"
#include "study/climb.h"
#include "study/engine.h"
#include "study/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By points_distance: how far from the incumbent a restart goes at least. */
static const double RESTART_APART = 0.1;
/* The range of f in units of what basins differ by at most, and of itself at least. */
static const double RANGE_OF_BASINS = 10.0, RANGE_LEAST = 1e-8;
enum { DIVERSIFY_FROM = 3, INFLATION_DOUBLINGS = 10, VISITS = 12 };

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
    for (int i = 0; i < e->all.recipe.polished; i++)
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

/* The standard deviation of f at u among draws of the outputs with these deviations. f: room for them. */
static gofh_status deviation_of_f(engine *e, const double *u, const double *mean, const double *deviation,
                                  double *f, double *result)
{
    double centre = 0.0, squares = 0.0;
    int count = e->climb_draws, seen = 0;
    gofh_status status = acquisition_draw(e->st->fitted->acquire, ACQUIRE_OBJECTIVE, mean, deviation, e->z,
                                          count, u, 1, f);
    for (int i = 0; i < count; i++) {
        if (!isfinite(f[i])) continue; /* not feasible */
        double rest = f[i] - centre;
        centre += rest / ++seen;
        squares += rest * (f[i] - centre);
    }
    *result = seen ? sqrt(squares / seen) : NAN;
    return status;
}

gofh_status engine_augment(engine *e, const double *u, double *factor)
{
    const model *mo = e->st->fitted->mo;
    size_t m = (size_t)mo->outputs;
    double *mean = memory_doubles(3 * m + (size_t)e->climb_draws), spread, noise;
    *factor = 1.0;
    if (!mean) return GOFH_ERROR_MEMORY;
    double *deviation = mean + m, *of_noise = deviation + m, *f = of_noise + m;
    acquisition_predict(e->st->fitted->acquire, 0, u, 1, mean, deviation);
    for (int j = 0; j < mo->outputs; j++) {
        const gp *process = model_process(mo, 0, j);
        of_noise[j] = mo->scale[j] * sqrt(process->hyper.noise * process->diagonal * process->hyper.variance);
    }
    gofh_status status = deviation_of_f(e, u, mean, deviation, f, &spread);
    if (!status) status = deviation_of_f(e, u, mean, of_noise, f, &noise);
    if (!status && isfinite(spread) && isfinite(noise) && spread + noise > 0.0)
        *factor = 1.0 - noise / hypot(spread, noise);
    free(mean);
    return status;
}

gofh_status propose_diversify(engine *e, proposal *p)
{
    const search_state *s = &e->state;
    const proposal *improve = engine_proposal(e, propose_improve);
    if (!improve) return e->status;
    improvement_search search = search_from_incumbent(e, 1.0, SEARCH_NEAR);
    if (s->best_f == -INFINITY || s->region.turn < DIVERSIFY_FROM || !s->recently_near ||
        (!s->noisy && search_is_negligible(s, improve->gain)) ||
        points_distance(e->d, improve->u, search.centre) >= SEARCH_NEAR)
        return GOFH_OK;
    gofh_status status = engine_maximise_improvement(e, &search, p->u, &p->gain);
    if (status || !s->noisy) return status;
    /* With noise what is near may be worth another look. */
    double factor;
    status = engine_augment(e, improve->u, &factor);
    if (!(p->gain > factor * improve->gain)) p->gain = -INFINITY;
    return status;
}

/* How many trials have the choices of u, and its ordered values where these are few. */
static int count_visits(const engine *e, const double *u)
{
    const domain *box = &e->st->spec.box;
    int visits = 0;
    for (size_t i = 0; i < e->st->trials.count; i++) {
        int same = e->st->trials.list[i].state != GOFH_TRIAL_FORGOTTEN;
        for (int p = 0; p < e->st->parameters && same; p++)
            if (domain_is_case(domain_kind_of(box, p)))
                same = domain_index(box, p, u) == domain_index(box, p, e->st->trials.list[i].u);
        visits += same;
    }
    return visits;
}

/* Where there are choices: the best of the screened points, by g of the mean, among those whose choices
 * have been tried least, and climbed from with them. What is known of one choice may say little of
 * another. */
static gofh_status restart_at_other_choice(engine *e, proposal *p)
{
    const candidates *all = &e->all;
    size_t d = (size_t)e->d;
    int best = -1, least = 0;
    for (int i = 0; i < all->screened; i++) {
        const double *u = all->screen + (size_t)i * d;
        int visits = count_visits(e, u);
        if (best >= 0 &&
            (visits > least || (visits == least && !(all->screen_value[i] > all->screen_value[best]))))
            continue;
        best = i;
        least = visits;
    }
    if (best < 0 || least >= VISITS) return GOFH_OK;
    plug_in o = {.st = e->st};
    double reached;
    memcpy(p->u, all->screen + (size_t)best * d, d * sizeof *p->u);
    gofh_status status = climb_held(e->st, candidates_plug_in, &o, &o.status, all->recipe.iterations, p->u,
                                    &reached);
    p->gain = 0.0;
    return status;
}

static int has_choices(const engine *e)
{
    for (int p = 0; p < e->st->parameters; p++)
        if (domain_kind_of(&e->st->spec.box, p).kind == DOMAIN_CHOICE) return 1;
    return 0;
}

gofh_status propose_other_choice(engine *e, proposal *p)
{
    enum { EACH = 3 };
    if (e->state.noisy || e->state.best_f == -INFINITY || e->state.region.turn % EACH || !has_choices(e))
        return GOFH_OK;
    return engine_proposal(e, propose_improve) ? restart_at_other_choice(e, p) : e->status;
}

gofh_status propose_restart(engine *e, proposal *p)
{
    if (has_choices(e) && e->state.region.turn % 2) {
        gofh_status status = restart_at_other_choice(e, p);
        if (status || p->gain > -INFINITY) return status;
    }
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
