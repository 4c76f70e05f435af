/* How far samples can be trusted: split R-hat of the populations, and the effective size by the
 * autocorrelation of the walkers (Gelman et al., Bayesian Data Analysis, 11.4 and 11.5). */
#include "base/memory.h"
#include "base/vector.h"
#include "infer/sampler.h"

#include <math.h>
#include <stdlib.h>

/* The mean and the variance of coordinate k in the steps from `first` to `end` of one population. */
static void moments_of(const sampler_result *r, int p, int first, int end, int k, double *mean,
                       double *variance)
{
    double sum = 0.0, squares = 0.0, count = (double)r->walkers * (end - first);
    for (int w = 0; w < r->walkers; w++)
        for (int t = first; t < end; t++) sum += sampler_state(r, p, w, t)[k];
    *mean = sum / count;
    for (int w = 0; w < r->walkers; w++)
        for (int t = first; t < end; t++) {
            double rest = sampler_state(r, p, w, t)[k] - *mean;
            squares += rest * rest;
        }
    *variance = squares / (count - 1.0);
}

/* Each half of each population is a chain. */
static double split_rhat(const sampler_result *r, int k)
{
    int chains = 2 * r->populations;
    double mean[2 * SAMPLER_POPULATIONS], within = 0.0, all = 0.0, between = 0.0;
    for (int c = 0; c < chains; c++) {
        double variance;
        int half = r->steps / 2;
        moments_of(r, c / 2, c % 2 * half, c % 2 * half + half, k, &mean[c], &variance);
        within += variance / chains;
        all += mean[c] / chains;
    }
    for (int c = 0; c < chains; c++) between += (mean[c] - all) * (mean[c] - all) / (chains - 1.0);
    return within > 0.0 ? sqrt((within + between) / within) : 1.0;
}

/* The autocovariance of walkers `lag` steps apart; value: walkers of all populations x steps, around the
 * mean of all. */
static double autocovariance(const sampler_result *r, const double *value, int lag)
{
    int walkers = r->populations * r->walkers;
    double sum = 0.0;
    for (int w = 0; w < walkers; w++) {
        const double *own = value + (size_t)w * (size_t)r->steps;
        sum += vector_dot(own, own + lag, r->steps - lag);
    }
    return sum / ((double)walkers * (r->steps - lag));
}

/* Autocorrelations are summed in pairs, as long as these are positive. Walkers that stay where they are
 * count once each, at most. work: walkers of all populations x steps. */
static double effective_size(const sampler_result *r, int k, double *work)
{
    size_t total = (size_t)r->populations * (size_t)r->walkers * (size_t)r->steps, at = 0;
    double mean = 0.0, time = -1.0;
    for (int p = 0; p < r->populations; p++)
        for (int w = 0; w < r->walkers; w++)
            for (int t = 0; t < r->steps; t++) mean += work[at++] = sampler_state(r, p, w, t)[k];
    mean /= (double)total;
    for (size_t i = 0; i < total; i++) work[i] -= mean;
    double variance = autocovariance(r, work, 0);
    if (!(variance > 0.0)) return r->populations * (double)r->walkers;
    for (int lag = 0; lag + 1 < r->steps; lag += 2) {
        double pair = (autocovariance(r, work, lag) + autocovariance(r, work, lag + 1)) / variance;
        if (!(pair > 0.0)) break;
        time += 2.0 * pair;
    }
    return (double)total / fmax(time, 1.0);
}

int sampler_diagnose(sampler_result *r)
{
    double *work = memory_doubles((size_t)r->populations * (size_t)r->walkers * (size_t)r->steps);
    if (!work) return -1;
    for (int k = 0; k < r->d; k++) {
        r->rhat[k] = split_rhat(r, k);
        r->effective[k] = effective_size(r, k, work);
    }
    free(work);
    return 0;
}
