/* Screening, polishing and climbing the expected improvement. */
#include "base/memory.h"
#include "base/quasi.h"
#include "base/vector.h"
#include "study/climb.h"
#include "study/engine.h"
#include "study/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEAN_WIDE = ENGINE_SCREENED - ENGINE_WIDE - ENGINE_NEAR,
    POLISH_ITERATIONS = 40,
    CLIMB_ITERATIONS = 60,
    CLIMB_STARTS = 6,
    MANY_UNIFORM = 60,
    MANY_GOOD = 10,
    MANY_ITERATIONS = 8, /* of all those; then the best MANY_KEPT go on */
    MANY_KEPT = 12,
    RANKED = 100
};
static const double SNAP = 0.4, AWAY = 0.1, SMOOTHING = 0.01;
/* Of the logarithm of the smooth improvement: what a line search must gain for another. */
static const double CLIMB_TOLERANCE = 1e-6;

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

/* Perturbs a point on a scale, inside the cube. */
static void perturb(engine *e, const double *from, double scale, double *to)
{
    for (int k = 0; k < e->d; k++) to[k] = clip(from[k] + scale * random_normal(&e->stream));
}

gofh_status engine_candidates(engine *e)
{
    size_t d = (size_t)e->d;
    const double *best = e->st->trials[e->best].u;
    double *near = e->points + ENGINE_WIDE * d, *good = near + ENGINE_NEAR * d;
    plug_in o = {.st = e->st};
    snapped_points(e, ENGINE_WIDE, e->points);
    for (int i = 0; i < ENGINE_NEAR; i++)
        perturb(e, best, pow(10.0, -6.0 + 5.5 * random_uniform(&e->stream)), near + (size_t)i * d);
    snapped_points(e, MEAN_WIDE, e->wide);
    memcpy(e->wide + MEAN_WIDE * d, e->points, (ENGINE_WIDE + ENGINE_NEAR) * d * sizeof *e->wide);
    gofh_status status = acquisition_plug_in(e->st->acquire, 0, e->wide, ENGINE_SCREENED, e->wide_value,
                                             NULL);
    if (!status)
        status = candidates_polish(&o, best, e->wide, e->wide_value, ENGINE_SCREENED, POLISH_ITERATIONS,
                                   good);
    if (status) return status;
    for (int i = 0; i < ENGINE_GOOD; i++)
        perturb(e, good + (size_t)i * d, 1e-3, good + (size_t)(ENGINE_GOOD + i) * d);
    acquisition_predict(e->st->acquire, 0, e->points, ENGINE_POINTS, e->mean, e->deviation);
    return GOFH_OK;
}

/* Moves the best `kept` of the points to the front, the best first. */
static void keep_best(int points, int d, int kept, double *x, double *value)
{
    for (int i = 0; i < kept; i++) {
        int best = i + vector_largest(value + i, points - i);
        double kept_value = value[i];
        value[i] = value[best];
        value[best] = kept_value;
        for (int k = 0; k < d; k++) {
            double coordinate = x[i * d + k];
            x[i * d + k] = x[best * d + k];
            x[best * d + k] = coordinate;
        }
    }
}

gofh_status engine_polish(engine *e, double *u, double *gain)
{
    size_t d = (size_t)e->d;
    enum { STARTS_IN_ALL = MANY_UNIFORM + MANY_GOOD };
    double *x = memory_doubles(STARTS_IN_ALL * (d + 1));
    if (!x) return GOFH_ERROR_MEMORY;
    double *reached = x + STARTS_IN_ALL * d;
    int chosen[MANY_GOOD];
    plug_in o = {.st = e->st};
    int found = candidates_best_apart(e->st, e->wide, e->wide_value, ENGINE_SCREENED, CANDIDATES_APART,
                                      MANY_GOOD, chosen);
    for (int i = 0; i < found; i++) memcpy(x + (size_t)i * d, e->wide + (size_t)chosen[i] * d, d * sizeof *x);
    int starts = found + MANY_UNIFORM;
    for (size_t i = (size_t)found * d; i < (size_t)starts * d; i++) x[i] = random_uniform(&e->stream);
    gofh_status status = climb_cube(candidates_plug_in, &o, &o.status, MANY_ITERATIONS, starts, e->d, x,
                                    reached);
    if (!status) {
        keep_best(starts, e->d, MANY_KEPT, x, reached);
        status = climb_cube(candidates_plug_in, &o, &o.status, POLISH_ITERATIONS, MANY_KEPT, e->d, x,
                            reached);
    }
    if (!status) {
        int best = vector_largest(reached, MANY_KEPT);
        memcpy(u, x + (size_t)best * d, d * sizeof *u);
        *gain = reached[best] - e->best_f;
    }
    free(x);
    return status;
}

