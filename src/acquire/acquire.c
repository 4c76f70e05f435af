#include "acquire/acquire.h"

#include "acquire/utility.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4096, ROWS_MIN = 64, CHUNK = 64 };

/* Values of outputs at once: with very many outputs fewer rows and points, or memory and the time until
 * an interrupt is seen would grow with them. */
static const double VALUES_MAX = 4e7;
enum { OUTPUTS_MANY = 10000, MANY_ROWS = 64, MANY_CHUNK = 16 };

/* The width of a soft edge over the standard deviation of its margin. */
static const double SOFTNESS = 0.1;

acquisition *acquisition_create(const model *mo, const outer *g, const domain *box)
{
    acquisition *a = memory_new(1, sizeof *a);
    if (!a) return NULL;
    size_t m = (size_t)mo->outputs, d = (size_t)domain_parameters(box),
           rows = (size_t)fmax(fmin(VALUES_MAX / mo->outputs, ROWS_MAX), ROWS_MIN), k = (size_t)g->margins,
           samples = (size_t)(mo->samples > ACQUIRE_SHARED ? mo->samples : ACQUIRE_SHARED);
    int many = mo->outputs > OUTPUTS_MANY, chunk = many ? MANY_CHUNK : CHUNK;
    *a = (acquisition){.mo = mo, .g = g, .box = box, .rows = (int)rows, .chunk = chunk};
    a->batch = many ? MANY_ROWS : (int)rows;
    size_t outer_size = outer_work(g, (int)rows), predict_size = model_predict_work(mo, chunk);
    size_t posterior_doubles = posterior_size(chunk, mo->outputs, mo->inputs.d);
    size_t constrained = k * (2 * rows + 5);
    a->block = memory_doubles(samples + rows * (2 * m + 2 * d + 3) + outer_size + predict_size +
                              posterior_doubles + constrained);
    if (!a->block) {
        free(a);
        return NULL;
    }
    a->incumbent = a->block;
    a->h = a->incumbent + samples;
    a->dh = a->h + rows * m;
    a->x = a->dh + rows * m;
    a->dx = a->x + rows * d;
    a->value = a->dx + rows * d;
    a->utility = a->value + rows;
    a->slope = a->utility + rows;
    a->outer_work = a->slope + rows;
    a->predict_work = a->outer_work + outer_size;
    a->posterior_block = a->predict_work + predict_size;
    a->penalty = a->posterior_block + posterior_doubles;
    a->edge = a->penalty + k;
    a->margin = a->edge + 4 * k;
    a->adjoint = a->margin + rows * k;
    for (size_t s = 0; s < samples; s++) a->incumbent[s] = -INFINITY;
    return a;
}

void acquisition_free(acquisition *a)
{
    if (!a) return;
    free(a->block);
    free(a);
}

gofh_status acquisition_objective(acquisition *a, acquire_subject subject, int rows, int gradient)
{
    size_t m = (size_t)a->mo->outputs, d = (size_t)domain_parameters(a->box), count = (size_t)rows;
    if (subject == ACQUIRE_OBJECTIVE)
        return outer_objective(a->g, a->h, a->x, rows, a->value, gradient ? a->dh : NULL,
                               gradient ? a->dx : NULL, a->outer_work);
    memset(a->value, 0, count * sizeof *a->value);
    if (!gradient) return GOFH_OK;
    memset(a->dh, 0, count * m * sizeof *a->dh);
    memset(a->dx, 0, count * d * sizeof *a->dx);
    return GOFH_OK;
}

/* The objective (and its gradient) and the margins at a->h, of which `draws` rows after another
 * belong to a point; all points come `times`, one time after another. */
static gofh_status evaluate_outer(acquisition *a, acquire_subject subject, const double *points, int q,
                                  int times, int draws, int gradient)
{
    size_t d = (size_t)domain_parameters(a->box);
    for (int p = 0; p < times * q; p++) {
        double *row = a->x + (size_t)p * (size_t)draws * d;
        domain_to_user(a->box, points + (size_t)(p % q) * (size_t)a->mo->inputs.d, row);
        for (size_t done = 1, more; done < (size_t)draws; done += more) {
            more = done < (size_t)draws - done ? done : (size_t)draws - done;
            memcpy(row + done * d, row, more * d * sizeof *row);
        }
    }
    int rows = times * q * draws;
    gofh_status status = acquisition_objective(a, subject, rows, gradient);
    if (status || !a->g->margins) return status;
    if (subject == ACQUIRE_VIOLATION)
        return outer_penalise(a->g, a->h, a->x, rows, a->penalty, a->value, gradient ? a->dh : NULL,
                              gradient ? a->dx : NULL, a->outer_work);
    return outer_margins(a->g, a->h, a->x, rows, a->margin);
}

