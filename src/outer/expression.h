/* What the rest of the library may know of a compiled expression. */
#ifndef OUTER_EXPRESSION_H
#define OUTER_EXPRESSION_H

#include "base/domain.h"
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

/* Known constraints name no outputs: they are compiled with the parameters as outputs, and a == b is
 * allowed among them; a < b is strict where all parameters in it are discrete. box: the parameters.
 * Whether a constraint names an output: */
gofh_status constraints_name_outputs(const char *text, const gofh_symbols *symbols, int *named,
                                     gofh_error *error);
gofh_status constraints_compile_known(gofh_constraints **constraints, const char *const *texts, int count,
                                      const gofh_symbols *symbols, const domain *box, gofh_error *error);
/* Whether margin `margin`, from 0 over all constraints, is the difference of the sides of an equality;
 * *number is that of its constraint. */
int constraints_is_equality(const gofh_constraints *constraints, int margin, int *number);
/* Whether its sides are compared to a part of their size at the point, not of their range over the box: a
 * parameter is on a log scale, or all are discrete. */
int constraints_is_relative(const gofh_constraints *constraints, int margin);
/* Of every margin of known constraints at x: the difference of the logarithms of the two sides, which has
 * the margin's sign; NaN where one of them is not above 0 or no parameter is on a log scale. slope: one row
 * per margin, filled where the difference is finite; may be NULL. */
void constraints_log_ratio(gofh_constraints *constraints, const double *x, double *ratio, double *slope);

/* An upper bound of the least margin of constraint `number` over all points, whatever their outputs
 * are: below 0, no point is feasible. lower, upper: bounds of the parameters. GOFH_OK or
 * GOFH_ERROR_MEMORY. */
gofh_status constraints_best_margin(const gofh_constraints *constraints, int number, const double *lower,
                                    const double *upper, double *best);

#endif
