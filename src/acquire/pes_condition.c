#include "acquire/pes_condition.h"

#include "acquire/ep.h"
#include "linalg/linalg.h"
#include "model/kernel.h"

#include <math.h>
#include <string.h>

/* Nearer than this to a bound is at the bound. */
static const double AT_BOUND = 1e-8;
/* Slopes at the optimum are 0 up to a deviation of 1e-5: no search finds it better. */
static const double SLOPE_NOISE = 1e-10;
/* What the data fix up to this variance needs no condition. */
static const double LEAST_VARIANCE = 1e-10;
/* f(x) and f(x*) that differ by less are the same: comparing them tells nothing. */
static const double JOINT_MIN = 1e-15;
/* A factor less certain than this tells nothing, and would not divide well. */
static const double LEAST_PRECISION = 1e-10;

int condition_most(int d)
{
    return 2 * d + 2;
}

size_t condition_size(int d, int n)
{
    size_t most = (size_t)condition_most(d);
    return (size_t)d + most * ((size_t)n + most + 3);
}

void condition_place(condition *c, int d, functional *functionals, double *block)
{
    size_t most = (size_t)condition_most(d);
    c->functionals = functionals;
    c->x = block;
    c->rest = c->x + d;
    c->target = c->rest + most;
    c->optimum = c->target + most;
    c->factor = c->optimum + most;
    c->solved = c->factor + most * most;
}

/* The second of the kernel's weights, -2 dw/d(r^2), from the first (eq. P4). Not for Matern 3/2,
 * whose functions have no second derivative. */
static double second_weight(gofh_kernel kernel, double r2, double weight)
{
    return kernel == GOFH_KERNEL_MATERN_52 ? 5.0 * weight / (1.0 + sqrt(5.0 * r2)) : weight;
}

void condition_cross(const condition *c, const double *x, double gap, double *covariance)
{
    int d = c->inputs->d;
    double step[GOFH_MAX_PARAMETERS] = {0}, r2 = 0.0, value, weight;
    for (int k = 0; k < d; k++) {
        step[k] = (c->x[k] - x[k]) * c->process->hyper.inverse_lengthscale[k];
        r2 += step[k] * step[k];
    }
    kernel_apply(c->kernel, &r2, 1, &value, &weight);
    double second = second_weight(c->kernel, r2, weight);
    for (int j = 0; j < c->count; j++) {
        const functional *f = &c->functionals[j];
        double t = step[f->coordinate];
        switch (f->kind) {
        case FUNCTIONAL_VALUE:
            covariance[j] = f->sign * value;
            break;
        case FUNCTIONAL_SLOPE:
            covariance[j] = -f->sign * t * weight;
            break;
        case FUNCTIONAL_CURVATURE:
            covariance[j] = f->sign * (t * t * second - weight);
            break;
        case FUNCTIONAL_GAP:
            covariance[j] = f->sign * (value - gap);
            break;
        }
    }
}

/* Between derivatives of orders 0, 1 and 2 at one and the same point. */
static double prior_at_optimum(const condition *c, const functional *a, const functional *b)
{
    double zero = 0.0, value, weight;
    int same = a->coordinate == b->coordinate;
    if (a->kind > b->kind) {
        const functional *swap = a;
        a = b;
        b = swap;
    }
    kernel_apply(c->kernel, &zero, 1, &value, &weight);
    double second = second_weight(c->kernel, 0.0, weight);
    if (a->kind == FUNCTIONAL_VALUE)
        return b->kind == FUNCTIONAL_VALUE ? 1.0 : b->kind == FUNCTIONAL_SLOPE ? 0.0 : -weight;
    if (a->kind == FUNCTIONAL_SLOPE) return b->kind == FUNCTIONAL_SLOPE && same ? weight : 0.0;
    return same ? 3.0 * second : second;
}

double condition_prior(const condition *c, int i, int j, const double *cross)
{
    functional a = c->functionals[i], b = c->functionals[j];
    double sign = a.sign * b.sign, covariance = 0.0;
    int gap_a = a.kind == FUNCTIONAL_GAP, gap_b = b.kind == FUNCTIONAL_GAP;
    /* cross has a gap's covariance with f at the best datum: value there less 1. */
    if (gap_a) a = (functional){FUNCTIONAL_VALUE, 0, 1.0};
    if (gap_b) b = (functional){FUNCTIONAL_VALUE, 0, 1.0};
    covariance = prior_at_optimum(c, &a, &b);
    if (gap_a && gap_b) return -2.0 * cross[i] * c->functionals[i].sign;
    if (gap_b) covariance -= cross[i] * c->functionals[i].sign;
    if (gap_a) covariance -= cross[j] * c->functionals[j].sign;
    return sign * covariance;
}

