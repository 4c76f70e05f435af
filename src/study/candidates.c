#include "study/candidates.h"

#include "base/memory.h"
#include "base/quasi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Closer than this along every coordinate is the same point. */
static const double SAME_POINT = 1e-12;

static double distance(int d, const double *a, const double *b)
{
    double largest = 0.0;
    for (int k = 0; k < d; k++) largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

double candidates_distance(const study *st, const double *u)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < st->count; i++)
        if (st->trials[i].state != GOFH_TRIAL_FAILED)
            nearest = fmin(nearest, distance(st->d, u, st->trials[i].u));
    return nearest;
}

int candidates_make(candidates *c, study *st, uint64_t key)
{
    size_t d = (size_t)st->d;
    *c = (candidates){.block = memory_doubles(CANDIDATES * (d + 1) + d + STARTS * (d + 2))};
    if (!c->block) return -1;
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
    for (int i = CANDIDATES_WIDE; i < CANDIDATES; i++) {
        double reach = pow(10.0, -6.0 + 5.5 * random_uniform(&stream));
        for (size_t k = 0; k < d; k++) {
            double u = c->best[k] + reach * random_normal(&stream);
            c->points[(size_t)i * d + k] = fmin(fmax(u, 0.0), 1.0);
        }
    }
    return 0;
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
        if (!(c->value[i] > (best < 0 ? -INFINITY : c->value[best])) || distance(st->d, u, c->best) < apart)
            continue;
        int taken = 0;
        for (int s = 0; s < c->starts; s++)
            taken |= distance(st->d, u, c->start + (size_t)s * (size_t)st->d) < SAME_POINT;
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
        double reach = distance(st->d, c->points + (size_t)chosen * d, c->best);
        c->step[c->starts++] = fmin(fmax(0.2 * reach, 1e-9), 0.05);
    }
}

int candidates_best(const candidates *c, const study *st)
{
    int best = 0;
    for (int i = 1; i < CANDIDATES; i++)
        if (c->value[i] > c->value[best] &&
            candidates_distance(st, c->points + (size_t)i * (size_t)st->d) > SAME_POINT)
            best = i;
    return best;
}
