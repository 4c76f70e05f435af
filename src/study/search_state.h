/* What the trials so far say about the search: the incumbent, the range of f, the trust region.
 * Read off the trials anew for each suggestion, so that a resumed study goes on as if nothing had
 * happened. */
#ifndef STUDY_SEARCH_STATE_H
#define STUDY_SEARCH_STATE_H

#include "study/study.h"
#include "study/trust_region.h"

typedef struct {
    int noisy;      /* whether the model found noise in an output */
    int flat;       /* whether several evaluations gave the same outputs and the same f */
    int incumbent;  /* the best trial; while nothing is feasible, the first with a result */
    double best_f;  /* its f, or with noise the posterior mean; minus infinity while nothing is feasible */
    double f_range; /* best_f less the median of the design: the scale of f */
    double basin_range; /* the scale of what basins may differ by: at most f_range */
    double tolerance;   /* of the stop rule, in units of f; 0: there is none */
    int open;           /* trials that have not been answered yet */
    int again;          /* whether there are such, and one of them was suggested from the same data */
    int d;
    const double *open_local; /* the last local step among these; NULL: there is none */
    int forced;               /* whether it is the turn of a forced local step */
    int recently_near;        /* whether one of the last suggestions was near the incumbent */
    trust_region region;
    double *violation; /* one per margin: by how much the last local step violated it; 0: it did not */
    double *f;         /* of each trial, or with noise the posterior mean; NaN where there is none */
} search_state;

/* Closer to the incumbent than this, by points_distance, is near it. */
#define SEARCH_NEAR 0.2
/* Of the range of f: a smaller gain is not worth going away from the incumbent for. */
#define SEARCH_NEGLIGIBLE 1e-4

/* The model must be fitted, without fantasies. To be closed, whatever it returns. */
gofh_status search_state_open(search_state *s, study *st);
void search_state_close(search_state *s);

/* Whether a trial with this f takes the place of the incumbent, whose f is best_f; has: whether
 * there is one. */
int search_replaces_incumbent(int has, double best_f, double f);
/* The best less the median of `count` finite values, which it sorts. 0 where there are none. */
double search_f_range(double best_f, double *values, size_t count);
/* Whether one of the last three trials that were not imported was near the incumbent. */
int search_recently_near(const study *st, int incumbent);

/* Whether so little is expected at a distance that there is no going there. That counts the stop
 * rule in: a few steps that each expect less than its tolerance end the study, though near the
 * incumbent it may expect more. */
int search_is_negligible(const search_state *s, double gain);

#endif