static int is_feasible(const acquisition *a, size_t row)
{
    size_t k = (size_t)a->g->margins;
    for (size_t i = 0; i < k; i++)
        if (!(a->margin[row * k + i] >= 0.0)) return 0;
    return 1;
}

/* Whether so many draws of all are not feasible that a point does not count as feasible: more than 1
 * in 40. */
static int too_many(int refused, double draws)
{
    return 40.0 * refused > draws;
}

/* Minus infinity for draws that are not feasible. */
static void apply_constraints(acquisition *a, acquire_subject subject, int rows)
{
    for (int s = 0; a->g->margins && subject == ACQUIRE_OBJECTIVE && s < rows; s++)
        if (!is_feasible(a, (size_t)s)) a->value[s] = -INFINITY;
}

/* The soft edges at one point: of each margin the mean and the standard deviation among the draws,
 * and the width of its edge, a part of the deviation: it sharpens as the model learns. */
typedef struct {
    double *mean, *deviation, *width, *slope; /* slope: of the average in the width */
} edges;

static edges find_edges(acquisition *a, size_t first, int draws)
{
    size_t k = (size_t)a->g->margins;
    edges e = {a->edge, a->edge + k, a->edge + 2 * k, a->edge + 3 * k};
    for (size_t i = 0; i < k; i++) {
        double mean = 0.0, squares = 0.0, seen = 0.0, largest = 0.0;
        for (size_t s = first; s < first + (size_t)draws; s++) {
            double margin = a->margin[s * k + i];
            if (!isfinite(margin)) continue;
            double rest = margin - mean;
            mean += rest / ++seen;
            squares += rest * (margin - mean);
            largest = fmax(largest, fabs(margin));
        }
        double least = fmax(1e-12 * largest, 1e-300), width = SOFTNESS * sqrt(squares / fmax(seen, 1.0));
        e.mean[i] = mean;
        /* A width that is not the deviation's does not change with it. */
        e.deviation[i] = width > least ? seen * sqrt(squares / seen) : INFINITY;
        e.width[i] = fmax(width, least);
        e.slope[i] = 0.0;
    }
    return e;
}

/* How nearly one draw is feasible. Notes the adjoints of its contribution, a draw's share of the
 * average, in its margins and in the widths of the edges. */
static double soften(acquisition *a, edges *e, size_t s, double contribution)
{
    size_t k = (size_t)a->g->margins;
    double *adjoint = a->adjoint + s * k,
           feasible = outer_feasibility(a->g, a->margin + s * k, e->width, adjoint);
    for (size_t i = 0; i < k; i++) {
        adjoint[i] *= contribution * feasible;
        if (isfinite(a->margin[s * k + i])) e->slope[i] -= adjoint[i] * a->margin[s * k + i] / e->width[i];
    }
    return feasible;
}

/* Adds what the margins of the draws of one point pull, by themselves and through the widths, to dh
 * and dx. */
static gofh_status pull_margins(acquisition *a, const edges *e, size_t first, int draws)
{
    size_t m = (size_t)a->mo->outputs, d = (size_t)domain_parameters(a->box), k = (size_t)a->g->margins;
    for (size_t s = first; s < first + (size_t)draws; s++)
        for (size_t i = 0; i < k; i++)
            if (isfinite(a->margin[s * k + i]))
                a->adjoint[s * k + i] += e->slope[i] * SOFTNESS * (a->margin[s * k + i] - e->mean[i]) /
                                         e->deviation[i];
    return outer_adjoint(a->g, a->h + first * m, a->x + first * d, draws, a->adjoint + first * k,
                         a->dh + first * m, a->dx + first * d, a->outer_work);
}

/* Whether draws count by how nearly they are feasible, instead of whether they are. */
static int is_soft(const acquisition *a, acquire_goal goal)
{
    return a->g->margins && goal.subject == ACQUIRE_OBJECTIVE &&
           (goal.kind == ACQUIRE_SMOOTH || goal.kind == ACQUIRE_SOFT_IMPROVEMENT);
}

