/* One suggestion of the method "gofh": the table of moves, and how the first acceptable one is
 * made. */
#include "study/engine.h"
#include "study/journal.h"

#include "base/memory.h"
#include "study/calibrate.h"
#include "study/fit.h"
#include "study/objective.h"
#include "study/points.h"
#include "study/rules.h"
#include "study/stop.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name; /* the trial's origin */
    unsigned part;    /* of the method; 0: it can't be taken away */
    engine_propose propose;
    int (*accept)(const search_state *s, double best_ei, const proposal *p); /* rules.h */
} move;

/* The first move that is accepted is made. */
static const move MOVES[] = {
    {"restart", 0, propose_anywhere, rule_flat},
    {POSTERIOR_ORIGIN, 0, propose_posterior, rule_goal},
    {"feasibility", PART_FEASIBILITY, propose_feasibility, rule_always},
    {"restart", PART_RESTART, propose_other_choice, rule_little_expected},
    {"diversify", PART_DIVERSIFY, propose_diversify, rule_worthwhile},
    {"geometry", PART_GEOMETRY, propose_geometry, rule_always},
    {"local", PART_LOCAL, propose_local, rule_beats_improvement},
    {"slope", PART_GEOMETRY, propose_slope, rule_always},
    {"improve", 0, propose_improve, rule_improvement_left},
    {"replicate", PART_REPLICATE, propose_replicate, rule_noisy},
    {"exploit", PART_EXPLOIT, propose_exploit, rule_better_mean},
    {"local", PART_LOCAL, propose_local, rule_reliable},
    {"spread", PART_RESTART, propose_spread, rule_always},
    {"restart", PART_RESTART, propose_restart, rule_always},
    {"improve", 0, propose_improve, rule_always},
};

enum { MOVE_COUNT = sizeof MOVES / sizeof MOVES[0] };
_Static_assert((int)MOVE_COUNT <= (int)PROPOSALS_MAX, "a proposal for each row");

/* Whether the model could not tell the point from one that is being evaluated. With noise another look
 * tells more. */
static int repeats_open_trial(const engine *e, const proposal *p)
{
    const trial_list *trials = &e->st->trials;
    for (size_t i = 0; e->state.open && !e->state.noisy && i < trials->count; i++)
        if (trials->list[i].state == GOFH_TRIAL_OPEN &&
            points_reach(e->d, p->u, trials->list[i].u) < ENGINE_SEPARATION)
            return 1;
    return 0;
}

/* Whether this move is made. */
static int is_accepted(engine *e, const move *m)
{
    const search_state *s = &e->state;
    if (m->part && !(e->st->method->parts & m->part)) return 0;
    int compares = !s->flat && m->accept != rule_goal;
    const proposal *improve = compares ? engine_proposal(e, propose_improve) : NULL;
    const proposal *p = e->status ? NULL : engine_proposal(e, m->propose);
    if (!p || p->gain == -INFINITY || repeats_open_trial(e, p)) return 0;
    return m->accept(s, improve ? improve->gain : NAN, p);
}

static gofh_status choose(engine *e, proposal *chosen)
{
    int i = 0;
    while (!is_accepted(e, &MOVES[i]) && !e->status && i < MOVE_COUNT - 1) i++;
    if (e->status) return e->status;
    *chosen = *engine_proposal(e, MOVES[i].propose);
    chosen->origin = MOVES[i].name;
    return GOFH_OK;
}

/* A point that has been tried tells nothing new. With noise one beside it tells as much; a local
 * step is perturbed until it is new, more and more; anything else came to where nothing is
 * expected, and goes anywhere. */
