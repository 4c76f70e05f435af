/* The methods: how each chooses the next point. */
#include "study/suggest.h"
#include "base/memory.h"
#include "base/quasi.h"
#include "search/ascent.h"
#include "search/cmaes.h"
#include "study/candidates.h"
#include "study/climb.h"
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

double *suggest_normals(const study *st, random_purpose purpose, uint64_t key, uint64_t part, int count)
{
    double *z = memory_doubles((size_t)count * (size_t)st->outputs);
    if (!z) return NULL;
    random_stream stream = random_open(st->spec.settings.seed, purpose, key, part);
    quasi_normals(&stream, st->outputs, count, z);
    return z;
}

/* ---- The acquisition as an objective of a search ---- */

/* Whether runs succeed or not. */
static gofh_status evaluate_any(suggest_context *o, const double *x, int count, double *value,
                                double *gradient)
{
    acquisition *a = o->st->acquire;
    return o->z ? acquisition_monte_carlo(a, o->kind, 0, o->st->mo->samples, o->z, o->draws, x, count, value,
                                          gradient)
                : acquisition_closed_form(a, o->kind, x, count, value, gradient);
}

/* The same times the probability of success. */
static gofh_status evaluate(suggest_context *o, const double *x, int count, double *value, double *gradient)
{
    gofh_status status = evaluate_any(o, x, count, value, gradient);
    if (!status) success_multiply(o->st, x, count, value, gradient);
    return status;
}

int suggest_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    suggest_context *o = context;
    o->status = o->logarithm ? evaluate_any(o, x, count, value, gradient)
                             : evaluate(o, x, count, value, gradient);
    if (o->status || !o->logarithm) return o->status != GOFH_OK;
    for (int i = 0; i < count; i++) {
        double scale = value[i] > 0.0 ? 1.0 / value[i] : 0.0;
        value[i] = log(value[i]);
        if (gradient)
            for (int k = 0; k < o->st->d; k++) gradient[(size_t)i * (size_t)o->st->d + (size_t)k] *= scale;
    }
    success_add_logarithm(o->st, x, count, value, gradient);
    return 0;
}

/* One noisy gradient (Proposition 1): fresh normals, and one of the hyperparameter samples in turn. */
static int ascent_objective(const double *x, int count, int iteration, double *gradient, void *context)
{
    suggest_context *o = context;
    study *st = o->st;
    double *z = suggest_normals(st, RANDOM_ASCENT, o->key, (uint64_t)iteration, ASCENT_DRAWS);
    double value[STARTS];
    o->status = z ? acquisition_monte_carlo(st->acquire, ACQUIRE_SOFT_IMPROVEMENT, iteration % st->samples, 1,
                                            z, ASCENT_DRAWS, x, count, value, gradient)
                  : GOFH_ERROR_MEMORY;
    free(z);
    if (!o->status) success_multiply(st, x, count, value, gradient);
    return o->status != GOFH_OK;
}

/* ---- Ways to maximise ---- */

/* Hyperparameter samples that screen: with very many outputs not all, for what is best is found with all afterwards. */
static int screening_samples(const study *st)
{
    int samples = st->mo->samples, most = SCREEN_PROCESSES / st->outputs;
    if (most < 2) most = 2;
    if (st->mo->alone) most -= most % 2; /* fantasies come in pairs */
    return samples < most ? samples : most;
}

/* The hyperparameter sample that is the i-th of those that screen: in even strides, for neighbours in a chain are alike; but
 * fantasies in their pairs. */
static int screening_sample(const suggest_context *o, int i)
{
    return o->st->mo->alone ? i : i * o->st->mo->samples / o->screening;
}

/* f of `count` draws at each candidate under the i-th of the samples that screen. */
static gofh_status draw_candidates(suggest_context *o, int i, const double *z, int count, const candidates *c,
                                   double *f)
{
    size_t size = (size_t)CANDIDATES * (size_t)o->st->outputs;
    const double *mean = o->posterior + 2 * (size_t)i * size;
    return acquisition_draw(o->st->acquire, mean, mean + size, z, count, c->points, CANDIDATES, f);
}

