/* exp for loops that the compiler vectorises: no branches, no calls. */
#ifndef BASE_EXPONENTIAL_H
#define BASE_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/* exp(x) = 2^k exp(r), k = round(x / log 2), |r| <= log(2)/2; exp(r) = 1 + r + r^2 p(r), p of
 * degree 9 with the least largest error, which is below 2^-57. Its terms are summed in pairs: a
 * loop waits for the longest chain of operations. 0 below -708. */
static inline __attribute__((always_inline)) double exponential(double x)
{
    const double log2_e = 1.4426950408889634074, round_shift = 0x1.8p52;
    const double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
    double clipped = x < -708.0 ? -708.0 : x;
    clipped = clipped > 709.0 ? 709.0 : clipped;
    double shifted = clipped * log2_e + round_shift;
    double k = shifted - round_shift;
    double r = (clipped - k * log2_high) - k * log2_low, r2 = r * r, r4 = r2 * r2;
    double low = (0x1.000000000000ap-1 + 0x1.55555555554fap-3 * r) +
                 r2 * (0x1.555555555087ap-5 + 0x1.1111111127be6p-7 * r);
    double high = (0x1.6c16c1842a7b5p-10 + 0x1.a01a012a58a75p-13 * r) +
                  r2 * (0x1.a0199a0b67a23p-16 + 0x1.71df254e1e50dp-19 * r);
    double last = 0x1.28ad73a272b50p-22 + 0x1.ad7f77c8023cap-26 * r;
    double p = 1.0 + (r + r2 * (low + r4 * (high + r4 * last)));
    uint64_t bits, exponent; /* unsigned: k < 0 wraps, and so does whatever a NaN carries */
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &p, sizeof bits);
    bits += exponent << 52;
    memcpy(&p, &bits, sizeof p);
    p = x < -708.0 ? 0.0 : p;
    return x == x ? p : x;
}

#endif
