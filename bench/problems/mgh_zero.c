/* More problems of the collection of More, Garbow and Hillstrom (ACM TOMS 7, 1981), all with a
 * solution of residual 0. They were added when the method gofh was finished, to try it on what had
 * not been looked at before. */
#include <math.h>

#include "bench/problems/family.h"

/* What all of them have in common. */
#define ZERO_RESIDUAL .objective = "sum(y^2)", .least_squares = 1, .g = bench_least_squares, .optimum = 0

static int beale_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double measured[3] = {1.5, 2.25, 2.625};
    for (int j = 0; j < 3; j++) y[j] = measured[j] - x[0] * (1 - pow(x[1], j + 1));
    return 0;
}

const bench_problem bench_beale = {
    .name = "beale",
    .description = "Beale's function (MGH 5)",
    .d = 2,
    .m = 3,
    .parameters = (const bench_parameter[]){{"x1", -4.5, 4.5, 0}, {"x2", -4.5, 4.5, 0}},
    .h = beale_h,
    .optimiser = (const double[]){3, 0.5},
    ZERO_RESIDUAL,
};

static int helical_valley_h(const double *x, double *y, void *instance)
{
    (void)instance;
    double turns = atan2(x[1], x[0]) / (2 * BENCH_PI);
    if (turns < -0.25) turns += 1; /* from -1/4 to 3/4, as in the collection */
    y[0] = 10 * (x[2] - 10 * turns);
    y[1] = 10 * (hypot(x[0], x[1]) - 1);
    y[2] = x[2];
    return 0;
}

const bench_problem bench_helical_valley = {
    .name = "helical-valley",
    .description = "Fletcher and Powell's helical valley (MGH 7): an output that jumps",
    .d = 3,
    .m = 3,
    .parameters = (const bench_parameter[]){{"x1", -2, 3, 0}, {"x2", -2, 3, 0}, {"x3", -2, 3, 0}},
    .h = helical_valley_h,
    .optimiser = (const double[]){1, 0, 0},
    ZERO_RESIDUAL,
};

static int box_3d_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 10; j++) {
        double t = 0.1 * (j + 1);
        y[j] = exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (exp(-t) - exp(-10 * t));
    }
    return 0;
}

const bench_problem bench_box_3d = {
    .name = "box-3d",
    .description = "Box's three-dimensional function (MGH 12): several solutions",
    .d = 3,
    .m = 10,
    .parameters = (const bench_parameter[]){{"x1", 0, 15, 0}, {"x2", 0, 15, 0}, {"x3", 0.2, 2, 0}},
    .h = box_3d_h,
    .optimiser = (const double[]){1, 10, 1},
    ZERO_RESIDUAL,
};

static int powell_singular_h(const double *x, double *y, void *instance)
{
    (void)instance;
    y[0] = x[0] + 10 * x[1];
    y[1] = sqrt(5) * (x[2] - x[3]);
    y[2] = (x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
    y[3] = sqrt(10) * (x[0] - x[3]) * (x[0] - x[3]);
    return 0;
}

const bench_problem bench_powell_singular = {
    .name = "powell-singular",
    .description = "Powell's singular function (MGH 13): no rank at the solution",
    .d = 4,
    .m = 4,
    .parameters =
        (const bench_parameter[]){{"x1", -3, 5, 0}, {"x2", -3, 5, 0}, {"x3", -3, 5, 0}, {"x4", -3, 5, 0}},
    .h = powell_singular_h,
    .optimiser = (const double[]){0, 0, 0, 0},
    ZERO_RESIDUAL,
};

static int wood_h(const double *x, double *y, void *instance)
{
    (void)instance;
    y[0] = 10 * (x[1] - x[0] * x[0]);
    y[1] = 1 - x[0];
    y[2] = sqrt(90) * (x[3] - x[2] * x[2]);
    y[3] = 1 - x[2];
    y[4] = sqrt(10) * (x[1] + x[3] - 2);
    y[5] = (x[1] - x[3]) / sqrt(10);
    return 0;
}

const bench_problem bench_wood = {
    .name = "wood",
    .description = "Wood's function (MGH 14)",
    .d = 4,
    .m = 6,
    .parameters =
        (const bench_parameter[]){{"x1", -3, 2, 0}, {"x2", -3, 2, 0}, {"x3", -3, 2, 0}, {"x4", -3, 2, 0}},
    .h = wood_h,
    .optimiser = (const double[]){1, 1, 1, 1},
    ZERO_RESIDUAL,
};

static int biggs_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 13; j++) {
        double t = 0.1 * (j + 1);
        double measured = exp(-t) - 5 * exp(-10 * t) + 3 * exp(-4 * t);
        y[j] = x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4]) - measured;
    }
    return 0;
}

const bench_problem bench_biggs = {
    .name = "biggs",
    .description = "Biggs' sum of three exponentials (MGH 18)",
    .d = 6,
    .m = 13,
    .parameters = (const bench_parameter[]){{"x1", 0, 12, 0},
                                            {"x2", 0, 12, 0},
                                            {"x3", 0, 6, 0},
                                            {"x4", 0, 6, 0},
                                            {"x5", 0, 12, 0},
                                            {"x6", 0, 6, 0}},
    .h = biggs_h,
    .optimiser = (const double[]){1, 10, 1, 5, 4, 3},
    ZERO_RESIDUAL,
};
