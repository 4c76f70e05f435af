/* The paper's GP-generated problems, types 1 and 2 (its section 5.1): h is drawn by the instance's
 * number.
 *
 * gp1 and gp2 have variance 2 and lengthscale 0.3 for every output. In the mixed ones each output
 * has its own, as the paper says of its problems: the lengthscale uniform in [0.2, 0.5], the
 * variance log-uniform in [1, 4]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/problems/draw.h"
#include "bench/problems/family.h"
#include "bench/problems/newton.h"
#include "bench/problems/random.h"

enum { MAX_OUTPUTS = 5 };

static int draw_h(const double *x, double *y, void *instance)
{
    const bench_draw *draw = ((const bench_instance *)instance)->draw;
    for (int j = 0; j < draw->m; j++) y[j] = bench_draw_value(draw, j, x, NULL, NULL);
    return 0;
}

static int negative_sum_of_exponentials(const double *y, const double *x, int count, double *value,
                                        double *dy, double *dx, void *instance)
{
    (void)x, (void)dx;
    int m = ((const bench_instance *)instance)->problem->m;
    for (int i = 0; i < count; i++) {
        value[i] = 0;
        for (int j = 0; j < m; j++) {
            double term = exp(y[i * m + j]);
            value[i] -= term;
            if (dy) dy[i * m + j] = -term;
        }
    }
    return 0;
}

static int draw_open(bench_instance *instance, int axis, int mixed)
{
    const bench_problem *problem = instance->problem;
    double variance[MAX_OUTPUTS], lengthscale[MAX_OUTPUTS];
    uint64_t key = bench_random_key("mixed", (uint64_t)instance->number, (uint64_t)problem->d);
    for (int j = 0; j < problem->m; j++) {
        variance[j] = mixed ? exp2(2 * bench_random_uniform(key, (uint64_t)(2 * j))) : 2;
        lengthscale[j] = mixed ? 0.2 + 0.3 * bench_random_uniform(key, (uint64_t)(2 * j + 1)) : 0.3;
    }
    instance->draw = bench_draw_create(problem->d, problem->m, axis, variance, lengthscale, problem->name,
                                       (uint64_t)instance->number);
    return instance->draw ? 0 : -1;
}

static void draw_close(bench_instance *instance)
{
    bench_draw_free(instance->draw);
}

/* Whether no neighbour along an axis of the grid is higher. */
static int is_peak(const double *values, const int *index, int d, int points, int at)
{
    for (int k = d - 1, stride = 1; k >= 0; k--, stride *= points) {
        if (index[k] > 0 && values[at - stride] > values[at]) return 0;
        if (index[k] < points - 1 && values[at + stride] > values[at]) return 0;
    }
    return 1;
}

/* Climbs from every peak of the grid of values and leaves the best maximum in x. */
static double best_peak(bench_newton_function function, const void *context, const double *values, int d,
                        int points, double *x)
{
    double best = -INFINITY;
    int total = 1, index[BENCH_DRAW_MAX_D];
    for (int k = 0; k < d; k++) total *= points;
    for (int at = 0; at < total; at++) {
        double start[BENCH_DRAW_MAX_D];
        for (int k = d - 1, rest = at; k >= 0; k--, rest /= points) {
            index[k] = rest % points;
            start[k] = (double)index[k] / (points - 1);
        }
        if (!is_peak(values, index, d, points, at)) continue;
        double value = bench_newton_climb(function, context, d, start);
        if (value > best) {
            best = value;
            memcpy(x, start, (size_t)d * sizeof *x);
        }
    }
    return best;
}

static double first_output(const double *x, double *gradient, double *hessian, const void *draw)
{
    return bench_draw_value(draw, 0, x, gradient, hessian);
}

