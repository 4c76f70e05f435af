/* Differential equations fitted to curves. The optimum is that of h as computed here: Runge-Kutta
 * with these steps. */
#include <math.h>

#include "bench/problems/family.h"
#include "bench/problems/runge_kutta.h"

/* Isomerisation of alpha-pinene (Box et al. 1973; COPS 3.0, problem 5): 5 species in % at 8
 * times. */
static void pinene_rate(const double *c, const double *p, double *rate)
{
    rate[0] = -(p[0] + p[1]) * c[0];
    rate[1] = p[0] * c[0];
    rate[2] = p[1] * c[0] - (p[2] + p[3]) * c[2] + p[4] * c[4];
    rate[3] = p[2] * c[2];
    rate[4] = p[3] * c[2] - p[4] * c[4];
}

static int pinene_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const int minutes[8] = {1230, 3060, 4920, 7800, 10680, 15030, 22620, 36420};
    double state[5] = {100, 0, 0, 0, 0};
    for (int i = 0, before = 0; i < 8; before = minutes[i++]) {
        int duration = minutes[i] - before;
        bench_runge_kutta(pinene_rate, x, 5, state, duration, duration / 30);
        for (int k = 0; k < 5; k++) y[5 * i + k] = state[k];
    }
    return 0;
}

const bench_problem bench_pinene = {
    .name = "pinene",
    .description = "Reaction kinetics: isomerisation of alpha-pinene, 5 rates from 40 concentrations (COPS)",
    .d = 5,
    .m = 40,
    .parameters = (const bench_parameter[]){{"p1", 1e-5, 2e-4, GOFH_SCALE_LOG},
                                            {"p2", 1e-5, 1e-4, GOFH_SCALE_LOG},
                                            {"p3", 5e-6, 1e-4, GOFH_SCALE_LOG},
                                            {"p4", 5e-5, 1e-3, GOFH_SCALE_LOG},
                                            {"p5", 1e-5, 2e-4, GOFH_SCALE_LOG}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = pinene_h,
    .g = bench_least_squares,
    .observed = (const double[]){88.35, 7.3,  2.3, 0.4, 1.75, 76.4, 15.6, 4.5, 0.7, 2.8,
                                 65.1,  23.1, 5.3, 1.1, 5.8,  50.4, 32.9, 6.0, 1.5, 9.3,
                                 37.5,  42.7, 6.0, 1.9, 12.0, 25.9, 49.1, 5.9, 2.2, 17.0,
                                 14.0,  57.4, 5.1, 2.6, 21.0, 4.5,  63.1, 3.8, 2.9, 25.7},
    .optimum = 19.872166931946342,
    .optimiser = (const double[]){5.9258487733454685e-05, 2.9634021134052734e-05, 2.0472840134775394e-05,
                                  0.00027446793114580198, 3.9979499336004604e-05},
};

/* Catalytic cracking of gas oil (Tjoa and Biegler 1991; COPS 3.0, problem 7). The initial state,
 * which COPS counts among the observations, is left out: it does not depend on the rates. */
static void cracking_rate(const double *c, const double *p, double *rate)
{
    rate[0] = -(p[0] + p[2]) * c[0] * c[0];
    rate[1] = p[0] * c[0] * c[0] - p[1] * c[1];
}

static int cracking_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const int thousandths[20] = {25,  50,  75,  100, 125, 150, 175, 200, 225, 250,
                                        300, 350, 400, 450, 500, 550, 650, 750, 850, 950};
    double state[2] = {1, 0};
    for (int i = 0, before = 0; i < 20; before = thousandths[i++]) {
        int duration = thousandths[i] - before;
        bench_runge_kutta(cracking_rate, x, 2, state, duration * 1e-3, 2 * duration);
        y[i] = state[0];
        y[20 + i] = state[1];
    }
    return 0;
}

const bench_problem bench_cracking = {
    .name = "cracking",
    .description = "Reaction kinetics: catalytic cracking of gas oil, 3 rates from 40 yields (COPS)",
    .d = 3,
    .m = 40,
    .parameters = (const bench_parameter[]){{"p1", 2, 30, 0}, {"p2", 2, 30, 0}, {"p3", 0.1, 10, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = cracking_h,
    .g = bench_least_squares,
    .observed = (const double[]){0.8105, 0.6208, 0.5258, 0.4345, 0.3903, 0.3342, 0.3034, 0.2735,
                                 0.2405, 0.2283, 0.2071, 0.1669, 0.1530, 0.1339, 0.1265, 0.1200,
                                 0.0990, 0.0870, 0.0770, 0.0690, 0.2000, 0.2886, 0.3010, 0.3215,
                                 0.3123, 0.2716, 0.2551, 0.2258, 0.1959, 0.1789, 0.1457, 0.1198,
                                 0.0909, 0.0719, 0.0561, 0.0460, 0.0280, 0.0190, 0.0140, 0.0100},
    .optimum = 0.0052365958329515672,
    .optimiser = (const double[]){11.846738381598465, 8.3445195035220863, 1.0014399631236508},
};

/* Kermack and McKendrick's epidemic in a town of 1000: the infected on each of 100 days. */
static void epidemic_rate(const double *state, const double *p, double *rate)
{
    double infections = p[0] * state[0] * state[1] / 1000;
    rate[0] = -infections;
    rate[1] = infections - p[1] * state[1];
}

static int epidemic_h(const double *x, double *y, void *instance)
{
    (void)instance;
    double state[2] = {1000 - x[2], x[2]};
    for (int day = 0; day < 100; day++) {
        bench_runge_kutta(epidemic_rate, x, 2, state, 1, 8);
        y[day] = state[1];
    }
    return 0;
}

const bench_problem bench_epidemic = {
    .name = "epidemic",
    .description = "An epidemic's rates and first cases from the infected on 100 days (SIR model)",
    .d = 3,
    .m = 100,
    .parameters = (const bench_parameter[]){{"infection", 0.15, 0.6, 0},
                                            {"recovery", 0.05, 0.3, 0},
                                            {"first", 0.1, 20, GOFH_SCALE_LOG}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = epidemic_h,
    .g = bench_least_squares,
    .truth = (const double[]){0.32, 0.12, 1.3},
};
