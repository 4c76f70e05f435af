#include "acquire/pes.h"

#include "acquire/pes_condition.h"
#include "acquire/pes_path.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "linalg/linalg.h"
#include "model/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 }; /* points evaluated together */

/* Added to the noise of every value: below it variances are rounding. Also keeps the logarithms
 * finite. */
static const double VARIANCE_FLOOR = 1e-11;

struct pes {
    const model *mo;
    int optima, pairs; /* for each hyperparameter sample; in all */
    pes_path *paths;
    condition *conditions;
    functional *functionals;
    double *block;
    double *part; /* samples x BLOCK */
    double *work; /* a share for each worker */
    size_t share;
};

/* What is known of f at a block of points under one sample of the hyperparameters. */
typedef struct {
    double *correlation, *solved;   /* n x BLOCK */
    double *mean, *variance, *rest; /* BLOCK each */
    double *scratch;
} block_posterior;

static size_t block_size(int n)
{
    return 2 * BLOCK * (size_t)n + 3 * BLOCK;
}

static size_t worker_share(int d, int n)
{
    size_t prepare = condition_work(d, n), draw = (size_t)d * PES_FEATURES;
    size_t evaluate = block_size(n) + 2 * (size_t)condition_most(d);
    size_t most = prepare > draw ? prepare : draw;
    return most > evaluate ? most : evaluate;
}

pes *pes_create(const model *mo, int optima, uint64_t seed, uint64_t trial)
{
    pes *p = memory_new(1, sizeof *p);
    if (!p) return NULL;
    int d = mo->inputs.d, n = mo->inputs.n, threads = mo->threads > 1 ? mo->threads : 1;
    size_t pairs = (size_t)mo->samples * (size_t)optima;
    size_t path_size = pes_path_size(d, n), condition_doubles = condition_size(d, n);
    *p = (pes){.mo = mo, .optima = optima, .pairs = mo->samples * optima, .share = worker_share(d, n)};
    p->paths = memory_new(pairs, sizeof *p->paths);
    p->conditions = memory_new(pairs, sizeof *p->conditions);
    p->functionals = memory_new(pairs * (size_t)condition_most(d), sizeof *p->functionals);
    p->block = memory_doubles(pairs * (path_size + condition_doubles));
    p->part = memory_doubles((size_t)mo->samples * BLOCK);
    p->work = memory_doubles((size_t)threads * p->share);
    if (!p->paths || !p->conditions || !p->functionals || !p->block || !p->part || !p->work) {
        pes_free(p);
        return NULL;
    }
    for (size_t i = 0; i < pairs; i++) {
        const gp *process = model_process(mo, (int)i / optima, 0);
        random_stream stream = random_open(seed, RANDOM_ENTROPY, trial, i);
        pes_path_place(&p->paths[i], d, n, p->block + i * path_size);
        pes_path_draw(&p->paths[i], process, &mo->inputs, mo->kernel, &stream, p->work);
        p->conditions[i] = (condition){.process = process, .inputs = &mo->inputs, .kernel = mo->kernel};
        condition_place(&p->conditions[i], d, p->functionals + i * (size_t)condition_most(d),
                        p->block + pairs * path_size + i * condition_doubles);
        p->conditions[i].failed = 1;
    }
    return p;
}

void pes_free(pes *p)
{
    if (!p) return;
    free(p->paths);
    free(p->conditions);
    free(p->functionals);
    free(p->block);
    free(p->part);
    free(p->work);
    free(p);
}

pes_path *pes_path_of(pes *p, int sample, int index)
{
    return &p->paths[sample * p->optima + index];
}

void pes_set_optimum(pes *p, int sample, int index, const double *x)
{
    memcpy(p->conditions[sample * p->optima + index].x, x, (size_t)p->mo->inputs.d * sizeof *x);
}

static void prepare_one(int index, int worker, void *context)
{
    pes *p = context;
    condition_prepare(&p->conditions[index], p->work + (size_t)worker * p->share);
}

int pes_prepare(pes *p)
{
    int failed = 0;
    parallel_for(p->mo->threads, p->pairs, prepare_one, p);
    for (int i = 0; i < p->pairs; i++) failed += p->conditions[i].failed;
    return failed;
}

static block_posterior block_place(int n, double *work)
{
    block_posterior b = {.correlation = work, .solved = work + (size_t)n * BLOCK};
    b.mean = b.solved + (size_t)n * BLOCK;
    b.variance = b.mean + BLOCK;
    b.rest = b.variance + BLOCK;
    b.scratch = b.rest + BLOCK;
    return b;
}

