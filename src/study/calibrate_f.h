/* Intervals of f that are right where those of the outputs are: a sum over outputs whose errors are rare
 * and large is below what their variances say most of the time (section 8.9 of docs/method.md). */
#ifndef STUDY_CALIBRATE_F_H
#define STUDY_CALIBRATE_F_H

#include "study/fitted.h"

/* Of more outputs it is not learned: all would have to be predicted at all data. */
enum { CALIBRATE_F_OUTPUTS_MAX = 500 };

/* Whether it can be learned: f is a function of outputs without noise, always allowed. */
int calibrate_f_applies(const study *st);
/* Makes st->fitted->f_levels from where f of count data lies among what the model says of them without
 * them. datum[count]: their places among all; left: count points, with deviations as they are inflated, not
 * finite where nothing was predicted. */
gofh_status calibrate_f(study *st, int count, const int *datum, const posterior *left);
/* The level that the model's quantile of f has to be read at to be that of level p, in the user's sense. */
double calibrate_f_level(const study *st, double p);

/* Makes normals z (draws x outputs) draws of Student's t with the degrees of freedom that what is predicted
 * has: all outputs of a row are multiplied by the same sqrt(degrees / chi-square), as one variance that is
 * too small makes all errors large. */
void calibrate_degrees(const study *st, int draws, double *z);
/* Degrees of freedom: a variance that is found from the data by its maximum leaves as many as it has
 * (eq. 9). 0: it is given, or there are samples of it. */
int calibrate_degrees_of(const study *st);

#endif
