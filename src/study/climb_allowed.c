/* Climbs among the allowed points (section 1 of docs/method.md). */
#include "base/vector.h"
#include "search/constrained.h"
#include "study/climb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 3,
    NEIGHBOURS_MAX = 256,
    CLIMBED = 6,
    STARTS_MAX = 128,
    NEIGHBOURS_CLIMBED = 6,
    BESIDE_MAX = 18 /* climbed from beside one point */
};

/* An objective that does not see discrete coordinates move. */
typedef struct {
    study *st;
    search_objective objective;
    void *context;
    int rough; /* climb_roughly */
} held_objective;

static void hold_discrete(const study *st, int count, double *gradient)
{
    const unsigned char *is_discrete = st->spec.box.is_discrete;
    if (!gradient || !is_discrete) return;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < st->d; k++)
            if (is_discrete[k]) gradient[i * st->d + k] = 0.0;
}

static int evaluate_held(const double *x, int count, double *value, double *gradient, void *context)
{
    held_objective *o = context;
    int failed = o->objective(x, count, value, gradient, o->context);
    hold_discrete(o->st, count, gradient);
    return failed;
}

static int look(const double *x, double *value, double *gradient, double *margin, double *slope,
                void *context)
{
    held_objective *o = context;
    int failed = evaluate_held(x, 1, value, gradient, o);
    space_look(o->st->space, x, margin, slope);
    return failed;
}

/* Whether fewer than CLIMBED of the others are better than start i. */
static int is_among_best(const double *value, int starts, int i)
{
    int better = 0;
    for (int s = 0; s < starts; s++) better += s < i ? value[s] >= value[i] : value[s] > value[i];
    return better < CLIMBED;
}

/* From each of the best starts to a maximiser that meets the known constraints; a start from where there is
 * no better one stays, and so do the others. */
static gofh_status climb_constrained(held_objective *o, const gofh_status *failure, int starts, double *x,
                                     double *value)
{
    study *st = o->st;
    int d = st->d, margins = space_margins(st->space);
    size_t width = (size_t)d, k = (size_t)margins;
    double *work = memory_doubles(constrained_work(margins, d) + 2 * k);
    if (!work) return GOFH_ERROR_MEMORY;
    double *wanted = work + constrained_work(margins, d), *multiplier = wanted + k;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS], to[GOFH_MAX_PARAMETERS];
    int failed = o->objective(x, starts, value, NULL, o->context);
    unsigned char chosen[STARTS_MAX] = {0}; /* more than there ever are */
    for (int i = 0; i < starts && i < STARTS_MAX && !failed; i++)
        chosen[i] = (unsigned char)is_among_best(value, starts, i);
    for (int i = 0; i < starts && !failed; i++) {
        double *at = x + (size_t)i * width, reached;
        if (i >= STARTS_MAX || !chosen[i]) continue;
        climb_cube_bounds(d, lower, upper);
        for (int c = 0; c < d && st->spec.box.is_discrete; c++)
            if (st->spec.box.is_discrete[c]) lower[c] = upper[c] = at[c];
        memcpy(to, at, width * sizeof *to);
        failed = constrained_maximize(look, o, margins, d, lower, upper, wanted, to, multiplier, work);
        if (failed || space_repair(st->space, to, NULL)) continue;
        failed = o->objective(to, 1, &reached, NULL, o->context);
        if (failed || !(reached > value[i])) continue;
        memcpy(at, to, width * sizeof *at);
        value[i] = reached;
    }
    free(work);
    return failed ? *failure : GOFH_OK;
}

typedef struct {
    study *st;
    double *list; /* NEIGHBOURS_MAX x d */
    int count;
    int all; /* whether all values of all discrete parameters are few enough to be listed */
} neighbours;

/* Adds x with parameter p at each of its other values: the next ones where it is ordered, all of choices.
 * Each of these is taken on to the parameters after p, `deep` times. */
