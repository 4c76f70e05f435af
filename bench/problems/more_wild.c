/* The 53 smooth problems of the benchmark of More and Wild (SIAM J. Optim. 20, 2009), mw01 to mw53:
 * 22 functions in several dimensions, from their standard start or from ten times that. The
 * benchmark has no bounds. Here a parameter is within 2.5 max(1, |x0|) of its start x0, and the
 * optimum is the best value known in that box. In parts of the boxes of Meyer's and Osborne's
 * functions f overflows: where it is not finite the evaluation fails, as that of a simulator
 * would. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "bench/problems/family.h"
#include "bench/problems/more_wild.h"

/* The function, from 1, the numbers of its parameters and residuals, and the factor of the standard
 * start. */
static const struct {
    int function, n, m, factor;
} rows[MORE_WILD_COUNT] = {
    {1, 9, 45, 1},   {1, 9, 45, 10},   {2, 7, 35, 1},    {2, 7, 35, 10},  {3, 7, 35, 1},   {3, 7, 35, 10},
    {4, 2, 2, 1},    {4, 2, 2, 10},    {5, 3, 3, 1},     {5, 3, 3, 10},   {6, 4, 4, 1},    {6, 4, 4, 10},
    {7, 2, 2, 1},    {7, 2, 2, 10},    {8, 3, 15, 1},    {8, 3, 15, 10},  {9, 4, 11, 1},   {10, 3, 16, 1},
    {11, 6, 31, 1},  {11, 6, 31, 10},  {11, 9, 31, 1},   {11, 9, 31, 10}, {11, 12, 31, 1}, {11, 12, 31, 10},
    {12, 3, 10, 1},  {13, 2, 10, 1},   {14, 4, 20, 1},   {14, 4, 20, 10}, {15, 6, 6, 1},   {15, 7, 7, 1},
    {15, 8, 8, 1},   {15, 9, 9, 1},    {15, 10, 10, 1},  {15, 11, 11, 1}, {16, 10, 10, 1}, {17, 5, 33, 1},
    {18, 11, 65, 1}, {18, 11, 65, 10}, {19, 8, 8, 1},    {19, 10, 12, 1}, {19, 11, 14, 1}, {19, 12, 16, 1},
    {20, 5, 5, 1},   {20, 6, 6, 1},    {20, 8, 8, 1},    {21, 5, 5, 1},   {21, 5, 5, 10},  {21, 8, 8, 1},
    {21, 10, 10, 1}, {21, 12, 12, 1},  {21, 12, 12, 10}, {22, 8, 8, 1},   {22, 8, 8, 10},
};

typedef struct {
    bench_problem problem; /* first: problems are found by it */
    const more_wild_function *function;
    char name[8], description[100];
    double start[MORE_WILD_MAX_PARAMETERS];
    bench_parameter parameters[MORE_WILD_MAX_PARAMETERS];
} more_wild_problem;

static more_wild_problem problems[MORE_WILD_COUNT];

static int residuals_of(const double *x, double *y, void *context)
{
    const bench_problem *problem = ((const bench_instance *)context)->problem;
    double sum = 0;
    ((const more_wild_problem *)problem)->function->residuals(x, problem->d, problem->m, y);
    for (int j = 0; j < problem->m; j++) sum += y[j] * y[j];
    return !isfinite(sum);
}

static void set_start(more_wild_problem *p, int n, int factor)
{
    const more_wild_function *function = p->function;
    if (function->fill_start) function->fill_start(n, p->start);
    for (int k = 0; k < n; k++) {
        if (!function->fill_start) p->start[k] = function->start ? function->start[k] : function->start_value;
        p->start[k] *= factor;
    }
}

static void make(more_wild_problem *p, int index)
{
    static const char *const names[MORE_WILD_MAX_PARAMETERS] = {"x1", "x2", "x3", "x4",  "x5",  "x6",
                                                                "x7", "x8", "x9", "x10", "x11", "x12"};
    int n = rows[index].n, factor = rows[index].factor;
    p->function = &bench_more_wild_functions[rows[index].function - 1];
    snprintf(p->name, sizeof p->name, "mw%02d", (index + 1) % 100);
    snprintf(p->description, sizeof p->description, "%s%s (More and Wild %d)", p->function->name,
             factor == 10 ? ", from ten times the standard start" : "", index + 1);
    set_start(p, n, factor);
    for (int k = 0; k < n; k++) {
        double reach = 2.5 * fmax(1, fabs(p->start[k]));
        p->parameters[k] = (bench_parameter){names[k], p->start[k] - reach, p->start[k] + reach, 0};
    }
    bench_problem problem = {.name = p->name,
                             .description = p->description,
                             .d = n,
                             .m = rows[index].m,
                             .parameters = p->parameters,
                             .start = p->start,
                             .objective = "sum(y^2)",
                             .least_squares = 1,
                             .h = residuals_of,
                             .g = bench_least_squares,
                             .optimum = bench_more_wild_optima[index].value,
                             .optimiser = bench_more_wild_optima[index].x};
    p->problem = problem;
}

static void make_all(void)
{
    for (int i = 0; i < MORE_WILD_COUNT; i++) make(&problems[i], i);
}

const bench_problem *bench_more_wild(int index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_all);
    return index >= 0 && index < MORE_WILD_COUNT ? &problems[index].problem : NULL;
}
