#include "study/points.h"

#include <math.h>

double points_reach(int d, const double *a, const double *b)
{
    double largest = 0.0;
    for (int k = 0; k < d; k++) largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

double points_euclidean(int d, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < d; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

double points_distance(int d, const double *a, const double *b)
{
    double distance = points_euclidean(d, a, b);
    return d > 5 ? distance * sqrt(5.0 / d) : distance;
}

double points_reach_to_trials(const study *st, const double *u)
{
    /* In a narrow range of large numbers, points that differ here may be one in the user's
     * units. */
    double x[GOFH_MAX_PARAMETERS], suggested[GOFH_MAX_PARAMETERS], nearest = INFINITY;
    domain_to_user(&st->spec.box, u, x);
    domain_to_unit(&st->spec.box, x, suggested);
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state != GOFH_TRIAL_FORGOTTEN)
            nearest = fmin(nearest, points_reach(st->d, suggested, st->trials.list[i].u));
    return nearest;
}
