/* gofh demo: the calibration of the paper's section "Environmental Model Function". A pollutant
 * spills twice into a channel; from 12 concentrations its mass M, the diffusion rate D, and the
 * place L and time tau of the second spill are found again. */
#include "cli/commands.h"

#include "base/number.h"
#include "gofh.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 4, PLACES = 3, TIMES = 4, OUTPUTS = PLACES * TIMES, BUDGET = 50 };

typedef struct {
    const char *name;
    double lower, upper, truth;
} parameter;

static const parameter CHANNEL[PARAMETERS] = {
    {"M", 7.0, 13.0, 10.0},
    {"D", 0.02, 0.12, 0.07},
    {"L", 0.01, 3.0, 1.505},
    {"tau", 30.01, 30.295, 30.1525},
};

/* The concentration at distance s from a spill of mass M, a time t after it. */
static double concentration(double s, double t, double M, double D)
{
    const double pi = 3.14159265358979323846;
    return M / sqrt(4.0 * pi * D * t) * exp(-s * s / (4.0 * D * t));
}

/* h: what is measured at each place and time. */
static void simulate(const double *x, double *y)
{
    static const double places[PLACES] = {0.0, 1.0, 2.5}, times[TIMES] = {15.0, 30.0, 45.0, 60.0};
    double M = x[0], D = x[1], L = x[2], tau = x[3];
    for (int i = 0; i < PLACES; i++) {
        for (int j = 0; j < TIMES; j++) {
            double s = places[i], t = times[j];
            double c = concentration(s, t, M, D);
            if (t > tau) c += concentration(s - L, t - tau, M, D);
            y[i * TIMES + j] = c;
        }
    }
}

static gofh_study *create_study(const double *observed, uint64_t seed)
{
    gofh_problem *problem = gofh_problem_create();
    if (!problem) {
        fprintf(stderr, "gofh demo: %s\n", gofh_status_text(GOFH_ERROR_MEMORY));
        return NULL;
    }
    for (int i = 0; i < PARAMETERS; i++)
        gofh_problem_add_parameter(problem, CHANNEL[i].name, CHANNEL[i].lower, CHANNEL[i].upper,
                                   GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, OUTPUTS);
    gofh_problem_set_data(problem, "observed", observed, OUTPUTS);
    gofh_problem_minimize(problem, "sum((y - observed)^2)"); /* g */

    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = BUDGET;
    settings.seed = seed;
    gofh_study *study = NULL;
    gofh_error error = {0};
    if (gofh_study_create(&study, problem, &settings, &error) != GOFH_OK)
        fprintf(stderr, "gofh demo: %s\n", error.message);
    gofh_problem_free(problem);
    return study;
}

static gofh_status print_evaluation(gofh_study *study, int64_t number)
{
    gofh_trial trial;
    gofh_status status = gofh_study_best(study, &trial);
    if (status != GOFH_OK) return status;
    double best = trial.f;
    status = gofh_study_trial(study, number, &trial);
    if (status != GOFH_OK) return status;
    printf("%4lld  %-9s", (long long)number, trial.origin);
    for (int i = 0; i < PARAMETERS; i++) number_print(stdout, "  %10.6f", trial.x[i]);
    number_print(stdout, "  %12.4e  %12.4e\n", trial.f, best);
    fflush(stdout); /* a line as soon as there is one, into a pipe too */
    return GOFH_OK;
}

/* Asks, simulates and tells until the study has had enough. Returns why it stopped. */
static gofh_status evaluate_all(gofh_study *study)
{
    printf("%4s  %-9s", "", "origin");
    for (int i = 0; i < PARAMETERS; i++) printf("  %10s", CHANNEL[i].name);
    printf("  %12s  %12s\n", "misfit", "best so far");
    for (;;) {
        int64_t trial;
        double x[PARAMETERS], y[OUTPUTS];
        gofh_status status = gofh_study_ask(study, &trial, x);
        if (status != GOFH_OK) return status;
        simulate(x, y);
        status = gofh_study_tell(study, trial, y);
        if (status == GOFH_OK) status = print_evaluation(study, trial);
        if (status != GOFH_OK) return status;
    }
}

static gofh_status print_result(gofh_study *study)
{
    gofh_trial best;
    gofh_status status = gofh_study_best(study, &best);
    if (status != GOFH_OK) return status;
    printf("\n%-9s  %10s  %10s  %14s\n", "parameter", "found", "true", "relative error");
    for (int i = 0; i < PARAMETERS; i++) {
        double truth = CHANNEL[i].truth;
        number_print(stdout, "%-9s  %10.6f  %10.6f  %14.1e\n", CHANNEL[i].name, best.x[i], truth,
                     fabs(best.x[i] - truth) / fabs(truth));
    }
    number_print(stdout, "\nmisfit %.4e at evaluation %lld of %lld\n", best.f, (long long)best.trial,
                 (long long)gofh_study_count(study));
    return GOFH_OK;
}

static int solve(uint64_t seed)
{
    double truth[PARAMETERS], observed[OUTPUTS];
    for (int i = 0; i < PARAMETERS; i++) truth[i] = CHANNEL[i].truth;
    simulate(truth, observed);

    gofh_study *study = create_study(observed, seed);
    if (!study) return EXIT_NO_RESULT;
    gofh_status status = evaluate_all(study);
    gofh_status why = status;
    if (status > 0) status = print_result(study);
    if (why == GOFH_STOP_IMPROVEMENT && !status)
        printf("nothing more is expected: %lld of %d used\n", (long long)gofh_study_count(study), BUDGET);
    if (status < 0) fprintf(stderr, "gofh demo: %s\n", gofh_study_message(study));
    gofh_study_free(study);
    return status < 0 ? EXIT_NO_RESULT : EXIT_DONE;
}

static int read_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

int command_demo(int count, char **arguments)
{
    uint64_t seed = 1;
    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        printf("usage: gofh demo [--seed N]\n\n"
               "Calibrates the paper's environmental model (4 parameters, 12 outputs) with %d\nevaluations "
               "at most.\n",
               BUDGET);
        return EXIT_DONE;
    }
    if (count == 3 && strcmp(arguments[1], "--seed") == 0) {
        if (!read_seed(arguments[2], &seed)) {
            fprintf(stderr, "gofh demo: the seed \"%s\" is not a whole number from 0\n", arguments[2]);
            return EXIT_USAGE;
        }
    } else if (count != 1) {
        fprintf(stderr, "gofh demo: unexpected \"%s\"; usage: gofh demo [--seed N]\n", arguments[1]);
        return EXIT_USAGE;
    }
    return solve(seed);
}
