/* The utility of draws of f. */
#ifndef ACQUIRE_UTILITY_H
#define ACQUIRE_UTILITY_H

#include "acquire/acquire.h"

/* utility[i] is what the draw f[i] adds to the goal's average given the incumbent, slope[i] its
 * derivative in f. Of the best case it is f itself. */
void utility_of_draws(acquire_goal goal, double incumbent, const double *f, int count, double *utility,
                      double *slope);

#endif