/* What the draws of o->z say of all candidates. */
static gofh_status screen_by_draws(suggest_context *o, int draws, candidates *c)
{
    acquisition *a = o->st->acquire;
    size_t size = (size_t)CANDIDATES * (size_t)o->st->outputs;
    o->screening = screening_samples(o->st);
    o->posterior = memory_doubles(2 * (size_t)o->screening * size);
    double *value = memory_doubles((size_t)CANDIDATES * (size_t)(draws + 1));
    gofh_status status = o->posterior && value ? GOFH_OK : GOFH_ERROR_MEMORY;
    memset(c->value, 0, CANDIDATES * sizeof *c->value);
    for (int i = 0; i < o->screening && !status; i++) {
        double *mean = o->posterior + 2 * (size_t)i * size, *f = value + CANDIDATES;
        acquisition_predict(a, screening_sample(o, i), c->points, CANDIDATES, mean, mean + size);
        status = draw_candidates(o, i, o->z, draws, c, f);
        if (status) break;
        acquisition_average(a, o->kind, screening_sample(o, i), f, draws, CANDIDATES, value);
        for (int p = 0; p < CANDIDATES; p++) c->value[p] += value[p] / o->screening;
    }
    free(value);
    return status;
}

/* The acquisition of all candidates. */
static gofh_status screen(suggest_context *o, int draws, candidates *c)
{
    if (!o->z) return evaluate(o, c->points, CANDIDATES, c->value, NULL);
    gofh_status status = screen_by_draws(o, draws, c);
    if (!status) success_multiply(o->st, c->points, CANDIDATES, c->value, NULL);
    return status;
}

/* Where no draw at any candidate is allowed: how near they come to that. */
static gofh_status rank_softly(study *st, const double *z, candidates *c)
{
    return acquisition_monte_carlo(st->acquire, ACQUIRE_SOFT_IMPROVEMENT, 0, st->samples, z, SCREEN_DRAWS,
                                   c->points, CANDIDATES, c->value, NULL);
}

/* The largest f of any draw at each candidate, from the posterior that they were screened by. */
static gofh_status find_best_cases(suggest_context *o, const double *z, candidates *c)
{
    acquisition *a = o->st->acquire;
    if (!o->posterior)
        return acquisition_monte_carlo(a, ACQUIRE_BEST_CASE, 0, o->st->samples, z, SCREEN_DRAWS, c->points,
                                       CANDIDATES, c->value, NULL);
    double *value = memory_doubles((size_t)CANDIDATES * (SCREEN_DRAWS + 1));
    gofh_status status = value ? GOFH_OK : GOFH_ERROR_MEMORY;
    for (int p = 0; p < CANDIDATES; p++) c->value[p] = -INFINITY;
    for (int i = 0; i < o->screening && !status; i++) {
        double *f = value + CANDIDATES;
        status = draw_candidates(o, i, z, SCREEN_DRAWS, c, f);
        if (status) break;
        acquisition_average(a, ACQUIRE_BEST_CASE, screening_sample(o, i), f, SCREEN_DRAWS, CANDIDATES, value);
        for (int p = 0; p < CANDIDATES; p++) c->value[p] = fmax(c->value[p], value[p]);
    }
    free(value);
    return status;
}

/* What is left where the acquisition is 0 wherever one looked: the best that any draw promised. */
static gofh_status fall_back(suggest_context *o, candidates *c, double *u, double *expected)
{
    study *st = o->st;
    gofh_status status = GOFH_OK;
    double *z = suggest_normals(st, RANDOM_NORMALS, o->key, 1, SCREEN_DRAWS);
    if (!z) return GOFH_ERROR_MEMORY;
    status = find_best_cases(o, z, c);
    int hopeless = study_outer(st)->margins > 0;
    for (int i = 0; i < CANDIDATES; i++) hopeless &= c->value[i] == -INFINITY;
    if (!status && hopeless) status = rank_softly(st, z, c);
    free(z);
    success_penalise(st, c->points, CANDIDATES, c->value, NULL);
    memcpy(u, c->points + (size_t)candidates_best(c, st) * (size_t)st->d, (size_t)st->d * sizeof *u);
    *expected = 0.0;
    study_note(st, "trial %zu: the acquisition is 0 everywhere; the best case among %d points is tried",
               st->count + 1, (int)CANDIDATES);
    return status;
}

/* The best of the candidates and of what the search made of the starts, by the acquisition itself (Algorithm 1). */
static gofh_status select_best(suggest_context *o, candidates *c, const double *moved, double *u,
                               double *expected)
{
    study *st = o->st;
    size_t d = (size_t)st->d;
    double both[2 * STARTS * GOFH_MOST_PARAMETERS], value[2 * STARTS];
    memcpy(both, moved, (size_t)c->starts * d * sizeof *both);
    memcpy(both + (size_t)c->starts * d, c->start, (size_t)c->starts * d * sizeof *both);
    o->logarithm = 0;
    gofh_status status = evaluate(o, both, 2 * c->starts, value, NULL);
    if (status) return status;
    int best = -1;
    for (int i = 0; i < 2 * c->starts; i++)
        if (value[i] > (best < 0 ? 0.0 : value[best]) &&
            (study_is_noisy(st) || candidates_distance(st, both + (size_t)i * d) > 1e-12))
            best = i;
    if (best < 0) return fall_back(o, c, u, expected);
    memcpy(u, both + (size_t)best * d, d * sizeof *u);
    *expected = value[best];
    return GOFH_OK;
}

