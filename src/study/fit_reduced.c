#include "study/fit_reduced.h"
#include "study/fit_state.h"
#include "study/journal.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "model/common.h"
#include "study/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Outputs, and points, that are predicted at once. */
enum { OUTPUTS = 256, POINTS = 16 };

int fit_learned(const study *st, int j)
{
    return st->reduction ? (int)((int64_t)j * (st->m - 1) / (st->outputs - 1)) : j;
}

gofh_status fit_end_reduction(study *st)
{
    int before = st->outputs;
    st->outputs = st->m;
    model_state *all = fitted_create(st);
    if (!all) {
        st->outputs = before;
        return GOFH_ERROR_MEMORY;
    }
    all->contradictions = st->fitted->contradictions;
    all->worst_nugget = st->fitted->worst_nugget;
    all->data = st->fitted->data;
    all->data_room = st->fitted->data_room;
    st->fitted->data = NULL;
    fitted_free(st->fitted);
    reduce_free(st->reduction);
    st->fitted = all;
    st->reduction = NULL;
    static const char *const line =
        "variances of observations: each output is modelled by itself, however many there are";
    journal_say_once(st, line, "%s", line);
    return GOFH_OK;
}

void fit_take_kernel(study *st)
{
    const model *from = st->whole->fitted->mo;
    model *mo = st->fitted->mo;
    const gp_hyper *kernel = &model_process(from, 0, from->leader)->hyper;
    memset(mo->shares, 1, (size_t)mo->outputs);
    model_share(mo, mo->shares);
    for (int k = 0; k < mo->outputs; k++) {
        gp_hyper *hyper = &model_process(mo, 0, k)->hyper;
        memcpy(hyper->inverse_lengthscale, kernel->inverse_lengthscale,
               (size_t)st->d * sizeof *hyper->inverse_lengthscale);
        hyper->latent = kernel->latent;
        hyper->variance = 1.0;
        hyper->noise = kernel->noise;
        hyper->trend = kernel->trend;
        hyper->mean = kernel->mean;
    }
}

/* The errors that the process of one output made, squared: (y - mean)' R^-1 (y - mean). */
static double sum_of_errors(const gp *process, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double error = process->solved_y[i] - process->mean * process->solved_one[i];
        sum += error * error;
    }
    return sum;
}

void fit_take_variance(study *st)
{
    model *mo = st->fitted->mo;
    const hyper_prior *prior = &st->fitted->prior;
    const analysis *squares = st->whole->spec.g->squares;
    int seen = squares ? mo->outputs - 1 : 1;
    double sum = 0.0, degrees = prior->variance_weight + mo->inputs.n - 1.0;
    mo->residuals = squares ? squares->residuals : 0;
    for (int k = 0; k < seen; k++) sum += sum_of_errors(model_process(mo, 0, k), mo->inputs.n);
    double variance = (sum / (squares ? mo->residuals : 1) + prior->variance_weight * prior->variance_scale) /
                      degrees;
    for (int k = 0; k < mo->outputs; k++)
        model_process(mo, 0, k)->hyper.variance = variance * (k < seen ? 1 : mo->residuals - seen);
}

double fit_common_inflation(const study *st)
{
    double squares = 0.0;
    for (int j = 0; j < st->outputs; j++)
        squares += st->fitted->inflation[j] * st->fitted->inflation[j] / st->outputs;
    return sqrt(squares);
}

/* The process whose kernel all outputs have. */
static const gp *leader_of(const study *st)
{
    const model *mo = st->fitted->mo;
    return model_process(mo, 0, mo->leader);
}

static const double *datum(const study *st, int i)
{
    return st->trials.list[st->fitted->data[i]].y;
}

/* The data of `count` outputs from `first` on, one column per output. */
static void collect(const study *st, int first, int count, double *y)
{
    size_t n = (size_t)st->fitted->mo->inputs.n;
    for (size_t i = 0; i < n; i++) {
        const double *row = datum(st, (int)i) + first;
        for (size_t j = 0; j < (size_t)count; j++) y[j * n + i] = row[j];
    }
}

/* The signal variance of each of `count` outputs from `first` on, in the user's units, and their means
 * unless NULL. work: n x count. */
static void find_variances(const study *st, int first, int count, double *mean, double *variance,
                           double *work)
{
    const gp_inputs *inputs = &st->fitted->mo->inputs;
    double degrees = st->fitted->prior.variance_weight + inputs->n - 1.0;
    collect(st, first, count, work);
    common_errors(leader_of(st), inputs, count, work, mean, variance);
    for (int j = 0; j < count; j++) variance[j] /= degrees;
}

