/* Predictive entropy search: draws of f are maximised, and the next point is where the model would
 * learn most about where those maxima are (docs/method_pes.md). */
#include "acquire/pes.h"
#include "base/memory.h"
#include "base/vector.h"
#include "search/cmaes.h"
#include "study/candidates.h"
#include "study/climb.h"
#include "study/journal.h"
#include "study/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIMA = 1, PATH_STARTS = 5, PATH_ITERATIONS = 100, ENTROPY_ITERATIONS = 40 };

/* Where one draw of f is largest: from its best candidates. value: c->count doubles of
 * workspace. */
static gofh_status maximise_path(study *st, const candidates *c, pes_path *path, double *value, double *best)
{
    size_t d = (size_t)st->d;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS], x[PATH_STARTS * GOFH_MAX_PARAMETERS];
    double reached[PATH_STARTS];
    int chosen[PATH_STARTS];
    const gofh_status never = GOFH_OK; /* pes_path_evaluate does not fail */
    pes_path_evaluate(c->points, c->count, value, NULL, path);
    int starts = candidates_best_apart(st->d, c->points, value, c->count, CANDIDATES_APART, PATH_STARTS,
                                       chosen);
    for (int i = 0; i < starts; i++)
        memcpy(x + (size_t)i * d, c->points + (size_t)chosen[i] * d, d * sizeof *x);
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = PATH_ITERATIONS;
    settings.value_tolerance = 1e-14;
    climb_cube_bounds(st->d, lower, upper);
    gofh_status status = climb_box(&st->climbing, pes_path_evaluate, path, &never, &settings, starts, st->d,
                                   lower, upper, x, reached);
    if (status) return status;
    int top = vector_largest(reached, starts);
    memcpy(best, x + (size_t)top * d, d * sizeof *best);
    return GOFH_OK;
}

/* The acquisition, ready to be evaluated; NULL and a status on failure. */
static pes *prepare_entropy(study *st, const candidates *c, uint64_t key, gofh_status *status)
{
    pes *entropy = pes_create(st->fitted->mo, OPTIMA, st->spec.settings.seed, key);
    double *value = memory_doubles((size_t)c->count);
    *status = entropy && value ? GOFH_OK : GOFH_ERROR_MEMORY;
    for (int s = 0; s < st->fitted->samples && !*status; s++)
        for (int i = 0; i < OPTIMA && !*status; i++) {
            double best[GOFH_MAX_PARAMETERS];
            *status = maximise_path(st, c, pes_path_of(entropy, s, i), value, best);
            if (!*status) pes_set_optimum(entropy, s, i, best);
        }
    free(value);
    if (*status) {
        pes_free(entropy);
        return NULL;
    }
    int broken = pes_prepare(entropy);
    if (broken)
        journal_say_once(st, "expectation propagation failed",
                         "trial %zu: expectation propagation failed for %d of %d sampled optima, which are "
                         "left out, here and later",
                         st->trials.count + 1, broken, st->fitted->samples * OPTIMA);
    return entropy;
}

static int entropy_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    (void)gradient;
    pes_evaluate(context, x, count, value);
    return 0;
}

/* CMA-ES from the best candidate. */
static gofh_status maximise_entropy(study *st, candidates *c, pes *entropy, uint64_t key, double *u,
                                    double *expected)
{
    size_t d = (size_t)st->d;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS];
    climb_cube_bounds(st->d, lower, upper);
    pes_evaluate(entropy, c->points, c->count, c->value);
    int best = candidates_best(c, st);
    memcpy(u, c->points + (size_t)best * d, d * sizeof *u);
    *expected = c->value[best];
    if (!(*expected > 1e-6)) {
        /* Nothing more is to be learned: then the best guess itself, which is the first of the
         * polished. */
        memcpy(u, c->polished, d * sizeof *u);
        journal_say_once(
            st, "nothing is left to learn about the optimum",
            "trial %zu: nothing is left to learn about the optimum; the best guess of it is tried, here "
            "and later",
            st->trials.count + 1);
        return GOFH_OK;
    }
    cmaes_settings settings;
    cmaes_defaults(&settings);
    settings.iterations = ENTROPY_ITERATIONS;
    settings.sigma = 0.05;
    double *work = memory_doubles(cmaes_work(&settings, st->d));
    if (!work) return GOFH_ERROR_MEMORY;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_EVOLUTION, key, 0);
    cmaes_maximize(entropy_objective, entropy, &settings, &stream, st->d, lower, upper, u, expected, work);
    free(work);
    return GOFH_OK;
}

/* All of the above for the present model: candidates and the acquisition, to be ended by
 * close_entropy. */
static gofh_status open_entropy(study *st, uint64_t key, candidates *c, pes **entropy)
{
    gofh_status status = study_prepare(st, key);
    if (status) return status;
    status = candidates_make(c, st, key);
    if (!status) {
        *entropy = prepare_entropy(st, c, key, &status);
        if (status) candidates_free(c);
    }
    if (status) study_unfantasise(st);
    return status;
}

static void close_entropy(study *st, candidates *c, pes *entropy)
{
    pes_free(entropy);
    candidates_free(c);
    study_unfantasise(st);
}

gofh_status suggest_entropy(study *st, uint64_t key, proposal *p)
{
    double entropy_lost;
    candidates c;
    pes *entropy;
    gofh_status status = open_entropy(st, key, &c, &entropy);
    if (status) return status;
    status = maximise_entropy(st, &c, entropy, key, p->u, &entropy_lost);
    p->gain = NAN; /* what is gained is knowledge, not f */
    close_entropy(st, &c, entropy);
    return status;
}

gofh_status report_entropy(study *st, uint64_t key, const double *points, int q, double *value)
{
    candidates c;
    pes *entropy;
    gofh_status status = open_entropy(st, key, &c, &entropy);
    if (status) return status;
    pes_evaluate(entropy, points, q, value);
    close_entropy(st, &c, entropy);
    return GOFH_OK;
}
