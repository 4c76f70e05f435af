/* What is to be optimised: as the user tells it, and compiled for a study. */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include "base/domain.h"
#include "infer/prior.h"
#include "outer/comparisons.h"
#include "outer/outer.h"

typedef struct {
    char *name;
    int size;
    double *values; /* of data, NaN where missing; NULL for outputs */
    int has_sigma;  /* of data: their standard deviations are data too, of the name + "_sigma" */
    double *at;     /* of data: what their discrepancy is a function of; NULL: they have none */
} problem_symbol;

typedef struct {
    problem_symbol *items;
    size_t count, room;
} problem_symbols;

/* A part of the objective: an output that is fitted to data, both by their place. */
typedef struct {
    size_t output, data;
    gofh_residual residual;
    gofh_loss loss;
    double threshold; /* of GOFH_LOSS_HUBER */
} problem_fit;

/* What values a parameter has. */
typedef struct {
    domain_parameter domain; /* with values of its own */
    char **word;             /* of choices, one per value; else NULL */
} problem_kind;

struct gofh_problem {
    int d, m;
    size_t parameter_room;
    char **name;
    double *lower, *upper;
    gofh_scale *scale;
    problem_kind *kind;
    size_t kind_room;
    infer_prior *prior; /* as many as there is room for */
    size_t prior_room;
    problem_symbols outputs, data; /* outputs is empty where they have no names */
    char *objective;               /* an expression; NULL: function or weights */
    outer g;                       /* sign, function or weights; the rest is filled in when it is compiled */
    int has_g;
    int is_log_likelihood; /* of the data, whatever it is made of */
    problem_fit *fit;      /* what the objective is the sum of; none: it was given as it is */
    size_t fit_count, fit_room;
    char **constraint;
    size_t constraint_count, constraint_room;
    double *noise;          /* m: known variance, or NaN */
    unsigned char *missing; /* m: whether it may be missing */
    size_t missing_room;
    size_t noise_room;
    gofh_error error; /* the first failure */
};

/* A problem that can be studied, with nothing borrowed from the one it was made of. */
typedef struct {
    domain box;
    char **name;
    problem_kind *kind;      /* one per parameter */
    domain_parameter *kinds; /* the same, as box has them; NULL where all are intervals */
    gofh_constraints *known; /* of parameters alone, which are its outputs; NULL: there are none */
    const char **known_text; /* of each of them, borrowed from: */
    char **constraint;       /* all constraints of the problem, */
    int constraint_count;
    int *place; /* and where each is: among those of g, or -1 - its place among the known */
    outer g;
    gofh_expression *expression; /* NULL: g is a function or weights */
    double *noise;
    unsigned char *missing;    /* outputs that may be missing; NULL: none may. After them as many: */
    unsigned char *used;       /* whether f needs it */
    int is_fit;                /* the objective is one of gofh_problem_fit, */
    comparisons fitted;        /* which compares these */
    double likelihood_factor;  /* above 0: the log likelihood is this times f, maximised */
    const char *no_likelihood; /* why its data have none, as a text; NULL: they have */
    infer_prior *prior;        /* of each parameter */
} compiled_problem;

/* parameters.c: copies of names and kinds, with all that box needs beyond bounds and scales. */
gofh_status parameters_copy(const gofh_problem *problem, compiled_problem *c, gofh_error *error);
void parameters_release(compiled_problem *c);
void parameters_free_kind(problem_kind *kind);
/* Whether x is allowed for parameter p: else a message that says what is, of `what`. x becomes the
 * value itself where it is one but for rounding. */
gofh_status parameters_check(const compiled_problem *c, int p, const char *what, double *x,
                             gofh_error *error);

/* constraints.c: those of outputs and the known ones, of parameters alone. */
gofh_status problem_compile_constraints(const gofh_problem *problem, compiled_problem *c,
                                        const gofh_symbols *symbols, gofh_error *error);
/* The known ones as text, as many of them as there is room for. */
void constraints_list_known(const compiled_problem *c, size_t size, char *list);
void constraints_release(compiled_problem *c);
/* Data of a name; NULL: there are none. */
problem_symbol *problem_find_symbol(problem_symbols *symbols, const char *name);
/* fit.c: what the fits of the problem compare. GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status problem_fitted(const gofh_problem *problem, comparisons *list);
/* prior.c: what f is to be multiplied by where the likelihood is no normal one; 0: it is. */
double problem_likelihood_factor(const gofh_problem *problem);
/* prior.c: why the data of the problem have no likelihood; NULL: they have one. */
const char *problem_no_likelihood(const gofh_problem *problem);

/* On failure there is a message, and nothing to release. */
gofh_status problem_compile(const gofh_problem *problem, compiled_problem *compiled, gofh_error *error);
void problem_release(compiled_problem *compiled);

#endif
