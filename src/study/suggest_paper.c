/* The paper's methods: the acquisition is maximised by stochastic gradient ascent, L-BFGS-B or
 * CMA-ES from the best candidates. */
#include "base/memory.h"
#include "search/ascent.h"
#include "search/cmaes.h"
#include "study/candidates.h"
#include "study/climb.h"
#include "study/journal.h"
#include "study/methods.h"
#include "study/objective.h"
#include "study/points.h"
#include "study/reduce.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCREEN_DRAWS = 32,
    SCREEN_PROCESSES = 4000, /* outputs x samples that screen, at most; but two samples at least */
    SELECT_DRAWS = 256,
    ASCENT_DRAWS = 16,
    ASCENT_ITERATIONS = 80,
    PROBABILITY_DRAWS = 50, /* as in the paper */
    EVOLUTION_ITERATIONS = 40,
    LBFGSB_ITERATIONS = 60,
    REPORT_DRAWS = 1024
};

/* One suggestion under way. */
typedef struct {
    objective by;
    uint64_t key;
    double *ascent_z; /* ASCENT_DRAWS x outputs: the normals of one step */
    int screening;    /* hyperparameter samples that candidates are screened with */
    /* NULL, or what each of those says of the candidates: count x outputs means, then
     * deviations. */
    double *posterior;
} paper_search;

/* One noisy gradient (Proposition 1): fresh normals, and one of the hyperparameter samples in
 * turn. */
static int ascent_objective(const double *x, int count, int iteration, double *gradient, void *context)
{
    paper_search *o = context;
    study *st = o->by.st;
    double value[STARTS];
    objective_normals(st, RANDOM_ASCENT, o->key, (uint64_t)iteration, ASCENT_DRAWS, o->ascent_z);
    o->by.status = acquisition_monte_carlo(st->fitted->acquire, acquire_goal_of(ACQUIRE_SOFT_IMPROVEMENT),
                                           iteration % st->fitted->samples, 1, o->ascent_z, ASCENT_DRAWS, x,
                                           count, value, gradient);
    if (!o->by.status) success_multiply(st, x, count, value, gradient);
    return o->by.status != GOFH_OK;
}

/* Hyperparameter samples that screen: with very many outputs not all, for what is best is found
 * with all afterwards. */
static int screening_samples(const study *st)
{
    int samples = st->fitted->mo->samples, most = SCREEN_PROCESSES / st->outputs;
    if (most < 2) most = 2;
    if (st->fitted->mo->base) most -= most % 2; /* fantasies come in pairs */
    return samples < most ? samples : most;
}

/* The hyperparameter sample that is the i-th of those that screen: in even strides, for neighbours
 * in a chain are alike; but fantasies in their pairs. */
static int screening_sample(const paper_search *o, int i)
{
    return o->by.st->fitted->mo->base ? i : i * o->by.st->fitted->mo->samples / o->screening;
}

/* f of `count` draws at each candidate under the i-th of the samples that screen. */
static gofh_status draw_candidates(paper_search *o, int i, const double *z, int count, const candidates *c,
                                   double *f)
{
    size_t size = (size_t)c->count * (size_t)o->by.st->outputs;
    const double *mean = o->posterior + 2 * (size_t)i * size;
    return acquisition_draw(o->by.st->fitted->acquire, ACQUIRE_OBJECTIVE, mean, mean + size, z, count,
                            c->points, c->count, f);
}

