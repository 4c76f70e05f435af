/* What outputs are compared with: wherever a difference is squared or taken absolute, the value of
 * one output at which it vanishes, if data have a part in it. "(T - measured)^2", "abs(log(T) -
 * log(measured))" and "(T/measured - 1)^2" all compare T with measured. */
#ifndef OUTER_COMPARISONS_H
#define OUTER_COMPARISONS_H

#include "outer/expression.h"

typedef struct {
    int output;
    /* The data in the value, by their place among the symbols that are data; -1: several of them */
    int data;
    double value;
    /* The standard deviation of the difference, in the output's units: what data or a vector divide
     * it by before it is squared, or the square root of what divides its square. NaN: nothing does,
     * or the compared value itself, which makes a misfit relative. */
    double deviation;
    /* Of a fit: whether its difference is over the value; of what an expression has: 0. */
    int relative;
    /* Of a fit: whether it is of logarithms; the number above 0 of its discrepancy, and what that is a
     * function of */
    int logarithm, field;
    double at;
} comparison;

typedef struct {
    comparison *items;
    size_t count, capacity;
} comparisons;

/* Adds those of a tape to the list. GOFH_OK or GOFH_ERROR_MEMORY. */
gofh_status comparisons_find(comparisons *list, const tape *t);
/* Adds all of another list. */
gofh_status comparisons_add(comparisons *list, const comparisons *more);
void comparisons_clear(comparisons *list);

/* Of an expression and of constraints; NULL is fine. */
gofh_status expression_comparisons(const gofh_expression *expression, comparisons *list);
gofh_status constraints_comparisons(const gofh_constraints *constraints, comparisons *list);

#endif
