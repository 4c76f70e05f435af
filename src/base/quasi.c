#include "base/quasi.h"

#include "base/interrupt.h"
#include "base/normal.h"
#include "base/quasi_table.h"

#include <stddef.h>

enum { BITS = 32 };

/* Direction numbers of one coordinate (0 based), most significant bit first. */
static void directions(int coordinate, uint32_t v[BITS])
{
    if (coordinate == 0) {
        for (int i = 0; i < BITS; i++) v[i] = 1U << (BITS - 1 - i);
        return;
    }
    uint32_t polynomial = QUASI_TABLE[coordinate - 1].polynomial;
    int degree = 0;
    while (polynomial >> (degree + 1)) degree++;
    for (int i = 0; i < BITS; i++) {
        if (i < degree) {
            v[i] = (uint32_t)QUASI_TABLE[coordinate - 1].start[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (int k = 1; k < degree; k++)
            if ((polynomial >> (degree - k)) & 1U) v[i] ^= v[i - k];
    }
}

/* The coordinate of point `index`, in natural (not Gray code) order. */
static uint32_t sobol(const uint32_t v[BITS], uint32_t index)
{
    uint32_t value = 0;
    for (int bit = 0; index; bit++, index >>= 1)
        if (index & 1U) value ^= v[bit];
    return value;
}

static uint32_t reverse_bits(uint32_t x)
{
    x = ((x >> 1) & 0x55555555U) | ((x & 0x55555555U) << 1);
    x = ((x >> 2) & 0x33333333U) | ((x & 0x33333333U) << 2);
    x = ((x >> 4) & 0x0F0F0F0FU) | ((x & 0x0F0F0F0FU) << 4);
    x = ((x >> 8) & 0x00FF00FFU) | ((x & 0x00FF00FFU) << 8);
    return (x >> 16) | (x << 16);
}

/* A random permutation of the binary tree of digits: each bit is flipped depending on the more
 * significant ones. On reversed bits that is a hash in which bits only move upwards (Laine and
 * Karras 2011, constants of Vegdahl). */
static uint32_t nested_scramble(uint32_t x, uint32_t seed)
{
    x = reverse_bits(x);
    x ^= x * 0x3D20ADEAU;
    x += seed;
    x *= (seed >> 16) | 1U;
    x ^= x * 0x05526C56U;
    x ^= x * 0x53A22864U;
    return reverse_bits(x);
}

static double to_unit(uint32_t x)
{
    return ((double)x + 0.5) * 0x1p-32;
}

void quasi_sobol(int dimension, int count, double *points)
{
    for (int j = 0; j < dimension; j++) {
        uint32_t v[BITS];
        directions(j, v);
        for (int i = 0; i < count; i++) points[i * dimension + j] = (double)sobol(v, (uint32_t)i) * 0x1p-32;
    }
}

void quasi_points(random_stream *stream, int dimension, int count, double *points)
{
    uint32_t order_seed = 0;
    for (int j = 0; j < dimension; j++) {
        int coordinate = j % QUASI_DIMENSIONS;
        uint32_t v[BITS];
        if (interrupt_requested()) return;
        directions(coordinate, v);
        /* A scrambled index visits an aligned block of 2^k points in random order: that pairs the
         * groups at random. */
        if (coordinate == 0 && j > 0) order_seed = random_word(stream);
        uint32_t seed = random_word(stream);
        for (int i = 0; i < count; i++) {
            uint32_t index = (uint32_t)i;
            if (j >= QUASI_DIMENSIONS) index = nested_scramble(index, order_seed);
            points[i * dimension + j] = to_unit(nested_scramble(sobol(v, index), seed));
        }
    }
}

void quasi_normals(random_stream *stream, int dimension, int count, double *points)
{
    quasi_points(stream, dimension, count, points);
    for (int i = 0; i < count && !interrupt_requested(); i++)
        for (int j = 0; j < dimension; j++) {
            double *point = &points[(size_t)i * (size_t)dimension + (size_t)j];
            *point = normal_quantile(*point);
        }
}
