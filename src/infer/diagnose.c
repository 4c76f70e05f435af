/* How far samples can be trusted: split R-hat of the populations, and the effective size by the
 * autocorrelation of the walkers (Gelman et al., Bayesian Data Analysis, 11.4 and 11.5). */
#include "infer/sampler.h"

#include <math.h>

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
    enum { CHAINS = 2 * SAMPLER_POPULATIONS };
    double mean[CHAINS], within = 0.0, all = 0.0, between = 0.0;
    for (int c = 0; c < CHAINS; c++) {
        double variance;
        int half = r->steps / 2;
        moments_of(r, c / 2, c % 2 * half, c % 2 * half + half, k, &mean[c], &variance);
        within += variance / CHAINS;
        all += mean[c] / CHAINS;
    }
    for (int c = 0; c < CHAINS; c++) between += (mean[c] - all) * (mean[c] - all) / (CHAINS - 1.0);
    return within > 0.0 ? sqrt((within + between) / within) : 1.0;
}

/* Half the mean squared difference of states `lag` steps apart. */
static double variogram(const sampler_result *r, int k, int lag)
{
    double sum = 0.0;
    for (int p = 0; p < SAMPLER_POPULATIONS; p++)
        for (int w = 0; w < r->walkers; w++)
            for (int t = lag; t < r->steps; t++) {
                double more = sampler_state(r, p, w, t)[k] - sampler_state(r, p, w, t - lag)[k];
                sum += more * more;
            }
    return 0.5 * sum / ((double)SAMPLER_POPULATIONS * r->walkers * (r->steps - lag));
}

/* Autocorrelations are summed in pairs, as long as these are positive. Walkers that stay where they are
 * count once each. */
static double effective_size(const sampler_result *r, int k)
{
    double mean = 0.0, variance = 0.0, own[SAMPLER_POPULATIONS],
           walkers = SAMPLER_POPULATIONS * (double)r->walkers;
    for (int p = 0; p < SAMPLER_POPULATIONS; p++) {
        double within;
        moments_of(r, p, 0, r->steps, k, &own[p], &within);
        variance += within / SAMPLER_POPULATIONS;
        mean += own[p] / SAMPLER_POPULATIONS;
    }
    for (int p = 0; p < SAMPLER_POPULATIONS; p++)
        variance += (own[p] - mean) * (own[p] - mean) / SAMPLER_POPULATIONS;
    if (!(variance > 0.0)) return walkers;
    double time = -1.0;
    for (int lag = 0; lag + 1 < r->steps; lag += 2) {
        double pair = lag ? 2.0 - (variogram(r, k, lag) + variogram(r, k, lag + 1)) / variance
                          : 2.0 - variogram(r, k, 1) / variance;
        if (!(pair > 0.0)) break;
        time += 2.0 * pair;
    }
    double total = walkers * r->steps;
    return total / fmax(time, 1.0);
}

void sampler_diagnose(sampler_result *r)
{
    for (int k = 0; k < r->d; k++) {
        r->rhat[k] = split_rhat(r, k);
        r->effective[k] = effective_size(r, k);
    }
}
