#include "infer/likelihood.h"

#include "base/memory.h"
#include "linalg/linalg.h"
#include "study/fitted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An emulator's variance below this part of the noise's is left out: it changes nothing. */
static const double NEGLIGIBLE = 1e-7;
/* The range of an unknown sigma, around the root mean square residual of the best trial. */
static const double SIGMA_LOW = 1e-5, SIGMA_HIGH = 1e2;
/* The range of a discrepancy's deviation, of the residuals and the noise of its data; and of its
 * lengthscale, of the range of what it is a function of. */
static const double FIELD_LOW = 3e-3, FIELD_HIGH = 3.0, LENGTH_LOW = 0.05, LENGTH_HIGH = 2.0;

static const model *model_of(const likelihood *l)
{
    return l->st->fitted->mo;
}

static const output_correlation *correlation_of(const likelihood *l)
{
    const model *mo = model_of(l);
    return mo->correlated ? &mo->correlation : NULL;
}

double likelihood_sigma(const likelihood *l, int group, const double *point)
{
    double u = point[l->d + group];
    return exp((1.0 - u) * log(l->sigma_low[group]) + u * log(l->sigma_high[group]));
}

static double noise_variance(const infer_datum *datum, const double *sigma)
{
    double deviation = isnan(datum->sigma) ? datum->unit * sigma[datum->group] : datum->sigma;
    return deviation * deviation;
}

static int has_repeats(const likelihood *l, unsigned char *seen)
{
    for (int i = 0; i < l->count; i++)
        if (seen[l->data[i].output]++) return 1;
    return 0;
}

/* R between the outputs of all pairs of data. */
static gofh_status make_correlation(likelihood *l)
{
    size_t n = (size_t)l->count;
    const output_correlation *r = correlation_of(l);
    l->correlation = memory_doubles(n * n);
    if (!l->correlation) return GOFH_ERROR_MEMORY;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            int j = l->data[a].output, k = l->data[b].output;
            l->correlation[a * n + b] = r && r->rank ? correlation_between(r, j, k) : (double)(j == k);
        }
    return GOFH_OK;
}

static double residual_of(const infer_datum *datum, double output)
{
    if (!datum->logarithm) return datum->value - output;
    return output > 0.0 ? log(datum->value) - log(output) : NAN;
}

/* The root mean square of a group's residuals, in its units, at the trial that has the least. */
static double least_residual(const likelihood *l, int group)
{
    const trial_list *trials = &l->st->trials;
    double least = INFINITY, magnitude = 0.0;
    for (size_t t = 0; t < trials->count; t++) {
        const trial *own = &trials->list[t];
        double squares = 0.0;
        int count = 0;
        for (int i = 0; own->state == GOFH_TRIAL_DONE && i < l->count; i++) {
            const infer_datum *datum = &l->data[i];
            double rest = residual_of(datum, own->y[datum->output]) / datum->unit;
            if (datum->group != group || !isnan(datum->sigma) || isnan(rest)) continue;
            squares += rest * rest;
            magnitude = datum->logarithm ? 1.0 : fmax(magnitude, fabs(datum->value / datum->unit));
            count++;
        }
        if (count > 0) least = fmin(least, sqrt(squares / count));
    }
    double floor = 1e-9 * fmax(magnitude, 1e-280);
    return isfinite(least) && least > floor ? least : floor;
}

/* The range of the deviation and of the lengthscale of a discrepancy. */
static void range_of_field(likelihood *l, int field)
{
    const trial_list *trials = &l->st->trials;
    double least = INFINITY, noise = 0.0, low = INFINITY, high = -INFINITY;
    for (size_t t = 0; t < trials->count; t++) {
        const trial *own = &trials->list[t];
        double squares = 0.0;
        int count = 0;
        for (int i = 0; own->state == GOFH_TRIAL_DONE && i < l->count; i++) {
            double rest = residual_of(&l->data[i], own->y[l->data[i].output]);
            if (l->data[i].field != field || isnan(rest)) continue;
            squares += rest * rest;
            count++;
        }
        if (count > 0) least = fmin(least, sqrt(squares / count));
    }
    for (int i = 0; i < l->count; i++) {
        if (l->data[i].field != field) continue;
        if (!isnan(l->data[i].sigma)) noise = fmax(noise, l->data[i].sigma);
        low = fmin(low, l->data[i].at);
        high = fmax(high, l->data[i].at);
    }
    double scale = fmax(isfinite(least) ? least : 0.0, noise), range = high > low ? high - low : 1.0;
    int at = l->groups + 2 * (field - 1);
    if (!(scale > 0.0)) scale = 1.0;
    l->sigma_low[at] = FIELD_LOW * scale;
    l->sigma_high[at] = FIELD_HIGH * scale;
    l->sigma_low[at + 1] = LENGTH_LOW * range;
    l->sigma_high[at + 1] = LENGTH_HIGH * range;
}

