/* Constrained designs of mechanical engineering. Infeasible points have an infinite f. */
#include <math.h>

#include "bench/problems/family.h"

/* The welded beam (Ragsdell and Phillips 1976, as in Coello 2000 and since): h is what a structural
 * analysis gives, the cost is a known function of the dimensions. The bounds of length and depth
 * are tighter than usual, to keep the stresses within three decades; the optimum is the usual
 * one. */
static int welded_beam_h(const double *x, double *y, void *instance)
{
    (void)instance;
    const double load = 6000, span = 14, young = 30e6, shear_modulus = 12e6;
    double weld = x[0], length = x[1], depth = x[2], width = x[3];
    double direct = load / (sqrt(2) * weld * length);
    double moment = load * (span + length / 2);
    double arm_squared = length * length / 4 + (weld + depth) * (weld + depth) / 4;
    double polar = 2 * sqrt(2) * weld * length * (length * length / 12 + (weld + depth) * (weld + depth) / 4);
    double torsion = moment * sqrt(arm_squared) / polar;
    double cosine = length / (2 * sqrt(arm_squared));
    y[0] = sqrt(direct * direct + 2 * direct * torsion * cosine + torsion * torsion);
    y[1] = 6 * load * span / (width * depth * depth);
    y[2] = 4 * load * span * span * span / (young * depth * depth * depth * width);
    y[3] = 4.013 * young * depth * width * width * width / (6 * span * span) *
           (1 - depth / (2 * span) * sqrt(young / (4 * shear_modulus)));
    return 0;
}

static int welded_beam_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                         void *instance)
{
    (void)instance;
    for (int i = 0; i < count; i++, y += 4, x += 4) {
        double weld = x[0], length = x[1], depth = x[2], width = x[3];
        int feasible = y[0] <= 13600 && y[1] <= 30000 && y[2] <= 0.25 && y[3] >= 6000 && weld <= width;
        value[i] = feasible ? 1.10471 * weld * weld * length + 0.04811 * depth * width * (14 + length)
                            : INFINITY;
        if (!dy) continue;
        for (int j = 0; j < 4; j++) dy[4 * i + j] = 0;
        if (!feasible) continue;
        dx[4 * i] = 2 * 1.10471 * weld * length;
        dx[4 * i + 1] = 1.10471 * weld * weld + 0.04811 * depth * width;
        dx[4 * i + 2] = 0.04811 * width * (14 + length);
        dx[4 * i + 3] = 0.04811 * depth * (14 + length);
    }
    return 0;
}

const bench_problem bench_welded_beam = {
    .name = "welded-beam",
    .description = "The cheapest welded beam within shear, bending, deflection and buckling limits",
    .d = 4,
    .m = 4,
    .parameters = (const bench_parameter[]){{"weld", 0.125, 2, 0},
                                            {"length", 1, 10, 0},
                                            {"depth", 4, 10, 0},
                                            {"width", 0.125, 2, 0}},
    .objective = "1.10471 * weld^2 * length + 0.04811 * depth * width * (14 + length)",
    .constraints = (const char *const[]){"y[0] <= 13600", "y[1] <= 30000", "y[2] <= 0.25", "y[3] >= 6000",
                                         "weld <= width", NULL},
    .h = welded_beam_h,
    .g = welded_beam_g,
    .optimum = 1.72485230859736498,
    .optimiser = (const double[]){0.20572963978608049, 3.4704886656280407, 9.0366239103577013,
                                  0.20572963978608049},
};

/* The tension spring (Belegundu 1982, Arora 1989): weight and four constraints, all of them
 * outputs. The wire's upper bound is tighter than usual: beyond it the shear stress has a pole. */
static int spring_h(const double *x, double *y, void *instance)
{
    (void)instance;
    double wire = x[0], coil = x[1], turns = x[2], wire3 = wire * wire * wire;
    y[0] = (turns + 2) * coil * wire * wire;
    y[1] = 1 - coil * coil * coil * turns / (71785 * wire3 * wire);
    y[2] = coil * (4 * coil - wire) / (12566 * wire3 * (coil - wire)) + 1 / (5108 * wire * wire) - 1;
    y[3] = 1 - 140.45 * wire / (coil * coil * turns);
    y[4] = (coil + wire) / 1.5 - 1;
    return 0;
}

static int spring_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                    void *instance)
{
    (void)x, (void)dx, (void)instance;
    for (int i = 0; i < count; i++, y += 5) {
        int feasible = y[1] <= 0 && y[2] <= 0 && y[3] <= 0 && y[4] <= 0;
        value[i] = feasible ? y[0] : INFINITY;
        for (int j = 0; dy && j < 5; j++) dy[5 * i + j] = feasible && j == 0;
    }
    return 0;
}

const bench_problem bench_spring = {
    .name = "spring",
    .description = "The lightest tension spring within deflection, shear, surge and size limits",
    .d = 3,
    .m = 5,
    .parameters = (const bench_parameter[]){{"wire", 0.05, 0.2, 0},
                                            {"coil", 0.25, 1.3, 0},
                                            {"turns", 2, 15, 0}},
    .objective = "y[0]",
    .constraints = (const char *const[]){"y[1] <= 0", "y[2] <= 0", "y[3] <= 0", "y[4] <= 0", NULL},
    .h = spring_h,
    .g = spring_g,
    .optimum = 0.0126652327883194166,
    .optimiser = (const double[]){0.0516890610827637978, 0.356717739799444628, 11.2889657516133919},
};
