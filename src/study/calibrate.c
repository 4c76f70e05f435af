#include "study/calibrate.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "study/calibrate_f.h"
#include "study/fit_hyper.h"
#include "study/fit_reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FOLDS = 10,
    FOLDS_FEW = 5, /* of fewer data than DATA_FEW, where one or two leave all as it is, and of chains */
    DATA_FEW = 20,
    DATA_MIN = 5,    /* fewer say nothing */
    DATA_MAX = 100,  /* of more, so many in even strides */
    OUTPUTS_MAX = 20 /* outputs with a kernel of their own; of more, so many in even strides */
};

/* Data that all outputs together count for in the factor of each. */
static const double POOLED = 10.0;
/* An error beyond so many deviations counts as that: one must not decide for all. */
static const double ERROR_MAX = 10.0;
/* An error below this part of an output's standard deviation is rounding: none. */
static const double ROUNDING = 1e-9;

/* The data without one of the folds, as hyperparameters are learned from them, and those left out. */
typedef struct {
    study *st;
    int n, left; /* data that are used: of the last fit, those that have all outputs; left out */
    int *datum;  /* n: their places among all */
    int folds;   /* the data are cut into */
    fitting task;
    gp process;                     /* of one output after another */
    double *points, *value, *noise; /* left out: left x d; outputs x left, each; noise as in the model */
    double *mean, *variance;        /* predicted there: left */
    double *mixed, *mixed_variance; /* the same of all samples of the hyperparameters */
    double *together;               /* the data of the outputs that share, one after another */
    double *packed, *predict, *work, *process_block;
    double *squares, *count; /* outputs: the sum of squared errors, in deviations, and of how many */
    int number;              /* of the fold that is left out */
    /* n points: what was predicted of all outputs of each datum without it, in the user's units; not finite
     * where nothing was. No points: nobody asks for it */
    posterior left_out;
    double *block;
} fold;

static int count_shared(const model *mo)
{
    int count = 0;
    for (int j = 0; j < mo->outputs; j++) count += mo->shares[j];
    return count;
}

/* Which of the values that there are of output j is that of datum i; -1: it has none. */
static int value_of(const model *mo, int j, int i)
{
    int n = model_inputs(mo, j)->n;
    for (int a = i < n ? i : n - 1; a >= 0; a--)
        if (model_place(mo, j, a) <= i) return model_place(mo, j, a) == i ? a : -1;
    return -1;
}

/* Puts into datum the data that have all outputs, of the last fit: the model does not keep the values of
 * what was appended since. Of more than DATA_MAX, so many in even strides. Returns how many. */
static int find_whole(const study *st, int *datum)
{
    const model *mo = st->fitted->mo;
    int count = 0;
    for (int i = 0; i < st->fitted->current.data; i++) {
        int whole = 1;
        for (int j = 0; whole && j < mo->outputs; j++) whole = value_of(mo, j, i) >= 0;
        if (whole) datum[count++] = i;
    }
    if (count <= DATA_MAX) return count;
    for (int i = 0; i < DATA_MAX; i++)
        datum[i] = datum[(size_t)i * (size_t)(count - 1) / (size_t)(DATA_MAX - 1)];
    return DATA_MAX;
}

static void close_folds(fold *f)
{
    free(f->left_out.mean);
    free(f->block);
    free(f->datum);
}

/* Room for what is predicted of all outputs, where f can be calibrated by it. */
static gofh_status open_left_out(fold *f)
{
    const model *mo = f->st->fitted->mo;
    size_t values = (size_t)f->n * (size_t)mo->outputs;
    if (f->folds == 0 || !calibrate_f_applies(f->st)) return GOFH_OK;
    double *block = memory_doubles(2 * values);
    if (!block) return GOFH_ERROR_MEMORY;
    f->left_out = (posterior){.points = f->n,
                              .outputs = mo->outputs,
                              .d = f->st->d,
                              .transform = mo->transform,
                              .mean = block,
                              .deviation = block + values};
    for (size_t i = 0; i < values; i++) block[i] = NAN;
    return GOFH_OK;
}

