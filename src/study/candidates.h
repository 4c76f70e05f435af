/* Points to look at when an acquisition is to be maximised, and starts of searches chosen among
 * them. */
#ifndef STUDY_CANDIDATES_H
#define STUDY_CANDIDATES_H

#include "study/fitted.h"

enum { CANDIDATES_POLISHED = 6, STARTS = 8 };

/* How far starts of a search are from each other, along a coordinate. */
#define CANDIDATES_APART 0.05

/* What they are made of. */
typedef struct {
    int wide;            /* scrambled Sobol' points of the whole cube */
    int snapped;         /* whether coordinates of half of those are snapped to bounds */
    int near;            /* perturbations of the incumbent, on scales from 1e-6 to 0.3 */
    int near_polished;   /* whether every second of those is of the best polished point instead */
    int beside_polished; /* whether each polished point has a perturbation of 1e-3 beside it */
    int screened;        /* more points like the wide ones, looked at only for where to polish from */
    int polished;        /* local maximisers of g of the posterior mean, CANDIDATES_POLISHED at most */
    int beside;          /* whether in mixed spaces they are looked for beside the incumbent's values too */
    int iterations;      /* of the polish */
} candidates_recipe;

/* Of the paper's methods, and of the recommendation. */
extern const candidates_recipe CANDIDATES_PLAIN;

typedef struct {
    candidates_recipe recipe;
    int count;
    double *points;   /* count x d: wide, near, polished (the best first), beside the polished */
    double *value;    /* count: to be filled in */
    double *polished; /* those among the points */
    double reached[CANDIDATES_POLISHED]; /* g of the posterior mean at the polished */
    double *incumbent;
    int screened;                  /* points at which g of the posterior mean was evaluated */
    double *screen, *screen_value; /* screened x d, screened */
    double *start;                 /* STARTS x d */
    double *step;                  /* STARTS: a length that suits the surroundings of each */
    int starts;
    double *block;
} candidates;

gofh_status candidates_open(candidates *c, const study *st, const candidates_recipe *recipe);
void candidates_free(candidates *c);

/* g of the posterior mean under one hyperparameter sample as an objective of a search, with its
 * context. */
typedef struct {
    study *st;
    acquire_subject subject;
    int sample;
    gofh_status status;
} plug_in;

int candidates_plug_in(const double *x, int count, double *value, double *gradient, void *context);

/* Makes the candidates around the incumbent (d; NULL: the first of the wide points is taken for
 * it), with local maximisers of g of the posterior mean. The model must be fitted. */
gofh_status candidates_fill(candidates *c, plug_in *o, const double *incumbent, random_stream *stream);
/* Both at once, by the plain recipe, for a suggestion of the paper's methods. */
gofh_status candidates_make(candidates *c, study *st, uint64_t key);

/* The best by value: half of the starts of all, half of those away from the incumbent. None for
 * values that are all minus infinity. */
void candidates_choose(candidates *c, const study *st);
/* The indices of the best `count` of q points (q x d) by value, each at least `apart` from those
 * before it; returns how many there are. */
int candidates_best_apart(int d, const double *points, const double *value, int q, double apart, int count,
                          int *chosen);
/* Index of the best candidate that is not a point already tried; 0 if all are. */
int candidates_best(const candidates *c, const study *st);

#endif
