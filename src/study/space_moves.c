/* Ways to allowed points: the nearest one, a random walk among them, a design. */
#include "study/space_parts.h"

#include "base/quasi.h"
#include "search/objective.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 40,
    STUCK = 2, /* steps that lessen nothing, after which there is no point in more */
    HALVINGS = 8,
    ROUNDINGS = 64, /* ways to round what is between values */
    DESCENTS = 60,
    CHAIN = 2,  /* steps of the walk between two points of it, */
    ALONE = 20, /* and to a single one */
    SHRINKS = 40
};
/* Of a value's range: below it a violation is one of rounding, and a little more than nothing is asked
 * for, twice as much with each step; and what is near enough to being broken to be kept an eye on. */
static const double TINY = 1e-10, ROUNDING = 1e-16, NEAR = 1e-7;
/* A sum of violations that Newton's steps must lessen, of the ranges of the values. */
static const double COARSE = 1e-6;
static const double RIDGE = 1e-13;

static double violation_of(const space *s, const double *value)
{
    double sum = 0.0;
    for (int i = 0; i < s->count; i++) {
        double off = s->equal[i] ? fabs(value[i]) - s->within[i] : -value[i];
        if (isnan(value[i]) || isinf(value[i])) return INFINITY;
        if (off > 0.0) sum += off / s->unit[i];
    }
    return sum;
}

static void look(space *s, const double *u, int relaxed, double *along)
{
    if (relaxed) {
        domain_relax(s->box, u, s->x, along);
    } else {
        domain_to_user(s->box, u, s->x);
        domain_slope(s->box, s->x, along);
    }
}

static double violation_at(space *s, const double *u, int relaxed)
{
    double along[GOFH_MAX_PARAMETERS];
    look(s, u, relaxed, along);
    space_values(s, s->x, s->value);
    space_take_logs(s, s->x, NULL, s->value, NULL);
    return violation_of(s, s->value);
}

/* Solves gram z = step in place, of n rows, positive definite. Returns -1 where it is not. */
static int solve(int n, double *gram, double *step)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) gram[j * n + j] -= gram[j * n + k] * gram[j * n + k];
        if (!(gram[j * n + j] > 0.0)) return -1;
        gram[j * n + j] = sqrt(gram[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) gram[i * n + j] -= gram[i * n + k] * gram[j * n + k];
            gram[i * n + j] /= gram[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) step[i] -= gram[i * n + k] * step[k];
        step[i] /= gram[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) step[i] -= gram[k * n + i] * step[k];
        step[i] /= gram[i * n + i];
    }
    return 0;
}

/* The step of least length, in the coordinates that are free, that changes the `count` active values by
 * what is wanted of them if they are linear. */
static int least_step(space *s, int count, const int *active, const double *wanted, const double *is_free,
                      double *move)
{
    int d = s->box->d, n = 0, kept[GOFH_MAX_PARAMETERS * 4];
    for (int a = 0; a < count && n < GOFH_MAX_PARAMETERS * 4; a++) {
        double norm = 0.0;
        for (int k = 0; k < d; k++)
            norm += is_free[k] * s->slope[active[a] * d + k] * s->slope[active[a] * d + k];
        if (norm > 0.0 && isfinite(norm)) kept[n++] = a;
    }
    if (n == 0) return -1;
    for (int a = 0; a < n; a++) {
        const double *row = s->slope + active[kept[a]] * d;
        for (int b = 0; b <= a; b++) {
            const double *other = s->slope + active[kept[b]] * d;
            double sum = 0.0;
            for (int k = 0; k < d; k++) sum += is_free[k] * row[k] * other[k];
            s->gram[a * n + b] = sum;
        }
        s->gram[a * n + a] *= 1.0 + RIDGE;
        s->step[a] = wanted[kept[a]];
    }
    if (solve(n, s->gram, s->step)) {
        /* More of them than directions: one after another, the first first. */
        double sum = 0.0;
        const double *row = s->slope + active[kept[0]] * d;
        for (int k = 0; k < d; k++) sum += is_free[k] * row[k] * row[k];
        for (int a = 1; a < n; a++) s->step[a] = 0.0;
        s->step[0] = wanted[kept[0]] / sum;
    }
    for (int k = 0; k < d; k++) {
        move[k] = 0.0;
        for (int a = 0; a < n; a++) move[k] += is_free[k] * s->step[a] * s->slope[active[kept[a]] * d + k];
    }
    return 0;
}