static void add_neighbours(neighbours *n, const double *x, int first, int deep)
{
    const domain *box = &n->st->spec.box;
    size_t d = (size_t)n->st->d;
    for (int p = first; p < n->st->parameters; p++) {
        domain_parameter kind = domain_kind_of(box, p);
        if (kind.kind == DOMAIN_INTERVAL || kind.kind == DOMAIN_FIXED) continue;
        int at = domain_index(box, p, x), all = n->all || kind.kind == DOMAIN_CHOICE;
        for (int v = all ? 0 : at - 1; v < kind.count && (all || v <= at + 1); v++) {
            double to[GOFH_MAX_PARAMETERS];
            if (v < 0 || v == at || n->count == NEIGHBOURS_MAX) continue;
            memcpy(to, x, d * sizeof *to);
            domain_set(box, p, v, to);
            memcpy(n->list + (size_t)n->count++ * d, to, d * sizeof *to);
            if (deep > 0) add_neighbours(n, to, p + 1, deep - 1);
        }
    }
}

/* Leaves those of the list that can be made allowed by moving the continuous coordinates. */
static void keep_allowed(neighbours *n)
{
    study *st = n->st;
    int kept = 0;
    for (int i = 0; i < n->count; i++) {
        double *from = n->list + (size_t)i * (size_t)st->d, *to = n->list + (size_t)kept * (size_t)st->d;
        if (space_has_constraints(st->space) && space_repair(st->space, from, st->spec.box.is_discrete))
            continue;
        memmove(to, from, (size_t)st->d * sizeof *to);
        kept++;
    }
    n->count = kept;
}

/* The allowed points beside x: with all other values of the discrete parameters where these are few, else
 * with others of one or two of them; the continuous ones move as far as they must. Returns how many. */
static int list_neighbours(study *st, const double *x, double *list)
{
    neighbours n = {.st = st, .list = list};
    double values = 1.0;
    for (int p = 0; p < st->parameters; p++) {
        domain_parameter kind = domain_kind_of(&st->spec.box, p);
        if (kind.count > 0 && kind.kind != DOMAIN_FIXED) values *= kind.count;
    }
    n.all = values <= NEIGHBOURS_MAX;
    if (!n.all) add_neighbours(&n, x, 0, 0); /* those of one before those of two */
    add_neighbours(&n, x, 0, n.all ? st->parameters : 1);
    keep_allowed(&n);
    return n.count;
}

/* Moves up to `most` of the listed points, the best by value first, into `to`. One taken has the value minus
 * infinity from then on. Returns how many. */
static int take_best(const neighbours *n, double *value, int most, double *to)
{
    size_t d = (size_t)n->st->d;
    int taken = 0;
    for (; taken < most && taken < n->count; taken++) {
        int chosen = vector_largest(value, n->count);
        if (!(value[chosen] > -INFINITY)) break;
        memcpy(to + (size_t)taken * d, n->list + (size_t)chosen * d, d * sizeof *to);
        value[chosen] = -INFINITY;
    }
    return taken;
}

/* Moves each point to its best neighbour, if that is better. Returns whether one moved, -1 where the
 * objective failed, or -2: no memory. */
static int step_to_neighbours(held_objective *o, int starts, double *x, double *value)
{
    study *st = o->st;
    size_t d = (size_t)st->d;
    double *list = memory_doubles(NEIGHBOURS_MAX * (d + 1));
    if (!list) return -2;
    double *reached = list + NEIGHBOURS_MAX * d;
    int moved = 0;
    for (int i = 0; i < starts; i++) {
        double *at = x + (size_t)i * d;
        int count = list_neighbours(st, at, list), best = -1;
        if (count > 0 && o->objective(list, count, reached, NULL, o->context)) {
            free(list);
            return -1;
        }
        for (int c = 0; c < count; c++)
            if (reached[c] > (best < 0 ? value[i] : reached[best])) best = c;
        if (best < 0) continue;
        memcpy(at, list + (size_t)best * d, d * sizeof *at);
        value[i] = reached[best];
        moved = 1;
    }
    free(list);
    return moved;
}

