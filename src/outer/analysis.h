/* What a tape is as a function of the outputs: linear, a weighted sum of squares, or neither,
 * however it was written. Found by carrying, through the operations, each element as a polynomial
 * of degree 2 in the outputs with its squares kept as squares, so that a misfit of 0 stays exactly
 * 0. Whatever depends on a parameter is neither. */
#ifndef OUTER_ANALYSIS_H
#define OUTER_ANALYSIS_H

#include "gofh_expression.h"
#include "outer/tape.h"

typedef struct {
    gofh_expression_kind kind;
    double constant;
    /* LINEAR: g(y) = constant + sum of weights[j] y[j], a weight for each output */
    double *weights;
    /* LEAST_SQUARES: g(y) = constant + sum of weight[i] r[i]^2, the weights all above or all below
     * 0, where r[i] = sum of coefficient[k] y[column[k]], k from start[i] to start[i + 1] - 1,
     * minus target[i]. */
    int residuals;
    int *start, *column;
    double *coefficient, *target, *weight;
    /* Each residual is one output (coefficient 1) minus a target, no output twice */
    bool separable;
} analysis;

/* Of a node of size 1. GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status analysis_find(analysis *result, const tape *t, int node);
void analysis_clear(analysis *result);

/* Whether a node of any size is linear: if so, weights[e * outputs + j] and constant[e] of each
 * element. */
gofh_status analysis_linear(const tape *t, int node, bool *linear, double *weights, double *constant);

#endif
