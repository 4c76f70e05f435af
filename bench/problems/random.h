/* Keyed random numbers: a number is a function of a key and an index, so there is no state and no
 * order of drawing.
 *
 * The generator is splitmix64 (Steele, Lea and Flood 2014) read at a position: the index-th output
 * of the stream that starts at the key. Normal numbers are Box and Muller's, the cosine branch
 * only, from two outputs each. */
#ifndef BENCH_PROBLEMS_RANDOM_H
#define BENCH_PROBLEMS_RANDOM_H

#include <stdint.h>

/* A key for a purpose and two numbers. Different arguments give unrelated
 * streams. */
uint64_t bench_random_key(const char *purpose, uint64_t first, uint64_t second);
/* In [0, 1). */
double bench_random_uniform(uint64_t key, uint64_t index);
/* Standard normal. */
double bench_random_normal(uint64_t key, uint64_t index);

#endif
