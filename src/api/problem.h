/* What is to be optimised: as the user tells it, and compiled for a study. */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include "base/domain.h"
#include "outer/outer.h"

typedef struct {
    char *name;
    int size;
    double *values; /* of data; NULL for outputs */
} problem_symbol;

typedef struct {
    problem_symbol *items;
    size_t count, room;
} problem_symbols;

struct gofh_problem {
    int d, m;
    size_t parameter_room;
    char **name;
    double *lower, *upper;
    gofh_scale *scale;
    problem_symbols outputs, data; /* outputs is empty where they have no names */
    char *objective;               /* an expression; NULL: function or weights */
    outer g;                       /* sign, function or weights; the rest is filled in when it is compiled */
    int has_g;
    char **constraint;
    size_t constraint_count, constraint_room;
    double *noise; /* m: known variance, or NaN */
    size_t noise_room;
    gofh_error error; /* the first failure */
};

/* A problem that can be studied, with nothing borrowed from the one it was made of. */
typedef struct {
    domain box;
    char **name;
    outer g;
    gofh_expression *expression; /* NULL: g is a function or weights */
    double *noise;
} compiled_problem;

/* On failure there is a message, and nothing to release. */
gofh_status problem_compile(const gofh_problem *problem, compiled_problem *compiled, gofh_error *error);
void problem_release(compiled_problem *compiled);

#endif
