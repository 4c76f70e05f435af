/* How far evaluations are from meeting the constraints. */
#ifndef STUDY_VIOLATION_H
#define STUDY_VIOLATION_H

#include "study/study.h"

/* Standard deviation of each margin over the given done trials: scale[margins]. objective: that of
 * g, or NULL. */
gofh_status violation_scales(study *st, const int *trials, int count, double *scale, double *objective);
/* Index of the done trial that violates the constraints least, each margin in units of its standard
 * deviation; -1: none is done. */
int violation_least(study *st, gofh_status *status);

#endif
