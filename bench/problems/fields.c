/* Fields on grids: thousands of outputs from few parameters. The models are those of the literature on
 * composite functions with very many outputs; each is fitted to what it gives at a planted point, so
 * that the optimum is known. */
#include <math.h>

#include "bench/problems/family.h"

enum { PLACES = 100, TIMES = 100 };
enum { SPILLS = 5, SPILL_GRID = 32 };
enum { SIDE = 64, CELLS = SIDE * SIDE };
enum { STATIONS = 15, MAP_SIDE = 50, MAP = MAP_SIDE * MAP_SIDE };

/* What a spill of a mass at place 0 and time 0 leaves behind. */
static double spilled(double mass, double diffusion, double place, double time)
{
    if (!(time > 0)) return 0;
    return mass / sqrt(4 * BENCH_PI * diffusion * time) * exp(-place * place / (4 * diffusion * time));
}

static int environment_grid_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int i = 0; i < PLACES; i++)
        for (int j = 0; j < TIMES; j++) {
            double place = 2.5 * i / (PLACES - 1), time = 15 + 45.0 * j / (TIMES - 1);
            y[TIMES * i + j] = spilled(x[0], x[1], place, time) +
                               spilled(x[0], x[1], place - x[2], time - x[3]);
        }
    return 0;
}

const bench_problem bench_environment_grid = {
    .name = "environment-grid",
    .description = "The two spills of environment, seen at 100 places and 100 times",
    .d = 4,
    .m = PLACES * TIMES,
    .parameters = bench_environment_parameters,
    .objective = "-sum((y - observed)^2)",
    .maximise = 1,
    .least_squares = 1,
    .h = environment_grid_h,
    .g = bench_least_squares,
    .truth = bench_environment_truth,
};

/* X: mass, place and time of each spill, in turn. */
static int spills_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int i = 0; i < SPILL_GRID; i++)
        for (int j = 0; j < SPILL_GRID; j++) {
            double place = 3.0 * i / (SPILL_GRID - 1), time = 60.0 * (j + 1) / SPILL_GRID, sum = 0;
            for (int k = 0; k < SPILLS; k++)
                sum += spilled(x[3 * k], 0.07, place - x[3 * k + 1], time - x[3 * k + 2]);
            y[SPILL_GRID * i + j] = sum;
        }
    return 0;
}

/* Each spill falls between two times of the grid. */
#define SPILL(number, after)                                                                                 \
    {"M" #number, 7, 13, 0}, {"L" #number, 0, 3, 0},                                                         \
    {                                                                                                        \
        "tau" #number, (after) + 0.1, (after) + 1.3, 0                                                       \
    }

const bench_problem bench_spills = {
    .name = "spills",
    .description = "Five spills in a channel, seen at 32 places and 32 times: 15 parameters",
    .d = 3 * SPILLS,
    .m = SPILL_GRID * SPILL_GRID,
    .parameters = (const bench_parameter[]){SPILL(1, 0), SPILL(2, 11.25), SPILL(3, 22.5), SPILL(4, 33.75),
                                            SPILL(5, 45)},
    .objective = "-sum((y - observed)^2)",
    .maximise = 1,
    .least_squares = 1,
    .h = spills_h,
    .g = bench_least_squares,
    .truth = (const double[]){10, 1.5, 0.7, 8, 0.4, 12, 12, 2.6, 23, 9, 1, 34.2, 11, 2.1, 45.8},
};

/* The five-point Laplacian of a field that is periodic in both directions. */
static double laplacian(const double *field, int row, int column)
{
    int up = (row + SIDE - 1) % SIDE, down = (row + 1) % SIDE;
    int left = (column + SIDE - 1) % SIDE, right = (column + 1) % SIDE;
    return field[SIDE * up + column] + field[SIDE * down + column] + field[SIDE * row + left] +
           field[SIDE * row + right] - 4 * field[SIDE * row + column];
}

/* From the steady state and a perturbation of a few waves, which in the literature is random, by steps of
 * Euler's method: y holds u, then v. X: a, b, and the diffusions of u and v. */
static int brusselator_h(const double *x, double *y, void *instance)
{
    (void)instance;
    enum { STEPS = 400 };
    const double step = 0.025;
    double old[2 * CELLS], *u = y, *v = y + CELLS;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double p = 2 * BENCH_PI * i / SIDE, q = 2 * BENCH_PI * j / SIDE;
            u[SIDE * i + j] = x[0];
            v[SIDE * i + j] = x[1] / x[0] +
                              0.1 * (cos(3 * p + q) + sin(5 * q - 2 * p) + cos(4 * p) * cos(6 * q));
        }
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < 2 * CELLS; i++) old[i] = y[i];
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                int at = SIDE * i + j;
                double p = old[at], q = old[CELLS + at], reaction = p * p * q;
                u[at] += step * (x[2] * laplacian(old, i, j) + x[0] - (1 + x[1]) * p + reaction);
                v[at] += step * (x[3] * laplacian(old + CELLS, i, j) + x[1] * p - reaction);
            }
    }
    return isfinite(u[0]) ? 0 : 1;
}

