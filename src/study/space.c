#include "study/space.h"

#include "base/memory.h"
#include "base/quasi.h"
#include "outer/expression.h"
#include "search/feasible.h"
#include "study/space_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCHED = 1024,     /* points of the cube that are tried as they are */
    BANK = 64,           /* allowed points that are kept */
    REPAIRED = 4096,     /* of those that are repaired where fewer are allowed */
    SHARE_POINTS = 65536 /* of the estimated share */
};
/* Of the range of the two sides' difference, or of its size at the point. */
static const double EQUALITY = 1e-9;
/* Of the range of a parameter on a linear scale: what its value counts as in that size at least, for its
 * coordinate knows no finer digits. */
static const double RESOLVED = 1e-5;
/* Of the tolerance of an equality: what searches leave of it, for none is meant to be gained from it. */
static const double INSIDE = 1e-3;

/* ---- Values of the constraints ---- */

void space_values(space *s, const double *x, double *value)
{
    gofh_constraints_evaluate(s->known, x, NULL, 1, value);
}

/* How much value i changes where the parameters do by as much as they are, whose slopes are in s->in_x: the
 * size of its terms, at most its range. */
static double size_at(const space *s, int i, const double *x)
{
    const domain *box = s->box;
    int parameters = domain_parameters(box);
    double size = 0.0;
    for (int p = 0; p < parameters; p++) {
        double least = box->scale[p] == GOFH_SCALE_LOG ? 0.0 : RESOLVED * (box->upper[p] - box->lower[p]);
        size += fabs(s->in_x[i * parameters + p]) * fmax(fabs(x[p]), least);
    }
    return size > 0.0 && size < s->range[i] ? size : s->range[i];
}

/* What value i, of an equality, may differ from 0 by at x. */
static double tolerance_at(space *s, int i, const double *x)
{
    if (!s->relative[i]) return s->tolerance[i];
    gofh_constraints_differentiate(s->known, x, NULL, 1, s->spare, s->in_x, NULL);
    return EQUALITY * size_at(s, i, x);
}

int space_meets(space *s, const double *x, const double *value)
{
    for (int i = 0; i < s->count; i++) {
        if (s->equal[i] ? !(fabs(value[i]) <= s->tolerance[i]) : !(value[i] >= 0.0)) return i;
        if (s->relative[i] && !(fabs(value[i]) <= tolerance_at(s, i, x))) return i;
    }
    return -1;
}

int space_broken(space *s, const double *x)
{
    int number = -1;
    if (!s->known) return -1;
    space_values(s, x, s->value);
    int margin = space_meets(s, x, s->value);
    if (margin >= 0) constraints_is_equality(s->known, margin, &number);
    return number;
}

double space_margin_of(space *s, int number, const double *x)
{
    double least = INFINITY;
    space_values(s, x, s->value);
    for (int i = 0, of; i < s->count; i++) {
        constraints_is_equality(s->known, i, &of);
        double margin = s->equal[i] ? tolerance_at(s, i, x) - fabs(s->value[i]) : s->value[i];
        if (of == number) least = fmin(least, margin);
    }
    return least;
}

int space_holds(space *s, const double *u)
{
    if (!s->known) return 1;
    domain_to_user(s->box, u, s->x);
    space_values(s, s->x, s->value);
    return space_meets(s, s->x, s->value) < 0;
}

/* The only parameter that a linear constraint is about, if it is an interval; -1: there is none. */
static int only_interval(const space *s, constraint_linear linear)
{
    int only = -1;
    for (int p = 0; linear.weights && p < domain_parameters(s->box); p++) {
        if (linear.weights[p] == 0.0) continue;
        if (only >= 0) return -1;
        only = p;
    }
    return only >= 0 && domain_kind_of(s->box, only).kind == DOMAIN_INTERVAL ? only : -1;
}

