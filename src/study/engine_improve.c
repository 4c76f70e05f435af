/* Screening, polishing and climbing the expected improvement. */
#include "base/memory.h"
#include "base/quasi.h"
#include "search/lbfgsb.h"
#include "study/candidates.h"
#include "study/engine.h"
#include "study/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEAN_WIDE = 2048,
    POLISH_ITERATIONS = 40,
    CLIMB_ITERATIONS = 60,
    CLIMB_STARTS = 6,
    MANY_UNIFORM = 60,
    MANY_GOOD = 10,
    RANKED = 100
};
static const double SNAP = 0.4, APART = 0.05, AWAY = 0.1, SMOOTHING = 0.01;

static double clip(double u)
{
    return fmin(fmax(u, 0.0), 1.0);
}

/* Scrambled Sobol' points; each coordinate of the first half is snapped to its nearer bound with probability SNAP: optima
 * like to lie on bounds, and no quasi-random point does. */
static void snapped_points(engine *e, int count, double *points)
{
    quasi_points(&e->stream, e->d, count, points);
    for (int i = 0; i < count / 2 * e->d; i++)
        if (random_uniform(&e->stream) < SNAP) points[i] = points[i] > 0.5 ? 1.0 : 0.0;
}

typedef struct {
    engine *e;
    gofh_status status;
} plug_in;

static int plug_in_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    plug_in *o = context;
    o->status = acquisition_plug_in(o->e->st->acquire, 0, x, count, value, gradient);
    return o->status != GOFH_OK;
}

static gofh_status climb(search_objective objective, void *context, const gofh_status *failure, int d,
                         int iterations, int starts, double *x, double *value)
{
    double lower[GOFH_MOST_PARAMETERS] = {0}, upper[GOFH_MOST_PARAMETERS];
    for (int k = 0; k < d; k++) upper[k] = 1.0;
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = iterations;
    double *work = memory_doubles(lbfgsb_work(&settings, starts, d));
    if (!work) return GOFH_ERROR_MEMORY;
    int failed = lbfgsb_maximize(objective, context, &settings, starts, d, lower, upper, x, value, work);
    free(work);
    return failed ? *failure : GOFH_OK;
}

/* Polishes the incumbent and the best `count` - 1 of q screened points, into good (count x d), the best first. */
static gofh_status polish_best(engine *e, const double *points, const double *value, int q, int count,
                               double *good, double *reached)
{
    size_t d = (size_t)e->d;
    int chosen[MANY_GOOD];
    plug_in o = {.e = e};
    int found = candidates_best_apart(e->st, points, value, q, APART, count - 1, chosen);
    for (int i = 0; i < count; i++)
        memcpy(good + (size_t)i * d,
               i && i <= found ? points + (size_t)chosen[i - 1] * d : e->st->trials[e->best].u,
               d * sizeof *good);
    gofh_status status = climb(plug_in_objective, &o, &o.status, e->d, POLISH_ITERATIONS, count, good,
                               reached);
    int best = 0;
    for (int i = 1; i < count; i++)
        if (reached[i] > reached[best]) best = i;
    for (size_t k = 0; k < d; k++) {
        double kept = good[k];
        good[k] = good[(size_t)best * d + k];
        good[(size_t)best * d + k] = kept;
    }
    double kept = reached[0];
    reached[0] = reached[best];
    reached[best] = kept;
    return status;
}

/* Perturbs a point on a scale, inside the cube. */
static void perturb(engine *e, const double *from, double scale, double *to)
{
    for (int k = 0; k < e->d; k++) to[k] = clip(from[k] + scale * random_normal(&e->stream));
}

gofh_status engine_candidates(engine *e)
{
    size_t d = (size_t)e->d, screened = MEAN_WIDE + ENGINE_WIDE + ENGINE_NEAR;
    const double *best = e->st->trials[e->best].u;
    double *near = e->points + ENGINE_WIDE * d, *good = near + ENGINE_NEAR * d, reached[ENGINE_GOOD];
    snapped_points(e, ENGINE_WIDE, e->points);
    for (int i = 0; i < ENGINE_NEAR; i++)
        perturb(e, best, pow(10.0, -6.0 + 5.5 * random_uniform(&e->stream)), near + (size_t)i * d);
    double *wide = memory_doubles(screened * (d + 1)), *value = wide + screened * d;
    if (!wide) return GOFH_ERROR_MEMORY;
    snapped_points(e, MEAN_WIDE, wide);
    memcpy(wide + MEAN_WIDE * d, e->points, (ENGINE_WIDE + ENGINE_NEAR) * d * sizeof *wide);
    gofh_status status = acquisition_plug_in(e->st->acquire, 0, wide, (int)screened, value, NULL);
    if (!status) status = polish_best(e, wide, value, (int)screened, ENGINE_GOOD, good, reached);
    free(wide);
    for (int i = 0; i < ENGINE_GOOD; i++)
        perturb(e, good + (size_t)i * d, 1e-3, good + (size_t)(ENGINE_GOOD + i) * d);
    return status;
}