/* Multistart stochastic gradient ascent, as in the paper. */
static gofh_status climb(suggest_context *o, candidates *c, double *moved)
{
    double lower[GOFH_MOST_PARAMETERS], upper[GOFH_MOST_PARAMETERS];
    climb_cube_bounds(o->st->d, lower, upper);
    ascent_settings settings;
    ascent_defaults(&settings);
    settings.iterations = ASCENT_ITERATIONS;
    double *work = memory_doubles(ascent_work(c->starts, o->st->d));
    if (!work) return GOFH_ERROR_MEMORY;
    int failed = ascent_maximize(ascent_objective, o, &settings, c->starts, o->st->d, lower, upper, c->step,
                                 moved, work);
    free(work);
    return failed ? o->status : GOFH_OK;
}

/* Multistart L-BFGS-B on the logarithm of a closed form. */
static gofh_status climb_exactly(suggest_context *o, candidates *c, double *moved)
{
    double value[STARTS];
    o->logarithm = 1;
    return climb_cube(suggest_objective, o, &o->status, LBFGSB_ITERATIONS, c->starts, o->st->d, moved, value);
}

/* CMA-ES from the best candidate and from one away from the incumbent. */
static gofh_status evolve(suggest_context *o, candidates *c, double *moved)
{
    double lower[GOFH_MOST_PARAMETERS], upper[GOFH_MOST_PARAMETERS], value;
    climb_cube_bounds(o->st->d, lower, upper);
    cmaes_settings settings;
    cmaes_defaults(&settings);
    settings.iterations = EVOLUTION_ITERATIONS;
    double *work = memory_doubles(cmaes_work(&settings, o->st->d));
    if (!work) return GOFH_ERROR_MEMORY;
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++) {
        int start = i ? c->starts / 2 : 0;
        random_stream stream = random_open(o->st->spec.settings.seed, RANDOM_EVOLUTION, o->key, (uint64_t)i);
        settings.sigma = fmax(c->step[start], 1e-3);
        failed = cmaes_maximize(suggest_objective, o, &settings, &stream, o->st->d, lower, upper,
                                moved + (size_t)start * (size_t)o->st->d, &value, work);
    }
    free(work);
    return failed ? o->status : GOFH_OK;
}

typedef gofh_status (*climber)(suggest_context *o, candidates *c, double *moved);

/* Screens the candidates, moves the best of them, and selects. z for the selection; its first draws screen. */
static gofh_status maximise(suggest_context *o, int screen_draws, climber climb_with, double *u,
                            double *expected)
{
    study *st = o->st;
    candidates c;
    gofh_status status = candidates_make(&c, st, o->key);
    if (status) return status;
    status = screen(o, screen_draws, &c);
    if (!status) {
        double moved[STARTS * GOFH_MOST_PARAMETERS];
        candidates_choose(&c, st);
        memcpy(moved, c.start, (size_t)c.starts * (size_t)st->d * sizeof *moved);
        if (c.starts > 0) status = climb_with(o, &c, moved);
        if (!status) status = select_best(o, &c, moved, u, expected);
    }
    free(o->posterior);
    candidates_free(&c);
    return status;
}

/* ---- The methods ---- */

double suggest_gain(const study *st, double improvement)
{
    for (int s = 0; s < st->mo->samples; s++)
        if (st->acquire->incumbent[s] == -INFINITY) return NAN;
    return improvement;
}

gofh_status suggest_prepare(study *st, uint64_t key)
{
    gofh_status status = study_fit(st);
    return status ? status : study_fantasise(st, key);
}

/* In closed form where g is linear; elsewhere by `draws` normals, of which the first screen_draws screen. */
static gofh_status suggest(study *st, acquire_kind kind, uint64_t key, int draws, int screen_draws,
                           climber climb_with, double *u, double *expected)
{
    gofh_status status = success_fit(st);
    if (!status) status = suggest_prepare(st, key);
    if (status) return status;
    suggest_context o = {.st = st, .kind = kind, .key = key, .draws = draws};
    if (acquisition_has_closed_form(st->acquire, kind)) {
        status = maximise(&o, screen_draws, climb_exactly, u, expected);
    } else {
        double *z = suggest_normals(st, RANDOM_NORMALS, key, 0, draws);
        o.z = z;
        status = z ? maximise(&o, screen_draws, climb_with, u, expected) : GOFH_ERROR_MEMORY;
        free(z);
    }
    if (!status) *expected = kind == ACQUIRE_IMPROVEMENT ? suggest_gain(st, *expected) : NAN;
    study_unfantasise(st);
    return status;
}

