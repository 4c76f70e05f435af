/* What is to be optimised: the parameters, the outputs, g. */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include "base/domain.h"
#include "outer/outer.h"

struct gofh_problem {
    int d, m;
    size_t parameter_room;
    char **name;
    double *lower, *upper;
    gofh_scale *scale;
    outer g; /* g.weights is owned */
    int has_g;
    double *noise;    /* m: known variance, or NaN */
    gofh_error error; /* the first failure */
};

/* A deep copy, or NULL when there is no memory. */
gofh_problem *problem_copy(const gofh_problem *problem);
/* Whether it can be studied. */
gofh_status problem_check(const gofh_problem *problem, gofh_error *error);
domain problem_domain(const gofh_problem *problem);

#endif
