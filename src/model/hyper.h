/* The posterior of the hyperparameters of one output: its logarithm with gradient, and samples of
 * it (section 3 of docs/method.md). The mean is integrated out under a flat prior, and so is the
 * variance of the signal under its conjugate one, except where the noise is known in absolute
 * terms. */
#ifndef MODEL_HYPER_H
#define MODEL_HYPER_H

#include "base/random.h"
#include "model/gp.h"

/* Coordinates of theta at most. */
enum { HYPER_MAX = GOFH_MAX_PARAMETERS + 2 };

typedef enum {
    /* theta = log lengthscales, of choices with places these instead, then logit of the trend's share
     * where there is one */
    HYPER_EXACT,
    HYPER_ESTIMATED, /* ... and log (noise variance / signal variance) */
    HYPER_KNOWN      /* ... and log signal variance; the noise variance is given */
} hyper_noise;

/* See gofh_settings for what they mean. */
typedef struct {
    double lengthscale_median, lengthscale_spread;
    double variance_scale, variance_weight;
    double noise_median, noise_spread; /* log-normal, where noise_rate is 0 */
    /* Above 0: exponential in the logarithm, with this rate from 1e-12 upwards */
    double noise_rate;
    double trend_spread; /* of the logit of the trend's share, around 1/2 */
} hyper_prior;

typedef struct {
    const gp_inputs *inputs;
    gofh_kernel kernel;
    const latent_choices *latent; /* NULL, or choices that have places */
    /* Outputs beyond the first that share theta, each with a mean and a variance of its own */
    int others;
    const double *y; /* 1 + others of n, standardised */
    int trend;       /* whether there is one */
    hyper_noise noise;
    double known_noise; /* variance, standardised */
    /* NULL, or that of each datum, whose mean is the one above. There are no other outputs then. */
    const double *own_noise;
    const hyper_prior *prior;
    /* NULL, or those of the inputs (quick.h): densities without gradient are faster then, where
     * there is no trend, no other output and no place. */
    const double *differences;
    double *work;    /* hyper_work(n, others) doubles */
    double diagonal; /* out: mean of the diagonal of the correlations of the last evaluation */
    /* out, 1 + others: (y - mean)' R^-1 (y - mean) of the last evaluation and what the prior
     * adds */
    double *squares;
} hyper_target;

size_t hyper_work(int n, int others);
int hyper_dimension(const hyper_target *target);
/* The box that theta is kept in. */
void hyper_bounds(const hyper_target *target, double *lower, double *upper);
/* Prior medians, brought into the box. Places start where the means of y at their choices are, in
 * order: all in one place would be a saddle. */
void hyper_start(const hyper_target *target, double *theta);
/* Places at random, as the prior has them, in theta. */
void hyper_scatter_places(const hyper_target *target, random_stream *stream, double *theta);
/* Mean and standard deviation of coordinate k of theta under its prior, where that is normal. */
void hyper_prior_of(const hyper_target *target, int k, double *mean, double *deviation);

/* The log posterior density of theta up to a constant (eq. 9; 29 with others, whose noise may not
 * be known), minus infinity where R can't be factorised. gradient may be NULL; filled in where the
 * density is finite. */
double hyper_log_posterior(hyper_target *target, const double *theta, double *gradient);

/* evidence.c: the logarithm of the integral of that over theta, with the prior normalised, by
 * Laplace's approximation around theta, where it is largest (eq. 30). For noise that is not
 * known. */
double hyper_log_evidence(hyper_target *target, double *theta);

/* slice.c: moves theta by `sweeps` sweeps of slice sampling (Neal 2003), coordinate by coordinate, from
 * where the log density is `value`. Returns that of the new theta, where the posterior was last
 * evaluated. */
double hyper_sample(hyper_target *target, double *theta, double value, int sweeps, random_stream *stream);

/* The first coordinates of theta for inverse lengthscales, and places, as gp_hyper keeps them. */
void hyper_theta_of(const hyper_target *target, const double *kept, double *theta);

/* theta as hyperparameters. The variance of the signal is drawn from its conditional posterior
 * where stream is not NULL; else it is where the density of its logarithm is largest. */
void hyper_resolve(hyper_target *target, const double *theta, random_stream *stream, gp_hyper *hyper);
/* The same where the posterior was last evaluated at theta, to `value`. */
void hyper_resolve_last(hyper_target *target, const double *theta, double value, random_stream *stream,
                        gp_hyper *hyper);
/* The signal variance of one of the outputs that share theta, where the density of its logarithm is
 * largest, as of the last evaluation of the posterior. */
double hyper_variance(const hyper_target *target, int output);

#endif
