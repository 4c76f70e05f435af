/* gofh: the expression language by itself (docs/expressions.md): g and constraints as text,
 * compiled, evaluated and differentiated. A study needs nothing of this: gofh_problem_minimize and
 * its like take the text. */
#ifndef GOFH_EXPRESSION_H
#define GOFH_EXPRESSION_H

#include "gofh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names an expression may use. */
typedef struct gofh_symbols gofh_symbols;

/* An empty table, or NULL when there is no memory. */
GOFH_API gofh_symbols *gofh_symbols_create(void);
GOFH_API void gofh_symbols_free(gofh_symbols *symbols); /* NULL is fine */
/* Outputs take the columns of y, and parameters those of x, in the order in which they are added.
 * Names are letters, digits and "_", each used once. Data are copied; NaN is a missing value,
 * which only known() may meet. Where outputs have no names of their own, add them all as the vector
 * "y". error may be NULL. */
GOFH_API gofh_status gofh_symbols_add_output(gofh_symbols *symbols, const char *name, int size,
                                             gofh_error *error);
GOFH_API gofh_status gofh_symbols_add_parameter(gofh_symbols *symbols, const char *name, gofh_error *error);
GOFH_API gofh_status gofh_symbols_add_data(gofh_symbols *symbols, const char *name, const double *values,
                                           int count, gofh_error *error);

typedef enum {
    GOFH_EXPRESSION_GENERAL = 0,
    GOFH_EXPRESSION_LINEAR = 1,       /* weights . y + constant */
    GOFH_EXPRESSION_LEAST_SQUARES = 2 /* a constant plus, or minus, a weighted sum of squares of such */
} gofh_expression_kind;

/* A compiled g. It has its own workspace: one thread at a time, and no allocation after it is
 * compiled. */
typedef struct gofh_expression gofh_expression;

/* Compiles `text`; the symbols may be freed afterwards. On failure *expression is NULL, nothing is
 * left to free, and error (which may be NULL) points at the character. */
GOFH_API gofh_status gofh_expression_compile(gofh_expression **expression, const char *text,
                                             const gofh_symbols *symbols, gofh_sense sense,
                                             gofh_error *error);
GOFH_API void gofh_expression_free(gofh_expression *expression); /* NULL is fine */
/* value[count] for y (count x m) and x (count x d; NULL if there are no parameters). A sample where
 * the value is not a finite number (the logarithm of a negative one, a division by zero) gets the
 * worst value, minus infinity when maximising and plus infinity when minimising, and is counted; a
 * value is never NaN. The arrays may not overlap. */
GOFH_API gofh_status gofh_expression_evaluate(gofh_expression *expression, const double *y, const double *x,
                                              int count, double *value);
/* The same with the exact gradient: dy (count x m) in y, and dx (count x d) in x with y held fixed.
 * Either may be NULL. Always finite: 0 for samples with the worst value. At kinks it is a one-sided
 * one. */
GOFH_API gofh_status gofh_expression_differentiate(gofh_expression *expression, const double *y,
                                                   const double *x, int count, double *value, double *dy,
                                                   double *dx);
/* A gofh_outer with its gradient; the context is a gofh_expression. */
GOFH_API int gofh_expression_outer(const double *y, const double *x, int count, double *value, double *dy,
                                   double *dx, void *context);
/* What was understood. text (may be NULL) is borrowed: valid until the expression is freed. */
GOFH_API gofh_expression_kind gofh_expression_describe(const gofh_expression *expression, const char **text);
/* Samples without a finite value since the compilation or the last reset. */
GOFH_API int64_t gofh_expression_domain_errors(const gofh_expression *expression);
GOFH_API void gofh_expression_reset_domain_errors(gofh_expression *expression);

/* A list of constraints, each turned into margins that are >= 0 where it holds. Used like an
 * expression. */
typedef struct gofh_constraints gofh_constraints;

/* Compiles comparisons such as "max(stress) <= 250", "c >= 0" (a margin for each element) or "c[0]
 * == 3 +- 0.01"; `<` means the same as `<=`. count may be 0. The message of an error names the
 * constraint. */
GOFH_API gofh_status gofh_constraints_compile(gofh_constraints **constraints, const char *const *texts,
                                              int count, const gofh_symbols *symbols, gofh_error *error);
/* Whether one constraint can be compiled for a problem. *known (which may be NULL): whether it names no
 * outputs, so that it holds for all suggestions; then it may be an equality, a + b == 1, too. */
GOFH_API gofh_status gofh_constraint_check(const char *text, const gofh_symbols *symbols, int *known,
                                           gofh_error *error);
GOFH_API void gofh_constraints_free(gofh_constraints *constraints); /* NULL is fine */
/* How many margins there are in all, and how many of them belong to one constraint. */
GOFH_API int gofh_constraints_margins(const gofh_constraints *constraints);
GOFH_API int gofh_constraints_margins_of(const gofh_constraints *constraints, int number);
/* margin: count x margins. Never NaN: minus infinity where a margin has no value, which is counted;
 * the largest double where it is plus infinity. */
GOFH_API gofh_status gofh_constraints_evaluate(gofh_constraints *constraints, const double *y,
                                               const double *x, int count, double *margin);
/* The same with gradients: dy (count x margins x m), dx (count x margins x d). Either may be
 * NULL. */
GOFH_API gofh_status gofh_constraints_differentiate(gofh_constraints *constraints, const double *y,
                                                    const double *x, int count, double *margin, double *dy,
                                                    double *dx);
GOFH_API int64_t gofh_constraints_domain_errors(const gofh_constraints *constraints);
GOFH_API void gofh_constraints_reset_domain_errors(gofh_constraints *constraints);

#ifdef __cplusplus
}
#endif

#endif