static gofh_status suggest_improvement(study *st, uint64_t key, double *u, double *expected,
                                       const char **origin)
{
    (void)origin;
    return suggest(st, ACQUIRE_IMPROVEMENT, key, SELECT_DRAWS, SCREEN_DRAWS, climb, u, expected);
}

static gofh_status suggest_probability(study *st, uint64_t key, double *u, double *expected,
                                       const char **origin)
{
    (void)origin;
    return suggest(st, ACQUIRE_PROBABILITY, key, PROBABILITY_DRAWS, PROBABILITY_DRAWS, evolve, u, expected);
}

static gofh_status suggest_random(study *st, uint64_t key, double *u, double *expected, const char **origin)
{
    (void)origin;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_UNIFORM_METHOD, key, 0);
    for (int k = 0; k < st->d; k++) u[k] = random_uniform(&stream);
    *expected = NAN;
    return GOFH_OK;
}

static gofh_status report(study *st, acquire_kind kind, uint64_t key, const double *points, int q,
                          double *value)
{
    gofh_status status = success_fit(st);
    if (!status) status = suggest_prepare(st, key);
    if (status) return status;
    suggest_context o = {.st = st, .kind = kind, .key = key, .draws = REPORT_DRAWS};
    double *z = NULL;
    if (!acquisition_has_closed_form(st->acquire, kind)) {
        z = suggest_normals(st, RANDOM_NORMALS, key, 0, REPORT_DRAWS);
        if (!z) status = GOFH_ERROR_MEMORY;
    }
    o.z = z;
    if (!status) status = evaluate(&o, points, q, value, NULL);
    free(z);
    study_unfantasise(st);
    return status;
}

static gofh_status report_improvement(study *st, uint64_t key, const double *points, int q, double *value)
{
    return report(st, ACQUIRE_IMPROVEMENT, key, points, q, value);
}

static gofh_status report_probability(study *st, uint64_t key, const double *points, int q, double *value)
{
    return report(st, ACQUIRE_PROBABILITY, key, points, q, value);
}

static const method METHODS[] = {
    {"gofh", MODEL_OF_H, PART_ALL, suggest_gofh, report_improvement},
    {"ei-cf", MODEL_OF_H, 0, suggest_improvement, report_improvement},
    {"pi-cf", MODEL_OF_H, 0, suggest_probability, report_probability},
    {"random-cf", MODEL_OF_H, 0, suggest_random, NULL},
    {"ei", MODEL_OF_F, 0, suggest_improvement, report_improvement},
    {"pi", MODEL_OF_F, 0, suggest_probability, report_probability},
    {"pes", MODEL_OF_F, 0, suggest_entropy, report_entropy},
    {"random", MODEL_OF_F, 0, suggest_random, NULL},
};

enum { METHOD_COUNT = sizeof METHODS / sizeof METHODS[0] };

#define VARIANT(name, part)                                                                                  \
    {                                                                                                        \
        name, MODEL_OF_H, PART_ALL & ~(unsigned)(part), suggest_gofh, report_improvement                     \
    }
static const method VARIANTS[] = {
    VARIANT("gofh-no-nugget", PART_NUGGET),
    VARIANT("gofh-no-trend", PART_TREND),
    VARIANT("gofh-no-screening", PART_SCREENING),
    VARIANT("gofh-no-local", PART_LOCAL),
    VARIANT("gofh-no-far", PART_FAR),
    VARIANT("gofh-no-noise", PART_NOISE),
    VARIANT("gofh-no-logarithm", PART_LOGARITHM),
    VARIANT("gofh-no-sharing", PART_SHARING),
};
#undef VARIANT
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof VARIANTS[0] };

const method *study_method(const char *name)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (strcmp(METHODS[i].name, name) == 0) return &METHODS[i];
    for (int i = 0; i < VARIANT_COUNT; i++)
        if (strcmp(VARIANTS[i].name, name) == 0) return &VARIANTS[i];
    return NULL;
}

const char *study_method_variant(int index)
{
    return index >= 0 && index < VARIANT_COUNT ? VARIANTS[index].name : NULL;
}

const char *study_method_name(int index)
{
    return index >= 0 && index < METHOD_COUNT ? METHODS[index].name : NULL;
}
