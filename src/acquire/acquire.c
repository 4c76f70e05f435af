#include "acquire/acquire.h"

#include "base/memory.h"
#include "base/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, CHUNK = 64 };

acquisition *acquisition_create(const model *mo, const outer *g, const domain *box)
{
    acquisition *a = memory_new(1, sizeof *a);
    if (!a) return NULL;
    size_t m = (size_t)mo->outputs, d = (size_t)mo->inputs.d, rows = ROWS;
    *a = (acquisition){.mo = mo, .g = g, .box = box, .margin = 0.01, .rows = ROWS, .chunk = CHUNK};
    size_t outer_size = outer_work(g, ROWS), predict_size = model_predict_work(mo, CHUNK);
    size_t posterior_doubles = posterior_size(CHUNK, mo->outputs, mo->inputs.d);
    a->block = memory_doubles((size_t)mo->samples + rows * (2 * m + 2 * d + 1) + outer_size + predict_size +
                              posterior_doubles);
    if (!a->block) {
        free(a);
        return NULL;
    }
    a->incumbent = a->block;
    a->h = a->incumbent + mo->samples;
    a->dh = a->h + rows * m;
    a->x = a->dh + rows * m;
    a->dx = a->x + rows * d;
    a->value = a->dx + rows * d;
    a->outer_work = a->value + rows;
    a->predict_work = a->outer_work + outer_size;
    a->posterior_block = a->predict_work + predict_size;
    for (int s = 0; s < mo->samples; s++) a->incumbent[s] = -INFINITY;
    return a;
}

void acquisition_free(acquisition *a)
{
    if (!a) return;
    free(a->block);
    free(a);
}

/* g (and its gradient) at `count` rows of a->h that belong to one point each run of `draws` rows. */
static gofh_status evaluate_outer(acquisition *a, const double *points, int q, int draws, int gradient)
{
    size_t d = (size_t)a->mo->inputs.d;
    for (int p = 0; p < q; p++) {
        double *row = a->x + (size_t)p * (size_t)draws * d;
        domain_to_user(a->box, points + (size_t)p * d, row);
        for (int s = 1; s < draws; s++) memcpy(row + (size_t)s * d, row, d * sizeof *row);
    }
    return outer_evaluate(a->g, a->h, a->x, q * draws, a->value, gradient ? a->dh : NULL,
                          gradient ? a->dx : NULL, a->outer_work);
}

/* What one draw of f contributes, and the derivative of that in f. */
static double contribution(acquire_kind kind, double f, double incumbent, double margin, double *slope)
{
    *slope = 0.0;
    switch (kind) {
    case ACQUIRE_IMPROVEMENT:
        /* Before anything allowed is known, whatever is allowed is an improvement, and all equally so. */
        if (incumbent == -INFINITY) return f > -INFINITY ? 1.0 : 0.0;
        if (!(f > incumbent)) return 0.0;
        *slope = 1.0;
        return f - incumbent;
    case ACQUIRE_PROBABILITY:
        return f >= incumbent + margin && f > -INFINITY ? 1.0 : 0.0;
    case ACQUIRE_MEAN:
    case ACQUIRE_BEST_CASE:
        *slope = 1.0;
        return f;
    }
    return 0.0;
}

/* One point's average over its draws under one hyperparameter sample, and its gradient: dh becomes the
 * weights that the posterior pulls back to x, the direct dependence of g on x is added by the chain rule of
 * the domain. */
static double average(acquisition *a, acquire_kind kind, const posterior *post, int point, double incumbent,
                      const double *z, int draws, double share, double *gradient)
{
    size_t m = (size_t)a->mo->outputs, d = (size_t)a->mo->inputs.d, first = (size_t)point * (size_t)draws;
    double total = 0.0, direct[GOFH_MOST_PARAMETERS] = {0};
    for (size_t s = first; s < first + (size_t)draws; s++) {
        double slope;
        total += contribution(kind, a->value[s], incumbent, a->margin, &slope);
        if (!gradient) continue;
        slope *= share / draws;
        for (size_t j = 0; j < m; j++) a->dh[s * m + j] *= slope;
        for (size_t k = 0; k < d; k++) direct[k] += slope * a->dx[s * d + k];
    }
    if (gradient) {
        double slope[GOFH_MOST_PARAMETERS];
        posterior_pull(post, point, z, a->dh + first * m, draws, gradient);
        domain_slope(a->box, a->x + first * d, slope);
        for (size_t k = 0; k < d; k++) gradient[k] += slope[k] * direct[k];
    }
    return share * total / draws;
}

