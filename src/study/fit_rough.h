/* Which kernel the outputs have: the one of the settings, or a rougher one where they are noisy. */
#ifndef STUDY_FIT_ROUGH_H
#define STUDY_FIT_ROUGH_H

#include "study/fit_hyper.h"

/* The kernel of the committed hyperparameters. */
gofh_kernel fit_committed_kernel(const study *st);
/* fit_all, with the kernel that fits the data; decided anew by a thorough fit. */
gofh_status fit_all_with_kernel(fitting *task);

#endif