static gofh_status prepare(likelihood *l)
{
    const model *mo = model_of(l);
    size_t n = (size_t)l->count + 1, m = (size_t)mo->outputs, extra = (size_t)(l->groups + 2 * l->fields);
    for (int g = 0; g < l->groups; g++) {
        double scale = least_residual(l, g);
        l->sigma_low[g] = SIGMA_LOW * scale;
        l->sigma_high[g] = SIGMA_HIGH * scale;
    }
    for (int f = 1; f <= l->fields; f++) range_of_field(l, f);
    unsigned char *seen = memory_new(m, 1);
    if (!seen) return GOFH_ERROR_MEMORY;
    int repeats = has_repeats(l, seen);
    free(seen);
    const output_correlation *r = correlation_of(l);
    int rank = r ? r->rank : 0;
    l->dense = repeats || l->fields > 0 || (rank > 0 && l->count <= rank);
    l->predict_size = posterior_size(LIKELIHOOD_CHUNK, mo->outputs, l->st->d) +
                      model_predict_work(mo, LIKELIHOOD_CHUNK);
    size_t square = l->dense ? n * n : (size_t)rank * (n + (size_t)rank + 1);
    l->work = memory_doubles(l->predict_size + 5 * n + square + (size_t)LIKELIHOOD_CHUNK * (size_t)l->st->d +
                             extra);
    if (!l->work) return GOFH_ERROR_MEMORY;
    return l->dense ? make_correlation(l) : GOFH_OK;
}

/* Where the study is reduced, its outputs are coordinates of the residuals over their sigma, or, of one that
 * is not known, over its units: they are wanted to be 0, and those beyond them are. */
static void reduce_data(likelihood *l)
{
    int known = !isnan(l->data[0].sigma);
    l->count = l->st->m - 1 < l->all ? l->st->m - 1 : l->all;
    l->beyond = l->all - l->count;
    for (int i = 0; i < l->count; i++)
        l->data[i] = (infer_datum){.output = i, .sigma = known ? 1.0 : NAN, .unit = 1.0};
}

gofh_status likelihood_create(likelihood *l, study *st, const infer_prior *prior, infer_datum *data,
                              int count, int groups)
{
    int fields = 0;
    for (int i = 0; i < count; i++) fields = data[i].field > fields ? data[i].field : fields;
    *l = (likelihood){.st = st,
                      .prior = prior,
                      .data = data,
                      .count = count,
                      .all = count,
                      .groups = groups,
                      .fields = fields,
                      .emulator = 1};
    int extra = groups + 2 * fields;
    gofh_status status = likelihood_place(l);
    l->dimension = l->d + extra;
    if (st->whole) reduce_data(l);
    l->sigma_low = memory_doubles(2 * (size_t)extra);
    l->sigma_high = l->sigma_low ? l->sigma_low + extra : NULL;
    if (!status) status = l->sigma_low ? prepare(l) : GOFH_ERROR_MEMORY;
    if (!status) status = separable_create(l);
    if (status) likelihood_free(l);
    return status;
}

void likelihood_free(likelihood *l)
{
    free(l->data);
    free(l->sigma_low);
    free(l->correlation);
    free(l->work);
    free(l->normals);
    separable_free(l);
    likelihood_forget(l);
    *l = (likelihood){.st = NULL};
}

