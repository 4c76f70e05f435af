/* Constrained problems, with the constraints as constraints or as a penalty on f: how many
 * evaluations each way needs.
 *
 *   bench_constraints [seeds [budget [method ...]]]
 */
#include "base/number.h"
#include "bench/constraints/problems.h"
#include "bench/median.h"
#include "bench/problems/family.h"
#include "gofh_expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MAX = 100, BUDGET_MAX = 500, TOLERANCES = 3, STOPS = 3 };

static const double TOLERANCE[TOLERANCES] = {1e-2, 1e-4, 1e-6};
static const int STOP[STOPS] = {20, 30, 60};

/* A problem and what counts as a large violation of each of its constraints. */
typedef struct {
    const bench_problem *problem;
    double scale[8];
} entry;

static const entry ENTRIES[] = {
    {&bench_gardner, {1}},
    {&bench_pressure_vessel, {0.78, 0.385, 1296000}},
    {&bench_welded_beam, {13600, 30000, 0.25, 6000, 0.2}},
    {&bench_spring, {1, 1, 1, 1}},
};

typedef struct {
    const entry *from;
    bench_instance *instance;
    gofh_expression *objective;
    gofh_constraints *constraints;
} evaluator;

static void must(gofh_status status, const char *message)
{
    if (status >= 0) return;
    fprintf(stderr, "bench_constraints: %s\n", message);
    exit(1);
}

static int count_constraints(const bench_problem *problem)
{
    int count = 0;
    while (problem->constraints[count]) count++;
    return count;
}

static void evaluator_open(evaluator *e, const entry *from)
{
    const bench_problem *problem = from->problem;
    gofh_error error = {.status = GOFH_OK};
    gofh_symbols *symbols = gofh_symbols_create();
    *e = (evaluator){.from = from, .instance = bench_problem_open(problem, 0)};
    gofh_symbols_add_output(symbols, "y", problem->m, &error);
    for (int k = 0; k < problem->d; k++)
        gofh_symbols_add_parameter(symbols, problem->parameters[k].name, &error);
    gofh_expression_compile(&e->objective, problem->objective, symbols, GOFH_MINIMIZE, &error);
    gofh_constraints_compile(&e->constraints, problem->constraints, count_constraints(problem), symbols,
                             &error);
    gofh_symbols_free(symbols);
    must(e->instance ? error.status : GOFH_ERROR_MEMORY, error.message);
}

static void evaluator_close(evaluator *e)
{
    gofh_expression_free(e->objective);
    gofh_constraints_free(e->constraints);
    bench_problem_close(e->instance);
}

/* f where x is feasible; else infinite, or f and a penalty: ten times the optimum for a large
 * violation, which makes the constrained optimum that of the penalised f. */
static double value_at(evaluator *e, const double *x, int penalised)
{
    const bench_problem *problem = e->from->problem;
    double y[BENCH_MAX_OUTPUTS], margin[8], f, penalty = 0.0;
    problem->h(x, y, e->instance);
    gofh_expression_evaluate(e->objective, y, x, 1, &f);
    gofh_constraints_evaluate(e->constraints, y, x, 1, margin);
    for (int i = 0; i < gofh_constraints_margins(e->constraints); i++)
        if (margin[i] < 0.0) penalty -= margin[i] / e->from->scale[i];
    if (!(penalty > 0.0)) return f;
    return penalised ? f + 10.0 * fabs(problem->optimum) * penalty : INFINITY;
}

/* "ei-penalised" is the classical method on the penalised f as the only output. */
static gofh_study *study_open(const bench_problem *problem, const char *method, int seed, int budget)
{
    int penalised = strcmp(method, "ei-penalised") == 0;
    gofh_problem *described = gofh_problem_create();
    for (int k = 0; k < problem->d; k++) {
        const bench_parameter *p = &problem->parameters[k];
        gofh_problem_add_parameter(described, p->name, p->lower, p->upper, p->scale);
    }
    gofh_problem_set_outputs(described, penalised ? 1 : problem->m);
    gofh_problem_minimize(described, penalised ? "y" : problem->objective);
    for (int i = 0; !penalised && problem->constraints[i]; i++)
        gofh_problem_add_constraint(described, problem->constraints[i]);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = penalised ? "ei" : method;
    settings.seed = (uint64_t)seed;
    settings.budget = budget;
    settings.initial = 2 * (problem->d + 1);
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    must(gofh_study_create(&study, described, &settings, &error), error.message);
    gofh_problem_free(described);
    return study;
}

