/* How long a suggestion takes, and how much memory.
 *
 *   bench_speed suggestion PROBLEM METHOD   processor seconds per suggestion, ten after 60 random
 *                                           evaluations
 *   bench_speed run PROBLEM METHOD          the same where the 60 evaluations are the method's own
 *   bench_speed growth METHOD N M D [G]     processor seconds and peak MiB of one suggestion with N
 *                                           data, M outputs; G: an expression of y and target
 *   bench_speed threads N M D TIMES         wall time with one thread over that with two, best of
 *                                           so many each
 *   bench_speed posterior N M D waves|curve processor seconds of 4,000 samples of the posterior with N
 *                                           data and M outputs, those of the model's fit and calibration
 *                                           before, and the least effective size of a parameter; of
 *                                           outputs that each have a kernel, or that share one
 *   bench_speed count suggestion|run PROBLEM METHOD   one of those, for callgrind to count
 *
 * Each prints one line of numbers.
 */
#include "bench/replication.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if __has_include(<valgrind/callgrind.h>)
#    include <valgrind/callgrind.h>
#else
#    define CALLGRIND_START_INSTRUMENTATION
#    define CALLGRIND_STOP_INSTRUMENTATION
#endif

enum { DATA = 60, SUGGESTIONS = 10, D_MAX = 50, M_MAX = 1000000 };

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(int ok, const char *message)
{
    if (ok) return;
    fprintf(stderr, "bench_speed: %s\n", message);
    exit(1);
}

/* splitmix64, as a uniform number. */
static double uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* ---- The paper's problems ---- */

static void tell(gofh_study *study, const bench_instance *instance, int64_t trial, const double *x)
{
    double y[BENCH_MAX_OUTPUTS];
    if (bench_observe(instance, x, trial, y) != 0)
        gofh_study_fail(study, trial, "the problem has no value here");
    else
        must(gofh_study_tell(study, trial, y) >= 0, gofh_study_message(study));
}

/* Asks `count` times; returns the processor seconds that took. */
static double ask(gofh_study *study, const bench_instance *instance, int count)
{
    double spent = 0.0, x[BENCH_MAX_PARAMETERS];
    for (int i = 0; i < count; i++) {
        int64_t trial;
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        must(gofh_study_ask(study, &trial, x) == GOFH_OK, gofh_study_message(study));
        spent += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        tell(study, instance, trial, x);
    }
    return spent;
}

/* The design, and random points until there are DATA evaluations. */
static void fill(gofh_study *study, const bench_instance *instance)
{
    const bench_problem *problem = instance->problem;
    int designed = bench_design_size(problem);
    uint64_t state = 1;
    ask(study, instance, designed);
    for (int i = designed; i < DATA; i++) {
        double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS];
        for (int k = 0; k < problem->d; k++) {
            const bench_parameter *p = &problem->parameters[k];
            double u = uniform(&state);
            x[k] = p->scale == GOFH_SCALE_LOG ? p->lower * pow(p->upper / p->lower, u)
                                              : p->lower + (p->upper - p->lower) * u;
        }
        if (bench_observe(instance, x, i, y) != 0) continue;
        must(gofh_study_import(study, x, y, NULL) >= 0, gofh_study_message(study));
    }
}

static int suggestion(const char *name, const char *method, int own, int counted)
{
    const bench_problem *problem = bench_problem_find(name);
    must(problem != NULL, "there is no such problem");
    bench_instance *instance = bench_replication_open(problem, 1, 0);
    must(instance != NULL, "out of memory");
    gofh_study *study;
    gofh_error error;
    must(bench_study_create(&study, instance, method, 1, 1, DATA + SUGGESTIONS, &error) == GOFH_OK,
         "the study can't be made");
    if (own)
        ask(study, instance, DATA);
    else
        fill(study, instance);
    if (counted) CALLGRIND_START_INSTRUMENTATION;
    double spent = ask(study, instance, counted ? 1 : SUGGESTIONS);
    if (counted) CALLGRIND_STOP_INSTRUMENTATION;
    number_print(stdout, "%.6f\n", spent / SUGGESTIONS);
    gofh_study_free(study);
    bench_problem_close(instance);
    return 0;
}

/* ---- Any size ---- */

static const char *const SQUARES = "sum((y - target)^2)";

/* Smooth outputs of a few waves each, the same for every run. */
static void waves(const double *x, int m, int d, double *y)
{
    for (int j = 0; j < m; j++) {
        uint64_t state = (uint64_t)j + 1;
        double phase = 6.0 * uniform(&state);
        for (int k = 0; k < d; k++) phase += (1.0 + 3.0 * uniform(&state)) * x[k] / sqrt(d);
        y[j] = sin(phase) + 0.5 * x[j % d] * x[j % d];
    }
}

/* A curve of m values: a damped oscillation, of which x is the damping, parts of the phase and a slow
 * wave. */
static void curve(const double *x, int m, int d, double *y)
{
    double phase = 0.0;
    for (int k = 0; k < d; k++) phase += 2.0 * (k + 1) * x[k] / d;
    for (int j = 0; j < m; j++) {
        double t = 4.0 * j / m;
        y[j] = exp(-0.5 * (1.0 + x[0]) * t) * sin((2.0 + x[d - 1]) * t + phase) +
               0.5 * x[d / 2] * cos((1.0 + x[1 % d]) * t);
    }
}

typedef void outputs_function(const double *x, int m, int d, double *y);

