/* Screening, polishing and climbing the expected improvement. */
#include "base/memory.h"
#include "base/quasi.h"
#include "base/vector.h"
#include "study/climb.h"
#include "study/engine.h"
#include "study/success.h"
#include "study/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEAN_WIDE = ENGINE_SCREENED - ENGINE_WIDE - ENGINE_NEAR, /* at most */
    MEAN_WIDE_EACH = 512,                                    /* for each dimension */
    POLISH_ITERATIONS = 40,
    CLIMB_ITERATIONS = 60,
    FAR_ITERATIONS = 20, /* a step away from the incumbent is a guess: its exact place matters little */
    CLIMB_STARTS = 6,
    MANY_UNIFORM = 60,     /* at most */
    MANY_UNIFORM_EACH = 5, /* for each dimension */
    MANY_GOOD = 10,
    MANY_ITERATIONS = 8, /* of all those; then the best MANY_KEPT go on */
    MANY_KEPT = 12,
    FIRST_DRAWS = 64 /* of all candidates, to see which may be worth something */
};
/* In units of the distance of the best of the first draws from their mean. */
static const double OUT_OF_REACH = 2.0;
static const double SNAP = 0.4, AWAY = 0.1, SMOOTHING = 0.01;
/* Of the logarithm of the smooth improvement: what a line search must gain for another; beside an edge the exact place matters
 * more. */
static const double CLIMB_TOLERANCE = 1e-4, EDGE_TOLERANCE = 1e-6;
/* Of the spread of f: where no more improvement is screened, climbing will not find what is worth a step. */
static const double IMPROVEMENT_HOPELESS = 5e-7;

static int no_more(int count, int most)
{
    return count < most ? count : most;
}

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
    double *points = e->all.points, *near = points + ENGINE_WIDE * d, *good = near + ENGINE_NEAR * d;
    plug_in o = {.st = e->st};
    snapped_points(e, ENGINE_WIDE, points);
    for (int i = 0; i < ENGINE_NEAR; i++)
        perturb(e, best, pow(10.0, -6.0 + 5.5 * random_uniform(&e->stream)), near + (size_t)i * d);
    int wide = e->st->method->parts & PART_SCREENING ? no_more(MEAN_WIDE_EACH * e->d, MEAN_WIDE) : 0;
    e->screened = wide + ENGINE_WIDE + ENGINE_NEAR;
    snapped_points(e, wide, e->wide);
    memcpy(e->wide + (size_t)wide * d, points, (ENGINE_WIDE + ENGINE_NEAR) * d * sizeof *e->wide);
    gofh_status status = candidates_plug_in(e->wide, e->screened, e->wide_value, NULL, &o) ? o.status
                                                                                           : GOFH_OK;
    if (!status)
        status = candidates_polish(&o, best, e->wide, e->wide_value, e->screened, POLISH_ITERATIONS, good);
    if (status) return status;
    for (int i = 0; i < ENGINE_GOOD; i++)
        perturb(e, good + (size_t)i * d, 1e-3, good + (size_t)(ENGINE_GOOD + i) * d);
    acquisition_predict(e->st->acquire, 0, points, ENGINE_POINTS, e->all.mean, e->all.deviation);
    return GOFH_OK;
}

/* Those chosen of the points, one after another. */
static void copy_chosen(size_t d, const double *points, const int *chosen, int count, double *to)
{
    for (int i = 0; i < count; i++)
        memcpy(to + (size_t)i * d, points + (size_t)chosen[i] * d, d * sizeof *to);
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
    double *x = memory_doubles(STARTS_IN_ALL * (d + 1) + MANY_KEPT * d);
    if (!x) return GOFH_ERROR_MEMORY;
    double *reached = x + STARTS_IN_ALL * d, *kept = reached + STARTS_IN_ALL;
    int chosen[MANY_KEPT];
    plug_in o = {.st = e->st};
    int starts = candidates_best_apart(e->st, e->wide, e->wide_value, e->screened, CANDIDATES_APART,
                                       MANY_GOOD, chosen);
    copy_chosen(d, e->wide, chosen, starts, x);
    int uniform = no_more(MANY_UNIFORM_EACH * e->d, MANY_UNIFORM);
    for (size_t i = 0; i < (size_t)uniform * d; i++) x[(size_t)starts * d + i] = random_uniform(&e->stream);
    starts += uniform;
    gofh_status status = climb_cube(candidates_plug_in, &o, &o.status, MANY_ITERATIONS, starts, e->d, x,
                                    reached);
    *gain = -INFINITY;
    if (!status) /* those that came to the same place go on as one */
        starts = candidates_best_apart(e->st, x, reached, starts, CANDIDATES_APART, MANY_KEPT, chosen);
    if (!status && starts > 0) {
        copy_chosen(d, x, chosen, starts, kept);
        status = climb_cube(candidates_plug_in, &o, &o.status, POLISH_ITERATIONS, starts, e->d, kept,
                            reached);
        int best = vector_largest(reached, starts);
        memcpy(u, kept + (size_t)best * d, d * sizeof *u);
        *gain = reached[best] - e->best_f;
    }
    free(x);
    return status;
}

