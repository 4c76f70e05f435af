/* The model of a study that is reduced (reduce.h): one kernel for all outputs, learned from some; and the
 * model of the smaller study, which has that kernel. */
#ifndef STUDY_FIT_REDUCED_H
#define STUDY_FIT_REDUCED_H

#include "study/fitted.h"

/* The output of h that output j of the model is. */
int fit_learned(const study *st, int j);
/* Makes a study one with a model of each output: where observations have variances of their own. */
gofh_status fit_end_reduction(study *st);

/* Of the smaller study: takes the kernel of the whole; and, once conditioned, one variance for all
 * coordinates. */
void fit_take_kernel(study *st);
void fit_take_variance(study *st);

/* Of the whole, fitted and but for leaving one out calibrated: the one factor on the deviations of all
 * outputs; and what study_predict, study_leave_one_out and study_hyper_of say of the outputs of h. */
double fit_common_inflation(const study *st);
gofh_status fit_predict_all(study *st, const double *points, int q, double *mean, double *variance);
gofh_status fit_leave_one_out_all(study *st, double *mean, double *variance);
gofh_status fit_hyper_of_any(const study *st, int output, double *lengthscale, gofh_hyperparameters *values);

#endif
