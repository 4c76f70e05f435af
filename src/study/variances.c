/* Noise that is known of single observations. */
#include "study/fitted.h"

#include <math.h>

int study_has_variances(const study *st)
{
    for (size_t i = 0; i < st->trials.count; i++)
        for (int j = 0;
             st->trials.list[i].state == GOFH_TRIAL_DONE && st->trials.list[i].variance && j < st->m; j++)
            if (st->trials.list[i].variance[j] > 0.0) return 1;
    return 0;
}

int study_given_variances(const study *st, int j, int n, double *mean)
{
    int given = 0, count = n < 0 ? (int)st->trials.count : n;
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const trial *t = &st->trials.list[n < 0 ? i : st->fitted->data[i]];
        if (t->state != GOFH_TRIAL_DONE || !t->variance || isnan(t->variance[j])) continue;
        sum += t->variance[j];
        given++;
    }
    *mean = given > 0 ? sum / given : 0.0;
    return given;
}

int study_variances(const study *st, int j, int base, int n, double *variance)
{
    double rest;
    if (st->method->subject == MODEL_OF_F || study_given_variances(st, j, base, &rest) == 0) return 0;
    if (st->fitted->fixed)
        rest = st->fitted->fixed[(size_t)j * (size_t)(st->d + HYPER_EXTRA) + (size_t)st->d + 1];
    else if (!isnan(st->spec.noise[j]))
        rest = st->spec.noise[j];
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        const double *given = st->trials.list[st->fitted->data[i]].variance;
        variance[i] = given && !isnan(given[j]) ? given[j] : rest;
        most = fmax(most, variance[i]);
    }
    return most > 0.0;
}