/* Adds one point's average over its draws under one hyperparameter sample, and its gradient: dh
 * becomes the weights that the posterior pulls back to x, the direct dependence of g on x is added
 * by the chain rule of the domain. */
static gofh_status average(acquisition *a, acquire_goal goal, const posterior *post, int point,
                           double incumbent, const double *z, int draws, double share, double *value,
                           double *gradient)
{
    size_t m = (size_t)a->mo->outputs, d = (size_t)domain_parameters(a->box),
           first = (size_t)point * (size_t)draws;
    int soft = is_soft(a, goal), refused = 0;
    double part = share / draws;
    edges e = {NULL, NULL, NULL, NULL};
    if (soft) e = find_edges(a, first, draws);
    utility_of_draws(goal, incumbent, a->value + first, draws, a->utility, a->slope);
    for (int i = 0; soft && i < draws; i++) {
        double weight = soften(a, &e, first + (size_t)i, part * a->utility[i]);
        a->utility[i] *= weight;
        a->slope[i] *= weight;
    }
    for (size_t s = first; goal.kind == ACQUIRE_MEAN && a->g->margins && s < first + (size_t)draws; s++)
        refused += !is_feasible(a, s);
    *value += too_many(refused, draws) ? -INFINITY : part * vector_sum(a->utility, draws);
    if (!gradient) return GOFH_OK;
    for (int i = 0; i < draws; i++) {
        size_t s = first + (size_t)i;
        double slope = part * a->slope[i];
        for (size_t j = 0; j < m; j++) a->dh[s * m + j] *= slope;
        for (size_t k = 0; k < d; k++) a->dx[s * d + k] *= slope;
    }
    gofh_status status = soft ? pull_margins(a, &e, first, draws) : GOFH_OK;
    if (status) return status;
    double direct[GOFH_MAX_PARAMETERS] = {0}, slope[GOFH_MAX_PARAMETERS], room[GOFH_MAX_PARAMETERS];
    for (size_t s = first; s < first + (size_t)draws; s++)
        for (size_t k = 0; k < d; k++) direct[k] += a->dx[s * d + k];
    posterior_pull(post, point, z, a->h + first * m, a->dh + first * m, draws, gradient);
    domain_slope(a->box, a->x + first * d, slope);
    const double *in_cube = domain_spread(a->box, direct, room);
    for (int k = 0; k < a->box->d; k++) gradient[k] += slope[k] * in_cube[k];
    return GOFH_OK;
}

static double incumbent_of(const acquisition *a, acquire_goal goal, int sample)
{
    return goal.incumbent ? goal.incumbent[sample] : a->incumbent[sample];
}

static double largest_of(const double *f, int count)
{
    double most = -INFINITY;
    for (int i = 0; i < count; i++) most = fmax(most, f[i]);
    return most;
}

/* Draws h at q points under `together` samples, which share factors, into a->h and evaluates g on them.
 * known: whether the deviations of these points were predicted last, under a sample that shares factors
 * with this one. */