/* Like gp_predict, in units of the signal, and keeping what the conditions need. */
static void block_predict(const model *mo, const gp *g, const double *points, int q, block_posterior *b)
{
    int n = mo->inputs.n, d = mo->inputs.d, ld = mo->inputs.capacity, known = !isnan(g->hyper.mean);
    size_t nq = (size_t)n * (size_t)q;
    for (int i = 0; i < q; i++)
        kernel_distances(d, n, points + (size_t)i * (size_t)d, mo->inputs.x, ld, g->hyper.inverse_lengthscale,
                         b->correlation + (size_t)i * (size_t)n);
    kernel_apply(mo->kernel, b->correlation, n * q, b->correlation, NULL);
    memcpy(b->solved, b->correlation, nq * sizeof *b->solved);
    solve_lower(n, g->factor, ld, q, b->solved, n);
    for (int i = 0; i < q; i++) {
        const double *k = b->correlation + (size_t)i * (size_t)n, *v = b->solved + (size_t)i * (size_t)n;
        b->mean[i] = (g->mean + dot_product(n, k, g->weights)) / sqrt(g->hyper.variance);
        b->rest[i] = known ? 0.0 : 1.0 - dot_product(n, k, g->ones);
        double variance = 1.0 - dot_product(n, v, v) + b->rest[i] * b->rest[i] / g->ones_sum;
        b->variance[i] = fmax(variance, 0.0);
    }
}

static double variance_after(const condition *c, const block_posterior *b, const double *x, int i)
{
    size_t column = (size_t)i * (size_t)c->inputs->n;
    condition_point at = {.x = x,
                          .correlation = b->correlation + column,
                          .solved = b->solved + column,
                          .mean = b->mean[i],
                          .variance = b->variance[i],
                          .rest = b->rest[i]};
    return condition_variance(c, &at, b->scratch);
}

typedef struct {
    pes *p;
    const double *points;
    int q;
} evaluation;

/* The sum over the optima of one sample (eq. P11). */
static void evaluate_sample(int sample, int worker, void *context)
{
    const evaluation *e = context;
    pes *p = e->p;
    int d = p->mo->inputs.d;
    const gp *g = model_process(p->mo, sample, 0);
    block_posterior b = block_place(p->mo->inputs.n, p->work + (size_t)worker * p->share);
    double *part = p->part + (size_t)sample * BLOCK, noise = g->hyper.noise + g->nugget + VARIANCE_FLOOR;
    block_predict(p->mo, g, e->points, e->q, &b);
    for (int i = 0; i < e->q; i++) {
        const double *x = e->points + (size_t)i * (size_t)d;
        part[i] = 0.0;
        for (int j = 0; j < p->optima; j++) {
            double after = variance_after(&p->conditions[sample * p->optima + j], &b, x, i);
            part[i] += 0.5 * log((b.variance[i] + noise) / (after + noise));
        }
    }
}

void pes_evaluate(pes *p, const double *points, int q, double *value)
{
    for (int start = 0; start < q; start += BLOCK) {
        evaluation e = {.p = p,
                        .points = points + (size_t)start * (size_t)p->mo->inputs.d,
                        .q = q - start < BLOCK ? q - start : BLOCK};
        parallel_for(p->mo->threads, p->mo->samples, evaluate_sample, &e);
        for (int i = 0; i < e.q; i++) {
            double sum = 0.0;
            for (int s = 0; s < p->mo->samples; s++) sum += p->part[s * BLOCK + i];
            value[start + i] = sum / p->pairs;
        }
    }
}

void pes_variances(pes *p, int sample, int index, const double *points, int q, double *before, double *after)
{
    int d = p->mo->inputs.d;
    block_posterior b = block_place(p->mo->inputs.n, p->work);
    for (int start = 0; start < q; start += BLOCK) {
        int count = q - start < BLOCK ? q - start : BLOCK;
        const double *x = points + (size_t)start * (size_t)d;
        block_predict(p->mo, model_process(p->mo, sample, 0), x, count, &b);
        for (int i = 0; i < count; i++) {
            before[start + i] = b.variance[i];
            after[start + i] = variance_after(&p->conditions[sample * p->optima + index], &b,
                                              x + (size_t)i * (size_t)d, i);
        }
    }
}
