/* Samples of the hyperparameters against quadrature of their posterior. */
#include "check.h"
#include "model/quick.h"
#include "target.h"

#include <stdlib.h>

enum { DRAWS = 12000, GRID = 600, CELLS = 160 };

/* A one-dimensional distribution as a histogram on a grid over the bounds. */
typedef struct {
    double low, high, mean, variance;
    int cells;
    double cumulative[GRID + 1]; /* at the right ends of the cells */
} marginal;

static double middle(const marginal *m, int i)
{
    return m->low + (m->high - m->low) * (i + 0.5) / m->cells;
}

/* mass: of each cell, up to a factor. */
static void summarise(marginal *m, const double *mass)
{
    double sum = 0.0;
    for (int i = 0; i < m->cells; i++) sum += mass[i];
    m->mean = m->variance = 0.0;
    double reached = 0.0;
    for (int i = 0; i < m->cells; i++) {
        m->mean += mass[i] / sum * middle(m, i);
        m->cumulative[i] = reached += mass[i] / sum;
    }
    for (int i = 0; i < m->cells; i++) m->variance += mass[i] / sum * pow(middle(m, i) - m->mean, 2.0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean, variance, and the distribution function at every cell's end. Bounds: about four standard
 * errors of DRAWS draws that are worth a third of independent ones. */
static void check_marginal(const marginal *m, double *sample)
{
    const double error = 4.0 * sqrt(3.0 / DRAWS);
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < DRAWS; i++) mean += sample[i] / DRAWS;
    for (int i = 0; i < DRAWS; i++) variance += (sample[i] - mean) * (sample[i] - mean) / DRAWS;
    check_near(mean, m->mean, error * sqrt(m->variance));
    check_close(variance, m->variance, 2.0 * error);
    qsort(sample, DRAWS, sizeof *sample, by_value);
    assert_true(sample[0] >= m->low && sample[DRAWS - 1] <= m->high);
    int below = 0;
    for (int i = 0; i < m->cells; i++) {
        double end = m->low + (m->high - m->low) * (i + 1) / m->cells;
        while (below < DRAWS && sample[below] <= end) below++;
        check_near((double)below / DRAWS, m->cumulative[i], 0.5 * error);
    }
}

/* A one-dimensional theta (d = 1, exact) against GRID cells, a two-dimensional one against CELLS x
 * CELLS. */
static void check_samples(hyper_target *target, int thin)
{
    static double mass[CELLS * CELLS], draws[2][DRAWS];
    static double margin[GRID];
    int dimension = hyper_dimension(target), cells = dimension == 1 ? GRID : CELLS;
    double lower[2], upper[2], theta[2], top = -INFINITY;
    marginal m[2];
    hyper_bounds(target, lower, upper);
    for (int k = 0; k < dimension; k++) m[k] = (marginal){.low = lower[k], .high = upper[k], .cells = cells};
    int total = dimension == 1 ? cells : cells * cells;
    for (int i = 0; i < total; i++) {
        for (int k = 0; k < dimension; k++) theta[k] = middle(&m[k], k == 0 ? i % cells : i / cells);
        mass[i] = hyper_log_posterior(target, theta, NULL);
        top = fmax(top, mass[i]);
    }
    for (int i = 0; i < total; i++) mass[i] = exp(mass[i] - top);
    for (int k = 0; k < dimension; k++) {
        for (int i = 0; i < cells; i++) margin[i] = 0.0;
        for (int i = 0; i < total; i++) margin[k == 0 ? i % cells : i / cells] += mass[i];
        summarise(&m[k], margin);
    }
    static double
        differences[2 * FIXTURE_MOST * FIXTURE_MOST]; /* as in a study: the grid above was without */
    quick_differences(target->inputs, differences);
    target->differences = differences;
    random_stream stream = random_open(8, RANDOM_TEST, 0, 0);
    hyper_start(target, theta);
    double value = hyper_sample(target, theta, hyper_log_posterior(target, theta, NULL), 20, &stream);
    for (int i = 0; i < DRAWS; i++) {
        value = hyper_sample(target, theta, value, thin, &stream);
        for (int k = 0; k < dimension; k++) draws[k][i] = theta[k];
    }
    for (int k = 0; k < dimension; k++) check_marginal(&m[k], draws[k]);
}

static void samples_of_one_lengthscale_match_quadrature(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        fixture_open(&f, kernel, 1, 6, 1);
        hyper_target target = target_open(&f, HYPER_EXACT, &PRIOR);
        check_samples(&target, 1);
        target_close(&target);
        fixture_close(&f);
    }
}

static void samples_of_two_lengthscales_match_quadrature(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, 2, 7, 1);
    hyper_target target = target_open(&f, HYPER_EXACT, &PRIOR);
    check_samples(&target, 2);
    target_close(&target);
    fixture_close(&f);
}

static void samples_of_lengthscale_and_noise_match_quadrature(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, 1, 8, 1);
    hyper_target target = target_open(&f, HYPER_ESTIMATED, &PRIOR);
    check_samples(&target, 3);
    target_close(&target);
    fixture_close(&f);
}

static void samples_of_lengthscale_and_variance_match_quadrature(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_32, 1, 6, 1);
    hyper_target target = target_open(&f, HYPER_KNOWN, &PRIOR);
    check_samples(&target, 3);
    target_close(&target);
    fixture_close(&f);
}

/* With one datum the posterior is the prior cut at the bounds, and this one is flat from bound to
 * bound: a slice as wide as the box. */
static void samples_of_a_posterior_as_wide_as_the_bounds_match_quadrature(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, 1, 1, 1);
    hyper_prior flat = PRIOR;
    flat.noise_spread = flat.lengthscale_spread = 1e3;
    flat.noise_median = 1e-11;
    hyper_target target = target_open(&f, HYPER_ESTIMATED, &flat);
    check_samples(&target, 1);
    target_close(&target);
    fixture_close(&f);
}

static void the_same_stream_gives_the_same_samples(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, 3, 10, 1);
    hyper_target target = target_open(&f, HYPER_ESTIMATED, &PRIOR);
    double theta[2][4];
    for (int run = 0; run < 2; run++) {
        random_stream stream = random_open(8, RANDOM_TEST, 0, 0);
        hyper_start(&target, theta[run]);
        hyper_sample(&target, theta[run], hyper_log_posterior(&target, theta[run], NULL), 10, &stream);
    }
    assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
    target_close(&target);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_one_lengthscale_match_quadrature),
        cmocka_unit_test(samples_of_two_lengthscales_match_quadrature),
        cmocka_unit_test(samples_of_lengthscale_and_noise_match_quadrature),
        cmocka_unit_test(samples_of_lengthscale_and_variance_match_quadrature),
        cmocka_unit_test(samples_of_a_posterior_as_wide_as_the_bounds_match_quadrature),
        cmocka_unit_test(the_same_stream_gives_the_same_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
