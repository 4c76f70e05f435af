#include "model/hyper.h"

#include <math.h>

/* One slice move of coordinate k, from a point of log density `value`; returns the new point's. */
static double slice_move(hyper_target *target, double *theta, int k, double value, double low, double high,
                         random_stream *stream)
{
    /* The bounds are all that ends the stepping out: a limit on the steps would have to be shared
     * between the sides at random, or the chain is not reversible. */
    const double width = 1.0;
    double start = theta[k], level = value + log(random_uniform(stream));
    double left = start - width * random_uniform(stream), right = left + width;
    for (; left > low; left -= width) {
        theta[k] = left;
        if (!(hyper_log_posterior(target, theta, NULL) > level)) break;
    }
    for (; right < high; right += width) {
        theta[k] = right;
        if (!(hyper_log_posterior(target, theta, NULL) > level)) break;
    }
    left = fmax(left, low);
    right = fmin(right, high);
    for (int i = 0; i < 64; i++) {
        theta[k] = left + (right - left) * random_uniform(stream);
        double here = hyper_log_posterior(target, theta, NULL);
        if (here > level) return here;
        if (theta[k] < start)
            left = theta[k];
        else
            right = theta[k];
    }
    theta[k] = start; /* only where the density is flat to rounding */
    return hyper_log_posterior(target, theta, NULL);
}

double hyper_sample(hyper_target *target, double *theta, double value, int sweeps, random_stream *stream)
{
    double lower[HYPER_MAX] = {0}, upper[HYPER_MAX] = {0};
    hyper_bounds(target, lower, upper);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int k = 0; k < hyper_dimension(target); k++)
            value = slice_move(target, theta, k, value, lower[k], upper[k], stream);
    return value;
}