/* One point: its residuals, the variances of noise and emulator, and the rest of the workspace. */
typedef struct {
    /* count + 1: noise is a variance, spread the emulator's deviation; the last is for all beyond */
    double *residual, *noise, *spread;
    double *scaled, *share, *matrix; /* count; count: spread over the deviation of what is diagonal */
    double *sigma;                   /* what the coordinates beyond d are */
} point_work;

/* The determinant and the misfit of a diagonal covariance. */
static double diagonal_misfit(const likelihood *l, const point_work *w, double rest, double *log_determinant)
{
    double misfit = 0.0;
    *log_determinant = 0.0;
    for (int i = 0; i < l->count; i++) {
        double variance = w->noise[i] + rest * w->spread[i] * w->spread[i];
        misfit += w->residual[i] * w->residual[i] / variance;
        *log_determinant += log(variance);
    }
    return misfit;
}

/* A Gaussian process of what the data are a function of, the same for all parameters. */
static void add_discrepancy(const likelihood *l, const point_work *w, double *a)
{
    int n = l->count;
    for (int i = 0; i < n; i++) {
        const infer_datum *own = &l->data[i];
        if (!own->field) continue;
        double deviation = w->sigma[l->groups + 2 * (own->field - 1)],
               length = w->sigma[l->groups + 2 * (own->field - 1) + 1];
        for (int k = i; k < n; k++) {
            if (l->data[k].field != own->field) continue;
            double apart = (own->at - l->data[k].at) / length;
            a[i * n + k] += deviation * deviation * exp(-0.5 * apart * apart);
        }
    }
}

/* The covariance as it is; NaN where it can't be factored. */
static double dense_misfit(const likelihood *l, const point_work *w, double *log_determinant)
{
    int n = l->count;
    double *a = w->matrix;
    for (int i = 0; i < n; i++) {
        for (int k = i; k < n; k++) a[i * n + k] = w->spread[i] * w->spread[k] * l->correlation[i * n + k];
        a[i * n + i] += w->noise[i];
    }
    if (l->fields) add_discrepancy(l, w, a);
    if (cholesky_factor(n, a, n)) return NAN;
    *log_determinant = 0.0;
    for (int i = 0; i < n; i++) *log_determinant += 2.0 * log(a[i * n + i]);
    memcpy(w->scaled, w->residual, (size_t)n * sizeof *w->scaled);
    solve_lower(n, a, n, 1, w->scaled, n);
    return dot_product(n, w->scaled, w->scaled);
}

/* Woodbury: a diagonal matrix D and U U', with U = S V diag(value)^(1/2) of `rank` columns. */
static double low_rank_misfit(const likelihood *l, const point_work *w, const output_correlation *r,
                              double *log_determinant)
{
    int n = l->count, rank = r->rank, m = r->outputs;
    double misfit = diagonal_misfit(l, w, r->rest, log_determinant);
    double *u = w->matrix, *b = u + (size_t)n * (size_t)rank, *c = b + (size_t)rank * (size_t)rank;
    for (int i = 0; i < n; i++) {
        double root = sqrt(w->noise[i] + r->rest * w->spread[i] * w->spread[i]);
        w->scaled[i] = w->residual[i] / root;
        w->share[i] = w->spread[i] / root;
    }
    for (int k = 0; k < rank; k++) {
        const double *vector = r->vectors + (size_t)k * (size_t)m;
        double factor = sqrt(r->value[k]);
        for (int i = 0; i < n; i++) u[k * n + i] = factor * w->share[i] * vector[l->data[i].output];
    }
    memset(b, 0, (size_t)rank * (size_t)rank * sizeof *b);
    for (int k = 0; k < rank; k++) b[k * rank + k] = 1.0;
    add_gram(n, rank, u, n, b, rank);
    multiply_transposed_vector(n, rank, u, n, w->scaled, c);
    if (cholesky_factor(rank, b, rank)) return NAN;
    for (int k = 0; k < rank; k++) *log_determinant += 2.0 * log(b[k * rank + k]);
    solve_lower(rank, b, rank, 1, c, rank);
    return misfit - dot_product(rank, c, c);
}

