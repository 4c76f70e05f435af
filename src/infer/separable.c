/* The likelihood where all outputs have one kernel and all data one noise, known or not: K_n(x) = v(x) A with
 * the same A everywhere, and the covariance of the noise is sigma^2 W^2. With W^-1 A W^-1 = Q G Q', found
 * once,
 *
 *     sigma^2 W^2 + v A = W Q (sigma^2 I + v G) Q' W,
 *
 * and the coordinates Q' W^-1 (data - mu_n(x)) of the residuals are linear in the correlations k(x) with the
 * model's data: a point costs what these and v(x) do, and one product. */
#include "base/memory.h"
#include "infer/likelihood.h"
#include "linalg/eigen.h"
#include "linalg/linalg.h"
#include "study/fitted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative variances below this are rounding, as in predictions. */
static const double VARIANCE_FLOOR = 1e-18;

/* Data above which eigenvectors cost more than they spare. */
enum { COUNT_MAX = 500 };

static int is_separable(const likelihood *l)
{
    const model *mo = l->st->fitted->mo;
    if (l->count > COUNT_MAX) return 0;
    if (mo->samples != 1 || mo->leader < 0 || mo->own || l->fields || l->groups > 1 || !model_is_normal(mo))
        return 0;
    for (int i = 0; i < l->count; i++) {
        const infer_datum *datum = &l->data[i];
        if (!mo->shares[datum->output] || datum->logarithm || (l->groups && !isnan(datum->sigma))) return 0;
    }
    return !l->beyond || mo->shares[mo->outputs - 1];
}

/* The deviation of output j over the root of v(x). */
static double amplitude_of(const model *mo, int j)
{
    double inflation = mo->inflation ? mo->inflation[j] : 1.0;
    return inflation * mo->scale[j] * sqrt(model_process(mo, 0, j)->hyper.variance);
}

static double unit_of(const infer_datum *datum)
{
    return isnan(datum->sigma) ? datum->unit : datum->sigma;
}

/* W^-1 A W^-1 becomes its eigenvectors Q. work: eigen_symmetric_work(count). Returns -1 where it has none. */
static int decompose(const likelihood *l, double *q, double *value, double *work)
{
    const model *mo = l->st->fitted->mo;
    const output_correlation *r = mo->correlated && mo->correlation.rank ? &mo->correlation : NULL;
    int n = l->count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            int j = l->data[a].output, k = l->data[b].output;
            double between = r ? correlation_between(r, j, k) : (double)(j == k);
            q[a * n + b] = between * amplitude_of(mo, j) * amplitude_of(mo, k) /
                           (unit_of(&l->data[a]) * unit_of(&l->data[b]));
        }
    if (eigen_symmetric(n, q, value, work)) return -1;
    for (int k = 0; k < n; k++) value[k] = fmax(value[k], 0.0);
    return 0;
}

/* start and slope, by Q; weights: data x count. */
static void project(const likelihood *l, separable *s, double *q, double *weights)
{
    const model *mo = l->st->fitted->mo;
    int n = mo->inputs.n, count = l->count;
    memset(s->start, 0, (size_t)count * sizeof *s->start);
    s->units = 0.0;
    for (int i = 0; i < count; i++) {
        int j = l->data[i].output;
        const gp *process = model_process(mo, 0, j);
        double unit = unit_of(&l->data[i]),
               rest = (l->data[i].value - mo->shift[j] - mo->scale[j] * process->mean) / unit;
        s->units += 2.0 * log(unit);
        for (int k = 0; k < count; k++) s->start[k] += q[k * count + i] * rest;
        for (int a = 0; a < n; a++) weights[i * n + a] = mo->scale[j] / unit * process->weights[a];
    }
    multiply(n, count, count, weights, n, q, count, s->slope, n);
}

gofh_status separable_create(likelihood *l)
{
    const model *mo = l->st->fitted->mo;
    separable s = {.data = mo->inputs.n};
    if (!is_separable(l)) return GOFH_OK;
    size_t n = (size_t)s.data, count = (size_t)l->count,
           work = LIKELIHOOD_CHUNK * (n + count + 1) + gp_basis_work(s.data, LIKELIHOOD_CHUNK);
    s.block = memory_doubles(count * (n + 2) + work);
    double *q = memory_doubles(count * (count + n) + eigen_symmetric_work(l->count));
    if (!s.block || !q) {
        free(s.block);
        free(q);
        return GOFH_ERROR_MEMORY;
    }
    s.value = s.block;
    s.start = s.value + count;
    s.slope = s.start + count;
    s.work = s.slope + n * count;
    double *weights = q + count * count, rest = mo->correlated ? mo->correlation.rest : 1.0;
    s.last = rest * pow(amplitude_of(mo, mo->outputs - 1), 2.0);
    if (decompose(l, q, s.value, weights + count * n)) {
        free(s.block); /* the covariance is then made at each point */
    } else {
        project(l, &s, q, weights);
        l->one_kernel = s;
    }
    free(q);
    return GOFH_OK;
}

void separable_free(likelihood *l)
{
    free(l->one_kernel.block);
    l->one_kernel = (separable){.data = 0};
}

/* The log density of one point with these coordinates of its residuals. */
static double point_density(const likelihood *l, const double *residual, double v, double sigma)
{
    const separable *s = &l->one_kernel;
    double noise = sigma * sigma, misfit = 0.0, product = 1.0, sum = s->units, all = 0.0;
    for (int k = 0; k < l->count; k++) {
        double variance = noise + v * s->value[k];
        misfit += residual[k] * residual[k] / variance;
        product *= variance;
        all += s->value[k];
        if (product > 1e-100 && product < 1e100 && k + 1 < l->count) continue;
        sum += log(product); /* of several variances at once */
        product = 1.0;
    }
    if (l->beyond) sum += l->beyond * log(noise + v * s->last);
    if (l->groups) sum += 2.0 * log1p(v * all / l->count / noise);
    return -0.5 * (misfit + sum);
}

int separable_density(const likelihood *l, const double *point, const double *cube, int points, double *value)
{
    const separable *s = &l->one_kernel;
    const model *mo = l->st->fitted->mo;
    int n = s->data, count = l->count;
    if (!n || mo->inputs.n != n || mo->samples != 1) return 0;
    double *k = s->work, *residual = k + (size_t)n * LIKELIHOOD_CHUNK,
           *v = residual + (size_t)count * LIKELIHOOD_CHUNK, *rest = v + LIKELIHOOD_CHUNK;
    gp_basis(model_process(mo, 0, mo->leader), &mo->inputs, mo->kernel, cube, points, k,
             l->emulator ? v : NULL, NULL, NULL, rest);
    multiply_transposed(n, count, points, s->slope, n, k, n, residual, count);
    for (int i = 0; i < points; i++) {
        double *own = residual + (size_t)i * (size_t)count,
               sigma = l->groups ? likelihood_sigma(l, 0, point + (size_t)i * (size_t)l->dimension) : 1.0;
        for (int a = 0; a < count; a++) own[a] = s->start[a] - own[a];
        value[i] = point_density(l, own, l->emulator ? fmax(v[i], VARIANCE_FLOOR) : 0.0, sigma);
        if (!isfinite(value[i])) value[i] = -INFINITY;
    }
    return 1;
}
