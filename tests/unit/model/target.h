/* The posterior of the hyperparameters on a fixture's data. */
#ifndef TESTS_MODEL_TARGET_H
#define TESTS_MODEL_TARGET_H

#include "fixture.h"
#include "model/hyper.h"

static const hyper_prior PRIOR = {.lengthscale_median = 0.4,
                                  .lengthscale_spread = 0.8,
                                  .variance_scale = 1.3,
                                  .variance_weight = 3.0,
                                  .noise_median = 1e-2,
                                  .noise_spread = 1.5};

static const double KNOWN_NOISE = 0.05;

static inline hyper_target target_open(const fixture *f, hyper_noise noise, const hyper_prior *prior)
{
    return (hyper_target){.inputs = &f->inputs,
                          .kernel = f->kernel,
                          .y = f->y,
                          .noise = noise,
                          .known_noise = KNOWN_NOISE,
                          .prior = prior,
                          .work = calloc(hyper_work(f->inputs.n, 0), sizeof(double))};
}

static inline void target_close(hyper_target *target)
{
    free(target->work);
}

static inline double mean_diagonal(const dense_gp *g)
{
    double diagonal = 0.0;
    for (int i = 0; i < g->n; i++)
        diagonal += (double)dense_correlation(g, g->x + i * g->d, g->x + i * g->d) / g->n;
    return diagonal;
}

/* The same process as theta says, for dense.h, with a variance of the signal. */
static inline dense_gp process_of(const fixture *f, hyper_noise noise, const double *theta, double variance,
                                  double *inverse_lengthscale)
{
    dense_gp g = f->dense;
    for (int k = 0; k < g.d; k++) inverse_lengthscale[k] = 1.0 / exp(theta[k]);
    g.inverse_lengthscale = inverse_lengthscale;
    double last = theta[g.d];
    if (f->dense.trend > 0.0) { /* says only that there is one: its share is in theta */
        g.trend = 1.0 / (1.0 + exp(-theta[g.d]));
        last = theta[g.d + 1];
    }
    g.noise = noise == HYPER_EXACT       ? 0.0
              : noise == HYPER_ESTIMATED ? exp(last) * mean_diagonal(&g)
                                         : KNOWN_NOISE / variance;
    return g;
}

#endif
