#include "report/sobol.h"

#include "base/memory.h"
#include "base/quasi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 32, FEATURES = 96 };

/* Streams of this file among those of RANDOM_RECOMMEND. */
enum { SAMPLE_STREAM = 7001, DRAW_STREAM = 7002 };

int sobol_points(int n, int d)
{
    return n * (d + 2);
}

int sobol_sample(uint64_t seed, int n, int d, double *u)
{
    random_stream stream = random_open(seed, RANDOM_RECOMMEND, SAMPLE_STREAM, 0);
    size_t width = (size_t)d, rows = (size_t)n;
    double *both = memory_doubles(rows * 2 * width);
    if (!both) return -1;
    quasi_points(&stream, 2 * d, n, both);
    for (size_t i = 0; i < rows; i++) {
        const double *a = both + i * 2 * width, *b = a + width;
        memcpy(u + i * width, a, width * sizeof *u);
        memcpy(u + (rows + i) * width, b, width * sizeof *u);
        for (size_t k = 0; k < width; k++) {
            double *mixed = u + ((2 + k) * rows + i) * width;
            memcpy(mixed, a, width * sizeof *u);
            mixed[k] = b[k];
        }
    }
    free(both);
    return 0;
}

/* The indices of the rows chosen; returns the variance. */
static double estimate(int n, int d, const double *value, const int *row, double *first, double *total)
{
    const double *a = value, *b = value + n;
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < n; i++) mean += (a[row[i]] + b[row[i]]) / (2.0 * n);
    for (int i = 0; i < n; i++) {
        double p = a[row[i]] - mean, q = b[row[i]] - mean;
        variance += (p * p + q * q) / (2.0 * n);
    }
    for (int k = 0; k < d; k++) {
        const double *mixed = value + (size_t)(2 + k) * (size_t)n;
        double alone = 0.0, all = 0.0;
        for (int i = 0; i < n; i++) {
            double p = a[row[i]] - mean, q = b[row[i]] - mean, both = mixed[row[i]] - mean;
            alone += q * (both - p) / n;
            all += (p - both) * (p - both) / (2.0 * n);
        }
        first[k] = alone / variance;
        total[k] = all / variance;
    }
    return variance;
}

/* A random field of unit variance and these lengthscales at all points, by random Fourier features. */
static void draw_field(random_stream *stream, int points, int d, const double *u, const double *length,
                       double *field)
{
    memset(field, 0, (size_t)points * sizeof *field);
    for (int feature = 0; feature < FEATURES; feature++) {
        double frequency[64], phase = 2.0 * 3.14159265358979323846 * random_uniform(stream);
        for (int k = 0; k < d; k++) frequency[k] = random_normal(stream) / length[k];
        for (int i = 0; i < points; i++) {
            double angle = phase;
            for (int k = 0; k < d; k++) angle += frequency[k] * u[(size_t)i * (size_t)d + (size_t)k];
            field[i] += sqrt(2.0 / FEATURES) * cos(angle);
        }
    }
}

int sobol_indices(uint64_t seed, int n, int d, const double *u, const double *value, const double *deviation,
                  const double *length, sobol_index *index)
{
    int points = sobol_points(n, d);
    random_stream stream = random_open(seed, RANDOM_RECOMMEND, DRAW_STREAM, 0);
    double *drawn = memory_doubles((size_t)points + 2 * (size_t)d);
    int *row = memory_new((size_t)n, sizeof *row);
    if (!drawn || !row) {
        free(drawn);
        free(row);
        return -1;
    }
    double *first = drawn + points, *total = first + d, most = 0.0;
    for (int i = 0; i < n; i++) row[i] = i;
    for (int i = 0; i < points; i++) most = fmax(most, fabs(value[i]));
    double variance = estimate(n, d, value, row, first, total);
    int constant = !(variance > 1e-24 * most * most);
    for (int k = 0; k < d; k++)
        index[k] = constant ? (sobol_index){NAN, NAN, NAN, NAN} : (sobol_index){first[k], total[k], 0.0, 0.0};
    for (int draw = 0; draw < DRAWS && !constant; draw++) {
        if (deviation) draw_field(&stream, points, d, u, length, drawn);
        for (int i = 0; i < points; i++) drawn[i] = value[i] + (deviation ? deviation[i] * drawn[i] : 0.0);
        for (int i = 0; i < n; i++) row[i] = (int)random_below(&stream, (uint32_t)n);
        estimate(n, d, drawn, row, first, total);
        for (int k = 0; k < d; k++) {
            index[k].first_error += (first[k] - index[k].first) * (first[k] - index[k].first) / DRAWS;
            index[k].total_error += (total[k] - index[k].total) * (total[k] - index[k].total) / DRAWS;
        }
    }
    for (int k = 0; k < d && !constant; k++) {
        index[k].first_error = sqrt(index[k].first_error);
        index[k].total_error = sqrt(index[k].total_error);
    }
    free(drawn);
    free(row);
    return 0;
}
