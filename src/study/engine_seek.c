/* Before anything allowed has been seen, and where the model believes in nothing that is. How likely a point is allowed is then a
 * matter of the model's tails, and largest where least is known; by how much the constraints are violated has a slope all
 * over. */
#include "study/engine.h"
#include "study/success.h"

#include <math.h>
#include <string.h>

/* Of the least violation: where less of it than this is expected to go, it is a local one. */
static const double WORTH_SEEKING = 1e-3;

/* Makes the trial that violates the constraints least the incumbent, at what its violation costs. */
static gofh_status find_least(engine *e, double *least)
{
    const study *st = e->st;
    acquisition *a = st->acquire;
    *least = -INFINITY;
    for (size_t i = 0; i < st->count; i++) {
        const trial *t = &st->trials[i];
        double value = 0.0;
        if (t->state != GOFH_TRIAL_DONE) continue;
        gofh_status status = outer_penalise(st->spec.g, t->y, t->x, 1, a->penalty, &value, NULL, NULL,
                                            a->outer_work);
        if (status) return status;
        if (!(value > *least)) continue;
        *least = value;
        e->best = (int)i;
    }
    for (int s = 0; s < st->mo->samples; s++) a->incumbent[s] = *least;
    return GOFH_OK;
}

/* Under each fantasy an open trial may violate them less: what it is believed to lessen is not sought again beside it. */
static gofh_status believe_open(const study *st)
{
    acquisition *a = st->acquire;
    for (size_t i = 0; i < st->count; i++) {
        if (st->trials[i].state != GOFH_TRIAL_OPEN) continue;
        for (int s = 0; s < st->mo->samples; s++) {
            double value;
            gofh_status status = acquisition_plug_in(a, s, st->trials[i].u, 1, &value, NULL);
            if (status) return status;
            a->incumbent[s] = fmax(a->incumbent[s], value);
        }
    }
    return GOFH_OK;
}

gofh_status engine_seek(engine *e, double *u, double *likely)
{
    acquisition *a = e->st->acquire;
    int samples = e->st->mo->samples;
    double nearer[GOFH_MOST_PARAMETERS], least, lessened = 0.0;
    if (e->st->spec.g->margins == 0) return GOFH_OK;
    gofh_status status = find_least(e, &least);
    if (!status && isfinite(least)) {
        a->seeking = 1;
        status = believe_open(e->st);
        if (!status) status = engine_candidates(e);
        if (!status) status = engine_improve(e, 1.0, 0.0, nearer, &lessened);
        a->seeking = 0;
    }
    for (int s = 0; s < samples; s++) a->incumbent[s] = -INFINITY;
    if (status || !(lessened > WORTH_SEEKING * fabs(least))) return status;
    memcpy(u, nearer, (size_t)e->d * sizeof *u);
    status = acquisition_monte_carlo(a, ACQUIRE_IMPROVEMENT, 0, samples, e->z, e->draws, u, 1, likely, NULL);
    if (!status) success_multiply(e->st, u, 1, likely, NULL);
    return status;
}
