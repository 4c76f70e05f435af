/* The move before anything feasible has been seen, where the model believes in nothing that is. The
 * probability of being feasible is then a matter of the model's tails, and largest where least is
 * known; the violation has a slope all over. */
#include "base/memory.h"
#include "study/engine.h"

#include <math.h>
#include <stdlib.h>

/* Below it the probability of being feasible says little of where to look. */
static const double LIKELY = 0.1;
/* Of the least violation: where a smaller decrease of it is expected, it is a local minimum. */
static const double WORTH_SEEKING = 1e-3;

/* The trial that violates the constraints least, and minus the penalty of that. */
static gofh_status find_least_violation(const study *st, int *least, double *value)
{
    acquisition *a = st->fitted->acquire;
    *value = -INFINITY;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        double penalised = 0.0;
        if (t->state != GOFH_TRIAL_DONE || isnan(t->f)) continue;
        gofh_status status = outer_penalise(st->spec.g, t->y, t->x, 1, a->penalty, &penalised, NULL, NULL,
                                            a->outer_work);
        if (status) return status;
        if (!(penalised > *value)) continue;
        *value = penalised;
        *least = (int)i;
    }
    return GOFH_OK;
}

/* Under each fantasy an open trial may violate them less: what it is assumed to decrease is not
 * sought again beside it. */
static gofh_status raise_by_open_trials(const study *st, double *incumbent)
{
    for (size_t i = 0; i < st->trials.count; i++) {
        if (st->trials.list[i].state != GOFH_TRIAL_OPEN) continue;
        for (int s = 0; s < st->fitted->mo->samples; s++) {
            double value;
            gofh_status status = acquisition_plug_in(st->fitted->acquire, ACQUIRE_VIOLATION, s,
                                                     st->trials.list[i].u, 1, &value, NULL);
            if (status) return status;
            incumbent[s] = fmax(incumbent[s], value);
        }
    }
    return GOFH_OK;
}

/* The largest expected decrease of the violation below that of trial `least`. */
static gofh_status seek(engine *e, int least, double value, double *incumbent, double *u, double *decrease)
{
    study *st = e->st;
    for (int s = 0; s < st->fitted->mo->samples; s++) incumbent[s] = value;
    gofh_status status = raise_by_open_trials(st, incumbent);
    improvement_search search = {.goal = {.subject = ACQUIRE_VIOLATION, .incumbent = incumbent},
                                 .centre = st->trials.list[least].u,
                                 .inflation = 1.0};
    if (!status) status = engine_make_candidates(e, ACQUIRE_VIOLATION, search.centre);
    return status ? status : engine_maximise_improvement(e, &search, u, decrease);
}

gofh_status propose_feasibility(engine *e, proposal *p)
{
    study *st = e->st;
    int least = 0;
    double value, decrease = 0.0;
    if (e->state.best_f != -INFINITY || st->spec.g->margins == 0) return GOFH_OK;
    const proposal *improve = engine_proposal(e, propose_improve);
    if (!improve) return e->status;
    if (!(improve->feasible < LIKELY)) return GOFH_OK;
    gofh_status status = find_least_violation(st, &least, &value);
    if (status || !isfinite(value)) return status;
    double *incumbent = memory_doubles((size_t)st->fitted->mo->samples);
    status = incumbent ? seek(e, least, value, incumbent, p->u, &decrease) : GOFH_ERROR_MEMORY;
    free(incumbent);
    if (!status && decrease > WORTH_SEEKING * fabs(value)) p->gain = NAN; /* nothing feasible to gain on */
    return status;
}
