/* The posterior of the parameters: samples of it and what they say (docs/posterior.md). */
#ifndef INFER_POSTERIOR_H
#define INFER_POSTERIOR_H

#include "infer/sampler.h"
#include "infer/values.h"

typedef struct {
    int d, sigmas;      /* parameters; unknown sigmas, then the deviations of discrepancies */
    int groups;         /* unknown sigmas alone */
    int samples;        /* rows of x and sigma */
    double *x;          /* samples x d, in the user's units */
    double *sigma;      /* samples x sigmas */
    int steps, walkers; /* of the sampler, all populations together */
    int temperatures;
    double accepted;
    /* d each, in the user's units */
    double *best, *mean, *deviation, *lower, *median, *upper;
    double *exact_mean, *exact_deviation;    /* if the emulator were its mean */
    double *share;                           /* of the variance that is the emulator's */
    double *rhat, *effective;                /* d */
    double *correlation;                     /* d x d */
    double *direction, *direction_deviation; /* d x d, one row each; d, in ascending order: see gofh.h */
    int logarithms;                          /* whether directions are of logarithms, where there are */
    /* sigmas each */
    double *sigma_mean, *sigma_lower, *sigma_upper;
    int data;      /* that count */
    double misfit; /* squared residuals over their covariance, of the most probable sample */
    int runs;      /* about so many more would make the emulator's share small; 0: it is, or can't be told */
    int converged; /* R-hat and the effective size are good */
    char *message; /* in words, borrowed from itself */
    double *block;
    double *probability[GOFH_MAX_PARAMETERS]; /* of the values of discrete parameters; else NULL */
    int values[GOFH_MAX_PARAMETERS];          /* how many these are */
    infer_doubt *doubt;                       /* those that may be more probable than that */
    int doubts, enough;                       /* how many; evaluations that the emulator needs of a value */
} infer_posterior;

typedef struct {
    const infer_prior *prior;       /* d */
    const char *const *name;        /* of the parameters */
    const char *const *const *word; /* of each the texts of its choices; NULL: they are numbers */
    const char *const *group;       /* of the data whose sigma is not known, then of discrepancies */
    const double *best;             /* d: the best evaluation */
    int samples;                    /* wanted */
    double factor;                  /* above 0: the log likelihood is this times f, whatever the data are */
} infer_request;

/* Samples it. The data are taken over, whatever the outcome. The study's model is fitted if it is not. */
gofh_status posterior_make(infer_posterior *p, study *st, const infer_request *request, infer_datum *data,
                           int count, int groups);
void posterior_release(infer_posterior *p);

/* Samples of the likelihood's posterior, by so many populations (0: all). sampler_release frees. */
gofh_status posterior_run(likelihood *l, int samples, int populations, sampler_result *r);

/* The emulator's share of the variance of a parameter: worth a word, and not. */
#define POSTERIOR_SHARE_LARGE 0.25
#define POSTERIOR_SHARE_SMALL 0.1
/* A probability that may be larger by this is worth a word. */
#define POSTERIOR_RISE_LARGE 0.05
/* Whether the best evaluation is beyond the interval of parameter k by more than its width, and most of the
 * variance is the emulator's: the posterior then is where the emulator knows little. */
int posterior_is_elsewhere(const infer_posterior *p, const domain *box, int k);

/* words.c: what there is to say of a posterior, joined by "; ", to be freed. NULL: no memory. u: samples
 * x d, the same in the unit cube. Fills in the directions. */
char *posterior_words(infer_posterior *p, const study *st, const infer_request *request, const double *u);

#endif
