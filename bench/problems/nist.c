/* Nonlinear regressions of NIST's Statistical Reference Datasets, with their certified parameters.
 * h is the curve; the measured values are in g. */
#include <math.h>

#include "bench/problems/family.h"

/* b1 (1 - exp(-b2 t)) */
static void saturation(const double *b, const double *t, int count, double *y)
{
    for (int j = 0; j < count; j++) y[j] = -b[0] * expm1(-b[1] * t[j]);
}

static int misra1a_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double pressure[14] = {77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                                        378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
    saturation(x, pressure, 14, y);
    return 0;
}

const bench_problem bench_misra1a = {
    .name = "misra1a",
    .description = "NIST Misra1a: monomolecular adsorption",
    .d = 2,
    .m = 14,
    .parameters = (const bench_parameter[]){{"b1", 100, 600, 0}, {"b2", 1e-4, 1e-3, GOFH_SCALE_LOG}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = misra1a_h,
    .g = bench_least_squares,
    .observed = (const double[]){10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01,
                                 66.40, 75.47, 81.78},
    .optimum = 0.1245513889443971,
    .optimiser = (const double[]){238.94212918, 5.5015643181e-4},
};

static int boxbod_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double days[6] = {1, 2, 3, 5, 7, 10};
    saturation(x, days, 6, y);
    return 0;
}

const bench_problem bench_boxbod = {
    .name = "boxbod",
    .description = "NIST BoxBOD: biochemical oxygen demand",
    .d = 2,
    .m = 6,
    .parameters = (const bench_parameter[]){{"b1", 100, 300, 0}, {"b2", 0.05, 5, GOFH_SCALE_LOG}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = boxbod_h,
    .g = bench_least_squares,
    .observed = (const double[]){109, 149, 149, 191, 213, 224},
    .optimum = 1168.0088765555504,
    .optimiser = (const double[]){213.80940889, 0.54723748542},
};

static int rat43_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 15; j++) y[j] = x[0] * pow(1 + exp(x[1] - x[2] * (j + 1)), -1 / x[3]);
    return 0;
}

const bench_problem bench_rat43 = {
    .name = "rat43",
    .description = "NIST Rat43: growth of onions as a Richards curve",
    .d = 4,
    .m = 15,
    .parameters = (const bench_parameter[]){{"b1", 500, 900, 0},
                                            {"b2", 0, 12, 0},
                                            {"b3", 0.2, 2, 0},
                                            {"b4", 0.3, 5, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = rat43_h,
    .g = bench_least_squares,
    .observed = (const double[]){16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92,
                                 724.93, 699.56, 689.96, 637.56, 717.41},
    .optimum = 8786.4049079631222,
    .optimiser = (const double[]){699.64151270, 5.2771253025, 0.75962938329, 1.2792483859},
};

static int eckerle4_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 35; j++) {
        double wavelength = j < 8 ? 400 + 5 * j : j < 28 ? 436.5 + 1.5 * (j - 8) : 470 + 5 * (j - 28);
        double gap = (wavelength - x[2]) / x[1];
        y[j] = x[0] / x[1] * exp(-0.5 * gap * gap);
    }
    return 0;
}

const bench_problem bench_eckerle4 = {
    .name = "eckerle4",
    .description = "NIST Eckerle4: transmittance of an interference filter",
    .d = 3,
    .m = 35,
    .parameters = (const bench_parameter[]){{"b1", 0.5, 3, 0}, {"b2", 1, 15, 0}, {"b3", 430, 470, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = eckerle4_h,
    .g = bench_least_squares,
    .observed = (const double[]){0.0001575, 0.0001699, 0.0002350, 0.0003102, 0.0004917, 0.0008710, 0.0017418,
                                 0.0046400, 0.0065895, 0.0097302, 0.0149002, 0.0237310, 0.0401683, 0.0712559,
                                 0.1264458, 0.2073413, 0.2902366, 0.3445623, 0.3698049, 0.3668534, 0.3106727,
                                 0.2078154, 0.1164354, 0.0616764, 0.0337200, 0.0194023, 0.0117831, 0.0074357,
                                 0.0022732, 0.0008800, 0.0004579, 0.0002345, 0.0001586, 0.0001143, 0.0000710},
    .optimum = 0.0014635887487274694,
    .optimiser = (const double[]){1.5543827178, 4.0888321754, 451.54121844},
};
