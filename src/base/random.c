#include "base/random.h"

#include "base/normal.h"

#include <math.h>

void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53U * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57U * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    block[0] = c0;
    block[1] = c1;
    block[2] = c2;
    block[3] = c3;
}

/* The finaliser of SplitMix64 (Steele et al. 2014). */
static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

uint64_t random_mix(uint64_t a, uint64_t b)
{
    return scramble(scramble(a + 0x9E3779B97F4A7C15U) ^ (b + 0xD1B54A32D192ED03U));
}

random_stream random_open(uint64_t seed, random_purpose purpose, uint64_t first, uint64_t second)
{
    uint64_t name = random_mix(random_mix((uint64_t)purpose, first), second);
    random_stream stream = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                            .counter = {0, 0, (uint32_t)name, (uint32_t)(name >> 32)},
                            .used = 4};
    return stream;
}

uint32_t random_word(random_stream *stream)
{
    if (stream->used == 4) {
        random_philox(stream->counter, stream->key, stream->block);
        if (++stream->counter[0] == 0) stream->counter[1]++;
        stream->used = 0;
    }
    return stream->block[stream->used++];
}

double random_uniform(random_stream *stream)
{
    uint64_t high = random_word(stream), low = random_word(stream);
    return ((double)((high << 20) | (low >> 12)) + 0.5) * 0x1p-52;
}

double random_normal(random_stream *stream)
{
    return normal_quantile(random_uniform(stream));
}

/* Marsaglia and Tsang (2000); shapes below 1 by the usual boost. */
double random_gamma(random_stream *stream, double shape)
{
    double boost = 1.0;
    if (shape < 1.0) {
        boost = pow(random_uniform(stream), 1.0 / shape);
        shape += 1.0;
    }
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double z = random_normal(stream), v = 1.0 + c * z;
        if (v <= 0.0) continue;
        v = v * v * v;
        if (log(random_uniform(stream)) < 0.5 * z * z + d * (1.0 - v + log(v))) return boost * d * v;
    }
}

uint32_t random_below(random_stream *stream, uint32_t bound)
{
    /* Lemire's unbiased multiplication. */
    uint64_t product = (uint64_t)random_word(stream) * bound;
    if ((uint32_t)product < bound) {
        uint32_t threshold = (0U - bound) % bound;
        while ((uint32_t)product < threshold) product = (uint64_t)random_word(stream) * bound;
    }
    return (uint32_t)(product >> 32);
}