/* From each start to the allowed point nearest to where a climb in the cube ends, if that is better. */
static gofh_status climb_and_repair(held_objective *o, const gofh_status *failure,
                                    const lbfgsb_settings *settings, int starts, double *x, double *value)
{
    study *st = o->st;
    size_t d = (size_t)st->d, count = (size_t)starts;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS];
    double *from = memory_doubles(count * (d + 1));
    if (!from) return GOFH_ERROR_MEMORY;
    double *before = from + count * d;
    memcpy(from, x, count * d * sizeof *x);
    climb_cube_bounds(st->d, lower, upper);
    int failed = o->objective(x, starts, before, NULL, o->context);
    gofh_status status = failed ? *failure
                                : climb_box(&st->climbing, evaluate_held, o, failure, settings, starts, st->d,
                                            lower, upper, x, value);
    for (size_t i = 0; !status && i < count; i++)
        if (space_repair(st->space, x + i * d, st->spec.box.is_discrete))
            memcpy(x + i * d, from + i * d, d * sizeof *x);
    if (!status && o->objective(x, starts, value, NULL, o->context)) status = *failure;
    for (size_t i = 0; !status && i < count; i++) {
        if (value[i] > before[i]) continue;
        memcpy(x + i * d, from + i * d, d * sizeof *x);
        value[i] = before[i];
    }
    free(from);
    return status;
}

/* Climbs in the continuous coordinates alone. */
static gofh_status climb_continuous(held_objective *o, const gofh_status *failure,
                                    const lbfgsb_settings *settings, int starts, double *x, double *value)
{
    study *st = o->st;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS];
    if (space_continuous(st->space) == 0)
        return o->objective(x, starts, value, NULL, o->context) ? *failure : GOFH_OK;
    if (space_has_constraints(st->space))
        return o->rough ? climb_and_repair(o, failure, settings, starts, x, value)
                        : climb_constrained(o, failure, starts, x, value);
    climb_cube_bounds(st->d, lower, upper);
    return climb_box(&st->climbing, evaluate_held, o, failure, settings, starts, st->d, lower, upper, x,
                     value);
}

/* Climbs from the best neighbours of the best point too, and takes the best of these in its place if it is
 * better: with other discrete values the continuous ones may have to move far before they are. */
static gofh_status climb_neighbours(held_objective *o, const gofh_status *failure,
                                    const lbfgsb_settings *settings, int starts, double *x, double *value)
{
    size_t d = (size_t)o->st->d;
    double *list = memory_doubles(NEIGHBOURS_MAX * (d + 1) + NEIGHBOURS_CLIMBED * d);
    if (!list) return GOFH_ERROR_MEMORY;
    double *reached = list + NEIGHBOURS_MAX * d, *climbed = reached + NEIGHBOURS_MAX;
    int best = vector_largest(value, starts), taken = 0;
    neighbours n = {.st = o->st, .list = list};
    n.count = list_neighbours(o->st, x + (size_t)best * d, list);
    gofh_status status = n.count > 0 && o->objective(list, n.count, reached, NULL, o->context) ? *failure
                                                                                               : GOFH_OK;
    if (!status) taken = take_best(&n, reached, NEIGHBOURS_CLIMBED, climbed);
    if (!status && taken > 0) status = climb_continuous(o, failure, settings, taken, climbed, reached);
    int chosen = taken > 0 ? vector_largest(reached, taken) : 0;
    if (!status && taken > 0 && reached[chosen] > value[best]) {
        memcpy(x + (size_t)best * d, climbed + (size_t)chosen * d, d * sizeof *x);
        value[best] = reached[chosen];
    }
    free(list);
    return status;
}