void space_to_user(const space *s, const double *u, double *x)
{
    static const double NEAR = 1e-8; /* of the range: more is none of rounding */
    domain_to_user(s->box, u, x);
    for (int i = 0; i < s->count; i++) {
        if (!s->equal[i]) continue;
        constraint_linear linear = constraints_linear(s->known, i);
        int p = only_interval(s, linear);
        if (p < 0) continue;
        double low = s->box->lower[p], high = s->box->upper[p], exact = -linear.constant / linear.weights[p];
        if (exact >= low && exact <= high && fabs(x[p] - exact) <= NEAR * (high - low)) x[p] = exact;
    }
}

/* One row of slopes, from those in the parameters. */
static void slopes_in_cube(const space *s, const double *in_x, const double *along, double *slope)
{
    memset(slope, 0, (size_t)s->box->d * sizeof *slope);
    for (int p = 0; p < domain_parameters(s->box); p++) {
        domain_parameter kind = domain_kind_of(s->box, p);
        if (kind.width == 1) slope[kind.first] = along[kind.first] * in_x[p];
    }
}

void space_slopes(space *s, const double *x, const double *along, double *value, double *slope)
{
    size_t d = (size_t)s->box->d, p = (size_t)domain_parameters(s->box);
    gofh_constraints_differentiate(s->known, x, NULL, 1, value, s->in_x, NULL);
    for (size_t i = 0; i < (size_t)s->count; i++) slopes_in_cube(s, s->in_x + i * p, along, slope + i * d);
}

void space_take_logs(space *s, const double *x, const double *along, double *value, double *slope)
{
    size_t d = (size_t)s->box->d, p = (size_t)domain_parameters(s->box);
    for (int i = 0; i < s->count; i++) {
        s->unit[i] = s->range[i];
        s->within[i] = !s->relative[i] ? s->tolerance[i] : slope ? EQUALITY * size_at(s, i, x) : 0.0;
    }
    if (!s->logs) return;
    constraints_log_ratio(s->known, x, s->ratio, slope ? s->ratio_in_x : NULL);
    for (size_t i = 0; i < (size_t)s->count; i++) {
        if (!(s->log_range[i] > 0.0) || !isfinite(s->ratio[i])) continue;
        value[i] = s->ratio[i];
        s->unit[i] = s->log_range[i];
        s->within[i] = s->equal[i] ? EQUALITY : 0.0;
        if (slope) slopes_in_cube(s, s->ratio_in_x + i * p, along, slope + i * d);
    }
}

int space_margins(const space *s)
{
    return s->count + s->equalities;
}

void space_look(space *s, const double *u, double *margin, double *slope)
{
    int d = s->box->d, row = 0;
    double along[GOFH_MAX_PARAMETERS];
    domain_to_user(s->box, u, s->x);
    domain_slope(s->box, s->x, along);
    space_slopes(s, s->x, along, s->value, s->slope);
    space_take_logs(s, s->x, along, s->value, s->slope);
    for (int i = 0; i < s->count; i++)
        for (int side = 1; side >= (s->equal[i] ? -1 : 1); side -= 2, row++) {
            margin[row] = side * s->value[i] + INSIDE * s->within[i];
            for (int k = 0; k < d; k++) slope[row * d + k] = side * s->slope[i * d + k];
        }
}

/* ---- What is known of them before the search ---- */

/* Widens the ranges from low to high by what is finite of the values. */
static void widen(int count, const double *value, double *low, double *high)
{
    for (int i = 0; i < count; i++)
        if (isfinite(value[i])) {
            low[i] = fmin(low[i], value[i]);
            high[i] = fmax(high[i], value[i]);
        }
}

/* The range of each margin over the box, exact where it is linear, else over some points; and of the
 * logarithm of its sides' ratio where that has a value at all of these. */
