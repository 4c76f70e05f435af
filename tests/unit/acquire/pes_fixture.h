/* Models with given hyperparameters, and maximisers of drawn functions, for the tests of predictive
 * entropy search. */
#ifndef TESTS_PES_FIXTURE_H
#define TESTS_PES_FIXTURE_H

#include "acquire/pes.h"
#include "base/memory.h"
#include "base/random.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    gofh_kernel kernel;
    int d, n, samples;
    double lengthscale, variance, noise; /* the noise relative to the variance */
    double mean;                         /* NaN: unknown */
} fixture;

/* Samples differ in their lengthscales: by a factor of 1.2 each. */
static inline model *fixture_model(const fixture *f, const double *x, const double *y)
{
    model *mo = model_create(f->d, 1, f->samples, f->n + 2, f->kernel, 1);
    double *packed = memory_doubles((size_t)f->n * (size_t)f->n);
    assert_non_null(mo);
    assert_non_null(packed);
    model_set_data(mo, f->n, x, y, NULL, NULL);
    for (int s = 0; s < f->samples; s++) {
        gp *g = model_process(mo, s, 0);
        for (int k = 0; k < f->d; k++)
            g->hyper.inverse_lengthscale[k] = 1.0 / (f->lengthscale * pow(1.2, s) * (1.0 + 0.3 * k));
        g->hyper.variance = f->variance;
        g->hyper.noise = f->noise;
        g->hyper.mean = f->mean;
        assert_int_equal(gp_condition(g, &mo->inputs, f->kernel, mo->y, packed), 0);
    }
    free(packed);
    return mo;
}

static inline void fixture_random_data(const fixture *f, uint64_t number, double *x, double *y)
{
    random_stream stream = random_open(1, RANDOM_TEST, number, 0);
    for (int i = 0; i < f->n * f->d; i++) x[i] = random_uniform(&stream);
    for (int i = 0; i < f->n; i++) {
        y[i] = 0.0;
        for (int k = 0; k < f->d; k++) y[i] += sin(5.0 * x[i * f->d + k] + k);
    }
}

/* The best of many random points, then projected gradient ascent with a step that adapts. */
static inline void fixture_maximize(pes_path *path, int d, random_stream *stream, double *x)
{
    double best = -INFINITY, try[16], value, gradient[16], step = 1e-2;
    for (int i = 0; i < 100 * d; i++) {
        for (int k = 0; k < d; k++) try[k] = random_uniform(stream);
        pes_path_evaluate(try, 1, &value, NULL, path);
        if (!(value > best)) continue;
        best = value;
        for (int k = 0; k < d; k++) x[k] = try[k];
    }
    for (int i = 0; i < 120 && step > 1e-14; i++) {
        pes_path_evaluate(x, 1, &value, gradient, path);
        for (int k = 0; k < d; k++) try[k] = fmin(fmax(x[k] + step * gradient[k], 0.0), 1.0);
        pes_path_evaluate(try, 1, &value, NULL, path);
        step *= value > best ? 2.0 : 0.25;
        if (!(value > best)) continue;
        best = value;
        for (int k = 0; k < d; k++) x[k] = try[k];
    }
}

static inline void fixture_optima(pes *p, const model *mo, int optima)
{
    random_stream stream = random_open(1, RANDOM_TEST, 77, 0);
    double x[16];
    for (int s = 0; s < mo->samples; s++)
        for (int j = 0; j < optima; j++) {
            fixture_maximize(pes_path_of(p, s, j), mo->inputs.d, &stream, x);
            pes_set_optimum(p, s, j, x);
        }
}

#endif