/* The normals scaled by `spread` (draws x outputs), and room for so many values of f after them; to be freed. */
static double *scaled_normals(const engine *e, double spread, int draws, int room)
{
    size_t values = (size_t)draws * (size_t)e->st->outputs;
    double *z = memory_doubles(values + (size_t)room);
    for (size_t i = 0; z && i < values; i++) z[i] = spread * e->z[i];
    return z;
}

/* f of the draws at the pool's points, where one sample serves for all that is made of them. */
static gofh_status draw_pool(engine *e, const double *z, int draws, const engine_pool *pool, double *f)
{
    if (e->st->mo->samples > 1) return GOFH_OK;
    return acquisition_draw(e->st->acquire, pool->mean, pool->deviation, z, draws, pool->points, pool->count,
                            f);
}

/* Whether point i of the pool is at least `apart` from the incumbent. */
static int is_apart(const engine *e, const engine_pool *pool, int i, double apart)
{
    const double *u = pool->points + (size_t)i * (size_t)e->d;
    return engine_distance(e->d, u, e->st->trials[e->best].u) >= apart;
}

/* By how many times its own distance from their mean the best of the draws misses the incumbent. */
static double shortfall(double incumbent, const double *f, int draws)
{
    double largest = -INFINITY;
    for (int i = 0; i < draws; i++) largest = f[i] > largest ? f[i] : largest;
    if (largest > incumbent) return 0.0;
    double short_by = (incumbent - largest) / (largest - vector_sum(f, draws) / draws);
    return isnan(short_by) ? INFINITY : short_by;
}

static void take_candidate(engine *e, size_t from)
{
    size_t d = (size_t)e->d, m = (size_t)e->st->outputs, to = (size_t)e->few.count++;
    memcpy(e->few.points + to * d, e->all.points + from * d, d * sizeof *e->few.points);
    memcpy(e->few.mean + to * m, e->all.mean + from * m, m * sizeof *e->few.mean);
    memcpy(e->few.deviation + to * m, e->all.deviation + from * m, m * sizeof *e->few.deviation);
}

/* Of all candidates at least `apart` from the incumbent those into the pool of the few that may be worth something,
 * ENGINE_FEW at least: what the first draws miss by far, all draws miss. f: room for those draws at each point. */
static gofh_status choose_few(engine *e, const suggest_context *o, double apart, double *f)
{
    const engine_pool *all = &e->all;
    double missing[ENGINE_POINTS] = {0};
    char left[ENGINE_POINTS];
    if (o->draws == ENGINE_DRAWS && !e->st->spec.g->margins) {
        gofh_status status = draw_pool(e, o->z, FIRST_DRAWS, all, f);
        if (status) return status;
        for (int i = 0; i < all->count; i++)
            missing[i] = shortfall(e->st->acquire->incumbent[0], f + (size_t)i * FIRST_DRAWS, FIRST_DRAWS);
    }
    e->few.count = 0;
    for (int i = 0; i < all->count; i++) {
        int apart_from = is_apart(e, all, i, apart), may_be = apart_from && missing[i] <= OUT_OF_REACH;
        if (may_be) take_candidate(e, (size_t)i);
        left[i] = (char)(apart_from && !may_be);
    }
    while (e->few.count < ENGINE_FEW) {
        int next = -1;
        for (int i = 0; i < all->count; i++)
            if (left[i] && (next < 0 || missing[i] < missing[next])) next = i;
        if (next < 0) break;
        left[next] = 0;
        take_candidate(e, (size_t)next);
    }
    return GOFH_OK;
}

/* Moves a third of the starts, the best of the few farther than `away` from the incumbent, into chosen. One taken has the
 * value minus infinity from then on. Returns how many. */
static int take_best(engine *e, double away, int *chosen)
{
    engine_pool *few = &e->few;
    int count = 0;
    while (count < CLIMB_STARTS / 3) {
        int next = -1;
        for (int i = 0; i < few->count; i++)
            if (isfinite(few->value[i]) && is_apart(e, few, i, away) &&
                (next < 0 || few->value[i] > few->value[next]))
                next = i;
        if (next < 0) break;
        few->value[next] = -INFINITY;
        chosen[count++] = next;
    }
    return count;
}