gofh_status climb_held(study *st, search_objective objective, void *context, const gofh_status *failure,
                       int iterations, double *x, double *value)
{
    held_objective o = {.st = st, .objective = objective, .context = context};
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = iterations;
    return climb_continuous(&o, failure, &settings, 1, x, value);
}

int climb_is_mixed(const study *st)
{
    int continuous = space_continuous(st->space);
    return continuous > 0 && continuous < st->d;
}

static gofh_status climb_anywhere(held_objective *o, const gofh_status *failure,
                                  const lbfgsb_settings *settings, int starts, double *x, double *value)
{
    study *st = o->st;
    double lower[GOFH_MAX_PARAMETERS], upper[GOFH_MAX_PARAMETERS];
    climb_cube_bounds(st->d, lower, upper);
    if (space_is_cube(st->space))
        return climb_box(&st->climbing, o->objective, o->context, failure, settings, starts, st->d, lower,
                         upper, x, value);
    int moved = 1, rounds = space_continuous(st->space) == st->d ? 1 : ROUNDS;
    for (int i = 0; i < rounds && moved > 0; i++) {
        gofh_status status = climb_continuous(o, failure, settings, starts, x, value);
        if (status) return status;
        moved = rounds > 1 ? step_to_neighbours(o, starts, x, value) : 0;
    }
    if (moved < 0) return moved == -2 ? GOFH_ERROR_MEMORY : *failure;
    int beside = climb_is_mixed(st) && !o->rough;
    return beside ? climb_neighbours(o, failure, settings, starts, x, value) : GOFH_OK;
}

gofh_status climb_allowed_with(study *st, search_objective objective, void *context,
                               const gofh_status *failure, const lbfgsb_settings *settings, int starts,
                               double *x, double *value)
{
    held_objective o = {.st = st, .objective = objective, .context = context};
    return climb_anywhere(&o, failure, settings, starts, x, value);
}

gofh_status climb_beside(study *st, search_objective objective, void *context, const gofh_status *failure,
                         int iterations, const double *from, double *x, double *value)
{
    size_t d = (size_t)st->d;
    held_objective o = {.st = st, .objective = objective, .context = context};
    double *list = memory_doubles(NEIGHBOURS_MAX * (d + 1) + BESIDE_MAX * (d + 1));
    if (!list) return GOFH_ERROR_MEMORY;
    double *reached = list + NEIGHBOURS_MAX * d, *climbed = reached + NEIGHBOURS_MAX;
    double *end = climbed + BESIDE_MAX * d;
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = iterations;
    neighbours n = {.st = st, .list = list};
    add_neighbours(&n, from, 0, 0);
    keep_allowed(&n);
    gofh_status status = n.count > 0 && objective(list, n.count, reached, NULL, context) ? *failure : GOFH_OK;
    int taken = status ? 0 : take_best(&n, reached, BESIDE_MAX, climbed);
    for (int i = 0; !status && i < taken; i += CLIMBED) /* no more are climbed at once */
        status = climb_continuous(&o, failure, &settings, taken - i < CLIMBED ? taken - i : CLIMBED,
                                  climbed + (size_t)i * d, end + i);
    *value = -INFINITY;
    if (!status && taken > 0) {
        int best = vector_largest(end, taken);
        memcpy(x, climbed + (size_t)best * d, d * sizeof *x);
        *value = end[best];
    }
    free(list);
    return status;
}

gofh_status climb_roughly(study *st, search_objective objective, void *context, const gofh_status *failure,
                          const lbfgsb_settings *settings, int starts, double *x, double *value)
{
    held_objective o = {.st = st, .objective = objective, .context = context, .rough = 1};
    return climb_anywhere(&o, failure, settings, starts, x, value);
}

gofh_status climb_allowed(study *st, search_objective objective, void *context, const gofh_status *failure,
                          int iterations, int starts, double *x, double *value)
{
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = iterations;
    return climb_allowed_with(st, objective, context, failure, &settings, starts, x, value);
}
