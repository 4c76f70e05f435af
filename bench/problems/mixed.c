/* Constrained designs with whole numbers, grids, catalogues and choices. Infeasible points have an infinite
 * f. bench/mixed/optima.py finds the optima by trying all values. */
#include <math.h>

#include "bench/problems/family.h"

#define SIXTEENTH 0.0625

/* g of all of them: the first output, where it is feasible. */
static void first_output(int m, const double *y, int feasible, double *value, double *dy)
{
    *value = feasible ? y[0] : INFINITY;
    for (int j = 0; dy && j < m; j++) dy[j] = feasible && j == 0;
}

const bench_parameter bench_vessel_parameters[4] = {{"shell", 0.0625, 6.1875, 0},
                                                    {"head", 0.0625, 6.1875, 0},
                                                    {"radius", 10, 200, 0},
                                                    {"length", 10, 200, 0}};

int bench_vessel_h(const double *x, double *y, void *instance)
{
    (void)instance;
    double shell = x[0], head = x[1], radius = x[2], length = x[3];
    y[0] = 0.6224 * shell * radius * length + 1.7781 * head * radius * radius +
           3.1661 * shell * shell * length + 19.84 * shell * shell * radius;
    y[1] = BENCH_PI * radius * radius * length + 4.0 / 3.0 * BENCH_PI * radius * radius * radius;
    return 0;
}

static int vessel_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                    void *instance)
{
    (void)dx, (void)instance;
    for (int i = 0; i < count; i++, y += 2, x += 4)
        first_output(2, y, 0.0193 * x[2] <= x[0] && 0.00954 * x[2] <= x[1] && y[1] >= 1296000, value + i,
                     dy ? dy + 2 * i : NULL);
    return 0;
}

const bench_problem bench_vessel_plates = {
    .name = "vessel-plates",
    .description = "The cheapest pressure vessel of plates in sixteenths of an inch",
    .d = 4,
    .m = 2,
    .parameters = bench_vessel_parameters,
    .values = (const bench_values[]){{.step = SIXTEENTH}, {.step = SIXTEENTH}, {.count = 0}, {.count = 0}},
    .objective = "y[0]",
    .constraints = (const char *const[]){"0.0193*radius <= shell", "0.00954*radius <= head",
                                         "y[1] >= 1296000", NULL},
    .h = bench_vessel_h,
    .g = vessel_g,
    .optimum = 6059.714335048436,
    .optimiser = (const double[]){0.8125, 0.4375, 42.09844559585492, 176.63659584243948},
};

/* The speed reducer (Golinski 1970): the number of teeth is whole. */
static int reducer_h(const double *x, double *y, void *instance)
{
    (void)instance;
    double b = x[0], m = x[1], z = x[2], l1 = x[3], l2 = x[4], d1 = x[5], d2 = x[6];
    y[0] = 0.7854 * b * m * m * (3.3333 * z * z + 14.9334 * z - 43.0934) - 1.508 * b * (d1 * d1 + d2 * d2) +
           7.4777 * (d1 * d1 * d1 + d2 * d2 * d2) + 0.7854 * (l1 * d1 * d1 + l2 * d2 * d2);
    y[1] = 27 / (b * m * m * z);
    y[2] = 397.5 / (b * m * m * z * z);
    y[3] = 1.93 * l1 * l1 * l1 / (m * z * d1 * d1 * d1 * d1);
    y[4] = 1.93 * l2 * l2 * l2 / (m * z * d2 * d2 * d2 * d2);
    y[5] = hypot(745 * l1 / (m * z), sqrt(16.9e6)) / (110 * d1 * d1 * d1);
    y[6] = hypot(745 * l2 / (m * z), sqrt(157.5e6)) / (85 * d2 * d2 * d2);
    return 0;
}

static int reducer_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                     void *instance)
{
    (void)dx, (void)instance;
    for (int i = 0; i < count; i++, y += 7, x += 7) {
        int feasible = x[1] * x[2] <= 40 && 5 * x[1] <= x[0] && x[0] <= 12 * x[1] &&
                       1.5 * x[5] + 1.9 <= x[3] && 1.1 * x[6] + 1.9 <= x[4];
        for (int j = 1; j < 7; j++) feasible = feasible && y[j] <= 1;
        first_output(7, y, feasible, value + i, dy ? dy + 7 * i : NULL);
    }
    return 0;
}

