/* All outputs: which of them have their hyperparameters in common, and what they are.
 *
 * The files of a fit call only those before them in this order: fit_state.c, fit_hyper.c,
 * fit_shared.c, fit.c.
 */
#ifndef STUDY_FIT_SHARED_H
#define STUDY_FIT_SHARED_H

#include "study/fit_hyper.h"

gofh_status fit_all(fitting *task);

#endif