static gofh_status draw(acquisition *a, acquire_subject subject, int sample, int together, int known,
                        const double *z, int count, const double *points, int q, int gradient,
                        posterior *post)
{
    size_t m = (size_t)a->mo->outputs;
    int rows = together * q;
    predict_what all = gradient ? PREDICT_GRADIENT : PREDICT_DEVIATION;
    predict_what means = gradient ? PREDICT_MEAN_GRADIENT : PREDICT_MEAN;
    posterior_place(post, rows, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
    post->may_defer = 1;
    model_predict_shared(a->mo, sample, together, points, q, known ? means : all, post, a->predict_work);
    for (int r = 0; r < rows; r++) posterior_draw(post, r, z, count, a->h + (size_t)r * (size_t)count * m);
    return evaluate_outer(a, subject, points, q, together, count, gradient);
}

/* Points at once, with so many rows of g each. */
static int chunk_points(const acquisition *a, int together, int count)
{
    int fit = a->batch / (together * count), most = a->chunk / together;
    return fit < 1 ? 1 : fit > most ? most : fit;
}

/* Samples at once, of so many: where they share factors what they have in common is found once. Of many
 * outputs gradients are deferred instead. */
static int samples_together(const acquisition *a, int samples, int count)
{
    return a->mo->base && a->mo->outputs <= OUTPUTS_MANY && samples * count <= a->batch ? samples : 1;
}

/* Adds to value and gradient of up to a->chunk points what `together` hyperparameter samples, each of that
 * `share`, say of them. */
static gofh_status add_samples(acquisition *a, acquire_goal goal, int sample, int together, int known,
                               double share, const double *z, int count, const double *points, int q,
                               double *value, double *gradient)
{
    posterior post;
    gofh_status status = draw(a, goal.subject, sample, together, known, z, count, points, q, gradient != NULL,
                              &post);
    if (status) return status;
    if (goal.kind != ACQUIRE_MEAN && !is_soft(a, goal))
        apply_constraints(a, goal.subject, together * q * count);
    for (int r = 0; r < together * q && !status; r++) {
        int p = r % q;
        double *row = gradient ? gradient + (size_t)p * (size_t)a->mo->inputs.d : NULL;
        if (goal.kind == ACQUIRE_BEST_CASE)
            value[p] = fmax(value[p], largest_of(a->value + (size_t)(r * count), count));
        else
            status = average(a, goal, &post, r, incumbent_of(a, goal, sample + r / q), z, count, share,
                             &value[p], row);
    }
    if (gradient && !status && goal.kind != ACQUIRE_BEST_CASE) posterior_finish(&post, gradient);
    return status;
}

gofh_status acquisition_monte_carlo(acquisition *a, acquire_goal goal, int first, int samples,
                                    const double *z, int count, const double *points, int q, double *value,
                                    double *gradient)
{
    size_t d = (size_t)a->mo->inputs.d;
    if (count > a->rows) count = a->rows;
    for (int p = 0; p < q; p++) value[p] = goal.kind == ACQUIRE_BEST_CASE ? -INFINITY : 0.0;
    if (gradient) memset(gradient, 0, (size_t)q * d * sizeof *gradient);
    int together = samples_together(a, samples, count), step = chunk_points(a, together, count);
    for (int start = 0; start < q; start += step) {
        if (interrupt_requested()) return GOFH_STOP_CALLER;
        int part = q - start < step ? q - start : step;
        size_t at = (size_t)start * d;
        for (int s = first; s < first + samples; s += together) {
            gofh_status status = add_samples(a, goal, s, together, s > first && a->mo->base, 1.0 / samples, z,
                                             count, points + at, part, value + start,
                                             gradient ? gradient + at : NULL);
            if (status) return status;
        }
    }
    return GOFH_OK;
}

void acquisition_predict(acquisition *a, int sample, const double *points, int q, double *mean,
                         double *deviation)
{
    size_t d = (size_t)a->mo->inputs.d, m = (size_t)a->mo->outputs;
    for (int start = 0; start < q; start += a->chunk) {
        int part = q - start < a->chunk ? q - start : a->chunk;
        posterior post;
        posterior_place(&post, part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
        model_predict(a->mo, sample, points + (size_t)start * d, part, PREDICT_DEVIATION, &post,
                      a->predict_work);
        memcpy(mean + (size_t)start * m, post.mean, (size_t)part * m * sizeof *mean);
        memcpy(deviation + (size_t)start * m, post.deviation, (size_t)part * m * sizeof *deviation);
    }
}

gofh_status acquisition_draw(acquisition *a, acquire_subject subject, const double *mean,
                             const double *deviation, const double *z, int count, const double *points, int q,
                             double *f)
{
    size_t d = (size_t)a->mo->inputs.d, m = (size_t)a->mo->outputs;
    int step = chunk_points(a, 1, count);
    for (int start = 0; start < q; start += step) {
        if (interrupt_requested()) return GOFH_STOP_CALLER;
        int part = q - start < step ? q - start : step;
        posterior post;
        posterior_place(&post, part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
        post.transform = a->mo->transform;
        if (mean) {
            memcpy(post.mean, mean + (size_t)start * m, (size_t)part * m * sizeof *mean);
            memcpy(post.deviation, deviation + (size_t)start * m, (size_t)part * m * sizeof *deviation);
        } else
            model_predict(a->mo, 0, points + (size_t)start * d, part, PREDICT_DEVIATION, &post,
                          a->predict_work);
        for (int p = 0; p < part; p++) posterior_draw(&post, p, z, count, a->h + (size_t)(p * count) * m);
        gofh_status status = evaluate_outer(a, subject, points + (size_t)start * d, part, 1, count, 0);
        if (status) return status;
        apply_constraints(a, subject, part * count);
        memcpy(f + (size_t)start * (size_t)count, a->value, (size_t)(part * count) * sizeof *f);
    }
    return GOFH_OK;
}

void acquisition_average(acquisition *a, acquire_goal goal, int sample, const double *f, int count, int q,
                         double *value)
{
    for (int p = 0; p < q; p++, f += count) {
        if (goal.kind == ACQUIRE_BEST_CASE) {
            value[p] = largest_of(f, count);
            continue;
        }
        utility_of_draws(goal, incumbent_of(a, goal, sample), f, count, a->utility, a->slope);
        value[p] = vector_sum(a->utility, count) / count;
    }
}

gofh_status acquisition_values(acquisition *a, int sample, const double *z, int count, const double *point,
                               double *f)
{
    gofh_status status = GOFH_OK;
    for (int start = 0; start < count && !status; start += a->rows) {
        int part = count - start < a->rows ? count - start : a->rows;
        posterior post;
        if (interrupt_requested()) return GOFH_STOP_CALLER;
        status = draw(a, ACQUIRE_OBJECTIVE, sample, 1, 0, z + (size_t)start * (size_t)a->mo->outputs, part,
                      point, 1, 0, &post);
        if (!status) memcpy(f + start, a->value, (size_t)part * sizeof *f);
    }
    return status;
}

/* The moments of a mixture, one component a hyperparameter sample: no draws are needed. */
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
            model_predict(a->mo, s, points + (size_t)start * d, part, PREDICT_DEVIATION, &post,
                          a->predict_work);
            posterior_moments(&post, 0);
            for (int p = 0; p < part; p++) { /* Welford's running mean and sum of squares */
                double centre, width, *slot = &mean[start + p];
                posterior_project(&post, p, post.outputs, NULL, a->g->weights, &centre, &width, NULL, NULL);
                centre = a->g->sign * (centre + a->g->constant);
                double rest = centre - *slot;
                *slot += rest / (s + 1.0);
                squares[p] += rest * (centre - *slot) + width * width;
            }
        }
        for (int p = 0; deviation && p < part; p++) deviation[start + p] = sqrt(squares[p] / a->mo->samples);
    }
}