/* The candidates that are at least `apart` from the incumbent, the best RANKED of them in order. Returns how many, or -1
 * when there is no memory. */
static int rank_candidates(const engine *e, double apart, int *ranked)
{
    const double *best = e->st->trials[e->best].u;
    int rank = 0;
    char *taken = memory_new(ENGINE_POINTS, 1);
    if (!taken) return -1;
    for (int i = 0; i < ENGINE_POINTS; i++)
        taken[i] = !isfinite(e->value[i]) ||
                   engine_distance(e->d, e->points + (size_t)i * (size_t)e->d, best) < apart;
    while (rank < RANKED) {
        int next = -1;
        for (int i = 0; i < ENGINE_POINTS; i++)
            if (!taken[i] && (next < 0 || e->value[i] > e->value[next])) next = i;
        if (next < 0) break;
        taken[next] = 1;
        ranked[rank++] = next;
    }
    free(taken);
    return rank;
}

/* Moves a third of the starts, the best ranked farther than `away` from the incumbent, into chosen. One taken leaves -1 in
 * its place. Returns how many. */
static int take_best(const engine *e, int *ranked, int rank, double away, int *chosen)
{
    const double *best = e->st->trials[e->best].u;
    int count = 0;
    for (int i = 0; i < rank && count < CLIMB_STARTS / 3; i++) {
        if (ranked[i] < 0) continue;
        if (!(engine_distance(e->d, e->points + (size_t)ranked[i] * (size_t)e->d, best) > away)) continue;
        chosen[count++] = ranked[i];
        ranked[i] = -1;
    }
    return count;
}

/* Moves up to `most` of those that are left into chosen, by lot: the weights are exponential in the value less the mean in
 * units of the deviation. Returns how many. */
static int take_by_lot(engine *e, int *ranked, int rank, int most, int *chosen)
{
    double mean = 0.0, squares = 0.0, weight[RANKED];
    int left = 0, count = 0;
    for (int i = 0; i < rank; i++) {
        if (ranked[i] < 0) continue;
        double value = e->value[ranked[i]], rest = value - mean;
        mean += rest / ++left;
        squares += rest * (value - mean);
    }
    double scale = sqrt(squares / fmax(left, 1.0)) + 1e-30;
    for (int i = 0; i < rank; i++)
        weight[i] = ranked[i] < 0 ? 0.0 : exp(fmin(fmax((e->value[ranked[i]] - mean) / scale, -20.0), 20.0));
    for (; count < most && left > 0; left--) {
        double total = 0.0, sum = 0.0;
        int pick = -1;
        for (int i = 0; i < rank; i++) total += weight[i];
        double lot = total * random_uniform(&e->stream);
        for (int i = 0; i < rank && sum < lot; i++) {
            if (ranked[i] < 0) continue;
            sum += weight[i];
            pick = i;
        }
        if (pick < 0) break;
        chosen[count++] = ranked[pick];
        ranked[pick] = -1;
        weight[pick] = 0.0;
    }
    return count;
}

/* Starts of the climb by the logarithm of the smooth improvement: the best two, the best two away from the incumbent, and
 * two of the next hundred by lot, better ones more likely. Returns how many, or -1 when there is no memory. */
static int choose_starts(engine *e, double apart, double *start)
{
    size_t d = (size_t)e->d;
    int ranked[RANKED], chosen[CLIMB_STARTS], rank = rank_candidates(e, apart, ranked);
    if (rank < 0) return -1;
    int count = take_best(e, ranked, rank, -1.0, chosen);
    count += take_best(e, ranked, rank, AWAY, chosen + count);
    count += take_by_lot(e, ranked, rank, CLIMB_STARTS - count, chosen + count);
    for (int i = 0; i < count; i++)
        memcpy(start + (size_t)i * d, e->points + (size_t)chosen[i] * d, d * sizeof *start);
    return count;
}

/* Whether candidate i is at least `apart` from the incumbent. */
static int is_apart(const engine *e, int i, double apart)
{
    return engine_distance(e->d, e->points + (size_t)i * (size_t)e->d, e->st->trials[e->best].u) >= apart;
}

/* The width of the smoothing: a part of the best improvement screened, or of how far below improving the best draw is.
 * f: ENGINE_DRAWS a candidate. */
