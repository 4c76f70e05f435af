#include "infer/bend.h"

#include "base/memory.h"
#include "linalg/eigen.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A variance of a component below this part of the largest is rounding. */
static const double VARIANCE_MIN = 1e-14;
/* Coefficients are held to 0 as by so many points. */
static const double HELD = 1.0;

int bend_create(bend *b, int d)
{
    size_t n = (size_t)d;
    *b = (bend){.d = d};
    b->block = memory_doubles(n * (2 * n + BEND_TERMS + 3) + eigen_symmetric_work(d) +
                              BEND_TERMS * (BEND_TERMS + 2));
    if (!b->block) return -1;
    b->centre = b->block;
    b->axes = b->centre + n;
    b->inverse = b->axes + n * n;
    b->coefficient = b->inverse + n * n;
    b->component = b->coefficient + n * BEND_TERMS;
    b->work = b->component + n;
    for (int k = 0; k < d; k++) b->axes[k * d + k] = b->inverse[k * d + k] = 1.0;
    return 0;
}

void bend_free(bend *b)
{
    free(b->block);
    b->block = NULL;
}

/* 1 and the products of the widest components, as far as they are wider than component i. Returns how
 * many. */
static int terms_of(const bend *b, int i, const double *component, double *term)
{
    int first = i + 1 > b->d - BEND_WIDE ? i + 1 : b->d - BEND_WIDE, count = 1;
    term[0] = 1.0;
    for (int j = first; j < b->d; j++)
        for (int k = j; k < b->d; k++) term[count++] = component[j] * component[k];
    return count;
}

static double bent(const bend *b, int i, const double *component)
{
    double term[BEND_TERMS], sum = 0.0;
    int count = terms_of(b, i, component, term);
    for (int t = 0; t < count; t++) sum += b->coefficient[i * BEND_TERMS + t] * term[t];
    return sum;
}

static void find_components(const bend *b, const double *point, double *component)
{
    int d = b->d;
    for (int i = 0; i < d; i++) {
        component[i] = 0.0;
        for (int k = 0; k < d; k++) component[i] += b->inverse[i * d + k] * (point[k] - b->centre[k]);
    }
}

void bend_straighten(const bend *b, const double *point, double *straight)
{
    find_components(b, point, straight);
    for (int i = 0; i < b->d; i++)
        straight[i] -= bent(b, i, straight); /* of those that are not changed yet */
}

void bend_back(const bend *b, const double *straight, double *point)
{
    int d = b->d;
    double *component = b->component;
    memcpy(component, straight, (size_t)d * sizeof *component);
    for (int i = d - 1; i >= 0; i--) component[i] += bent(b, i, component);
    for (int k = 0; k < d; k++) {
        point[k] = b->centre[k];
        for (int i = 0; i < d; i++) point[k] += b->axes[i * d + k] * component[i];
    }
}

/* Principal components with a variance of 1, the narrowest first. */
static void find_axes(bend *b, const double *point, int count)
{
    int d = b->d;
    double *value = b->component, *vector = b->axes;
    memset(b->centre, 0, (size_t)d * sizeof *b->centre);
    memset(vector, 0, (size_t)d * (size_t)d * sizeof *vector);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < d; k++) b->centre[k] += point[i * d + k] / count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < d; k++)
            for (int a = 0; a <= k; a++)
                vector[k * d + a] += (point[i * d + k] - b->centre[k]) * (point[i * d + a] - b->centre[a]) /
                                     count;
    int failed = eigen_symmetric(d, vector, value, b->work);
    b->log_scale = 0.0;
    for (int i = 0; i < d; i++) {
        double root = failed ? 1.0 : sqrt(fmax(value[i], VARIANCE_MIN * fmax(value[d - 1], 1e-20)));
        b->log_scale += log(root);
        for (int k = 0; k < d; k++) {
            double own = failed ? (double)(i == k) : vector[i * d + k];
            b->inverse[i * d + k] = own / root;
            vector[i * d + k] = own * root;
        }
    }
}

/* Least squares of component i in the terms of the wider ones. */
static void find_coefficients(bend *b, int i, const double *point, int count)
{
    double term[BEND_TERMS], *matrix = b->work, *side = matrix + BEND_TERMS * BEND_TERMS;
    int terms = 0;
    memset(matrix, 0, (BEND_TERMS * BEND_TERMS + BEND_TERMS) * sizeof *matrix);
    for (int p = 0; p < count; p++) {
        find_components(b, point + p * b->d, b->component);
        terms = terms_of(b, i, b->component, term);
        for (int s = 0; s < terms; s++) {
            side[s] += term[s] * b->component[i];
            for (int t = s; t < terms; t++) matrix[s * BEND_TERMS + t] += term[s] * term[t];
        }
    }
    for (int t = 0; t < terms; t++) matrix[t * BEND_TERMS + t] += HELD;
    if (cholesky_factor(terms, matrix, BEND_TERMS)) return;
    solve_lower(terms, matrix, BEND_TERMS, 1, side, BEND_TERMS);
    solve_lower_transposed(terms, matrix, BEND_TERMS, 1, side, BEND_TERMS);
    memcpy(b->coefficient + (size_t)i * BEND_TERMS, side, (size_t)terms * sizeof *side);
}

void bend_fit(bend *b, const double *point, int count)
{
    find_axes(b, point, count);
    memset(b->coefficient, 0, (size_t)b->d * BEND_TERMS * sizeof *b->coefficient);
    for (int i = 0; i + 1 < b->d; i++) find_coefficients(b, i, point, count);
}
