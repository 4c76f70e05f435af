/* Student's t distribution with a whole number of degrees of freedom; 0 degrees stand for the normal
 * distribution, its limit. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

double student_cdf(double t, int degrees);
double student_quantile(double p, int degrees); /* p in (0, 1) */

#endif