/* What the draws of o->by.z say of all candidates. */
static gofh_status screen_by_draws(paper_search *o, int draws, candidates *c)
{
    acquisition *a = o->by.st->fitted->acquire;
    size_t size = (size_t)c->count * (size_t)o->by.st->outputs;
    o->screening = screening_samples(o->by.st);
    o->posterior = memory_doubles(2 * (size_t)o->screening * size);
    double *value = memory_doubles((size_t)c->count * (size_t)(draws + 1));
    gofh_status status = o->posterior && value ? GOFH_OK : GOFH_ERROR_MEMORY;
    memset(c->value, 0, (size_t)c->count * sizeof *c->value);
    for (int i = 0; i < o->screening && !status; i++) {
        double *mean = o->posterior + 2 * (size_t)i * size, *f = value + c->count;
        acquisition_predict(a, screening_sample(o, i), c->points, c->count, mean, mean + size);
        status = draw_candidates(o, i, o->by.z, draws, c, f);
        if (status) break;
        acquisition_average(a, o->by.goal, screening_sample(o, i), f, draws, c->count, value);
        for (int p = 0; p < c->count; p++) c->value[p] += value[p] / o->screening;
    }
    free(value);
    return status;
}

/* The acquisition of all candidates. */
static gofh_status screen(paper_search *o, int draws, candidates *c)
{
    if (!o->by.z) return objective_value(&o->by, c->points, c->count, c->value, NULL);
    gofh_status status = screen_by_draws(o, draws, c);
    if (!status) success_multiply(o->by.st, c->points, c->count, c->value, NULL);
    return status;
}

/* Where no draw at any candidate is feasible: how near they come to that. */
static gofh_status rank_softly(study *st, const double *z, candidates *c)
{
    return acquisition_monte_carlo(st->fitted->acquire, acquire_goal_of(ACQUIRE_SOFT_IMPROVEMENT), 0,
                                   st->fitted->samples, z, SCREEN_DRAWS, c->points, c->count, c->value, NULL);
}

/* The largest f of any draw at each candidate, from the posterior that they were screened by. */
static gofh_status find_best_cases(paper_search *o, const double *z, candidates *c)
{
    acquisition *a = o->by.st->fitted->acquire;
    if (!o->posterior)
        return acquisition_monte_carlo(a, acquire_goal_of(ACQUIRE_BEST_CASE), 0, o->by.st->fitted->samples, z,
                                       SCREEN_DRAWS, c->points, c->count, c->value, NULL);
    double *value = memory_doubles((size_t)c->count * (SCREEN_DRAWS + 1));
    gofh_status status = value ? GOFH_OK : GOFH_ERROR_MEMORY;
    for (int p = 0; p < c->count; p++) c->value[p] = -INFINITY;
    for (int i = 0; i < o->screening && !status; i++) {
        double *f = value + c->count;
        status = draw_candidates(o, i, z, SCREEN_DRAWS, c, f);
        if (status) break;
        acquisition_average(a, acquire_goal_of(ACQUIRE_BEST_CASE), screening_sample(o, i), f, SCREEN_DRAWS,
                            c->count, value);
        for (int p = 0; p < c->count; p++) c->value[p] = fmax(c->value[p], value[p]);
    }
    free(value);
    return status;
}

/* What is left where the acquisition is 0 wherever one looked: the best case of any draw. */
static gofh_status fall_back(paper_search *o, candidates *c, double *u, double *expected)
{
    study *st = o->by.st;
    gofh_status status = GOFH_OK;
    double *z = objective_new_normals(st, RANDOM_NORMALS, o->key, 1, SCREEN_DRAWS);
    if (!z) return GOFH_ERROR_MEMORY;
    status = find_best_cases(o, z, c);
    int infeasible = study_outer(st)->margins > 0;
    for (int i = 0; i < c->count; i++) infeasible &= c->value[i] == -INFINITY;
    if (!status && infeasible) status = rank_softly(st, z, c);
    free(z);
    if (status) return status;
    success_penalise(st, c->points, c->count, c->value, NULL);
    memcpy(u, c->points + (size_t)candidates_best(c, st) * (size_t)st->d, (size_t)st->d * sizeof *u);
    *expected = 0.0;
    journal_say_once(
        st, "the acquisition is 0 everywhere",
        "trial %zu: the acquisition is 0 everywhere; the best case among %d points is tried, here and "
        "later",
        st->trials.count + 1, c->count);
    return GOFH_OK;
}