/* The same inside the cube: a coordinate that would leave it stops at its end, and the others make up
 * for it. */
static int bounded_step(space *s, const double *u, int count, const int *active, double *wanted,
                        double *is_free, double *move)
{
    int d = s->box->d;
    double total[GOFH_MAX_PARAMETERS] = {0};
    for (int round = 0; round <= d; round++) {
        int stopped = 0;
        if (least_step(s, count, active, wanted, is_free, move)) break;
        for (int k = 0; k < d; k++) {
            double to = u[k] + move[k];
            if (is_free[k] == 0.0 || (to >= 0.0 && to <= 1.0)) continue;
            double part = search_clamp(to, 0.0, 1.0) - u[k];
            for (int a = 0; a < count; a++) wanted[a] -= part * s->slope[active[a] * d + k];
            total[k] = part;
            is_free[k] = 0.0;
            stopped = 1;
        }
        if (stopped) continue;
        for (int k = 0; k < d; k++) move[k] += total[k];
        return 0;
    }
    memcpy(move, total, (size_t)d * sizeof *move);
    return 0;
}

/* The values that step i must change, and by how much: s->active and s->wanted. Returns how many. */
static int find_active(space *s, int i)
{
    int n = 0;
    for (int c = 0; c < s->count; c++) {
        double value = s->value[c], range = s->unit[c];
        int broken = s->equal[c] ? fabs(value) > s->within[c] : value < 0.0;
        s->seen[c] |= broken;
        if (!s->equal[c] && !(broken || (s->seen[c] && value < NEAR * range))) continue;
        double slack = !s->equal[c] && value > -TINY * range ? fmin(ROUNDING * exp2(i), TINY) * range : 0.0;
        if (!s->equal[c] && value >= slack) continue;
        s->active[n] = c;
        s->wanted[n++] = slack - value;
    }
    return n;
}

/* Newton's steps of least length to where all hold, with the frozen coordinates as they are. Returns 0,
 * or -1 where they did not get there. */
static int newton(space *s, double *u, const unsigned char *frozen, int relaxed)
{
    int d = s->box->d, found = -1, stuck = 0;
    double along[GOFH_MAX_PARAMETERS], move[GOFH_MAX_PARAMETERS] = {0};
    memset(s->seen, 0, (size_t)s->count * sizeof *s->seen);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double is_free[GOFH_MAX_PARAMETERS], to[GOFH_MAX_PARAMETERS], length = 0.0;
        look(s, u, relaxed, along);
        space_slopes(s, s->x, along, s->value, s->slope);
        if (space_meets(s, s->x, s->value) < 0) {
            found = 0;
            break;
        }
        space_take_logs(s, s->x, along, s->value, s->slope);
        double before = violation_of(s, s->value);
        if (isinf(before)) break;
        int n = find_active(s, i);
        for (int k = 0; k < d; k++) is_free[k] = !(frozen && frozen[k]);
        if (n == 0 || bounded_step(s, u, n, s->active, s->wanted, is_free, move)) break;
        int halving = 0;
        for (; halving < HALVINGS; halving++) {
            length = 0.0;
            for (int k = 0; k < d; k++) {
                to[k] = search_clamp(u[k] + exp2(-halving) * move[k], 0.0, 1.0);
                length = fmax(length, fabs(to[k] - u[k]));
            }
            if (before < COARSE || violation_at(s, to, relaxed) < before) break;
        }
        memcpy(u, to, (size_t)d * sizeof *u);
        stuck += halving == HALVINGS;
        if (stuck == STUCK || (length == 0.0 && before >= COARSE)) break; /* the least that is violated */
        if (length == 0.0 && i > NEWTON_STEPS / 2) break;
    }
    return found;
}

