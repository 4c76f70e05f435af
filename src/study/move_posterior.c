/* The move of a study that is for the posterior of the parameters. */
#include "study/engine.h"

gofh_status propose_posterior(engine *e, proposal *p)
{
    const study_goal *goal = e->st->goal;
    return goal ? goal->propose(e->st, &e->stream, p->u, &p->gain, goal->context) : GOFH_OK;
}
