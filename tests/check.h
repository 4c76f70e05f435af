/* What every unit test includes: cmocka, and comparisons of doubles that say what they saw. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <math.h>

/* |value - expected| <= tolerance, absolutely. */
#define check_near(value, expected, tolerance)                                                               \
    check_near_at((value), (expected), (tolerance), #value, __FILE__, __LINE__)
/* |value - expected| <= tolerance |expected|. */
#define check_close(value, expected, tolerance)                                                              \
    check_near_at((value), (expected), (tolerance)*fabs(expected), #value, __FILE__, __LINE__)

static inline void check_near_at(double value, double expected, double tolerance, const char *text,
                                 const char *file, int line)
{
    if (fabs(value - expected) <= tolerance) return;
    print_error("%s is %.17g, expected %.17g within %.3g\n", text, value, expected, tolerance);
    _fail(file, line);
}

#endif