static double counted_misfit(const likelihood *l, const point_work *w, double *log_determinant)
{
    const output_correlation *r = correlation_of(l);
    int matters = l->fields > 0;
    for (int i = 0; i < l->count && !matters; i++)
        matters = !(w->spread[i] * w->spread[i] <= NEGLIGIBLE * w->noise[i]);
    if (!matters || (!l->dense && (!r || r->rank == 0))) return diagonal_misfit(l, w, 1.0, log_determinant);
    return l->dense ? dense_misfit(l, w, log_determinant) : low_rank_misfit(l, w, r, log_determinant);
}

static double misfit_of(const likelihood *l, const point_work *w, double *log_determinant)
{
    *log_determinant = 0.0;
    double misfit = counted_misfit(l, w, log_determinant);
    if (!l->beyond) return misfit;
    const output_correlation *r = correlation_of(l);
    double rest = r ? r->rest : 1.0, spread = w->spread[l->count];
    *log_determinant += l->beyond * log(w->noise[l->count] + rest * spread * spread);
    return misfit;
}

/* Jeffreys' prior of each group's total variance, per log sigma: sigma^2 / (sigma^2 + the emulator's). */
static double log_sigma_prior(const likelihood *l, const double *spread, const double *sigma)
{
    double sum = 0.0;
    for (int g = 0; g < l->groups; g++) {
        double variance = 0.0;
        int count = 0;
        for (int i = 0; i < l->count; i++) {
            if (!isnan(l->data[i].sigma) || l->data[i].group != g) continue;
            variance += pow(spread[i] / l->data[i].unit, 2.0);
            count++;
        }
        sum -= log1p(variance / count / (sigma[g] * sigma[g]));
    }
    return sum;
}

/* A lognormal of the output's moments has normal logarithms: exact where the model is one of logarithms. */
static void take_logarithm(const infer_datum *datum, double mean, double deviation, double *residual,
                           double *spread)
{
    double variance = mean > 0.0 ? log1p(deviation * deviation / (mean * mean)) : NAN;
    *residual = log(datum->value) - (log(fmax(mean, 0.0)) - 0.5 * variance);
    *spread = sqrt(variance);
}

static void fill_point(const likelihood *l, const posterior *p, int i, const double *sigma, point_work *w)
{
    size_t row = (size_t)i * (size_t)p->outputs;
    for (int k = 0; k < l->count; k++) {
        size_t at = row + (size_t)l->data[k].output;
        w->residual[k] = l->data[k].value - p->mean[at];
        w->spread[k] = l->emulator ? p->deviation[at] : 0.0;
        w->noise[k] = noise_variance(&l->data[k], sigma);
        if (l->data[k].logarithm)
            take_logarithm(&l->data[k], p->mean[at], w->spread[k], &w->residual[k], &w->spread[k]);
    }
    w->residual[l->count] = 0.0;
    w->noise[l->count] = w->noise[0];
    w->spread[l->count] = l->emulator ? p->deviation[row + (size_t)p->outputs - 1] : 0.0;
}

static double log_sum(double a, double b)
{
    double most = fmax(a, b);
    return isfinite(most) ? most + log(exp(a - most) + exp(b - most)) : most;
}

static point_work place_work(const likelihood *l, double **points, double **sigma)
{
    double *at = l->work + l->predict_size;
    size_t n = (size_t)l->count + 1;
    point_work w = {.residual = at, .noise = at + n, .spread = at + 2 * n, .scaled = at + 3 * n};
    w.share = at + 4 * n;
    *points = at + 5 * n;
    *sigma = *points + (size_t)LIKELIHOOD_CHUNK * (size_t)l->st->d;
    w.sigma = *sigma;
    w.matrix = *sigma + l->groups + 2 * l->fields;
    return w;
}

static void find_sigmas(const likelihood *l, const double *point, double *sigma)
{
    for (int g = 0; g < l->groups + 2 * l->fields; g++) sigma[g] = likelihood_sigma(l, g, point);
}

