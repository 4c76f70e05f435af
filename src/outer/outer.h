/* g as the rest of the library sees it: always maximised, never NaN, always with a gradient; and
 * the constraints. */
#ifndef OUTER_OUTER_H
#define OUTER_OUTER_H

#include "outer/analysis.h"

typedef struct {
    int outputs, parameters;
    double sign;         /* +1 to maximise, -1 to minimise what the user wrote */
    gofh_outer function; /* NULL: g is linear, constant + weights . y */
    gofh_gradient gradient;
    void *context;
    const double *weights; /* of a linear g, in the user's sense; NULL otherwise */
    double constant;
    const analysis *squares; /* of a sum of squares; NULL otherwise */
    /* Unless 0: whether nothing is better than `best`, in the sense of outer_objective. */
    int bounded;
    double best;
    gofh_constraints *constraints;
    int margins; /* of the constraints: each must be 0 or above */
} outer;

enum { OUTER_BLOCK = 64 };

/* Doubles of workspace for batches of up to `count` rows. */
size_t outer_work(const outer *g, int count);

/* sign * g on a batch, the constraints left aside: y count x outputs, x count x parameters. value:
 * count, minus infinity where g is not finite or not a number (plus infinity becomes the largest
 * double). Where dy is not NULL also dy (count x outputs) and dx (count x parameters), 0 where the
 * value is minus infinity; by central differences where the user gave no gradient. */
gofh_status outer_objective(const outer *g, const double *y, const double *x, int count, double *value,
                            double *dy, double *dx, double *work);

/* The margins of the constraints: count x margins. */
gofh_status outer_margins(const outer *g, const double *y, const double *x, int count, double *margin);

/* f of one evaluation: the objective, or minus infinity where a constraint does not hold. margin:
 * `margins` doubles of workspace, which hold the margins afterwards. */
gofh_status outer_value(const outer *g, const double *y, const double *x, double *value, double *margin);

/* How nearly one evaluation is feasible, smoothly, from its margins: the product over them of
 * s(margin / width), which is 1/2 at the boundary and has tails so fat that its slope is of use
 * anywhere (eq. 23). slope: margins, the derivatives of its logarithm in each margin. */
double outer_feasibility(const outer *g, const double *margin, const double *width, double *slope);

/* Adds weight (count x margins) times the gradients of the margins to dy and dx. work: as for
 * OUTER_BLOCK rows. */
gofh_status outer_adjoint(const outer *g, const double *y, const double *x, int count, const double *weight,
                          double *dy, double *dx, double *work);

/* Subtracts the penalty of violated constraints from value[count]: multiplier[i] times the
 * violation, for each margin; and its gradient from dy and dx unless they are NULL. work: as for
 * OUTER_BLOCK rows. */
gofh_status outer_penalise(const outer *g, const double *y, const double *x, int count,
                           const double *multiplier, double *value, double *dy, double *dx, double *work);

#endif
