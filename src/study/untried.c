/* Points that have not been tried, where parameters are discrete. */
#include "study/points.h"

#include <math.h>
#include <string.h>

enum { WALKS = 400, SCATTERED = 400 };

/* Whether an allowed point has been tried: failures are deterministic too. One that is forgotten has not. */
static int is_tried(const study *st, const double *u)
{
    double same = fmax(space_same(st->space), POINTS_SAME);
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state != GOFH_TRIAL_FORGOTTEN &&
            points_reach(st->d, u, st->trials.list[i].u) < same)
            return 1;
    return 0;
}

int study_is_exhausted(const study *st)
{
    double size = space_size(st->space), tried = 0.0;
    const double *points = space_points(st->space);
    if (!(size <= (double)st->trials.count) || study_is_noisy(st) || study_is_given_noisy(st)) return 0;
    for (size_t i = 0; points && i < (size_t)size; i++) tried += is_tried(st, points + i * (size_t)st->d);
    return points && tried == size;
}

/* The nearest of all allowed points. */
static int find_listed(const study *st, double *u)
{
    const double *points = space_points(st->space), *found = NULL;
    double nearest = INFINITY;
    for (size_t i = 0; i < (size_t)space_size(st->space); i++) {
        const double *at = points + i * (size_t)st->d;
        double distance = points_euclidean(st->d, at, u);
        if (!(distance < nearest) || is_tried(st, at)) continue;
        nearest = distance;
        found = at;
    }
    if (!found) return -1;
    memcpy(u, found, (size_t)st->d * sizeof *u);
    return 0;
}

typedef struct {
    const study *st;
    double *u;
} untried;

static int take_untried(const double *at, void *context)
{
    const untried *o = context;
    if (is_tried(o->st, at)) return 0;
    memcpy(o->u, at, (size_t)o->st->d * sizeof *at);
    return 1;
}

int study_find_untried(study *st, random_stream *stream, double *u)
{
    if (space_points(st->space)) return find_listed(st, u);
    /* A walk that goes from value to value, farther and farther. */
    double to[GOFH_MAX_PARAMETERS];
    const domain *box = &st->spec.box;
    for (int i = 0; i < WALKS; i++) {
        memcpy(to, u, (size_t)st->d * sizeof *to);
        for (int changes = 0; changes <= i / 40; changes++) {
            int p = (int)random_below(stream, (uint32_t)st->parameters);
            domain_parameter kind = domain_kind_of(box, p);
            if (kind.kind == DOMAIN_INTERVAL)
                to[kind.first] = random_uniform(stream);
            else if (kind.kind == DOMAIN_CHOICE || i % 40 > 30)
                domain_set(box, p, space_draw(box, stream, p), to);
            else if (kind.kind == DOMAIN_ORDERED) {
                int next = domain_index(box, p, to) + (random_uniform(stream) < 0.5 ? -1 : 1);
                if (next >= 0 && next < kind.count) domain_set(box, p, next, to);
            }
        }
        if (space_repair(st->space, to, NULL) || is_tried(st, to)) continue;
        memcpy(u, to, (size_t)st->d * sizeof *u);
        return 0;
    }
    /* Known constraints may leave no way from value to value. */
    for (int i = 0; i < SCATTERED; i++) {
        for (int k = 0; k < st->d; k++) to[k] = random_uniform(stream);
        space_scatter(st->space, stream, 1, to);
        if (is_tried(st, to)) continue;
        memcpy(u, to, (size_t)st->d * sizeof *u);
        return 0;
    }
    untried any = {st, u};
    return space_continuous(st->space) == 0 && space_visit(st->space, take_untried, &any) ? 0 : -1;
}
