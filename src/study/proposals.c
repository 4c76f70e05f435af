#include "study/engine.h"
#include "study/points.h"

#include <math.h>

const proposal *engine_add_proposal(engine *e, engine_propose propose, const proposal *made)
{
    int at = e->proposal_count++;
    e->proposed_by[at] = propose;
    e->proposals[at] = *made;
    return &e->proposals[at];
}

const proposal *engine_proposal(engine *e, engine_propose propose)
{
    for (int i = 0; i < e->proposal_count; i++)
        if (e->proposed_by[i] == propose) return &e->proposals[i];
    proposal p = {.gain = -INFINITY, .deviation = INFINITY, .feasible = NAN};
    e->status = propose(e, &p);
    if (e->status) return NULL;
    p.step = points_reach(e->d, p.u, e->st->trials.list[e->state.incumbent].u);
    /* Only now: a move may have asked for the proposals of others meanwhile. */
    return engine_add_proposal(e, propose, &p);
}
