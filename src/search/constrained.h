/* Maximises a smooth function in a box where margins must reach what is wanted of them. An
 * augmented Lagrangian around L-BFGS-B finds which margins matter; Newton's steps of least length
 * then put the point on their edges to rounding. */
#ifndef SEARCH_CONSTRAINED_H
#define SEARCH_CONSTRAINED_H

#include <stddef.h>

/* At one point x[d]: value, gradient[d], margin[margins], slope[margins x d]. Margins and slopes of
 * a margin without a value may be infinite; the search then stays away from there. Anything but 0
 * aborts the search, which hands it back to its caller. */
typedef int (*constrained_function)(const double *x, double *value, double *gradient, double *margin,
                                    double *slope, void *context);

/* Doubles of workspace, which must come from memory_doubles or malloc. */
size_t constrained_work(int margins, int dimension);

/* Moves x[d], in the box, to a local maximiser with margin >= wanted, and gives its multipliers, to
 * a percent or so: what one more unit of each margin would cost. Where there is no such point near,
 * it ends where the violations are least in a sense. Returns 0, or what the function returned to
 * abort. */
int constrained_maximize(constrained_function function, void *context, int margins, int dimension,
                         const double *lower, const double *upper, const double *wanted, double *x,
                         double *multiplier, double *work);

#endif
