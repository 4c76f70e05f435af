/* The models of a study, for the files that compute with them. */
#ifndef STUDY_FITTED_H
#define STUDY_FITTED_H

#include "acquire/acquire.h"
#include "model/hyper.h"
#include "model/model.h"
#include "study/study.h"

/* What the hyperparameters were when a suggestion last needed them: where the next chain starts
 * (hyper.h), and all that a resumed study has to know of its past beyond the trials. */
enum { HYPER_EXTRA = 7 };

typedef struct {
    int data;     /* how many data they were fitted to; 0: never */
    int last;     /* the last of those, an index into the trials */
    int poor_fit; /* whether the data were not interpolated well: then many starts are tried next time */
    int rough;    /* whether the kernel is rougher than that of the settings (fit_rough.c) */
    double *shift, *scale; /* an output */
    /* samples x outputs x (d + HYPER_EXTRA): 1/lengthscales, variance, noise, mean, trend, the
     * number of the output's transform (transform.h), whether it shares all but the variance with
     * other outputs, whether choices have places among the first (latent.h) */
    double *values;
} hyper_state;

/* The local step beside open trials, which the data say, and the trust region it was made in. */
typedef struct {
    int known; /* 0 as soon as the models change */
    int forced;
    double radius;
    proposal local;
} kept_local;

/* How levels of f's quantiles are read (calibrate_f.h): a normal score of one is shifted, f maximised, and
 * stretched. degrees: of Student's t, whose score it is; 0: levels are as they are. */
typedef struct {
    double shift, stretch;
    int degrees;
} f_levels;

typedef struct success success;

/* The models, and what they are fitted to. */
struct model_state {
    int samples; /* of the hyperparameters */
    hyper_prior prior;
    latent_choices latent; /* that may have places */
    model *mo;             /* conditioned on the done trials; NULL: none yet */
    acquisition *acquire;
    success *success; /* NULL: nothing has failed yet */
    int *data;        /* which trials the model has, in order */
    int data_count, data_room;
    hyper_state committed, current;
    /* Outputs: factors on the deviations that are said to the user; valid where calibrated, as is
     * what follows */
    double *inflation;
    f_levels f_levels;
    int calibrated;
    /* outputs x (d + HYPER_EXTRA), as in hyper_state but in the user's units; NULL: none given */
    double *fixed;
    unsigned char *fixed_given;
    double worst_nugget; /* that the log has told of */
    int contradictions;  /* trials with other outputs than an earlier one at the same point */
    kept_local local;
};

/* Whether the search of the study's method draws correlated outputs. */
int fitted_correlates(const study *st);
/* Learns the correlation of the outputs. Hyperparameters that the user fixed come without one. */
gofh_status fitted_correlate(study *st);

/* As the study's settings and method say; NULL: no memory. */
model_state *fitted_create(const study *st);
void fitted_free(model_state *own);

/* The noise of output j of the model: exact, estimated, or known (then *variance, in the user's
 * units). */
hyper_noise study_noise(const study *st, int j, double *variance);

#endif
