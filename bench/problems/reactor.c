/* A stirred tank with van de Vusse's reactions A -> B -> C and 2A -> D, fed with 1 mol/l of A, in
 * its steady state. Rates follow Arrhenius' law: low temperatures favour D, high ones C. The index
 * is the product B over the cost of the plant and of parting B from the rest. */
#include <math.h>

#include "bench/problems/family.h"

/* A rate constant, known at 350 K, at another temperature; energy in J/mol. */
static double arrhenius(double at_350, double energy, double temperature)
{
    return at_350 * exp(-energy / 8.314462618 * (1 / temperature - 1 / 350.0));
}

static int reactor_h(const double *x, double *y, void *instance)
{
    (void)instance;
    double temperature = x[0], residence = x[1];
    double first = residence * arrhenius(1, 60e3, temperature);
    double second = residence * arrhenius(0.2, 80e3, temperature);
    double side = residence * arrhenius(1, 40e3, temperature);
    /* side A^2 + (1 + first) A - 1 = 0, the form without cancellation */
    double a = 2 / (1 + first + sqrt((1 + first) * (1 + first) + 4 * side));
    y[0] = a;
    y[1] = first * a / (1 + second);
    y[2] = second * y[1];
    y[3] = side * a * a / 2;
    return 0;
}

static int reactor_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                     void *instance)
{
    (void)instance;
    for (int i = 0; i < count; i++, y += 4) {
        double cost = 0.5 + 0.05 * x[2 * i + 1] + 0.5 * y[0] + y[2] + 2 * y[3];
        value[i] = y[1] / cost;
        if (!dy) continue;
        dy[4 * i] = -0.5 * value[i] / cost;
        dy[4 * i + 1] = 1 / cost;
        dy[4 * i + 2] = -value[i] / cost;
        dy[4 * i + 3] = -2 * value[i] / cost;
        dx[2 * i + 1] = -0.05 * value[i] / cost;
    }
    return 0;
}

const bench_problem bench_reactor = {
    .name = "reactor",
    .description = "A performance index: product over costs of a stirred tank with side reactions",
    .d = 2,
    .m = 4,
    .parameters = (const bench_parameter[]){{"temperature", 300, 420, 0},
                                            {"residence", 0.05, 50, GOFH_SCALE_LOG}},
    .objective = "y[1] / (0.5 + 0.05 * residence + 0.5 * y[0] + y[2] + 2 * y[3])",
    .maximise = 1,
    .h = reactor_h,
    .g = reactor_g,
    .optimum = 0.38170403751825546,
    .optimiser = (const double[]){355.31902239277262, 1.3132631798148300},
};
