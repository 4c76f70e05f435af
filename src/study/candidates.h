/* Points worth a look when an acquisition is to be maximised, and starts chosen among them. */
#ifndef STUDY_CANDIDATES_H
#define STUDY_CANDIDATES_H

#include "study/study.h"

enum {
    CANDIDATES_WIDE = 512,
    CANDIDATES_NEAR = 64, /* half around the incumbent, half around the best of the good ones */
    CANDIDATES_GOOD = 6,  /* local maximisers of g of the posterior mean */
    CANDIDATES = CANDIDATES_WIDE + CANDIDATES_NEAR + CANDIDATES_GOOD,
    STARTS = 8
};

/* How far starts of a search are from each other, along a coordinate. */
#define CANDIDATES_APART 0.05

typedef struct {
    double *points; /* CANDIDATES x d */
    double *value;  /* CANDIDATES */
    double *best;   /* d: the incumbent */
    double *start;  /* STARTS x d */
    double *start_value;
    double *step; /* STARTS: a length that suits the surroundings of each */
    int starts;
    double *block;
} candidates;

/* Scrambled Sobol' points of the whole cube, local maximisers of g of the posterior mean, found from the best
 * of those, and perturbations on scales from 1e-6 to 0.3 of the incumbent and of the best such maximiser. Their
 * acquisition values are left to fill in. The model must be fitted. */
gofh_status candidates_make(candidates *c, study *st, uint64_t key);
void candidates_free(candidates *c);
/* The best by value: half of the starts of all, half of those away from the incumbent. None for values that are
 * all minus infinity. */
void candidates_choose(candidates *c, const study *st);
/* The indices of the best `count` of q points (q x d) by value, each at least `apart` from those before it; returns how
 * many there are. */
int candidates_best_apart(const study *st, const double *points, const double *value, int q, double apart,
                          int count, int *chosen);

/* g of the posterior mean under one hyperparameter sample as an objective of a search, with its context. */
typedef struct {
    study *st;
    int sample;
    gofh_status status;
} plug_in;

int candidates_plug_in(const double *x, int count, double *value, double *gradient, void *context);
/* Local maximisers of that, from the incumbent and the best of q points with these values: CANDIDATES_GOOD x d, the best
 * first. */
gofh_status candidates_polish(plug_in *o, const double *incumbent, const double *points, const double *value,
                              int q, int iterations, double *good);

/* Index of the best candidate that is not a point already tried; 0 if all are. */
int candidates_best(const candidates *c, const study *st);
/* Largest distance along a coordinate to the nearest trial, open and failed ones included. */
double candidates_distance(const study *st, const double *u);
/* The largest distance along a coordinate between two points. */
double candidates_reach(int d, const double *a, const double *b);

#endif