/* To be ended by close_folds. */
static gofh_status open_folds(fold *f, study *st)
{
    const model *mo = st->fitted->mo;
    *f = (fold){.st = st, .datum = memory_new((size_t)st->fitted->current.data, sizeof *f->datum)};
    if (!f->datum) return GOFH_ERROR_MEMORY;
    f->n = find_whole(st, f->datum);
    f->folds = f->n < DATA_MIN ? 0 : f->n < DATA_FEW || study_samples_hyper(st) ? FOLDS_FEW : FOLDS;
    f->task = (fitting){.st = st, .warm = 1, .threads = 1};
    size_t n = (size_t)f->n, m = (size_t)mo->outputs, d = (size_t)st->d, half = n * n / 2 + 1,
           predict = gp_predict_work(f->n, f->n), work = fit_work(f->n, st->d, count_shared(mo), 1);
    f->block = memory_doubles(2 * n * (d + 2) + m * (5 * n + 2) + half + predict + work +
                              gp_size(st->d, f->n) + n * d);
    if (!f->block || open_left_out(f)) {
        close_folds(f);
        return GOFH_ERROR_MEMORY;
    }
    f->task.inputs.x = f->block;
    f->points = f->task.inputs.x + n * d;
    f->mean = f->points + n * d;
    f->variance = f->mean + n;
    f->mixed = f->variance + n;
    f->mixed_variance = f->mixed + n;
    f->task.y = f->mixed_variance + n;
    f->task.noise = f->task.y + m * n;
    f->value = f->task.noise + m * n;
    f->noise = f->value + m * n;
    f->together = f->noise + m * n;
    f->squares = f->together + m * n;
    f->count = f->squares + m;
    f->packed = f->count + m;
    f->predict = f->packed + half;
    f->work = f->predict + predict;
    f->process_block = f->work + work;
    f->process.seen = f->process_block + gp_size(st->d, f->n);
    return GOFH_OK;
}

/* Datum i becomes number `to` of those that are left out, or of those that are kept. */
static void place_datum(fold *f, int i, int leave, int to)
{
    const model *mo = f->st->fitted->mo;
    size_t capacity = (size_t)mo->inputs.capacity, from = (size_t)f->datum[i],
           kept = (size_t)f->task.inputs.n, place = (size_t)to, d = (size_t)f->st->d;
    for (size_t k = 0; k < d; k++)
        *(leave ? &f->points[place * d + k]
                : &f->task.inputs.x[k * kept + place]) = mo->inputs.x[k * capacity + from];
    for (size_t j = 0; j < (size_t)mo->outputs; j++) {
        size_t at = leave ? j * (size_t)f->left + place : j * kept + place;
        size_t value = j * capacity + (size_t)value_of(mo, (int)j, (int)from);
        (leave ? f->value : f->task.y)[at] = mo->y[value];
        (leave ? f->noise : f->task.noise)[at] = mo->noise ? mo->noise[value] : 0.0;
    }
}

static void fill_fold(fold *f, int number)
{
    int left = 0, kept = 0;
    f->number = number;
    for (int i = number; i < f->n; i += f->folds) left++;
    f->left = left;
    f->task.inputs = (gp_inputs){
        .d = f->st->d, .n = f->n - left, .capacity = f->n - left, .x = f->task.inputs.x};
    left = 0;
    for (int i = 0; i < f->n; i++) {
        int leave = i % f->folds == number;
        place_datum(f, i, leave, leave ? left++ : kept++);
    }
    gp_place(&f->process, f->st->d, f->task.inputs.n, f->process_block);
}

/* Predicts output j, whose hyperparameters f->process has, at what was left out, noise included. Returns
 * -1 where its covariance can't be factorised. */
static int predict_left(fold *f, int j)
{
    const model *mo = f->st->fitted->mo;
    gp *process = &f->process;
    size_t kept = (size_t)f->task.inputs.n, left = (size_t)f->left;
    int known = model_process(mo, 0, j)->own_noise != NULL;
    process->own_noise = known ? f->task.noise + (size_t)j * kept : NULL;
    process->nugget_min = model_process(mo, 0, j)->nugget_min;
    if (gp_condition(process, &f->task.inputs, mo->kernel, f->task.y + (size_t)j * kept, f->packed))
        return -1;
    gp_predict(process, &f->task.inputs, mo->kernel, f->points, f->left, f->mean, f->variance, NULL, NULL,
               f->predict);
    for (size_t i = 0; i < left; i++)
        f->variance[i] = fmax(f->variance[i], 0.0) +
                         (known ? f->noise[(size_t)j * left + i]
                                : process->hyper.noise * process->diagonal * process->hyper.variance);
    return 0;
}

