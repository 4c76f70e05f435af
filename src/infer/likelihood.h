/* The likelihood of data under the model of h, its own uncertainty included (docs/posterior.md):
 * the data are normal around the posterior mean of h(x), with the covariance of their noise plus K_n(x). */
#ifndef INFER_LIKELIHOOD_H
#define INFER_LIKELIHOOD_H

#include "base/random.h"
#include "infer/prior.h"
#include "study/study.h"

/* The same, made ready for a model whose outputs have one kernel (separable.c). */
typedef struct {
    int data;      /* of the model that it was made for; 0: there is none */
    double *value; /* count: eigenvalues of the emulator's covariance over v(x), in units of the noise */
    double *start; /* count: coordinates of the residuals where all correlations with the data are 0 */
    double *slope; /* data x count: how much less they are for each of these */
    double last;   /* the variance of what is beyond the data's directions, over v(x) */
    double units;  /* the log determinant of W^2 */
    double *work;  /* of LIKELIHOOD_CHUNK points */
    double *block;
} separable;

typedef struct {
    int output;
    double value;
    double sigma;  /* the standard deviation of its noise; NaN: not known, */
    int group;     /* then that of all data of this group is the same, */
    double unit;   /* in this unit */
    int logarithm; /* whether the residual is that of logarithms, and sigma one of the logarithm */
    int field;     /* data of one number above 0 have a common discrepancy (Kennedy and O'Hagan), */
    double at;     /* a Gaussian process of this */
} infer_datum;

/* A point of the posterior has a coordinate in (0, 1) for each parameter that is not fixed
 * (coordinates.c); one more for the logarithm of each
 * group's sigma, between bounds that hardly matter; and two for each field's discrepancy, the logarithms of
 * its deviation and of its lengthscale. */
typedef struct {
    study *st;
    const infer_prior *prior; /* d, borrowed */
    infer_datum *data;
    int count, groups, fields, dimension; /* dimension: d + groups + 2 fields */
    /* Of each coordinate of a parameter: which one, and how many values it has; 0: an interval */
    int d, discrete, parameter[GOFH_MAX_PARAMETERS], cells[GOFH_MAX_PARAMETERS];
    double *log_weight[GOFH_MAX_PARAMETERS]; /* of these values by the prior; NULL: they are all alike */
    int held, held_value;                    /* a coordinate that has this value whatever it is; -1: none */
    int all;    /* data that the user has: more than count where the study is reduced, then */
    int beyond; /* so many directions of them have no residual at all */
    double *sigma_low, *sigma_high; /* groups + 2 fields: the range of what the coordinates beyond d are */
    int emulator;                   /* whether K_n(x) counts */
    int dense;           /* whether the covariance is made as it is, not kept as diagonal and low rank */
    double *correlation; /* of the data's outputs, count x count; NULL: not needed */
    double *work;
    size_t predict_size;
    separable one_kernel;
    /* Above 0: there are no data, and the log likelihood is this times f, by draws of h (draws.c) */
    double factor;
    double *normals, *cube; /* cube: LIKELIHOOD_CHUNK points of it, in work */
} likelihood;

enum { LIKELIHOOD_CHUNK = 100 };

/* The data's output, value, sigma, group and unit are filled in; they are taken over, also on failure.
 * The model must be fitted and entered (predict_enter). GOFH_ERROR_EMPTY: no trial is done. */
gofh_status likelihood_create(likelihood *l, study *st, const infer_prior *prior, infer_datum *data,
                              int count, int groups);
/* draws.c: the likelihood is exp(factor f), in the sense in which f is maximised. */
gofh_status likelihood_create_draws(likelihood *l, study *st, const infer_prior *prior, double factor);
void likelihood_free(likelihood *l);

/* The log density of the posterior at `points` (points x dimension, within the unit cube), up to a
 * constant; minus infinity where it is not finite. context: the likelihood. */
gofh_status likelihood_density(const double *point, int points, double *value, void *context);
/* slope.c: the same at one point, with its gradient[dimension] in closed form; 0 along discrete coordinates,
 * and where there is no density. Not by draws. */
gofh_status likelihood_gradient(likelihood *l, const double *point, double *value, double *gradient);
/* The squared residuals of a point over their covariance. */
double likelihood_misfit(likelihood *l, const double *point);
/* The sigma of a group at a point; beyond the groups, the deviation and the lengthscale of each field. */
double likelihood_sigma(const likelihood *l, int group, const double *point);

/* One point under sample s of the hyperparameters: residuals, variances of the noise, deviations of the
 * emulator (room for count + 1 each, as the functions below want them). Returns 0 where there is no
 * density. */
int likelihood_parts(likelihood *l, const double *point, int s, double *residual, double *noise,
                     double *spread);
/* -2 log density of such a residual, up to a constant, in two parts: the misfit and *log_determinant. NaN
 * where the covariance can't be factored. */
double likelihood_normal(likelihood *l, const double *point, const double *residual, const double *noise,
                         const double *spread, double *log_determinant);

/* separable.c: makes l->one_kernel, where that can be; frees it; the log likelihoods of at most
 * LIKELIHOOD_CHUNK points, whose places in the study's cube are given (points x d), with the prior of
 * sigma. Returns 0 where the model is not one that it was made for. */
gofh_status separable_create(likelihood *l);
void separable_free(likelihood *l);
int separable_density(const likelihood *l, const double *point, const double *cube, int points,
                      double *value);

/* The log density of the prior of unknown sigmas, given the deviations of the emulator. */
double likelihood_sigma_prior(const likelihood *l, const double *point, const double *spread);

/* coordinates.c: the point of the study's cube, and the user's parameters; the log density of the
 * prior, minus infinity where a known constraint is broken; a draw of it. */
gofh_status likelihood_place(likelihood *l);
void likelihood_forget(likelihood *l);
/* Which value discrete coordinate k has, where it is `at`. */
int likelihood_value(const likelihood *l, int k, double at);
void likelihood_cube(const likelihood *l, const double *point, double *u);
void likelihood_to_user(const likelihood *l, const double *point, double *x);
double likelihood_log_prior(const likelihood *l, const double *point);
void likelihood_draw_prior(const likelihood *l, random_stream *stream, double *point);

/* draws.c: without the prior, at most LIKELIHOOD_CHUNK points. */
gofh_status likelihood_draw_density(likelihood *l, const double *point, int points, double *value);

/* basins.c: a normal density around a mode. */
typedef struct {
    double *centre, *factor; /* dimension; its lower factor, by columns: dimension x dimension */
    double log_scale;        /* sum of the logarithms of the factor's diagonal */
} infer_basin;

/* The modes that are found from the best trials; at most `room`. Returns how many, or -1 when there is no
 * memory. *block is to be freed. */
int likelihood_basins(likelihood *l, int room, infer_basin *basin, double **block);

#endif
