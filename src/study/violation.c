#include "study/violation.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Mean and standard deviation as they come. */
typedef struct {
    double count, mean, squares;
} running_moments;

static void moments_add(running_moments *m, double value)
{
    if (!isfinite(value)) return;
    double rest = value - m->mean;
    m->mean += rest / ++m->count;
    m->squares += rest * (value - m->mean);
}

static double moments_deviation(const running_moments *m)
{
    return m->count > 1.0 ? sqrt(m->squares / m->count) : 0.0;
}

gofh_status violation_scales(study *st, const int *trials, int count, double *scale, double *objective)
{
    const outer *g = st->spec.g;
    running_moments of_g = {0}, *margin = memory_new((size_t)g->margins, sizeof *margin);
    if (!margin) return GOFH_ERROR_MEMORY;
    gofh_status status = GOFH_OK;
    for (int t = 0; t < count && !status; t++) {
        const trial *done = &st->trials.list[trials[t]];
        double value;
        if (objective) {
            status = outer_objective(g, done->y, done->x, 1, &value, NULL, NULL, NULL);
            if (!status) moments_add(&of_g, value);
        }
        if (!status) status = outer_margins(g, done->y, done->x, 1, st->margin);
        for (int i = 0; !status && i < g->margins; i++) moments_add(&margin[i], st->margin[i]);
    }
    if (objective) *objective = moments_deviation(&of_g);
    for (int i = 0; i < g->margins; i++) scale[i] = moments_deviation(&margin[i]);
    free(margin);
    return status;
}

/* A margin that is the same everywhere does not tell trials apart, unless it has no value in
 * some. */
static double violation_of(const double *margin, const double *scale, int margins)
{
    double sum = 0.0;
    for (int i = 0; i < margins; i++) {
        double beyond = fmax(-margin[i], 0.0);
        if (isinf(beyond)) return INFINITY;
        if (scale[i] > 0.0) sum += beyond / scale[i];
    }
    return sum;
}

int violation_least(study *st, gofh_status *status)
{
    const outer *g = st->spec.g;
    int best = -1, count = 0, *done = memory_new(st->trials.count, sizeof *done);
    double least = INFINITY, *scale = memory_doubles((size_t)g->margins);
    *status = done && scale ? GOFH_OK : GOFH_ERROR_MEMORY;
    for (size_t i = 0; !*status && i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_DONE && !isnan(st->trials.list[i].f))
            done[count++] = (int)i;
    if (!*status) *status = violation_scales(st, done, count, scale, NULL);
    for (int i = 0; i < count && !*status; i++) {
        const trial *t = &st->trials.list[done[i]];
        *status = outer_margins(g, t->y, t->x, 1, st->margin);
        double violation = violation_of(st->margin, scale, g->margins);
        if (best >= 0 && !(violation < least)) continue;
        best = done[i];
        least = violation;
    }
    free(done);
    free(scale);
    return *status ? -1 : best;
}
