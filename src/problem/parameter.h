/* The values of a parameter, as people write and read them. */
#ifndef PROBLEM_PARAMETER_H
#define PROBLEM_PARAMETER_H

#include "gofh.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    PARAMETER_INTERVAL,
    PARAMETER_GRID,
    PARAMETER_VALUES,
    PARAMETER_CHOICES,
    PARAMETER_FIXED
} parameter_kind;

typedef struct {
    char *name;
    parameter_kind kind;
    double lower, upper; /* the first and the last of its values; of choices, their numbers */
    gofh_scale scale;
    double step;      /* of a grid */
    double *values;   /* of a catalogue, ascending */
    char **words;     /* of choices, one fixed among them too */
    int count;        /* of values or words */
    bool ordered;     /* whether choices are */
    gofh_prior prior; /* with its location and spread */
    double location, spread;
} problem_parameter;

enum { PARAMETER_TEXT = 128 };

void parameter_clear(problem_parameter *p);
/* A value as text: a word, or the shortest number that is the value. */
void parameter_write(const problem_parameter *p, double value, char text[PARAMETER_TEXT]);
/* The value that a text says. Returns false, and what is wrong with it in `why`, where it says none. */
bool parameter_read(const problem_parameter *p, const char *text, double *value, char *why, size_t size);
/* How many digits show that a value is not within the bounds: 10 at least. */
int parameter_digits(double value, double lower, double upper);
/* Up to `most` of its values, the first and the last among them, evenly by their places. Returns how many;
 * 0: it is an interval. */
int parameter_list(const problem_parameter *p, int most, double *values);
/* Whether its values are on a linear scale, but span three decades or more, so that small ones look alike. */
bool parameter_is_wide(const problem_parameter *p);
/* What values it has: "2 to 9, whole numbers"; texts that are numbers are in quotes. */
void parameter_describe(const problem_parameter *p, char *text, size_t size);

#endif
