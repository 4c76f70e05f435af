/* One output: its hyperparameters, and the transform that the evidence is for.
 *
 * The files of a fit call only those before them in this order: fit_state.c, fit_hyper.c, fit_shared.c, fit.c.
 */
#ifndef STUDY_FIT_HYPER_H
#define STUDY_FIT_HYPER_H

#include "study/study.h"

enum {
    FIT_STARTS = 4, /* of a thorough search for the maximum of a posterior */
    FIT_DATA = 300  /* the hyperparameters are learned from so many data at most, in even strides */
};

typedef struct {
    study *st;
    int warm;            /* whether there are hyperparameters to start from: those last asked with */
    int thorough;        /* from many starts, though warm */
    gp_inputs inputs;    /* the data that the hyperparameters are learned from */
    double *y;           /* outputs x inputs.n, standardised */
    double *differences; /* NULL, or those of the inputs: where hyperparameters are sampled */
    const double *told;  /* n x outputs: all data, in the user's units */
    double *work;
    size_t share; /* of the workspace, a worker */
    double
        *theta; /* outputs x (d + 2): where the posterior of each is largest by itself, as far as searched */
    double *found; /* outputs: the logarithm of the evidence around it, where outputs are compared */
    int compare;
    int threads;               /* for each output: all for one by itself, one of several */
    int *listed;               /* the outputs that are being fitted */
    double common[HYPER_MOST]; /* theta of those that share it */
} fitting;

/* Doubles of workspace for those that search a maximum, of `others` outputs beyond the first, by so many
 * threads. */
size_t fit_work(int n, int d, int others, int threads);
/* The data that the hyperparameters are learned from, into block: min(n, FIT_DATA) x (d + outputs). */
void fit_choose_data(fitting *task, double *block);
/* What is to be found out about output j, and theta: where it was last, or the prior's. work: of fit_work doubles. */
hyper_target fit_target(const fitting *task, int j, double *work, double *theta);
/* The maximum of the posterior: from `theta`, where the last fit ended, and from `starts` - 1 others. Returns its value. The
 * workspace: as that of fit_target, for so many threads. */
double fit_maximise(const hyper_target *target, double *theta, int starts, int threads);
/* Estimated noise that is next to none becomes none. */
void fit_clean_noise(const study *st, gp_hyper *hyper);
/* The hyperparameters of the `count` outputs that are listed, each by itself. */
void fit_each(fitting *task, int count);
/* Gives each of the listed outputs the transform that the common theta explains best. */
void fit_choose_transforms(fitting *task, int count);
/* A transform of this kind for the n values of output j. Returns whether the output may be modelled with it. */
int fit_transform(const study *st, const transform_kind *kind, const double *told, int n, int j,
                  transform *t);

#endif
