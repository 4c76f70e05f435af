#include "study/fit_state.h"

#include <math.h>
#include <string.h>

double *fit_slot(const study *st, const hyper_state *state, int sample, int output)
{
    return state->values +
           ((size_t)sample * (size_t)st->outputs + (size_t)output) * (size_t)(st->d + HYPER_EXTRA);
}

void fit_store_hyper(const study *st, const gp_hyper *hyper, const transform_kind *kind, int shares,
                     double *slot)
{
    memcpy(slot, hyper->inverse_lengthscale, (size_t)st->d * sizeof *slot);
    slot[st->d] = hyper->variance;
    slot[st->d + 1] = hyper->noise;
    slot[st->d + 2] = hyper->mean;
    slot[st->d + 3] = hyper->trend;
    slot[st->d + 4] = transform_number(kind);
    slot[st->d + 5] = shares;
    slot[st->d + 6] = hyper->latent != NULL;
}

void fit_load_hyper(const study *st, const double *slot, gp_hyper *hyper)
{
    memcpy(hyper->inverse_lengthscale, slot, (size_t)st->d * sizeof *slot);
    hyper->variance = slot[st->d];
    hyper->noise = slot[st->d + 1];
    hyper->mean = slot[st->d + 2];
    hyper->trend = slot[st->d + 3];
    hyper->latent = slot[st->d + 6] > 0.0 ? &st->fitted->latent : NULL;
}

const transform_kind *fit_kind(const study *st, const hyper_state *state, int output)
{
    return transform_numbered(state->data > 0 ? (int)fit_slot(st, state, 0, output)[st->d + 4] : 0);
}

int fit_was_shared(const study *st, const hyper_state *state, int output)
{
    return state->data > 0 && fit_slot(st, state, 0, output)[st->d + 5] > 0.0;
}

const latent_choices *fit_latent(const study *st, const hyper_state *state, int output)
{
    return state->data > 0 && fit_slot(st, state, 0, output)[st->d + 6] > 0.0 ? &st->fitted->latent : NULL;
}

void fit_lengthscales(const study *st, const gp_hyper *hyper, double *lengthscale)
{
    const double *inverse = hyper->inverse_lengthscale;
    int latent = 0; /* which of those with places comes next */
    for (int p = 0; p < st->parameters; p++) {
        domain_parameter kind = domain_kind_of(&st->spec.box, p);
        double largest = kind.width > 0 ? inverse[kind.first] : 0.0, least = 0.0;
        int on_line = hyper->latent && latent < hyper->latent->count &&
                      hyper->latent->of[latent].first == kind.first;
        if (on_line) largest = least = latent_place(hyper->latent, latent, inverse, 0);
        for (int k = 1; k < kind.width; k++) {
            largest = fmax(largest, inverse[kind.first + k]);
            if (on_line) least = fmin(least, inverse[kind.first + k]);
        }
        latent += on_line;
        lengthscale[p] = 1.0 / (largest - least);
    }
}

void fit_copy_state(const study *st, hyper_state *to, const hyper_state *from)
{
    size_t outputs = (size_t)st->outputs,
           values = (size_t)st->fitted->samples * outputs * (size_t)(st->d + HYPER_EXTRA);
    to->data = from->data;
    to->last = from->last;
    to->poor_fit = from->poor_fit;
    to->rough = from->rough;
    memcpy(to->values, from->values, values * sizeof *to->values);
    memcpy(to->shift, from->shift, outputs * sizeof *to->shift);
    memcpy(to->scale, from->scale, outputs * sizeof *to->scale);
}