static int find_ranges(space *s)
{
    int parameters = domain_parameters(s->box), d = s->box->d, count = s->count;
    double *points = memory_doubles((size_t)SEARCHED * (size_t)d + 4 * (size_t)count);
    if (!points) return -1;
    double *low = points + (size_t)SEARCHED * (size_t)d, *high = low + 2 * count;
    random_stream stream = random_open(1, RANDOM_DESIGN, 0, 2);
    quasi_points(&stream, d, SEARCHED, points);
    for (int i = 0; i < 2 * count; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (int i = 0; i < count; i++) s->log_range[i] = s->logs;
    for (int p = 0; p < SEARCHED; p++) {
        double *u = points + (size_t)p * (size_t)d;
        domain_scatter(s->box, u);
        domain_to_user(s->box, u, s->x);
        space_values(s, s->x, s->value);
        widen(count, s->value, low, high);
        if (!s->logs) continue;
        constraints_log_ratio(s->known, s->x, s->ratio, NULL);
        widen(count, s->ratio, low + count, high + count);
        for (int i = 0; i < count; i++)
            if (!isfinite(s->ratio[i])) s->log_range[i] = 0.0;
    }
    for (int i = 0; i < s->count; i++) {
        constraint_linear linear = constraints_linear(s->known, i);
        double range = 0.0;
        for (int k = 0; linear.weights && k < parameters; k++)
            range += fabs(linear.weights[k]) * (s->box->upper[k] - s->box->lower[k]);
        if (!(range > 0.0)) range = high[i] - low[i];
        s->range[i] = range > 0.0 && isfinite(range) ? range : 1.0;
        s->tolerance[i] = s->equal[i] ? EQUALITY * s->range[i] : 0.0;
        double logs = high[count + i] - low[count + i];
        if (s->log_range[i] > 0.0 && logs > 0.0) s->log_range[i] = logs;
    }
    free(points);
    return 0;
}

static void add_to_bank(space *s, const double *u)
{
    size_t d = (size_t)s->box->d;
    if (s->bank_count == BANK) return;
    memcpy(s->bank + (size_t)s->bank_count++ * d, u, d * sizeof *u);
}

/* Allowed points for the bank: those met by chance, then those that repairs lead to. */
static int fill_bank(space *s)
{
    size_t d = (size_t)s->box->d;
    double *points = memory_doubles(REPAIRED * d);
    if (!points) return -1;
    random_stream stream = random_open(1, RANDOM_DESIGN, 1, 2);
    quasi_points(&stream, s->box->d, REPAIRED, points);
    for (size_t i = 0; i < REPAIRED; i++) domain_scatter(s->box, points + i * d);
    for (size_t i = 0; i < SEARCHED && s->bank_count < BANK; i++)
        if (space_holds(s, points + i * d)) add_to_bank(s, points + i * d);
    for (size_t i = 0; i < REPAIRED && s->bank_count < BANK; i++)
        if (space_approach(s, points + i * d, NULL) == 0) add_to_bank(s, points + i * d);
    free(points);
    /* The rest by a walk from those. */
    size_t found = (size_t)s->bank_count;
    s->bank_found = s->bank_count;
    for (size_t i = 0; found > 0 && s->bank_count < BANK; i++) {
        double u[GOFH_MAX_PARAMETERS];
        memcpy(u, s->bank + (i % found) * d, d * sizeof *u);
        for (int steps = 0; steps < 20; steps++) space_walk(s, &stream, u);
        add_to_bank(s, u);
    }
    return 0;
}

/* Whether linear constraints, each of which can be met, contradict each other: by the simplex method, in
 * the parameters as fractions of their ranges, which discrete ones may leave. */
static int is_proved_empty(space *s)
{
    size_t n = (size_t)domain_parameters(s->box), rows = 0;
    double *a = memory_doubles((size_t)space_margins(s) * (n + 1));
    if (!a) return 0;
    for (int i = 0; i < s->count; i++) {
        constraint_linear linear = constraints_linear(s->known, i);
        if (!linear.weights) continue;
        int band = s->equal[i] || isfinite(linear.half_width);
        double wide = s->equal[i] ? s->tolerance[i] : isfinite(linear.half_width) ? linear.half_width : 0.0;
        for (int side = 1; side >= (band ? -1 : 1) && rows < (size_t)space_margins(s); side -= 2) {
            double *row = a + rows++ * (n + 1);
            row[n] = side * linear.constant + wide;
            for (size_t k = 0; k < n; k++) {
                row[n] += side * linear.weights[k] * s->box->lower[k];
                row[k] = side * linear.weights[k] * (s->box->upper[k] - s->box->lower[k]);
            }
            double unit = 0.0;
            for (size_t k = 0; k <= n; k++) unit = fmax(unit, fabs(row[k]));
            for (size_t k = 0; k <= n && unit > 0.0; k++) row[k] /= unit;
        }
    }
    double violation = 0.0;
    int failed = feasible_least_violation((int)n, (int)rows, a, &violation);
    free(a);
    return !failed && violation > 1e-9;
}

space *space_create(const domain *box, gofh_constraints *known)
{
    space *s = memory_new(1, sizeof *s);
    if (!s) return NULL;
    s->box = box;
    s->known = known;
    s->count = gofh_constraints_margins(known);
    size_t d = (size_t)box->d, p = (size_t)domain_parameters(box), k = (size_t)s->count;
    for (size_t i = 0; i < d; i++) s->continuous += !(box->is_discrete && box->is_discrete[i]);
    s->equal = memory_new(2 * k, 1);
    s->block = memory_doubles(p + 10 * k + 2 * k * p + k * d + k * k + BANK * d);
    s->active = memory_new(2 * k, sizeof *s->active);
    if (!s->equal || !s->block || !s->active) {
        space_free(s);
        return NULL;
    }
    s->x = s->block;
    s->value = s->x + p;
    s->range = s->value + k;
    s->tolerance = s->range + k;
    s->log_range = s->tolerance + k;
    s->unit = s->log_range + k;
    s->within = s->unit + k;
    s->ratio = s->within + k;
    s->spare = s->ratio + k;
    s->step = s->spare + k;
    s->wanted = s->step + k;
    s->in_x = s->wanted + k;
    s->ratio_in_x = s->in_x + k * p;
    s->slope = s->ratio_in_x + k * p;
    s->gram = s->slope + k * d;
    s->bank = s->gram + k * k;
    s->relative = s->equal + k;
    s->seen = s->active + k;
    for (int i = 0, number; i < s->count; i++) {
        s->equal[i] = (unsigned char)constraints_is_equality(known, i, &number);
        s->equalities += s->equal[i];
        s->relative[i] = s->equal[i] && constraints_is_relative(known, i);
        s->logs |= s->relative[i];
    }
    int failed = known && (find_ranges(s) || fill_bank(s));
    if (!failed) failed = space_list(s);
    if (failed) {
        space_free(s);
        return NULL;
    }
    if (s->list && s->size > 0.0 && s->bank_count == 0) add_to_bank(s, s->list);
    return s;
}

void space_free(space *s)
{
    if (!s) return;
    free(s->equal);
    free(s->active);
    free(s->block);
    free(s->list);
    free(s);
}

int space_is_empty(const space *s, int *proved)
{
    *proved = 0;
    if (!s->known || s->bank_count > 0) return 0;
    *proved = isfinite(s->size) || is_proved_empty((space *)s);
    return 1;
}

double space_share(space *s)
{
    if (!s->known) return 1.0;
    if (isfinite(s->size) && s->continuous == 0 && s->equalities == 0) return s->size / domain_size(s->box);
    size_t d = (size_t)s->box->d;
    double *points = memory_doubles(SHARE_POINTS * d), allowed = 0.0;
    if (!points) return NAN;
    random_stream stream = random_open(1, RANDOM_DESIGN, 2, 2);
    quasi_points(&stream, s->box->d, SHARE_POINTS, points);
    for (size_t i = 0; i < SHARE_POINTS; i++) {
        domain_scatter(s->box, points + i * d);
        domain_to_user(s->box, points + i * d, s->x);
        space_values(s, s->x, s->value);
        int holds = 1;
        for (int c = 0; c < s->count; c++) holds &= s->equal[c] || s->value[c] >= 0.0;
        allowed += holds;
    }
    free(points);
    return allowed / SHARE_POINTS;
}

int space_equalities(const space *s)
{
    return s->equalities;
}

int space_is_cube(const space *s)
{
    return !s->known && s->continuous == s->box->d;
}

int space_has_constraints(const space *s)
{
    return s->known != NULL;
}

int space_continuous(const space *s)
{
    return s->continuous;
}

double space_size(const space *s)
{
    return s->size;
}

const double *space_points(const space *s)
{
    return s->list;
}