static void set_smoothing(engine *e, double apart, const double *f)
{
    acquisition *a = e->st->acquire;
    double most = 0.0, nearest = INFINITY;
    acquisition_average(a, ACQUIRE_IMPROVEMENT, 0, f, ENGINE_DRAWS, ENGINE_POINTS, e->value);
    for (int i = 0; i < ENGINE_POINTS; i++)
        if (is_apart(e, i, apart)) most = fmax(most, e->value[i]);
    a->smoothing = SMOOTHING * most;
    if (most > 0.0) return;
    acquisition_average(a, ACQUIRE_BEST_CASE, 0, f, ENGINE_DRAWS, ENGINE_POINTS, e->value);
    for (int i = 0; i < ENGINE_POINTS; i++) nearest = fmin(nearest, fabs(e->value[i] - a->incumbent[0]));
    a->smoothing = isfinite(nearest) ? fmax(0.1 * nearest, 1e-300) : 1.0;
}

/* The logarithm of the smooth improvement at the candidates, of these draws; near constraints with soft edges. */
static gofh_status screen_smoothly(engine *e, suggest_context *o, const double *f)
{
    if (e->st->spec.g->margins)
        return suggest_objective(e->points, ENGINE_POINTS, e->value, NULL, o) ? o->status : GOFH_OK;
    acquisition_average(e->st->acquire, ACQUIRE_SMOOTH, 0, f, ENGINE_DRAWS, ENGINE_POINTS, e->value);
    for (int i = 0; i < ENGINE_POINTS; i++) e->value[i] = log(e->value[i]);
    return GOFH_OK;
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
    double lower[GOFH_MOST_PARAMETERS], upper[GOFH_MOST_PARAMETERS];
    climb_cube_bounds(e->d, lower, upper);
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = CLIMB_ITERATIONS;
    settings.value_tolerance = CLIMB_TOLERANCE;
    gofh_status status = climb_box(suggest_objective, o, &o->status, &settings, starts, e->d, lower, upper, x,
                                   value);
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

/* The normals scaled by `spread` (draws x outputs), and room for f of so many draws at `points` points after them; to be
 * freed. */
static double *scaled_normals(const engine *e, double spread, int draws, int points)
{
    size_t values = (size_t)draws * (size_t)e->st->outputs;
    double *z = memory_doubles(values + (size_t)draws * (size_t)points);
    for (size_t i = 0; z && i < values; i++) z[i] = spread * e->z[i];
    return z;
}

gofh_status engine_screen(engine *e, double spread, double apart, double *most)
{
    double *z = scaled_normals(e, spread, ENGINE_CLIMB_DRAWS, ENGINE_WIDE);
    if (!z) return GOFH_ERROR_MEMORY;
    double *f = z + (size_t)ENGINE_CLIMB_DRAWS * (size_t)e->st->outputs;
    gofh_status status = acquisition_draw(e->st->acquire, e->mean, e->deviation, z, ENGINE_CLIMB_DRAWS,
                                          e->points, ENGINE_WIDE, f);
    *most = 0.0;
    if (!status)
        acquisition_average(e->st->acquire, ACQUIRE_IMPROVEMENT, 0, f, ENGINE_CLIMB_DRAWS, ENGINE_WIDE,
                            e->value);
    for (int i = 0; !status && i < ENGINE_WIDE; i++)
        if (is_apart(e, i, apart)) *most = fmax(*most, e->value[i]);
    free(z);
    return status;
}

gofh_status engine_improve(engine *e, double spread, double apart, double *u, double *improvement)
{
    study *st = e->st;
    double *z = scaled_normals(e, spread, ENGINE_DRAWS, ENGINE_POINTS);
    if (!z) return GOFH_ERROR_MEMORY;
    double *f = z + (size_t)ENGINE_DRAWS * (size_t)st->outputs;
    suggest_context o = {
        .st = st, .kind = ACQUIRE_SMOOTH, .key = e->key, .z = z, .draws = ENGINE_DRAWS, .logarithm = 1};
    gofh_status status = acquisition_draw(st->acquire, e->mean, e->deviation, z, ENGINE_DRAWS, e->points,
                                          ENGINE_POINTS, f);
    if (!status) {
        set_smoothing(e, apart, f);
        status = screen_smoothly(e, &o, f);
    }
    if (!status) status = climb_improvement(e, &o, apart, u);
    if (!status)
        status = acquisition_monte_carlo(st->acquire, ACQUIRE_IMPROVEMENT, 0, 1, e->z, ENGINE_DRAWS, u, 1,
                                         improvement, NULL);
    free(z);
    return status;
}
