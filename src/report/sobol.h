/* Sobol' indices: which share of a function's variance over the box is due to each parameter, alone
 * (first order) and with all its interactions (total). Estimated by pick and freeze: Saltelli et al.
 * 2010 for the first order, Jansen 1999 for the total. */
#ifndef REPORT_SOBOL_H
#define REPORT_SOBOL_H

#include <stdint.h>

typedef struct {
    double first, total;
    double first_error, total_error; /* standard errors: of the sample, and of the emulator */
} sobol_index;

/* How many points the estimate with n samples takes: n (d + 2). */
int sobol_points(int n, int d);
/* Fills u (sobol_points x d) with the points, in the unit cube: two samples A and B, then A with one
 * column of B for each parameter. Returns 0, or -1: no memory. */
int sobol_sample(uint64_t seed, int n, int d, double *u);
/* The indices of a function with these values at the points; NaN where it is constant. value:
 * sobol_points. deviation: that of the emulator at each point, and length[d] the lengthscales of its
 * errors, in the unit cube; NULL: the values are exact. The errors come from draws in which the rows
 * are chosen anew and the emulator's errors are a random field of these deviations. index: d.
 * Returns 0, or -1: no memory. */
int sobol_indices(uint64_t seed, int n, int d, const double *u, const double *value, const double *deviation,
                  const double *length, sobol_index *index);

#endif
