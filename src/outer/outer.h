/* g as the rest of the library sees it: always maximised, never NaN, always with a gradient. */
#ifndef OUTER_OUTER_H
#define OUTER_OUTER_H

#include "gofh.h"

typedef struct {
    int outputs, parameters;
    double sign;         /* +1 to maximise, -1 to minimise what the user wrote */
    gofh_outer function; /* NULL when g is linear */
    gofh_gradient gradient;
    void *context;
    const double *weights; /* of a linear g, in the user's sense; NULL otherwise */
} outer;

/* Doubles of workspace for batches of up to `count` rows. */
size_t outer_work(const outer *g, int count);

/* sign * g on a batch: y count x outputs, x count x parameters. value: count, minus infinity where g is not finite or
 * not a number (plus infinity becomes the largest double). Where dy is not NULL also dy (count x outputs) and dx
 * (count x parameters), 0 where the value is minus infinity; by central differences where the user gave no
 * gradient. */
gofh_status outer_evaluate(const outer *g, const double *y, const double *x, int count, double *value,
                           double *dy, double *dx, double *work);

#endif
