/* The model of a study: built from its trials and kept up to date.
 *
 * The files of a fit call only those before them in this order: fit_state.c, fit_reduced.c,
 * fit_data.c, fit_hyper.c, fit_shared.c, fit_rough.c, fit.c.
 */
#ifndef STUDY_FIT_H
#define STUDY_FIT_H

#include "study/study.h"

/* Makes the model that of all done trials. GOFH_ERROR_EMPTY if there are none. */
gofh_status study_fit(study *st);
/* How many samples of the hyperparameters there are, of how many outputs, and those of one output, in the
 * user's units: mean in the model's sense, lengthscale[d] of the caller. The model must be fitted and
 * calibrated. */
int study_hyper_samples(const study *st);
int study_hyper_outputs(const study *st);
gofh_status study_hyper_of(const study *st, int sample, int output, double *lengthscale,
                           gofh_hyperparameters *values);
/* Whether they are to be fixed, and the first output whose were not given; -1: there is none. */
int study_hyper_is_fixed(const study *st);
int study_hyper_missing(const study *st);
/* Fixes the hyperparameters of one output, in the user's units. */
void study_fix_hyper(study *st, int output, const gofh_hyperparameters *values);
/* The hyperparameters in use become the ones that the next suggestion starts from. */
void study_commit_hyper(study *st);

#endif
