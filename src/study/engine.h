/* The method "gofh": a table of moves, of which the first acceptable one is made (section 8 of
 * docs/method.md). */
#ifndef STUDY_ENGINE_H
#define STUDY_ENGINE_H

#include "study/candidates.h"
#include "study/methods.h"
#include "study/search_state.h"

enum {
    ENGINE_DRAWS = 512, /* normals, of which the first are screened and climbed with */
    ENGINE_CLIMB_DRAWS = 128,
    ENGINE_FANTASY_PART = 8, /* of the draws that each fantasy of the open trials gets */
    PROPOSALS_MAX = 17       /* at least as many as there are rows in the table */
};

/* By points_reach: nearer points of exact outputs differ by less than the nugget, the root of which is
 * 1e-6. */
#define ENGINE_SEPARATION 1e-6

/* Of more outputs the posterior of candidates is not kept, and g of the mean is screened at fewer points. */
enum { ENGINE_OUTPUTS_KEPT = 20000 };

/* Points with their posterior and their value by some goal. */
typedef struct {
    int count;
    double *points;           /* count x d */
    double *mean, *deviation; /* count x outputs; mean is NULL where they are not kept */
    double *value;            /* count */
} engine_pool;

typedef struct engine engine;

/* A move fills in a proposal, whose gain is minus infinity as long as it has none to make. */
typedef gofh_status (*engine_propose)(engine *e, proposal *p);

struct engine {
    study *st;
    int d;
    search_state state;
    int margins;            /* of the constraints, and one more where failures are modelled: P >= 1/2 */
    int known;              /* margins of the known constraints, after those */
    int directions;         /* from the incumbent, with the discrete parameters held */
    int draws, climb_draws; /* for each fantasy */
    random_stream stream;
    double *z;                                 /* at most ENGINE_DRAWS x outputs */
    candidates all;                            /* the points that the expected improvement is screened at */
    double *room;                              /* of the pools */
    engine_pool pool;                          /* the same points, with their posterior */
    engine_pool short_list;                    /* those of them that may have an expected improvement */
    proposal proposals[PROPOSALS_MAX];         /* those that have been made, */
    engine_propose proposed_by[PROPOSALS_MAX]; /* and the moves that made them */
    int proposal_count;
    gofh_status status; /* of the first proposal that could not be made */
};

/* proposals.c: the proposal of this move, made once and shared. NULL where making it failed: e->status says
 * why. */
const proposal *engine_proposal(engine *e, engine_propose propose);
/* One that has been made before. */
const proposal *engine_add_proposal(engine *e, engine_propose propose, const proposal *made);

/* move_improve.c: the maximiser of the expected improvement; while nothing is feasible, of the
 * probability of being so. */
gofh_status propose_improve(engine *e, proposal *p);
/* The same at a distance from the incumbent, if the maximiser is near it and one of the last
 * suggestions was too. */
gofh_status propose_diversify(engine *e, proposal *p);
/* The same far from the incumbent, trusting the model less and less until an improvement is
 * expected somewhere. */
gofh_status propose_restart(engine *e, proposal *p);
/* The factor of the augmented expected improvement (Huang et al. 2006) of an evaluation at u, among draws
 * that are feasible: what it shows is f with noise, and where f is known better than that already, hardly
 * anything is learned. 1 where no draw is feasible. */
gofh_status engine_augment(engine *e, const double *u, double *factor);
/* Every third suggestion: to the choices that have been tried least, while these are few. */
gofh_status propose_other_choice(engine *e, proposal *p);
/* move_feasibility.c: while nothing is feasible nor likely to be, the largest expected decrease of
 * the violation. */
gofh_status propose_feasibility(engine *e, proposal *p);
/* move_local.c: the maximiser of the corrected model in the trust region. */
gofh_status propose_local(engine *e, proposal *p);
/* The d nearest trials whose directions from the incumbent are in general position, the nearest
 * first, and what is new of each direction, d unit vectors. Returns how many there are. */
int local_choose_neighbours(const engine *e, int *neighbour, double basis[][GOFH_MAX_PARAMETERS]);
/* move_geometry.c: where next to nothing is expected and the incumbent's neighbours can't tell a
 * slope, a step that can: off a bound that they share, or along what only the farthest tells. */
gofh_status propose_geometry(engine *e, proposal *p);
/* Whether the centre is on a bound of coordinate k and no trial near it tells a slope along k. */
int geometry_is_degenerate(const study *st, const double *centre, int k);
/* move_beside.c: while a local step has not been answered, a point beside it along a direction that no
 * trial near it tells a slope of. */
gofh_status propose_slope(engine *e, proposal *p);
/* While trials are open: the best of the candidates at a distance from the incumbent and from them. */
gofh_status propose_spread(engine *e, proposal *p);
/* move_exploit.c: the maximiser of g of the posterior mean, from many starts. */
gofh_status propose_exploit(engine *e, proposal *p);
/* The maximiser of the posterior mean of f, again and again: with noise that is worth its
 * evaluations. */
gofh_status propose_replicate(engine *e, proposal *p);
/* move_posterior.c: where a run tells most of what the study is for, where that is not the best f. */
gofh_status propose_posterior(engine *e, proposal *p);
/* Anywhere, where all evaluations so far gave the same. */
gofh_status propose_anywhere(engine *e, proposal *p);

/* expected_improvement.c: how its maximiser is searched for. */
typedef struct {
    acquire_goal goal;    /* subject and incumbents */
    const double *centre; /* the incumbent's point */
    double inflation;     /* a factor on the posterior deviations, for the choice, not for what is expected */
    double apart;         /* candidates nearer to the centre are left out */
} improvement_search;

/* Makes the candidates, with their posterior. */
gofh_status engine_make_candidates(engine *e, acquire_subject subject, const double *centre);
/* The maximiser u, and the expected improvement there without inflation. */
gofh_status engine_maximise_improvement(engine *e, const improvement_search *ask, double *u,
                                        double *improvement);
/* The wide candidate that is at least `apart` from all open trials too, with the largest expected
 * improvement under one fantasy and with inflation; -1: there is none. */
gofh_status engine_screen_apart(engine *e, const improvement_search *ask, int *best, double *largest);
/* The largest expected improvement among the wide candidates, with inflation. */
gofh_status engine_screen_improvement(engine *e, const improvement_search *ask, double *largest);

/* local_constrained.c: from u and from the incumbent, the best point of the corrected model between
 * the bounds where all constraints hold, its value (minus infinity: none was found), and the
 * multiplier of each margin there. */
gofh_status engine_maximise_constrained(const engine *e, const acquisition_correction *correction,
                                        const double *lower, const double *upper, double *u, double *value,
                                        double *multiplier);

#endif
