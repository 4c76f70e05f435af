#include "study/candidates.h"

#include "base/memory.h"
#include "base/quasi.h"
#include "base/vector.h"
#include "study/climb.h"
#include "study/points.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const candidates_recipe CANDIDATES_PLAIN = {
    .wide = 512, .near = 64, .near_polished = 1, .polished = CANDIDATES_POLISHED, .iterations = 60};

static const double SNAP = 0.4, BESIDE = 1e-3;
/* Starts of the second half are at least so far from the incumbent, along a coordinate. */
static const double AWAY = 0.1;

gofh_status candidates_open(candidates *c, const study *st, const candidates_recipe *recipe)
{
    size_t d = (size_t)st->d;
    int near_screened = recipe->near_polished ? 0 : recipe->near;
    int polished = recipe->polished * (recipe->beside_polished ? 2 : 1);
    *c = (candidates){.recipe = *recipe, .count = recipe->wide + recipe->near + polished};
    c->screened = recipe->screened + recipe->wide + near_screened;
    size_t count = (size_t)c->count, screened = (size_t)c->screened;
    c->block = memory_doubles((count + screened) * (d + 1) + d + STARTS * (d + 1));
    if (!c->block) return GOFH_ERROR_MEMORY;
    c->points = c->block;
    c->polished = c->points + (size_t)(recipe->wide + recipe->near) * d;
    c->value = c->points + count * d;
    c->incumbent = c->value + count;
    c->screen = c->incumbent + d;
    c->screen_value = c->screen + screened * d;
    c->start = c->screen_value + screened;
    c->step = c->start + STARTS * d;
    return GOFH_OK;
}

void candidates_free(candidates *c)
{
    free(c->block);
}

int candidates_plug_in(const double *x, int count, double *value, double *gradient, void *context)
{
    plug_in *o = context;
    o->status = acquisition_plug_in(o->st->fitted->acquire, o->subject, o->sample, x, count, value, gradient);
    if (!o->status) success_penalise(o->st, x, count, value, gradient);
    return o->status != GOFH_OK;
}

int candidates_best_apart(int d, const double *points, const double *value, int q, double apart, int count,
                          int *chosen)
{
    int found = 0;
    while (found < count) {
        int best = -1;
        for (int i = 0; i < q; i++) {
            if (!(value[i] > (best < 0 ? -INFINITY : value[best]))) continue;
            int near = 0;
            for (int s = 0; s < found; s++)
                near |= points_reach(d, points + (size_t)i * (size_t)d,
                                     points + (size_t)chosen[s] * (size_t)d) < apart;
            if (!near) best = i;
        }
        if (best < 0) break;
        chosen[found++] = best;
    }
    return found;
}

/* Where all parameters are discrete and the allowed points are few, all of them; more than once where
 * there is room, and where there is not, some by lot. */
static int take_listed(const study *st, int count, random_stream *stream, double *points)
{
    const double *all = space_points(st->space);
    double size = space_size(st->space);
    size_t d = (size_t)st->d;
    if (!all || size < 1.0) return 0;
    for (int i = 0; i < count; i++) {
        size_t at = size <= count ? (size_t)i % (size_t)size : random_below(stream, (uint32_t)size);
        memcpy(points + (size_t)i * d, all + at * d, d * sizeof *points);
    }
    return 1;
}

/* Sobol' points; each coordinate of the first half is snapped to its nearer bound with probability
 * SNAP: optima like to lie on bounds, and no quasi-random point does. */
static void make_wide(const candidates *c, study *st, int count, random_stream *stream, double *points)
{
    int d = st->d;
    if (take_listed(st, count, stream, points)) return;
    quasi_points(stream, d, count, points);
    for (int i = 0; c->recipe.snapped && i < count / 2 * d; i++)
        if (random_uniform(stream) < SNAP) points[i] = points[i] > 0.5 ? 1.0 : 0.0;
    space_scatter(st->space, stream, count, points);
}

/* Adds the centre to a displacement, inside the cube and to an allowed point. */
static void displace(const study *st, const double *centre, double *point)
{
    for (int k = 0; k < st->d; k++) point[k] = fmin(fmax(centre[k] + point[k], 0.0), 1.0);
    if (!space_is_cube(st->space)) space_repair(st->space, point, NULL);
}

/* Of a displaced point: other values of some discrete parameters, of which one in two is the next. */
static void change_values(study *st, random_stream *stream, double *point)
{
    const domain *box = &st->spec.box;
    static const double CHANGED = 0.3;
    if (space_continuous(st->space) == st->d) return;
    for (int p = 0; p < st->parameters; p++) {
        domain_parameter kind = domain_kind_of(box, p);
        if (kind.kind == DOMAIN_INTERVAL || kind.kind == DOMAIN_FIXED) continue;
        if (random_uniform(stream) > CHANGED) continue;
        int to = space_draw(box, stream, p);
        if (kind.kind == DOMAIN_ORDERED && random_uniform(stream) < 0.5)
            to = domain_index(box, p, point) + (random_uniform(stream) < 0.5 ? -1 : 1);
        if (to >= 0 && to < kind.count) domain_set(box, p, to, point);
    }
    space_repair(st->space, point, NULL);
}

