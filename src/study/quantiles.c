/* Quantiles of the posterior: those of outputs exactly, those of f from draws. */
#include "base/memory.h"
#include "base/student.h"
#include "study/calibrate_f.h"
#include "study/fit_reduced.h"
#include "study/objective.h"
#include "study/predict.h"
#include "study/reduce.h"

#include <math.h>
#include <stdlib.h>

enum {
    CHUNK = 16,       /* points at once */
    DRAWS_ALL = 1024, /* of f at a point, over all hyperparameter samples */
    DRAWS_MIN = 128   /* under each of them */
};

/* The quantile p of an equal mixture of distributions with so many degrees of freedom, whose own is z:
 * between those of the components, by bisection. */
static double mixture_quantile(const double *mean, const double *deviation, int count, int stride, double p,
                               double z, int degrees)
{
    double low = INFINITY, high = -INFINITY;
    for (int s = 0; s < count; s++) {
        double own = mean[s * stride] + deviation[s * stride] * z;
        low = fmin(low, own);
        high = fmax(high, own);
    }
    for (int i = 0; i < 100 && low < high; i++) {
        double middle = low + 0.5 * (high - low), below = 0.0;
        if (middle == low || middle == high) break;
        for (int s = 0; s < count; s++)
            below += student_cdf((middle - mean[s * stride]) / deviation[s * stride], degrees) / count;
        if (below < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Of outputs that have one kernel and no transform; own: the levels' quantiles of the distribution. */
static gofh_status quantiles_of_all(study *st, const double *points, int q, const double *own, int levels,
                                    double *outputs)
{
    size_t m = (size_t)st->m, d = (size_t)st->d;
    double *mean = memory_doubles(2 * m);
    if (!mean) return GOFH_ERROR_MEMORY;
    double *variance = mean + m;
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < (size_t)q && !status; i++) {
        status = fit_predict_all(st, points + i * d, 1, mean, variance);
        for (size_t j = 0; j < m; j++)
            for (size_t l = 0; l < (size_t)levels; l++)
                outputs[(i * m + j) * (size_t)levels + l] = mean[j] + sqrt(variance[j]) * own[l];
    }
    free(mean);
    return status;
}

/* All transforms increase, so the quantile of an output is that of what is modelled, transformed back. */
static gofh_status quantiles_by_samples(study *st, const double *points, int q, const double *level,
                                        const double *own, int levels, double *outputs)
{
    const model *mo = st->fitted->mo;
    size_t m = (size_t)st->outputs, values = CHUNK * m, samples = (size_t)mo->samples;
    double *mean = memory_doubles(2 * samples * values);
    if (!mean) return GOFH_ERROR_MEMORY;
    double *deviation = mean + samples * values;
    int degrees = calibrate_degrees_of(st);
    for (int start = 0; start < q; start += CHUNK) {
        int part = q - start < CHUNK ? q - start : CHUNK;
        for (size_t s = 0; s < samples; s++)
            acquisition_predict(st->fitted->acquire, (int)s, points + (size_t)start * (size_t)st->d, part,
                                mean + s * values, deviation + s * values);
        for (size_t i = 0; i < (size_t)part * m; i++)
            for (int l = 0; l < levels; l++) {
                const transform *t = &mo->transform[i % m];
                double z = mixture_quantile(mean + i, deviation + i, mo->samples, (int)values, level[l],
                                            own[l], degrees);
                outputs[((size_t)start * m + i) * (size_t)levels + (size_t)l] = t->kind->inverse(t, z);
            }
    }
    free(mean);
    return GOFH_OK;
}

static gofh_status quantiles_of_outputs(study *st, const double *points, int q, const double *level,
                                        int levels, double *outputs)
{
    double *own = memory_doubles((size_t)levels);
    if (!own) return GOFH_ERROR_MEMORY;
    for (int l = 0; l < levels; l++) own[l] = student_quantile(level[l], calibrate_degrees_of(st));
    gofh_status status = st->reduction ? quantiles_of_all(st, points, q, own, levels, outputs)
                                       : quantiles_by_samples(st, points, q, level, own, levels, outputs);
    free(own);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile p of values in ascending order, interpolated. */
static double quantile_of(const double *value, int count, double p)
{
    double place = fmin(fmax(p * count - 0.5, 0.0), count - 1.0), share = place - floor(place);
    int at = (int)place;
    if (share == 0.0 || value[at] == value[at + 1]) return value[at];
    return (1.0 - share) * value[at] + share * value[at + 1];
}

/* f of `draws` under each hyperparameter sample at one point, in the user's sense and in order. A NaN
 * is as bad as can be. */
static gofh_status draw_f(study *st, const double *z, int draws, const double *point, double *value)
{
    int all = st->fitted->mo->samples * draws;
    double sign = st->spec.g->sign;
    gofh_status status = GOFH_OK;
    for (int s = 0; s < st->fitted->mo->samples && !status; s++)
        status = acquisition_values(st->fitted->acquire, s, z, draws, point, value + s * draws);
    for (int i = 0; i < all; i++) value[i] = sign * (isnan(value[i]) ? -INFINITY : value[i]);
    qsort(value, (size_t)all, sizeof *value, ascending);
    return status;
}

static gofh_status quantiles_of_f(study *st, const double *points, int q, const double *level, int levels,
                                  double *f)
{
    int samples = st->fitted->mo->samples, draws = DRAWS_ALL / samples;
    if (draws < DRAWS_MIN) draws = DRAWS_MIN;
    double *value = memory_doubles((size_t)samples * (size_t)draws + (size_t)levels);
    double *z = objective_new_normals(st, RANDOM_RECOMMEND, (uint64_t)st->fitted->data_count, 0, draws);
    gofh_status status = value && z ? GOFH_OK : GOFH_ERROR_MEMORY;
    double *read_at = status ? NULL : value + samples * draws;
    for (int l = 0; l < levels && !status; l++) read_at[l] = calibrate_f_level(st, level[l]);
    if (!status) calibrate_degrees(st, draws, z);
    for (int i = 0; i < q && !status; i++) {
        status = draw_f(st, z, draws, points + (size_t)i * (size_t)st->d, value);
        for (int l = 0; l < levels; l++)
            f[(size_t)i * (size_t)levels + (size_t)l] = quantile_of(value, samples * draws, read_at[l]);
    }
    free(value);
    free(z);
    return status;
}

gofh_status study_quantiles(study *st, const double *points, int q, const double *level, int levels,
                            double *f, double *outputs)
{
    gofh_status status;
    study *by = reduce_study(st, &status);
    if (status) return status;
    status = predict_enter(by);
    if (!status && outputs) status = quantiles_of_outputs(st, points, q, level, levels, outputs);
    if (!status && f) status = quantiles_of_f(by, points, q, level, levels, f);
    predict_leave(by);
    return status;
}
