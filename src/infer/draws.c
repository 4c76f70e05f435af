/* Any g that is a log likelihood: the mean of exp(g(h(x))) over draws of h(x) under the model. The
 * normals are the same at all points, so that the density is a smooth function. */
#include "base/memory.h"
#include "infer/likelihood.h"
#include "study/fitted.h"
#include "study/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = PREDICT_DRAWS };

gofh_status likelihood_create_draws(likelihood *l, study *st, const infer_prior *prior, double factor)
{
    const model *mo = st->fitted->mo;
    size_t m = (size_t)st->outputs, d = (size_t)st->d, p = (size_t)st->parameters;
    *l = (likelihood){.st = st, .prior = prior, .emulator = 1, .factor = factor};
    gofh_status status = likelihood_place(l);
    l->dimension = l->d;
    l->predict_size = posterior_size(LIKELIHOOD_CHUNK, mo->outputs, st->d) +
                      model_predict_work(mo, LIKELIHOOD_CHUNK);
    l->normals = predict_normals(st);
    l->work = memory_doubles(l->predict_size + BLOCK * (m + p + 1) + LIKELIHOOD_CHUNK * d +
                             outer_work(st->spec.g, BLOCK));
    if (l->work) l->cube = l->work + l->predict_size + BLOCK * (m + p + 1) + outer_work(st->spec.g, BLOCK);
    if (!status && !(l->normals && l->work)) status = GOFH_ERROR_MEMORY;
    if (status) likelihood_free(l);
    return status;
}

/* The logarithm of the mean over draws at point i of the posterior; without the emulator's uncertainty, at
 * its median. */
static gofh_status log_mean(const likelihood *l, const posterior *p, int i, const double *x, double *value)
{
    const outer *g = l->st->spec.g;
    size_t m = (size_t)l->st->outputs, d = (size_t)l->st->parameters;
    double *h = l->work + l->predict_size, *rows = h + BLOCK * m, *f = rows + BLOCK * d, *work = f + BLOCK;
    int count = l->emulator ? BLOCK : 1;
    if (l->emulator)
        posterior_draw(p, i, l->normals, count, h);
    else
        memcpy(h, p->mean + (size_t)i * m, m * sizeof *h);
    for (int s = 0; s < count; s++) memcpy(rows + (size_t)s * d, x, d * sizeof *x);
    gofh_status status = outer_objective(g, h, rows, count, f, NULL, NULL, work);
    if (status) return status;
    double most = -INFINITY, sum = 0.0;
    for (int s = 0; s < count; s++) most = fmax(most, f[s]);
    for (int s = 0; s < count && isfinite(most); s++) sum += exp(l->factor * (f[s] - most)) / count;
    *value = isfinite(most) ? l->factor * most + log(sum) : -INFINITY;
    return GOFH_OK;
}

gofh_status likelihood_draw_density(likelihood *l, const double *point, int points, double *value)
{
    const model *mo = l->st->fitted->mo;
    int d = l->st->d;
    double *work = l->work + posterior_size(LIKELIHOOD_CHUNK, mo->outputs, d), x[GOFH_MAX_PARAMETERS];
    double *cube = l->cube;
    for (int i = 0; i < points; i++) likelihood_cube(l, point + i * l->d, cube + i * d);
    for (int s = 0; s < mo->samples; s++) {
        posterior p;
        posterior_place(&p, points, mo->outputs, d, l->work);
        model_predict(mo, s, cube, points, l->emulator ? PREDICT_QUICK : PREDICT_MEAN, &p, work);
        if (!l->emulator) posterior_medians(&p, 0);
        for (int i = 0; i < points; i++) {
            double own;
            domain_to_user(&l->st->spec.box, cube + i * d, x);
            gofh_status status = log_mean(l, &p, i, x, &own);
            if (status) return status;
            double most = s == 0 ? own : fmax(value[i], own);
            value[i] = s == 0 || !isfinite(most) ? most : most + log(exp(value[i] - most) + exp(own - most));
        }
    }
    return GOFH_OK;
}
