#include "bench/problems/newton.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_HALVINGS = 40, POLISHING_STEPS = 4 };

typedef struct {
    double x[BENCH_NEWTON_MAX_D], value, gradient[BENCH_NEWTON_MAX_D],
        hessian[BENCH_NEWTON_MAX_D * BENCH_NEWTON_MAX_D];
} place;

static void look(bench_newton_function function, const void *context, place *at)
{
    at->value = function(at->x, at->gradient, at->hessian, context);
}

/* The dimensions in which x can move uphill. Returns how many. */
static int find_free(const place *at, int d, int *free)
{
    int count = 0;
    for (int k = 0; k < d; k++) {
        int held = (at->x[k] <= 0 && at->gradient[k] <= 0) || (at->x[k] >= 1 && at->gradient[k] >= 0);
        if (!held) free[count++] = k;
    }
    return count;
}

/* step = (shift I - H)^-1 gradient in the free dimensions by Cholesky. Returns 0 where that is not
 * positive definite. */
static int solve(const place *at, int d, const int *free, int count, double shift, double *step)
{
    double factor[BENCH_NEWTON_MAX_D][BENCH_NEWTON_MAX_D], half[BENCH_NEWTON_MAX_D];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = (i == j ? shift : 0) - at->hessian[free[i] * d + free[j]];
            for (int k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
            if (i == j && !(sum > 0)) return 0;
            factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
        }
        half[i] = at->gradient[free[i]];
        for (int k = 0; k < i; k++) half[i] -= factor[i][k] * half[k];
        half[i] /= factor[i][i];
    }
    memset(step, 0, (size_t)d * sizeof *step);
    for (int i = count; i-- > 0;) {
        for (int k = i + 1; k < count; k++) half[i] -= factor[k][i] * half[k];
        half[i] /= factor[i][i];
        step[free[i]] = half[i];
    }
    return 1;
}

static void move(const place *from, const double *step, double length, int d, place *to)
{
    for (int k = 0; k < d; k++) to->x[k] = fmin(1, fmax(0, from->x[k] + length * step[k]));
}

static double steepness(const place *at, int d)
{
    int free[BENCH_NEWTON_MAX_D], count = find_free(at, d, free);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += at->gradient[free[i]] * at->gradient[free[i]];
    return sum;
}

/* One damped step that raises the value. Returns 0 where there is none. */
static int climb(bench_newton_function function, const void *context, int d, place *at)
{
    int free[BENCH_NEWTON_MAX_D], count = find_free(at, d, free);
    double step[BENCH_NEWTON_MAX_D], shift = 0, curvature = 1e-3;
    for (int i = 0; i < d * d; i++) curvature = fmax(curvature, 1e-3 * fabs(at->hessian[i]));
    if (count == 0) return 0;
    while (!solve(at, d, free, count, shift, step)) shift = shift == 0 ? curvature : 4 * shift;
    double length = 1;
    for (int halving = 0; halving < MAX_HALVINGS; halving++, length /= 2) {
        place next;
        move(at, step, length, d, &next);
        look(function, context, &next);
        if (next.value > at->value) {
            *at = next;
            return 1;
        }
    }
    return 0;
}

/* The value can't tell points apart closer than the root of its rounding error; the gradient
 * can. */
static void polish(bench_newton_function function, const void *context, int d, place *at)
{
    for (int i = 0; i < POLISHING_STEPS; i++) {
        int free[BENCH_NEWTON_MAX_D], count = find_free(at, d, free);
        double step[BENCH_NEWTON_MAX_D];
        place next;
        if (count == 0 || !solve(at, d, free, count, 0, step)) return;
        move(at, step, 1, d, &next);
        look(function, context, &next);
        if (steepness(&next, d) >= steepness(at, d)) return;
        *at = next;
    }
}

double bench_newton_climb(bench_newton_function function, const void *context, int d, double *x)
{
    place at;
    memcpy(at.x, x, (size_t)d * sizeof *x);
    look(function, context, &at);
    int steps = 0;
    while (steps < MAX_STEPS && climb(function, context, d, &at)) steps++;
    polish(function, context, d, &at);
    memcpy(x, at.x, (size_t)d * sizeof *x);
    return at.value;
}
