/* What becomes of each method under hardship: the regret after a few evaluations, the median of
 * some seeds.
 *
 *   bench_sturdy [seeds [method,... [problem ...]]]
 */
#include "base/number.h"
#include "bench/median.h"
#include "bench/sturdy/hardship.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MAX = 100, METHODS_MAX = 8 };

static const double REGRET_MIN = 1e-16;

static double regret_at(hardship *h, const double *x)
{
    double y[STURDY_OUTPUTS_MAX], f, margin[8];
    h->problem->h(x, y, NULL);
    gofh_expression_evaluate(h->objective, y, NULL, 1, &f);
    gofh_constraints_evaluate(h->constraints, y, NULL, 1, margin);
    for (int i = 0; i < gofh_constraints_margins(h->constraints); i++)
        if (margin[i] < 0.0) return INFINITY;
    return fmax(f - h->problem->optimum, REGRET_MIN);
}

typedef struct {
    /* Of the best point that was evaluated; with noise, of the one that is recommended. */
    double regret;
    double first; /* evaluations until one was feasible */
} result;

static result run(hardship *h, const char *method, uint64_t seed)
{
    const sturdy_problem *p = h->problem;
    gofh_study *study = hardship_study(h, method, seed);
    result r = {INFINITY, INFINITY};
    int evaluations = 2 * (p->d + 1) + p->beyond;
    for (int i = 0; i < evaluations; i++) {
        double x[STURDY_PARAMETERS_MAX], y[STURDY_OUTPUTS_MAX];
        int64_t trial;
        hardship_must(gofh_study_ask(study, &trial, x), gofh_study_message(study));
        if (hardship_evaluate(h, seed, i, x, y)) {
            hardship_must(gofh_study_fail(study, trial, "bad luck"), gofh_study_message(study));
            continue;
        }
        hardship_must(gofh_study_tell(study, trial, y), gofh_study_message(study));
        r.regret = fmin(r.regret, regret_at(h, x));
        if (isfinite(r.regret)) r.first = fmin(r.first, i + 1.0);
    }
    if (p->noise > 0.0) {
        gofh_recommendation recommendation;
        hardship_must(gofh_study_recommend(study, &recommendation), gofh_study_message(study));
        r.regret = regret_at(h, recommendation.x);
    }
    gofh_study_free(study);
    return r;
}

static void print_value(double value, const char *format)
{
    if (isfinite(value))
        number_print(stdout, format, value);
    else
        printf("never");
}

static void measure(const sturdy_problem *p, const char *const *methods, int count, int seeds)
{
    hardship h;
    hardship_open(&h, p);
    printf("| %s | %d + %d |", p->name, 2 * (p->d + 1), p->beyond);
    for (int i = 0; i < count; i++) {
        double regret[SEEDS_MAX] = {0}, first[SEEDS_MAX] = {0};
        for (int s = 0; s < seeds; s++) {
            result r = run(&h, methods[i], (uint64_t)s + 1);
            regret[s] = log10(r.regret);
            first[s] = r.first;
        }
        printf(" ");
        print_value(bench_median(regret, seeds), "%.1f");
        printf(" (");
        print_value(regret[seeds - 1], "%.1f");
        if (p->constraint) {
            printf("; ");
            print_value(bench_median(first, seeds), "%.0f");
        }
        printf(") |");
        fflush(stdout);
    }
    printf("\n");
    hardship_close(&h);
}

static int is_asked_for(const sturdy_problem *p, int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], p->name) == 0) return 1;
    return argc <= 3;
}

int main(int argc, char **argv)
{
    const char *methods[METHODS_MAX] = {"gofh", "ei-cf", "random"};
    int count = 3;
    long seeds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    if (seeds < 1 || seeds > SEEDS_MAX) {
        fprintf(stderr, "usage: bench_sturdy [seeds, at most %d [method,... [problem ...]]]\n", SEEDS_MAX);
        return 2;
    }
    if (argc > 2) {
        count = 0;
        for (char *name = strtok(argv[2], ","); name && count < METHODS_MAX; name = strtok(NULL, ","))
            methods[count++] = name;
    }
    printf(
        "log10 of the regret after so many evaluations: the median of %ld seeds (the worst; where there are\n"
        "constraints, the median of the evaluations until one was feasible).\n\n| problem | evaluations |",
        seeds);
    for (int i = 0; i < count; i++) printf(" %s |", methods[i]);
    printf("\n|---|---|");
    for (int i = 0; i < count; i++) printf("---|");
    printf("\n");
    const sturdy_problem *p;
    for (int i = 0; (p = sturdy_problem_at(i)); i++)
        if (is_asked_for(p, argc, argv)) measure(p, methods, count, (int)seeds);
    return 0;
}
