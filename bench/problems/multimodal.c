/* Several basins: four wells beside a term that may be stiff, and random sums of sines and bumps
 * that are fitted to their values at a drawn point. */
#include <math.h>
#include <stdlib.h>

#include "bench/problems/family.h"
#include "bench/problems/random.h"

/* ---- Wells ---- */

/* y[0] is 0 along a curved valley; y[1] has wells in the last two parameters. */
static void wells(const double *x, double stiffness, double *y)
{
    static const double depth[] = {1, 1.4, 1.2, 2};
    static const double centre[][2] = {{0.2, 0.2}, {0.8, 0.25}, {0.3, 0.75}, {0.75, 0.8}};
    y[0] = stiffness * (x[0] - 0.5 - 0.3 * sin(3 * x[1]));
    y[1] = 0;
    for (int k = 0; k < BENCH_COUNT(depth); k++) {
        double along = x[1] - centre[k][0], across = x[2] - centre[k][1];
        y[1] -= depth[k] * exp(-(along * along + across * across) / 0.02);
    }
}

static int wells_h(const double *x, double *y, void *instance)
{
    (void)instance;
    wells(x, 1, y);
    return 0;
}

static int wells_stiff_h(const double *x, double *y, void *instance)
{
    (void)instance;
    wells(x, 1e4, y);
    return 0;
}

static int wells_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                   void *instance)
{
    (void)x;
    (void)instance;
    for (int i = 0; i < count; i++, y += 2) {
        value[i] = y[0] * y[0] + y[1];
        if (!dy) continue;
        dy[2 * i] = 2 * y[0];
        dy[2 * i + 1] = 1;
        for (int k = 0; k < 3; k++) dx[3 * i + k] = 0;
    }
    return 0;
}

/* The optimum with 40 digits by mpmath. */
#define WELLS                                                                                                \
    .d = 3, .m = 2, .parameters = (const bench_parameter[]){{"a", 0, 1, 0}, {"b", 0, 1, 0}, {"c", 0, 1, 0}}, \
    .objective = "y[0]^2 + y[1]", .g = wells_g, .optimum = -2.0000427717671110313,                           \
    .optimiser = (const double[])                                                                            \
    {                                                                                                        \
        0.73342735367811765459, 0.74999045786212918453, 0.79999884711527577548                               \
    }

const bench_problem bench_wells = {
    .name = "wells", .description = "The deepest of four wells along a valley", .h = wells_h, WELLS};

const bench_problem bench_wells_stiff = {.name = "wells-stiff",
                                         .description = "The same with walls of 1e8 around the valley",
                                         .h = wells_stiff_h,
                                         WELLS};

/* ---- Sines and bumps ---- */

enum { OUTPUTS = 6, SINES = 3, BUMPS = 2 };

/* Every number is keyed by the instance, the output and its place: nothing is stored. */
static double sum_of_waves(const double *x, int d, uint64_t key)
{
    double sum = 0;
    uint64_t index = 0;
    for (int k = 0; k < SINES; k++) {
        double phase = 2 * BENCH_PI * bench_random_uniform(key, index++);
        for (int i = 0; i < d; i++) phase += 2 * bench_random_normal(key, index++) * x[i];
        sum += sin(phase);
    }
    for (int k = 0; k < BUMPS; k++) {
        double squares = 0;
        for (int i = 0; i < d; i++) {
            double away = x[i] - bench_random_uniform(key, index++);
            squares += away * away;
        }
        sum += 2 * bench_random_normal(key, index++) * exp(-squares / 0.5);
    }
    return sum;
}

static int waves_h(const double *x, double *y, void *context)
{
    const bench_instance *instance = context;
    int d = instance->problem->d;
    for (int j = 0; j < OUTPUTS; j++)
        y[j] = sum_of_waves(x, d, bench_random_key("waves", (uint64_t)instance->number, (uint64_t)j));
    return 0;
}

static int waves_open(bench_instance *instance)
{
    uint64_t key = bench_random_key("waves", (uint64_t)instance->number, OUTPUTS);
    for (int k = 0; k < instance->problem->d; k++)
        instance->optimiser[k] = 0.1 + 0.8 * bench_random_uniform(key, (uint64_t)k);
    return waves_h(instance->optimiser, instance->observed, instance);
}

static const bench_parameter unit_cube[] = {{"x1", 0, 1, 0}, {"x2", 0, 1, 0}, {"x3", 0, 1, 0},
                                            {"x4", 0, 1, 0}, {"x5", 0, 1, 0}, {"x6", 0, 1, 0}};

#define WAVES                                                                                                \
    .m = OUTPUTS, .parameters = unit_cube, .objective = "sum((y - observed)^2)", .least_squares = 1,         \
    .drawn = 1, .h = waves_h, .g = bench_least_squares, .optimum = 0, .open = waves_open

const bench_problem bench_waves5 = {.name = "waves5",
                                    .description = "Random sums of sines and bumps, fitted to a drawn point",
                                    .d = 5,
                                    WAVES};

const bench_problem bench_waves6 = {
    .name = "waves6", .description = "The same in six dimensions", .d = 6, WAVES};
