/* The most usual forms of g by loops of their own, along rows of samples. */
#ifndef OUTER_FORMS_H
#define OUTER_FORMS_H

/* value[i] = constant + sum over j of weight[j] (y[i][j] - target[j])^2; where dy is not NULL also
 * its gradient. y and dy: count x m. */
void form_least_squares(const double *y, int count, int m, const double *target, const double *weight,
                        double constant, double *value, double *dy);
/* The same for constant + sum over j of weight[j] y[i][j]. */
void form_linear(const double *y, int count, int m, const double *weight, double constant, double *value,
                 double *dy);

#endif