const bench_problem bench_brusselator = {
    .name = "brusselator",
    .description = "The Brusselator on a grid of 64 by 64: reaction and diffusion from two fields",
    .d = 4,
    .m = 2 * CELLS,
    .parameters = (const bench_parameter[]){{"a", 0.5, 1.5, 0},
                                            {"b", 2, 4, 0},
                                            {"D0", 0.5, 1.5, 0},
                                            {"D1", 0.05, 0.2, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = brusselator_h,
    .g = bench_least_squares,
    .truth = (const double[]){1, 3, 1, 0.1},
};

/* What a station of 25 m height gives at a place so many km away, in mW: its power less the loss of an
 * urban macro cell, and less what its antenna, 10 degrees wide, loses off its tilt. */
static double received(double power, double tilt, double distance)
{
    double away = fmax(distance, 0.02), below = atan(0.025 / away) * 180 / BENCH_PI;
    double off = fmin(12 * pow((below - tilt) / 10, 2), 20);
    return pow(10, (power - 128.1 - 37.6 * log10(away) - off) / 10);
}

/* Of each place of a map of 1.5 km: the strongest station and the sum of the others, in dBm. X: the tilts
 * of all stations in degrees, then their powers in dBm. */
static int network_h(const double *x, double *y, void *instance)
{
    (void)instance;
    for (int i = 0; i < MAP; i++) {
        double strongest = 0, sum = 0;
        for (int k = 0; k < STATIONS; k++) {
            /* a grid of 5 by 3, every second row shifted */
            int row = k / 5, line = i / MAP_SIDE, column = i % MAP_SIDE;
            double east = 0.3 * (k % 5) + 0.1 + 0.1 * (row % 2), north = 0.5 * row + 0.25;
            double dx = 1.5 * (column + 0.5) / MAP_SIDE - east, dy = 1.5 * (line + 0.5) / MAP_SIDE - north;
            double power = received(x[STATIONS + k], x[k], hypot(dx, dy));
            strongest = fmax(strongest, power);
            sum += power;
        }
        y[i] = 10 * log10(strongest);
        y[MAP + i] = 10 * log10(sum - strongest);
    }
    return 0;
}

#define TILT(number)                                                                                         \
    {                                                                                                        \
        "tilt" #number, 0, 10, 0                                                                             \
    }
#define POWER(number)                                                                                        \
    {                                                                                                        \
        "power" #number, 30, 50, 0                                                                           \
    }

const bench_problem bench_cell_network = {
    .name = "cell-network",
    .description = "Tilt and power of 15 stations of a cell network from maps of signal and interference",
    .d = 2 * STATIONS,
    .m = 2 * MAP,
    .parameters = (const bench_parameter[]){TILT(1),   TILT(2),   TILT(3),   TILT(4),   TILT(5),   TILT(6),
                                            TILT(7),   TILT(8),   TILT(9),   TILT(10),  TILT(11),  TILT(12),
                                            TILT(13),  TILT(14),  TILT(15),  POWER(1),  POWER(2),  POWER(3),
                                            POWER(4),  POWER(5),  POWER(6),  POWER(7),  POWER(8),  POWER(9),
                                            POWER(10), POWER(11), POWER(12), POWER(13), POWER(14), POWER(15)},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = network_h,
    .g = bench_least_squares,
    .truth = (const double[]){3,  7,  5,  2,  8,  6,  4,  9,  1,  5,  7,  3,  6,  2,  8,
                              43, 38, 46, 35, 41, 48, 33, 40, 45, 37, 42, 36, 47, 39, 44},
};
