#include "model/gp.h"

#include "linalg/linalg.h"
#include "model/kernel.h"

#include <math.h>
#include <string.h>

/* Below this pivot (relative to the variance) rounding rules the factor, and a nugget is called for. */
static const double LEAST_PIVOT = 1e-11;
static const double FIRST_NUGGET = 1e-12;
/* On the joint covariance of points that may be close to each other or to the data. */
static const double DRAW_NUGGET = 1e-10;

size_t gp_size(int d, int capacity)
{
    size_t c = (size_t)capacity;
    return (size_t)d + 4 * c + c * c;
}

void gp_place(gp *g, int d, int capacity, double *block)
{
    size_t c = (size_t)capacity;
    g->hyper.inverse_lengthscale = block;
    g->solved_y = block + d;
    g->solved_one = g->solved_y + c;
    g->weights = g->solved_one + c;
    g->ones = g->weights + c;
    g->factor = g->ones + c;
}

void gp_correlations(const gp_inputs *inputs, gofh_kernel kernel, const double *inverse_lengthscale,
                     double *r, int ld, double *packed, double *weight)
{
    int n = inputs->n, d = inputs->d, capacity = inputs->capacity;
    double at[GOFH_MOST_PARAMETERS];
    double *column = packed;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < d; k++) at[k] = inputs->x[(size_t)k * (size_t)capacity + (size_t)j];
        kernel_distances(d, n - 1 - j, at, inputs->x + j + 1, capacity, inverse_lengthscale, column);
        column += n - 1 - j;
    }
    kernel_apply(kernel, packed, n * (n - 1) / 2, packed, weight);
    column = packed;
    for (int j = 0; j < n; j++) {
        double *target = r + (size_t)j * (size_t)ld;
        target[j] = 1.0;
        if (n - 1 - j) memcpy(target + j + 1, column, (size_t)(n - 1 - j) * sizeof *column);
        column += n - 1 - j;
    }
}

/* From L^-1 y and L^-1 1 to the mean and the weights, in O(n^2). */
static void solve_weights(gp *g, int n, int ld)
{
    g->ones_sum = dot_product(n, g->solved_one, g->solved_one);
    g->mean = isnan(g->hyper.mean) ? dot_product(n, g->solved_one, g->solved_y) / g->ones_sum : g->hyper.mean;
    for (int i = 0; i < n; i++) g->weights[i] = g->solved_y[i] - g->mean * g->solved_one[i];
    memcpy(g->ones, g->solved_one, (size_t)n * sizeof *g->ones);
    solve_lower_transposed(n, g->factor, ld, 1, g->weights, ld);
    solve_lower_transposed(n, g->factor, ld, 1, g->ones, ld);
}

static double least_pivot(const gp *g, int n, int ld)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        double root = g->factor[(size_t)i * (size_t)ld + (size_t)i];
        least = fmin(least, root * root);
    }
    return least;
}

