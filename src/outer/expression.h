/* What the rest of the library may know of a compiled expression. */
#ifndef OUTER_EXPRESSION_H
#define OUTER_EXPRESSION_H

#include "outer/analysis.h"

/* Borrowed, valid until the expression is freed; in the user's sense, as written. */
const analysis *expression_analysis(const gofh_expression *expression);
bool expression_uses_parameters(const gofh_expression *expression);
/* The best value that there can be, whatever the outputs are; infinite where it is not known. lower,
 * upper: bounds of the parameters. GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status expression_best(const gofh_expression *expression, const double *lower, const double *upper,
                            double *best);

/* Marks the outputs that it uses; NULL: an expression of none. */
void expression_mark_outputs(const gofh_expression *expression, unsigned char *used);
void constraints_mark_outputs(const gofh_constraints *constraints, unsigned char *used);

/* A margin with a known distribution: u = weights . y + constant is linear in the outputs, and the
 * constraint is u >= 0, or |u| <= half_width where that is finite. */
typedef struct {
    const double *weights; /* NULL: not linear */
    double constant;
    double half_width; /* infinite for an inequality */
} constraint_linear;

/* Of margin `margin`, from 0 over all constraints. Borrowed. */
constraint_linear constraints_linear(const gofh_constraints *constraints, int margin);

/* An upper bound of the least margin of constraint `number` over all points, whatever their outputs
 * are: below 0, no point is feasible. lower, upper: bounds of the parameters. GOFH_OK or
 * GOFH_ERROR_MEMORY. */
gofh_status constraints_best_margin(const gofh_constraints *constraints, int number, const double *lower,
                                    const double *upper, double *best);

#endif
