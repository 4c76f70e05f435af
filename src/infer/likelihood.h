/* The likelihood of data under the model of h, its own uncertainty included (docs/posterior.md):
 * the data are normal around the posterior mean of h(x), with the covariance of their noise plus K_n(x). */
#ifndef INFER_LIKELIHOOD_H
#define INFER_LIKELIHOOD_H

#include "infer/prior.h"
#include "study/study.h"

typedef struct {
    int output;
    double value;
    double sigma; /* the standard deviation of its noise; NaN: not known, */
    int group;    /* then that of all data of this group is the same, */
    double unit;  /* in this unit */
} infer_datum;

/* A point of the posterior has d coordinates of the unit cube and one more for the logarithm of each
 * group's sigma, between bounds that hardly matter. */
typedef struct {
    study *st;
    const infer_prior *prior; /* d, borrowed */
    infer_datum *data;
    int count, groups, dimension;   /* dimension: d + groups */
    double *sigma_low, *sigma_high; /* groups */
    int emulator;                   /* whether K_n(x) counts */
    int dense;           /* whether the covariance is made as it is, not kept as diagonal and low rank */
    double *correlation; /* of the data's outputs, count x count; NULL: not needed */
    double *work;
    size_t predict_size;
} likelihood;

enum { LIKELIHOOD_CHUNK = 64 };

/* The data's output, value, sigma, group and unit are filled in; they are taken over, also on failure.
 * The model must be fitted and entered (predict_enter). GOFH_ERROR_EMPTY: no trial is done. */
gofh_status likelihood_create(likelihood *l, study *st, const infer_prior *prior, infer_datum *data,
                              int count, int groups);
void likelihood_free(likelihood *l);

/* The log density of the posterior at `points` (points x dimension, within the unit cube), up to a
 * constant; minus infinity where it is not finite. context: the likelihood. */
gofh_status likelihood_density(const double *point, int points, double *value, void *context);
/* The squared residuals of a point over their covariance. */
double likelihood_misfit(likelihood *l, const double *point);
/* The sigma of a group at a point. */
double likelihood_sigma(const likelihood *l, int group, const double *point);

/* basins.c: a normal density around a mode. */
typedef struct {
    double *centre, *factor; /* dimension; its lower factor, by columns: dimension x dimension */
    double log_scale;        /* sum of the logarithms of the factor's diagonal */
} infer_basin;

/* The modes that are found from the best trials; at most `room`. Returns how many, or -1 when there is no
 * memory. *block is to be freed. */
int likelihood_basins(likelihood *l, int room, infer_basin *basin, double **block);

#endif
