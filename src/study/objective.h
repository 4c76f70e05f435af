/* An acquisition as the objective of a search, and the normals that it is averaged over. */
#ifndef STUDY_OBJECTIVE_H
#define STUDY_OBJECTIVE_H

#include "base/random.h"
#include "study/fitted.h"

/* Scrambled Sobol' normals, count x outputs, of the stream (purpose, key, part), mixed as the fitted
 * model has it (model_mix). */
void objective_normals(const study *st, random_purpose purpose, uint64_t key, uint64_t part, int count,
                       double *z);
/* The same in memory to be freed. NULL: no memory. */
double *objective_new_normals(const study *st, random_purpose purpose, uint64_t key, uint64_t part,
                              int count);

typedef struct {
    study *st;
    acquire_goal goal;
    const double *z; /* NULL: closed form */
    int draws;
    int logarithm; /* of the acquisition instead: its shape does not depend on the acquisition's size */
    gofh_status status;
} objective;

/* The acquisition times the probability of success. */
gofh_status objective_value(objective *o, const double *x, int count, double *value, double *gradient);
/* A search_objective, or its logarithm; the context is an objective. */
int objective_search(const double *x, int count, double *value, double *gradient, void *context);

#endif
