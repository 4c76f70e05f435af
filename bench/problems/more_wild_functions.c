/* The 22 functions of the benchmark of More and Wild (SIAM J. Optim. 20, 2009), as residuals: those
 * numbered 32, 33, 34, 1, 7, 13, 2, 8, 15, 10, 20, 12, 6, 16, 35, 27, 17 and 19 by More, Garbow and
 * Hillstrom (ACM TOMS 7, 1981), and bdqrtic, cube, mancino and heart8ls of CUTE as the benchmark
 * has them: its Mancino has x_i in the square root, where CUTE's has x_j and leaves out j = i. */
#include <math.h>
#include <stddef.h>

#include "bench/problems/family.h"
#include "bench/problems/more_wild.h"

static void linear_full_rank(const double *x, int n, int m, double *y)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k];
    for (int j = 0; j < m; j++) y[j] = (j < n ? x[j] : 0) - 2 * sum / m - 1;
}

/* sum of k x_k, k from `first` to `last`, counted from 1 */
static double weighted_sum(const double *x, int first, int last)
{
    double sum = 0;
    for (int k = first; k <= last; k++) sum += k * x[k - 1];
    return sum;
}

static void linear_rank_one(const double *x, int n, int m, double *y)
{
    double sum = weighted_sum(x, 1, n);
    for (int j = 0; j < m; j++) y[j] = (j + 1) * sum - 1;
}

static void linear_zeros(const double *x, int n, int m, double *y)
{
    double sum = weighted_sum(x, 2, n - 1);
    for (int j = 0; j < m; j++) y[j] = j < m - 1 ? j * sum - 1 : -1;
}

static void rosenbrock(const double *x, int n, int m, double *y)
{
    (void)n, (void)m;
    y[0] = 10 * (x[1] - x[0] * x[0]);
    y[1] = 1 - x[0];
}

static void helical_valley(const double *x, int n, int m, double *y)
{
    (void)n, (void)m;
    double turns = atan2(x[1], x[0]) / (2 * BENCH_PI);
    if (turns <= -0.25) turns += x[0] < 0 ? 1 : 0.5; /* above -1/4, up to 3/4; 1/4 where x_1 is 0 */
    y[0] = 10 * (x[2] - 10 * turns);
    y[1] = 10 * (hypot(x[0], x[1]) - 1);
    y[2] = x[2];
}

