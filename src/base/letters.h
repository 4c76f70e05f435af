/* Letters, upper and lower case. The C library asks the locale, and in Turkish i is not the
 * lower case of I. */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

char letters_lower(char c);
/* Whether two texts are the same but for capitals, as far as `count` bytes or where they end. */
bool letters_alike(const char *a, const char *b, size_t count);

/* Bytes of the letter (or "_") at the start of a text in UTF-8, of the scripts that names are
 * written in; 0 if there is none. */
int letters_length(const char *text);
/* Whether it is a name: letters, "_" and digits, the first of them not a digit. */
bool letters_are_name(const char *text);

#endif
