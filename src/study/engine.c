#include "study/engine.h"

#include "base/memory.h"
#include "study/success.h"
#include "study/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of the recipe; each is explained in section 8 of docs/method.md. */
static const double RADIUS_FIRST = 0.1, RADIUS_MOST = 0.3, RADIUS_LEAST = 1e-7, RADIUS_WAKE = 1e-3;
static const double IMPROVEMENT_DRY = 1e-3, IMPROVEMENT_NONE = 1e-6, IMPROVEMENT_ELSEWHERE = 1e-4,
                    POLISH_GAIN = 1e-6;
/* Below it the probability of meeting the constraints says little of where to look. */
static const double LIKELY = 0.1;
static const double FAR = 0.1, ELSEWHERE = 0.2, SAME_POINT = 1e-14;
enum { WAKE_EVERY = 4, BLOCK_FOR = 2, CRASHES_FORGIVEN = 3, SPREAD_DOUBLINGS = 10 };

double engine_distance(int d, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < d; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* f of each trial as far as it is known: seen, or with noise the posterior mean. */
static gofh_status know_values(engine *e)
{
    study *st = e->st;
    size_t d = (size_t)st->d;
    for (size_t i = 0; i < st->count; i++)
        e->f[i] = st->trials[i].state == GOFH_TRIAL_DONE ? st->trials[i].f : NAN;
    if (!e->noisy) return GOFH_OK;
    double *points = memory_doubles(st->count * (d + 1));
    if (!points) return GOFH_ERROR_MEMORY;
    double *f = points + st->count * d;
    int done = 0;
    for (size_t i = 0; i < st->count; i++)
        if (st->trials[i].state == GOFH_TRIAL_DONE)
            memcpy(points + (size_t)done++ * d, st->trials[i].u, d * sizeof *points);
    gofh_status status = study_predict(st, points, done, NULL, NULL, f, NULL);
    done = 0;
    for (size_t i = 0; !status && i < st->count; i++)
        if (st->trials[i].state == GOFH_TRIAL_DONE) e->f[i] = f[done++];
    free(points);
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The best f less the median over the initial design and what was imported: what f varies by over the domain. Suggested
 * points would not tell, for they gather where f is best. All of them where there are no others. */
static double find_spread(const engine *e, double *sorted)
{
    const study *st = e->st;
    size_t count = 0;
    for (int all = 0; all < 2 && count == 0; all++)
        for (size_t i = 0; i < st->count; i++) {
            const trial *t = &st->trials[i];
            int initial = t->imported || strcmp(t->origin, "design") == 0;
            if (isfinite(e->f[i]) && (all || initial)) sorted[count++] = e->f[i];
        }
    if (count == 0) return 0.0;
    qsort(sorted, count, sizeof *sorted, compare);
    return e->best_f - 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

/* The trust region after a local step that promised `expected` and gave `gain`, `step` away from the incumbent. */
static double judge_local(engine *e, double expected, double gain, double step)
{
    double ratio = gain / fmax(expected, 1e-300);
    e->trusted = ratio > 0.7;
    if (e->trusted) return fmin(fmax(e->radius, 10.0 * step), RADIUS_MOST);
    if (ratio > 0.1) return fmin(fmax(e->radius, 2.0 * step), RADIUS_MOST);
    e->blocked = BLOCK_FOR;
    return fmax(0.5 * fmin(e->radius, fmax(step, RADIUS_LEAST)), RADIUS_LEAST);
}

/* Whether trial i was made by a local step and broke a constraint; by how much is noted. One that did is no failure
 * yet: the model now knows the edge where it is needed, and the next step keeps a distance from it. */
static gofh_status missed_edge(engine *e, size_t i, int *missed)
{
    const outer *g = e->st->spec.g;
    const trial *t = &e->st->trials[i];
    *missed = 0;
    if (g->margins == 0 || t->state != GOFH_TRIAL_DONE || e->f[i] != -INFINITY) return GOFH_OK;
    gofh_status status = outer_margins(g, t->y, t->x, 1, e->shortfall);
    for (int k = 0; k < g->margins; k++) {
        e->shortfall[k] = isfinite(e->shortfall[k]) ? fmax(-e->shortfall[k], 0.0) : 0.0;
        *missed |= e->shortfall[k] > 0.0;
    }
    if (*missed) e->missed++;
    return status;
}

static void forget_edge(engine *e)
{
    e->missed = e->crashed = 0;
    memset(e->shortfall, 0, (size_t)e->st->spec.g->margins * sizeof *e->shortfall);
}

/* Goes through the trials in their order, to where the trust region is now. */
static gofh_status replay(engine *e)
{
    study *st = e->st;
    e->radius = RADIUS_FIRST;
    e->best = -1;
    e->best_f = -INFINITY;
    for (size_t i = 0; i < st->count; i++) {
        const trial *t = &st->trials[i];
        int suggested = !t->imported && strcmp(t->origin, "design") != 0;
        if (suggested) {
            if (e->step % WAKE_EVERY == WAKE_EVERY - 1) e->radius = fmax(e->radius, RADIUS_WAKE);
            if (e->blocked > 0) e->blocked--;
            e->step++;
        }
        int better = e->f[i] > e->best_f, known = t->state != GOFH_TRIAL_OPEN, missed = 0;
        int local = suggested && known && e->best >= 0 && strcmp(t->origin, "local") == 0;
        gofh_status status = local ? missed_edge(e, i, &missed) : GOFH_OK;
        if (status) return status;
        if (better) forget_edge(e);
        /* A step that failed has taught the model of success where the edge is: the next goes half way. */
        int crashed = local && t->state == GOFH_TRIAL_FAILED && ++e->crashed <= CRASHES_FORGIVEN;
        if (local && !crashed && !(missed && e->missed == 1))
            e->radius = judge_local(e, t->expected, isnan(e->f[i]) ? -INFINITY : e->f[i] - e->best_f,
                                    candidates_reach(e->d, t->u, st->trials[e->best].u));
        else if (suggested && better && !local)
            e->radius = fmax(e->radius, RADIUS_FIRST);
        if (!better && (e->best >= 0 || isnan(e->f[i]))) continue;
        e->best = (int)i;
        e->best_f = e->f[i];
    }
    e->awake = e->step % WAKE_EVERY == WAKE_EVERY - 1;
    if (e->awake) e->radius = fmax(e->radius, RADIUS_WAKE);
    return GOFH_OK;
}

static void engine_close(engine *e)
{
    free(e->f);
    free(e->z);
    free(e->all.points);
    free(e->shortfall);
}

/* Returns what is behind the pool. */
static double *place_pool(engine_pool *pool, int count, size_t d, size_t m, double *room)
{
    size_t q = (size_t)count;
    *pool = (engine_pool){.count = count, .points = room};
    pool->mean = pool->points + q * d;
    pool->deviation = pool->mean + q * m;
    pool->value = pool->deviation + q * m;
    return pool->value + q;
}

static gofh_status engine_open(engine *e, study *st, uint64_t key)
{
    *e = (engine){.st = st, .key = key, .d = st->d};
    gofh_status status = success_fit(st);
    if (!status) status = study_fit(st);
    if (status) return status;
    for (int j = 0; j < st->outputs; j++) e->noisy |= model_process(st->mo, 0, j)->hyper.noise > 0.0;
    e->margins = st->spec.g->margins + success_is_modelled(st);
    e->stream = random_open(st->spec.settings.seed, RANDOM_CANDIDATES, key, 1);
    e->f = memory_doubles(2 * st->count);
    e->z = suggest_normals(st, RANDOM_NORMALS, key, 0, ENGINE_DRAWS);
    size_t d = (size_t)st->d, m = (size_t)st->outputs;
    double *room = memory_doubles(2 * ENGINE_POINTS * (d + 1 + 2 * m) + ENGINE_SCREENED * (d + 1));
    e->all.points = room;
    e->shortfall = memory_doubles((size_t)e->margins);
    if (!e->f || !e->z || !room || !e->shortfall) return GOFH_ERROR_MEMORY;
    e->wide = place_pool(&e->few, ENGINE_POINTS, d, m, place_pool(&e->all, ENGINE_POINTS, d, m, room));
    e->wide_value = e->wide + ENGINE_SCREENED * d;
    status = know_values(e);
    if (!status) status = replay(e);
    if (!status) status = study_fantasise(st, key);
    if (status) return status;
    int part = st->mo->samples > 1 ? ENGINE_FANTASY_PART : 1;
    e->draws = ENGINE_DRAWS / part;
    e->climb_draws = ENGINE_CLIMB_DRAWS / part;
    e->spread = find_spread(e, e->f + st->count);
    return GOFH_OK;
}

/* Where nothing near is worth it: far from the incumbent, believing less and less in the model until something is. */
static gofh_status go_far(engine *e, double *u, double *expected)
{
    /* The least doubling that is enough, by bisection: wider is better. */
    int least = 0, enough = SPREAD_DOUBLINGS;
    while (least < enough) {
        int middle = (least + enough) / 2;
        double most;
        gofh_status status = engine_screen(e, ldexp(1.0, middle), FAR, &most);
        if (status) return status;
        if (most > IMPROVEMENT_ELSEWHERE * e->spread)
            enough = middle;
        else
            least = middle + 1;
    }
    return engine_improve(e, ldexp(1.0, enough), FAR, u, expected);
}

/* With noise the model's own optimum is worth another look; there is nothing exact to exhaust first. */
static gofh_status repeat_best(engine *e, double *u, double *expected)
{
    double mean;
    gofh_status status = study_recommend(e->st, u, &mean, NULL);
    if (!status) *expected = mean - e->best_f;
    return status;
}

/* A second local step before the first has been answered would only repeat it. */
static int local_is_open(const study *st)
{
    for (size_t i = 0; i < st->count; i++)
        if (st->trials[i].state == GOFH_TRIAL_OPEN && strcmp(st->trials[i].origin, "local") == 0) return 1;
    return 0;
}

/* Whether a local step to u can be made and gains anything that numbers can tell. */
static int gains_locally(const engine *e, const double *u, double gain)
{
    if (local_is_open(e->st) || !(gain > 1e-16 * fabs(e->best_f))) return 0;
    return candidates_reach(e->d, u, e->st->trials[e->best].u) > 1e-14;
}

static int worth_local(const engine *e, const double *u, double gain, double deviation, double improvement)
{
    if (!gains_locally(e, u, gain)) return 0;
    int dry = improvement < IMPROVEMENT_DRY * e->spread;
    if (e->blocked == 0 && gain > 0.5 * improvement && (deviation < 0.5 * gain || dry)) return 1;
    return e->awake && improvement < IMPROVEMENT_ELSEWHERE * e->spread;
}

/* Whether a local step comes before a far one: as long as they give what they promise. */
static int goes_on_locally(const engine *e, const double *u, double gain)
{
    return e->trusted && e->blocked == 0 && gains_locally(e, u, gain);
}

/* Whether several evaluations gave the same outputs and the same f. Then the model says nothing, and what it expects would be
 * most in one corner after the other. Where f differs, g is one of the parameters too and has something to say. */
static int is_flat(const study *st)
{
    size_t m = (size_t)st->m, done = 0;
    const trial *first = NULL;
    for (size_t i = 0; i < st->count; i++) {
        const trial *t = &st->trials[i];
        if (t->state != GOFH_TRIAL_DONE) continue;
        if (!first) first = t;
        if (memcmp(first->y, t->y, m * sizeof *t->y) != 0 || first->f != t->f) return 0;
        done++;
    }
    return done > 1;
}

static void go_anywhere(engine *e, double *u)
{
    for (int k = 0; k < e->d; k++) u[k] = random_uniform(&e->stream);
}

/* Whether u is near the incumbent and so was one of the last suggestions: one in WAKE_EVERY is enough while elsewhere something
 * may be found. With noise what is near is worth another look. */
static int stays_near(const engine *e, const double *u)
{
    const study *st = e->st;
    if (e->noisy || e->best_f == -INFINITY || e->step < WAKE_EVERY - 1) return 0;
    const double *best = st->trials[e->best].u;
    if (engine_distance(e->d, u, best) >= ELSEWHERE) return 0;
    int seen = 0;
    for (size_t i = st->count; i-- > 0 && seen < WAKE_EVERY - 1;) {
        if (st->trials[i].imported) continue;
        if (engine_distance(e->d, st->trials[i].u, best) < ELSEWHERE) return 1;
        seen++;
    }
    return 0;
}

/* Whether so little is expected elsewhere that there is no going there: a few steps that each expect less than the tolerance
 * end the study, though near the incumbent it may expect more. */
static int is_little(const engine *e, double improvement)
{
    const gofh_settings *settings = &e->st->spec.settings;
    if (settings->patience > 0 && improvement < settings->tolerance) return 1;
    return !(improvement > IMPROVEMENT_ELSEWHERE * e->spread);
}

static gofh_status take(const engine *e, const double *point, double gain, double *u, double *expected)
{
    memcpy(u, point, (size_t)e->d * sizeof *u);
    *expected = gain;
    return GOFH_OK;
}

/* Decides among the steps. */
static gofh_status choose(engine *e, double *u, double *expected, const char **origin)
{
    double other[GOFH_MOST_PARAMETERS], local[GOFH_MOST_PARAMETERS], gain, deviation, polished;
    if (is_flat(e->st)) {
        *origin = "far";
        *expected = 0.0;
        go_anywhere(e, u);
        return GOFH_OK;
    }
    *origin = "improve";
    gofh_status status = engine_candidates(e);
    if (!status) status = engine_improve(e, 1.0, 0.0, u, expected);
    if (!status && e->best_f == -INFINITY && *expected < LIKELY) status = engine_seek(e, u, expected);
    if (!status && !is_little(e, *expected) && stays_near(e, u)) {
        status = engine_improve(e, 1.0, ELSEWHERE, other, &gain);
        if (!status && !is_little(e, gain)) return take(e, other, gain, u, expected);
    }
    if (!status) status = engine_local(e, local, &gain, &deviation);
    if (status || e->best_f == -INFINITY) return status;
    int may_be_local = (e->st->method->parts & PART_LOCAL) != 0;
    if (may_be_local && worth_local(e, local, gain, deviation, *expected)) {
        *origin = "local";
        return take(e, local, gain, u, expected);
    }
    if (*expected >= IMPROVEMENT_NONE * e->spread) return GOFH_OK;
    if (e->noisy) return repeat_best(e, u, expected);
    status = engine_polish(e, u, &polished);
    if (status) return status;
    if (polished > POLISH_GAIN * e->spread) {
        *expected = polished;
        return GOFH_OK;
    }
    if (may_be_local && goes_on_locally(e, local, gain)) {
        *origin = "local";
        return take(e, local, gain, u, expected);
    }
    if (!(e->st->method->parts & PART_FAR)) return GOFH_OK;
    *origin = "far";
    return go_far(e, u, expected);
}

/* A point that has been tried tells nothing new. With noise one beside it tells as much; a local step is perturbed until it is
 * new, more and more; anything else came to where nothing is expected, and goes anywhere. */
static void avoid_repetition(engine *e, const char *origin, double *u)
{
    if (candidates_distance(e->st, u) >= SAME_POINT) return;
    double from[GOFH_MOST_PARAMETERS];
    int beside = e->noisy || strcmp(origin, "local") == 0 ? 80 : 0;
    memcpy(from, u, (size_t)e->d * sizeof *u);
    for (int tries = 0; tries < 100 && candidates_distance(e->st, u) < SAME_POINT; tries++) {
        double reach = pow(10.0, -4.0 + 0.05 * tries);
        go_anywhere(e, u);
        for (int k = 0; k < e->d && tries < beside; k++)
            u[k] = fmin(fmax(from[k] + reach * random_normal(&e->stream), 0.0), 1.0);
    }
    study_note(e->st, "trial %zu: a point already tried would be repeated; %s is tried", e->st->count + 1,
               beside ? "one beside it" : "another");
}

gofh_status suggest_gofh(study *st, uint64_t key, double *u, double *expected, const char **origin)
{
    engine e;
    gofh_status status = engine_open(&e, st, key);
    if (!status) status = choose(&e, u, expected, origin);
    if (!status) avoid_repetition(&e, *origin, u);
    if (!status) *expected = suggest_gain(st, *expected);
    engine_close(&e);
    if (st->mo) study_unfantasise(st);
    return status;
}