gofh_status engine_polish(engine *e, double *u, double *gain)
{
    size_t d = (size_t)e->d;
    enum { STARTS_IN_ALL = MANY_UNIFORM + MANY_GOOD };
    double *x = memory_doubles((STARTS_IN_ALL + MEAN_WIDE) * (d + 1));
    if (!x) return GOFH_ERROR_MEMORY;
    double *wide = x + STARTS_IN_ALL * d, *value = wide + MEAN_WIDE * d, *reached = value + MEAN_WIDE;
    int chosen[MANY_GOOD];
    plug_in o = {.e = e};
    snapped_points(e, MEAN_WIDE, wide);
    gofh_status status = acquisition_plug_in(e->st->acquire, 0, wide, MEAN_WIDE, value, NULL);
    int found = status ? 0 : candidates_best_apart(e->st, wide, value, MEAN_WIDE, APART, MANY_GOOD, chosen);
    for (int i = 0; i < found; i++) memcpy(x + (size_t)i * d, wide + (size_t)chosen[i] * d, d * sizeof *x);
    int starts = found + MANY_UNIFORM;
    for (size_t i = (size_t)found * d; i < (size_t)starts * d; i++) x[i] = random_uniform(&e->stream);
    if (!status)
        status = climb(plug_in_objective, &o, &o.status, e->d, POLISH_ITERATIONS, starts, x, reached);
    int best = 0;
    for (int i = 1; !status && i < starts; i++)
        if (reached[i] > reached[best]) best = i;
    if (!status) {
        memcpy(u, x + (size_t)best * d, d * sizeof *u);
        *gain = reached[best] - e->best_f;
    }
    free(x);
    return status;
}

/* Starts of the climb by the logarithm of the smooth improvement: the best two, the best two away from the incumbent, and
 * two of the next hundred by lot, better ones more likely. Returns how many. */
static int choose_starts(engine *e, double apart, double *start)
{
    size_t d = (size_t)e->d;
    const double *best = e->st->trials[e->best].u;
    int chosen[CLIMB_STARTS], count = 0, ranked[RANKED], rank = 0;
    char *taken = memory_new(ENGINE_POINTS, 1);
    if (!taken) return -1;
    for (int i = 0; i < ENGINE_POINTS; i++)
        taken[i] = !isfinite(e->value[i]) || engine_distance(e->d, e->points + (size_t)i * d, best) < apart;
    while (rank < RANKED) {
        int next = -1;
        for (int i = 0; i < ENGINE_POINTS; i++)
            if (!taken[i] && (next < 0 || e->value[i] > e->value[next])) next = i;
        if (next < 0) break;
        taken[next] = 1;
        ranked[rank++] = next;
    }
    free(taken);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, added = 0; i < rank && added < CLIMB_STARTS / 3; i++) {
            if (ranked[i] < 0) continue;
            if (pass && engine_distance(e->d, e->points + (size_t)ranked[i] * d, best) <= AWAY) continue;
            chosen[count++] = ranked[i];
            ranked[i] = -1;
            added++;
        }
    double mean = 0.0, squares = 0.0, left = 0.0;
    for (int i = 0; i < rank; i++)
        if (ranked[i] >= 0) {
            double rest = e->value[ranked[i]] - mean;
            mean += rest / ++left;
            squares += rest * (e->value[ranked[i]] - mean);
        }
    double scale = sqrt(squares / fmax(left, 1.0)) + 1e-30;
    for (; count < CLIMB_STARTS && left > 0.0; left--) {
        double total = 0.0, sum = 0.0;
        int pick = -1;
        for (int i = 0; i < rank; i++)
            if (ranked[i] >= 0) total += exp(fmin(fmax((e->value[ranked[i]] - mean) / scale, -20.0), 20.0));
        double lot = total * random_uniform(&e->stream);
        for (int i = 0; i < rank && sum < lot; i++)
            if (ranked[i] >= 0) {
                sum += exp(fmin(fmax((e->value[ranked[i]] - mean) / scale, -20.0), 20.0));
                pick = i;
            }
        if (pick < 0) break;
        chosen[count++] = ranked[pick];
        ranked[pick] = -1;
    }
    for (int i = 0; i < count; i++)
        memcpy(start + (size_t)i * d, e->points + (size_t)chosen[i] * d, d * sizeof *start);
    return count;
}

