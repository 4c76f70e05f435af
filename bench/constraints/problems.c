#include "bench/constraints/problems.h"

#include "bench/problems/family.h"

#include <math.h>

static int gardner_h(const double *x, double *y, void *instance)
{
    (void)instance;
    y[0] = cos(2 * x[0]) * cos(x[1]) + sin(x[0]);
    y[1] = cos(x[0]) * cos(x[1]) - sin(x[0]) * sin(x[1]);
    return 0;
}

/* The least there is, -1 - 1, is feasible: the constraint cuts off other good parts. */
const bench_problem bench_gardner = {
    .name = "gardner",
    .d = 2,
    .m = 2,
    .parameters = (const bench_parameter[]){{"x1", 0, 6, 0}, {"x2", 0, 6, 0}},
    .objective = "y[0]",
    .constraints = (const char *const[]){"y[1] <= 0.5", NULL},
    .h = gardner_h,
    .optimum = -2,
    .optimiser = (const double[]){1.5 * BENCH_PI, 0},
};

const bench_problem bench_pressure_vessel = {
    .name = "pressure-vessel",
    .d = 4,
    .m = 2,
    .parameters = bench_vessel_parameters,
    .objective = "y[0]",
    .constraints = (const char *const[]){"shell >= 0.0193*radius", "head >= 0.00954*radius",
                                         "y[1] >= 1296000", NULL},
    .h = bench_vessel_h,
    .optimum = 5885.332773616461,
    .optimiser = (const double[]){0.7781686413751054, 0.38464916262790183, 40.319618724098724, 200},
};
