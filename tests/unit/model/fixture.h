/* One Gaussian process on random inputs, with room for more, and the same for dense.h. */
#ifndef TESTS_MODEL_FIXTURE_H
#define TESTS_MODEL_FIXTURE_H

#include "base/random.h"
#include "dense.h"
#include "model/gp.h"

#include <string.h>

enum { FIXTURE_MOST = 40, FIXTURE_PARAMETERS = 20 };

typedef struct {
    gofh_kernel kernel;
    gp_inputs inputs;
    gp process;
    dense_gp dense;
    double x[FIXTURE_MOST * FIXTURE_PARAMETERS]; /* n x d, a row a point */
    double by_coordinate[FIXTURE_MOST * FIXTURE_PARAMETERS];
    double y[FIXTURE_MOST], inverse_lengthscale[FIXTURE_PARAMETERS];
    double packed[FIXTURE_MOST * FIXTURE_MOST], *block;
} fixture;

/* The inputs of the first n points, in the layout of gp_inputs. */
static inline void fixture_take(fixture *f, int n)
{
    f->inputs.n = f->dense.n = n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f->inputs.d; k++)
            f->by_coordinate[k * f->inputs.capacity + i] = f->x[i * f->inputs.d + k];
}

/* FIXTURE_MOST random points and values, of which the first n are used. */
static inline void fixture_open(fixture *f, gofh_kernel kernel, int d, int n, uint64_t seed)
{
    random_stream stream = random_open(seed, RANDOM_TEST, (uint64_t)d, (uint64_t)n);
    memset(f, 0, sizeof *f);
    f->kernel = kernel;
    for (int i = 0; i < FIXTURE_MOST * d; i++) f->x[i] = random_uniform(&stream);
    /* On a line random points come too near each other for tight comparisons: the golden ratio
     * spreads them. */
    if (d == 1)
        for (int i = 0; i < FIXTURE_MOST; i++) f->x[i] = fmod(0.6180339887498949 * (i + 1), 1.0);
    for (int i = 0; i < FIXTURE_MOST; i++) {
        f->y[i] = 0.3 * random_normal(&stream);
        for (int k = 0; k < d; k++) f->y[i] += sin(3.0 * f->x[i * d + k] + k);
    }
    double least = d == 1 ? 0.05 : 0.15;
    for (int k = 0; k < d; k++)
        f->inverse_lengthscale[k] = 1.0 / (least * (1.0 + 2.0 * random_uniform(&stream)));
    f->inputs = (gp_inputs){.d = d, .capacity = FIXTURE_MOST, .x = f->by_coordinate};
    f->block = calloc(gp_size(d, f->inputs.capacity), sizeof *f->block);
    gp_place(&f->process, d, f->inputs.capacity, f->block);
    memcpy(f->process.hyper.inverse_lengthscale, f->inverse_lengthscale, (size_t)d * sizeof(double));
    f->dense = (dense_gp){
        .kernel = kernel, .d = d, .x = f->x, .y = f->y, .inverse_lengthscale = f->inverse_lengthscale};
    fixture_take(f, n);
}

/* Conditions both on the first n data; the dense one gets the nugget that the other needed. */
static inline int fixture_condition(fixture *f, double variance, double noise, double mean)
{
    f->process.hyper.variance = f->dense.variance = variance;
    f->process.hyper.noise = noise;
    f->process.hyper.mean = f->dense.mean = mean;
    int failed = gp_condition(&f->process, &f->inputs, f->kernel, f->y, f->packed);
    double diagonal = 0.0;
    for (int i = 0; i < f->inputs.n; i++)
        diagonal += (double)dense_correlation(&f->dense, f->x + i * f->inputs.d, f->x + i * f->inputs.d) /
                    f->inputs.n;
    f->dense.noise = (noise + f->process.nugget) * diagonal;
    return failed;
}

static inline void fixture_close(fixture *f)
{
    free(f->block);
}

/* Mean, variance and gradients (NULL: none) at one point. */
static inline void fixture_predict(const fixture *f, const double *x, double *mean, double *variance,
                                   double *mean_gradient, double *variance_gradient)
{
    double work[8 * FIXTURE_MOST];
    assert(gp_predict_work(f->inputs.n, 1) <= sizeof work / sizeof *work);
    gp_predict(&f->process, &f->inputs, f->kernel, x, 1, mean, variance, mean_gradient, variance_gradient,
               work);
}

#define FOR_EACH_KERNEL(kernel)                                                                              \
    for (gofh_kernel kernel = GOFH_KERNEL_SQUARED_EXPONENTIAL; kernel <= GOFH_KERNEL_MATERN_32; kernel++)

#endif