/* y_obs is h at the maximiser of its first output. */
static int type1_open(bench_instance *instance, int mixed)
{
    enum { POINTS = 17, TOTAL = POINTS * POINTS * POINTS * POINTS };
    double *values = malloc(2 * TOTAL * sizeof *values);
    int failed = !values || draw_open(instance, 6, mixed);
    if (!failed) {
        bench_draw_grid(instance->draw, 0, POINTS, values, values + TOTAL);
        best_peak(first_output, instance->draw, values, 4, POINTS, instance->optimiser);
        draw_h(instance->optimiser, instance->observed, instance);
        instance->optimum = 0;
    }
    free(values);
    return failed;
}

static double minus_exponentials(const double *x, double *gradient, double *hessian, const void *context)
{
    const bench_draw *draw = context;
    int d = draw->d;
    double value = 0, slope[BENCH_DRAW_MAX_D], bend[BENCH_DRAW_MAX_D * BENCH_DRAW_MAX_D];
    memset(gradient, 0, (size_t)d * sizeof *gradient);
    memset(hessian, 0, (size_t)(d * d) * sizeof *hessian);
    for (int j = 0; j < draw->m; j++) {
        double term = exp(bench_draw_value(draw, j, x, slope, bend));
        value -= term;
        for (int k = 0; k < d; k++) {
            gradient[k] -= term * slope[k];
            for (int l = 0; l < d; l++) hessian[k * d + l] -= term * (bend[k * d + l] + slope[k] * slope[l]);
        }
    }
    return value;
}

static int type2_open(bench_instance *instance, int mixed)
{
    enum { POINTS = 33, TOTAL = POINTS * POINTS * POINTS };
    double *values = calloc(3 * TOTAL, sizeof *values);
    int failed = !values || draw_open(instance, 8, mixed);
    for (int j = 0; !failed && j < instance->problem->m; j++) {
        double *output = values + TOTAL;
        bench_draw_grid(instance->draw, j, POINTS, output, output + TOTAL);
        for (int i = 0; i < TOTAL; i++) values[i] -= exp(output[i]);
    }
    if (!failed) {
        best_peak(minus_exponentials, instance->draw, values, 3, POINTS, instance->optimiser);
        instance->optimum = bench_value(instance, instance->optimiser);
    }
    free(values);
    return failed;
}

static int gp1_open(bench_instance *instance)
{
    return type1_open(instance, 0);
}

static int gp1_mixed_open(bench_instance *instance)
{
    return type1_open(instance, 1);
}

static int gp2_open(bench_instance *instance)
{
    return type2_open(instance, 0);
}

static int gp2_mixed_open(bench_instance *instance)
{
    return type2_open(instance, 1);
}

static const bench_parameter unit_cube[] = {
    {"x1", 0, 1, 0}, {"x2", 0, 1, 0}, {"x3", 0, 1, 0}, {"x4", 0, 1, 0}};

#define TYPE1                                                                                                \
    .d = 4, .m = 5, .parameters = unit_cube, .objective = "-sum((y - observed)^2)", .maximise = 1,           \
    .least_squares = 1, .drawn = 1, .h = draw_h, .g = bench_least_squares, .close = draw_close

#define TYPE2                                                                                                \
    .d = 3, .m = 4, .parameters = unit_cube, .objective = "-sum(exp(y))", .maximise = 1, .drawn = 1,         \
    .h = draw_h, .g = negative_sum_of_exponentials, .close = draw_close

const bench_problem bench_gp1 = {
    .name = "gp1",
    .description = "A draw of 5 Gaussian processes, fitted to its values at the maximum of the first",
    TYPE1,
    .open = gp1_open,
};

const bench_problem bench_gp1_mixed = {
    .name = "gp1-mixed",
    .description = "As gp1, each output with its own variance and lengthscale",
    TYPE1,
    .open = gp1_mixed_open,
};

const bench_problem bench_gp2 = {
    .name = "gp2",
    .description = "A draw of 4 Gaussian processes and the sum of their exponentials",
    TYPE2,
    .open = gp2_open,
};

const bench_problem bench_gp2_mixed = {
    .name = "gp2-mixed",
    .description = "As gp2, each output with its own variance and lengthscale",
    TYPE2,
    .open = gp2_mixed_open,
};