/* Moves up to `most` of those that are left into chosen, by lot: the weights are exponential in the value less the mean in
 * units of the deviation. Returns how many. */
static int take_by_lot(engine *e, int most, int *chosen)
{
    const engine_pool *few = &e->few;
    double mean = 0.0, squares = 0.0, weight[ENGINE_FEW];
    int left = 0, count = 0;
    for (int i = 0; i < few->count; i++) {
        if (!isfinite(few->value[i])) continue;
        double rest = few->value[i] - mean;
        mean += rest / ++left;
        squares += rest * (few->value[i] - mean);
    }
    double scale = sqrt(squares / fmax(left, 1.0)) + 1e-30;
    for (int i = 0; i < few->count; i++)
        weight[i] = isfinite(few->value[i]) ? exp(fmin(fmax((few->value[i] - mean) / scale, -20.0), 20.0))
                                            : 0.0;
    for (; count < most && left > 0; left--) {
        double total = 0.0, sum = 0.0;
        int pick = -1;
        for (int i = 0; i < few->count; i++) total += weight[i];
        double lot = total * random_uniform(&e->stream);
        for (int i = 0; i < few->count && sum < lot; i++) {
            if (weight[i] == 0.0) continue;
            sum += weight[i];
            pick = i;
        }
        if (pick < 0) break;
        chosen[count++] = pick;
        weight[pick] = 0.0;
    }
    return count;
}

/* Starts of the climb by the logarithm of the smooth improvement: the best two, the best two away from the incumbent, and
 * two of the others by lot, better ones more likely. Returns how many. */
static int choose_starts(engine *e, double *start)
{
    size_t d = (size_t)e->d;
    int chosen[CLIMB_STARTS], count = take_best(e, 0.0, chosen);
    count += take_best(e, AWAY, chosen + count);
    count += take_by_lot(e, CLIMB_STARTS - count, chosen + count);
    for (int i = 0; i < count; i++)
        memcpy(start + (size_t)i * d, e->few.points + (size_t)chosen[i] * d, d * sizeof *start);
    return count;
}

/* What the draws at the pool's points are worth. f: those draws, where there is one sample; with fantasies they are
 * made from the normals z, under each. */
static gofh_status average_draws(engine *e, acquire_kind kind, const double *z, int draws, const double *f,
                                 engine_pool *pool)
{
    int samples = e->st->mo->samples;
    if (samples > 1)
        return acquisition_monte_carlo(e->st->acquire, kind, 0, samples, z, draws, pool->points, pool->count,
                                       pool->value, NULL);
    acquisition_average(e->st->acquire, kind, 0, f, draws, pool->count, pool->value);
    return GOFH_OK;
}

/* The largest expected improvement at the pool's points that are at least `apart` from the incumbent. */
static gofh_status largest_improvement(engine *e, double apart, const double *z, int draws, const double *f,
                                       engine_pool *pool, double *most)
{
    *most = 0.0;
    gofh_status status = average_draws(e, ACQUIRE_IMPROVEMENT, z, draws, f, pool);
    if (status) return status;
    success_multiply(e->st, pool->points, pool->count, pool->value, NULL);
    for (int i = 0; i < pool->count; i++)
        if (is_apart(e, pool, i, apart)) *most = fmax(*most, pool->value[i]);
    return GOFH_OK;
}

/* The width of the smoothing: a part of the best improvement screened, or of how far below improving the best draw is. */
static gofh_status set_smoothing(engine *e, double most, const double *z, int draws, const double *f,
                                 engine_pool *pool)
{
    acquisition *a = e->st->acquire;
    double nearest = INFINITY;
    a->smoothing = SMOOTHING * most;
    if (most > 0.0) return GOFH_OK;
    gofh_status status = average_draws(e, ACQUIRE_BEST_CASE, z, draws, f, pool);
    for (int i = 0; i < pool->count; i++) nearest = fmin(nearest, fabs(pool->value[i] - a->incumbent[0]));
    a->smoothing = isfinite(nearest) ? fmax(0.1 * nearest, 1e-300) : 1.0;
    return status;
}

/* Whether a far step will follow whatever climbing finds. Beside an edge there may be more than candidates show. */
static int is_hopeless(const engine *e, double apart, double most)
{
    if (apart > 0.0 || e->noisy || e->margins || !(e->st->method->parts & PART_FAR)) return 0;
    return most < IMPROVEMENT_HOPELESS * e->spread;
}

/* The logarithm of the smooth improvement at the few; near constraints with soft edges. Where it is hopeless the
 * improvement itself. most: the largest improvement. f: room for the draws at each point. */
