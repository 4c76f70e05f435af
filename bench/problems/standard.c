/* The paper's standard test functions and its environmental model (its section 5 and appendix
 * D). */
#include <math.h>

#include "bench/problems/family.h"

static const double langermann_a[2][5] = {{3, 5, 2, 1, 7}, {5, 2, 1, 4, 9}};
static const double langermann_c[5] = {1, 2, 5, 2, 3};

static int langermann_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 5; j++) {
        double first = x[0] - langermann_a[0][j], second = x[1] - langermann_a[1][j];
        y[j] = first * first + second * second;
    }
    return 0;
}

static int langermann_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                        void *instance)
{
    (void)x, (void)dx, (void)instance;
    for (int i = 0; i < count; i++) {
        value[i] = 0;
        for (int j = 0; j < 5; j++) {
            double at = y[5 * i + j], decay = langermann_c[j] * exp(-at / BENCH_PI);
            value[i] -= decay * cos(BENCH_PI * at);
            if (dy) dy[5 * i + j] = decay * (cos(BENCH_PI * at) / BENCH_PI + BENCH_PI * sin(BENCH_PI * at));
        }
    }
    return 0;
}

const bench_problem bench_langermann = {
    .name = "langermann",
    .description = "Langermann's function of the squared distances to 5 points",
    .d = 2,
    .m = 5,
    .parameters = (const bench_parameter[]){{"x1", 0, 10, 0}, {"x2", 0, 10, 0}},
    .objective = "-sum(c * exp(-y / pi) * cos(pi * y))",
    .maximise = 1,
    .h = langermann_h,
    .g = langermann_g,
    .optimum = 4.155809291847785,
    .optimiser = (const double[]){2.7934022086450369, 1.5972325013283600},
    .data = {"c", langermann_c, 5},
};

static int rosenbrock_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int j = 0; j < 4; j++) {
        y[j] = x[j + 1] - x[j] * x[j];
        y[j + 4] = x[j];
    }
    return 0;
}

const bench_problem bench_rosenbrock = {
    .name = "rosenbrock",
    .description = "Rosenbrock's valley in 5 dimensions",
    .d = 5,
    .m = 8,
    .parameters =
        (const bench_parameter[]){
            {"x1", -2, 2, 0}, {"x2", -2, 2, 0}, {"x3", -2, 2, 0}, {"x4", -2, 2, 0}, {"x5", -2, 2, 0}},
    .objective = "-sum(weight * (y - observed)^2)",
    .maximise = 1,
    .least_squares = 1,
    .h = rosenbrock_h,
    .g = bench_least_squares,
    .observed = (const double[]){0, 0, 0, 0, 1, 1, 1, 1},
    .weight = (const double[]){100, 100, 100, 100, 1, 1, 1, 1},
    .optimum = 0,
    .optimiser = (const double[]){1, 1, 1, 1, 1},
};

/* Concentration in a long channel at distance s and time t after a spill of the mass at 0, and
 * another at (location, start) (Bliznyuk et al. 2008). */
static double concentration(double s, double t, const double *x)
{
    double mass = x[0], diffusion = x[1], location = x[2], start = x[3];
    double width = 4 * diffusion * t;
    double sum = mass / sqrt(BENCH_PI * width) * exp(-s * s / width);
    if (t > start) {
        width = 4 * diffusion * (t - start);
        sum += mass / sqrt(BENCH_PI * width) * exp(-(s - location) * (s - location) / width);
    }
    return sum;
}

static int environment_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double places[3] = {0, 1, 2.5}, times[4] = {15, 30, 45, 60};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) y[4 * i + j] = concentration(places[i], times[j], x);
    }
    return 0;
}

const bench_parameter bench_environment_parameters[4] = {
    {"M", 7, 13, 0}, {"D", 0.02, 0.12, 0}, {"L", 0.01, 3, 0}, {"tau", 30.01, 30.295, 0}};
const double bench_environment_truth[4] = {10, 0.07, 1.505, 30.1525};

const bench_problem bench_environment = {
    .name = "environment",
    .description = "Two chemical spills in a channel: mass, diffusion, place and time from 12 concentrations",
    .d = 4,
    .m = 12,
    .parameters = bench_environment_parameters,
    .objective = "-sum((y - observed)^2)",
    .maximise = 1,
    .least_squares = 1,
    .h = environment_h,
    .g = bench_least_squares,
    .truth = bench_environment_truth,
};