static int is_held(const domain *box, int p, const unsigned char *held)
{
    domain_parameter kind = domain_kind_of(box, p);
    return kind.kind == DOMAIN_INTERVAL || kind.kind == DOMAIN_FIXED || (held && held[kind.first]);
}

/* What Newton's steps must leave alone: discrete coordinates and those held; relaxed: choices. */
static void freeze(const space *s, const unsigned char *held, int relaxed, unsigned char *frozen)
{
    const domain *box = s->box;
    for (int k = 0; k < box->d; k++)
        frozen[k] = (box->is_discrete && box->is_discrete[k] && !relaxed) || (held && held[k]);
    for (int p = 0; relaxed && p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        for (int k = 0; kind.kind == DOMAIN_CHOICE && k < kind.width; k++) frozen[kind.first + k] = 1;
    }
}

static double squared_distance(int d, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < d; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* From a point between values to the nearest of those around it that can be made allowed. */
static int round_off(space *s, const double *between, const unsigned char *held, const unsigned char *frozen,
                     double *u)
{
    const domain *box = s->box;
    size_t d = (size_t)box->d;
    int ordered[GOFH_MAX_PARAMETERS], count = 0, found = -1;
    for (int p = 0; p < domain_parameters(box); p++)
        if (domain_kind_of(box, p).kind == DOMAIN_ORDERED && !is_held(box, p, held)) ordered[count++] = p;
    random_stream stream = random_open(1, RANDOM_DESIGN, 3, 2);
    double nearest = INFINITY, from[GOFH_MAX_PARAMETERS], best[GOFH_MAX_PARAMETERS],
           along[GOFH_MAX_PARAMETERS];
    memcpy(from, u, d * sizeof *from);
    int tries = count < 6 ? 1 << count : ROUNDINGS;
    for (int i = 0; i < tries; i++) {
        double to[GOFH_MAX_PARAMETERS], x[GOFH_MAX_PARAMETERS];
        memcpy(to, between, d * sizeof *to);
        domain_relax(box, between, x, along);
        for (int c = 0; c < count; c++) {
            int p = ordered[c], at = domain_nearest(box, p, x[p]);
            int other = at + (domain_value(box, p, at) < x[p] ? 1 : -1);
            int flip = count < 6 ? i >> c & 1 : i > 0 && random_uniform(&stream) < 0.3;
            if (flip && other >= 0 && other < domain_kind_of(box, p).count) at = other;
            domain_set(box, p, at, to);
        }
        if (newton(s, to, frozen, 0)) continue;
        double distance = squared_distance(box->d, to, from);
        if (!(distance < nearest)) continue;
        nearest = distance;
        memcpy(best, to, d * sizeof *best);
        found = 0;
    }
    if (found == 0) memcpy(u, best, d * sizeof *u);
    return found;
}

/* From value to value of one discrete parameter after another, as long as less is violated. */
static int descend(space *s, const unsigned char *held, const unsigned char *frozen, double *u)
{
    const domain *box = s->box;
    size_t d = (size_t)box->d;
    double least = violation_at(s, u, 0);
    for (int i = 0; i < DESCENTS; i++) {
        double best[GOFH_MAX_PARAMETERS], before = least;
        for (int p = 0; p < domain_parameters(box); p++) {
            domain_parameter kind = domain_kind_of(box, p);
            if (is_held(box, p, held)) continue;
            int at = domain_index(box, p, u), all = kind.kind == DOMAIN_CHOICE;
            for (int v = all ? 0 : at - 1; v < kind.count && v <= (all ? kind.count : at + 1); v++) {
                double to[GOFH_MAX_PARAMETERS];
                if (v < 0 || v == at) continue;
                memcpy(to, u, d * sizeof *to);
                domain_set(box, p, v, to);
                int done = newton(s, to, frozen, 0) == 0;
                double left = done ? -1.0 : violation_at(s, to, 0);
                if (!(left < least)) continue;
                least = left;
                memcpy(best, to, d * sizeof *best);
            }
        }
        if (!(least < before)) return -1;
        memcpy(u, best, d * sizeof *u);
        if (least < 0.0) return 0;
    }
    return -1;
}

static int may_change_values(const domain *box, const unsigned char *held)
{
    for (int p = 0; p < domain_parameters(box); p++)
        if (!is_held(box, p, held)) return 1;
    return 0;
}

int space_approach(space *s, double *u, const unsigned char *held)
{
    size_t d = (size_t)s->box->d;
    unsigned char frozen[GOFH_MAX_PARAMETERS] = {0}, between[GOFH_MAX_PARAMETERS] = {0};
    double start[GOFH_MAX_PARAMETERS] = {0}, relaxed[GOFH_MAX_PARAMETERS] = {0};
    domain_snap(s->box, u);
    if (space_holds(s, u)) return 0;
    freeze(s, held, 0, frozen);
    memcpy(start, u, d * sizeof *start);
    if (newton(s, u, frozen, 0) == 0) return 0;
    if (!may_change_values(s->box, held)) return -1;
    freeze(s, held, 1, between);
    memcpy(relaxed, start, d * sizeof *relaxed);
    memcpy(u, start, d * sizeof *u);
    if (newton(s, relaxed, between, 1) == 0 && round_off(s, relaxed, held, frozen, u) == 0) return 0;
    memcpy(u, start, d * sizeof *u);
    return descend(s, held, frozen, u);
}

int space_repair(space *s, double *u, const unsigned char *held)
{
    size_t d = (size_t)s->box->d;
    double from[GOFH_MAX_PARAMETERS], nearest = INFINITY;
    if (!s->known) {
        domain_snap(s->box, u);
        return 0;
    }
    if (space_same(s) > 0.0) return space_to_listed(s, u, held);
    memcpy(from, u, d * sizeof *from);
    if (space_approach(s, u, held) == 0) return 0;
    if (held || s->bank_count == 0) return -1;
    for (int i = 0; i < s->bank_count; i++) {
        const double *known = s->bank + (size_t)i * d;
        double distance = squared_distance(s->box->d, known, from);
        if (!(distance < nearest)) continue;
        nearest = distance;
        memcpy(u, known, d * sizeof *u);
    }
    return 0;
}

/* An orthonormal basis of the slopes of the equalities at u in the continuous coordinates; how many. */
static int equality_basis(space *s, const double *u, double basis[][GOFH_MAX_PARAMETERS])
{
    int d = s->box->d, rank = 0;
    double along[GOFH_MAX_PARAMETERS];
    if (s->equalities == 0) return 0;
    look(s, u, 0, along);
    space_slopes(s, s->x, along, s->value, s->slope);
    for (int i = 0; i < s->count && rank < d; i++) {
        if (!s->equal[i]) continue;
        double *row = basis[rank], length = 0.0, rest = 0.0;
        for (int k = 0; k < d; k++) {
            row[k] = s->box->is_discrete && s->box->is_discrete[k] ? 0.0 : s->slope[i * d + k];
            length += row[k] * row[k];
        }
        for (int b = 0; b < rank; b++) {
            double sum = 0.0;
            for (int k = 0; k < d; k++) sum += basis[b][k] * row[k];
            for (int k = 0; k < d; k++) row[k] -= sum * basis[b][k];
        }
        for (int k = 0; k < d; k++) rest += row[k] * row[k];
        if (!(rest > 1e-16 * length)) continue;
        for (int k = 0; k < d; k++) row[k] /= sqrt(rest);
        rank++;
    }
    return rank;
}

int space_directions(space *s, const double *u)
{
    double basis[GOFH_MAX_PARAMETERS][GOFH_MAX_PARAMETERS];
    return s->continuous - (s->equalities ? equality_basis(s, u, basis) : 0);
}

int space_draw(const domain *box, random_stream *stream, int p)
{
    if (domain_is_log_grid(box, p)) return domain_draw(box, p, random_uniform(stream));
    return (int)random_below(stream, (uint32_t)domain_kind_of(box, p).count);
}

/* Another value of a random discrete parameter, if that is allowed. */
static void walk_discrete(space *s, random_stream *stream, const unsigned char *frozen, double *u)
{
    const domain *box = s->box;
    int choice[GOFH_MAX_PARAMETERS], count = 0;
    double to[GOFH_MAX_PARAMETERS] = {0};
    for (int p = 0; p < domain_parameters(box); p++)
        if (!is_held(box, p, NULL)) choice[count++] = p;
    if (count == 0) return;
    int p = choice[random_below(stream, (uint32_t)count)];
    memcpy(to, u, (size_t)box->d * sizeof *to);
    domain_set(box, p, space_draw(box, stream, p), to);
    if (space_holds(s, to) || newton(s, to, frozen, 0) == 0) memcpy(u, to, (size_t)box->d * sizeof *u);
}

/* Back to the equalities after a step along them; not where an inequality is broken, for the repair
 * would end on its edge, and with it a share of all walks. */
static int return_to_equalities(space *s, const unsigned char *frozen, double *u)
{
    double along[GOFH_MAX_PARAMETERS];
    look(s, u, 0, along);
    space_values(s, s->x, s->value);
    for (int i = 0; i < s->count; i++)
        if (!s->equal[i] && !(s->value[i] >= 0.0)) return -1;
    return newton(s, u, frozen, 0);
}

/* Half of the directions lead from one allowed point that is kept to another: where the space is thin, a
 * direction of all alike leaves it at once, and these follow it. */
static void draw_direction(space *s, random_stream *stream, const unsigned char *frozen, double *direction)
{
    size_t d = (size_t)s->box->d;
    double length = 0.0;
    if (s->bank_count > 1 && random_uniform(stream) < 0.5) {
        const double *from = s->bank + (size_t)random_below(stream, (uint32_t)s->bank_count) * d;
        const double *to = s->bank + (size_t)random_below(stream, (uint32_t)s->bank_count) * d;
        for (size_t k = 0; k < d; k++) {
            direction[k] = frozen[k] ? 0.0 : to[k] - from[k];
            length = fmax(length, fabs(direction[k]));
        }
    }
    for (size_t k = 0; k < d && length == 0.0; k++) direction[k] = frozen[k] ? 0.0 : random_normal(stream);
}

/* A step along a random direction that keeps the equalities, uniform on the part of the line that is
 * allowed, as far as shrinking towards u finds it. */
static void walk_continuous(space *s, random_stream *stream, const unsigned char *frozen, double *u)
{
    int d = s->box->d;
    double direction[GOFH_MAX_PARAMETERS], basis[GOFH_MAX_PARAMETERS][GOFH_MAX_PARAMETERS];
    double back = -INFINITY, ahead = INFINITY;
    int rank = equality_basis(s, u, basis);
    draw_direction(s, stream, frozen, direction);
    for (int b = 0; b < rank; b++) {
        double sum = 0.0;
        for (int k = 0; k < d; k++) sum += basis[b][k] * direction[k];
        for (int k = 0; k < d; k++) direction[k] -= sum * basis[b][k];
    }
    for (int k = 0; k < d; k++) {
        if (direction[k] == 0.0) continue;
        double low = -u[k] / direction[k], high = (1.0 - u[k]) / direction[k];
        back = fmax(back, fmin(low, high));
        ahead = fmin(ahead, fmax(low, high));
    }
    if (!(ahead > back) || isinf(ahead) || isinf(back)) return;
    for (int i = 0; i < SHRINKS; i++) {
        double to[GOFH_MAX_PARAMETERS] = {0}, at = back + (ahead - back) * random_uniform(stream);
        for (int k = 0; k < d; k++) to[k] = search_clamp(u[k] + at * direction[k], 0.0, 1.0);
        int holds = space_holds(s, to) || (s->equalities && return_to_equalities(s, frozen, to) == 0);
        if (holds) {
            memcpy(u, to, (size_t)d * sizeof *u);
            return;
        }
        if (at < 0.0)
            back = at;
        else
            ahead = at;
    }
}

void space_walk(space *s, random_stream *stream, double *u)
{
    unsigned char frozen[GOFH_MAX_PARAMETERS] = {0};
    freeze(s, NULL, 0, frozen);
    if (s->continuous < s->box->d && (s->continuous == 0 || random_uniform(stream) < 0.5))
        walk_discrete(s, stream, frozen, u);
    else
        walk_continuous(s, stream, frozen, u);
}

/* edges: whether some of those that are not allowed go to the nearest edge, where optima like to lie. */
static void scatter(space *s, random_stream *stream, int edges, int count, double *points)
{
    size_t d = (size_t)s->box->d;
    if (space_is_cube(s)) return;
    double chain[GOFH_MAX_PARAMETERS] = {0};
    int started = 0;
    for (int i = 0; i < count; i++) {
        double *u = points + (size_t)i * d;
        domain_scatter(s->box, u);
        if (space_same(s) > 0.0) space_to_listed(s, u, NULL);
        if (!s->known || space_holds(s, u)) continue;
        if (s->bank_count == 0) continue; /* the space is empty */
        if (edges && i % 8 == 0 && space_approach(s, u, NULL) == 0) continue;
        if (!started || i % 16 == 1)
            memcpy(chain, s->bank + (size_t)random_below(stream, (uint32_t)s->bank_count) * d,
                   d * sizeof *chain);
        started = 1;
        for (int step = 0; step < (count == 1 ? ALONE : CHAIN); step++) space_walk(s, stream, chain);
        memcpy(u, chain, d * sizeof *u);
    }
}

void space_scatter(space *s, random_stream *stream, int count, double *points)
{
    scatter(s, stream, count > 1, count, points);
}

void space_design(space *s, random_stream *stream, int count, int each, double *points)
{
    size_t d = (size_t)s->box->d;
    int all = count * each;
    quasi_points(stream, s->box->d, all, points);
    scatter(s, stream, 0, all, points);
    double weight[GOFH_MAX_PARAMETERS];
    for (size_t k = 0; k < d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < all; i++) {
            low = fmin(low, points[(size_t)i * d + k]);
            high = fmax(high, points[(size_t)i * d + k]);
        }
        weight[k] = high > low ? 1.0 / (high - low) : 0.0;
    }
    /* The next is the one that is farthest from all before it. */
    for (int chosen = 1; chosen < count; chosen++) {
        double farthest = -1.0;
        int next = chosen;
        for (int i = chosen; i < all; i++) {
            double nearest = INFINITY;
            for (int c = 0; c < chosen; c++) {
                double sum = 0.0;
                for (size_t k = 0; k < d; k++) {
                    double off = weight[k] * (points[(size_t)i * d + k] - points[(size_t)c * d + k]);
                    sum += off * off;
                }
                nearest = fmin(nearest, sum);
            }
            if (!(nearest > farthest)) continue;
            farthest = nearest;
            next = i;
        }
        for (size_t k = 0; k < d; k++) {
            double kept = points[(size_t)chosen * d + k];
            points[(size_t)chosen * d + k] = points[(size_t)next * d + k];
            points[(size_t)next * d + k] = kept;
        }
    }
}
