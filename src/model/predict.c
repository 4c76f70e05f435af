/* Prediction of all outputs at a batch of points. */
#include "base/parallel.h"
#include "linalg/linalg.h"
#include "model/index.h"
#include "model/model.h"
#include "model/quick.h"

#include <math.h>

/* Points at which outputs with one kernel are predicted together: as many whatever the number of
 * threads. */
enum { BLOCK = 16 };

/* Of more outputs gradients are deferred. */
enum { DEFER_ABOVE = 10000 };

/* Variances below this part of the signal's are rounding, not knowledge. */
static const double VARIANCE_FLOOR = 1e-18;

typedef struct {
    const model *mo;
    int sample, samples; /* the first, and how many */
    int q;
    const double *points;
    int deviation, gradient; /* whether they are wanted */
    int quick;               /* quick.h also with a trend */
    posterior *result;
    double *work;
    size_t share; /* of the workspace, per worker */
} prediction;

static void predict_output(int j, int worker, void *context)
{
    const prediction *t = context;
    const model *mo = t->mo;
    if (mo->shares[j]) return;
    int q = t->q, rows = t->samples * q, d = mo->inputs.d;
    const gp *process = model_process(mo, t->sample, j);
    double *mean = t->work + (size_t)worker * t->share, *variance = mean + rows;
    double *mean_gradient = variance + rows, *variance_gradient = mean_gradient + index2(rows, d, 0);
    double *rest = variance_gradient + index2(rows, d, 0);
    if (t->quick && !process->hyper.latent && mo->inputs.n <= QUICK_DATA)
        quick_predict(process, t->samples, mo->outputs, model_inputs(mo, j), mo->kernel, t->points, q, mean,
                      variance, rest);
    else
        gp_predict_shared(process, t->samples, mo->outputs, model_inputs(mo, j), mo->kernel, t->points, q,
                          mean, t->deviation ? variance : NULL, t->gradient ? mean_gradient : NULL,
                          t->gradient ? variance_gradient : NULL, rest);
    double floor = VARIANCE_FLOOR * process->hyper.variance, scale = mo->scale[j];
    for (int row = 0; row < rows; row++) {
        size_t at = index2(row, mo->outputs, j);
        t->result->mean[at] = mo->shift[j] + scale * mean[row];
        for (int k = 0; t->gradient && k < d; k++)
            t->result->mean_gradient[at * (size_t)d + (size_t)k] = scale * mean_gradient[index2(row, d, k)];
        if (!t->deviation) continue;
        int p = row % q, clipped = !(variance[p] > floor);
        double deviation = sqrt(clipped ? floor : variance[p]);
        t->result->deviation[at] = scale * deviation;
        for (int k = 0; t->gradient && k < d; k++)
            t->result->deviation_gradient[at * (size_t)d + (size_t)k] =
                clipped ? 0.0 : scale * variance_gradient[index2(p, d, k)] / (2.0 * deviation);
    }
}

/* What a block of points is predicted from, in a worker's workspace. */
typedef struct {
    double *k, *slopes;                   /* n x BLOCK, n x BLOCK d (gp_basis) */
    double *variance, *variance_gradient; /* BLOCK, BLOCK x d */
    double *mean_gradient;                /* BLOCK d x outputs */
    double *amplitude, *centre;           /* outputs: of the deviations, and the mean of the process */
    double *rest;
} block;

static size_t block_size(const model *mo)
{
    size_t n = (size_t)mo->inputs.capacity, d = (size_t)mo->inputs.d, m = (size_t)mo->outputs;
    return BLOCK * ((n + 1) * (d + 1) + d * m) + 2 * m + gp_basis_work(mo->inputs.capacity, BLOCK);
}

static block place_block(const model *mo, double *work)
{
    int n = mo->inputs.capacity, d = mo->inputs.d;
    block b = {.k = work};
    b.slopes = b.k + index2(n, BLOCK, 0);
    b.variance = b.slopes + index2(n, BLOCK * d, 0);
    b.variance_gradient = b.variance + BLOCK;
    b.mean_gradient = b.variance_gradient + index2(BLOCK, d, 0);
    b.amplitude = b.mean_gradient + index2(BLOCK * d, mo->outputs, 0);
    b.centre = b.amplitude + mo->outputs;
    b.rest = b.centre + mo->outputs;
    return b;
}

