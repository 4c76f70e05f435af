#include "base/vector.h"

#include "base/instruction_sets.h"

#include <stdint.h>
#include <string.h>

/* exp(x) = 2^k exp(r), k = round(x / log 2), |r| <= log(2)/2; exp(r) by its Taylor series to r^13, whose
 * first omitted term is below 2^-58. No branches, so that the loop vectorises. */
FOR_EACH_INSTRUCTION_SET
void vector_exp(const double *in, int count, double *out)
{
    const double log2_e = 1.4426950408889634074, round_shift = 0x1.8p52;
    const double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
    for (int i = 0; i < count; i++) {
        double x = in[i];
        double clipped = x < -708.0 ? -708.0 : x;
        clipped = clipped > 709.0 ? 709.0 : clipped;
        double shifted = clipped * log2_e + round_shift;
        double k = shifted - round_shift;
        double r = (clipped - k * log2_high) - k * log2_low;
        double p = 1.0 / 6227020800.0;
        p = p * r + 1.0 / 479001600.0;
        p = p * r + 1.0 / 39916800.0;
        p = p * r + 1.0 / 3628800.0;
        p = p * r + 1.0 / 362880.0;
        p = p * r + 1.0 / 40320.0;
        p = p * r + 1.0 / 5040.0;
        p = p * r + 1.0 / 720.0;
        p = p * r + 1.0 / 120.0;
        p = p * r + 1.0 / 24.0;
        p = p * r + 1.0 / 6.0;
        p = p * r + 0.5;
        p = 1.0 + (r + r * r * p);
        uint64_t bits, exponent; /* unsigned: k < 0 wraps, and so does whatever a NaN carries */
        memcpy(&exponent, &shifted, sizeof exponent);
        memcpy(&bits, &p, sizeof bits);
        bits += exponent << 52;
        memcpy(&p, &bits, sizeof p);
        p = x < -708.0 ? 0.0 : p;
        out[i] = x == x ? p : x;
    }
}

FOR_EACH_INSTRUCTION_SET
double vector_pull(const double *weight, double at, const double *x, int count)
{
    double part[8] = {0}, sum = 0.0;
    int whole = count / 8 * 8;
    for (int i = 0; i < whole; i += 8)
        for (int l = 0; l < 8; l++) part[l] += weight[i + l] * (at - x[i + l]);
    for (int i = whole; i < count; i++) sum += weight[i] * (at - x[i]);
    return sum + (((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])));
}

FOR_EACH_INSTRUCTION_SET
double vector_pull_squares(const double *weight, double at, const double *x, int count)
{
    double part[8] = {0}, sum = 0.0;
    int whole = count / 8 * 8;
    for (int i = 0; i < whole; i += 8)
        for (int l = 0; l < 8; l++) part[l] += weight[i + l] * ((at - x[i + l]) * (at - x[i + l]));
    for (int i = whole; i < count; i++) sum += weight[i] * ((at - x[i]) * (at - x[i]));
    return sum + (((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])));
}

FOR_EACH_INSTRUCTION_SET
double vector_dot(const double *a, const double *b, int count)
{
    double part[8] = {0}, sum = 0.0;
    int whole = count / 8 * 8;
    for (int i = 0; i < whole; i += 8)
        for (int l = 0; l < 8; l++) part[l] += a[i + l] * b[i + l];
    for (int i = whole; i < count; i++) sum += a[i] * b[i];
    return sum + (((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])));
}

FOR_EACH_INSTRUCTION_SET
void vector_add_squares(double at, const double *x, double scale, int count, double *sum)
{
    for (int i = 0; i < count; i++) {
        double difference = (at - x[i]) * scale;
        sum[i] += difference * difference;
    }
}

FOR_EACH_INSTRUCTION_SET
void vector_add_scaled(const double *x, double shift, double scale, int count, double *sum)
{
    for (int i = 0; i < count; i++) sum[i] += scale * (x[i] - shift);
}

int vector_largest(const double *values, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}
