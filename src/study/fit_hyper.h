/* One output: its hyperparameters, and the transform that the evidence is for. */
#ifndef STUDY_FIT_HYPER_H
#define STUDY_FIT_HYPER_H

#include "study/fitted.h"

enum {
    FIT_STARTS = 4, /* of a thorough search for the maximum of a posterior */
    FIT_DATA = 300  /* the hyperparameters are learned from so many data at most, in even strides */
};

typedef struct {
    study *st;
    int warm;         /* whether there are committed hyperparameters to start from */
    int thorough;     /* from many starts, though warm */
    gp_inputs inputs; /* the data that the hyperparameters are learned from */
    double *y;        /* outputs x inputs.n, standardised */
    /* Outputs: those of an output that is missing from some data (x is NULL otherwise), and room for
     * them; NULL: no output may be missing */
    gp_inputs *own;
    double *own_x;
    /* Outputs x inputs.n: the variances of the noise of the data, standardised; NULL: none is
     * known */
    double *noise;
    double *differences; /* NULL, or those of the inputs: where hyperparameters are sampled */
    const double *given; /* n x outputs: all data, in the user's units */
    double *work;
    size_t share;  /* of the workspace, per worker */
    double *theta; /* outputs x (d + 2): the best found for each by itself */
    double *found; /* outputs: the log evidence there, where `compare` */
    int compare;
    int threads;              /* for one output: all where it is the only one, else one */
    int *listed;              /* the outputs that are being fitted */
    double common[HYPER_MAX]; /* theta of those that share it */
    const latent_choices *common_latent;
} fitting;

/* Doubles of workspace to search a maximum, with `others` outputs beyond the first, by so many
 * threads. */
size_t fit_work(int n, int d, int others, int threads);
/* The inputs that the hyperparameters of output j are learned from. */
const gp_inputs *fit_inputs(const fitting *task, int j);
/* The data that the hyperparameters are learned from, into block: min(n, FIT_DATA) x (d + outputs),
 * and x outputs more where the model has noise. */
void fit_choose_data(fitting *task, double *block);
/* Output j of these data again, after its transform has changed. */
void fit_choose_outputs(const fitting *task, int j);
/* The index, among n data, of the i-th of the `used` ones: in even strides. */
size_t fit_datum(int i, int used, int n);
/* The posterior of the hyperparameters of output j, and theta to start from: where it was last, or
 * the prior's. Choices have places where they had them, except in a search from many starts, which
 * decides anew. work: fit_work doubles. */
hyper_target fit_target(const fitting *task, int j, double *work, double *theta);
/* Moves theta to the maximum of the posterior, from where it is and from `starts` - 1 other starts.
 * Returns its value. The target's workspace must be for so many threads. */
double fit_maximise(const hyper_target *target, double *theta, int starts, int threads);
/* Gives choices places instead of lengthscales, in the target and in theta, where the evidence is for it
 * (eq. 30): theta is where it is largest, and so it is afterwards. Returns the evidence, or NaN where
 * nothing was compared. */
double fit_choose_places(const fitting *task, int j, hyper_target *target, double *theta, int threads);
/* Estimated noise that is next to none becomes none. */
void fit_clean_noise(const study *st, gp_hyper *hyper);
/* The hyperparameters of the `count` outputs that are listed, each by itself. */
void fit_each(fitting *task, int count);
/* Gives each of the listed outputs the transform that the common theta explains best. */
void fit_choose_transforms(fitting *task, int count);
/* A transform of this kind for the n values of output j. Returns whether the output may be modelled
 * with it. */
int fit_transform(const study *st, const transform_kind *kind, const double *given, int n, int j,
                  transform *t);

#endif