/* Means and variances of up to OUTPUTS outputs at up to POINTS points. */
static void combine(const study *st, int first, int count, int q, const double *w, const double *unit,
                    const double *signal, double *mean, double *variance)
{
    int n = st->fitted->mo->inputs.n;
    size_t m = (size_t)st->m;
    for (int p = 0; p < q; p++) {
        double *to = mean ? mean + (size_t)p * m + (size_t)first : NULL;
        for (int j = 0; to && j < count; j++) to[j] = 0.0;
        for (int i = 0; to && i < n; i++) {
            const double *y = datum(st, i) + first;
            double share = w[(size_t)p * (size_t)n + (size_t)i];
            for (int j = 0; j < count; j++) to[j] += share * y[j];
        }
        for (int j = 0; variance && j < count; j++)
            variance[(size_t)p * m + (size_t)(first + j)] = fmax(unit[p], 0.0) * signal[j];
    }
}

gofh_status fit_predict_all(study *st, const double *points, int q, double *mean, double *variance)
{
    const model *mo = st->fitted->mo;
    size_t n = (size_t)mo->inputs.n;
    double *w = memory_doubles(n * POINTS + OUTPUTS * (n + 1) + gp_basis_work(mo->inputs.n, POINTS));
    if (!w) return GOFH_ERROR_MEMORY;
    double *signal = w + n * POINTS, *work = signal + OUTPUTS, *basis = work + OUTPUTS * n;
    double inflation = fit_common_inflation(st), unit[POINTS];
    gofh_status status = GOFH_OK;
    for (int start = 0; start < q && !status; start += POINTS) {
        int part = q - start < POINTS ? q - start : POINTS;
        size_t at = (size_t)start * (size_t)st->m;
        common_coefficients(leader_of(st), &mo->inputs, mo->kernel, points + (size_t)start * (size_t)st->d,
                            part, w, unit, basis);
        for (int p = 0; p < part; p++) unit[p] *= inflation * inflation;
        for (int first = 0; first < st->m && !status; first += OUTPUTS) {
            int count = st->m - first < OUTPUTS ? st->m - first : OUTPUTS;
            if (variance) find_variances(st, first, count, NULL, signal, work);
            combine(st, first, count, part, w, unit, signal, mean ? mean + at : NULL,
                    variance ? variance + at : NULL);
            if (interrupt_requested()) status = GOFH_STOP_CALLER;
        }
    }
    free(w);
    return status;
}

gofh_status fit_leave_one_out_all(study *st, double *mean, double *variance)
{
    int n = st->fitted->mo->inputs.n;
    size_t size = (size_t)n, m = (size_t)st->m;
    double *maker = memory_doubles(size * size + OUTPUTS * (2 * size + 1));
    if (!maker) return GOFH_ERROR_MEMORY;
    double *y = maker + size * size, *made = y + OUTPUTS * size, *signal = made + OUTPUTS * size;
    gofh_status status = GOFH_OK;
    common_residual_maker(leader_of(st), &st->fitted->mo->inputs, maker);
    for (int first = 0; first < st->m && !status; first += OUTPUTS) {
        int count = st->m - first < OUTPUTS ? st->m - first : OUTPUTS;
        find_variances(st, first, count, NULL, signal, y);
        collect(st, first, count, y);
        common_residuals(n, count, maker, y, made);
        for (int j = 0; j < count; j++)
            for (int i = 0; i < n; i++) {
                size_t own = (size_t)j * size + (size_t)i, at = (size_t)i * m + (size_t)(first + j);
                double precision = maker[(size_t)i * (size + 1)];
                int known = n > 1 && precision > 0.0;
                mean[at] = known ? y[own] - made[own] / precision : NAN;
                variance[at] = known ? signal[j] / precision : INFINITY;
            }
        if (interrupt_requested()) status = GOFH_STOP_CALLER;
    }
    free(maker);
    return status;
}

gofh_status fit_hyper_of_any(const study *st, int output, double *lengthscale, gofh_hyperparameters *values)
{
    const gp *g = leader_of(st);
    double mean, variance, *work = memory_doubles((size_t)st->fitted->mo->inputs.n);
    if (!work) return GOFH_ERROR_MEMORY;
    find_variances(st, output, 1, &mean, &variance, work);
    free(work);
    fit_lengthscales(st, &g->hyper, lengthscale);
    *values = (gofh_hyperparameters){.lengthscale = lengthscale,
                                     .variance = variance,
                                     .noise = g->hyper.noise * g->diagonal * variance,
                                     .mean = mean,
                                     .nugget = g->nugget * g->diagonal,
                                     .trend = g->hyper.trend,
                                     .inflation = fit_common_inflation(st),
                                     .kernel = st->fitted->mo->kernel};
    return GOFH_OK;
}