/* At most LIKELIHOOD_CHUNK points; the mean of the likelihood over the samples of the hyperparameters. */
static void chunk_density(likelihood *l, const double *point, int points, double *value)
{
    const model *mo = model_of(l);
    int d = l->st->d;
    double *cube, *sigma, *work = l->work + posterior_size(LIKELIHOOD_CHUNK, mo->outputs, d);
    point_work w = place_work(l, &cube, &sigma);
    for (int i = 0; i < points; i++) likelihood_cube(l, point + i * l->dimension, cube + i * d);
    if (separable_density(l, point, cube, points, value)) return;
    for (int s = 0; s < mo->samples; s++) {
        posterior p;
        posterior_place(&p, points, mo->outputs, d, l->work);
        /* The mean of a transformed output has its deviation in it. */
        int deviations = l->emulator || !model_is_normal(mo);
        model_predict(mo, s, cube, points, deviations ? PREDICT_QUICK : PREDICT_MEAN, &p, work);
        if (deviations) posterior_moments(&p, 0);
        for (int i = 0; i < points; i++) {
            find_sigmas(l, point + i * l->dimension, sigma);
            fill_point(l, &p, i, sigma, &w);
            double log_determinant, misfit = misfit_of(l, &w, &log_determinant);
            double own = -0.5 * (misfit + log_determinant) + log_sigma_prior(l, w.spread, sigma);
            if (!isfinite(own)) own = -INFINITY;
            value[i] = s == 0 ? own : log_sum(value[i], own);
        }
    }
}

gofh_status likelihood_density(const double *point, int points, double *value, void *context)
{
    likelihood *l = context;
    for (int start = 0; start < points; start += LIKELIHOOD_CHUNK) {
        int part = points - start < LIKELIHOOD_CHUNK ? points - start : LIKELIHOOD_CHUNK;
        const double *from = point + (size_t)start * (size_t)l->dimension;
        gofh_status status = GOFH_OK;
        if (l->factor > 0.0)
            status = likelihood_draw_density(l, from, part, value + start);
        else
            chunk_density(l, from, part, value + start);
        if (status) return status;
        for (int i = 0; i < part; i++) value[start + i] += likelihood_log_prior(l, from + i * l->dimension);
    }
    return GOFH_OK;
}

/* Predicts one point into the workspace; 0 where there is no density. */
static int fill_one(likelihood *l, const double *point, int s, point_work *w)
{
    const model *mo = model_of(l);
    double *cube, *sigma;
    posterior p;
    *w = place_work(l, &cube, &sigma);
    posterior_place(&p, 1, mo->outputs, l->st->d, l->work);
    likelihood_cube(l, point, cube);
    model_predict(mo, s, cube, 1, PREDICT_DEVIATION, &p,
                  l->work + posterior_size(LIKELIHOOD_CHUNK, mo->outputs, l->st->d));
    posterior_moments(&p, 0);
    find_sigmas(l, point, sigma);
    fill_point(l, &p, 0, sigma, w);
    for (int i = 0; i < l->count; i++)
        if (!isfinite(w->residual[i]) || !isfinite(w->spread[i])) return 0;
    return 1;
}

int likelihood_parts(likelihood *l, const double *point, int s, double *residual, double *noise,
                     double *spread)
{
    point_work w;
    size_t size = ((size_t)l->count + 1) * sizeof *residual;
    int has = fill_one(l, point, s, &w);
    memcpy(residual, w.residual, size);
    memcpy(noise, w.noise, size);
    memcpy(spread, w.spread, size);
    return has;
}

double likelihood_normal(likelihood *l, const double *point, const double *residual, const double *noise,
                         const double *spread, double *log_determinant)
{
    double *cube, *sigma;
    point_work w = place_work(l, &cube, &sigma);
    size_t size = ((size_t)l->count + 1) * sizeof *residual;
    memcpy(w.residual, residual, size);
    memcpy(w.noise, noise, size);
    memcpy(w.spread, spread, size);
    find_sigmas(l, point, sigma);
    return misfit_of(l, &w, log_determinant);
}

double likelihood_sigma_prior(const likelihood *l, const double *point, const double *spread)
{
    double *cube, *sigma;
    place_work(l, &cube, &sigma);
    find_sigmas(l, point, sigma);
    return log_sigma_prior(l, spread, sigma);
}

double likelihood_misfit(likelihood *l, const double *point)
{
    double log_determinant, value;
    point_work w;
    if (l->factor > 0.0) return likelihood_draw_density(l, point, 1, &value) ? NAN : -2.0 * value;
    return fill_one(l, point, 0, &w) ? misfit_of(l, &w, &log_determinant) : NAN;
}
