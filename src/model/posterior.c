/* What is made of a posterior at a batch of points: draws, their adjoints, and moments of sums. */
#include "base/instruction_sets.h"
#include "linalg/linalg.h"
#include "model/index.h"
#include "model/model.h"

#include <math.h>

size_t posterior_size(int q, int outputs, int d)
{
    return 2 * (size_t)q * (size_t)outputs * (size_t)(1 + d);
}

void posterior_place(posterior *p, int q, int outputs, int d, double *block)
{
    size_t values = (size_t)q * (size_t)outputs;
    *p = (posterior){.points = q, .outputs = outputs, .d = d, .mean = block, .deviation = block + values};
    p->mean_gradient = block + 2 * values;
    p->deviation_gradient = p->mean_gradient + values * (size_t)d;
}

enum { TILE_ROWS = 8, TILE_WIDTH = 32, AT_ONCE = 64 };

/* h = mean + deviation z, one row per draw. */
FOR_EACH_INSTRUCTION_SET
static void add_deviations(const double *restrict mean, const double *restrict deviation,
                           const double *restrict z, int width, int count, double *restrict h)
{
    for (int s = 0; s < count; s++, z += width, h += width)
        for (int j = 0; j < width; j++) h[j] = mean[j] + deviation[j] * z[j];
}

/* Draws of few outputs: several draws make one row, so that rows are long. */
static void draw_tiles(const double *mean, const double *deviation, const double *z, int m, int count,
                       double *h)
{
    double means[TILE_ROWS * TILE_WIDTH], deviations[TILE_ROWS * TILE_WIDTH];
    int whole = count / TILE_ROWS, width = TILE_ROWS * m;
    for (int row = 0; row < TILE_ROWS; row++)
        for (int j = 0; j < m; j++) {
            means[row * m + j] = mean[j];
            deviations[row * m + j] = deviation[j];
        }
    size_t done = (size_t)whole * (size_t)width;
    add_deviations(means, deviations, z, width, whole, h);
    add_deviations(means, deviations, z + done, m, count - whole * TILE_ROWS, h + done);
}

void posterior_draw(const posterior *p, int i, const double *z, int count, double *h)
{
    int m = p->outputs;
    const double *mean = p->mean + index2(i, m, 0), *deviation = p->deviation + index2(i, m, 0);
    if (m <= TILE_WIDTH)
        draw_tiles(mean, deviation, z, m, count, h);
    else
        add_deviations(mean, deviation, z, m, count, h);
    for (int j = 0; j < m; j++)
        if (!transform_is_none(&p->transform[j]))
            p->transform[j].kind->invert(&p->transform[j], h + j, m, count);
}

/* The derivatives of the weighted sum of one output's draws in its mean and deviation. Rows of all
 * arrays are m apart. */
static void pull_output(const transform *t, const double *z, const double *h, const double *weights, int m,
                        int count, double *in_mean, double *in_deviation)
{
    double slope[AT_ONCE];
    int curved = !transform_is_none(t);
    *in_mean = *in_deviation = 0.0;
    for (int start = 0; start < count; start += AT_ONCE) {
        int rows = count - start < AT_ONCE ? count - start : AT_ONCE;
        size_t first = index2(start, m, 0);
        if (curved) t->kind->slopes(t, h + first, m, rows, slope);
        for (int s = 0; s < rows; s++) {
            double w = weights[first + index2(s, m, 0)];
            if (curved) w *= slope[s];
            *in_mean += w;
            *in_deviation += w * z[first + index2(s, m, 0)];
        }
    }
}

/* Where the weights of point i on the means of the outputs wait for posterior_finish. */
static double *waiting(const posterior *p, int i)
{
    return p->deviation_gradient + index2(i, p->outputs, 0);
}

/* The derivatives of the logarithm of all deviations at point i. */
static const double *relative_slopes(const posterior *p, int i)
{
    return p->mean_gradient + index2(p->data, p->points * p->d, 0) + index2(i, p->d, 0);
}

/* The same as posterior_pull where gradients are deferred: all deviations are one function of x times
 * what an output has of its own. A row of draws is read at once. */
FOR_EACH_INSTRUCTION_SET
static double collect_weights(int m, int count, const double *restrict deviation,
                              const double *restrict scale, const double *restrict z,
                              const double *restrict weights, double *restrict in_mean)
{
    double in_root = 0.0;
    for (int j = 0; j < m; j++) in_mean[j] = 0.0;
    for (int s = 0; s < count; s++, z += m, weights += m) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            in_mean[j] += scale[j] * weights[j];
            sum += weights[j] * z[j] * deviation[j];
        }
        in_root += sum;
    }
    return in_root;
}

void posterior_pull(const posterior *p, int i, const double *z, const double *h, const double *weights,
                    int count, double *dx)
{
    int m = p->outputs, d = p->d;
    if (p->deferred) {
        double in_root = collect_weights(m, count, p->deviation + index2(i, m, 0), p->scale, z, weights,
                                         waiting(p, i));
        for (int k = 0; k < d; k++) dx[k] += in_root * relative_slopes(p, i)[k];
        return;
    }
    for (int j = 0; j < m; j++) {
        double in_mean, in_deviation;
        pull_output(&p->transform[j], z + j, h + j, weights + j, m, count, &in_mean, &in_deviation);
        const double *mean = p->mean_gradient + index2(i, m, j) * (size_t)d;
        const double *deviation = p->deviation_gradient + index2(i, m, j) * (size_t)d;
        for (int k = 0; k < d; k++) dx[k] += in_mean * mean[k] + in_deviation * deviation[k];
    }
}

