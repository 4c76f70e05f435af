/* Functions to minimise with known minima, for all searches: value and gradient at one point. */
#ifndef TESTS_SEARCH_PROBLEMS_H
#define TESTS_SEARCH_PROBLEMS_H

#include "base/memory.h"
#include "search/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double (*problem_function)(int d, const double *x, double *gradient);

/* The context of a search: what to minimise, and what happened. */
typedef struct {
    problem_function function;
    int d;
    double scale;             /* the objective is -scale * function; 0 is taken as 1 */
    int batches, evaluations; /* counted */
    int abort_at;             /* the batch, from 1, that returns 77; 0: none */
    const double *lower, *upper;
    int outside; /* points that were not inside the box, where there is one */
} problem;

static inline int problem_evaluate(const double *x, int count, double *value, double *gradient, void *context)
{
    problem *p = context;
    double scale = p->scale == 0 ? 1 : p->scale, *row = memory_doubles((size_t)p->d);
    p->batches++;
    p->evaluations += count;
    int status = p->batches == p->abort_at ? 77 : 0;
    for (int k = 0; k < count && !status; k++, x += p->d) {
        value[k] = -scale * p->function(p->d, x, row);
        for (int i = 0; i < p->d; i++) {
            if (gradient) gradient[k * p->d + i] = -scale * row[i];
            if (p->lower && !(x[i] >= p->lower[i] && x[i] <= p->upper[i])) p->outside++;
        }
    }
    free(row);
    return status;
}

static inline double sphere(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        f += x[i] * x[i];
        gradient[i] = 2 * x[i];
    }
    return f;
}

/* Condition number 1e6, its minimum 0 at 0. */
static inline double ellipsoid(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        double a = pow(1e6, d > 1 ? (double)i / (d - 1) : 0);
        f += a * x[i] * x[i];
        gradient[i] = 2 * a * x[i];
    }
    return f;
}

/* Its minimum is 0 at (1, ..., 1). */
static inline double rosenbrock(int d, const double *x, double *gradient)
{
    double f = 0;
    memset(gradient, 0, (size_t)d * sizeof *gradient);
    for (int i = 0; i + 1 < d; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        f += 100 * a * a + b * b;
        gradient[i] += -400 * a * x[i] - 2 * b;
        gradient[i + 1] += 200 * a;
    }
    return f;
}

/* Its minimum is 0 at 0; a local one near each point with whole coordinates. */
static inline double rastrigin(int d, const double *x, double *gradient)
{
    const double turn = 6.283185307179586;
    double f = 0;
    for (int i = 0; i < d; i++) {
        f += 10 + x[i] * x[i] - 10 * cos(turn * x[i]);
        gradient[i] = 2 * x[i] + 10 * turn * sin(turn * x[i]);
    }
    return f;
}

/* Its minimum is in the corner that the signs of its slopes say. */
static inline double linear(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        gradient[i] = i % 2 ? -1 - i : 1 + i;
        f += gradient[i] * x[i];
    }
    return f;
}

#endif
