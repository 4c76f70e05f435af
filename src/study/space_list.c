/* The allowed points, where there are finitely many of them. */
#include "study/space_parts.h"

#include "base/memory.h"
#include "base/quasi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LISTED = 4096,     /* allowed points that are listed at most */
    COUNTED = 1000000, /* points that are looked at to count the allowed ones */
    VISITED = 4000000, /* or to find one that has not been tried */
    /* Where there are more, or parameters are continuous: */
    STARTS = 1024, /* of repairs, */
    FEW = 128,     /* points that these lead to at most, */
    OFTEN = 8,     /* each of them so often, on average, */
    GLANCE = 64,   /* repairs after which it is seen whether most of them lead to new points, */
    WALKS = 16     /* steps from each point that lead to no other */
};
/* Of the cube: what the tolerance of an equality leaves, and more. */
static const double SAME = 1e-7;

int space_visit(space *s, space_visitor visit, void *context)
{
    int parameters = domain_parameters(s->box), index[GOFH_MAX_PARAMETERS] = {0};
    double u[GOFH_MAX_PARAMETERS] = {0};
    if (domain_size(s->box) > VISITED) return 0;
    for (;;) {
        for (int p = 0; p < parameters; p++)
            if (domain_kind_of(s->box, p).kind != DOMAIN_FIXED) domain_set(s->box, p, index[p], u);
        if (space_holds(s, u) && visit(u, context)) return 1;
        int p = 0;
        while (p < parameters) {
            domain_parameter kind = domain_kind_of(s->box, p);
            if (kind.kind != DOMAIN_FIXED && ++index[p] < kind.count) break;
            index[p++] = 0;
        }
        if (p == parameters) return 0;
    }
}

static int count_one(const double *u, void *context)
{
    space *s = context;
    size_t d = (size_t)s->box->d;
    if (s->list) memcpy(s->list + (size_t)s->size * d, u, d * sizeof *u);
    s->size++;
    return 0;
}

/* Counts the points of a discrete space, and lists them where they are not too many. */
static int list_counted(space *s)
{
    s->size = 0.0;
    space_visit(s, count_one, s);
    if (s->size > LISTED) return 0;
    s->list = memory_doubles((size_t)s->size * (size_t)s->box->d);
    if (!s->list) return -1;
    s->size = 0.0;
    space_visit(s, count_one, s);
    return 0;
}

/* Whether u is none of the `count` points, or one of them to rounding. */
static int is_new(const space *s, const double *list, int count, const double *u)
{
    size_t d = (size_t)s->box->d;
    for (int i = 0; i < count; i++) {
        double reach = 0.0;
        for (size_t k = 0; k < d; k++) reach = fmax(reach, fabs(list[(size_t)i * d + k] - u[k]));
        if (reach < SAME) return 0;
    }
    return 1;
}

/* Points that repairs led to, and how many of these repairs there were. */
typedef struct {
    double *list; /* FEW x d */
    int count, found;
} few;

/* Returns -1 where there are too many. */
static int add_found(const space *s, few *f, const double *u)
{
    size_t d = (size_t)s->box->d;
    f->found++;
    if (!is_new(s, f->list, f->count, u)) return 0;
    if (f->count == FEW || (f->found >= GLANCE && f->count >= f->found - f->found / 8)) return -1;
    memcpy(f->list + (size_t)f->count++ * d, u, d * sizeof *u);
    return 0;
}

static int is_often(const few *f)
{
    return f->count * OFTEN <= f->found;
}

/* The points that repairs lead to again and again: those of the bank, or else from all over the cube. Returns
 * -1 where most of them lead to new ones. start: STARTS x d, a uniform point each. */
static int find_few(space *s, double *start, few *f)
{
    size_t d = (size_t)s->box->d;
    for (int i = 0; i < s->bank_found; i++)
        if (add_found(s, f, s->bank + (size_t)i * d)) return -1;
    if (is_often(f)) return 0;
    for (int i = s->bank_found; i < s->bank_count; i++) /* a walk tells of a space that is not small */
        if (add_found(s, f, s->bank + (size_t)i * d)) return -1;
    f->found = s->bank_found;
    for (int i = 0; i < STARTS; i++) {
        double *u = start + (size_t)i * d;
        domain_scatter(s->box, u);
        if (space_approach(s, u, NULL) == 0 && add_found(s, f, u)) return -1;
    }
    return is_often(f) ? 0 : -1;
}

