/* What draws of f are worth. */
#ifndef ACQUIRE_WORTH_H
#define ACQUIRE_WORTH_H

#include "acquire/acquire.h"

/* worth[i] is what the draw f[i] adds to an average of that kind beside the incumbent, slope[i] its derivative in f. Of
 * the best case it is f itself. */
void worth_of_draws(const acquisition *a, acquire_kind kind, double incumbent, const double *f, int count,
                    double *worth, double *slope);

#endif