static gofh_status screen(engine *e, suggest_context *o, double apart, double *f, double *most)
{
    engine_pool *pool = &e->few;
    int draws = o->draws;
    gofh_status status = draw_pool(e, o->z, draws, pool, f);
    if (!status) status = largest_improvement(e, apart, o->z, draws, f, pool, most);
    if (status || is_hopeless(e, apart, *most)) return status;
    status = set_smoothing(e, *most, o->z, draws, f, pool);
    if (status) return status;
    if (e->st->spec.g->margins || e->st->mo->samples > 1)
        return suggest_objective(pool->points, pool->count, pool->value, NULL, o) ? o->status : GOFH_OK;
    acquisition_average(e->st->acquire, ACQUIRE_SMOOTH, 0, f, draws, pool->count, pool->value);
    for (int i = 0; i < pool->count; i++) pool->value[i] = log(pool->value[i]);
    success_add_logarithm(e->st, pool->points, pool->count, pool->value, NULL);
    return GOFH_OK;
}

/* What the points are worth with all draws. Near constraints the exact count decides, unless it is 0 for all. */
static gofh_status rank_ends(engine *e, suggest_context *o, const double *x, int count, double *value)
{
    double most = 0.0;
    if (e->st->spec.g->margins) {
        gofh_status status = acquisition_monte_carlo(e->st->acquire, ACQUIRE_IMPROVEMENT, 0,
                                                     e->st->mo->samples, o->z, o->draws, x, count, value,
                                                     NULL);
        if (status) return status;
        success_multiply(e->st, x, count, value, NULL);
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
    int starts = choose_starts(e, x);
    if (starts == 0) { /* nothing is left to choose from: anywhere else */
        for (size_t k = 0; k < d; k++) u[k] = random_uniform(&e->stream);
        return GOFH_OK;
    }
    memcpy(x + (size_t)starts * d, x, (size_t)starts * d * sizeof *x);
    int ranked = o->draws;
    o->draws = e->climb_draws;
    double lower[GOFH_MOST_PARAMETERS], upper[GOFH_MOST_PARAMETERS];
    climb_cube_bounds(e->d, lower, upper);
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = apart > 0.0 ? FAR_ITERATIONS : CLIMB_ITERATIONS;
    settings.value_tolerance = e->margins ? EDGE_TOLERANCE : CLIMB_TOLERANCE;
    gofh_status status = climb_box(suggest_objective, o, &o->status, &settings, starts, e->d, lower, upper, x,
                                   value);
    o->draws = ranked;
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

gofh_status engine_screen(engine *e, double spread, double apart, double *most)
{
    int draws = e->climb_draws / 4;
    engine_pool wide = e->all;
    wide.count = ENGINE_WIDE;
    double *z = scaled_normals(e, spread, draws, draws * wide.count);
    if (!z) return GOFH_ERROR_MEMORY;
    double *f = z + (size_t)draws * (size_t)e->st->outputs;
    gofh_status status = draw_pool(e, z, draws, &wide, f);
    if (!status) status = largest_improvement(e, apart, z, draws, f, &wide, most);
    free(z);
    return status;
}

/* Climbs from some of the best of the few, of which no more than points and values are left in order. */
static gofh_status climb_from_few(engine *e, suggest_context *o, double apart, double *u, double *improvement)
{
    study *st = e->st;
    int kept = no_more(e->few.count, ENGINE_FEW);
    keep_best(e->few.count, e->d, kept, e->few.points, e->few.value);
    e->few.count = kept;
    gofh_status status = climb_improvement(e, o, apart, u);
    if (!status)
        status = acquisition_monte_carlo(st->acquire, ACQUIRE_IMPROVEMENT, 0, st->mo->samples, e->z, e->draws,
                                         u, 1, improvement, NULL);
    if (!status) success_multiply(st, u, 1, improvement, NULL);
    return status;
}

gofh_status engine_improve(engine *e, double spread, double apart, double *u, double *improvement)
{
    study *st = e->st;
    size_t d = (size_t)e->d;
    int draws = apart > 0.0 ? e->climb_draws : e->draws;
    double *z = scaled_normals(e, spread, draws, draws * ENGINE_POINTS);
    if (!z) return GOFH_ERROR_MEMORY;
    double *f = z + (size_t)draws * (size_t)st->outputs;
    suggest_context o = {
        .st = st, .kind = ACQUIRE_SMOOTH, .key = e->key, .z = z, .draws = draws, .logarithm = 1};
    gofh_status status = choose_few(e, &o, apart, f);
    if (!status) status = screen(e, &o, apart, f, improvement);
    if (!status && is_hopeless(e, apart, *improvement))
        memcpy(u, e->few.points + (size_t)vector_largest(e->few.value, e->few.count) * d, d * sizeof *u);
    else if (!status)
        status = climb_from_few(e, &o, apart, u, improvement);
    free(z);
    return status;
}
