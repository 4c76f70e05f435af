/* Quasi-random points: the Sobol' sequence (Joe and Kuo's direction numbers) with nested uniform
 * scrambling (Owen 1995) by hashing (Burley 2020). Beyond QUASI_DIMENSIONS the coordinates come in
 * groups, each with its own scrambling and its own random order of the points (Latin supercube
 * sampling, Owen 1998). */
#ifndef BASE_QUASI_H
#define BASE_QUASI_H

#include "base/random.h"

enum { QUASI_DIMENSIONS = 64 };

/* points: count x dimension, in the open unit cube. The stream gives the scrambling. */
void quasi_points(random_stream *stream, int dimension, int count, double *points);
/* The same as standard normals. */
void quasi_normals(random_stream *stream, int dimension, int count, double *points);
/* The unscrambled sequence, its first point 0: for tests. */
void quasi_sobol(int dimension, int count, double *points);

#endif