/* Adds u, with other discrete values than a point of the list has, if the continuous ones can make it
 * allowed and it is new. Returns -1 where there are too many. */
static int add_beside(space *s, few *f, double *u)
{
    if (space_approach(s, u, s->box->is_discrete) || !is_new(s, f->list, f->count, u)) return 0;
    if (f->count == FEW) return -1;
    memcpy(f->list + (size_t)f->count++ * (size_t)s->box->d, u, (size_t)s->box->d * sizeof *u);
    return 0;
}

/* `to` is `from` with another value of parameter p: the next or the one before, or of choices any. Returns 0
 * where there is no `change`th. */
static int change_value(const space *s, const double *from, int p, int change, double *to)
{
    domain_parameter kind = domain_kind_of(s->box, p);
    int all = kind.kind == DOMAIN_CHOICE;
    if (kind.kind == DOMAIN_INTERVAL || kind.kind == DOMAIN_FIXED) return 0;
    if (change >= (all ? kind.count : 2)) return 0;
    memcpy(to, from, (size_t)s->box->d * sizeof *to);
    int value = all ? change : domain_index(s->box, p, from) + (change ? 1 : -1);
    if (value >= 0 && value < kind.count) domain_set(s->box, p, value, to);
    return 1;
}

/* Adds what differs from a point of the list in the values of one or two parameters, and so on from there.
 * Returns -1 where there are too many. */
static int add_neighbours(space *s, few *f)
{
    size_t d = (size_t)s->box->d;
    int parameters = domain_parameters(s->box);
    double one[GOFH_MAX_PARAMETERS], two[GOFH_MAX_PARAMETERS];
    for (int i = 0; i < f->count; i++)
        for (int p = 0; p < parameters; p++)
            for (int a = 0; change_value(s, f->list + (size_t)i * d, p, a, one); a++) {
                for (int q = p + 1; q < parameters; q++)
                    for (int b = 0; change_value(s, one, q, b, two); b++)
                        if (add_beside(s, f, two)) return -1;
                if (add_beside(s, f, one)) return -1;
            }
    return 0;
}

/* Lists the points of a space that was not counted where they are few: where repairs lead to the same ones
 * again and again, and walks from these and from their neighbours to no other. */
static int list_few(space *s)
{
    size_t d = (size_t)s->box->d;
    double *start = memory_doubles((STARTS + FEW) * d), u[GOFH_MAX_PARAMETERS];
    if (!start) return -1;
    few f = {.list = start + STARTS * d};
    random_stream stream = random_open(1, RANDOM_DESIGN, 4, 2);
    quasi_points(&stream, s->box->d, STARTS, start);
    int closed = find_few(s, start, &f) == 0 && add_neighbours(s, &f) == 0;
    for (int i = 0; i < WALKS * f.count && closed; i++) {
        memcpy(u, f.list + (size_t)(i % f.count) * d, d * sizeof *u);
        space_walk(s, &stream, u);
        closed = !is_new(s, f.list, f.count, u);
    }
    if (closed && !(s->list = memory_doubles((size_t)f.count * d))) closed = -1;
    if (closed > 0) {
        s->size = f.count;
        memcpy(s->list, f.list, (size_t)f.count * d * sizeof *u);
    }
    free(start);
    return closed < 0 ? -1 : 0;
}

int space_list(space *s)
{
    s->size = INFINITY;
    if (domain_size(s->box) <= COUNTED) return list_counted(s);
    return s->bank_count > 0 ? list_few(s) : 0;
}

double space_same(const space *s)
{
    return s->list && s->continuous > 0 ? SAME : 0.0;
}

int space_to_listed(const space *s, double *u, const unsigned char *held)
{
    size_t d = (size_t)s->box->d;
    const double *found = NULL;
    double nearest = INFINITY;
    for (size_t i = 0; i < (size_t)s->size; i++) {
        const double *at = s->list + i * d;
        double distance = 0.0;
        int stays = 1;
        for (size_t k = 0; k < d; k++) {
            distance += (at[k] - u[k]) * (at[k] - u[k]);
            stays &= !(held && held[k]) || fabs(at[k] - u[k]) < SAME;
        }
        if (!stays || !(distance < nearest)) continue;
        nearest = distance;
        found = at;
    }
    if (!found) return -1;
    for (size_t k = 0; k < d; k++)
        if (!(held && held[k])) u[k] = found[k];
    return 0;
}
