#include "outer/forms.h"

#include "base/instruction_sets.h"

#include <stddef.h>
#include <string.h>

/* Four partial sums, whatever the instruction set: the same numbers on every machine. */
enum { LANES = 4 };

FOR_EACH_INSTRUCTION_SET
static double with_gradient(const double *restrict y, int m, const double *restrict target,
                            const double *restrict weight, double *restrict dy)
{
    double sum[LANES] = {0};
    int j = 0;
    for (; j + LANES <= m; j += LANES)
        for (int k = 0; k < LANES; k++) {
            double r = y[j + k] - target[j + k], weighted = weight[j + k] * r;
            sum[k] += weighted * r;
            dy[j + k] = 2.0 * weighted;
        }
    for (int k = 0; j < m; j++, k++) {
        double r = y[j] - target[j], weighted = weight[j] * r;
        sum[k] += weighted * r;
        dy[j] = 2.0 * weighted;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

FOR_EACH_INSTRUCTION_SET
static double without_gradient(const double *restrict y, int m, const double *restrict target,
                               const double *restrict weight)
{
    double sum[LANES] = {0};
    int j = 0;
    for (; j + LANES <= m; j += LANES)
        for (int k = 0; k < LANES; k++) {
            double r = y[j + k] - target[j + k];
            sum[k] += weight[j + k] * r * r;
        }
    for (int k = 0; j < m; j++, k++) {
        double r = y[j] - target[j];
        sum[k] += weight[j] * r * r;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void form_least_squares(const double *y, int count, int m, const double *target, const double *weight,
                        double constant, double *value, double *dy)
{
    for (int i = 0; i < count; i++) {
        size_t row = (size_t)i * (size_t)m;
        value[i] = constant + (dy ? with_gradient(y + row, m, target, weight, dy + row)
                                  : without_gradient(y + row, m, target, weight));
    }
}

FOR_EACH_INSTRUCTION_SET
static double weighted_sum(const double *restrict y, int m, const double *restrict weight)
{
    double sum[LANES] = {0};
    int j = 0;
    for (; j + LANES <= m; j += LANES)
        for (int k = 0; k < LANES; k++) sum[k] += weight[j + k] * y[j + k];
    for (int k = 0; j < m; j++, k++) sum[k] += weight[j] * y[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void form_linear(const double *y, int count, int m, const double *weight, double constant, double *value,
                 double *dy)
{
    for (int i = 0; i < count; i++) {
        size_t row = (size_t)i * (size_t)m;
        value[i] = constant + weighted_sum(y + row, m, weight);
        if (dy) memcpy(dy + row, weight, (size_t)m * sizeof *dy);
    }
}
