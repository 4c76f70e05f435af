#include "search/feasible.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The dual of: minimise t with a z + t >= -b, -z >= -1, z and t >= 0, is: maximise -b.y - sum v with
 * a'y - v <= 0 and sum y <= 1, y and v >= 0. Its origin is feasible, so the plain simplex method with
 * Bland's rule solves it from there, and the optima are the same. */
typedef struct {
    int rows, columns; /* of the tableau, with one more of each: the objective and the right-hand side */
    double *cell;
} tableau;

static double *at(const tableau *t, int row, int column)
{
    return &t->cell[(size_t)row * (size_t)(t->columns + 1) + (size_t)column];
}

static void pivot(tableau *t, int row, int column)
{
    double unit = *at(t, row, column);
    for (int j = 0; j <= t->columns; j++) *at(t, row, j) /= unit;
    for (int i = 0; i <= t->rows; i++) {
        double part = *at(t, i, column);
        if (i == row || part == 0.0) continue;
        for (int j = 0; j <= t->columns; j++) *at(t, i, j) -= part * *at(t, row, j);
    }
}

int feasible_least_violation(int n, int rows, const double *a, double *least)
{
    static const double ZERO = 1e-12;
    /* Variables y (rows) and v (n), then a slack for each of the n + 1 inequalities. */
    tableau t = {.rows = n + 1, .columns = rows + n + n + 1};
    t.cell = memory_doubles((size_t)(t.rows + 1) * (size_t)(t.columns + 1));
    int *basic = memory_new((size_t)t.rows, sizeof *basic), solved = -1;
    if (!t.cell || !basic) {
        free(t.cell);
        free(basic);
        return -1;
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < rows; i++) *at(&t, k, i) = a[i * (n + 1) + k];
        *at(&t, k, rows + k) = -1.0;
    }
    for (int i = 0; i < rows; i++) {
        *at(&t, n, i) = 1.0;
        *at(&t, t.rows, i) = a[i * (n + 1) + n]; /* minus what is maximised */
    }
    for (int k = 0; k < n; k++) *at(&t, t.rows, rows + k) = 1.0;
    for (int i = 0; i < t.rows; i++) {
        *at(&t, i, rows + n + i) = 1.0;
        basic[i] = rows + n + i;
    }
    *at(&t, n, t.columns) = 1.0;
    for (int steps = 0; steps < 200 * (t.rows + t.columns) && solved < 0; steps++) {
        int enter = 0, leave = -1;
        while (enter < t.columns && *at(&t, t.rows, enter) >= -ZERO) enter++;
        if (enter == t.columns) {
            solved = 0;
            break;
        }
        for (int i = 0; i < t.rows; i++) {
            if (*at(&t, i, enter) <= ZERO) continue;
            double ratio = *at(&t, i, t.columns) / *at(&t, i, enter);
            double best = leave < 0 ? INFINITY : *at(&t, leave, t.columns) / *at(&t, leave, enter);
            if (ratio < best || (ratio == best && basic[i] < basic[leave])) leave = i;
        }
        if (leave < 0) break;
        pivot(&t, leave, enter);
        basic[leave] = enter;
    }
    *least = *at(&t, t.rows, t.columns);
    free(t.cell);
    free(basic);
    return solved;
}