/* The best of the candidates and of what the search made of the starts, by the acquisition itself
 * (Algorithm 1). */
static gofh_status select_best(paper_search *o, candidates *c, const double *moved, double *u,
                               double *expected)
{
    study *st = o->by.st;
    size_t d = (size_t)st->d;
    double both[2 * STARTS * GOFH_MAX_PARAMETERS], value[2 * STARTS];
    memcpy(both, moved, (size_t)c->starts * d * sizeof *both);
    memcpy(both + (size_t)c->starts * d, c->start, (size_t)c->starts * d * sizeof *both);
    for (int i = 0; !space_is_cube(st->space) && i < c->starts; i++)
        space_repair(st->space, both + (size_t)i * d, NULL);
    o->by.logarithm = 0;
    gofh_status status = objective_value(&o->by, both, 2 * c->starts, value, NULL);
    if (status) return status;
    int best = -1;
    for (int i = 0; i < 2 * c->starts; i++)
        if (value[i] > (best < 0 ? 0.0 : value[best]) &&
            (study_is_noisy(st) || points_reach_to_trials(st, both + (size_t)i * d) > POINTS_SAME))
            best = i;
    if (best < 0) return fall_back(o, c, u, expected);
    memcpy(u, both + (size_t)best * d, d * sizeof *u);
    *expected = value[best];
    return GOFH_OK;
}

/* Multistart stochastic gradient ascent, as in the paper. */
static gofh_status climb(paper_search *o, candidates *c, double *moved)
{
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS];
    climb_cube_bounds(o->by.st->d, lower, upper);
    ascent_settings settings;
    ascent_defaults(&settings);
    settings.iterations = ASCENT_ITERATIONS;
    double *work = memory_doubles(ascent_work(c->starts, o->by.st->d));
    if (!work) return GOFH_ERROR_MEMORY;
    int failed = ascent_maximize(ascent_objective, o, &settings, c->starts, o->by.st->d, lower, upper,
                                 c->step, moved, work);
    free(work);
    return failed ? o->by.status : GOFH_OK;
}

/* Multistart L-BFGS-B on the logarithm of a closed form. */
static gofh_status climb_exactly(paper_search *o, candidates *c, double *moved)
{
    double value[STARTS];
    o->by.logarithm = 1;
    return climb_allowed(o->by.st, objective_search, &o->by, &o->by.status, LBFGSB_ITERATIONS, c->starts,
                         moved, value);
}

/* CMA-ES from the best candidate and from one away from the incumbent. */
static gofh_status evolve(paper_search *o, candidates *c, double *moved)
{
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS], value;
    climb_cube_bounds(o->by.st->d, lower, upper);
    cmaes_settings settings;
    cmaes_defaults(&settings);
    settings.iterations = EVOLUTION_ITERATIONS;
    double *work = memory_doubles(cmaes_work(&settings, o->by.st->d));
    if (!work) return GOFH_ERROR_MEMORY;
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++) {
        int start = i ? c->starts / 2 : 0;
        random_stream stream = random_open(o->by.st->spec.settings.seed, RANDOM_EVOLUTION, o->key,
                                           (uint64_t)i);
        settings.sigma = fmax(c->step[start], 1e-3);
        failed = cmaes_maximize(objective_search, &o->by, &settings, &stream, o->by.st->d, lower, upper,
                                moved + (size_t)start * (size_t)o->by.st->d, &value, work);
    }
    free(work);
    return failed ? o->by.status : GOFH_OK;
}

typedef gofh_status (*climber)(paper_search *o, candidates *c, double *moved);

/* Screens the candidates, moves the best of them, and selects. z for the selection; its first draws
 * screen. */
