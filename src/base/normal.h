/* The standard normal distribution. */
#ifndef BASE_NORMAL_H
#define BASE_NORMAL_H

double normal_density(double z);
double normal_cdf(double z);
double normal_log_cdf(double z); /* without underflow: about -z^2/2 far to the left */
/* Density / cdf, finite everywhere: the derivative of normal_log_cdf */
double normal_hazard_left(double z);
double normal_quantile(double p); /* p in (0, 1) */
/* E[(z + Z)^+] = z cdf(z) + density(z), accurate to full relative precision in the left tail too
 * (eq. 18). */
double normal_expected_positive(double z);

#endif
