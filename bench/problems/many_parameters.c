/* Problems with many parameters and a solution of residual 0: Broyden's tridiagonal equations and the
 * chained valley of Rosenbrock. As those of More and Wild they have the usual start x0, and each parameter
 * is within 2.5 max(1, |x0|) of it. */
#include "bench/problems/family.h"

#define ZERO_RESIDUAL .objective = "sum(y^2)", .least_squares = 1, .g = bench_least_squares, .optimum = 0

static int broyden_h(const double *x, double *y, void *context)
{
    int d = ((const bench_instance *)context)->problem->d;
    for (int j = 0; j < d; j++) {
        double before = j > 0 ? x[j - 1] : 0, after = j < d - 1 ? x[j + 1] : 0;
        y[j] = (3 - 2 * x[j]) * x[j] - before - 2 * after + 1;
    }
    return 0;
}

static int rosenbrock_h(const double *x, double *y, void *context)
{
    int d = ((const bench_instance *)context)->problem->d;
    for (int j = 0; j < d - 1; j++) {
        y[2 * j] = 10 * (x[j + 1] - x[j] * x[j]);
        y[2 * j + 1] = 1 - x[j];
    }
    return 0;
}

/* The first 15 are those of the problems in 15 dimensions. */
static const bench_parameter broyden_box[20] = {
    {"x1", -3.5, 1.5, 0},  {"x2", -3.5, 1.5, 0},  {"x3", -3.5, 1.5, 0},  {"x4", -3.5, 1.5, 0},
    {"x5", -3.5, 1.5, 0},  {"x6", -3.5, 1.5, 0},  {"x7", -3.5, 1.5, 0},  {"x8", -3.5, 1.5, 0},
    {"x9", -3.5, 1.5, 0},  {"x10", -3.5, 1.5, 0}, {"x11", -3.5, 1.5, 0}, {"x12", -3.5, 1.5, 0},
    {"x13", -3.5, 1.5, 0}, {"x14", -3.5, 1.5, 0}, {"x15", -3.5, 1.5, 0}, {"x16", -3.5, 1.5, 0},
    {"x17", -3.5, 1.5, 0}, {"x18", -3.5, 1.5, 0}, {"x19", -3.5, 1.5, 0}, {"x20", -3.5, 1.5, 0},
};
static const bench_parameter rosenbrock_box[20] = {
    {"x1", -4.2, 1.8, 0},  {"x2", -1.5, 3.5, 0},  {"x3", -4.2, 1.8, 0},  {"x4", -1.5, 3.5, 0},
    {"x5", -4.2, 1.8, 0},  {"x6", -1.5, 3.5, 0},  {"x7", -4.2, 1.8, 0},  {"x8", -1.5, 3.5, 0},
    {"x9", -4.2, 1.8, 0},  {"x10", -1.5, 3.5, 0}, {"x11", -4.2, 1.8, 0}, {"x12", -1.5, 3.5, 0},
    {"x13", -4.2, 1.8, 0}, {"x14", -1.5, 3.5, 0}, {"x15", -4.2, 1.8, 0}, {"x16", -1.5, 3.5, 0},
    {"x17", -4.2, 1.8, 0}, {"x18", -1.5, 3.5, 0}, {"x19", -4.2, 1.8, 0}, {"x20", -1.5, 3.5, 0},
};
static const double broyden_start[20] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const double rosenbrock_start[20] = {-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1,
                                            -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1};
static const double ones[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

const bench_problem bench_broyden15 = {
    .name = "broyden15",
    .description = "Broyden's tridiagonal equations in 15 dimensions",
    .d = 15,
    .m = 15,
    .parameters = broyden_box,
    .start = broyden_start,
    .h = broyden_h,
    .optimiser = (const double[]){-0.57076093592078803, -0.68190944985435598, -0.70248420462181049,
                                  -0.70625563974867545, -0.70693838598891889, -0.70704164069365816,
                                  -0.70700114972080774, -0.70683152994092646, -0.70635753176961669,
                                  -0.70506149537162688, -0.70152518942830666, -0.69189462785906819,
                                  -0.66579752313468743, -0.5960353125847816, -0.41641230115786709},
    ZERO_RESIDUAL,
};

const bench_problem bench_broyden20 = {
    .name = "broyden20",
    .description = "Broyden's tridiagonal equations in 20 dimensions",
    .d = 20,
    .m = 20,
    .parameters = broyden_box,
    .start = broyden_start,
    .h = broyden_h,
    .optimiser = (const double[]){-0.57076119128312408, -0.68191012439961707, -0.70248600871656486,
                                  -0.70626054331756827, -0.70695176566529661, -0.70707817581644139,
                                  -0.70710092760792009, -0.70710402532764038, -0.70710167682205283,
                                  -0.70709328393381798, -0.70706999967401163, -0.70700634198311518,
                                  -0.70683248074201244, -0.70635770595336855, -0.70506152731875216,
                                  -0.70152519530649537, -0.6918946289501835,  -0.66579752334213971,
                                  -0.59603531262664489, -0.41641230116683975},
    ZERO_RESIDUAL,
};

const bench_problem bench_rosenbrock15 = {
    .name = "rosenbrock15",
    .description = "Rosenbrock's chained valley in 15 dimensions",
    .d = 15,
    .m = 28,
    .parameters = rosenbrock_box,
    .start = rosenbrock_start,
    .h = rosenbrock_h,
    .optimiser = ones,
    ZERO_RESIDUAL,
};

const bench_problem bench_rosenbrock20 = {
    .name = "rosenbrock20",
    .description = "Rosenbrock's chained valley in 20 dimensions",
    .d = 20,
    .m = 38,
    .parameters = rosenbrock_box,
    .start = rosenbrock_start,
    .h = rosenbrock_h,
    .optimiser = ones,
    ZERO_RESIDUAL,
};