static void list_functionals(condition *c)
{
    int d = c->inputs->d, curved = c->kernel != GOFH_KERNEL_MATERN_32;
    c->count = 0;
    c->functionals[c->count++] = (functional){FUNCTIONAL_VALUE, 0, 1.0};
    for (int k = 0; k < d; k++)
        if (c->x[k] > AT_BOUND && c->x[k] < 1.0 - AT_BOUND)
            c->functionals[c->count++] = (functional){FUNCTIONAL_SLOPE, k, 1.0};
    c->equal = c->count - 1;
    for (int k = 0; k < d; k++) {
        if (c->x[k] <= AT_BOUND)
            c->functionals[c->count++] = (functional){FUNCTIONAL_SLOPE, k, -1.0};
        else if (c->x[k] >= 1.0 - AT_BOUND)
            c->functionals[c->count++] = (functional){FUNCTIONAL_SLOPE, k, 1.0};
        else if (curved)
            c->functionals[c->count++] = (functional){FUNCTIONAL_CURVATURE, k, -1.0};
    }
    c->functionals[c->count++] = (functional){FUNCTIONAL_GAP, 0, 1.0};
}

static void datum(const gp_inputs *inputs, int i, double *x)
{
    for (int k = 0; k < inputs->d; k++) x[k] = inputs->x[(size_t)k * (size_t)inputs->capacity + (size_t)i];
}

/* Posterior means at the data, up to the mean: y less the weights' share of the noise. */
static int best_datum(const condition *c, double *work)
{
    const gp *g = c->process;
    int n = c->inputs->n, best = 0;
    memset(work, 0, (size_t)n * sizeof *work);
    add_lower_product(n, g->factor, c->inputs->capacity, g->solved_y, work);
    for (int i = 0; i < n; i++) work[i] -= (g->hyper.noise + g->nugget) * g->weights[i];
    for (int i = 1; i < n; i++)
        if (work[i] > work[best]) best = i;
    return best;
}

/* Posterior mean and covariance of all functionals given the data (eq. P7). covariance: count x
 * count, full. cross: count; correlation: n. */
static void posterior_of_functionals(condition *c, double *mean, double *covariance, double *cross,
                                     double *correlation)
{
    const gp *g = c->process;
    int n = c->inputs->n, m = c->count, known = !isnan(g->hyper.mean);
    double x[GOFH_MAX_PARAMETERS], unit = 1.0 / sqrt(g->hyper.variance);
    datum(c->inputs, c->best, x);
    kernel_distances(c->inputs->d, n, x, c->inputs->x, c->inputs->capacity, g->hyper.inverse_lengthscale,
                     correlation);
    kernel_apply(c->kernel, correlation, n, correlation, NULL);
    for (int i = 0; i < n; i++) {
        datum(c->inputs, i, x);
        condition_cross(c, x, correlation[i], cross);
        for (int j = 0; j < m; j++) c->solved[(size_t)j * (size_t)n + (size_t)i] = cross[j];
    }
    for (int j = 0; j < m; j++) {
        const double *column = c->solved + (size_t)j * (size_t)n;
        double constant = c->functionals[j].kind == FUNCTIONAL_VALUE ? 1.0 : 0.0;
        mean[j] = unit * (constant * g->mean + dot_product(n, column, g->weights));
        c->rest[j] = known ? 0.0 : constant - dot_product(n, column, g->ones);
        cross[j] = column[c->best];
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) covariance[j * m + i] = condition_prior(c, i, j, cross);
    solve_lower(n, g->factor, c->inputs->capacity, m, c->solved, n);
    subtract_gram(n, m, c->solved, n, covariance, m);
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) {
            covariance[j * m + i] += c->rest[i] * c->rest[j] / g->ones_sum;
            covariance[i * m + j] = covariance[j * m + i];
        }
}

/* Leaves out what the data say already. */
static void drop_certain(condition *c, double *mean, double *covariance)
{
    size_t n = (size_t)c->inputs->n;
    int m = c->count, kept = 0, equal = 0;
    int index[2 * GOFH_MAX_PARAMETERS + 2];
    for (int j = 0; j < m; j++) {
        if (j > 0 && !(covariance[j * m + j] > LEAST_VARIANCE)) continue;
        if (j > 0 && j <= c->equal) equal++;
        if (kept != j) memcpy(c->solved + (size_t)kept * n, c->solved + (size_t)j * n, n * sizeof *c->solved);
        c->functionals[kept] = c->functionals[j];
        c->rest[kept] = c->rest[j];
        mean[kept] = mean[j];
        index[kept++] = j;
    }
    /* Rows and columns only move towards the start, so the order of writing is safe. */
    for (int j = 0; j < kept; j++)
        for (int i = 0; i < kept; i++) covariance[j * kept + i] = covariance[index[j] * m + index[i]];
    c->count = kept;
    c->equal = equal;
}

size_t condition_work(int d, int n)
{
    size_t most = (size_t)condition_most(d);
    return 3 * most * most + 6 * most + (size_t)n;
}

