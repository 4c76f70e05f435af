/* PEST's instruction files: where the outputs stand in a file that the simulator wrote.
 *
 * An observation is called like an output of one value, or like an output with the element's number
 * from 1: c[3], c_3 or c3; without a number, the name of an output of several values stands for its
 * next element. Capitals make no difference. */
#ifndef RUN_INSTRUCTION_H
#define RUN_INSTRUCTION_H

#include "gofh.h"
#include "problem/simulator.h"

#include <stddef.h>

/* Which values have been read: one byte per value, freed by the caller; NULL without memory. */
char *instruction_seen(const simulator *sim);
/* Reads `output`, a file called output_name, as the instructions `text`, of a file called name,
 * say. */
gofh_status instruction_read(const simulator *sim, const char *name, const char *text, size_t length,
                             const char *output_name, const char *output, size_t output_length, double *y,
                             char *seen, gofh_error *error);
/* Only checks the instructions and marks what they would read. */
gofh_status instruction_check(const simulator *sim, const char *name, const char *text, size_t length,
                              char *seen, gofh_error *error);
/* An error that names a value which no instruction reads. */
gofh_status instruction_all_seen(const simulator *sim, const char *seen, gofh_error *error);

#endif
