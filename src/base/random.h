/* Keyed random streams: a stream is named by a seed and three numbers, so that whoever needs
 * randomness opens its own stream, and nothing depends on the order in which others drew. Philox
 * 4x32-10 (Salmon et al. 2011).
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* What a stream is for: the first part of its name. Never renumber: it would change every study. */
typedef enum {
    RANDOM_DESIGN = 1,
    RANDOM_HYPER = 2,
    RANDOM_CANDIDATES = 3,
    RANDOM_NORMALS = 4,
    RANDOM_ASCENT = 5,
    RANDOM_EVOLUTION = 6,
    RANDOM_FANTASY = 7,
    RANDOM_UNIFORM_METHOD = 8,
    RANDOM_RECOMMEND = 9,
    RANDOM_ENTROPY = 10,
    RANDOM_POSTERIOR = 11,
    RANDOM_CALIBRATE = 12,
    RANDOM_TEST = 1000
} random_purpose;

typedef struct {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    int used; /* words of the block already given out */
} random_stream;

/* One block of Philox 4x32-10. */
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4]);

random_stream random_open(uint64_t seed, random_purpose purpose, uint64_t first, uint64_t second);
uint32_t random_word(random_stream *stream);
/* In the open interval (0, 1), 52 bits */
double random_uniform(random_stream *stream);
double random_normal(random_stream *stream);                  /* standard normal */
double random_gamma(random_stream *stream, double shape);     /* scale 1, shape > 0 */
uint32_t random_below(random_stream *stream, uint32_t bound); /* 0 .. bound - 1, bound > 0 */
uint64_t random_mix(uint64_t a, uint64_t b);                  /* a hash of two numbers */

#endif
