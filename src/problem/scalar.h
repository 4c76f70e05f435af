/* Which texts are numbers and durations. */
#ifndef PROBLEM_SCALAR_H
#define PROBLEM_SCALAR_H

#include <stdbool.h>
#include <stddef.h>

/* A decimal number with an optional sign, point and exponent: 5, .5, 5., -1e-3. No 0x10, 1_000, inf
 * or nan. Whether it is one; *value may then be infinite, when the number is too large. */
bool scalar_number(const char *text, double *value);
/* Whether a text in place of a number says that there is none: empty, NA, nan or null, in any case. */
bool scalar_is_missing(const char *text);
/* Bytes of the number at the beginning of a text; 0 if there is none. */
size_t scalar_number_length(const char *text);
/* Seconds of 90, 90s, 1.5m, 2h, 1d or 1h30m. Whether it is a duration. */
bool scalar_duration(const char *text, double *seconds);
/* What would be right instead of a text that should have been a number; "" if there is nothing to
 * say. */
const char *scalar_number_hint(const char *text);

#endif
