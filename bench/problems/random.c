#include "bench/problems/random.h"

#include <math.h>

#include "bench/problems/family.h"

static const uint64_t golden = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t bits(uint64_t key, uint64_t index)
{
    return mix(key + (index + 1) * golden);
}

uint64_t bench_random_key(const char *purpose, uint64_t first, uint64_t second)
{
    uint64_t key = 0;
    for (const char *letter = purpose; *letter; letter++) key = mix(key + golden) ^ (unsigned char)*letter;
    return mix(mix(mix(key + golden) ^ first) + golden * (second + 1));
}

double bench_random_uniform(uint64_t key, uint64_t index)
{
    return (double)(bits(key, index) >> 11) * 0x1p-53;
}

double bench_random_normal(uint64_t key, uint64_t index)
{
    double radius = sqrt(-2 * log1p(-bench_random_uniform(key, 2 * index)));
    return radius * cos(2 * BENCH_PI * bench_random_uniform(key, 2 * index + 1));
}
