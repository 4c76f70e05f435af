#include "study/candidates.h"

#include "base/memory.h"
#include "base/quasi.h"
#include "base/vector.h"
#include "study/climb.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POLISH_ITERATIONS = 60 };

/* Closer than this along every coordinate is the same point. */
static const double SAME_POINT = 1e-12;

double candidates_reach(int d, const double *a, const double *b)
{
    double largest = 0.0;
    for (int k = 0; k < d; k++) largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

double candidates_distance(const study *st, const double *u)
{
    /* As it would be asked: in a narrow range of large numbers, points that differ here may be one there. */
    double x[GOFH_MOST_PARAMETERS], asked[GOFH_MOST_PARAMETERS], nearest = INFINITY;
    domain_to_user(&st->spec.box, u, x);
    domain_to_unit(&st->spec.box, x, asked);
    for (size_t i = 0; i < st->count; i++)
        nearest = fmin(nearest, candidates_reach(st->d, asked, st->trials[i].u));
    return nearest;
}

int candidates_plug_in(const double *x, int count, double *value, double *gradient, void *context)
{
    plug_in *o = context;
    o->status = acquisition_plug_in(o->st->acquire, o->sample, x, count, value, gradient);
    if (!o->status) success_penalise(o->st, x, count, value, gradient);
    return o->status != GOFH_OK;
}

int candidates_best_apart(const study *st, const double *points, const double *value, int q, double apart,
                          int count, int *chosen)
{
    int found = 0;
    while (found < count) {
        int best = -1;
        for (int i = 0; i < q; i++) {
            if (!(value[i] > (best < 0 ? -INFINITY : value[best]))) continue;
            int near = 0;
            for (int s = 0; s < found; s++)
                near |= candidates_reach(st->d, points + (size_t)i * (size_t)st->d,
                                         points + (size_t)chosen[s] * (size_t)st->d) < apart;
            if (!near) best = i;
        }
        if (best < 0) break;
        chosen[found++] = best;
    }
    return found;
}

gofh_status candidates_polish(plug_in *o, const double *incumbent, const double *points, const double *value,
                              int q, int iterations, double *good)
{
    size_t d = (size_t)o->st->d;
    int chosen[CANDIDATES_GOOD - 1];
    double reached[CANDIDATES_GOOD];
    int found = candidates_best_apart(o->st, points, value, q, CANDIDATES_APART, CANDIDATES_GOOD - 1, chosen);
    for (int i = 0; i < CANDIDATES_GOOD; i++)
        memcpy(good + (size_t)i * d, i && i <= found ? points + (size_t)chosen[i - 1] * d : incumbent,
               d * sizeof *good);
    gofh_status status = climb_cube(candidates_plug_in, o, &o->status, iterations, CANDIDATES_GOOD, o->st->d,
                                    good, reached);
    if (status) return status;
    double *best = good + (size_t)vector_largest(reached, CANDIDATES_GOOD) * d;
    for (size_t k = 0; k < d; k++) {
        double kept = good[k];
        good[k] = best[k];
        best[k] = kept;
    }
    return GOFH_OK;
}

/* The best of the wide candidates and the incumbent, polished into `good`. */
static gofh_status polish(candidates *c, study *st, uint64_t key, double *good)
{
    plug_in o = {.st = st, .sample = (int)(key % (uint64_t)st->samples)};
    if (candidates_plug_in(c->points, CANDIDATES_WIDE, c->value, NULL, &o)) return o.status;
    return candidates_polish(&o, c->best, c->points, c->value, CANDIDATES_WIDE, POLISH_ITERATIONS, good);
}

gofh_status candidates_make(candidates *c, study *st, uint64_t key)
{
    size_t d = (size_t)st->d;
    *c = (candidates){.block = memory_doubles(CANDIDATES * (d + 1) + d + STARTS * (d + 2))};
    if (!c->block) return GOFH_ERROR_MEMORY;
    c->points = c->block;
    c->value = c->points + CANDIDATES * d;
    c->best = c->value + CANDIDATES;
    c->start = c->best + d;
    c->start_value = c->start + STARTS * d;
    c->step = c->start_value + STARTS;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_CANDIDATES, key, 0);
    quasi_points(&stream, st->d, CANDIDATES_WIDE, c->points);
    gofh_status status;
    int best = study_best(st, &status);
    memcpy(c->best, best < 0 ? c->points : st->trials[best].u, d * sizeof *c->best);
    double *good = c->points + (size_t)(CANDIDATES_WIDE + CANDIDATES_NEAR) * d;
    if (!status) status = polish(c, st, key, good);
    for (int i = CANDIDATES_WIDE; i < CANDIDATES_WIDE + CANDIDATES_NEAR; i++) {
        const double *centre = i % 2 ? good : c->best;
        double reach = pow(10.0, -6.0 + 5.5 * random_uniform(&stream));
        for (size_t k = 0; k < d; k++) {
            double u = centre[k] + reach * random_normal(&stream);
            c->points[(size_t)i * d + k] = fmin(fmax(u, 0.0), 1.0);
        }
    }
    if (status) candidates_free(c);
    return status;
}

void candidates_free(candidates *c)
{
    free(c->block);
}

/* The best candidate at least `apart` from the incumbent that is not a start yet, or -1. */
static int next_start(const candidates *c, const study *st, double apart)
{
    int best = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        const double *u = c->points + (size_t)i * (size_t)st->d;
        if (!(c->value[i] > (best < 0 ? -INFINITY : c->value[best])) ||
            candidates_reach(st->d, u, c->best) < apart)
            continue;
        int taken = 0;
        for (int s = 0; s < c->starts; s++)
            taken |= candidates_reach(st->d, u, c->start + (size_t)s * (size_t)st->d) < SAME_POINT;
        if (!taken) best = i;
    }
    return best;
}

void candidates_choose(candidates *c, const study *st)
{
    size_t d = (size_t)st->d;
    c->starts = 0;
    for (int i = 0; i < STARTS; i++) {
        int chosen = next_start(c, st, i < STARTS / 2 ? 0.0 : 0.1);
        if (chosen < 0) continue;
        memcpy(c->start + (size_t)c->starts * d, c->points + (size_t)chosen * d, d * sizeof *c->start);
        c->start_value[c->starts] = c->value[chosen];
        double reach = candidates_reach(st->d, c->points + (size_t)chosen * d, c->best);
        c->step[c->starts++] = fmin(fmax(0.2 * reach, 1e-9), 0.05);
    }
}

int candidates_best(const candidates *c, const study *st)
{
    int best = -1;
    for (int i = 0; i < CANDIDATES; i++)
        if ((best < 0 || c->value[i] > c->value[best]) &&
            candidates_distance(st, c->points + (size_t)i * (size_t)st->d) > SAME_POINT)
            best = i;
    return best < 0 ? 0 : best;
}