const bench_problem bench_speed_reducer = {
    .name = "speed-reducer",
    .description = "The lightest speed reducer with a whole number of teeth",
    .d = 7,
    .m = 7,
    .parameters = (const bench_parameter[]){{"b", 2.6, 3.6, 0},
                                            {"m", 0.7, 0.8, 0},
                                            {"z", 17, 28, 0},
                                            {"l1", 7.3, 8.3, 0},
                                            {"l2", 7.3, 8.3, 0},
                                            {"d1", 2.9, 3.9, 0},
                                            {"d2", 5, 5.5, 0}},
    .values =
        (const bench_values[]){
            {.count = 0}, {.count = 0}, {.step = 1}, {.count = 0}, {.count = 0}, {.count = 0}, {.count = 0}},
    .objective = "y[0]",
    .constraints = (const char *const[]){"y[1] <= 1", "y[2] <= 1", "y[3] <= 1", "y[4] <= 1", "y[5] <= 1",
                                         "y[6] <= 1", "m*z <= 40", "5*m <= b", "b <= 12*m",
                                         "1.5*d1 + 1.9 <= l1", "1.1*d2 + 1.9 <= l2", NULL},
    .h = reducer_h,
    .g = reducer_g,
    .optimum = 2994.4710661468202,
    .optimiser = (const double[]){3.5, 0.7, 17, 7.3, 7.715319911478253, 3.35021466609645, 5.286654464980226},
};

/* The compression spring (Sandgren 1990): whole coils, and wire from the catalogue of ASTM A228. */
static const double WIRES[] = {
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023,  0.025,
    0.028, 0.032,  0.035,  0.041,  0.047,  0.054,  0.063, 0.072, 0.080,  0.092,  0.105, 0.120, 0.135,  0.148,
    0.162, 0.177,  0.192,  0.207,  0.225,  0.244,  0.263, 0.283, 0.307,  0.331,  0.362, 0.394, 0.4375, 0.500,
};

static int coils_h(const double *x, double *y, void *instance)
{
    (void)instance;
    const double force = 1000, preload = 300, strength = 189000, shear_modulus = 11.5e6;
    double wire = x[0], coil = x[1], turns = x[2], index = coil / wire;
    double factor = (4 * index - 1) / (4 * index - 4) + 0.615 / index;
    double softness = 8 * turns * coil * coil * coil / (shear_modulus * wire * wire * wire * wire);
    y[0] = BENCH_PI * BENCH_PI * coil * wire * wire * (turns + 2) / 4;
    y[1] = 8 * factor * force * coil / (BENCH_PI * wire * wire * wire * strength);
    y[2] = force * softness + 1.05 * (turns + 2) * wire;
    y[3] = preload * softness;
    y[4] = (force - preload) * softness;
    return 0;
}

static int coils_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                   void *instance)
{
    (void)dx, (void)instance;
    for (int i = 0; i < count; i++, y += 5, x += 3) {
        int feasible = y[1] <= 1 && y[2] <= 14 && y[3] <= 6 && y[4] >= 1.25 && x[0] >= 0.2 &&
                       x[1] + x[0] <= 3 && 3 * x[0] <= x[1];
        first_output(5, y, feasible, value + i, dy ? dy + 5 * i : NULL);
    }
    return 0;
}

const bench_problem bench_spring_wires = {
    .name = "spring-wires",
    .description = "The smallest compression spring with whole coils and wire from a catalogue",
    .d = 3,
    .m = 5,
    .parameters = (const bench_parameter[]){{"wire", 0.009, 0.5, 0},
                                            {"coil", 0.6, 3, 0},
                                            {"turns", 1, 70, 0}},
    .values = (const bench_values[]){{.list = WIRES, .count = BENCH_COUNT(WIRES)}, {.count = 0}, {.step = 1}},
    .objective = "y[0]",
    .constraints = (const char *const[]){"y[1] <= 1", "y[2] <= 14", "y[3] <= 6", "y[4] >= 1.25",
                                         "wire >= 0.2", "coil + wire <= 3", "3*wire <= coil", NULL},
    .h = coils_h,
    .g = coils_g,
    .optimum = 2.6585591659695993,
    .optimiser = (const double[]){0.283, 1.2230410099638074, 9},
};