/* Means and deviations of point p of a block, which is row `row` of the result. On entry the means
 * there are k' weights. */
static void scale_point(const prediction *t, const block *b, int p, int row)
{
    const model *mo = t->mo;
    size_t first = index2(row, mo->outputs, 0);
    double *mean = t->result->mean + first, *deviation = t->result->deviation + first;
    double root = t->deviation ? sqrt(fmax(b->variance[p], VARIANCE_FLOOR)) : 0.0;
    for (int j = 0; j < mo->outputs; j++) mean[j] = mo->shift[j] + mo->scale[j] * (mean[j] + b->centre[j]);
    for (int j = 0; t->deviation && j < mo->outputs; j++) deviation[j] = b->amplitude[j] * root;
}

/* The derivatives of the logarithm of the deviations, behind those of the correlations. */
static void defer_slopes(const prediction *t, const block *b, int p, int row)
{
    int d = t->mo->inputs.d;
    if (!t->deviation) return; /* they may be known */
    double *to = t->result->mean_gradient + index2(t->mo->inputs.n, t->q * d, 0) + index2(row, d, 0);
    for (int k = 0; k < d; k++)
        to[k] = b->variance[p] > VARIANCE_FLOOR
                    ? b->variance_gradient[index2(p, d, k)] / (2.0 * b->variance[p])
                    : 0.0;
}

static void scale_gradients(const prediction *t, const block *b, int p, int row)
{
    const model *mo = t->mo;
    int d = mo->inputs.d, m = mo->outputs;
    double slope[GOFH_MAX_PARAMETERS] = {0};
    int clipped = t->deviation && !(b->variance[p] > VARIANCE_FLOOR);
    for (int k = 0; t->deviation && k < d; k++)
        slope[k] = clipped ? 0.0 : b->variance_gradient[index2(p, d, k)] / (2.0 * sqrt(b->variance[p]));
    for (int j = 0; j < m; j++) {
        size_t first = index2(row, m, j) * (size_t)d;
        for (int k = 0; k < d; k++)
            t->result->mean_gradient[first + (size_t)k] = mo->scale[j] *
                                                          b->mean_gradient[index2(p * d + k, m, j)];
        for (int k = 0; t->deviation && k < d; k++)
            t->result->deviation_gradient[first + (size_t)k] = b->amplitude[j] * slope[k];
    }
}

/* The means at a block of q points, of which `first` is the first, under one sample, and their gradients. */
static void predict_means(const prediction *t, const block *b, int sample, int first, int q)
{
    const model *mo = t->mo;
    int n = mo->inputs.n, d = mo->inputs.d, m = mo->outputs, row = (sample - t->sample) * t->q + first;
    const double *weights = model_process(mo, sample, 0)->weights;
    int apart = m > 1 ? (int)(model_process(mo, sample, 1)->weights - weights) : n;
    int deferred = t->gradient && t->result->deferred;
    for (int j = 0; j < m; j++) {
        const gp *process = model_process(mo, sample, j);
        b->amplitude[j] = mo->scale[j] * sqrt(process->hyper.variance);
        b->centre[j] = process->mean;
    }
    multiply_transposed(n, m, q, weights, apart, b->k, n, t->result->mean + index2(row, m, 0), m);
    if (t->gradient && !deferred)
        multiply_transposed(n, m, q * d, weights, apart, b->slopes, n, b->mean_gradient, m);
    for (int p = 0; p < q; p++) {
        scale_point(t, b, p, row + p);
        if (deferred)
            defer_slopes(t, b, p, row + p);
        else if (t->gradient)
            scale_gradients(t, b, p, row + p);
    }
}

/* One block of points for all outputs, as if all shared: those that do not are overwritten
 * afterwards. Correlations and variances are found once. Means and their gradients are one matrix
 * product each, with the weights of all processes, which are equally spaced in memory. */
