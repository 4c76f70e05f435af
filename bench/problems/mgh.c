/* Least-squares problems of the collection of More, Garbow and Hillstrom (ACM TOMS 7, 1981). Where
 * the model is a curve h is the curve, and the measured values are in g. */
#include <math.h>

#include "bench/problems/family.h"

static int kowalik_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double u[11] = {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
    for (int j = 0; j < 11; j++) y[j] = x[0] * u[j] * (u[j] + x[1]) / (u[j] * u[j] + u[j] * x[2] + x[3]);
    return 0;
}

const bench_problem bench_kowalik = {
    .name = "kowalik",
    .description = "Kowalik and Osborne's enzyme kinetics (MGH 15, also NIST's MGH09)",
    .d = 4,
    .m = 11,
    .parameters = (const bench_parameter[]){{"x1", 0, 0.42, 0},
                                            {"x2", 0, 0.42, 0},
                                            {"x3", 0, 0.42, 0},
                                            {"x4", 0, 0.42, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = kowalik_h,
    .g = bench_least_squares,
    .observed = (const double[]){0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235,
                                 0.0246},
    .optimum = 0.00030750560384923631,
    .optimiser = (const double[]){0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068},
};

static int bard_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 15; j++) {
        double u = j + 1, v = 15 - j;
        y[j] = x[0] + u / (v * x[1] + fmin(u, v) * x[2]);
    }
    return 0;
}

const bench_problem bench_bard = {
    .name = "bard",
    .description = "Bard's function (MGH 8)",
    .d = 3,
    .m = 15,
    .parameters = (const bench_parameter[]){{"x1", -1, 1, 0}, {"x2", 0.5, 4, 0}, {"x3", 0.5, 4, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = bard_h,
    .g = bench_least_squares,
    .observed = (const double[]){0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34,
                                 2.10, 4.39},
    .optimum = 0.0082148773065789538,
    .optimiser = (const double[]){0.082410559750773382, 1.1330360920623095, 2.3436951786112576},
};

static int brown_dennis_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 20; j++) {
        double t = (j + 1) / 5.0;
        double first = x[0] + t * x[1] - exp(t), second = x[2] + x[3] * sin(t) - cos(t);
        y[j] = first * first + second * second;
    }
    return 0;
}

const bench_problem bench_brown_dennis = {
    .name = "brown-dennis",
    .description = "Brown and Dennis' function (MGH 16): 20 outputs, large residuals",
    .d = 4,
    .m = 20,
    .parameters =
        (const bench_parameter[]){{"x1", -25, 25, 0}, {"x2", -5, 20, 0}, {"x3", -5, 5, 0}, {"x4", -5, 5, 0}},
    .objective = "sum(y^2)",
    .least_squares = 1,
    .h = brown_dennis_h,
    .g = bench_least_squares,
    .optimum = 85822.201626356255,
    .optimiser = (const double[]){-11.594439913931115, 13.203630048562061, -0.4034395077128039,
                                  0.23677878089514337},
};

static int osborne1_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 33; j++) y[j] = x[0] + x[1] * exp(-10 * j * x[3]) + x[2] * exp(-10 * j * x[4]);
    return 0;
}

const bench_problem bench_osborne1 = {
    .name = "osborne1",
    .description = "Osborne's sum of two exponentials, 33 measurements (MGH 17)",
    .d = 5,
    .m = 33,
    .parameters = (const bench_parameter[]){{"x1", 0, 1, 0},
                                            {"x2", 1, 3, 0},
                                            {"x3", -3, -1, 0},
                                            {"x4", 0.005, 0.02, 0},
                                            {"x5", 0.015, 0.05, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = osborne1_h,
    .g = bench_least_squares,
    .observed = (const double[]){0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751,
                                 0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490,
                                 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406},
    .optimum = 5.4648946974821796e-05,
    .optimiser = (const double[]){0.37541005229829172, 1.9358469373285772, -1.4646871613522199,
                                  0.012867534688896239, 0.022122699559716463},
};

static int broyden_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 10; j++) {
        double before = j > 0 ? x[j - 1] : 0, after = j < 9 ? x[j + 1] : 0;
        y[j] = (3 - 2 * x[j]) * x[j] - before - 2 * after + 1;
    }
    return 0;
}

const bench_problem bench_broyden = {
    .name = "broyden",
    .description = "Broyden's tridiagonal equations in 10 dimensions (MGH 30)",
    .d = 10,
    .m = 10,
    .parameters = (const bench_parameter[]){{"x1", -1, 1, 0},
                                            {"x2", -1, 1, 0},
                                            {"x3", -1, 1, 0},
                                            {"x4", -1, 1, 0},
                                            {"x5", -1, 1, 0},
                                            {"x6", -1, 1, 0},
                                            {"x7", -1, 1, 0},
                                            {"x8", -1, 1, 0},
                                            {"x9", -1, 1, 0},
                                            {"x10", -1, 1, 0}},
    .objective = "sum(y^2)",
    .least_squares = 1,
    .h = broyden_h,
    .g = bench_least_squares,
    .optimum = 0,
    .optimiser = (const double[]){-0.57072213201122479, -0.68180694998427516, -0.70221007601766006,
                                  -0.7055106298950804, -0.7049061557287436, -0.70149660702985117,
                                  -0.69188932235479839, -0.66579651440585375, -0.59603510902636581,
                                  -0.41641225752869337},
};