/* g: NULL for a fit of the outputs with noise of a known sigma. */
static gofh_study *sized_study(const char *method, int n, int m, int d, const char *g, int threads,
                               outputs_function *h)
{
    static double x[D_MAX], y[M_MAX], centre[D_MAX], target[M_MAX];
    static const double sigma = 0.05;
    uint64_t state = 7, noise = 9;
    gofh_problem *problem = gofh_problem_create();
    must(problem != NULL, "out of memory");
    for (int k = 0; k < d; k++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", k);
        gofh_problem_add_parameter(problem, name, 0.0, 1.0, GOFH_SCALE_LINEAR);
        centre[k] = 0.6;
    }
    h(centre, m, d, target);
    for (int j = 0; !g && j < m; j++) target[j] += sigma * sqrt(12.0) * (uniform(&noise) - 0.5);
    gofh_problem_set_outputs(problem, m);
    gofh_problem_set_data(problem, "target", target, m);
    if (g) {
        gofh_problem_minimize(problem, g);
    } else {
        gofh_problem_set_sigma(problem, "target", &sigma, 1);
        gofh_problem_fit(problem, "y", "target", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    }
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.threads = threads;
    settings.initial = 0;
    settings.budget = 0;
    gofh_study *study;
    gofh_error error;
    must(gofh_study_create(&study, problem, &settings, &error) == GOFH_OK, "the study can't be made");
    gofh_problem_free(problem);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < d; k++) x[k] = uniform(&state);
        h(x, m, d, y);
        must(gofh_study_import(study, x, y, NULL) >= 0, gofh_study_message(study));
    }
    return study;
}

static int growth(const char *method, int n, int m, int d, const char *g)
{
    double x[D_MAX];
    int64_t trial;
    gofh_study *study = sized_study(method, n, m, d, g, 1, waves);
    double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    must(gofh_study_ask(study, &trial, x) == GOFH_OK, gofh_study_message(study));
    double spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    number_print(stdout, "%.4f %.1f\n", spent, (double)usage.ru_maxrss / 1024.0);
    gofh_study_free(study);
    return 0;
}

static int posterior(int n, int m, int d, outputs_function *h)
{
    double x[D_MAX] = {0}, f, least = INFINITY;
    gofh_study *study = sized_study("gofh", n, m, d, NULL, 1, h);
    gofh_posterior *made;
    gofh_posterior_results results;
    double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    must(gofh_study_predict(study, x, 1, NULL, NULL, &f, NULL) == GOFH_OK, gofh_study_message(study));
    double fitted = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    must(gofh_posterior_create(&made, study, 4000) == GOFH_OK, gofh_study_message(study));
    double sampled = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    must(gofh_posterior_summary(made, &results) == GOFH_OK, "there is no summary");
    for (int k = 0; k < d; k++) least = fmin(least, results.effective[k]);
    number_print(stdout, "%.2f %.2f %.0f\n", sampled - fitted, fitted - start, least);
    gofh_posterior_free(made);
    gofh_study_free(study);
    return 0;
}

static double wall_of_one(int n, int m, int d, int threads, double *x)
{
    int64_t trial;
    gofh_study *study = sized_study("gofh", n, m, d, SQUARES, threads, waves);
    double start = seconds_of(CLOCK_MONOTONIC);
    must(gofh_study_ask(study, &trial, x) == GOFH_OK, gofh_study_message(study));
    double spent = seconds_of(CLOCK_MONOTONIC) - start;
    gofh_study_free(study);
    return spent;
}

static int threads(int n, int m, int d, int times)
{
    double one = INFINITY, two = INFINITY, x[2][D_MAX];
    for (int i = 0; i < times; i++) {
        one = fmin(one, wall_of_one(n, m, d, 1, x[0]));
        two = fmin(two, wall_of_one(n, m, d, 2, x[1]));
        must(memcmp(x[0], x[1], (size_t)d * sizeof(double)) == 0,
             "one thread and two suggest different points");
    }
    number_print(stdout, "%.4f %.4f %.2f\n", one, two, one / two);
    return 0;
}

static int number(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    must(*text && !*end && value > 0 && value <= most, "a number is out of range");
    return (int)value;
}

int main(int count, char **word)
{
    const char *what = count > 1 ? word[1] : "";
    if (strcmp(what, "suggestion") == 0 && count == 4) return suggestion(word[2], word[3], 0, 0);
    if (strcmp(what, "run") == 0 && count == 4) return suggestion(word[2], word[3], 1, 0);
    if (strcmp(what, "count") == 0 && count == 5)
        return suggestion(word[3], word[4], strcmp(word[2], "run") == 0, 1);
    if (strcmp(what, "growth") == 0 && (count == 6 || count == 7))
        return growth(word[2], number(word[3], 100000), number(word[4], M_MAX), number(word[5], D_MAX),
                      count == 7 ? word[6] : SQUARES);
    if (strcmp(what, "posterior") == 0 && count == 6)
        return posterior(number(word[2], 100000), number(word[3], M_MAX), number(word[4], D_MAX),
                         strcmp(word[5], "curve") == 0 ? curve : waves);
    if (strcmp(what, "threads") == 0 && count == 6)
        return threads(number(word[2], 100000), number(word[3], M_MAX), number(word[4], D_MAX),
                       number(word[5], 100));
    fprintf(stderr, "usage: bench_speed [count] suggestion|run PROBLEM METHOD | growth METHOD N M D [G] | "
                    "posterior N M D waves|curve | threads N M D TIMES\n");
    return 2;
}
