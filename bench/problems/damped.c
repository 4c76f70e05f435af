/* A damped oscillation, seen at few, many and very many times: as outputs multiply, they say the same
 * more and more often. */
#include <math.h>

#include "bench/problems/family.h"

/* m times in even steps up to DURATION. */
static const double DURATION = 5;

static int damped_h(const double *x, double *y, void *context)
{
    const bench_instance *instance = context;
    int m = instance->problem->m;
    for (int j = 0; j < m; j++) {
        double t = DURATION * (j + 1) / m;
        y[j] = x[0] * exp(-x[1] * t) * cos(x[2] * t + x[3]);
    }
    return 0;
}

static const bench_parameter PARAMETERS[4] = {
    {"amplitude", 0.5, 2, 0}, {"damping", 0.05, 1, 0}, {"frequency", 1, 2.5, 0}, {"phase", -0.8, 0.8, 0}};
static const double TRUTH[4] = {1.3, 0.3, 1.7, 0.2};

#define DAMPED(outputs, words)                                                                               \
    const bench_problem bench_damped##outputs = {.name = "damped" #outputs,                                  \
                                                 .description = "A damped oscillation at " words " times",   \
                                                 .d = 4,                                                     \
                                                 .m = (outputs),                                             \
                                                 .parameters = PARAMETERS,                                   \
                                                 .objective = "sum((y - observed)^2)",                       \
                                                 .least_squares = 1,                                         \
                                                 .h = damped_h,                                              \
                                                 .g = bench_least_squares,                                   \
                                                 .truth = TRUTH}

DAMPED(5, "5");
DAMPED(50, "50");
DAMPED(500, "500");
