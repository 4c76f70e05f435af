/* Input files filled in with parameters: {{name}} and {{name:%.6g}}, or PEST's template files,
 * which begin with "ptf". */
#ifndef RUN_TEMPLATE_H
#define RUN_TEMPLATE_H

#include "gofh.h"
#include "problem/simulator.h"
#include "run/buffer.h"

/* Fills in `count` bytes of a template that is called `name` in messages. */
gofh_status template_fill(const simulator *sim, const char *name, const char *bytes, size_t count,
                          const double *x, buffer *file, gofh_error *error);

/* The best representation of value in `width` characters, right-justified, with a decimal point
 * where there is room for one: Fortran would put one in another place. -1 when nothing fits. text:
 * width + 1 characters. */
int template_fit(double value, int width, char *text);

#endif
