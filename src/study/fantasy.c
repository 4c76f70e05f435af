/* What a suggestion adds to the model: incumbents, penalties of violated constraints, and fantasies of
 * the open trials. */
#include "base/memory.h"
#include "study/fit.h"
#include "study/fitted.h"
#include "study/violation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Penalties of violated constraints: a violation as large as a margin's standard deviation over the
 * data costs ten times that of the objective, or 10 where that has none. */
static gofh_status set_penalties(study *st)
{
    const outer *g = study_outer(st);
    double unit, *penalty = st->fitted->acquire->penalty;
    if (g->margins == 0) return GOFH_OK;
    gofh_status status = violation_scales(st, st->fitted->data, st->fitted->data_count, penalty, &unit);
    for (int i = 0; i < g->margins; i++)
        penalty[i] = penalty[i] > 0.0 ? 10.0 * (unit > 0.0 ? unit : 1.0) / penalty[i] : 0.0;
    return status;
}

/* f*: the best observed, or with noise the best posterior mean of f at the data (eq. 11). */
gofh_status study_set_incumbents(study *st)
{
    acquisition *a = st->fitted->acquire;
    double best = -INFINITY;
    if (!study_is_noisy(st)) {
        for (int i = 0; i < st->fitted->data_count; i++)
            best = fmax(best, st->trials.list[st->fitted->data[i]].f);
    } else {
        gofh_status status;
        study_best_mean(st, &best, &status);
        if (status) return status;
    }
    for (int s = 0; s < st->fitted->mo->samples; s++) a->incumbent[s] = best;
    return set_penalties(st);
}

/* Normals of one fantasy, with this sign: one row per point, mixed across outputs. */
static void draw_normals(const study *st, int open, double sign, random_stream *stream, double *z)
{
    size_t m = (size_t)st->outputs, q = (size_t)open;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < q; i++) z[i * m + j] = sign * random_normal(stream);
    model_mix(st->fitted->mo, open, z);
}

/* A joint fantasy of all outputs at the open points for each sample, into fantasy[point * samples *
 * outputs + sample * outputs + output], of the normals z (samples x points x outputs). Samples that share
 * all so far are drawn together. work: 2 samples * points + gp_draw_work doubles. */
static void draw_fantasies(study *st, const double *points, int open, const double *z, double *fantasy,
                           double *work)
{
    model *mo = st->fitted->mo;
    size_t m = (size_t)st->outputs, q = (size_t)open, samples = (size_t)mo->samples;
    size_t together = mo->base ? samples : 1;
    double *own = work, *values = own + together * q; /* of one output: samples x points */
    for (size_t s = 0; s < samples; s += together)
        for (size_t j = 0; j < m; j++) {
            for (size_t i = 0; i < together * q; i++) own[i] = z[(s * q + i) * m + j];
            gp_draw(model_process(mo, (int)s, (int)j), model_inputs(mo, (int)j), mo->kernel, points, open,
                    (int)together, own, values, values + together * q);
            for (size_t i = 0; i < together * q; i++)
                fantasy[((i % q) * samples + s + i / q) * m + j] = model_to_user(mo, (int)j, values[i]);
        }
}

/* Counts the fantasies as observed. */
static gofh_status assume(study *st, const double *points, const double *x, int open, const double *fantasy,
                          double *work)
{
    size_t samples = (size_t)st->fitted->mo->samples, m = (size_t)st->outputs;
    for (size_t i = 0; i < (size_t)open; i++)
        for (size_t s = 0; s < samples; s++) {
            double f;
            gofh_status status = outer_value(study_outer(st), fantasy + (i * samples + s) * m,
                                             x + i * (size_t)st->parameters, &f, st->margin);
            if (status) return status;
            st->fitted->acquire->incumbent[s] = fmax(st->fitted->acquire->incumbent[s], f);
        }
    model_append(st->fitted->mo, open, points, fantasy, work);
    return GOFH_OK;
}

/* The normals of all samples. Samples of one set of hyperparameters come in pairs of opposite
 * normals: their mean is then that of the model. Where there is one, it is the mean. */
static void draw_all_normals(const study *st, uint64_t key, int open, double *z)
{
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_FANTASY, key, 0);
    for (int s = 0; s < st->fitted->mo->samples; s++) {
        int paired = st->fitted->mo->base != NULL;
        if (paired) stream = random_open(st->spec.settings.seed, RANDOM_FANTASY, key, (uint64_t)(s / 2));
        double sign = !paired ? 1.0 : st->fitted->mo->samples == 1 ? 0.0 : s % 2 ? -1.0 : 1.0;
        draw_normals(st, open, sign, &stream, z + (size_t)s * (size_t)open * (size_t)st->outputs);
    }
}

gofh_status study_fantasise(study *st, uint64_t key)
{
    gofh_status status = study_set_incumbents(st);
    int open = 0;
    for (size_t i = 0; i < st->trials.count; i++) open += st->trials.list[i].state == GOFH_TRIAL_OPEN;
    if (status || open == 0) return status;
    if (st->method->parts) {
        int fantasies = st->method->parts & PART_FANTASIES ? ACQUIRE_SHARED : 1;
        if (model_fork(st->fitted->mo, fantasies)) return GOFH_ERROR_MEMORY;
        for (int s = 1; s < fantasies; s++)
            st->fitted->acquire->incumbent[s] = st->fitted->acquire->incumbent[0];
    }
    size_t q = (size_t)open, d = (size_t)st->d, parameters = (size_t)st->parameters,
           values_each = (size_t)st->fitted->mo->samples * (size_t)st->outputs;
    int n = st->fitted->mo->inputs.n, capacity = st->fitted->mo->inputs.capacity;
    double *points = memory_doubles(
        q * (d + parameters + 2 * values_each + 2 * (size_t)st->fitted->mo->samples) +
        gp_draw_work(n, open, st->d) + 2 * (size_t)capacity);
    if (!points) {
        study_unfantasise(st);
        return GOFH_ERROR_MEMORY;
    }
    double *x = points + q * d, *fantasy = x + q * parameters, *z = fantasy + q * values_each,
           *work = z + q * values_each;
    size_t at = 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        if (st->trials.list[i].state != GOFH_TRIAL_OPEN) continue;
        memcpy(points + at * d, st->trials.list[i].u, d * sizeof *points);
        memcpy(x + at++ * parameters, st->trials.list[i].x, parameters * sizeof *x);
    }
    draw_all_normals(st, key, open, z);
    draw_fantasies(st, points, open, z, fantasy, work);
    status = assume(st, points, x, open, fantasy, work);
    if (status) study_unfantasise(st);
    free(points);
    return status;
}

gofh_status study_prepare(study *st, uint64_t key)
{
    gofh_status status = study_fit(st);
    return status ? status : study_fantasise(st, key);
}

void study_unfantasise(study *st)
{
    model_join(st->fitted->mo);
    model_truncate(st->fitted->mo, st->fitted->data_count);
}
