/* Trials for people and for programs. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/session.h"

#include <jansson.h>
#include <stdio.h>

/* Whether an evaluation violates a constraint. */
int describe_violates(const session *s, gofh_study *study, const double *x, const double *y);
/* Why an infinite f is so, to stand behind it; "" for a finite one. */
const char *describe_infinite(const session *s, gofh_study *study, double f, const double *x,
                              const double *y);

const char *describe_state(gofh_trial_state state);

/* The shortest text that reads back as the same double. */
void describe_print_number(FILE *file, double value);
/* A copy of a text from a file, the command line or a database, in which bytes that a terminal
 * would obey and those that are no UTF-8 are question marks; the caller frees it. NULL: no
 * memory. */
char *describe_clean(const char *text);
/* Prints `before`, the text made clean, and the end of a line. */
void describe_line(const char *before, const char *text);
json_t *describe_text(const char *text);
/* A value of f; a text where it is infinite, which JSON has no number for; null for a NaN. NULL: no
 * memory. */
json_t *describe_number(double value);
/* Parameters by name, and outputs by name: a number or an array. */
json_t *describe_parameters(const session *s, const double *x);
json_t *describe_outputs(const session *s, const double *y);
/* The constraints with their margins: below 0 they are violated by so much. */
json_t *describe_margins(const session *s, gofh_study *study, const gofh_trial *trial);
/* All of a trial. */
json_t *describe_trial(const session *s, const gofh_trial *trial);
/* Prints it on a line of its own and lets go of it; `object` may be NULL for want of memory.
 * Returns the exit status. */
int describe_print(const session *s, json_t *object);

/* The values, aligned, a line each. */
void describe_values(const session *s, FILE *file, const double *x, const double *y);
/* One line per constraint: by how much it is met or violated. */
void describe_constraints(const session *s, gofh_study *study, FILE *file, const double *x, const double *y);
/* A line that says which trial is best, or that none is usable yet, and then which comes
 * nearest. */
void describe_best(const session *s, const char *before, const gofh_trial *best);

/* How many trials have no f for missing outputs; nothing where none. */
void describe_without_f(const session *s, const char *before);
/* Whether f of one evaluation is known to have noise. */
int describe_is_noisy(const session *s, const gofh_trial *trial);
/* With noise the best trial is not the one of the best f: says so, on a line of its own, where another
 * trial has a better one than the best, whose number and f are given. */
void describe_noise(const session *s, const char *before, int64_t best, double f);

/* How each point was chosen and what came of it, a line each, and the study's log. Returns the exit
 * status. */
int describe_log(const session *s);

#endif
