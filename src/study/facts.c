/* What the settings and the method of a study imply. */
#include "study/fitted.h"

#include <math.h>

const outer *study_outer(const study *st)
{
    /* A model of some outputs has no f: nobody asks it. */
    return st->method->subject == MODEL_OF_F || st->reduction ? &st->f_outer : st->spec.g;
}

int study_samples_hyper(const study *st)
{
    return st->spec.settings.hyper == GOFH_HYPER_SAMPLE && !st->method->parts;
}

hyper_noise study_noise(const study *st, int j, double *variance)
{
    *variance = 0.0;
    double mean;
    if (st->method->subject == MODEL_OF_H && study_given_variances(st, j, -1, &mean) > 0) {
        *variance = fmax(mean, isnan(st->spec.noise[j]) ? 0.0 : st->spec.noise[j]);
        return *variance > 0.0 ? HYPER_KNOWN : HYPER_EXACT;
    }
    if (st->method->subject == MODEL_OF_H && !isnan(st->spec.noise[j])) {
        *variance = st->spec.noise[j];
        return *variance > 0.0 ? HYPER_KNOWN : HYPER_EXACT;
    }
    if (st->spec.settings.noise == GOFH_NOISE_ESTIMATED || (st->method->parts & PART_NOISE))
        return HYPER_ESTIMATED;
    /* Noise on any output is noise of unknown size on f. */
    if (st->method->subject == MODEL_OF_F && study_has_variances(st)) return HYPER_ESTIMATED;
    if (st->method->subject == MODEL_OF_F)
        for (int k = 0; k < st->m; k++)
            if (st->spec.noise[k] > 0.0) return HYPER_ESTIMATED;
    return HYPER_EXACT;
}

int study_is_given_noisy(const study *st)
{
    if (st->whole) return study_is_given_noisy(st->whole);
    if (st->spec.settings.noise == GOFH_NOISE_ESTIMATED || study_has_variances(st)) return 1;
    for (int j = 0; j < st->m; j++)
        if (st->spec.noise[j] > 0.0) return 1;
    return st->fitted->fixed && study_is_noisy(st);
}

int study_is_noisy(const study *st)
{
    size_t width = (size_t)(st->d + HYPER_EXTRA), noise = (size_t)st->d + 1;
    if (st->whole) return study_is_noisy(st->whole);
    if (study_has_variances(st)) return 1;
    for (int j = 0; j < st->outputs; j++) {
        double variance;
        /* The engine finds out by itself, and goes by what it found when it last suggested. */
        if (st->fitted->fixed   ? st->fitted->fixed[(size_t)j * width + noise] > 0.0
            : st->method->parts ? st->fitted->committed.data > 0 &&
                                      st->fitted->committed.values[(size_t)j * width + noise] > 0.0
                                : study_noise(st, j, &variance) != HYPER_EXACT)
            return 1;
    }
    return 0;
}