int gp_condition(gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *y, double *packed)
{
    int n = inputs->n, ld = inputs->capacity;
    for (g->nugget = 0.0; g->nugget<1.0; g->nugget = g->nugget> 0.0 ? 10.0 * g->nugget : FIRST_NUGGET) {
        gp_correlations(inputs, kernel, g->hyper.inverse_lengthscale, g->factor, ld, packed, NULL);
        for (int i = 0; i < n; i++)
            g->factor[(size_t)i * (size_t)ld + (size_t)i] += g->hyper.noise + g->nugget;
        int failed = cholesky_factor(n, g->factor, ld);
        if (!failed && (g->nugget > 0.0 || least_pivot(g, n, ld) >= LEAST_PIVOT)) break;
    }
    if (!(g->nugget < 1.0)) return -1;
    memcpy(g->solved_y, y, (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) g->solved_one[i] = 1.0;
    solve_lower(n, g->factor, ld, 1, g->solved_y, ld);
    solve_lower(n, g->factor, ld, 1, g->solved_one, ld);
    solve_weights(g, n, ld);
    return 0;
}

int gp_append(gp *g, const gp_inputs *inputs, gofh_kernel kernel, double y, double *work)
{
    int n = inputs->n - 1, ld = inputs->capacity;
    double at[GOFH_MOST_PARAMETERS], *row = work, *scratch = work + n;
    for (int k = 0; k < inputs->d; k++) at[k] = inputs->x[(size_t)k * (size_t)ld + (size_t)n];
    kernel_distances(inputs->d, n, at, inputs->x, ld, g->hyper.inverse_lengthscale, row);
    kernel_apply(kernel, row, n, row, NULL);
    for (int i = 0; i < n; i++) g->factor[(size_t)i * (size_t)ld + (size_t)n] = row[i];
    double least = fmax(g->hyper.noise + g->nugget, FIRST_NUGGET);
    int raised = cholesky_append(n, g->factor, ld, 1.0 + g->hyper.noise + g->nugget, least, scratch);
    double root = g->factor[(size_t)n * (size_t)ld + (size_t)n];
    /* The last element of L^-1 b: what is left of b_n after the first n rows, over the pivot. */
    double rest_y = y, rest_one = 1.0;
    for (int i = 0; i < n; i++) {
        rest_y -= scratch[i] * g->solved_y[i];
        rest_one -= scratch[i] * g->solved_one[i];
    }
    g->solved_y[n] = rest_y / root;
    g->solved_one[n] = rest_one / root;
    solve_weights(g, n + 1, ld);
    return raised;
}

void gp_truncate(gp *g, const gp_inputs *inputs)
{
    solve_weights(g, inputs->n, inputs->capacity);
}

size_t gp_predict_work(int n, int q)
{
    return 3 * (size_t)n * (size_t)q + (size_t)n;
}

/* sum_i weight_i coefficient_i (x - x_i) / l^2, the shape of every gradient in x (eq. 5). */
static void pull_to_inputs(const gp *g, const gp_inputs *inputs, const double *x, const double *coefficient,
                           double factor, double *gradient)
{
    for (int k = 0; k < inputs->d; k++) {
        const double *coordinate = inputs->x + (size_t)k * (size_t)inputs->capacity;
        double scale = g->hyper.inverse_lengthscale[k], sum = 0.0;
        for (int i = 0; i < inputs->n; i++) sum += coefficient[i] * (x[k] - coordinate[i]);
        gradient[k] = factor * scale * scale * sum;
    }
}

void gp_predict(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
                double *mean, double *variance, double *mean_gradient, double *variance_gradient,
                double *work)
{
    int n = inputs->n, d = inputs->d, ld = inputs->capacity, known = !isnan(g->hyper.mean);
    size_t nq = (size_t)n * (size_t)q;
    double *k = work, *weight = mean_gradient ? work + nq : NULL, *v = work + 2 * nq,
           *coefficient = work + 3 * nq;
    for (int p = 0; p < q; p++)
        kernel_distances(d, n, points + (size_t)p * (size_t)d, inputs->x, ld, g->hyper.inverse_lengthscale,
                         k + (size_t)p * (size_t)n);
    kernel_apply(kernel, k, n * q, k, weight);
    multiply_transposed_vector(n, q, k, n, g->weights, mean);
    for (int p = 0; p < q; p++) mean[p] += g->mean;
    if (variance) {
        memcpy(v, k, nq * sizeof *v);
        solve_lower(n, g->factor, ld, q, v, n);
        for (int p = 0; p < q; p++) {
            const double *column = v + (size_t)p * (size_t)n;
            double rest = 1.0 - dot_product(n, g->ones, k + (size_t)p * (size_t)n);
            double extra = known ? 0.0 : rest * rest / g->ones_sum;
            variance[p] = g->hyper.variance * (1.0 - dot_product(n, column, column) + extra);
        }
    }
    if (!mean_gradient) return;
    if (variance) solve_lower_transposed(n, g->factor, ld, q, v, n);
    for (int p = 0; p < q; p++) {
        const double *x = points + (size_t)p * (size_t)d;
        const double *w = weight + (size_t)p * (size_t)n, *b = v + (size_t)p * (size_t)n;
        for (int i = 0; i < n; i++) coefficient[i] = w[i] * g->weights[i];
        pull_to_inputs(g, inputs, x, coefficient, -1.0, mean_gradient + (size_t)p * (size_t)d);
        if (!variance) continue;
        double rest = known ? 0.0 : 1.0 - dot_product(n, g->ones, k + (size_t)p * (size_t)n);
        for (int i = 0; i < n; i++) coefficient[i] = w[i] * (b[i] + rest / g->ones_sum * g->ones[i]);
        pull_to_inputs(g, inputs, x, coefficient, 2.0 * g->hyper.variance,
                       variance_gradient + (size_t)p * (size_t)d);
    }
}

size_t gp_joint_work(int n, int q, int d)
{
    return (size_t)n * (size_t)q + (size_t)q * (size_t)(d + 1);
}

void gp_joint(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
              double *mean, double *covariance, double *work)
{
    int n = inputs->n, d = inputs->d, ld = inputs->capacity;
    double *k = work, *by_coordinate = k + (size_t)n * (size_t)q,
           *rest = by_coordinate + (size_t)q * (size_t)d;
    for (int p = 0; p < q; p++) {
        const double *x = points + (size_t)p * (size_t)d;
        kernel_distances(d, n, x, inputs->x, ld, g->hyper.inverse_lengthscale, k + (size_t)p * (size_t)n);
        for (int c = 0; c < d; c++) by_coordinate[(size_t)c * (size_t)q + (size_t)p] = x[c];
    }
    kernel_apply(kernel, k, n * q, k, NULL);
    for (int p = 0; p < q; p++) {
        double *column = covariance + (size_t)p * (size_t)q;
        kernel_distances(d, q, points + (size_t)p * (size_t)d, by_coordinate, q, g->hyper.inverse_lengthscale,
                         column);
        kernel_apply(kernel, column, q, column, NULL);
        mean[p] = g->mean + dot_product(n, k + (size_t)p * (size_t)n, g->weights);
        rest[p] = isnan(g->hyper.mean) ? 1.0 - dot_product(n, g->ones, k + (size_t)p * (size_t)n) : 0.0;
    }
    solve_lower(n, g->factor, ld, q, k, n);
    subtract_gram(n, q, k, n, covariance, q);
    for (int p = 0; p < q; p++)
        for (int r = p; r < q; r++) {
            double *entry = covariance + (size_t)p * (size_t)q + (size_t)r;
            *entry = g->hyper.variance * (*entry + rest[p] * rest[r] / g->ones_sum);
        }
}

size_t gp_draw_work(int n, int q, int d)
{
    return (size_t)q * (size_t)q + gp_joint_work(n, q, d);
}

void gp_draw(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
             const double *z, double *values, double *work)
{
    double *covariance = work;
    gp_joint(g, inputs, kernel, points, q, values, covariance, work + (size_t)q * (size_t)q);
    for (int i = 0; i < q; i++) covariance[(size_t)i * (size_t)(q + 1)] += DRAW_NUGGET * g->hyper.variance;
    if (cholesky_factor(q, covariance, q) == 0) add_lower_product(q, covariance, q, z, values);
}
