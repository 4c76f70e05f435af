#include "acquire/pes_path.h"

#include "base/quasi.h"
#include "linalg/linalg.h"
#include "model/kernel.h"

#include <math.h>

static const double TWO_PI = 6.28318530717958647693;

size_t pes_path_size(int d, int n)
{
    return (size_t)(d + 2) * PES_FEATURES + 3 * (size_t)n;
}

void pes_path_place(pes_path *path, int d, int n, double *block)
{
    path->frequency = block;
    path->amplitude = path->frequency + (size_t)d * PES_FEATURES;
    path->phase = path->amplitude + PES_FEATURES;
    path->weights = path->phase + PES_FEATURES;
    path->correlation = path->weights + n;
    path->slope = path->correlation + n;
}

/* How much longer than normal a frequency of a Matern kernel is: Student's t with 2 nu degrees of
 * freedom. */
static double stretch(gofh_kernel kernel, random_stream *stream)
{
    double nu = kernel == GOFH_KERNEL_MATERN_52 ? 2.5 : 1.5;
    return kernel == GOFH_KERNEL_SQUARED_EXPONENTIAL ? 1.0 : sqrt(nu / random_gamma(stream, nu));
}

/* Each feature has a random phase and a Rayleigh amplitude, which is a normal weight for its cosine
 * and one for its sine: the variance is right at every x, whatever the frequencies. */
static void draw_features(pes_path *path, random_stream *stream, double *work)
{
    int d = path->inputs->d;
    double scale = sqrt(path->process->hyper.variance / PES_FEATURES);
    quasi_normals(stream, d, PES_FEATURES, work);
    for (int j = 0; j < PES_FEATURES; j++) {
        double longer = stretch(path->kernel, stream);
        for (int k = 0; k < d; k++)
            path->frequency[k * PES_FEATURES + j] = longer * work[j * d + k] *
                                                    path->process->hyper.inverse_lengthscale[k];
        path->amplitude[j] = scale * sqrt(-2.0 * log(random_uniform(stream)));
        path->phase[j] = TWO_PI * random_uniform(stream);
    }
}

/* The draw from the prior (eq. P1); gradient may be NULL. */
static double prior_value(const pes_path *path, const double *x, double *gradient)
{
    int d = path->inputs->d;
    double angle[PES_FEATURES], value = 0.0;
    for (int j = 0; j < PES_FEATURES; j++) angle[j] = path->phase[j];
    for (int k = 0; k < d; k++)
        for (int j = 0; j < PES_FEATURES; j++) angle[j] += path->frequency[k * PES_FEATURES + j] * x[k];
    for (int j = 0; j < PES_FEATURES; j++) value += path->amplitude[j] * cos(angle[j]);
    if (!gradient) return value;
    for (int j = 0; j < PES_FEATURES; j++) angle[j] = -path->amplitude[j] * sin(angle[j]);
    for (int k = 0; k < d; k++)
        gradient[k] = dot_product(PES_FEATURES, angle, path->frequency + (size_t)k * PES_FEATURES);
    return value;
}

/* With the data y less the prior draw (noise included), the correction is their kriging predictor,
 * with its own estimate of the mean where that is unknown (eq. P2). */
static void draw_correction(pes_path *path, random_stream *stream)
{
    const gp *g = path->process;
    const gp_inputs *inputs = path->inputs;
    int n = inputs->n, ld = inputs->capacity;
    double x[GOFH_MAX_PARAMETERS], *w = path->weights;
    double noise = sqrt(g->hyper.variance * (g->hyper.noise + g->nugget));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < inputs->d; k++) x[k] = inputs->x[(size_t)k * (size_t)ld + (size_t)i];
        w[i] = prior_value(path, x, NULL) + noise * random_normal(stream);
    }
    solve_lower(n, g->factor, ld, 1, w, n);
    for (int i = 0; i < n; i++) w[i] = g->solved_y[i] - w[i];
    path->mean = isnan(g->hyper.mean) ? dot_product(n, g->solved_one, w) / g->ones_sum : g->hyper.mean;
    for (int i = 0; i < n; i++) w[i] -= path->mean * g->solved_one[i];
    solve_lower_transposed(n, g->factor, ld, 1, w, n);
}

void pes_path_draw(pes_path *path, const gp *process, const gp_inputs *inputs, gofh_kernel kernel,
                   random_stream *stream, double *work)
{
    path->process = process;
    path->inputs = inputs;
    path->kernel = kernel;
    draw_features(path, stream, work);
    draw_correction(path, stream);
}

int pes_path_evaluate(const double *x, int count, double *value, double *gradient, void *context)
{
    pes_path *path = context;
    const gp_inputs *inputs = path->inputs;
    const double *scale = path->process->hyper.inverse_lengthscale;
    int n = inputs->n, d = inputs->d, ld = inputs->capacity;
    for (int p = 0; p < count; p++, x += d) {
        double *slopes = gradient ? path->slope : NULL;
        kernel_distances(d, n, x, inputs->x, ld, scale, path->correlation);
        kernel_apply(path->kernel, path->correlation, n, path->correlation, slopes);
        value[p] = prior_value(path, x, gradient) + path->mean +
                   dot_product(n, path->weights, path->correlation);
        if (!gradient) continue;
        for (int i = 0; i < n; i++) slopes[i] *= path->weights[i];
        for (int k = 0; k < d; k++) {
            const double *coordinate = inputs->x + (size_t)k * (size_t)ld;
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += slopes[i] * (x[k] - coordinate[i]);
            gradient[k] -= scale[k] * scale[k] * sum;
        }
        gradient += d;
    }
    return 0;
}