static void powell_singular(const double *x, int n, int m, double *y)
{
    (void)n, (void)m;
    y[0] = x[0] + 10 * x[1];
    y[1] = sqrt(5) * (x[2] - x[3]);
    y[2] = (x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
    y[3] = sqrt(10) * (x[0] - x[3]) * (x[0] - x[3]);
}

static void freudenstein_roth(const double *x, int n, int m, double *y)
{
    (void)n, (void)m;
    y[0] = x[0] - 13 + ((5 - x[1]) * x[1] - 2) * x[1];
    y[1] = x[0] - 29 + ((x[1] + 1) * x[1] - 14) * x[1];
}

static void bard(const double *x, int n, int m, double *y)
{
    static const double measured[] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                                      0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
    (void)n;
    for (int j = 0; j < m; j++) {
        double u = j + 1, v = 15 - j;
        y[j] = measured[j] - x[0] - u / (v * x[1] + fmin(u, v) * x[2]);
    }
}

static void kowalik_osborne(const double *x, int n, int m, double *y)
{
    static const double u[] = {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
    static const double measured[] = {0.1957, 0.1947, 0.1735, 0.16,   0.0844, 0.0627,
                                      0.0456, 0.0342, 0.0323, 0.0235, 0.0246};
    (void)n;
    for (int j = 0; j < m; j++)
        y[j] = measured[j] - x[0] * u[j] * (u[j] + x[1]) / (u[j] * (u[j] + x[2]) + x[3]);
}

static void meyer(const double *x, int n, int m, double *y)
{
    static const double measured[] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744,
                                      8261,  7030,  6005,  5147,  4427,  3820,  3307,  2872};
    (void)n;
    for (int j = 0; j < m; j++) y[j] = x[0] * exp(x[1] / (50 + 5 * j + x[2])) - measured[j];
}

static void watson(const double *x, int n, int m, double *y)
{
    for (int j = 0; j < m - 2; j++) {
        double t = (j + 1) / 29.0, power = 1, slope = 0, value = x[0];
        for (int k = 1; k < n; k++) {
            slope += k * power * x[k];
            power *= t;
            value += power * x[k];
        }
        y[j] = slope - value * value - 1;
    }
    y[m - 2] = x[0];
    y[m - 1] = x[1] - x[0] * x[0] - 1;
}

static void box_3d(const double *x, int n, int m, double *y)
{
    (void)n;
    for (int j = 0; j < m; j++) {
        double t = (j + 1) / 10.0;
        y[j] = exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (exp(-t) - exp(-10 * t));
    }
}

static void jennrich_sampson(const double *x, int n, int m, double *y)
{
    (void)n;
    for (int j = 1; j <= m; j++) y[j - 1] = 2 + 2 * j - exp(j * x[0]) - exp(j * x[1]);
}

static void brown_dennis(const double *x, int n, int m, double *y)
{
    (void)n;
    for (int j = 0; j < m; j++) {
        double t = (j + 1) / 5.0, first = x[0] + t * x[1] - exp(t), second = x[2] + x[3] * sin(t) - cos(t);
        y[j] = first * first + second * second;
    }
}

/* The mean of each shifted Chebyshev polynomial over the points, minus its integral from 0 to 1. */
static void chebyquad(const double *x, int n, int m, double *y)
{
    for (int j = 1; j <= m; j++) y[j - 1] = j % 2 ? 0 : 1.0 / (j * j - 1);
    for (int k = 0; k < n; k++) {
        double z = 2 * x[k] - 1, before = 1, now = z;
        for (int j = 0; j < m; j++) {
            y[j] += now / n;
            double next = 2 * z * now - before;
            before = now;
            now = next;
        }
    }
}

static void chebyquad_start(int n, double *x)
{
    for (int k = 0; k < n; k++) x[k] = (k + 1.0) / (n + 1);
}

static void brown_almost_linear(const double *x, int n, int m, double *y)
{
    (void)m;
    double sum = 0, product = 1;
    for (int k = 0; k < n; k++) {
        sum += x[k];
        product *= x[k];
    }
    for (int k = 0; k < n - 1; k++) y[k] = x[k] + sum - (n + 1);
    y[n - 1] = product - 1;
}

static void osborne1(const double *x, int n, int m, double *y)
{
    static const double measured[] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818,
                                      0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558,
                                      0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438,
                                      0.431, 0.424, 0.420, 0.414, 0.411, 0.406};
    (void)n;
    for (int j = 0; j < m; j++)
        y[j] = measured[j] - x[0] - x[1] * exp(-10 * j * x[3]) - x[2] * exp(-10 * j * x[4]);
}

static void osborne2(const double *x, int n, int m, double *y)
{
    static const double measured[] = {
        1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608,
        0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661,
        0.612, 0.558, 0.533, 0.495, 0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428,
        0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632, 0.591, 0.559,
        0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054};
    (void)n;
    for (int j = 0; j < m; j++) {
        double t = j / 10.0;
        y[j] = measured[j] - x[0] * exp(-t * x[4]);
        for (int k = 1; k < 4; k++) y[j] -= x[k] * exp(-x[k + 4] * (t - x[k + 7]) * (t - x[k + 7]));
    }
}

static void bdqrtic(const double *x, int n, int m, double *y)
{
    (void)m;
    for (int i = 0; i < n - 4; i++) {
        y[i] = 3 - 4 * x[i];
        y[n - 4 + i] = 5 * x[n - 1] * x[n - 1];
        for (int k = 0; k < 4; k++) y[n - 4 + i] += (k + 1) * x[i + k] * x[i + k];
    }
}

static void cube(const double *x, int n, int m, double *y)
{
    (void)m;
    y[0] = x[0] - 1;
    for (int k = 1; k < n; k++) y[k] = 10 * (x[k] - x[k - 1] * x[k - 1] * x[k - 1]);
}

