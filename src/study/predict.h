/* The posterior at given points, in the user's units. */
#ifndef STUDY_PREDICT_H
#define STUDY_PREDICT_H

#include "study/study.h"

enum { PREDICT_DRAWS = 128 };

/* PREDICT_DRAWS x outputs normals that depend on the data only, so that asking twice gives the same
 * answer; to be freed. NULL: no memory. */
double *predict_normals(const study *st);

/* Fits the model, and makes it what is said to the user: its deviations inflated by what they were too
 * small by, its outputs correlated whatever the search of the method does. To be ended by predict_leave,
 * also where it failed. */
gofh_status predict_enter(study *st);
void predict_leave(study *st);

/* E[f] at q points of the unit cube as the search sees it. */
gofh_status study_expect(study *st, const double *points, int q, double *f);
/* Posterior at q points of the unit cube, in the user's units: any may be NULL. f is maximised. */
gofh_status study_predict(study *st, const double *points, int q, double *mean, double *variance, double *f,
                          double *f_deviation);
/* The same of the objective with the constraints left aside, and how likely those of outputs hold: any may
 * be NULL. A model of f knows nothing of them: NaN. */
gofh_status study_predict_objective(study *st, const double *points, int q, double *objective,
                                    double *deviation, double *feasible);
/* Quantiles at q points of the unit cube, in the user's units and the user's sense of f: q x levels of
 * f, q x outputs x levels of the outputs. Either may be NULL. */
gofh_status study_quantiles(study *st, const double *points, int q, const double *level, int levels,
                            double *f, double *outputs);
/* What the model of each output says of each done trial from all the others: done x outputs
 * each. */
gofh_status study_leave_one_out(study *st, double *mean, double *variance);

#endif