static void avoid_repetition(engine *e, proposal *p)
{
    if (!space_is_cube(e->st->space)) space_repair(e->st->space, p->u, NULL);
    if (points_reach_to_trials(e->st, p->u) >= POINTS_SAME) return;
    if (space_continuous(e->st->space) == 0) { /* nothing is beside it; with noise it is worth another look */
        if (!e->state.noisy) study_find_untried(e->st, &e->stream, p->u);
        return;
    }
    double from[GOFH_MAX_PARAMETERS];
    int beside = e->state.noisy || strcmp(p->origin, "local") == 0 ? 80 : 0;
    memcpy(from, p->u, (size_t)e->d * sizeof *from);
    for (int tries = 0; tries < 100 && points_reach_to_trials(e->st, p->u) < POINTS_SAME; tries++) {
        double reach = pow(10.0, -4.0 + 0.05 * tries);
        for (int k = 0; k < e->d; k++) p->u[k] = random_uniform(&e->stream);
        if (tries >= beside) space_scatter(e->st->space, &e->stream, 1, p->u);
        for (int k = 0; k < e->d && tries < beside; k++)
            p->u[k] = fmin(fmax(from[k] + reach * random_normal(&e->stream), 0.0), 1.0);
        if (tries < beside && !space_is_cube(e->st->space)) space_repair(e->st->space, p->u, NULL);
    }
    const char *words = beside ? "would be repeated; one beside it is tried"
                               : "would be repeated; another is tried";
    journal_say_once(e->st, words, "trial %zu: a point already tried %s, here and later",
                     e->st->trials.count + 1, words);
}

/* What is said of the suggestion beside its point. Where under some fantasy nothing is feasible,
 * there is nothing to gain on. */
static gofh_status describe(engine *e, proposal *p)
{
    acquisition *a = e->st->fitted->acquire;
    int samples = e->st->fitted->mo->samples;
    for (int s = 0; s < samples; s++)
        if (a->incumbent[s] == -INFINITY) p->gain = NAN;
    p->feasible = NAN;
    if (e->st->spec.g->margins == 0) return GOFH_OK;
    return acquisition_monte_carlo(a, acquire_goal_of(ACQUIRE_FEASIBILITY), 0, samples, e->z, e->draws, p->u,
                                   1, &p->feasible, NULL);
}

static double *place_pool(engine_pool *pool, int count, size_t m, double *room)
{
    size_t q = (size_t)count;
    pool->count = count;
    pool->mean = room;
    pool->deviation = pool->mean + q * m;
    pool->value = pool->deviation + q * m;
    return pool->value + q;
}

/* Of several points from the same data the others are guesses, for which fewer do. */
static candidates_recipe choose_recipe(const engine *e)
{
    enum {
        EACH = 512,
        LARGEST = 2048,
        FEWER = 4
    }; /* points that g of the mean is screened at: for each dimension, at most */
    int screened = EACH * e->d < LARGEST ? EACH * e->d : LARGEST, again = e->state.again;
    if (e->st->outputs > ENGINE_OUTPUTS_KEPT) screened /= FEWER;
    if (space_has_constraints(e->st->space)) screened /= FEWER; /* to make them allowed takes time */
    return (candidates_recipe){.wide = again ? 64 : 256,
                               .snapped = 1,
                               .near = again ? 32 : 64,
                               .beside_polished = 1,
                               .screened = e->st->method->parts & PART_SCREENING && !again ? screened : 0,
                               .polished = again ? 3 : CANDIDATES_POLISHED,
                               .beside = !again,
                               .iterations = again ? 20 : 40};
}

static gofh_status place_candidates(engine *e)
{
    candidates_recipe recipe = choose_recipe(e);
    int many = e->st->outputs > ENGINE_OUTPUTS_KEPT;
    gofh_status status = candidates_open(&e->all, e->st, &recipe);
    if (status) return status;
    size_t count = (size_t)e->all.count, d = (size_t)e->d, m = many ? 0 : (size_t)e->st->outputs;
    double *room = memory_doubles(2 * count * (2 * m + 1) + count * d);
    e->pool = (engine_pool){.points = e->all.points, .mean = room};
    e->room = room;
    if (!room) return GOFH_ERROR_MEMORY;
    e->short_list.points = place_pool(&e->short_list, e->all.count, m,
                                      place_pool(&e->pool, e->all.count, m, room));
    if (many) e->pool.mean = e->short_list.mean = NULL;
    return GOFH_OK;
}