/* of v (sin^5 log v + cos^5 log v) over j, v = sqrt(x^2 + i/j) */
static double mancino_sum(double x, int i, int n)
{
    double sum = 0;
    for (int j = 1; j <= n; j++) {
        double v = sqrt(x * x + (double)i / j), angle = log(v);
        sum += v * (pow(sin(angle), 5) + pow(cos(angle), 5));
    }
    return sum;
}

static void mancino(const double *x, int n, int m, double *y)
{
    (void)m;
    for (int i = 1; i <= n; i++) y[i - 1] = 1400 * x[i - 1] + pow(i - 50, 3) + mancino_sum(x[i - 1], i, n);
}

static void mancino_start(int n, double *x)
{
    for (int i = 1; i <= n; i++) x[i - 1] = -8.710996e-4 * (pow(i - 50, 3) + mancino_sum(0, i, n));
}

/* Moments of a dipole: with p = a + ic, q = b + id, z = t + iv and w = u + is, p z^k + q w^k for k
 * = 0 .. 3. */
static void heart8ls(const double *x, int n, int m, double *y)
{
    static const double moment[] = {-0.69, -0.044, -1.57, -1.31, -2.65, 2, -12.6, 9.48};
    (void)n, (void)m;
    double p[2] = {x[0], x[2]}, q[2] = {x[1], x[3]};
    for (int k = 0; k < 4; k++) {
        y[2 * k] = p[0] + q[0] - moment[2 * k];
        y[2 * k + 1] = p[1] + q[1] - moment[2 * k + 1];
        double p_real = p[0] * x[4] - p[1] * x[6], q_real = q[0] * x[5] - q[1] * x[7];
        p[1] = p[0] * x[6] + p[1] * x[4];
        q[1] = q[0] * x[7] + q[1] * x[5];
        p[0] = p_real;
        q[0] = q_real;
    }
}

#define FROM(...)                                                                                            \
    .start = (const double[])                                                                                \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define FROM_ALL(value) .start_value = (value)

const more_wild_function bench_more_wild_functions[MORE_WILD_FUNCTIONS] = {
    {"linear, full rank", linear_full_rank, FROM_ALL(1)},
    {"linear, rank 1", linear_rank_one, FROM_ALL(1)},
    {"linear, rank 1 with zero columns and rows", linear_zeros, FROM_ALL(1)},
    {"Rosenbrock", rosenbrock, FROM(-1.2, 1)},
    {"helical valley", helical_valley, FROM(-1, 0, 0)},
    {"Powell singular", powell_singular, FROM(3, -1, 0, 1)},
    {"Freudenstein and Roth", freudenstein_roth, FROM(0.5, -2)},
    {"Bard", bard, FROM(1, 1, 1)},
    {"Kowalik and Osborne", kowalik_osborne, FROM(0.25, 0.39, 0.415, 0.39)},
    {"Meyer", meyer, FROM(0.02, 4000, 250)},
    {"Watson", watson, FROM_ALL(0.5)},
    {"Box 3-D", box_3d, FROM(0, 10, 20)},
    {"Jennrich and Sampson", jennrich_sampson, FROM(0.3, 0.4)},
    {"Brown and Dennis", brown_dennis, FROM(25, 5, -5, -1)},
    {"Chebyquad", chebyquad, .fill_start = chebyquad_start},
    {"Brown almost-linear", brown_almost_linear, FROM_ALL(0.5)},
    {"Osborne 1", osborne1, FROM(0.5, 1.5, 1, 0.01, 0.02)},
    {"Osborne 2", osborne2, FROM(1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5)},
    {"bdqrtic", bdqrtic, FROM_ALL(1)},
    {"cube", cube, FROM_ALL(0.5)},
    {"mancino", mancino, .fill_start = mancino_start},
    {"heart8ls", heart8ls, FROM(-0.3, -0.39, 0.3, -0.344, -1.2, 2.69, 1.59, -1.5)},
};