/* Keeps what is predicted of output j at what was left out. */
static void keep_left(fold *f, int j, const double *mean, const double *variance)
{
    const model *mo = f->st->fitted->mo;
    if (f->left_out.points == 0) return;
    for (int i = 0; i < f->left; i++) {
        size_t at = (size_t)(f->number + i * f->folds) * (size_t)mo->outputs + (size_t)j;
        f->left_out.mean[at] = mo->shift[j] + mo->scale[j] * mean[i];
        f->left_out.deviation[at] = mo->scale[j] * sqrt(variance[i]);
    }
}

/* Counts the errors of output j at what was left out. */
static void count_errors(fold *f, int j, const double *mean, const double *variance)
{
    size_t left = (size_t)f->left;
    keep_left(f, j, mean, variance);
    for (size_t i = 0; i < left; i++) {
        double error = fabs(f->value[(size_t)j * left + i] - mean[i]);
        double z = error < ROUNDING ? 0.0 : error / sqrt(variance[i]);
        if (isnan(z)) continue;
        f->squares[j] += pow(fmin(z, ERROR_MAX), 2.0);
        f->count[j]++;
    }
}

static void add_errors(fold *f, int j)
{
    if (!predict_left(f, j)) count_errors(f, j, f->mean, f->variance);
}

static void resolve(fold *f, hyper_target *target, const double *theta)
{
    hyper_resolve(target, theta, NULL, &f->process.hyper);
    fit_clean_noise(f->st, &f->process.hyper);
}

/* The mean and variance of all samples' predictions: adds those of one more, then divides. */
static void mix(fold *f, int seen)
{
    for (int i = 0; i < f->left; i++) {
        if (seen == 1) f->mixed[i] = f->mixed_variance[i] = 0.0;
        double rest = f->mean[i] - f->mixed[i];
        f->mixed[i] += rest / seen;
        f->mixed_variance[i] += rest * (f->mean[i] - f->mixed[i]) + f->variance[i];
    }
}

static void finish_mix(fold *f, int seen)
{
    for (int i = 0; i < f->left; i++) f->mixed_variance[i] /= seen;
}

/* Predicts output j, one of too many to be fitted again, with the hyperparameters of all data. */
static void predict_as_fitted(fold *f, int j)
{
    const model *mo = f->st->fitted->mo;
    double *own = f->process.hyper.inverse_lengthscale;
    int seen = 0;
    for (int s = 0; s < mo->samples && f->left_out.points > 0; s++) {
        const gp_hyper *hyper = &model_process(mo, s, j)->hyper;
        memcpy(own, hyper->inverse_lengthscale, (size_t)f->st->d * sizeof *own);
        f->process.hyper = *hyper;
        f->process.hyper.inverse_lengthscale = own;
        if (!predict_left(f, j)) mix(f, ++seen);
    }
    if (seen == 0) return;
    finish_mix(f, seen);
    keep_left(f, j, f->mixed, f->mixed_variance);
}

/* Where data are few there may be another maximum than the one of all data. */
static int starts_of(const fold *f)
{
    return f->folds == FOLDS_FEW ? FIT_STARTS : 1;
}

/* Outputs that have a kernel of their own. */
static void add_each(fold *f)
{
    const model *mo = f->st->fitted->mo;
    int own = mo->outputs - count_shared(mo), stride = (own + OUTPUTS_MAX - 1) / OUTPUTS_MAX;
    for (int j = 0, seen = 0; j < mo->outputs; j++) {
        double theta[HYPER_MAX];
        if (mo->shares[j]) continue;
        if (seen++ % stride) {
            predict_as_fitted(f, j);
            continue;
        }
        hyper_target target = fit_target(&f->task, j, f->work, theta);
        fit_maximise(&target, theta, starts_of(f), 1);
        resolve(f, &target, theta);
        add_errors(f, j);
    }
}

/* Outputs that share one. */
static void add_shared(fold *f)
{
    const model *mo = f->st->fitted->mo;
    size_t kept = (size_t)f->task.inputs.n;
    double theta[HYPER_MAX];
    int count = 0;
    if (mo->leader < 0) return;
    for (int j = 0; j < mo->outputs; j++)
        if (mo->shares[j])
            memcpy(f->together + (size_t)count++ * kept, f->task.y + (size_t)j * kept,
                   kept * sizeof *f->together);
    hyper_target target = fit_target(&f->task, mo->leader, f->work, theta);
    target.others = count - 1;
    target.y = f->together;
    fit_maximise(&target, theta, starts_of(f), 1);
    resolve(f, &target, theta);
    count = 0;
    for (int j = 0; j < mo->outputs; j++) {
        if (!mo->shares[j]) continue;
        f->process.hyper.variance = hyper_variance(&target, count++);
        add_errors(f, j);
    }
}

