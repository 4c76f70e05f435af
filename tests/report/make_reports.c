/* Reports of real studies, for a browser to look at: make_reports FOLDER [large]. */
#include "bench/problems.h"
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "make_reports: %s: %s\n", what, why);
    exit(1);
}

static gofh_study *make_study(gofh_problem *problem, int budget, gofh_hyper hyper)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = budget;
    settings.hyper = hyper;
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    if (gofh_study_create(&study, problem, &settings, &error)) stop("study", error.message);
    gofh_problem_free(problem);
    return study;
}

static void write_report(const char *folder, const char *name, const report_input *input)
{
    char path[512];
    gofh_error error = {.status = GOFH_OK};
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || report_html(file, input, &error) || fclose(file)) stop(path, error.message);
}

/* The paper's calibration: 12 concentrations, 4 parameters. */
static void environment(const char *folder, int budget, const char *name)
{
    bench_instance *instance = bench_problem_open(bench_problem_find("environment"), 0);
    if (!instance) stop("environment", "can't be opened");
    const bench_problem *p = instance->problem;
    gofh_problem *problem = gofh_problem_create();
    report_parameter parameters[BENCH_MAX_PARAMETERS];
    for (int k = 0; k < p->d; k++) {
        const bench_parameter *q = &p->parameters[k];
        parameters[k] = (report_parameter){q->name, q->lower, q->upper, q->scale, 0, NULL, NULL};
        gofh_problem_add_parameter(problem, q->name, q->lower, q->upper, q->scale);
    }
    const report_output output = {"c", p->m};
    gofh_problem_add_output(problem, "c", p->m);
    gofh_problem_set_data(problem, "observed", instance->observed, p->m);
    const double sigma = 0.2;
    gofh_problem_set_sigma(problem, "observed", &sigma, 1);
    gofh_problem_fit(problem, "c", "observed", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = make_study(problem, budget, GOFH_HYPER_MAP); /* without a budget nothing is run */
    if (budget && gofh_optimize(study, p->h, instance) < 0) stop(name, gofh_study_message(study));
    const report_input input = {.study = study,
                                .title = "Calibration of a polluted channel",
                                .made = "16 November 2026, 12:00",
                                .parameters = parameters,
                                .parameter_count = p->d,
                                .outputs = &output,
                                .output_count = 1,
                                .objective = "sum(((c - observed)/0.2)^2)",
                                .sense = GOFH_MINIMIZE,
                                .budget = budget};
    write_report(folder, name, &input);
    gofh_study_free(study);
    bench_problem_close(instance);
}

/* Fails on a third of its domain; a constraint; names and reasons that try to get out of their place. */
static void troubled(const char *folder)
{
    static const char *const constraint = "stress <= 1.2";
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "thickness", 0.001, 1.0, GOFH_SCALE_LOG);
    gofh_problem_add_parameter(problem, "angle", -2.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "stress", 1);
    gofh_problem_add_output(problem, "mass", 1);
    gofh_problem_add_output(problem, "constant", 1);
    gofh_problem_maximize(problem, "-mass - 0.1*angle^2");
    gofh_problem_add_constraint(problem, constraint);
    gofh_study *study = make_study(problem, 24, GOFH_HYPER_MAP);
    int64_t trial;
    double x[2];
    while (gofh_study_ask(study, &trial, x) == GOFH_OK) {
        double u = log10(x[0]) / 3.0 + 1.0,
               y[3] = {2.0 - 1.5 * u + 0.3 * sin(2.0 * x[1]), u * u + 0.1 * x[1], 7.0};
        gofh_status status = x[1] > 0.05
                                 ? gofh_study_fail(study, trial,
                                                   "exit code 3: <script>alert(\"no\")</script> & 'quoted' "
                                                   "mesh generation failed near the weld")
                                 : gofh_study_tell(study, trial, y);
        if (status) stop("troubled", gofh_study_message(study));
    }
    const report_parameter parameters[2] = {
        {"thickness<b onmouseover=alert(1)>", 0.001, 1.0, GOFH_SCALE_LOG, 0, NULL, NULL},
        {"angle\"><script>alert(2)</script>", -2.0, 2.0, GOFH_SCALE_LINEAR, 0, NULL, NULL}};
    const report_output outputs[3] = {
        {"stress", 1}, {"</title><img src=x onerror=alert(3)>", 1}, {"constant", 1}};
    const report_input input = {.study = study,
                                .title = "A bracket </title><script>alert(4)</script>",
                                .made = "16 November 2026, 12:00",
                                .parameters = parameters,
                                .parameter_count = 2,
                                .outputs = outputs,
                                .output_count = 3,
                                .objective = "-mass - 0.1*angle^2",
                                .sense = GOFH_MAXIMIZE,
                                .constraints = &constraint,
                                .constraint_count = 1,
                                .budget = 24};
    write_report(folder, "troubled", &input);
    gofh_study_free(study);
}

/* Two measured outputs with standard deviations, which come before the data, a third output over
 * decades, and a constraint. */
enum { TIMES = 12 };

