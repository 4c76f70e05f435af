/* The method "gofh": expected improvement where it is worth it, an exact local step where it is not, a far step where
 * neither is (section 8 of docs/method.md). What the method remembers it reads off the trials, so that a resumed study goes
 * on as if nothing had happened. */
#ifndef STUDY_ENGINE_H
#define STUDY_ENGINE_H

#include "study/candidates.h"

enum {
    ENGINE_WIDE = 256,             /* snapped Sobol' points */
    ENGINE_NEAR = 64,              /* perturbations of the incumbent */
    ENGINE_GOOD = CANDIDATES_GOOD, /* polished maximisers of g of the posterior mean */
    ENGINE_POINTS = ENGINE_WIDE + ENGINE_NEAR + 2 * ENGINE_GOOD, /* and perturbations of those */
    ENGINE_FEW = 48, /* of the best of those some are climbed from */
    ENGINE_SCREENED = 2048 + ENGINE_WIDE + ENGINE_NEAR,
    ENGINE_DRAWS = 512, /* normals, of which the first are screened and climbed with */
    ENGINE_CLIMB_DRAWS = 128,
    ENGINE_FANTASY_PART = 4 /* of the draws that each fantasy of the open trials gets */
};

/* Points and what is known of them: the posterior there, and what they are worth. */
typedef struct {
    int count;
    double *points;           /* count x d */
    double *mean, *deviation; /* count x outputs */
    double *value;            /* count */
} engine_pool;

typedef struct {
    study *st;
    uint64_t key;
    int d, noisy;
    int draws, climb_draws; /* for each fantasy */
    int margins;            /* of the constraints, and one more where failures are modelled: P >= 1/2 */
    int best;               /* the trial that is the incumbent */
    double best_f;          /* its f, or with noise the posterior mean of it */
    double spread;          /* best_f less the median of the design: the scale of f */
    double radius;          /* of the trust region, along each coordinate */
    int trusted;            /* whether the last local step gave what it promised */
    int blocked;            /* suggestions for which no local step is made */
    int step;               /* suggestions made so far beyond the design */
    int awake;              /* whether it is the turn of a local step, however little it promises */
    int missed;             /* local steps one after another that broke a constraint */
    int crashed;            /* local steps one after another that failed */
    double *shortfall;      /* a margin: by how much the last of those did; 0 after one that did not */
    random_stream stream;
    double *f;                 /* of each trial, or with noise the posterior mean; NaN where there is none */
    double *z;                 /* ENGINE_DRAWS x outputs */
    engine_pool all;           /* ENGINE_POINTS candidates */
    engine_pool few;           /* those of them that may be worth something, in the end the best first */
    double *wide, *wide_value; /* ENGINE_SCREENED x d, and g of the posterior mean there */
    int screened;              /* how many of them are used */
} engine;

/* engine_improve.c: fills the pool of all with the candidates, the polished ones (ENGINE_GOOD, the best first) from index
 * ENGINE_WIDE + ENGINE_NEAR on. */
gofh_status engine_candidates(engine *e);
/* The maximiser of the expected improvement, and what is expected there. spread: a factor on the posterior deviations for the
 * choice, not for what is expected; apart: candidates nearer to the incumbent are left out. */
gofh_status engine_improve(engine *e, double spread, double apart, double *u, double *improvement);
/* The largest expected improvement among the candidates at least `apart` from the incumbent. */
gofh_status engine_screen(engine *e, double spread, double apart, double *most);
/* The best maximiser of g of the posterior mean from many starts, and what it gains on the incumbent. */
gofh_status engine_polish(engine *e, double *u, double *gain);

/* engine_local.c: the best point of the corrected model in the trust region, what it gains, and the standard deviation of f
 * there. gain is minus infinity where there is no such model. */
gofh_status engine_local(engine *e, double *u, double *gain, double *deviation);

/* engine_constrained.c: from u and from the incumbent, the best point of the corrected model between the bounds where all
 * constraints hold, its value (minus infinity: none was found), and what violating each margin by 1 is worth there. */
gofh_status engine_constrained(const engine *e, const acquisition_correction *correction, const double *lower,
                               const double *upper, double *u, double *value, double *price);

/* engine_seek.c: where nothing allowed has been seen, the point that is expected to lessen the violation of the constraints most,
 * and how likely it is allowed. Both are left alone where no such point is worth it. */
gofh_status engine_seek(engine *e, double *u, double *likely);

/* Euclidean. */
double engine_distance(int d, const double *a, const double *b);

#endif
