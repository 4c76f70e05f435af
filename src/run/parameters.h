/* The parameters file that a simulator is given. */
#ifndef RUN_PARAMETERS_H
#define RUN_PARAMETERS_H

#include "problem/simulator.h"
#include "run/buffer.h"

/* The whole file, in the simulator's format; x: one value per parameter. Nothing for
 * PARAMS_TEMPLATE. */
void parameters_write(const simulator *sim, long long trial, const double *x, buffer *file);
/* The word of parameter i where it has choices, else NULL; and its value as text. */
const char *parameters_word(const simulator *sim, int i, double value);
void parameters_text(const simulator *sim, int i, double value, char text[PARAMETER_TEXT]);

#endif
