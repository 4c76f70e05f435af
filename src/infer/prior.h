/* What is known of a parameter before the data: a density within its bounds. */
#ifndef INFER_PRIOR_H
#define INFER_PRIOR_H

#include "base/domain.h"

typedef struct {
    gofh_prior kind;
    double location; /* the mean of a normal; the median of a lognormal */
    double spread;   /* the standard deviation, of a lognormal that of its natural logarithm */
} infer_prior;

/* The share of the prior that is within the bounds of parameter k. */
double prior_mass(const infer_prior *prior, const domain *box, int k);
/* The log density of coordinate u in (0, 1) of parameter k, whose integral over the bounds is 1. */
double prior_log_density(const infer_prior *prior, const domain *box, int k, double u);
/* The log weight of one of several values of a parameter, up to a constant. */
double prior_log_weight(const infer_prior *prior, double x);
/* The derivative of prior_log_density in u. */
double prior_slope(const infer_prior *prior, const domain *box, int k, double u);
/* The coordinate that this share p in (0, 1) of the prior is below. */
double prior_quantile(const infer_prior *prior, const domain *box, int k, double p);

#endif
