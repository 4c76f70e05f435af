#include "search/quadratic.h"

#include "search/objective.h"

#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void multiply(int d, const double *matrix, const double *v, double *product)
{
    for (int i = 0; i < d; i++) product[i] = dot(d, matrix + (size_t)i * (size_t)d, v);
}

void quadratic_form(int d, int pairs, const double *s, const double *y, double scale, double *matrix,
                    double *work)
{
    size_t n = (size_t)d;
    if (pairs > 0) {
        const double *last_s = s + (size_t)(pairs - 1) * n, *last_y = y + (size_t)(pairs - 1) * n;
        scale = dot(d, last_y, last_y) / dot(d, last_s, last_y);
    }
    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t i = 0; i < n; i++) matrix[i * n + i] = scale;
    for (int pair = 0; pair < pairs; pair++, s += d, y += d) {
        multiply(d, matrix, s, work);
        double along_y = 1 / dot(d, s, y), along_s = 1 / dot(d, s, work);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                matrix[i * n + j] += along_y * y[i] * y[j] - along_s * work[i] * work[j];
    }
}

/* The first local minimum of the model along the projected steepest descent path, with its bounds
 * met exactly. work: 4 d. */
static void cauchy_point(int d, const double *matrix, const double *x, const double *gradient,
                         const double *lower, const double *upper, double *point, double *work)
{
    double *direction = work, *bend = direction + d; /* bend: matrix direction */
    double *change = bend + d,
           *until = change + d; /* change: matrix (point - x); until: when the bound is met */
    for (int i = 0; i < d; i++) {
        point[i] = x[i];
        change[i] = 0;
        until[i] = INFINITY;
        if (gradient[i] != 0) until[i] = ((gradient[i] < 0 ? upper[i] : lower[i]) - x[i]) / -gradient[i];
        direction[i] = until[i] > 0 ? -gradient[i] : 0;
    }
    multiply(d, matrix, direction, bend);
    double now = 0;
    for (;;) {
        double slope = dot(d, direction, gradient) + dot(d, direction, change);
        if (!(slope < 0)) break;
        int next = -1;
        for (int i = 0; i < d; i++)
            if (direction[i] != 0 && (next < 0 || until[i] < until[next])) next = i;
        double curvature = dot(d, direction, bend), step = until[next] - now;
        double best = curvature > 0 ? -slope / curvature : step;
        if (best < step || isinf(step)) {
            for (int i = 0; i < d && isfinite(best); i++) point[i] += best * direction[i];
            break;
        }
        for (int i = 0; i < d; i++) {
            point[i] += step * direction[i];
            change[i] += step * bend[i];
        }
        point[next] = direction[next] > 0 ? upper[next] : lower[next];
        for (int i = 0; i < d; i++) bend[i] -= direction[next] * matrix[i * d + next];
        direction[next] = 0;
        now = until[next];
    }
    for (int i = 0; i < d; i++) point[i] = search_clamp(point[i], lower[i], upper[i]);
}

/* Solves a v = v with a, d x d, overwritten by its Cholesky factor (its lower triangle is used). */
static int solve(int d, double *a, double *v)
{
    for (int j = 0; j < d; j++) {
        for (int i = j; i < d; i++) a[i * d + j] -= dot(j, a + i * d, a + j * d);
        double pivot = a[j * d + j];
        if (!(pivot > 0) || isinf(pivot)) return -1;
        pivot = sqrt(pivot);
        for (int i = j; i < d; i++) a[i * d + j] /= pivot;
    }
    for (int i = 0; i < d; i++) v[i] = (v[i] - dot(i, a + i * d, v)) / a[i * d + i];
    for (int i = d - 1; i >= 0; i--) {
        v[i] /= a[i * d + i];
        for (int j = 0; j < i; j++) v[j] -= a[i * d + j] * v[i];
    }
    return 0;
}

/* The step from the Cauchy point to the minimum of the model with the coordinates at their bounds
 * held. a: d x d. */
static int subspace_step(int d, const double *matrix, const double *x, const double *gradient,
                         const double *lower, const double *upper, const double *point, double *step,
                         double *change, double *a)
{
    for (int i = 0; i < d; i++) step[i] = point[i] - x[i];
    multiply(d, matrix, step, change);
    memcpy(a, matrix, (size_t)d * (size_t)d * sizeof *a);
    for (int i = 0; i < d; i++) {
        step[i] = -(gradient[i] + change[i]);
        if (point[i] > lower[i] && point[i] < upper[i]) continue;
        for (int j = 0; j < d; j++) a[i * d + j] = a[j * d + i] = 0;
        a[i * d + i] = 1;
        step[i] = 0;
    }
    return solve(d, a, step);
}

size_t quadratic_work(int d)
{
    return (size_t)d * (size_t)(d + 4);
}

int quadratic_minimize(int d, const double *matrix, const double *x, const double *gradient,
                       const double *lower, const double *upper, double *point, double *work)
{
    cauchy_point(d, matrix, x, gradient, lower, upper, point, work);
    double *step = work, *cauchy = step + d, *change = cauchy + d, *a = change + d;
    memcpy(cauchy, point, (size_t)d * sizeof *cauchy);
    if (subspace_step(d, matrix, x, gradient, lower, upper, cauchy, step, change, a)) return -1;

    /* Projecting the step keeps more of it than cutting it at the first bound (Morales and Nocedal
     * 2011), but need not leave a direction of descent. */
    double slope = 0;
    for (int i = 0; i < d; i++) {
        point[i] = search_clamp(cauchy[i] + step[i], lower[i], upper[i]);
        slope += (point[i] - x[i]) * gradient[i];
    }
    if (slope < 0) return 0;
    double length = 1;
    for (int i = 0; i < d; i++)
        if (step[i] != 0) length = fmin(length, ((step[i] > 0 ? upper[i] : lower[i]) - cauchy[i]) / step[i]);
    for (int i = 0; i < d; i++) point[i] = search_clamp(cauchy[i] + length * step[i], lower[i], upper[i]);
    return 0;
}