/* Where hyperparameters are sampled: a chain of each output, from where its last one ended; its samples
 * predict together. */
static void add_sampled(fold *f, int number)
{
    enum { FORGET = 5 }; /* steps of the chain after which it has forgotten what was left out */
    const model *mo = f->st->fitted->mo;
    int stride = (mo->outputs + OUTPUTS_MAX - 1) / OUTPUTS_MAX;
    for (int j = 0; j < mo->outputs; j++) {
        double theta[HYPER_MAX];
        int seen = 0;
        if (j % stride) {
            predict_as_fitted(f, j);
            continue;
        }
        random_stream stream = random_open(f->st->spec.settings.seed, RANDOM_CALIBRATE, (uint64_t)f->n,
                                           (uint64_t)(j * FOLDS + number));
        hyper_target target = fit_target(&f->task, j, f->work, theta);
        double value = hyper_sample(&target, theta, hyper_log_posterior(&target, theta, NULL), FORGET,
                                    &stream);
        for (int s = 0; s < mo->samples; s++) {
            value = hyper_sample(&target, theta, value, 1, &stream);
            hyper_resolve_last(&target, theta, value, &stream, &f->process.hyper);
            if (!predict_left(f, j)) mix(f, ++seen);
        }
        if (seen == 0) continue;
        finish_mix(f, seen);
        count_errors(f, j, f->mixed, f->mixed_variance);
    }
}

/* The root mean square of an output's errors, and of all with a weight (eq. 37); a model is never said
 * to be better than it says. */
static void find_inflation(const fold *f, double *inflation)
{
    int outputs = f->st->outputs, seen = 0;
    double all = 0.0;
    for (int j = 0; j < outputs; j++) {
        if (!(f->count[j] > 0.0)) continue;
        all += f->squares[j] / f->count[j];
        seen++;
    }
    if (seen == 0) return;
    for (int j = 0; j < outputs; j++)
        inflation[j] = fmax(1.0, sqrt((f->squares[j] + POOLED * all / seen) / (f->count[j] + POOLED)));
}

/* What f's intervals lack, with the factors of the outputs as they are now. */
static gofh_status find_levels(fold *f)
{
    study *st = f->st;
    model *mo = st->fitted->mo;
    int correlated = mo->correlated;
    if (f->left_out.points == 0) return GOFH_OK;
    for (size_t i = 0; i < (size_t)f->n * (size_t)mo->outputs; i++)
        f->left_out.deviation[i] *= st->fitted->inflation[i % (size_t)mo->outputs];
    mo->correlated = 1;
    gofh_status status = calibrate_f(st, f->n, f->datum, &f->left_out);
    mo->correlated = correlated;
    return status;
}

/* The factors, by leaving each fold out in turn. */
static gofh_status leave_out(study *st)
{
    model_state *own = st->fitted;
    fold f;
    gofh_status status = open_folds(&f, st);
    if (status) return status;
    hyper_state committed = own->committed;
    own->committed = own->current; /* where the fits start from */
    for (int number = 0; number < f.folds && !status; number++) {
        fill_fold(&f, number);
        if (study_samples_hyper(st))
            add_sampled(&f, number);
        else {
            add_shared(&f);
            add_each(&f);
        }
        if (interrupt_requested()) status = GOFH_STOP_CALLER;
    }
    own->committed = committed;
    if (!status) {
        find_inflation(&f, own->inflation);
        status = find_levels(&f);
    }
    close_folds(&f);
    return status;
}

gofh_status study_calibrate(study *st)
{
    model_state *own = st->fitted;
    if (own->calibrated) return GOFH_OK;
    if (!own->inflation) own->inflation = memory_doubles((size_t)st->outputs);
    if (!own->inflation) return GOFH_ERROR_MEMORY;
    for (int j = 0; j < st->outputs; j++) own->inflation[j] = 1.0;
    own->f_levels.degrees = 0;
    gofh_status status = fitted_correlate(st);
    if (!status && st->whole) {
        status = study_calibrate(st->whole);
        for (int j = 0; !status && j < st->outputs; j++) own->inflation[j] = fit_common_inflation(st->whole);
        own->calibrated = !status;
        return status;
    }
    if (!status && !own->fixed && own->current.data >= DATA_MIN) status = leave_out(st);
    own->calibrated = !status;
    return status;
}
