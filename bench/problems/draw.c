#include "bench/problems/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/problems/random.h"

enum { MAX_LAYER = 216 }; /* axis^(d - 1) */

static int power(int base, int exponent)
{
    int result = 1;
    while (exponent-- > 0) result *= base;
    return result;
}

static long double grid_point(int index, int axis)
{
    return (long double)index / (long double)(axis - 1);
}

static void factorise(bench_draw_output *output, int axis)
{
    for (int i = 0; i < axis; i++) {
        for (int j = 0; j <= i; j++) {
            long double gap = (grid_point(i, axis) - grid_point(j, axis)) / output->lengthscale;
            long double sum = expl(-0.5L * gap * gap);
            for (int k = 0; k < j; k++) sum -= output->factor[i][k] * output->factor[j][k];
            output->factor[i][j] = i == j ? sqrtl(sum) : sum / output->factor[j][j];
        }
    }
}

bench_draw *bench_draw_create(int d, int m, int axis, const double *variance, const double *lengthscale,
                              const char *name, uint64_t number)
{
    bench_draw *draw = calloc(1, sizeof *draw + (size_t)m * sizeof *draw->output);
    if (!draw) return NULL;
    draw->d = d;
    draw->m = m;
    draw->axis = axis;
    int count = power(axis, d);
    for (int j = 0; j < m; j++) {
        bench_draw_output *output = &draw->output[j];
        output->variance = variance[j];
        output->lengthscale = lengthscale[j];
        output->z = malloc((size_t)count * sizeof *output->z);
        if (!output->z) {
            bench_draw_free(draw);
            return NULL;
        }
        uint64_t key = bench_random_key(name, number, (uint64_t)j);
        for (int i = 0; i < count; i++) output->z[i] = bench_random_normal(key, (uint64_t)i);
        factorise(output, axis);
    }
    return draw;
}

void bench_draw_free(bench_draw *draw)
{
    if (!draw) return;
    for (int j = 0; j < draw->m; j++) free(draw->output[j].z);
    free(draw);
}

static void solve_factor(const bench_draw_output *output, int axis, const long double *k, double *phi)
{
    long double solution[BENCH_DRAW_MAX_AXIS];
    for (int i = 0; i < axis; i++) {
        long double sum = k[i];
        for (int j = 0; j < i; j++) sum -= output->factor[i][j] * solution[j];
        solution[i] = sum / output->factor[i][i];
        phi[i] = (double)solution[i];
    }
}

/* phi, and its first two derivatives unless `orders` is 1, at one coordinate. */
static void features(const bench_draw_output *output, int axis, double x, int orders,
                     double phi[3][BENCH_DRAW_MAX_AXIS])
{
    long double k[3][BENCH_DRAW_MAX_AXIS];
    for (int i = 0; i < axis; i++) {
        long double gap = ((long double)x - grid_point(i, axis)) / output->lengthscale;
        k[0][i] = expl(-0.5L * gap * gap);
        k[1][i] = -gap / output->lengthscale * k[0][i];
        k[2][i] = (gap * gap - 1) / (output->lengthscale * output->lengthscale) * k[0][i];
    }
    for (int order = 0; order < orders; order++) solve_factor(output, axis, k[order], phi[order]);
}

/* The sum over the grid of z times one factor a dimension. */
static double contract(const bench_draw *draw, const double *z, const double *const *factors)
{
    double layer[MAX_LAYER] = {0};
    int rest = power(draw->axis, draw->d);
    for (int k = 0; k < draw->d; k++) {
        rest /= draw->axis;
        const double *from = k == 0 ? z : layer;
        for (int r = 0; r < rest; r++) {
            double sum = 0;
            for (int j = 0; j < draw->axis; j++) sum += factors[k][j] * from[j * rest + r];
            layer[r] = sum; /* never read again: the sums to come start further right */
        }
    }
    return layer[0];
}

double bench_draw_value(const bench_draw *draw, int index, const double *x, double *gradient, double *hessian)
{
    const bench_draw_output *output = &draw->output[index];
    int d = draw->d;
    double phi[BENCH_DRAW_MAX_D][3][BENCH_DRAW_MAX_AXIS], scale = sqrt(output->variance);
    const double *factors[BENCH_DRAW_MAX_D] = {0};
    for (int k = 0; k < d; k++) {
        features(output, draw->axis, x[k], gradient ? 3 : 1, phi[k]);
        factors[k] = phi[k][0];
    }
    double value = scale * contract(draw, output->z, factors);
    for (int k = 0; gradient && k < d; k++) {
        factors[k] = phi[k][1];
        gradient[k] = scale * contract(draw, output->z, factors);
        for (int l = 0; l < k; l++) {
            factors[l] = phi[l][1];
            hessian[k * d + l] = hessian[l * d + k] = scale * contract(draw, output->z, factors);
            factors[l] = phi[l][0];
        }
        factors[k] = phi[k][2];
        hessian[k * d + k] = scale * contract(draw, output->z, factors);
        factors[k] = phi[k][0];
    }
    return value;
}

void bench_draw_grid(const bench_draw *draw, int index, int points, double *values, double *work)
{
    const bench_draw_output *output = &draw->output[index];
    int d = draw->d, axis = draw->axis, rest = power(axis, d) / axis;
    double *from = d % 2 == 0 ? values : work, *to = d % 2 == 0 ? work : values;
    double phi[3][BENCH_DRAW_MAX_AXIS], scale = sqrt(output->variance);
    memcpy(from, output->z, (size_t)(rest * axis) * sizeof *from);
    /* Each round turns the leading dimension into points and makes it the last. */
    for (int k = 0; k < d; k++) {
        for (int p = 0; p < points; p++) {
            features(output, axis, (double)p / (points - 1), 1, phi);
            for (int r = 0; r < rest; r++) {
                double sum = 0;
                for (int j = 0; j < axis; j++) sum += phi[0][j] * from[j * rest + r];
                to[r * points + p] = sum;
            }
        }
        rest = rest / axis * points;
        double *swap = from;
        from = to;
        to = swap;
    }
    for (int i = 0; i < power(points, d); i++) values[i] *= scale;
}
