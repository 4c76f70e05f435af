#include "acquire/utility.h"

#include "base/exponential.h"
#include "base/instruction_sets.h"

#include <math.h>

/* log(1 + y) for y from 0 to 1, for loops: 2 atanh(s) with s = y / (2 + y) <= 1/3, by its series to
 * s^33, the even and the odd powers of s^2 apart. */
static inline double logarithm_of_one_more(double y)
{
    double s = y / (2.0 + y), z = s * s, w = z * z;
    double even = 1.0 / 33.0, odd = 1.0 / 31.0;
    even = even * w + 1.0 / 29.0;
    odd = odd * w + 1.0 / 27.0;
    even = even * w + 1.0 / 25.0;
    odd = odd * w + 1.0 / 23.0;
    even = even * w + 1.0 / 21.0;
    odd = odd * w + 1.0 / 19.0;
    even = even * w + 1.0 / 17.0;
    odd = odd * w + 1.0 / 15.0;
    even = even * w + 1.0 / 13.0;
    odd = odd * w + 1.0 / 11.0;
    even = even * w + 1.0 / 9.0;
    odd = odd * w + 1.0 / 7.0;
    even = even * w + 1.0 / 5.0;
    odd = odd * w + 1.0 / 3.0;
    return 2.0 * (s + s * (z * odd + w * even));
}

/* softplus(t) + 0.1 / (1 + t^2) with t the improvement in units of `smoothing`: positive
 * everywhere, so that its logarithm has a slope even where no draw improves (eq. 26). */
FOR_EACH_INSTRUCTION_SET
static void smooth_improvements(double incumbent, double smoothing, const double *restrict f, int count,
                                double *restrict utility, double *restrict slope)
{
    for (int i = 0; i < count; i++) {
        double t = (f[i] - incumbent) / smoothing, tail = 1.0 / (1.0 + t * t);
        double decay = exponential(-fabs(t)), sigmoid = (t > 0.0 ? 1.0 : decay) / (1.0 + decay);
        double value = (t > 0.0 ? t : 0.0) + logarithm_of_one_more(decay) + 0.1 * tail;
        int feasible = f[i] > -INFINITY;
        utility[i] = feasible ? value : 0.0;
        slope[i] = feasible ? (sigmoid - 0.2 * t * tail * tail) / smoothing : 0.0;
    }
}

FOR_EACH_INSTRUCTION_SET
static void improvements(double incumbent, const double *restrict f, int count, double *restrict utility,
                         double *restrict slope)
{
    for (int i = 0; i < count; i++) {
        utility[i] = f[i] > incumbent ? f[i] - incumbent : 0.0;
        slope[i] = f[i] > incumbent ? 1.0 : 0.0;
    }
}

/* 1 for draws above the threshold, 0 for others. */
static void count_above(double threshold, const double *f, int count, double *utility, double *slope)
{
    for (int i = 0; i < count; i++) {
        utility[i] = f[i] >= threshold && f[i] > -INFINITY ? 1.0 : 0.0;
        slope[i] = 0.0;
    }
}

void utility_of_draws(acquire_goal goal, double incumbent, const double *f, int count, double *utility,
                      double *slope)
{
    switch (goal.kind) {
    case ACQUIRE_IMPROVEMENT:
    case ACQUIRE_SOFT_IMPROVEMENT:
        /* Before anything feasible is known, whatever is feasible is an improvement, and all equally
         * so. */
        if (incumbent == -INFINITY)
            count_above(incumbent, f, count, utility, slope);
        else
            improvements(incumbent, f, count, utility, slope);
        return;
    case ACQUIRE_SMOOTH:
        if (incumbent == -INFINITY)
            count_above(incumbent, f, count, utility, slope);
        else
            smooth_improvements(incumbent, goal.smoothing, f, count, utility, slope);
        return;
    case ACQUIRE_FEASIBILITY:
        count_above(-INFINITY, f, count, utility, slope);
        return;
    case ACQUIRE_PROBABILITY:
        count_above(incumbent + goal.threshold, f, count, utility, slope);
        return;
    case ACQUIRE_MEAN:
    case ACQUIRE_BEST_CASE:
        for (int i = 0; i < count; i++) {
            utility[i] = f[i];
            slope[i] = 1.0;
        }
        return;
    }
}