/* Welford's running mean and sum of squares, and how many draws broke a constraint. */
typedef struct {
    double seen, mean, squares;
    int refused;
} moments;

static void moments_add(moments *m, double f)
{
    double rest = f - m->mean;
    m->mean += rest / ++m->seen;
    m->squares += rest * (f - m->mean);
}

static int has_linear_moments(const acquisition *a)
{
    return !a->g->function && !a->g->margins && (model_is_normal(a->mo) || !a->mo->correlated);
}

gofh_status acquisition_penalised_moments(acquisition *a, const double *multiplier, const double *z,
                                          int count, const double *points, int q, double *mean,
                                          double *deviation)
{
    size_t d = (size_t)a->mo->inputs.d;
    if (has_linear_moments(a)) {
        linear_moments(a, points, q, mean, deviation);
        return GOFH_OK;
    }
    if (count > a->rows) count = a->rows;
    int step = chunk_points(a, 1, count);
    for (int start = 0; start < q; start += step) {
        if (interrupt_requested()) return GOFH_STOP_CALLER;
        int part = q - start < step ? q - start : step;
        moments found[CHUNK] = {{0}};
        for (int s = 0; s < a->mo->samples; s++) {
            posterior post;
            gofh_status status = draw(a, ACQUIRE_OBJECTIVE, s, 1, 0, z, count, points + (size_t)start * d,
                                      part, 0, &post);
            if (!status && multiplier)
                status = outer_penalise(a->g, a->h, a->x, part * count, multiplier, a->value, NULL, NULL,
                                        a->outer_work);
            if (status) return status;
            for (size_t row = 0; row < (size_t)(part * count); row++) {
                moments *m = &found[row / (size_t)count];
                moments_add(m, a->value[row]);
                m->refused += !multiplier && !is_feasible(a, row);
            }
        }
        for (int p = 0; p < part; p++) {
            const moments *m = &found[p];
            int refused = too_many(m->refused, m->seen);
            mean[start + p] = refused || isnan(m->mean) ? -INFINITY : m->mean;
            if (deviation)
                deviation[start + p] = refused || isnan(m->squares) ? INFINITY : sqrt(m->squares / m->seen);
        }
    }
    return GOFH_OK;
}

gofh_status acquisition_moments(acquisition *a, const double *z, int count, const double *points, int q,
                                double *mean, double *deviation)
{
    return acquisition_penalised_moments(a, NULL, z, count, points, q, mean, deviation);
}
