#include "model/latent.h"

#include <string.h>

latent_choices latent_find(const domain *box)
{
    latent_choices found = {.count = 0};
    for (int p = 0; box->kinds && p < box->parameters; p++) {
        if (box->kinds[p].kind != DOMAIN_CHOICE || box->kinds[p].width < LATENT_MIN) continue;
        found.of[found.count].first = box->kinds[p].first;
        found.of[found.count++].width = box->kinds[p].width;
    }
    return found;
}

int latent_level(const latent_choices *choices, int i, const double *x, int stride)
{
    const double *own = x + (size_t)choices->of[i].first * (size_t)stride;
    size_t chosen = 0;
    for (size_t k = 1; k < (size_t)choices->of[i].width; k++)
        if (own[k * (size_t)stride] > own[chosen * (size_t)stride]) chosen = k;
    return (int)chosen;
}

double latent_place(const latent_choices *choices, int i, const double *kept, int level)
{
    const double *own = kept + choices->of[i].first;
    double sum = 0.0;
    if (level > 0) return own[level];
    for (int k = 1; k < choices->of[i].width; k++) sum += own[k];
    return -sum;
}

void latent_keep(const latent_choices *choices, int i, const double *places, double *kept)
{
    int width = choices->of[i].width;
    double *own = kept + choices->of[i].first, mean = 0.0;
    for (int k = 0; k < width; k++) mean += places[k] / width;
    for (int k = 1; k < width; k++) own[k] = places[k] - mean;
    own[0] = 1.0;
}

void latent_see_all(const latent_choices *choices, const double *kept, int d, int count, const double *x,
                    int stride, double *seen, int seen_stride)
{
    size_t from = (size_t)stride, to = (size_t)seen_stride;
    for (size_t k = 0; k < (size_t)d; k++) memcpy(seen + k * to, x + k * from, (size_t)count * sizeof *seen);
    for (int i = 0; i < choices->count; i++) {
        double *own = seen + (size_t)choices->of[i].first * to;
        for (int j = 0; j < count; j++)
            own[j] = 0.5 + latent_place(choices, i, kept, latent_level(choices, i, x + j, stride));
        for (size_t k = 1; k < (size_t)choices->of[i].width; k++)
            for (int j = 0; j < count; j++) own[k * to + (size_t)j] = 0.5;
    }
}

void latent_see(const latent_choices *choices, const double *kept, int d, const double *x, double *seen)
{
    latent_see_all(choices, kept, d, 1, x, 1, seen, 1);
}
