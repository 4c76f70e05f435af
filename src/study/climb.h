/* Multistart L-BFGS-B as the steps of a suggestion use it. */
#ifndef STUDY_CLIMB_H
#define STUDY_CLIMB_H

#include "base/memory.h"
#include "gofh.h"
#include "search/lbfgsb.h"

/* The unit cube: lower[d], upper[d]. */
void climb_cube_bounds(int d, double *lower, double *upper);

/* Maximises from the rows of x (starts x d) and leaves there what was reached, with value[starts].
 * failure: where the objective leaves the status of an evaluation that it aborts with. room: the
 * workspace. */
gofh_status climb_box(memory_room *room, search_objective objective, void *context,
                      const gofh_status *failure, const lbfgsb_settings *settings, int starts, int d,
                      const double *lower, const double *upper, double *x, double *value);
/* The same in the unit cube, with the default settings but for the number of iterations. */
gofh_status climb_cube(memory_room *room, search_objective objective, void *context,
                       const gofh_status *failure, int iterations, int starts, int d, double *x,
                       double *value);

#endif
