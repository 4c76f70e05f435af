/* The best trial. */
#include "base/memory.h"
#include "study/fit.h"
#include "study/fitted.h"
#include "study/predict.h"
#include "study/violation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int study_best_mean(study *st, double *mean, gofh_status *status)
{
    *status = study_fit(st);
    if (*status) return -1;
    int n = st->fitted->data_count, best = -1;
    size_t d = (size_t)st->d;
    double *points = memory_doubles((size_t)n * (d + 1));
    if (!points) {
        *status = GOFH_ERROR_MEMORY;
        return -1;
    }
    double *f = points + (size_t)n * d;
    for (int i = 0; i < n; i++)
        memcpy(points + (size_t)i * d, st->trials.list[st->fitted->data[i]].u, d * sizeof *points);
    *status = study_expect(st, points, n, f);
    for (int i = 0; i < n; i++)
        if (!isnan(st->trials.list[st->fitted->data[i]].f) && (best < 0 || f[i] > f[best])) best = i;
    *mean = f[best]; /* the model is of data with an f among them */
    free(points);
    return *status ? -1 : st->fitted->data[best];
}

int study_best(study *st, gofh_status *status)
{
    int best = -1, done = 0;
    *status = GOFH_OK;
    for (size_t i = 0; i < st->trials.count; i++) {
        if (st->trials.list[i].state != GOFH_TRIAL_DONE || isnan(st->trials.list[i].f)) continue;
        done++;
        if (best < 0 || st->trials.list[i].f > st->trials.list[best].f) best = (int)i;
    }
    if (done > 1 && study_is_given_noisy(st)) {
        double mean;
        int by_mean = study_best_mean(st, &mean, status);
        /* Where the model is sure of none that it is feasible, what was observed decides. */
        if (*status || isfinite(mean)) return by_mean;
    }
    int none_allowed = best >= 0 && st->trials.list[best].f == -INFINITY;
    return none_allowed && st->spec.g->margins > 0 ? violation_least(st, status) : best;
}