void posterior_pull_mean(const posterior *p, int i, const double *dh, double *dx)
{
    int m = p->outputs, d = p->d;
    for (int j = 0; p->deferred && j < m; j++) waiting(p, i)[j] = p->scale[j] * dh[j];
    for (int k = 0; !p->deferred && k < d; k++)
        for (int j = 0; j < m; j++)
            dx[k] += dh[j] * p->mean_gradient[index2(i, m, j) * (size_t)d + (size_t)k];
}

void posterior_finish(const posterior *p, double *dx)
{
    int n = p->data, q = p->points, d = p->d;
    if (!p->deferred) return;
    double *sum = p->deviation_gradient + index2(q, p->outputs, 0); /* n x q */
    multiply(n, p->outputs, q, p->weights, p->apart, p->deviation_gradient, p->outputs, sum, n);
    for (int i = 0; i < q; i++)
        for (int k = 0; k < d; k++)
            dx[index2(i, d, k)] += dot_product(n, p->mean_gradient + index2(i * d + k, n, 0),
                                               sum + index2(i, n, 0));
}

void posterior_medians(posterior *p, int gradient)
{
    for (int i = 0; i < p->points; i++)
        for (int j = 0; j < p->outputs; j++) {
            size_t at = index2(i, p->outputs, j);
            const transform *t = &p->transform[j];
            if (transform_is_none(t)) continue;
            double slope;
            p->mean[at] = t->kind->inverse(t, p->mean[at]);
            t->kind->slopes(t, &p->mean[at], 1, 1, &slope);
            for (int k = 0; gradient && k < p->d; k++)
                p->mean_gradient[at * (size_t)p->d + (size_t)k] *= slope;
        }
}

void posterior_moments(posterior *p, int gradient)
{
    for (int i = 0; i < p->points; i++)
        for (int j = 0; j < p->outputs; j++) {
            size_t at = index2(i, p->outputs, j), row = at * (size_t)p->d;
            const transform *t = &p->transform[j];
            if (transform_is_none(t)) continue;
            t->kind->moments(t, &p->mean[at], &p->deviation[at], gradient ? p->d : 0, p->mean_gradient + row,
                             p->deviation_gradient + row);
        }
}

/* The part of sum_k w[k] h_column[k](x) - its mean at point i that lies along one of the directions of
 * the correlation, for a unit of that direction; with its gradient in x unless NULL. */
static double part_along(const posterior *p, int i, int count, const int *column, const double *w,
                         const double *direction, double *gradient)
{
    double part = 0.0;
    for (int k = 0; gradient && k < p->d; k++) gradient[k] = 0.0;
    for (int j = 0; j < count; j++) {
        int output = column ? column[j] : j;
        size_t at = index2(i, p->outputs, output), row = at * (size_t)p->d;
        double share = w[j] * direction[output];
        part += share * p->deviation[at];
        for (int k = 0; gradient && k < p->d; k++)
            gradient[k] += share * p->deviation_gradient[row + (size_t)k];
    }
    return part;
}

void posterior_project(const posterior *p, int i, int count, const int *column, const double *w, double *mean,
                       double *deviation, double *mean_gradient, double *deviation_gradient)
{
    int m = p->outputs, d = p->d, rank = p->correlation && count > 1 ? p->correlation->rank : 0;
    double sum = 0.0, norm = 0.0, rest = rank ? p->correlation->rest : 1.0, root = sqrt(rest);
    for (int j = 0; j < count; j++) {
        size_t at = index2(i, m, column ? column[j] : j);
        sum += w[j] * p->mean[at];
        norm = hypot(norm, root * w[j] * p->deviation[at]);
    }
    for (int r = 0; r < rank; r++) {
        const double *direction = p->correlation->vectors + index2(r, m, 0);
        norm = hypot(norm,
                     sqrt(p->correlation->value[r]) * part_along(p, i, count, column, w, direction, NULL));
    }
    *mean = sum;
    *deviation = norm;
    if (!mean_gradient) return;
    for (int k = 0; k < d; k++) mean_gradient[k] = deviation_gradient[k] = 0.0;
    for (int j = 0; j < count; j++) {
        size_t at = index2(i, m, column ? column[j] : j);
        double part = norm > 0.0 ? rest * w[j] * p->deviation[at] / norm * w[j] : 0.0;
        for (int k = 0; k < d; k++) {
            mean_gradient[k] += w[j] * p->mean_gradient[at * (size_t)d + (size_t)k];
            deviation_gradient[k] += part * p->deviation_gradient[at * (size_t)d + (size_t)k];
        }
    }
    for (int r = 0; r < rank && norm > 0.0; r++) {
        double slope[GOFH_MAX_PARAMETERS];
        const double *direction = p->correlation->vectors + index2(r, m, 0);
        double part = part_along(p, i, count, column, w, direction, slope) * p->correlation->value[r] / norm;
        for (int k = 0; k < d; k++) deviation_gradient[k] += part * slope[k];
    }
}

void posterior_covariance(const posterior *p, int i, double *covariance)
{
    int m = p->outputs;
    const double *deviation = p->deviation + index2(i, m, 0);
    for (int j = 0; j < m; j++)
        for (int l = 0; l < m; l++) {
            double together = j == l ? 1.0 : 0.0;
            if (p->correlation) together = correlation_between(p->correlation, j, l);
            covariance[index2(j, m, l)] = deviation[j] * together * deviation[l];
        }
}