static void predict_block(int index, int worker, void *context)
{
    const prediction *t = context;
    const model *mo = t->mo;
    int first = index * BLOCK, q = t->q - first < BLOCK ? t->q - first : BLOCK, d = mo->inputs.d;
    const gp *leader = model_process(mo, t->sample, mo->leader);
    block b = place_block(mo, t->work + (size_t)worker * t->share);
    if (t->gradient && t->result->deferred)
        b.slopes = t->result->mean_gradient + index2(first * d, mo->inputs.n, 0);
    gp_basis(leader, &mo->inputs, mo->kernel, t->points + index2(first, d, 0), q, b.k,
             t->deviation ? b.variance : NULL, t->gradient ? b.slopes : NULL,
             t->deviation && t->gradient ? b.variance_gradient : NULL, b.rest);
    for (int s = t->sample; s < t->sample + t->samples; s++) predict_means(t, &b, s, first, q);
}

/* A whole number of cache lines, so that the workspace of every worker is aligned alike: there are
 * BLAS kernels whose order of summation depends on it. */
static size_t predict_share(const model *mo, int q)
{
    size_t own = 2 * (size_t)q * (size_t)(1 + mo->inputs.d) + gp_predict_work(mo->inputs.capacity, q);
    size_t together = block_size(mo);
    return ((own > together ? own : together) + 7) / 8 * 8;
}

size_t model_predict_work(const model *mo, int q)
{
    return (size_t)mo->threads * predict_share(mo, q);
}

/* Deviations as they are said to the user. */
static void inflate(const model *mo, int gradient, posterior *p)
{
    for (int i = 0; i < p->points; i++)
        for (int j = 0; j < p->outputs; j++) {
            size_t at = index2(i, p->outputs, j);
            p->deviation[at] *= mo->inflation[j];
            for (int k = 0; gradient && k < p->d; k++)
                p->deviation_gradient[at * (size_t)p->d + (size_t)k] *= mo->inflation[j];
        }
}

/* Whether the gradients may wait, and then what they will be made of. */
static void choose_deferred(const model *mo, int sample, int own, posterior *p)
{
    int normal = mo->outputs > DEFER_ABOVE && mo->inputs.n + 1 < mo->outputs && mo->inputs.d > 1;
    p->deferred = p->may_defer && own == 0 && normal && model_is_normal(mo);
    if (!p->deferred) return;
    p->data = mo->inputs.n;
    p->weights = model_process(mo, sample, 0)->weights;
    p->apart = (int)(model_process(mo, sample, 1)->weights - p->weights);
    p->scale = mo->scale;
}

void model_predict(const model *mo, int sample, const double *points, int q, predict_what what,
                   posterior *result, double *work)
{
    model_predict_shared(mo, sample, 1, points, q, what, result, work);
}

void model_predict_shared(const model *mo, int first, int samples, const double *points, int q,
                          predict_what what, posterior *result, double *work)
{
    prediction task = {.mo = mo, .sample = first, .samples = samples, .q = q, .points = points};
    task.quick = what == PREDICT_QUICK;
    task.deviation = task.quick || what == PREDICT_DEVIATION || what == PREDICT_GRADIENT;
    task.gradient = what == PREDICT_MEAN_GRADIENT || what == PREDICT_GRADIENT;
    task.result = result;
    task.work = work;
    task.share = predict_share(mo, samples * q);
    result->points = samples * q;
    result->transform = mo->transform;
    result->correlation = mo->correlated ? &mo->correlation : NULL;
    int own = mo->outputs;
    for (int j = 0; j < mo->outputs; j++) own -= mo->shares[j];
    if (samples > 1) result->may_defer = 0;
    choose_deferred(mo, first, own, result);
    if (mo->leader >= 0) parallel_for(mo->threads, (q + BLOCK - 1) / BLOCK, predict_block, &task);
    if (own > 0) parallel_for(mo->threads, mo->outputs, predict_output, &task);
    if (mo->inflation && task.deviation) inflate(mo, task.gradient && !result->deferred, result);
}
