#include "bench/coverage.h"

#include "base/number.h"
#include "bench/problems/random.h"
#include "bench/replication.h"
#include "bench/results.h"

#include <math.h>
#include <stdlib.h>

enum { FRESH = 100, SIZES = 3, LEVELS = 6, INTERVALS = LEVELS / 2 };
static const int SIZE[SIZES] = {15, 25, 50};
/* The ends of the intervals of 50, 80 and 95 %. */
static const double LEVEL[LEVELS] = {0.25, 0.75, 0.1, 0.9, 0.025, 0.975};
/* Of the range of the data: what lies outside of an interval by less is rounding. */
static const double ROUNDING = 1e-9;

typedef struct {
    double inside[INTERVALS], all;
} tally;

static void count(tally *t, double truth, const double *quantile, double range)
{
    double slack = ROUNDING * range;
    for (int i = 0; i < INTERVALS; i++)
        t->inside[i] += truth >= quantile[2 * i] - slack && truth <= quantile[2 * i + 1] + slack;
    t->all++;
}

/* Points with their true outputs and f. */
typedef struct {
    int count;
    double *x, *y, *f; /* count x d, count x m, count */
} sample;

static int sample_make(sample *s, const bench_instance *instance, int points, uint64_t seed, int rep)
{
    const bench_problem *problem = instance->problem;
    size_t d = (size_t)problem->d, m = (size_t)problem->m, rows = (size_t)points;
    uint64_t key = bench_random_key("coverage", seed, (uint64_t)rep), next = 0;
    *s = (sample){.count = points, .x = malloc(rows * (d + m + 1) * sizeof *s->x)};
    if (!s->x) return -1;
    s->y = s->x + rows * d;
    s->f = s->y + rows * m;
    for (size_t i = 0; i < rows; i++)
        do /* until an evaluation does not fail */
        {
            double u[BENCH_MAX_PARAMETERS];
            for (size_t k = 0; k < d; k++) u[k] = bench_random_uniform(key, next++);
            bench_point(problem, u, s->x + i * d);
        } while (problem->h(s->x + i * d, s->y + i * m, (void *)instance) != 0 ||
                 isnan(s->f[i] = bench_value(instance, s->x + i * d)));
    return 0;
}

/* Of column j of n rows, its finite values. */
static double range_of(const double *value, int n, int stride, int j)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
        double v = value[i * stride + j];
        if (!isfinite(v)) continue;
        low = fmin(low, v);
        high = fmax(high, v);
    }
    return high > low ? high - low : 0.0;
}

/* A study that has the first n points of the sample. */
static gofh_status give(gofh_study **study, const bench_instance *instance, const char *method,
                        const bench_plan *plan, int rep, const sample *s, int n, gofh_error *error)
{
    gofh_status status = bench_study_create(study, instance, method, plan->seed, rep, n, error);
    for (int i = 0; i < n && !status; i++) {
        double y[BENCH_MAX_OUTPUTS];
        const double *x = s->x + i * instance->problem->d;
        if (bench_observe(instance, x, i + 1, y)) return GOFH_ERROR_ARGUMENT;
        status = gofh_study_import(*study, x, y, NULL);
    }
    return status;
}

/* Adds what one study says of the points after the first n. */
static gofh_status add_replication(const bench_plan *plan, const bench_instance *instance, const char *method,
                                   int rep, const sample *s, int n, tally *of_f, tally *of_outputs,
                                   gofh_error *error)
{
    int d = instance->problem->d, m = instance->problem->m, first = s->count - FRESH;
    size_t values = (size_t)FRESH * LEVELS;
    double *f = malloc(values * (size_t)(m + 1) * sizeof *f), *outputs = f ? f + values : NULL;
    gofh_study *study = NULL;
    gofh_status status = f ? give(&study, instance, method, plan, rep, s, n, error) : GOFH_ERROR_MEMORY;
    if (!status)
        status = gofh_study_predict_quantiles(study, s->x + first * d, FRESH, LEVEL, LEVELS, f, outputs);
    double range = range_of(s->f, n, 1, 0);
    for (int i = 0; i < FRESH && !status; i++)
        if (isfinite(s->f[first + i])) count(of_f, s->f[first + i], f + i * LEVELS, range);
    for (int j = 0; j < m && !status; j++) {
        range = range_of(s->y, n, m, j);
        for (int i = 0; i < FRESH; i++)
            count(of_outputs, s->y[(first + i) * m + j], outputs + (i * m + j) * LEVELS, range);
    }
    if (status && study) bench_fail(error, status, "%s", gofh_study_message(study));
    gofh_study_free(study);
    free(f);
    return status;
}

static void print_tally(FILE *file, const tally *t)
{
    for (int i = 0; i < INTERVALS; i++) number_print(file, "  %4.2f", t->inside[i] / t->all);
}

static gofh_status cover(FILE *file, const bench_plan *plan, const bench_problem *problem, const char *method,
                         int n, const atomic_int *stop, gofh_error *error)
{
    tally of_f = {.all = 0}, of_outputs = {.all = 0};
    gofh_status status = GOFH_OK;
    for (int rep = plan->first_rep; rep < plan->first_rep + plan->reps && !status; rep++) {
        sample s = {0};
        bench_instance *instance = bench_replication_open(problem, rep, plan->one_draw);
        if (!instance || sample_make(&s, instance, SIZE[SIZES - 1] + FRESH, plan->seed, rep))
            status = GOFH_ERROR_MEMORY;
        if (!status && atomic_load(stop)) status = GOFH_STOP_CALLER;
        if (!status) status = add_replication(plan, instance, method, rep, &s, n, &of_f, &of_outputs, error);
        free(s.x);
        bench_problem_close(instance);
    }
    if (status) return status;
    fprintf(file, "%-15s %4d %4d  %-8s", problem->name, problem->m, n, method);
    print_tally(file, &of_f);
    fputs("  ", file);
    print_tally(file, &of_outputs);
    fputc('\n', file);
    fflush(file);
    return GOFH_OK;
}

gofh_status bench_coverage(FILE *file, const bench_plan *plan, const atomic_int *stop, gofh_error *error)
{
    gofh_status status = GOFH_OK;
    fprintf(file, "%-15s %4s %4s  %-8s%18s  %18s\n", "problem", "m", "n", "method", "f: 50  80 95 %",
            "outputs");
    for (int i = 0; i < plan->problem_count; i++)
        for (int k = 0; k < SIZES; k++)
            for (int j = 0; j < plan->method_count && !status; j++)
                status = cover(file, plan, plan->problems[i], plan->methods[j], SIZE[k], stop, error);
    return status;
}