/* The welded beam with a choice of material and joint (Deb and Goyal 1996, Datta and Figueira 2011). */
typedef struct {
    double weld_cost, bar_cost, strength, young, shear_modulus;
} metal;

static const metal METALS[] = {{0.1047, 0.0481, 30e3, 30e6, 12e6},
                               {0.0489, 0.0224, 8e3, 14e6, 6e6},
                               {0.5235, 0.2405, 5e3, 10e6, 4e6},
                               {0.5584, 0.2566, 8e3, 16e6, 6e6}};

static int beam_h(const double *x, double *y, void *instance)
{
    (void)instance;
    const double load = 6000, span = 14;
    const metal *of = &METALS[(int)fmin(fmax(x[1], 0), BENCH_COUNT(METALS) - 1)];
    double around = x[0] > 0.5, weld = x[2], length = x[3], depth = x[4], width = x[5];
    double throat = sqrt(2) * weld, high = weld + depth, wide = weld + length;
    double polar = throat * length * (high * high / 4 + length * length / 12) +
                   around * throat * depth * (wide * wide / 4 + depth * depth / 12);
    double arm = 0.5 * fmax(hypot(length, high), around * hypot(depth, wide));
    double direct = load / (throat * (length + around * depth));
    double torsion = load * (span + length / 2) * arm / polar;
    y[0] = (1 + of->weld_cost) * weld * weld * (length + around * depth) +
           of->bar_cost * depth * width * (span + length);
    y[1] = sqrt(direct * direct + torsion * torsion + direct * torsion * length / arm) /
           (0.577 * of->strength);
    y[2] = 6 * load * span / (width * depth * depth) / of->strength;
    y[3] = 4 * load * span * span * span / (of->young * depth * depth * depth * width);
    y[4] = 4.013 * depth * width * width * width * sqrt(of->young * of->shear_modulus) / (6 * span * span) *
           (1 - depth / (4 * span) * sqrt(of->young / of->shear_modulus));
    return 0;
}

static int beam_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *instance)
{
    (void)dx, (void)instance;
    for (int i = 0; i < count; i++, y += 5, x += 6)
        first_output(5, y, y[1] <= 1 && y[2] <= 1 && y[3] <= 0.25 && y[4] >= 6000 && x[2] <= x[5], value + i,
                     dy ? dy + 5 * i : NULL);
    return 0;
}

const bench_problem bench_beam_metals = {
    .name = "beam-metals",
    .description = "The cheapest welded beam of one of four metals, welded on two sides or on four",
    .d = 6,
    .m = 5,
    .parameters = (const bench_parameter[]){{"joint", 0, 1, 0},
                                            {"metal", 0, 3, 0},
                                            {"weld", 0.0625, 2, 0},
                                            {"length", 0.1, 10, 0},
                                            {"depth", 2, 20, 0},
                                            {"width", 0.0625, 2, 0}},
    .values =
        (const bench_values[]){{.choices = (const char *const[]){"two-sided", "four-sided"}, .count = 2},
                               {.choices = (const char *const[]){"steel", "cast iron", "aluminium", "brass"},
                                .count = BENCH_COUNT(METALS)},
                               {.step = SIXTEENTH},
                               {.count = 0},
                               {.step = SIXTEENTH},
                               {.step = SIXTEENTH}},
    .objective = "y[0]",
    .constraints = (const char *const[]){"y[1] <= 1", "y[2] <= 1", "y[3] <= 0.25", "y[4] >= 6000",
                                         "weld <= width", NULL},
    .h = beam_h,
    .g = beam_g,
    .optimum = 1.9553010341151131,
    .optimiser = (const double[]){1, 0, 0.1875, 1.78210225312670, 8.25, 0.25},
};