static double best_case(const acquisition *a, int point, int draws)
{
    double best = -INFINITY;
    for (int s = 0; s < draws; s++) best = fmax(best, a->value[(size_t)point * (size_t)draws + (size_t)s]);
    return best;
}

/* Draws h at q points under one hyperparameter sample into a->h and evaluates g on them. */
static gofh_status draw(acquisition *a, int sample, const double *z, int count, const double *points, int q,
                        int gradient, posterior *post)
{
    size_t m = (size_t)a->mo->outputs;
    posterior_place(post, q, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
    model_predict(a->mo, sample, points, q, gradient ? PREDICT_GRADIENT : PREDICT_SPREAD, post,
                  a->predict_work);
    for (int p = 0; p < q; p++) posterior_draw(post, p, z, count, a->h + (size_t)p * (size_t)count * m);
    return evaluate_outer(a, points, q, count, gradient);
}

static int chunk_points(const acquisition *a, int count)
{
    int fit = a->rows / count;
    return fit < 1 ? 1 : fit > a->chunk ? a->chunk : fit;
}

gofh_status acquisition_monte_carlo(acquisition *a, acquire_kind kind, int first, int samples,
                                    const double *z, int count, const double *points, int q, double *value,
                                    double *gradient)
{
    size_t d = (size_t)a->mo->inputs.d;
    if (count > a->rows) count = a->rows;
    for (int p = 0; p < q; p++) value[p] = kind == ACQUIRE_BEST_CASE ? -INFINITY : 0.0;
    if (gradient) memset(gradient, 0, (size_t)q * d * sizeof *gradient);
    int step = chunk_points(a, count);
    for (int start = 0; start < q; start += step) {
        int part = q - start < step ? q - start : step;
        for (int s = first; s < first + samples; s++) {
            posterior post;
            gofh_status status = draw(a, s, z, count, points + (size_t)start * d, part, gradient != NULL,
                                      &post);
            if (status) return status;
            for (int p = 0; p < part; p++) {
                double *slot = &value[start + p];
                if (kind == ACQUIRE_BEST_CASE)
                    *slot = fmax(*slot, best_case(a, p, count));
                else
                    *slot += average(a, kind, &post, p, a->incumbent[s], z, count, 1.0 / samples,
                                     gradient ? gradient + (size_t)(start + p) * d : NULL);
            }
        }
    }
    return GOFH_OK;
}

/* The expectation for a normal f, with its derivatives in mean and deviation (eq. 18, 19). */
static double normal_expectation(acquire_kind kind, double mean, double deviation, double incumbent,
                                 double margin, double *in_mean, double *in_deviation)
{
    double tiny = fmax(deviation, 1e-300);
    if (kind == ACQUIRE_MEAN) {
        *in_mean = 1.0;
        *in_deviation = 0.0;
        return mean;
    }
    if (incumbent == -INFINITY) { /* as in contribution() */
        *in_mean = *in_deviation = 0.0;
        return 1.0;
    }
    if (kind == ACQUIRE_PROBABILITY) {
        double z = (mean - incumbent - margin) / tiny;
        *in_mean = normal_density(z) / tiny;
        *in_deviation = -z * normal_density(z) / tiny;
        return normal_cdf(z);
    }
    double z = (mean - incumbent) / tiny;
    *in_mean = normal_cdf(z);
    *in_deviation = normal_density(z);
    return tiny * normal_expected_positive(z);
}

gofh_status acquisition_closed_form(acquisition *a, acquire_kind kind, const double *points, int q,
                                    double *value, double *gradient)
{
    size_t d = (size_t)a->mo->inputs.d;
    int samples = a->mo->samples;
    for (int p = 0; p < q; p++) value[p] = 0.0;
    if (gradient) memset(gradient, 0, (size_t)q * d * sizeof *gradient);
    for (int start = 0; start < q; start += a->chunk) {
        int part = q - start < a->chunk ? q - start : a->chunk;
        for (int s = 0; s < samples; s++) {
            posterior post;
            posterior_place(&post, part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
            model_predict(a->mo, s, points + (size_t)start * d, part,
                          gradient ? PREDICT_GRADIENT : PREDICT_SPREAD, &post, a->predict_work);
            for (int p = 0; p < part; p++) {
                double mean, deviation, in_mean, in_deviation;
                double dmean[GOFH_MOST_PARAMETERS], ddeviation[GOFH_MOST_PARAMETERS];
                posterior_project(&post, p, a->g->weights, &mean, &deviation, gradient ? dmean : NULL,
                                  ddeviation);
                value[start + p] += normal_expectation(kind, a->g->sign * mean, deviation, a->incumbent[s],
                                                       a->margin, &in_mean, &in_deviation) /
                                    samples;
                if (!gradient) continue;
                double *row = gradient + (size_t)(start + p) * d;
                for (size_t k = 0; k < d; k++)
                    row[k] += (in_mean * a->g->sign * dmean[k] + in_deviation * ddeviation[k]) / samples;
            }
        }
    }
    return GOFH_OK;
}

gofh_status acquisition_plug_in(acquisition *a, int sample, const double *points, int q, double *value,
                                double *gradient)
{
    size_t d = (size_t)a->mo->inputs.d, m = (size_t)a->mo->outputs;
    for (int start = 0; start < q; start += a->chunk) {
        int part = q - start < a->chunk ? q - start : a->chunk;
        posterior post;
        posterior_place(&post, part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
        model_predict(a->mo, sample, points + (size_t)start * d, part,
                      gradient ? PREDICT_MEAN_GRADIENT : PREDICT_MEAN, &post, a->predict_work);
        memcpy(a->h, post.mean, (size_t)part * m * sizeof *a->h);
        gofh_status status = evaluate_outer(a, points + (size_t)start * d, part, 1, gradient != NULL);
        if (status) return status;
        memcpy(value + start, a->value, (size_t)part * sizeof *value);
        for (int p = 0; gradient && p < part; p++) {
            double *row = gradient + (size_t)(start + p) * d, slope[GOFH_MOST_PARAMETERS];
            domain_slope(a->box, a->x + (size_t)p * d, slope);
            for (size_t k = 0; k < d; k++) {
                row[k] = slope[k] * a->dx[(size_t)p * d + k];
                for (size_t j = 0; j < m; j++)
                    row[k] += a->dh[(size_t)p * m + j] * post.mean_gradient[((size_t)p * m + j) * d + k];
            }
        }
    }
    return GOFH_OK;
}

/* The moments of a mixture of normals, one a hyperparameter sample: no draws are needed. */
static void linear_moments(acquisition *a, const double *points, int q, double *mean, double *deviation)
{
    size_t d = (size_t)a->mo->inputs.d;
    for (int start = 0; start < q; start += a->chunk) {
        int part = q - start < a->chunk ? q - start : a->chunk;
        double squares[CHUNK] = {0};
        for (int p = 0; p < part; p++) mean[start + p] = 0.0;
        for (int s = 0; s < a->mo->samples; s++) {
            posterior post;
            posterior_place(&post, part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
            model_predict(a->mo, s, points + (size_t)start * d, part, PREDICT_SPREAD, &post, a->predict_work);
            for (int p = 0; p < part; p++) { /* Welford's running mean and sum of squares */
                double centre, spread, *slot = &mean[start + p];
                posterior_project(&post, p, a->g->weights, &centre, &spread, NULL, NULL);
                double rest = a->g->sign * centre - *slot;
                *slot += rest / (s + 1.0);
                squares[p] += rest * (a->g->sign * centre - *slot) + spread * spread;
            }
        }
        for (int p = 0; deviation && p < part; p++) deviation[start + p] = sqrt(squares[p] / a->mo->samples);
    }
}

gofh_status acquisition_moments(acquisition *a, const double *z, int count, const double *points, int q,
                                double *mean, double *deviation)
{
    size_t d = (size_t)a->mo->inputs.d;
    if (!a->g->function) {
        linear_moments(a, points, q, mean, deviation);
        return GOFH_OK;
    }
    if (count > a->rows) count = a->rows;
    int step = chunk_points(a, count);
    for (int start = 0; start < q; start += step) {
        int part = q - start < step ? q - start : step;
        double centre[CHUNK], squares[CHUNK];
        double seen = 0.0;
        for (int p = 0; p < part; p++) centre[p] = squares[p] = 0.0;
        for (int s = 0; s < a->mo->samples; s++) {
            posterior post;
            gofh_status status = draw(a, s, z, count, points + (size_t)start * d, part, 0, &post);
            if (status) return status;
            for (int p = 0; p < part; p++) /* Welford's running mean and sum of squares */
                for (int i = 0; i < count; i++) {
                    double f = a->value[(size_t)p * (size_t)count + (size_t)i], rest = f - centre[p];
                    centre[p] += rest / (seen + i + 1.0);
                    squares[p] += rest * (f - centre[p]);
                }
            seen += count;
        }
        for (int p = 0; p < part; p++) {
            mean[start + p] = isnan(centre[p]) ? -INFINITY : centre[p];
            if (deviation) deviation[start + p] = isnan(squares[p]) ? INFINITY : sqrt(squares[p] / seen);
        }
    }
    return GOFH_OK;
}
