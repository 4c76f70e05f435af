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

#endif
