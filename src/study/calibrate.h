/* By how much the deviations of the model are too small (section 8.9 of docs/method.md). */
#ifndef STUDY_CALIBRATE_H
#define STUDY_CALIBRATE_H

#include "study/study.h"

/* Makes st->fitted->inflation that of the fitted model, unless it is: one factor per output. It takes
 * some ten fits, so it is for what is said to the user. */
gofh_status study_calibrate(study *st);

#endif
