/* L-BFGS-B from many starts in lockstep: each step of all of them is one batch of the objective. */
#ifndef SEARCH_LBFGSB_H
#define SEARCH_LBFGSB_H

#include "search/objective.h"

#include <stddef.h>

typedef struct {
    int iterations; /* line searches of a start, at most; default 200 */
    int memory;     /* pairs kept; default 10 */
    /* Stop when no component of the projected gradient is larger; default 0 */
    double gradient_tolerance;
    /* Stop when a line search gains less, relative to the value; default 2e-9. 0: go on until
     * neither value nor projected gradient gets better */
    double value_tolerance;
    /* Length of the first step, relative to the narrowest side of the box; default 0.05 */
    double first_step;
    /* Values this close, relatively, are the same, and the gradient then tells more; default 16
     * machine precisions, to be raised where the objective is known to be less precise */
    double rounding;
} lbfgsb_settings;

void lbfgsb_defaults(lbfgsb_settings *settings);

/* Doubles of workspace, which must come from memory_doubles or malloc. */
size_t lbfgsb_work(const lbfgsb_settings *settings, int starts, int dimension);

/* Maximises from each of the starts, the rows of x (starts x dimension), on one box for all; its
 * bounds may be infinite or equal. On return x has the best point found from each start, never
 * outside the box, and value[starts] its value: the largest seen, but for rounding, where a smaller
 * projected gradient counts more. A start where the objective is not finite stays where it is. A
 * batch holds the unfinished starts only, in their order; what a start does is the same whatever
 * the others do, and whatever positive number the objective is multiplied by (if gradient_tolerance
 * is 0). Returns 0, or what the objective returned to abort: x and value then hold the best until
 * then, with value minus infinity where there is none. */
int lbfgsb_maximize(search_objective objective, void *context, const lbfgsb_settings *settings, int starts,
                    int dimension, const double *lower, const double *upper, double *x, double *value,
                    double *work);

#endif
