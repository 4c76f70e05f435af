/* Points of a problem's domain, for its tests. */
#ifndef TESTS_BENCH_POINTS_H
#define TESTS_BENCH_POINTS_H

#include <math.h>

#include "bench/problems.h"
#include "bench/problems/random.h"

/* The sanitizers look for other faults than a wrong optimum and are slow: a tenth of the points
 * will do. */
#if defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define POINTS_ARE_SLOW
#    endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(POINTS_ARE_SLOW)
enum { RANDOM_POINTS = 2000 };
#else
enum { RANDOM_POINTS = 20000 };
#endif

static inline void to_unit(const bench_problem *problem, const double *x, double *u)
{
    for (int k = 0; k < problem->d; k++) {
        const bench_parameter *p = &problem->parameters[k];
        int logarithmic = p->scale == GOFH_SCALE_LOG;
        u[k] = logarithmic ? log(x[k] / p->lower) / log(p->upper / p->lower)
                           : (x[k] - p->lower) / (p->upper - p->lower);
    }
}

/* How many points to try instead of `usual`: of a field of thousands of outputs fewer. */
static inline int points_of(const bench_problem *problem, int usual)
{
    return problem->m > 500 ? (usual + 999) / 1000 : usual;
}

static inline void random_point(const bench_problem *problem, uint64_t number, double *x)
{
    double u[BENCH_MAX_PARAMETERS];
    for (int k = 0; k < problem->d; k++) u[k] = bench_random_uniform(number, (uint64_t)k);
    bench_point(problem, u, x);
}

#endif
