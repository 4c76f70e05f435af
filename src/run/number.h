/* Numbers as text: what simulators are given and what they write. */
#ifndef RUN_NUMBER_H
#define RUN_NUMBER_H

#include <stddef.h>

enum { NUMBER_TEXT = 40, NUMBER_EXCERPT = 40 };

/* The shortest of 15, 16 and 17 digits that reads back as `value`. */
void number_write(double value, char text[NUMBER_TEXT]);

typedef enum {
    NUMBER_FINE,
    NUMBER_NOT_ONE,   /* something else */
    NUMBER_NOT_FINITE /* a NaN, an infinity, or too large for a double */
} number_kind;

/* Reads all `count` bytes as one decimal number. Fortran's exponents are taken too: 1.5D-3, and 1.5-103, which it writes when
 * there is no room for the letter. */
number_kind number_read(const char *bytes, size_t count, double *value);

/* `bytes` for a message: cut when long, and without anything that a terminal would obey. */
void number_excerpt(const char *bytes, size_t count, char text[NUMBER_EXCERPT]);
/* The same in place, for text of any length. */
void number_make_printable(char *text);

#endif
