/* Whether linear inequalities have a solution in the unit cube. */
#ifndef SEARCH_FEASIBLE_H
#define SEARCH_FEASIBLE_H

/* The least t with a_i . z + b_i + t >= 0 for all rows, 0 <= z <= 1 and t >= 0, by the simplex method.
 * a: rows x (n + 1), b last in each row. Returns 0, or -1 where it ran out of memory or of steps. */
int feasible_least_violation(int n, int rows, const double *a, double *least);

#endif
