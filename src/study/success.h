/* The model of success: where runs have failed, how likely a point is to give a result (section 9
 * of docs/method.md). All functions leave everything as it is while nothing has failed, or nothing
 * has succeeded. Points are in the unit cube. */
#ifndef STUDY_SUCCESS_H
#define STUDY_SUCCESS_H

#include "study/fitted.h"

/* Fits it to the trials that have ended, unless it is up to date. */
gofh_status success_fit(study *st);
void success_free(success *s);

/* What it was fitted to has changed: it is fitted anew when it is next needed. */
void success_forget(study *st);
/* Whether failures are modelled: then t with P = Phi(t) at q points, and its gradient (q x d)
 * unless NULL. */
int success_is_modelled(const study *st);
void success_score(const study *st, const double *points, int q, double *score, double *gradient);
/* Whether the failures that are modelled might be chance all the same. */
int success_is_doubtful(const study *st);

/* Multiplies an acquisition and, unless NULL, its gradient by the weight of eq. 36. */
void success_multiply(const study *st, const double *points, int q, double *value, double *gradient);
/* The same to its logarithm: the weight's is added. */
void success_add_logarithm(const study *st, const double *points, int q, double *value, double *gradient);
/* Lowers what is no acquisition, g of a mean, where failure is more likely than success. */
void success_penalise(const study *st, const double *points, int q, double *value, double *gradient);

#endif
