/* The search for the maximiser of the expected improvement: candidates are screened, the best of
 * them climbed from. */
#include "base/memory.h"
#include "base/vector.h"
#include "study/climb.h"
#include "study/engine.h"
#include "study/objective.h"
#include "study/points.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLIMB_ITERATIONS = 60,
    /* A step away from the incumbent, or beside open trials, is a guess: its exact place matters little. */
    APART_ITERATIONS = 20,
    CLIMB_STARTS = 6,
    AGAIN_STARTS = 3, /* for another point from the same data */
    FIRST_DRAWS = 64, /* of all candidates, to see which may improve */
    SHORT_LIST = 48,  /* of the best of those some are climbed from */
    AGAIN_LIST = 16   /* for another point from the same data */
};
/* In units of the distance of the best of the first draws from their mean. */
static const double OUT_OF_REACH = 2.0;
static const double AWAY = 0.1, SMOOTHING = 0.01;
/* Of the logarithm of the smooth improvement: what a line search must gain for another; beside a
 * constraint the exact place matters more. */
static const double CLIMB_TOLERANCE = 1e-4, CONSTRAINED_TOLERANCE = 1e-6;
/* Of the range of f: where no more improvement is screened, climbing will not find what is worth a
 * step. */
static const double GAIN_HOPELESS = 5e-7;

static int starts_of(const engine *e)
{
    return e->state.again ? AGAIN_STARTS : CLIMB_STARTS;
}

static int list_of(const engine *e)
{
    return e->state.again ? AGAIN_LIST : SHORT_LIST;
}