/* The width of the smoothing: a part of the best improvement screened, or of how far below improving the best draw is. */
static gofh_status set_smoothing(engine *e, double apart, const double *z)
{
    study *st = e->st;
    acquisition *a = st->acquire;
    const double *incumbent = st->trials[e->best].u;
    gofh_status status = acquisition_monte_carlo(a, ACQUIRE_IMPROVEMENT, 0, 1, z, ENGINE_DRAWS, e->points,
                                                 ENGINE_POINTS, e->value, NULL);
    double most = 0.0;
    for (int i = 0; i < ENGINE_POINTS; i++)
        if (engine_distance(e->d, e->points + (size_t)i * (size_t)e->d, incumbent) >= apart)
            most = fmax(most, e->value[i]);
    a->smoothing = SMOOTHING * most;
    if (status || most > 0.0) return status;
    status = acquisition_monte_carlo(a, ACQUIRE_BEST_CASE, 0, 1, z, ENGINE_DRAWS, e->points, ENGINE_POINTS,
                                     e->value, NULL);
    double nearest = INFINITY;
    for (int i = 0; i < ENGINE_POINTS; i++) nearest = fmin(nearest, fabs(e->value[i] - a->incumbent[0]));
    a->smoothing = isfinite(nearest) ? fmax(0.1 * nearest, 1e-300) : 1.0;
    return status;
}

/* What the points are worth with all draws. Near constraints the exact count decides, unless it is 0 for all. */
static gofh_status rank_ends(engine *e, suggest_context *o, const double *x, int count, double *value)
{
    double most = 0.0;
    if (e->st->spec.g->margins) {
        gofh_status status = acquisition_monte_carlo(e->st->acquire, ACQUIRE_IMPROVEMENT, 0, 1, o->z,
                                                     o->draws, x, count, value, NULL);
        if (status) return status;
        for (int i = 0; i < count; i++) most = fmax(most, value[i]);
    }
    if (most > 0.0) return GOFH_OK;
    return suggest_objective(x, count, value, NULL, o) ? o->status : GOFH_OK;
}

/* Climbs from the starts, then ranks ends and starts with all draws. */
static gofh_status climb_improvement(engine *e, suggest_context *o, double apart, double *u)
{
    size_t d = (size_t)e->d;
    double x[2 * CLIMB_STARTS * GOFH_MOST_PARAMETERS], value[2 * CLIMB_STARTS];
    const double *best = e->st->trials[e->best].u;
    int starts = choose_starts(e, apart, x);
    if (starts < 0) return GOFH_ERROR_MEMORY;
    if (starts == 0) { /* nothing is left to choose from: anywhere else */
        for (size_t k = 0; k < d; k++) u[k] = random_uniform(&e->stream);
        return GOFH_OK;
    }
    memcpy(x + (size_t)starts * d, x, (size_t)starts * d * sizeof *x);
    o->draws = ENGINE_CLIMB_DRAWS;
    gofh_status status = climb(suggest_objective, o, &o->status, e->d, CLIMB_ITERATIONS, starts, x, value);
    o->draws = ENGINE_DRAWS;
    if (!status) status = rank_ends(e, o, x, 2 * starts, value);
    if (status) return status;
    int top = -1;
    for (int i = 0; i < 2 * starts; i++) {
        if (engine_distance(e->d, x + (size_t)i * d, best) < 0.5 * apart) continue;
        if (top < 0 || value[i] > value[top]) top = i;
    }
    memcpy(u, x + (size_t)(top < 0 ? starts : top) * d, d * sizeof *u);
    return GOFH_OK;
}

/* The normals scaled by `spread`, to be freed. */
static double *scaled_normals(const engine *e, double spread, int draws)
{
    size_t values = (size_t)draws * (size_t)e->st->outputs;
    double *z = memory_doubles(values);
    for (size_t i = 0; z && i < values; i++) z[i] = spread * e->z[i];
    return z;
}

gofh_status engine_screen(engine *e, double spread, double apart, double *most)
{
    double *z = scaled_normals(e, spread, ENGINE_CLIMB_DRAWS);
    if (!z) return GOFH_ERROR_MEMORY;
    gofh_status status = acquisition_monte_carlo(e->st->acquire, ACQUIRE_IMPROVEMENT, 0, 1, z,
                                                 ENGINE_CLIMB_DRAWS, e->points, ENGINE_WIDE, e->value, NULL);
    *most = 0.0;
    for (int i = 0; i < ENGINE_WIDE; i++)
        if (engine_distance(e->d, e->points + (size_t)i * (size_t)e->d, e->st->trials[e->best].u) >= apart)
            *most = fmax(*most, e->value[i]);
    free(z);
    return status;
}

gofh_status engine_improve(engine *e, double spread, double apart, double *u, double *improvement)
{
    study *st = e->st;
    double *z = scaled_normals(e, spread, ENGINE_DRAWS);
    if (!z) return GOFH_ERROR_MEMORY;
    suggest_context o = {
        .st = st, .kind = ACQUIRE_SMOOTH, .key = e->key, .z = z, .draws = ENGINE_DRAWS, .logarithm = 1};
    gofh_status status = set_smoothing(e, apart, z);
    if (!status && suggest_objective(e->points, ENGINE_POINTS, e->value, NULL, &o)) status = o.status;
    if (!status) status = climb_improvement(e, &o, apart, u);
    if (!status)
        status = acquisition_monte_carlo(st->acquire, ACQUIRE_IMPROVEMENT, 0, 1, z, ENGINE_DRAWS, u, 1,
                                         improvement, NULL);
    free(z);
    return status;
}
