/* Comparisons of known constraints, by what is known of the parameters they compare. These are the outputs
 * of their tape (outer/expression.h). */
#ifndef OUTER_SIDES_H
#define OUTER_SIDES_H

#include "base/domain.h"
#include "outer/tape.h"

/* Whether a node depends on values of discrete parameters alone; -1: no memory. */
int sides_are_discrete(const tape *t, int node, const domain *box);
/* The margin of the comparison `node`, a < b: below 0 where the two are equal, to rounding. -1 on
 * failure. */
int sides_strict_margin(tape *t, int node);
/* Of the comparison `node` with this margin: the difference of the logarithms of its sides, which has the
 * sign of the margin where both are above 0. NaN where they are not, and of what is no comparison of two
 * sides. -1 on failure. */
int sides_log_ratio(tape *t, int node, int margin);

#endif
