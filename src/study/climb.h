/* Multistart L-BFGS-B as the steps of a suggestion use it. */
#ifndef STUDY_CLIMB_H
#define STUDY_CLIMB_H

#include "base/memory.h"
#include "search/lbfgsb.h"
#include "study/study.h"

/* The unit cube: lower[d], upper[d]. */
void climb_cube_bounds(int d, double *lower, double *upper);

/* Maximises from the rows of x (starts x d) and leaves there what was reached, with value[starts].
 * failure: where the objective leaves the status of an evaluation that it aborts with. room: the
 * workspace. */
gofh_status climb_box(memory_room *room, search_objective objective, void *context,
                      const gofh_status *failure, const lbfgsb_settings *settings, int starts, int d,
                      const double *lower, const double *upper, double *x, double *value);
/* climb_allowed.c: the same among the allowed points: continuous climbs with the discrete parameters held
 * and the known constraints kept, in turn with steps to the best neighbouring values. x comes allowed. */
gofh_status climb_allowed(study *st, search_objective objective, void *context, const gofh_status *failure,
                          int iterations, int starts, double *x, double *value);
/* The same from one start, with its discrete values. */
gofh_status climb_held(study *st, search_objective objective, void *context, const gofh_status *failure,
                       int iterations, double *x, double *value);
gofh_status climb_allowed_with(study *st, search_objective objective, void *context,
                               const gofh_status *failure, const lbfgsb_settings *settings, int starts,
                               double *x, double *value);
/* Whether there are discrete parameters and continuous ones. */
int climb_is_mixed(const study *st);
/* Where it is mixed: the best end of climbs from all points that differ from `from` in one discrete
 * value, the next one or another choice, with that held. Its value is minus infinity where there is
 * none. */
gofh_status climb_beside(study *st, search_objective objective, void *context, const gofh_status *failure,
                         int iterations, const double *from, double *x, double *value);
/* climb_allowed_with where the exact place matters little: the climbs do not see the known constraints,
 * and end at the allowed points nearest to theirs. */
gofh_status climb_roughly(study *st, search_objective objective, void *context, const gofh_status *failure,
                          const lbfgsb_settings *settings, int starts, double *x, double *value);

#endif
