/* Stochastic gradient ascent from many starts in lockstep, for objectives known only by unbiased
 * noisy gradients. */
#ifndef SEARCH_ASCENT_H
#define SEARCH_ASCENT_H

#include <stddef.h>

/* A noisy gradient (count x d) at each row of x (count x d); its noise is fresh at each iteration,
 * from 0. Always all starts, in their order. Anything but 0 aborts the search, which hands it back
 * to its caller. */
typedef int (*ascent_gradient)(const double *x, int count, int iteration, double *gradient, void *context);

typedef struct {
    int iterations; /* default 200 */
    /* Where the caller gives no steps: the first, relative to each side of the box; default 0.05 */
    double step;
    double delay; /* iterations until the steps begin to shrink in earnest; default 10 */
    /* With which they shrink: step / (1 + k / delay)^power, 0.5 < power <= 1; default 0.7 */
    double power;
    int average; /* 1: return the mean of the second half of the path; 0: its end; default 1 */
} ascent_settings;

void ascent_defaults(ascent_settings *settings);

/* Doubles of workspace. */
size_t ascent_work(int starts, int dimension);

/* Moves each row of x (starts x dimension) uphill inside the box, whose bounds are finite.
 * step[starts]: the first step of each start, relative to each side of the box; NULL:
 * settings->step for all. A gradient that is all 0 or not finite leaves its start where it is. The
 * path does not depend on the scale of the gradients. Returns 0, or what the gradient returned to
 * abort: x then holds the points until then. */
int ascent_maximize(ascent_gradient gradient, void *context, const ascent_settings *settings, int starts,
                    int dimension, const double *lower, const double *upper, const double *step, double *x,
                    double *work);

#endif