/* best[i]: the least relative regret of a feasible point among the first i + 1 evaluations. */
static void run(evaluator *e, const char *method, int seed, int budget, double *best)
{
    const bench_problem *problem = e->from->problem;
    int penalised = strcmp(method, "ei-penalised") == 0;
    gofh_study *study = study_open(problem, method, seed, budget);
    for (int i = 0; i < budget; i++) {
        double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS];
        int64_t id;
        must(gofh_study_ask(study, &id, x), gofh_study_message(study));
        problem->h(x, y, e->instance);
        if (penalised) y[0] = value_at(e, x, 1);
        must(gofh_study_tell(study, id, y), gofh_study_message(study));
        double regret = (value_at(e, x, 0) - problem->optimum) / fabs(problem->optimum);
        best[i] = fmin(i ? best[i - 1] : INFINITY, fmax(regret, 1e-16));
    }
    gofh_study_free(study);
}

static void print_line(const char *problem, const char *method, double (*best)[BUDGET_MAX], int seeds,
                       int budget)
{
    double values[SEEDS_MAX] = {0};
    printf("| %s | %s |", problem, method);
    for (int t = 0; t < TOLERANCES; t++) {
        for (int s = 0; s < seeds; s++) {
            int n = 0;
            while (n < budget && best[s][n] > TOLERANCE[t]) n++;
            values[s] = n < budget ? n + 1.0 : INFINITY;
        }
        double middle = bench_median(values, seeds);
        if (isfinite(middle))
            number_print(stdout, " %.0f |", middle);
        else
            printf(" > %d |", budget);
    }
    for (int i = 0; i < STOPS; i++) {
        for (int s = 0; s < seeds; s++) values[s] = STOP[i] <= budget ? log10(best[s][STOP[i] - 1]) : NAN;
        double middle = STOP[i] <= budget ? bench_median(values, seeds) : NAN;
        number_print(stdout, isfinite(middle) ? " %.1f |" : " - |", middle);
    }
    printf("\n");
    fflush(stdout);
}

static void measure(const entry *from, const char *method, int seeds, int budget)
{
    static double best[SEEDS_MAX][BUDGET_MAX];
    evaluator e;
    evaluator_open(&e, from);
    for (int s = 0; s < seeds; s++) run(&e, method, s + 1, budget, best[s]);
    print_line(from->problem->name, method, best, seeds, budget);
    evaluator_close(&e);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"gofh", "ei-cf", "ei-penalised", "random"};
    long seeds = argc > 1 ? strtol(argv[1], NULL, 10) : 10,
         budget = argc > 2 ? strtol(argv[2], NULL, 10) : 60;
    if (seeds < 1 || seeds > SEEDS_MAX || budget < 1 || budget > BUDGET_MAX) {
        fprintf(stderr, "usage: bench_constraints [seeds, at most %d [budget, at most %d [method ...]]]\n",
                SEEDS_MAX, BUDGET_MAX);
        return 2;
    }
    const char *const *methods = argc > 3 ? (const char *const *)(argv + 3) : usual;
    int count = argc > 3 ? argc - 3 : BENCH_COUNT(usual);
    printf(
        "Median over %ld seeds of the evaluations, the design included, until a feasible point is within a\n"
        "relative tolerance of the optimum, and of log10 of the relative regret after so many.\n\n"
        "| problem | method | 1e-2 | 1e-4 | 1e-6 | after %d | %d | %d |\n|---|---|---|---|---|---|---|---|\n",
        seeds, STOP[0], STOP[1], STOP[2]);
    for (int p = 0; p < BENCH_COUNT(ENTRIES); p++)
        for (int i = 0; i < count; i++) measure(&ENTRIES[p], methods[i], (int)seeds, (int)budget);
    return 0;
}
