/* The most usual g by a loop of its own, along rows of samples. */
#ifndef OUTER_LEAST_SQUARES_H
#define OUTER_LEAST_SQUARES_H

/* value[i] = constant + sum over j of weight[j] (y[i][j] - target[j])^2; where dy is not NULL also its
 * gradient. y and dy: count x m. */
void least_squares(const double *y, int count, int m, const double *target, const double *weight,
                   double constant, double *value, double *dy);

#endif