gofh_status engine_make_candidates(engine *e, acquire_subject subject, const double *centre)
{
    plug_in o = {.st = e->st, .subject = subject};
    gofh_status status = candidates_fill(&e->all, &o, centre, &e->stream);
    if (!status && e->pool.mean)
        acquisition_predict(e->st->fitted->acquire, 0, e->pool.points, e->pool.count, e->pool.mean,
                            e->pool.deviation);
    return status;
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

/* One search: what is asked, the inflated normals, and room for the draws at each point. */
typedef struct {
    const improvement_search *ask;
    double *z; /* draws x outputs */
    int draws;
    double *f; /* pool.count x draws */
} search;

/* To be ended by free(s->z). */
static gofh_status open_search(const engine *e, const improvement_search *ask, int draws, int points,
                               search *s)
{
    size_t values = (size_t)draws * (size_t)e->st->outputs;
    *s = (search){.ask = ask, .draws = draws};
    s->z = memory_doubles(values + (size_t)draws * (size_t)points);
    if (!s->z) return GOFH_ERROR_MEMORY;
    s->f = s->z + values;
    for (size_t i = 0; i < values; i++) s->z[i] = ask->inflation * e->z[i];
    return GOFH_OK;
}

static acquire_goal goal_of(const search *s, acquire_kind kind)
{
    acquire_goal goal = s->ask->goal;
    goal.kind = kind;
    return goal;
}

/* f of the first `draws` at the pool's points, under the first sample. */
static gofh_status draw_first(engine *e, const search *s, int draws, const engine_pool *pool)
{
    return acquisition_draw(e->st->fitted->acquire, s->ask->goal.subject, pool->mean, pool->deviation, s->z,
                            draws, pool->points, pool->count, s->f);
}

/* The same where one sample serves for all that is made of them. */
static gofh_status draw_pool(engine *e, const search *s, int draws, const engine_pool *pool)
{
    return e->st->fitted->mo->samples > 1 ? GOFH_OK : draw_first(e, s, draws, pool);
}

/* Whether point i of the pool is at least `apart` from the centre. */
static int is_apart(const engine *e, const search *s, const engine_pool *pool, int i, double apart)
{
    return points_distance(e->d, pool->points + (size_t)i * (size_t)e->d, s->ask->centre) >= apart;
}

/* By how many times its own distance from their mean the best of the draws misses the incumbent. */
static double distance_to_improvement(double incumbent, const double *f, int draws)
{
    double largest = -INFINITY;
    for (int i = 0; i < draws; i++) largest = f[i] > largest ? f[i] : largest;
    if (largest > incumbent) return 0.0;
    double missing = (incumbent - largest) / (largest - vector_sum(f, draws) / draws);
    return isnan(missing) ? INFINITY : missing;
}

static void list_candidate(engine *e, size_t from)
{
    size_t d = (size_t)e->d, m = (size_t)e->st->outputs, to = (size_t)e->short_list.count++;
    engine_pool *list = &e->short_list;
    memcpy(list->points + to * d, e->pool.points + from * d, d * sizeof *list->points);
    if (!list->mean) return;
    memcpy(list->mean + to * m, e->pool.mean + from * m, m * sizeof *list->mean);
    memcpy(list->deviation + to * m, e->pool.deviation + from * m, m * sizeof *list->deviation);
}

/* Of all candidates far enough from the centre those into the short list that may improve,
 * list_of(e) at least: what the first draws miss by far, all draws miss. */
static gofh_status make_short_list(engine *e, const search *s)
{
    const engine_pool *all = &e->pool;
    size_t count = (size_t)all->count;
    double *missing = memory_doubles(2 * count);
    if (!missing) return GOFH_ERROR_MEMORY;
    double *left = missing + count; /* not 0: of those that are not listed yet */
    gofh_status status = GOFH_OK;
    int fantasies = e->st->fitted->mo->samples > 1 && all->mean;
    if ((s->draws == ENGINE_DRAWS || fantasies) && !e->st->spec.g->margins) {
        int first = s->draws < FIRST_DRAWS ? s->draws : FIRST_DRAWS;
        status = draw_first(e, s, first, all);
        for (size_t i = 0; !status && i < count; i++)
            missing[i] = distance_to_improvement(e->st->fitted->acquire->incumbent[0],
                                                 s->f + i * (size_t)first, first);
    }
    e->short_list.count = 0;
    for (int i = 0; !status && i < all->count; i++) {
        int apart = is_apart(e, s, all, i, s->ask->apart), may_improve = missing[i] <= OUT_OF_REACH;
        if (apart && may_improve) list_candidate(e, (size_t)i);
        left[i] = apart && !may_improve;
    }
    while (!status && e->short_list.count < list_of(e)) {
        int next = -1;
        for (int i = 0; i < all->count; i++)
            if (left[i] != 0.0 && (next < 0 || missing[i] < missing[next])) next = i;
        if (next < 0) break;
        left[next] = 0.0;
        list_candidate(e, (size_t)next);
    }
    free(missing);
    return status;
}

/* Moves a third of the starts, the best of the short list farther than `away` from the centre, into
 * chosen. One taken has the value minus infinity from then on. Returns how many. */
static int take_best(engine *e, const search *s, double away, int *chosen)
{
    engine_pool *list = &e->short_list;
    int count = 0;
    while (count < starts_of(e) / 3) {
        int next = -1;
        for (int i = 0; i < list->count; i++)
            if (isfinite(list->value[i]) && is_apart(e, s, list, i, away) &&
                (next < 0 || list->value[i] > list->value[next]))
                next = i;
        if (next < 0) break;
        list->value[next] = -INFINITY;
        chosen[count++] = next;
    }
    return count;
}

/* Moves up to `most` of those that are left into chosen, by lot: the weights are exponential in the
 * value less the mean in units of the deviation. Returns how many. */
static int take_by_lot(engine *e, int most, int *chosen)
{
    const engine_pool *list = &e->short_list;
    double mean = 0.0, squares = 0.0, weight[SHORT_LIST] = {0};
    int left = 0, count = 0;
    for (int i = 0; i < list->count; i++) {
        if (!isfinite(list->value[i])) continue;
        double rest = list->value[i] - mean;
        mean += rest / ++left;
        squares += rest * (list->value[i] - mean);
    }
    double scale = sqrt(squares / fmax(left, 1.0)) + 1e-30;
    for (int i = 0; i < list->count; i++)
        weight[i] = isfinite(list->value[i]) ? exp(fmin(fmax((list->value[i] - mean) / scale, -20.0), 20.0))
                                             : 0.0;
    for (; count < most && left > 0; left--) {
        double total = 0.0, sum = 0.0;
        int pick = -1;
        for (int i = 0; i < list->count; i++) total += weight[i];
        double lot = total * random_uniform(&e->stream);
        for (int i = 0; i < list->count && sum < lot; i++) {
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

/* Starts of the climb by the logarithm of the smooth improvement: the best two, the best two away
 * from the centre, and two of the others by lot, better ones more likely. Returns how many. */
static int choose_starts(engine *e, const search *s, double *start)
{
    size_t d = (size_t)e->d;
    int chosen[CLIMB_STARTS], count = take_best(e, s, 0.0, chosen);
    count += take_best(e, s, AWAY, chosen + count);
    count += take_by_lot(e, starts_of(e) - count, chosen + count);
    for (int i = 0; i < count; i++)
        memcpy(start + (size_t)i * d, e->short_list.points + (size_t)chosen[i] * d, d * sizeof *start);
    return count;
}

/* The average utility of the draws at the pool's points: s->f where there is one sample; with
 * fantasies they are made under each. */
static gofh_status average_draws(engine *e, const search *s, acquire_goal goal, engine_pool *pool)
{
    int samples = e->st->fitted->mo->samples;
    if (samples > 1)
        return acquisition_monte_carlo(e->st->fitted->acquire, goal, 0, samples, s->z, s->draws, pool->points,
                                       pool->count, pool->value, NULL);
    acquisition_average(e->st->fitted->acquire, goal, 0, s->f, s->draws, pool->count, pool->value);
    return GOFH_OK;
}

/* The largest expected improvement at the pool's points that are far enough from the centre. */
static gofh_status largest_improvement(engine *e, const search *s, engine_pool *pool, double *largest)
{
    *largest = 0.0;
    gofh_status status = average_draws(e, s, goal_of(s, ACQUIRE_IMPROVEMENT), pool);
    if (status) return status;
    success_multiply(e->st, pool->points, pool->count, pool->value, NULL);
    for (int i = 0; i < pool->count; i++)
        if (is_apart(e, s, pool, i, s->ask->apart)) *largest = fmax(*largest, pool->value[i]);
    return GOFH_OK;
}

/* The width of the smoothing: a part of the largest improvement screened, or of how far below
 * improving the best draw is. */
static gofh_status find_smoothing(engine *e, const search *s, double largest, double *smoothing)
{
    engine_pool *list = &e->short_list;
    double nearest = INFINITY;
    *smoothing = SMOOTHING * largest;
    if (largest > 0.0) return GOFH_OK;
    const double *incumbent = s->ask->goal.incumbent ? s->ask->goal.incumbent
                                                     : e->st->fitted->acquire->incumbent;
    gofh_status status = average_draws(e, s, goal_of(s, ACQUIRE_BEST_CASE), list);
    for (int i = 0; i < list->count; i++) nearest = fmin(nearest, fabs(list->value[i] - incumbent[0]));
    *smoothing = isfinite(nearest) ? fmax(0.1 * nearest, 1e-300) : 1.0;
    return status;
}

/* Whether a restart will follow whatever climbing finds. Beside a constraint there may be more than
 * candidates show. */
static int is_hopeless(const engine *e, const search *s, double largest)
{
    if (s->ask->apart > 0.0 || e->state.noisy || e->margins || !(e->st->method->parts & PART_RESTART))
        return 0;
    return largest < GAIN_HOPELESS * e->state.basin_range;
}

/* The logarithm of the smooth improvement at the short list; near constraints with soft edges. */
static gofh_status rank_short_list(engine *e, const search *s, objective *o)
{
    engine_pool *list = &e->short_list;
    if (e->st->spec.g->margins || e->st->fitted->mo->samples > 1)
        return objective_search(list->points, list->count, list->value, NULL, o) ? o->status : GOFH_OK;
    acquisition_average(e->st->fitted->acquire, o->goal, 0, s->f, s->draws, list->count, list->value);
    for (int i = 0; i < list->count; i++) list->value[i] = log(list->value[i]);
    success_add_logarithm(e->st, list->points, list->count, list->value, NULL);
    return GOFH_OK;
}

/* The values of the points with all draws. Near constraints the exact count decides, unless it is 0
 * for all. */
static gofh_status rank_ends(engine *e, const search *s, objective *o, const double *x, int count,
                             double *value)
{
    double largest = 0.0;
    if (e->st->spec.g->margins) {
        gofh_status status = acquisition_monte_carlo(e->st->fitted->acquire, goal_of(s, ACQUIRE_IMPROVEMENT),
                                                     0, e->st->fitted->mo->samples, s->z, s->draws, x, count,
                                                     value, NULL);
        if (status) return status;
        success_multiply(e->st, x, count, value, NULL);
        for (int i = 0; i < count; i++) largest = fmax(largest, value[i]);
    }
    if (largest > 0.0) return GOFH_OK;
    return objective_search(x, count, value, NULL, o) ? o->status : GOFH_OK;
}

/* Climbs from the starts, then ranks ends and starts with all draws. */
static gofh_status climb(engine *e, const search *s, objective *o, double *u)
{
    size_t d = (size_t)e->d;
    double x[2 * CLIMB_STARTS * GOFH_MAX_PARAMETERS], value[2 * CLIMB_STARTS], apart = s->ask->apart;
    int starts = choose_starts(e, s, x);
    if (starts == 0) { /* nothing is left to choose from: anywhere else */
        for (size_t k = 0; k < d; k++) u[k] = random_uniform(&e->stream);
        space_scatter(e->st->space, &e->stream, 1, u);
        return GOFH_OK;
    }
    memcpy(x + (size_t)starts * d, x, (size_t)starts * d * sizeof *x);
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = apart > 0.0 || e->st->fitted->mo->samples > 1 ? APART_ITERATIONS : CLIMB_ITERATIONS;
    settings.value_tolerance = e->margins ? CONSTRAINED_TOLERANCE : CLIMB_TOLERANCE;
    o->draws = e->climb_draws;
    gofh_status status = (e->state.again ? climb_roughly : climb_allowed_with)(
        e->st, objective_search, o, &o->status, &settings, starts, x, value);
    o->draws = s->draws;
    if (!status) status = rank_ends(e, s, o, x, 2 * starts, value);
    if (status) return status;
    int top = -1;
    for (int i = 0; i < 2 * starts; i++) {
        if (points_distance(e->d, x + (size_t)i * d, s->ask->centre) < 0.5 * apart) continue;
        if (top < 0 || value[i] > value[top]) top = i;
    }
    memcpy(u, x + (size_t)(top < 0 ? starts : top) * d, d * sizeof *u);
    return GOFH_OK;
}

/* The expected improvement at u without inflation, with all draws or in closed form. */
static gofh_status expect_improvement(engine *e, const search *s, const objective *o, const double *u,
                                      double *improvement)
{
    objective expectation = {.st = e->st, .goal = goal_of(s, ACQUIRE_IMPROVEMENT), .draws = e->draws};
    if (o->z) expectation.z = e->z;
    return objective_value(&expectation, u, 1, improvement, NULL);
}

/* Leaves the best of the short list: points and values alone, in order. */
static void shorten(engine *e)
{
    int kept = e->short_list.count < list_of(e) ? e->short_list.count : list_of(e);
    keep_best(e->short_list.count, e->d, kept, e->short_list.points, e->short_list.value);
    e->short_list.count = kept;
}

/* Climbs from some of the best of the short list, of which no more than points and values are left
 * in order. */
static gofh_status climb_from_short_list(engine *e, const search *s, objective *o, double *u,
                                         double *improvement)
{
    shorten(e);
    gofh_status status = climb(e, s, o, u);
    return status ? status : expect_improvement(e, s, o, u, improvement);
}

gofh_status engine_screen_improvement(engine *e, const improvement_search *ask, double *largest)
{
    engine_pool wide = e->pool;
    wide.count = e->all.recipe.wide;
    search s;
    gofh_status status = open_search(e, ask, e->climb_draws / 4, wide.count, &s);
    if (!status) status = draw_pool(e, &s, s.draws, &wide);
    if (!status) status = largest_improvement(e, &s, &wide, largest);
    free(s.z);
    return status;
}

static int is_apart_from_open(const study *st, const double *u, double apart)
{
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_OPEN &&
            points_distance(st->d, u, st->trials.list[i].u) < apart)
            return 0;
    return 1;
}

gofh_status engine_screen_apart(engine *e, const improvement_search *ask, int *best, double *largest)
{
    engine_pool wide = e->pool;
    wide.count = e->all.recipe.wide;
    search s;
    *best = -1;
    gofh_status status = open_search(e, ask, e->climb_draws, wide.count, &s);
    if (!status)
        status = acquisition_draw(e->st->fitted->acquire, ask->goal.subject, wide.mean, wide.deviation, s.z,
                                  s.draws, wide.points, wide.count, s.f);
    if (!status) {
        acquisition_average(e->st->fitted->acquire, goal_of(&s, ACQUIRE_IMPROVEMENT), 0, s.f, s.draws,
                            wide.count, wide.value);
        success_multiply(e->st, wide.points, wide.count, wide.value, NULL);
    }
    for (int i = 0; !status && i < wide.count; i++) {
        if (!is_apart(e, &s, &wide, i, ask->apart) ||
            !is_apart_from_open(e->st, wide.points + (size_t)i * (size_t)e->d, ask->apart))
            continue;
        if (*best >= 0 && !(wide.value[i] > *largest)) continue;
        *best = i;
        *largest = wide.value[i];
    }
    free(s.z);
    return status;
}

/* The best of the short list, which climbing will not make worth a step. */
static void take_as_it_is(const engine *e, double *u)
{
    const engine_pool *list = &e->short_list;
    size_t d = (size_t)e->d;
    memcpy(u, list->points + (size_t)vector_largest(list->value, list->count) * d, d * sizeof *u);
}

/* Where g is linear f is normal, and its expected improvement needs no draws. */
static int is_linear(const engine *e, const improvement_search *ask)
{
    return ask->inflation == 1.0 && ask->goal.subject == ACQUIRE_OBJECTIVE && !ask->goal.incumbent &&
           acquisition_has_closed_form(e->st->fitted->acquire, ACQUIRE_IMPROVEMENT);
}

/* The same as maximise() for linear g. *improvement is 0 where it is too small for a number
 * everywhere. */
static gofh_status maximise_linear(engine *e, const search *s, double *u, double *improvement)
{
    engine_pool *list = &e->short_list;
    objective o = {.st = e->st, .goal = goal_of(s, ACQUIRE_IMPROVEMENT), .logarithm = 1};
    list->count = 0;
    for (int i = 0; i < e->pool.count; i++)
        if (is_apart(e, s, &e->pool, i, s->ask->apart)) list_candidate(e, (size_t)i);
    *improvement = 0.0;
    if (list->count == 0) return GOFH_OK;
    if (objective_search(list->points, list->count, list->value, NULL, &o)) return o.status;
    *improvement = exp(list->value[vector_largest(list->value, list->count)]);
    if (*improvement == 0.0) return GOFH_OK;
    if (!is_hopeless(e, s, *improvement)) return climb_from_short_list(e, s, &o, u, improvement);
    take_as_it_is(e, u);
    return GOFH_OK;
}

/* Screens, then climbs unless that is hopeless. */
static gofh_status maximise(engine *e, const search *s, double *u, double *improvement)
{
    engine_pool *list = &e->short_list;
    objective o = {
        .st = e->st, .goal = goal_of(s, ACQUIRE_SMOOTH), .z = s->z, .draws = s->draws, .logarithm = 1};
    gofh_status status = make_short_list(e, s);
    if (!status) status = draw_pool(e, s, s->draws, list);
    if (!status) status = largest_improvement(e, s, list, improvement);
    if (status) return status;
    if (is_hopeless(e, s, *improvement)) {
        take_as_it_is(e, u);
        return GOFH_OK;
    }
    /* With fantasies ranking takes as long as screening: it need not rank what won't be climbed from. */
    if (e->st->fitted->mo->samples > 1 && *improvement > 0.0) shorten(e);
    status = find_smoothing(e, s, *improvement, &o.goal.smoothing);
    if (!status) status = rank_short_list(e, s, &o);
    return status ? status : climb_from_short_list(e, s, &o, u, improvement);
}

gofh_status engine_maximise_improvement(engine *e, const improvement_search *ask, double *u,
                                        double *improvement)
{
    search s;
    gofh_status status = open_search(e, ask, ask->apart > 0.0 ? e->climb_draws : e->draws, e->pool.count, &s);
    int linear = is_linear(e, ask);
    if (!status && linear) status = maximise_linear(e, &s, u, improvement);
    if (!status && !(linear && *improvement > 0.0)) status = maximise(e, &s, u, improvement);
    free(s.z);
    return status;
}
