/* Models with given hyperparameters on random data, and what is needed to judge an acquisition on
 * them: the normal distribution from erfc, and averages over batches with their standard error. */
#ifndef TESTS_ACQUIRE_MODELS_H
#define TESTS_ACQUIRE_MODELS_H

#include "acquire/acquire.h"
#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "gofh.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_D = 4, MOST_M = 6, MOST_SAMPLES = 3, DRAWS = 4096, BATCHES = 40 };

typedef struct {
    int d, m, samples;
    random_stream stream;
    double lower[MOST_D], upper[MOST_D], weights[MOST_M];
    gofh_scale scale[MOST_D];
    domain box;
    outer g;
    model *mo;
    acquisition *a;
    double *z;                   /* DRAWS x m */
    double threshold, smoothing; /* of goals */
} scene;

static inline acquire_goal scene_goal(const scene *s, acquire_kind kind)
{
    return (acquire_goal){.kind = kind, .threshold = s->threshold, .smoothing = s->smoothing};
}

static inline double phi(double z)
{
    return exp(-0.5 * z * z) / sqrt(2.0 * 3.14159265358979323846);
}

static inline double big_phi(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

static inline double between(scene *s, double low, double high)
{
    return low + (high - low) * random_uniform(&s->stream);
}

static inline void condition_process(scene *s, int sample, int output)
{
    gp *process = model_process(s->mo, sample, output);
    double packed[64 * 63 / 2];
    for (int k = 0; k < s->d; k++) process->hyper.inverse_lengthscale[k] = 1.0 / between(s, 0.2, 0.6);
    process->hyper.variance = between(s, 0.5, 1.5);
    process->hyper.noise = 0.0;
    process->hyper.mean = sample % 2 ? 0.1 : NAN;
    assert_int_equal(gp_condition(process, &s->mo->inputs, s->mo->kernel,
                                  s->mo->y + (size_t)output * (size_t)s->mo->inputs.capacity, packed),
                     0);
}

/* A model of m random functions on n points; g is linear with random weights until it is
 * replaced. */
static inline void scene_open(scene *s, uint64_t seed, int d, int m, int samples, int n)
{
    *s = (scene){.d = d, .m = m, .samples = samples};
    s->stream = random_open(seed, RANDOM_TEST, (uint64_t)d, (uint64_t)m);
    double x[64 * MOST_D], y[64 * MOST_M], phase[MOST_M];
    for (int k = 0; k < d; k++) {
        s->lower[k] = 1.0 + k;
        s->upper[k] = 3.0 + 2.0 * k;
        s->scale[k] = k % 2 ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR;
    }
    s->box = (domain){.d = d, .lower = s->lower, .upper = s->upper, .scale = s->scale};
    for (int j = 0; j < m; j++) {
        phase[j] = between(s, 0.0, 6.0);
        s->weights[j] = between(s, -2.0, 2.0);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < d; k++) sum += x[i * d + k] = random_uniform(&s->stream);
        for (int j = 0; j < m; j++) y[i * m + j] = 3.0 * sin(4.0 * sum + phase[j]) + x[i * d];
    }
    s->g = (outer){.outputs = m, .parameters = d, .sign = 1.0, .weights = s->weights};
    s->mo = model_create(d, m, samples, 64, GOFH_KERNEL_MATERN_52, 1);
    assert_non_null(s->mo);
    model_set_data(s->mo, n, x, y, NULL, NULL);
    for (int i = 0; i < samples; i++)
        for (int j = 0; j < m; j++) condition_process(s, i, j);
    s->threshold = 0.01;
    s->a = acquisition_create(s->mo, &s->g, &s->box);
    assert_non_null(s->a);
    s->z = memory_doubles((size_t)DRAWS * (size_t)m);
    assert_non_null(s->z);
}

static inline void scene_use(scene *s, gofh_outer g, gofh_gradient gradient, double sign, void *context)
{
    s->g = (outer){.outputs = s->m,
                   .parameters = s->d,
                   .sign = sign,
                   .function = g,
                   .gradient = gradient,
                   .context = context};
}

static inline void scene_close(scene *s)
{
    acquisition_free(s->a);
    model_free(s->mo);
    free(s->z);
}

static inline void fresh_normals(scene *s)
{
    for (int i = 0; i < DRAWS * s->m; i++) s->z[i] = random_normal(&s->stream);
}

static inline void random_point(scene *s, double *u)
{
    for (int k = 0; k < s->d; k++) u[k] = random_uniform(&s->stream);
}

/* Posterior mean and standard deviation of each output at one point. */
static inline void moments_of_h(const scene *s, int sample, const double *u, double *mean, double *deviation)
{
    posterior p;
    double *block = memory_doubles(posterior_size(1, s->m, s->d) + model_predict_work(s->mo, 1));
    assert_non_null(block);
    posterior_place(&p, 1, s->m, s->d, block);
    model_predict(s->mo, sample, u, 1, PREDICT_DEVIATION, &p, block + posterior_size(1, s->m, s->d));
    double covariance[MOST_M * MOST_M];
    posterior_covariance(&p, 0, covariance);
    for (int j = 0; j < s->m; j++) {
        mean[j] = p.mean[j];
        deviation[j] = sqrt(covariance[j * s->m + j]);
    }
    free(block);
}

typedef struct {
    double mean, error; /* of the mean: its standard error */
} estimate;

/* The mean over BATCHES of DRAWS independent draws each. */
static inline estimate by_monte_carlo(scene *s, acquire_kind kind, const double *u)
{
    double sum = 0.0, squares = 0.0;
    for (int b = 0; b < BATCHES; b++) {
        double value;
        fresh_normals(s);
        assert_int_equal(acquisition_monte_carlo(s->a, scene_goal(s, kind), 0, s->samples, s->z, DRAWS, u, 1,
                                                 &value, NULL),
                         GOFH_OK);
        sum += value / BATCHES;
        squares += value * value / BATCHES;
    }
    return (estimate){sum, sqrt(fmax(squares - sum * sum, 0.0) / (BATCHES - 1))};
}

/* Four and a half standard errors: one in 150,000 of right estimates is further off. */
static inline void check_estimate(estimate e, double expected)
{
    check_near(e.mean, expected, 4.5 * e.error + 1e-12 * fabs(expected));
}

#endif
