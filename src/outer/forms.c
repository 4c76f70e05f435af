#include "outer/forms.h"

#include "base/instruction_sets.h"

#include <stddef.h>
#include <string.h>

/* Four partial sums, whatever the instruction set: the same numbers on every machine. */
enum { LANES = 4 };

static inline double add_lanes(const double *sum)
{
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

FOR_EACH_INSTRUCTION_SET
static void squares_and_slopes(const double *restrict y, int count, int m, const double *restrict target,
                               const double *restrict weight, double constant, double *restrict value,
                               double *restrict dy)
{
    for (int i = 0; i < count; i++, y += m, dy += m) {
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
        value[i] = constant + add_lanes(sum);
    }
}

FOR_EACH_INSTRUCTION_SET
static void squares(const double *restrict y, int count, int m, const double *restrict target,
                    const double *restrict weight, double constant, double *restrict value)
{
    for (int i = 0; i < count; i++, y += m) {
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
        value[i] = constant + add_lanes(sum);
    }
}

void form_least_squares(const double *y, int count, int m, const double *target, const double *weight,
                        double constant, double *value, double *dy)
{
    if (dy)
        squares_and_slopes(y, count, m, target, weight, constant, value, dy);
    else
        squares(y, count, m, target, weight, constant, value);
}

FOR_EACH_INSTRUCTION_SET
static void weighted_sums(const double *restrict y, int count, int m, const double *restrict weight,
                          double constant, double *restrict value)
{
    for (int i = 0; i < count; i++, y += m) {
        double sum[LANES] = {0};
        int j = 0;
        for (; j + LANES <= m; j += LANES)
            for (int k = 0; k < LANES; k++) sum[k] += weight[j + k] * y[j + k];
        for (int k = 0; j < m; j++, k++) sum[k] += weight[j] * y[j];
        value[i] = constant + add_lanes(sum);
    }
}

void form_linear(const double *y, int count, int m, const double *weight, double constant, double *value,
                 double *dy)
{
    weighted_sums(y, count, m, weight, constant, value);
    for (int i = 0; dy && i < count; i++) memcpy(dy + (size_t)i * (size_t)m, weight, (size_t)m * sizeof *dy);
}
