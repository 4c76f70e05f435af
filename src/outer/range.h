/* Which values an expression can have where parameters are within their bounds and nothing is known
 * of the outputs: interval arithmetic on its tape. One interval for all elements of a vector. */
#ifndef OUTER_RANGE_H
#define OUTER_RANGE_H

#include "outer/tape.h"

typedef struct {
    double low, high; /* may be infinite; what is between is all there can be, and often more */
} range;

/* lower, upper: of each parameter. GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status range_find(const tape *t, int node, const double *lower, const double *upper, range *found);

#endif
