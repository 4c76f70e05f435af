#include "bench/sturdy/hardship.h"

#include "bench/problems/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLE = 1000 };

void hardship_must(gofh_status status, const char *message)
{
    if (status >= 0) return;
    fprintf(stderr, "hardship: %s\n", message);
    exit(1);
}

/* The standard deviation of each output over the domain, times that of the noise. */
static void measure_noise(hardship *h)
{
    const sturdy_problem *p = h->problem;
    uint64_t key = bench_random_key(p->name, 0, 0);
    double mean[STURDY_OUTPUTS_MAX] = {0}, squares[STURDY_OUTPUTS_MAX] = {0};
    for (int i = 0; i < SAMPLE; i++) {
        double x[STURDY_PARAMETERS_MAX], y[STURDY_OUTPUTS_MAX];
        for (int k = 0; k < p->d; k++)
            x[k] = p->lower + (p->upper - p->lower) * bench_random_uniform(key, (uint64_t)(i * p->d + k));
        p->h(x, y, NULL);
        for (int j = 0; j < p->m; j++) {
            double rest = y[j] - mean[j];
            mean[j] += rest / (i + 1.0);
            squares[j] += rest * (y[j] - mean[j]);
        }
    }
    for (int j = 0; j < p->m; j++) h->deviation[j] = p->noise * sqrt(squares[j] / SAMPLE);
}

void hardship_open(hardship *h, const sturdy_problem *p)
{
    gofh_error error = {.status = GOFH_OK};
    gofh_symbols *symbols = gofh_symbols_create();
    *h = (hardship){.problem = p};
    p->h(p->truth, h->observed, NULL);
    measure_noise(h);
    gofh_symbols_add_output(symbols, "y", p->m, &error);
    gofh_symbols_add_data(symbols, "o", h->observed, p->m, &error);
    gofh_expression_compile(&h->objective, p->objective, symbols, GOFH_MINIMIZE, &error);
    gofh_constraints_compile(&h->constraints, &p->constraint, p->constraint != NULL, symbols, &error);
    gofh_symbols_free(symbols);
    hardship_must(error.status, error.message);
}

void hardship_close(hardship *h)
{
    gofh_expression_free(h->objective);
    gofh_constraints_free(h->constraints);
}

gofh_study *hardship_study(const hardship *h, const char *method, uint64_t seed)
{
    const sturdy_problem *p = h->problem;
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < p->d; k++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", k + 1);
        gofh_problem_add_parameter(problem, name, p->lower, p->upper, GOFH_SCALE_LINEAR);
    }
    gofh_problem_set_outputs(problem, p->m);
    gofh_problem_set_data(problem, "o", h->observed, p->m);
    gofh_problem_minimize(problem, p->objective);
    if (p->constraint) gofh_problem_add_constraint(problem, p->constraint);
    for (int j = 0; p->noise_known && j < p->m; j++)
        gofh_problem_set_noise(problem, j, h->deviation[j] * h->deviation[j]);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.initial = 2 * (h->problem->d + 1);
    settings.method = method;
    settings.seed = seed;
    settings.budget = 0;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    hardship_must(gofh_study_create(&study, problem, &settings, &error), error.message);
    gofh_problem_free(problem);
    return study;
}

int hardship_evaluate(const hardship *h, uint64_t seed, int number, const double *x, double *y)
{
    const sturdy_problem *p = h->problem;
    uint64_t noise = bench_random_key("noise", seed, 0), luck = bench_random_key("luck", seed, 0);
    p->h(x, y, NULL);
    for (int j = 0; p->noise > 0.0 && j < p->m; j++)
        y[j] += h->deviation[j] * bench_random_normal(noise, (uint64_t)(number * p->m + j));
    return bench_random_uniform(luck, (uint64_t)number) < p->fails;
}
