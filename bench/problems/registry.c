#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/problems/family.h"
#include "bench/problems/random.h"

static const bench_problem *const problems[] = {
#define BENCH_PROBLEM_ITEM(name) &bench_##name,
    BENCH_PROBLEM_LIST(BENCH_PROBLEM_ITEM)
#undef BENCH_PROBLEM_ITEM
};

const bench_problem *bench_problem_at(int index)
{
    if (index < 0) return NULL;
    return index < BENCH_COUNT(problems) ? problems[index] : bench_more_wild(index - BENCH_COUNT(problems));
}

const bench_problem *bench_problem_find(const char *name)
{
    const bench_problem *problem;
    for (int i = 0; (problem = bench_problem_at(i)) != NULL; i++) {
        if (strcmp(problem->name, name) == 0) return problem;
    }
    return NULL;
}

int bench_problem_in_set(int index, const char *set)
{
    enum { PAPER = 5, SMALL = 5 };
    int number = index - BENCH_COUNT(problems) + 1; /* of More and Wild */
    if (strcmp(set, "all") == 0) return 1;
    if (strcmp(set, "paper") == 0) return index < PAPER;
    if (strcmp(set, "mixed") == 0) return bench_problem_at(index)->values != NULL;
    if (strcmp(set, "more-wild") == 0) return number >= 1;
    if (strcmp(set, "more-wild-even") == 0) return number >= 1 && number % 2 == 0;
    if (strcmp(set, "more-wild-odd") == 0) return number >= 1 && number % 2 == 1;
    if (strcmp(set, "more-wild-small") == 0) return number >= 1 && bench_problem_at(index)->d <= SMALL;
    return -1;
}

int bench_value_count(const bench_problem *problem, int k)
{
    const bench_parameter *p = &problem->parameters[k];
    bench_values values = problem->values ? problem->values[k] : (bench_values){0};
    return values.step > 0 ? (int)floor((p->upper - p->lower) / values.step + 1e-9) + 1 : values.count;
}

void bench_point(const bench_problem *problem, const double *u, double *x)
{
    for (int k = 0; k < problem->d; k++) {
        const bench_parameter *p = &problem->parameters[k];
        int count = bench_value_count(problem, k), i = (int)fmin(u[k] * count, count - 1);
        double at = p->scale == GOFH_SCALE_LOG ? p->lower * pow(p->upper / p->lower, u[k])
                                               : p->lower + (p->upper - p->lower) * u[k];
        x[k] = fmin(p->upper, fmax(p->lower, at));
        if (count == 0) continue;
        const bench_values *values = &problem->values[k];
        x[k] = values->list ? values->list[i] : values->choices ? i : p->lower + i * values->step;
    }
}

static void add_data(bench_instance *instance, const char *name, const double *values, int count)
{
    instance->data[instance->data_count++] = (bench_data){name, values, count};
}

/* A name of data is only given away where the objective uses it. */
static void collect_data(bench_instance *instance)
{
    const bench_problem *problem = instance->problem;
    if (strstr(problem->objective, "observed"))
        add_data(instance, "observed", instance->observed, problem->m);
    if (strstr(problem->objective, "weight")) add_data(instance, "weight", instance->weight, problem->m);
    if (problem->data.name) add_data(instance, problem->data.name, problem->data.values, problem->data.count);
}

bench_instance *bench_problem_open(const bench_problem *problem, int number)
{
    bench_instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    instance->problem = problem;
    instance->number = number;
    instance->optimum = problem->optimum;
    for (int j = 0; j < problem->m; j++) {
        instance->observed[j] = problem->observed ? problem->observed[j] : 0;
        instance->weight[j] = problem->weight ? problem->weight[j] : 1;
    }
    const double *optimiser = problem->truth ? problem->truth : problem->optimiser;
    if (optimiser) memcpy(instance->optimiser, optimiser, (size_t)problem->d * sizeof(double));
    int failed = problem->open ? problem->open(instance) : 0;
    if (!failed && problem->truth) failed = problem->h(problem->truth, instance->observed, instance);
    if (failed) {
        bench_problem_close(instance);
        return NULL;
    }
    collect_data(instance);
    return instance;
}

void bench_problem_close(bench_instance *instance)
{
    if (instance && instance->problem->close) instance->problem->close(instance);
    free(instance);
}

/* The callbacks of the library take their context as void *; ours only read it. */
static void *context_of(const bench_instance *instance)
{
    return (void *)instance;
}

int bench_observe(const bench_instance *instance, const double *x, int64_t evaluation, double *y)
{
    const bench_problem *problem = instance->problem;
    int failed = problem->h(x, y, context_of(instance));
    if (failed || problem->noise == 0) return failed;
    uint64_t key = bench_random_key("noise", (uint64_t)instance->number, (uint64_t)evaluation);
    for (int j = 0; j < problem->m; j++) y[j] += problem->noise * bench_random_normal(key, (uint64_t)j);
    return 0;
}

double bench_value(const bench_instance *instance, const double *x)
{
    double y[BENCH_MAX_OUTPUTS], value;
    void *context = context_of(instance);
    if (instance->problem->h(x, y, context) != 0) return NAN;
    if (instance->problem->g(y, x, 1, &value, NULL, NULL, context) != 0) return NAN;
    return value;
}

double bench_regret(const bench_instance *instance, const double *x)
{
    double value = bench_value(instance, x);
    return instance->problem->maximise ? instance->optimum - value : value - instance->optimum;
}

void bench_residuals(const bench_instance *instance, const double *y, double *residual)
{
    for (int j = 0; j < instance->problem->m; j++) {
        residual[j] = sqrt(instance->weight[j]) * (y[j] - instance->observed[j]);
    }
}

int bench_least_squares(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                        void *context)
{
    (void)x, (void)dx;
    const bench_instance *instance = context;
    int m = instance->problem->m;
    double sign = instance->problem->maximise ? -1 : 1;
    for (int i = 0; i < count; i++, y += m) {
        double sum = 0;
        for (int j = 0; j < m; j++) {
            double misfit = y[j] - instance->observed[j];
            sum += instance->weight[j] * misfit * misfit;
            if (dy) dy[i * m + j] = sign * 2 * instance->weight[j] * misfit;
        }
        /* 0 - sum: an optimum of 0 has no sign. */
        value[i] = instance->problem->maximise ? 0 - sum : sum;
    }
    return 0;
}