static gofh_status maximise(paper_search *o, int screen_draws, climber climb_with, double *u,
                            double *expected)
{
    study *st = o->by.st;
    candidates c;
    gofh_status status = candidates_make(&c, st, o->key);
    if (status) return status;
    status = screen(o, screen_draws, &c);
    if (!status) {
        double moved[STARTS * GOFH_MAX_PARAMETERS];
        candidates_choose(&c, st);
        memcpy(moved, c.start, (size_t)c.starts * (size_t)st->d * sizeof *moved);
        if (c.starts > 0) status = climb_with(o, &c, moved);
        if (!status) status = select_best(o, &c, moved, u, expected);
    }
    free(o->posterior);
    candidates_free(&c);
    return status;
}

/* In closed form where g is linear; elsewhere by `draws` normals, of which the first screen_draws
 * screen. */
static gofh_status suggest(study *st, acquire_kind kind, uint64_t key, int draws, int screen_draws,
                           climber climb_with, proposal *p)
{
    gofh_status status = success_fit(st);
    if (!status) status = study_prepare(st, key);
    if (status) return status;
    paper_search o = {.by = {.st = st, .goal = acquire_goal_of(kind), .draws = draws}, .key = key};
    if (acquisition_has_closed_form(st->fitted->acquire, kind)) {
        status = maximise(&o, screen_draws, climb_exactly, p->u, &p->gain);
    } else {
        double *z = objective_new_normals(st, RANDOM_NORMALS, key, 0, draws);
        o.by.z = z;
        o.ascent_z = memory_doubles(ASCENT_DRAWS * (size_t)st->outputs);
        status = z && o.ascent_z ? maximise(&o, screen_draws, climb_with, p->u, &p->gain) : GOFH_ERROR_MEMORY;
        free(z);
        free(o.ascent_z);
    }
    /* A probability is no gain, nor is anything where under some sample nothing is feasible to gain
     * on. */
    for (int s = 0; s < st->fitted->mo->samples; s++)
        if (kind != ACQUIRE_IMPROVEMENT || st->fitted->acquire->incumbent[s] == -INFINITY) p->gain = NAN;
    study_unfantasise(st);
    return status;
}

gofh_status suggest_improvement(study *st, uint64_t key, proposal *p)
{
    return suggest(st, ACQUIRE_IMPROVEMENT, key, SELECT_DRAWS, SCREEN_DRAWS, climb, p);
}

gofh_status suggest_probability(study *st, uint64_t key, proposal *p)
{
    return suggest(st, ACQUIRE_PROBABILITY, key, PROBABILITY_DRAWS, PROBABILITY_DRAWS, evolve, p);
}

gofh_status suggest_random(study *st, uint64_t key, proposal *p)
{
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_UNIFORM_METHOD, key, 0);
    for (int k = 0; k < st->d; k++) p->u[k] = random_uniform(&stream);
    space_scatter(st->space, &stream, 1, p->u);
    p->gain = NAN;
    return GOFH_OK;
}

static gofh_status report(study *whole, acquire_kind kind, uint64_t key, const double *points, int q,
                          double *value)
{
    gofh_status status;
    study *st = reduce_study(whole, &status);
    if (status) return status;
    status = success_fit(st);
    if (!status) status = study_prepare(st, key);
    if (status) return status;
    objective o = {.st = st, .goal = acquire_goal_of(kind), .draws = REPORT_DRAWS};
    double *z = NULL;
    if (!acquisition_has_closed_form(st->fitted->acquire, kind)) {
        z = objective_new_normals(st, RANDOM_NORMALS, key, 0, REPORT_DRAWS);
        if (!z) status = GOFH_ERROR_MEMORY;
    }
    o.z = z;
    if (!status) status = objective_value(&o, points, q, value, NULL);
    free(z);
    study_unfantasise(st);
    return status;
}

gofh_status report_improvement(study *st, uint64_t key, const double *points, int q, double *value)
{
    return report(st, ACQUIRE_IMPROVEMENT, key, points, q, value);
}

gofh_status report_probability(study *st, uint64_t key, const double *points, int q, double *value)
{
    return report(st, ACQUIRE_PROBABILITY, key, points, q, value);
}
