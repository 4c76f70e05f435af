/* What the searches maximise: a function on a box, evaluated a batch of points at a time. */
#ifndef SEARCH_OBJECTIVE_H
#define SEARCH_OBJECTIVE_H

/* x: count x d, one row per point, all inside the box. value: count; minus infinity and NaN
 * (treated as minus infinity) are allowed. gradient: count x d, or NULL when it is not needed.
 * Anything but 0 aborts the search, which hands it back to its caller. */
typedef int (*search_objective)(const double *x, int count, double *value, double *gradient, void *context);

/* The nearest number inside [lower, upper]; lower when x is not a number. */
static inline double search_clamp(double x, double lower, double upper)
{
    if (!(x >= lower)) return lower;
    return x > upper ? upper : x;
}

#endif