/* Mean and covariance of the functionals from `equal` on, given that those before are 0 (but for
 * the slope's noise). All arrays leave functional 0 out. covariance: m x m; inner: rest x rest,
 * full. Returns -1 if it can't be done. */
static int given_slopes(const condition *c, const double *mean, const double *covariance, int m,
                        double *inner_mean, double *inner, double *factor, double *solved)
{
    int e = c->equal, rest = m - e;
    for (int j = 0; j < e; j++) {
        for (int i = 0; i < e; i++) factor[j * e + i] = covariance[j * (m + 1) + i];
        factor[j * e + j] += SLOPE_NOISE;
    }
    if (e && cholesky_factor(e, factor, e)) return -1;
    double *shift = solved + rest * e;
    for (int j = 0; j < rest; j++) {
        for (int i = 0; i < e; i++) solved[j * e + i] = covariance[(e + j) * (m + 1) + i];
        for (int i = 0; i < rest; i++) inner[j * rest + i] = covariance[(e + j) * (m + 1) + e + i];
        inner_mean[j] = mean[e + j];
    }
    if (!e) return 0;
    for (int i = 0; i < e; i++) shift[i] = -mean[i];
    solve_lower(e, factor, e, rest + 1, solved, e);
    for (int j = 0; j < rest; j++) {
        inner_mean[j] += dot_product(e, solved + j * e, shift);
        for (int i = 0; i < rest; i++) inner[j * rest + i] -= dot_product(e, solved + j * e, solved + i * e);
    }
    return 0;
}

/* The conditions as observations: slopes of 0, and for the others what expectation propagation
 * found. */
static int observe(condition *c, const double *mean, const double *covariance, const double *precision,
                   const double *shift)
{
    int m = c->count - 1;
    for (int j = 0; j < m; j++) {
        const double *column = covariance + (j + 1) * c->count + 1;
        double noise = SLOPE_NOISE, value = 0.0;
        if (j >= c->equal) {
            double p = fmax(precision[j - c->equal], LEAST_PRECISION);
            noise = 1.0 / p;
            value = shift[j - c->equal] / p;
        }
        for (int i = 0; i < m; i++) c->factor[j * m + i] = column[i];
        c->factor[j * m + j] += noise;
        c->target[j] = value - mean[j + 1];
        c->optimum[j] = column[-1];
    }
    if (m > 0) {
        if (cholesky_factor(m, c->factor, m)) return -1;
        solve_lower(m, c->factor, m, 1, c->target, m);
        solve_lower(m, c->factor, m, 1, c->optimum, m);
    }
    c->mean = mean[0] + dot_product(m, c->optimum, c->target);
    c->variance = fmax(covariance[0] - dot_product(m, c->optimum, c->optimum), 0.0);
    return isfinite(c->mean) && isfinite(c->variance) ? 0 : -1;
}

void condition_prepare(condition *c, double *work)
{
    size_t most = (size_t)condition_most(c->inputs->d);
    double *covariance = work, *inner = covariance + most * most, *factor = inner + most * most;
    double *mean = factor + most * most, *inner_mean = mean + most, *precision = inner_mean + most;
    double *shift = precision + most, *cross = shift + most, *scratch = cross + most;
    c->best = best_datum(c, scratch);
    list_functionals(c);
    posterior_of_functionals(c, mean, covariance, cross, scratch);
    drop_certain(c, mean, covariance);
    int m = c->count - 1, rest = m - c->equal;
    /* The factor of the slopes and what is solved with it share a square: e^2 + e (rest + 1) <=
     * most^2. */
    c->failed = given_slopes(c, mean + 1, covariance + c->count + 1, m, inner_mean, inner, factor,
                             factor + c->equal * c->equal) ||
                ep_positive(rest, inner_mean, inner, precision, shift, cross) ||
                observe(c, mean, covariance, precision, shift);
}

double condition_variance(const condition *c, const condition_point *at, double *work)
{
    if (c->failed) return at->variance;
    int n = c->inputs->n, m = c->count - 1;
    double *covariance = work, *through = work + c->count;
    condition_cross(c, at->x, at->correlation[c->best], covariance);
    multiply_transposed_vector(n, c->count, c->solved, n, at->solved, through);
    for (int j = 0; j < c->count; j++)
        covariance[j] += c->rest[j] * at->rest / c->process->ones_sum - through[j];
    double *b = covariance + 1;
    if (m) solve_lower(m, c->factor, m, 1, b, m);
    double variance = at->variance - dot_product(m, b, b);
    double shared = covariance[0] - dot_product(m, b, c->optimum);
    double mean = at->mean + dot_product(m, b, c->target);
    double joint = c->variance + variance - 2.0 * shared;
    if (!(variance > 0.0)) return 0.0;
    if (!(joint > JOINT_MIN)) return variance;
    double lever = variance - shared,
           part = lever * lever / joint * ep_reduction((c->mean - mean) / sqrt(joint));
    return fmax(variance - part, 0.0);
}
