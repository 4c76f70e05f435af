/* What is said of the model to the user beyond what the search needs: by how much its deviations are too
 * small, and how its outputs go together (sections 2 and 8.9 of docs/method.md). */
#ifndef STUDY_CALIBRATE_H
#define STUDY_CALIBRATE_H

#include "study/study.h"

/* Makes st->fitted->inflation, one factor per output, and the correlation of the outputs those of the
 * fitted model, unless they are. It takes some ten fits. */
gofh_status study_calibrate(study *st);

#endif