/* f of very many outputs varies little among draws: fewer of them tell as much. */
static int fewer_draws(int outputs)
{
    enum { OUTPUTS_FEW = 2000, FEWER_MAX = 64 };
    int fewer = 1;
    while (fewer < FEWER_MAX && outputs > OUTPUTS_FEW * fewer) fewer *= 2;
    return fewer;
}

/* Proposes the local step that the data alone say. With random numbers of the data, not of the trial, it is
 * the same for all suggestions until an open trial ends, and is made once. */
static gofh_status keep_local(engine *e)
{
    study *st = e->st;
    kept_local *kept = &st->fitted->local;
    uint64_t key = (uint64_t)st->fitted->data_count;
    int forced = e->state.forced && success_is_modelled(st);
    if (kept->known && kept->radius == e->state.region.radius && kept->forced == forced) {
        engine_add_proposal(e, propose_local, &kept->local);
        return GOFH_OK;
    }
    e->draws = ENGINE_DRAWS / fewer_draws(st->outputs);
    e->stream = random_open(st->spec.settings.seed, RANDOM_CANDIDATES, key, 2);
    e->z = objective_new_normals(st, RANDOM_NORMALS, key, 2, e->draws);
    gofh_status status = e->z ? study_set_incumbents(st) : GOFH_ERROR_MEMORY;
    const proposal *local = status ? NULL : engine_proposal(e, propose_local);
    if (local)
        *kept = (kept_local){.known = 1, .forced = forced, .radius = e->state.region.radius, .local = *local};
    free(e->z);
    e->z = NULL;
    return status ? status : e->status;
}

static gofh_status engine_open(engine *e, study *st, uint64_t key)
{
    *e = (engine){.st = st, .d = st->d};
    gofh_status status = success_fit(st);
    if (!status) status = study_fit(st);
    if (!status && st->goal) status = study_calibrate(st);
    if (!status) status = search_state_open(&e->state, st);
    if (!status) status = place_candidates(e);
    if (status) return status;
    e->margins = st->spec.g->margins + success_is_modelled(st);
    e->known = space_margins(st->space);
    e->directions = space_directions(st->space, st->trials.list[e->state.incumbent].u);
    /* A local step goes where the data say, whatever a fantasy makes of the open trials. */
    if (e->state.open && !e->state.flat && (st->method->parts & PART_LOCAL)) status = keep_local(e);
    if (!status) status = study_fantasise(st, key);
    if (status) return status;
    int part = fewer_draws(st->outputs) * (st->fitted->mo->samples > 1 ? ENGINE_FANTASY_PART : 1);
    e->draws = ENGINE_DRAWS / part;
    e->climb_draws = ENGINE_CLIMB_DRAWS / part > 4 ? ENGINE_CLIMB_DRAWS / part : 4; /* some take a quarter */
    if (e->draws < e->climb_draws) e->draws = e->climb_draws; /* a climb takes the first of them */
    e->stream = random_open(st->spec.settings.seed, RANDOM_CANDIDATES, key, 1);
    e->z = objective_new_normals(st, RANDOM_NORMALS, key, 0, e->draws);
    return e->z ? GOFH_OK : GOFH_ERROR_MEMORY;
}

static void engine_close(engine *e)
{
    search_state_close(&e->state);
    candidates_free(&e->all);
    free(e->room);
    free(e->z);
}

gofh_status suggest_gofh(study *st, uint64_t key, proposal *p)
{
    engine e;
    gofh_status status = engine_open(&e, st, key);
    if (!status) status = choose(&e, p);
    if (!status) {
        avoid_repetition(&e, p);
        status = describe(&e, p);
    }
    engine_close(&e);
    if (st->fitted->mo) study_unfantasise(st);
    return status;
}
