/* The box that is searched, and the unit cube it is mapped to. */
#ifndef BASE_DOMAIN_H
#define BASE_DOMAIN_H

#include "gofh.h"

typedef struct {
    int d;
    const double *lower, *upper;
    const gofh_scale *scale;
} domain;

/* u in the unit cube to x in the box; 0 and 1 give the bounds exactly. */
void domain_to_user(const domain *box, const double *u, double *x);
void domain_to_unit(const domain *box, const double *x, double *u);
/* dx_k / du_k at x. */
void domain_slope(const domain *box, const double *x, double *slope);

#endif
