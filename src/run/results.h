/* Reading what a simulator wrote. Each reader takes the file's bytes and fills y, all outputs one
 * after the other, or says what is wrong: GOFH_ERROR_ARGUMENT with file, line and what was
 * expected, GOFH_ERROR_MEMORY if there was none. */
#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include "gofh.h"
#include "problem/simulator.h"

#include <stddef.h>

/* Values in all outputs together. */
int results_size(const simulator *sim);
/* "c[3]", counted from 0 as in expressions, or "t" for an output of one value, of the value at
 * `index` of y. */
void results_label(const simulator *sim, int index, char *text, size_t size);

gofh_status results_json(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                         gofh_error *error);
gofh_status results_plain(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                          gofh_error *error);
gofh_status results_csv(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                        gofh_error *error);
gofh_status results_dakota(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                           gofh_error *error);
/* NumPy's .npy file: one array of doubles or floats, all outputs one after the other. */
gofh_status results_npy(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                        gofh_error *error);
/* The same as doubles, the lowest byte first, and nothing else. */
gofh_status results_raw(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                        gofh_error *error);

/* Reads the files of a run's folder that the simulator's description names. */
gofh_status results_read(const simulator *sim, const char *folder, double *y, gofh_error *error);

/* Whether one of those files was not written. */
int results_missing(const simulator *sim, const char *folder);

/* For the readers: a value at line `line` of the file, which must be a finite number. */
gofh_status results_number(const char *name, int line, const char *bytes, size_t count, double *value,
                           gofh_error *error);

/* The same of a value that may be missing (NaN, NA or nothing) where may_miss: then it is NaN. */
gofh_status results_value(int may_miss, const char *name, int line, const char *bytes, size_t count,
                          double *value, gofh_error *error);
/* Whether output `output` comes with places of its own (curve.h). */
int results_is_curve(const simulator *sim, int output);
/* Whether the value at `index` of y may be missing. */
int results_may_miss(const simulator *sim, int index);

#endif
