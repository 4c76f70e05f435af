/* Expectations that need no draws: linear g, and the mean of a sum of squares. */
#include "acquire/acquire.h"

#include "base/interrupt.h"
#include "base/normal.h"

#include <math.h>
#include <string.h>

/* The expectation for a normal f, with its derivatives in mean and deviation (eq. 18, 19). */
static double normal_expectation(acquire_goal goal, double mean, double deviation, double incumbent,
                                 double *in_mean, double *in_deviation)
{
    double tiny = fmax(deviation, 1e-300);
    if (goal.kind == ACQUIRE_MEAN) {
        *in_mean = 1.0;
        *in_deviation = 0.0;
        return mean;
    }
    if (incumbent == -INFINITY) { /* as by Monte Carlo */
        *in_mean = *in_deviation = 0.0;
        return 1.0;
    }
    if (goal.kind == ACQUIRE_PROBABILITY) {
        double z = (mean - incumbent - goal.threshold) / tiny;
        *in_mean = normal_density(z) / tiny;
        *in_deviation = -z * normal_density(z) / tiny;
        return normal_cdf(z);
    }
    double z = (mean - incumbent) / tiny;
    *in_mean = normal_cdf(z);
    *in_deviation = normal_density(z);
    return tiny * normal_expected_positive(z);
}

/* Whether a variance of several outputs together would be needed while they are correlated and one of
 * all is transformed: that has no short form. */
static int mixes_transformed(const acquisition *a)
{
    const analysis *squares = a->g->squares;
    if (!squares || !a->mo->correlated || model_is_normal(a->mo)) return 0;
    for (int i = 0; i < squares->residuals; i++)
        if (squares->start[i + 1] - squares->start[i] > 1) return 1;
    return 0;
}

int acquisition_has_closed_form(const acquisition *a, acquire_kind kind)
{
    int expectation = kind == ACQUIRE_IMPROVEMENT || kind == ACQUIRE_PROBABILITY || kind == ACQUIRE_MEAN;
    if (a->g->margins || !expectation) return 0;
    if (kind != ACQUIRE_MEAN && !model_is_normal(a->mo)) return 0;
    return !a->g->function || (a->g->squares && kind == ACQUIRE_MEAN && !mixes_transformed(a));
}

/* Adds `share` of the expectation for linear g at one point, and of its gradient. */
static double expect_linear(const acquisition *a, acquire_goal goal, const posterior *post, int point,
                            double incumbent, double share, double *gradient)
{
    double mean, deviation, in_mean, in_deviation, sign = a->g->sign;
    double dmean[GOFH_MAX_PARAMETERS], ddeviation[GOFH_MAX_PARAMETERS];
    posterior_project(post, point, post->outputs, NULL, a->g->weights, &mean, &deviation,
                      gradient ? dmean : NULL, ddeviation);
    double value = normal_expectation(goal, sign * (mean + a->g->constant), deviation, incumbent, &in_mean,
                                      &in_deviation);
    for (int k = 0; gradient && k < post->d; k++)
        gradient[k] += share * (in_mean * sign * dmean[k] + in_deviation * ddeviation[k]);
    return share * value;
}

/* The same for the mean of a sum of squares: E[r^2] = E[r]^2 + Var[r] (eq. 22). */
static double expect_squares(const acquisition *a, const posterior *post, int point, double share,
                             double *gradient)
{
    const analysis *squares = a->g->squares;
    double value = squares->constant, dmean[GOFH_MAX_PARAMETERS] = {0}, ddeviation[GOFH_MAX_PARAMETERS] = {0};
    for (int i = 0; i < squares->residuals; i++) {
        double mean, deviation, weight = squares->weight[i];
        int first = squares->start[i], count = squares->start[i + 1] - first;
        posterior_project(post, point, count, squares->column + first, squares->coefficient + first, &mean,
                          &deviation, gradient ? dmean : NULL, ddeviation);
        mean -= squares->target[i];
        value += weight * (mean * mean + deviation * deviation);
        for (int k = 0; gradient && k < post->d; k++)
            gradient[k] += share * a->g->sign * 2.0 * weight * (mean * dmean[k] + deviation * ddeviation[k]);
    }
    return share * a->g->sign * value;
}

gofh_status acquisition_closed_form(acquisition *a, acquire_goal goal, const double *points, int q,
                                    double *value, double *gradient)
{
    size_t d = (size_t)a->mo->inputs.d;
    int samples = a->mo->samples, together = a->mo->base ? samples : 1, step = a->chunk / together;
    for (int p = 0; p < q; p++) value[p] = 0.0;
    if (gradient) memset(gradient, 0, (size_t)q * d * sizeof *gradient);
    for (int start = 0; start < q; start += step) {
        if (interrupt_requested()) return GOFH_STOP_CALLER;
        int part = q - start < step ? q - start : step;
        for (int s = 0; s < samples; s += together) {
            posterior post;
            posterior_place(&post, together * part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
            model_predict_shared(a->mo, s, together, points + (size_t)start * d, part,
                                 gradient ? PREDICT_GRADIENT : PREDICT_DEVIATION, &post, a->predict_work);
            posterior_moments(&post, gradient != NULL);
            for (int r = 0; r < together * part; r++) {
                int p = start + r % part;
                double *row = gradient ? gradient + (size_t)p * d : NULL;
                value[p] += a->g->function ? expect_squares(a, &post, r, 1.0 / samples, row)
                                           : expect_linear(a, goal, &post, r, a->incumbent[s + r / part],
                                                           1.0 / samples, row);
            }
        }
    }
    return GOFH_OK;
}
