#include "study/fitted.h"

#include "base/memory.h"
#include "study/reduce.h"
#include "study/success.h"

#include <stdlib.h>

int fitted_correlates(const study *st)
{
    return (st->method->parts & PART_CORRELATION) != 0;
}

gofh_status fitted_correlate(study *st)
{
    if (st->fitted->fixed) return GOFH_OK;
    return model_correlate(st->fitted->mo) ? GOFH_ERROR_MEMORY : GOFH_OK;
}

model_state *fitted_create(const study *st)
{
    const gofh_settings *settings = &st->spec.settings;
    model_state *own = memory_new(1, sizeof *own);
    if (!own) return NULL;
    own->prior = (hyper_prior){.lengthscale_median = settings->lengthscale_median,
                               .lengthscale_spread = settings->lengthscale_spread,
                               .variance_scale = settings->variance_scale,
                               .variance_weight = settings->variance_weight,
                               .noise_median = settings->noise_median,
                               .noise_spread = settings->noise_spread};
    if (st->method->parts) {
        /* The variance is the maximum of the likelihood: with a trend its order is not known
         * beforehand. */
        own->prior.lengthscale_spread *= 0.7;
        own->prior.variance_scale = 1e-9;
        own->prior.variance_weight = 1e-3;
        own->prior.noise_rate = 0.3;
        own->prior.trend_spread = 8.0;
    }
    if ((st->method->parts & PART_PLACES) && !reduce_is_large(&st->spec))
        own->latent = latent_find(&st->spec.box);
    own->samples = study_samples_hyper(st) ? settings->hyper_samples : 1;
    size_t outputs = (size_t)st->outputs, values = outputs * (size_t)(st->d + HYPER_EXTRA);
    for (int i = 0; i < 2; i++) {
        hyper_state *hyper = i ? &own->current : &own->committed;
        hyper->values = memory_doubles((size_t)own->samples * values + 2 * outputs);
        if (!hyper->values) break;
        hyper->shift = hyper->values + (size_t)own->samples * values;
        hyper->scale = hyper->shift + outputs;
    }
    if (settings->hyper == GOFH_HYPER_FIXED) {
        own->fixed = memory_doubles(values);
        own->fixed_given = memory_new(outputs, 1);
    }
    int fixed = settings->hyper == GOFH_HYPER_FIXED;
    if (own->committed.values && own->current.values && (!fixed || (own->fixed && own->fixed_given)))
        return own;
    fitted_free(own);
    return NULL;
}

void fitted_free(model_state *own)
{
    if (!own) return;
    acquisition_free(own->acquire);
    model_free(own->mo);
    success_free(own->success);
    free(own->data);
    free(own->committed.values);
    free(own->current.values);
    free(own->fixed);
    free(own->fixed_given);
    free(own->inflation);
    free(own);
}
