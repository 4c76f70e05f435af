/* All outputs: which of them have their hyperparameters in common, and what they are. */
#ifndef STUDY_FIT_SHARED_H
#define STUDY_FIT_SHARED_H

#include "study/fit_hyper.h"

gofh_status fit_all(fitting *task);

#endif