static void draw_displacement(int d, double scale, random_stream *stream, double *point)
{
    for (int k = 0; k < d; k++) point[k] = scale * random_normal(stream);
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Where discrete parameters make it likely that the incumbent is a local maximiser: the best with one of its
 * discrete values changed instead of the least of the polished points, if it is better. */
static gofh_status polish_beside(candidates *c, plug_in *o)
{
    size_t d = (size_t)o->st->d;
    double end[GOFH_MAX_PARAMETERS], reached;
    int least = 0;
    for (int i = 1; i < c->recipe.polished; i++)
        if (!(c->reached[i] >= c->reached[least])) least = i;
    gofh_status status = climb_beside(o->st, candidates_plug_in, o, &o->status, c->recipe.iterations,
                                      c->incumbent, end, &reached);
    if (status || !(reached > c->reached[least])) return status;
    memcpy(c->polished + (size_t)least * d, end, d * sizeof *end);
    c->reached[least] = reached;
    return GOFH_OK;
}

/* Local maximisers of g of the posterior mean, from the incumbent and the best of the screened
 * points: the best first. */
static gofh_status polish(candidates *c, plug_in *o)
{
    size_t d = (size_t)o->st->d;
    int chosen[CANDIDATES_POLISHED - 1], polished = c->recipe.polished;
    double *x = c->polished;
    if (candidates_plug_in(c->screen, c->screened, c->screen_value, NULL, o)) return o->status;
    int found = candidates_best_apart(o->st->d, c->screen, c->screen_value, c->screened, CANDIDATES_APART,
                                      polished - 1, chosen);
    for (int i = 0; i < polished; i++)
        memcpy(x + (size_t)i * d, i && i <= found ? c->screen + (size_t)chosen[i - 1] * d : c->incumbent,
               d * sizeof *x);
    gofh_status status = climb_allowed(o->st, candidates_plug_in, o, &o->status, c->recipe.iterations,
                                       polished, x, c->reached);
    if (!status && c->recipe.beside && climb_is_mixed(o->st)) status = polish_beside(c, o);
    if (status) return status;
    int top = vector_largest(c->reached, polished);
    double *best = x + (size_t)top * d;
    for (size_t k = 0; k < d; k++) swap(&x[k], &best[k]);
    swap(&c->reached[0], &c->reached[top]);
    return GOFH_OK;
}

gofh_status candidates_fill(candidates *c, plug_in *o, const double *incumbent, random_stream *stream)
{
    const candidates_recipe *r = &c->recipe;
    int d = o->st->d;
    size_t width = (size_t)d, extra = (size_t)r->screened * width;
    double *near = c->points + (size_t)r->wide * width;
    make_wide(c, o->st, r->wide, stream, c->points);
    memcpy(c->incumbent, incumbent ? incumbent : c->points, width * sizeof *c->incumbent);
    for (int i = 0; i < r->near; i++) {
        double *point = near + (size_t)i * width, scale = pow(10.0, -6.0 + 5.5 * random_uniform(stream));
        draw_displacement(d, scale, stream, point);
        if (!r->near_polished || i % 2 == 0) {
            displace(o->st, c->incumbent, point);
            change_values(o->st, stream, point);
        }
    }
    make_wide(c, o->st, r->screened, stream, c->screen);
    memcpy(c->screen + extra, c->points, ((size_t)c->screened * width - extra) * sizeof *c->screen);
    gofh_status status = polish(c, o);
    if (status) return status;
    for (int i = 1; r->near_polished && i < r->near; i += 2)
        displace(o->st, c->polished, near + (size_t)i * width);
    for (size_t i = 0; r->beside_polished && i < (size_t)r->polished; i++) {
        double *point = c->polished + ((size_t)r->polished + i) * width;
        draw_displacement(d, BESIDE, stream, point);
        displace(o->st, c->polished + i * width, point);
    }
    return GOFH_OK;
}

gofh_status candidates_make(candidates *c, study *st, uint64_t key)
{
    gofh_status status = candidates_open(c, st, &CANDIDATES_PLAIN);
    if (status) return status;
    int best = study_best(st, &status);
    plug_in o = {.st = st, .sample = (int)(key % (uint64_t)st->fitted->samples)};
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_CANDIDATES, key, 0);
    if (!status) status = candidates_fill(c, &o, best < 0 ? NULL : st->trials.list[best].u, &stream);
    if (status) candidates_free(c);
    return status;
}

/* The best candidate at least `apart` from the incumbent that is not a start yet, or -1. */
static int next_start(const candidates *c, const study *st, double apart)
{
    int best = -1;
    for (int i = 0; i < c->count; i++) {
        const double *u = c->points + (size_t)i * (size_t)st->d;
        if (!(c->value[i] > (best < 0 ? -INFINITY : c->value[best])) ||
            points_reach(st->d, u, c->incumbent) < apart)
            continue;
        int taken = 0;
        for (int s = 0; s < c->starts; s++)
            taken |= points_reach(st->d, u, c->start + (size_t)s * (size_t)st->d) < POINTS_SAME;
        if (!taken) best = i;
    }
    return best;
}

void candidates_choose(candidates *c, const study *st)
{
    size_t d = (size_t)st->d;
    c->starts = 0;
    for (int i = 0; i < STARTS; i++) {
        int chosen = next_start(c, st, i < STARTS / 2 ? 0.0 : AWAY);
        if (chosen < 0) continue;
        memcpy(c->start + (size_t)c->starts * d, c->points + (size_t)chosen * d, d * sizeof *c->start);
        double reach = points_reach(st->d, c->points + (size_t)chosen * d, c->incumbent);
        c->step[c->starts++] = fmin(fmax(0.2 * reach, 1e-9), 0.05);
    }
}

int candidates_best(const candidates *c, const study *st)
{
    int best = -1;
    for (int i = 0; i < c->count; i++)
        if ((best < 0 || c->value[i] > c->value[best]) &&
            points_reach_to_trials(st, c->points + (size_t)i * (size_t)st->d) > POINTS_SAME)
            best = i;
    return best < 0 ? 0 : best;
}
