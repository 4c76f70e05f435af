/* Expectation propagation for a normal vector known to have no negative component. */
#ifndef ACQUIRE_EP_H
#define ACQUIRE_EP_H

/* z normal with `mean` and `covariance` (count x count, full) and all z_i >= 0: mean and covariance
 * are overwritten by those of the normal approximation to z given that (eq. P8 and P9 of
 * docs/method_pes.md). precision[i] >= 0 and shift[i] describe its factors exp(shift z_i -
 * precision z_i^2 / 2). work: count doubles. Returns 0, or -1 if it broke down. */
int ep_positive(int count, double *mean, double *covariance, double *precision, double *shift, double *work);

/* Of a normal variable known to be positive, mean / deviation being alpha: by which part of itself
 * that reduces the variance. Between 0 and 1. */
double ep_reduction(double alpha);

#endif
