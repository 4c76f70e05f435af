/* The benchmark problems for other languages: build/libgofh_bench.so, used by bench/peers/problems.py. Matrices are
 * stored a row a point. Functions that can fail return 0, or anything else when they did. */
#include "bench/problems.h"
#include "bench/replication.h"

#include <string.h>

GOFH_API bench_instance *gofh_bench_open(const char *name, int rep, int one_draw);
GOFH_API void gofh_bench_close(bench_instance *instance);
GOFH_API void gofh_bench_shape(const bench_instance *instance, int *d, int *m, int *initial, int *maximise,
                               int *least_squares);
GOFH_API void gofh_bench_bounds(const bench_instance *instance, double *lower, double *upper,
                                int *logarithmic);
GOFH_API int gofh_bench_design(const bench_instance *instance, uint64_t seed, int rep, double *x);
GOFH_API int gofh_bench_observe(const bench_instance *instance, const double *x, int64_t evaluation,
                                double *y);
GOFH_API int gofh_bench_outer(bench_instance *instance, const double *y, const double *x, int count,
                              double *value, double *dy, double *dx);
GOFH_API void gofh_bench_residuals(const bench_instance *instance, const double *y, double *residual);
GOFH_API double gofh_bench_log_regret(const bench_instance *instance, const double *x);

/* The instance that a replication of `gofh bench run` uses; NULL where there is no such problem. */
bench_instance *gofh_bench_open(const char *name, int rep, int one_draw)
{
    const bench_problem *problem = bench_problem_find(name);
    return problem ? bench_replication_open(problem, rep, one_draw) : NULL;
}

void gofh_bench_close(bench_instance *instance)
{
    bench_problem_close(instance);
}

void gofh_bench_shape(const bench_instance *instance, int *d, int *m, int *initial, int *maximise,
                      int *least_squares)
{
    const bench_problem *problem = instance->problem;
    *d = problem->d;
    *m = problem->m;
    *initial = bench_design_size(problem);
    *maximise = problem->maximise;
    *least_squares = problem->least_squares;
}

void gofh_bench_bounds(const bench_instance *instance, double *lower, double *upper, int *logarithmic)
{
    for (int k = 0; k < instance->problem->d; k++) {
        const bench_parameter *p = &instance->problem->parameters[k];
        lower[k] = p->lower;
        upper[k] = p->upper;
        logarithmic[k] = p->scale == GOFH_SCALE_LOG;
    }
}

/* The initial design that all methods of a replication share: initial x d. */
int gofh_bench_design(const bench_instance *instance, uint64_t seed, int rep, double *x)
{
    return bench_design(instance, seed, rep, x, NULL) != GOFH_OK;
}

/* evaluation: from 1, the initial design included. */
int gofh_bench_observe(const bench_instance *instance, const double *x, int64_t evaluation, double *y)
{
    return bench_observe(instance, x, evaluation, y);
}

/* dy and dx may both be NULL. */
int gofh_bench_outer(bench_instance *instance, const double *y, const double *x, int count, double *value,
                     double *dy, double *dx)
{
    if (dx) memset(dx, 0, (size_t)count * (size_t)instance->problem->d * sizeof *dx);
    return instance->problem->g(y, x, count, value, dy, dx, instance);
}

void gofh_bench_residuals(const bench_instance *instance, const double *y, double *residual)
{
    bench_residuals(instance, y, residual);
}

double gofh_bench_log_regret(const bench_instance *instance, const double *x)
{
    return bench_log_regret(instance, x);
}