static int oscillate(const double *x, double *y, void *context)
{
    (void)context;
    double pulse = sqrt(x[0]) * 1e-3;
    for (int i = 0; i < TIMES; i++) {
        double t = 0.3 * i, decay = x[2] * exp(-x[1] * t);
        y[i] = decay * cos(pulse * t);
        y[TIMES + i] = -decay * (x[1] * cos(pulse * t) + pulse * sin(pulse * t));
    }
    y[2 * TIMES] = 0.5 * x[0] * x[2] * x[2] * exp(10.0 * x[1]);
    return 0;
}

static void weighted(const char *folder)
{
    static const char *const objective = "sum(((x - position) / sx)^2) + sum(((v - speed) / sv)^2)",
                             *const constraint = "heat <= 5e8";
    static const report_parameter parameters[3] = {{"stiffness", 1e6, 2e7, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                                   {"damping", 0.01, 1.0, GOFH_SCALE_LOG, 0, NULL, NULL},
                                                   {"start", 0.5, 3.0, GOFH_SCALE_LINEAR, 0, NULL, NULL}};
    static const report_output outputs[3] = {{"x", TIMES}, {"v", TIMES}, {"heat", 1}};
    static const double truth[3] = {7.3e6, 0.31, 1.4};
    double measured[2 * TIMES + 1], deviation[2 * TIMES];
    oscillate(truth, measured, NULL);
    for (int i = 0; i < 2 * TIMES; i++) {
        deviation[i] = i < TIMES ? 0.06 : 0.2 + 0.02 * (i - TIMES);
        measured[i] += deviation[i] * sin(12.9898 * (i + 1)); /* no better than that */
    }
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < 3; k++)
        gofh_problem_add_parameter(problem, parameters[k].name, parameters[k].lower, parameters[k].upper,
                                   parameters[k].scale);
    for (int i = 0; i < 3; i++) gofh_problem_add_output(problem, outputs[i].name, outputs[i].size);
    gofh_problem_set_data(problem, "sx", deviation, TIMES);
    gofh_problem_set_data(problem, "sv", deviation + TIMES, TIMES);
    gofh_problem_set_data(problem, "position", measured, TIMES);
    gofh_problem_set_data(problem, "speed", measured + TIMES, TIMES);
    gofh_problem_minimize(problem, objective);
    gofh_problem_add_constraint(problem, constraint);
    gofh_study *study = make_study(problem, 30, GOFH_HYPER_MAP);
    if (gofh_optimize(study, oscillate, NULL) < 0) stop("weighted", gofh_study_message(study));
    const report_input input = {.study = study,
                                .title = "An oscillator",
                                .made = "16 November 2026, 12:00",
                                .parameters = parameters,
                                .parameter_count = 3,
                                .outputs = outputs,
                                .output_count = 3,
                                .objective = objective,
                                .sense = GOFH_MINIMIZE,
                                .constraints = &constraint,
                                .constraint_count = 1,
                                .budget = 30};
    write_report(folder, "weighted", &input);
    gofh_study_free(study);
}

/* As large as reports get: 20 parameters, 100 outputs, 500 trials. Fixed hyperparameters: the time is
 * the report's. */
static void large(const char *folder)
{
    enum { D = 20, M = 100, TRIALS = 500 };
    static char names[D][16];
    report_parameter parameters[D];
    static double observed[M];
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < D; k++) {
        snprintf(names[k], sizeof names[k], "p%d", k + 1);
        parameters[k] = (report_parameter){names[k], 0.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL};
        gofh_problem_add_parameter(problem, names[k], 0.0, 1.0, GOFH_SCALE_LINEAR);
    }
    gofh_problem_add_output(problem, "c", M);
    gofh_problem_set_data(problem, "observed", observed, M);
    gofh_problem_minimize(problem, "sum((c - observed)^2)");
    gofh_study *study = make_study(problem, 10, GOFH_HYPER_FIXED);
    double length[D];
    for (int k = 0; k < D; k++) length[k] = 1.5;
    for (int j = 0; j < M; j++) {
        const gofh_hyperparameters hyper = {.lengthscale = length, .variance = 1.0, .mean = NAN};
        if (gofh_study_set_hyperparameters(study, j, &hyper)) stop("large", gofh_study_message(study));
    }
    unsigned state = 1;
    for (int i = 0; i < TRIALS; i++) {
        double x[D], y[M];
        for (int k = 0; k < D; k++) {
            state = state * 1664525u + 1013904223u;
            x[k] = (state >> 8) / 16777216.0;
        }
        for (int j = 0; j < M; j++) y[j] = sin(0.05 * j * x[0] + x[1 + j % (D - 1)]) - x[j % D];
        if (gofh_study_import(study, x, y, NULL)) stop("large", gofh_study_message(study));
    }
    const report_output output = {"c", M};
    const report_input input = {.study = study,
                                .title = "Large",
                                .parameters = parameters,
                                .parameter_count = D,
                                .outputs = &output,
                                .output_count = 1,
                                .objective = "sum((c - observed)^2)",
                                .sense = GOFH_MINIMIZE};
    write_report(folder, "large", &input);
    gofh_study_free(study);
}

int main(int count, char **arguments)
{
    if (count < 2) stop("usage", "make_reports FOLDER [large]");
    environment(arguments[1], 40, "environment");
    environment(arguments[1], 0, "empty");
    troubled(arguments[1]);
    weighted(arguments[1]);
    if (count > 2 && strcmp(arguments[2], "large") == 0) large(arguments[1]);
    return 0;
}
