#include "base/vector.h"

#include "base/exponential.h"
#include "base/instruction_sets.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

FOR_EACH_INSTRUCTION_SET
void vector_exp(const double *in, int count, double *out)
{
    for (int i = 0; i < count; i++) out[i] = exponential(in[i]);
}

/* Up to this angle the reduction below is exact. */
static const double ANGLE_MAX = 1e6;

/* sin(x + turns pi/2). With k the nearest whole number of quarter turns in x, r = x - k pi/2 is
 * found from pi/2 in three parts, the first two of 33 bits, so that their products with k are
 * exact; then sin(r) or cos(r) by Taylor series whose first omitted terms are below 2^-58. No
 * branches, so that the loop vectorises. */
FOR_EACH_INSTRUCTION_SET
static void turned_sine(const double *in, int count, uint64_t turns, double *out)
{
    const double quarters = 0x1.45f306dc9c883p-1, round_shift = 0x1.8p52;
    const double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
    for (int i = 0; i < count; i++) {
        double shifted = in[i] * quarters + round_shift, k = shifted - round_shift;
        double r = ((in[i] - k * first) - k * second) - k * third, r2 = r * r;
        uint64_t bits, quarter;
        memcpy(&quarter, &shifted, sizeof quarter);
        quarter += turns;
        double s = 1.0 / 355687428096000.0, c = 1.0 / 20922789888000.0;
        s = s * r2 - 1.0 / 1307674368000.0;
        c = c * r2 - 1.0 / 87178291200.0;
        s = s * r2 + 1.0 / 6227020800.0;
        c = c * r2 + 1.0 / 479001600.0;
        s = s * r2 - 1.0 / 39916800.0;
        c = c * r2 - 1.0 / 3628800.0;
        s = s * r2 + 1.0 / 362880.0;
        c = c * r2 + 1.0 / 40320.0;
        s = s * r2 - 1.0 / 5040.0;
        c = c * r2 - 1.0 / 720.0;
        s = s * r2 + 1.0 / 120.0;
        c = c * r2 + 1.0 / 24.0;
        s = s * r2 - 1.0 / 6.0;
        s = r + r * r2 * s;
        c = 1.0 - (0.5 * r2 - r2 * r2 * c);
        double chosen = quarter & 1 ? c : s;
        memcpy(&bits, &chosen, sizeof bits);
        bits ^= (quarter & 2) << 62;
        memcpy(&out[i], &bits, sizeof bits);
    }
}

/* The vectorised wave, and that of the library where the angle is too large for it. */
static void wave(const double *in, int count, uint64_t turns, double (*exact)(double), double *out)
{
    enum { PART = 256 };
    double angle[PART];
    for (int start = 0; start < count; start += PART) {
        int part = count - start < PART ? count - start : PART, large = 0;
        memcpy(angle, in + start, (size_t)part * sizeof *angle);
        turned_sine(angle, part, turns, out + start);
        for (int i = 0; i < part; i++) large += !(fabs(angle[i]) <= ANGLE_MAX);
        for (int i = 0; large && i < part; i++)
            if (!(fabs(angle[i]) <= ANGLE_MAX)) out[start + i] = exact(angle[i]);
    }
}

void vector_cos(const double *in, int count, double *out)
{
    wave(in, count, 1, cos, out);
}

void vector_sin(const double *in, int count, double *out)
{
    wave(in, count, 0, sin, out);
}

FOR_EACH_INSTRUCTION_SET
double vector_weighted_difference(const double *weight, double at, const double *x, int count)
{
    double part[8] = {0}, sum = 0.0;
    int whole = count / 8 * 8;
    for (int i = 0; i < whole; i += 8)
        for (int l = 0; l < 8; l++) part[l] += weight[i + l] * (at - x[i + l]);
    for (int i = whole; i < count; i++) sum += weight[i] * (at - x[i]);
    return sum + (((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])));
}

FOR_EACH_INSTRUCTION_SET
double vector_weighted_squares(const double *weight, double at, const double *x, int count)
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
double vector_sum(const double *x, int count)
{
    double part[8] = {0}, sum = 0.0;
    int whole = count / 8 * 8;
    for (int i = 0; i < whole; i += 8)
        for (int l = 0; l < 8; l++) part[l] += x[i + l];
    for (int i = whole; i < count; i++) sum += x[i];
    return sum + (((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])));
}

int vector_largest(const double *values, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}
