/* Curves on an abscissa of their own: results that bring places and values, of any length, and are
 * wanted where the data are. */
#ifndef RUN_CURVE_H
#define RUN_CURVE_H

#include "gofh.h"
#include "problem/simulator.h"

/* Values of output `output` at the places that the problem wants, by linear interpolation of `count`
 * points of the file `name`, into y. Beyond the ends a value is missing where it may be. */
gofh_status curve_interpolate(const simulator *sim, int output, const char *name, const double *place,
                              const double *value, int count, double *y, gofh_error *error);

#endif
