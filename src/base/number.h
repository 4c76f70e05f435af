/* Numbers as text, with a decimal point whatever locale the program has set that uses the library.
 * Nothing else in gofh calls strtod, or prints a number that may have a fraction, by itself:
 * scripts/check_locale.py sees to it. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum { NUMBER_TEXT = 40, NUMBER_EXCERPT = 40 };

/* ---- The C library's functions, in the C locale ---- */

/* strtod. */
double number_scan(const char *text, char **end);
/* snprintf, vsnprintf, fprintf and vfprintf. */
int number_format(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int number_format_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int number_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int number_print_list(FILE *file, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Some C libraries allocate the C locale, though not glibc and musl. Where they can't, no wrong
 * number is read or written: number_scan reads nothing, which is a NaN, and the others write
 * nothing and return -1. */

/* Puts this thread into the C locale and back, around calls of other libraries; never around a
 * call-back of the user's. number_enter returns -1, and number_leave does nothing, where there is
 * no memory. */
typedef struct {
    locale_t ours, before;
} number_locale;
int number_enter(number_locale *saved);
void number_leave(const number_locale *saved);

/* ---- What simulators are given and what they write ---- */

/* Significant digits that a value is told with which is known up to this deviation: down to the second
 * of the deviation's, 5 at least and 17 at most; 15 where that is 0. */
int number_digits(double value, double deviation);

/* For a reader: so many significant digits, or all before the decimal point, and no power of 10 from 1e-4
 * to 1e6: 8.7, 873, 11654. */
void number_write_short(double value, int digits, char text[NUMBER_TEXT]);

/* As few, but `least`, as tell two values apart. */
int number_digits_apart(double a, double b, int least);

/* The shortest of 15, 16 and 17 digits that reads back as `value`. */
void number_write(double value, char text[NUMBER_TEXT]);

typedef enum {
    NUMBER_FINE,
    NUMBER_NOT_ONE,   /* something else */
    NUMBER_NOT_FINITE /* a NaN, an infinity, or too large for a double */
} number_kind;

/* Reads all `count` bytes as one decimal number. Fortran's exponents are taken too: 1.5D-3, and
 * 1.5-103, which it writes when there is no room for the letter. */
number_kind number_read(const char *bytes, size_t count, double *value);

/* `bytes` for a message: cut when long, and without anything that a terminal would obey. */
void number_excerpt(const char *bytes, size_t count, char text[NUMBER_EXCERPT]);
/* The same in place, for text of any length. */
void number_make_printable(char *text);

#endif
