#include "fault/study_scenarios.h"

#include "unit/store/earlier.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { D = 1, M = 2 };

static int h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = sin(4.0 * x[0]);
    y[1] = x[0] * x[0];
    return 0;
}

static int g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
             void *context)
{
    (void)x, (void)dy, (void)dx, (void)context;
    for (int s = 0; s < count; s++) value[s] = (y[2 * s] - 0.4) * (y[2 * s] - 0.4) + y[2 * s + 1];
    return 0;
}

/* A study, and the first failure of a call on it. */
typedef struct {
    gofh_study *study;
    gofh_status first;
} patient;

/* The form of the problem: a function, weights, or expressions with constraints. */
enum { FUNCTION, LINEAR, EXPRESSIONS };

static gofh_status tell_expressions(gofh_problem *problem)
{
    static const double observed[M] = {0.4, 0.0};
    gofh_status status = gofh_problem_set_data(problem, "observed", observed, M);
    if (!status) status = gofh_problem_minimize(problem, "sum((y - observed)^2) + 0.1*x");
    if (!status) status = gofh_problem_add_constraint(problem, "y[0] >= 0.5");
    return status ? status : gofh_problem_add_constraint(problem, "x <= 0.95");
}

static gofh_status make_problem(gofh_problem **problem, int form)
{
    static const double weights[M] = {1.0, 0.5};
    *problem = gofh_problem_create();
    if (!*problem) return GOFH_ERROR_MEMORY;
    gofh_status status = gofh_problem_add_parameter(*problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (!status) status = gofh_problem_set_outputs(*problem, M);
    if (status) return status;
    if (form == EXPRESSIONS) return tell_expressions(*problem);
    return form == LINEAR ? gofh_problem_minimize_linear(*problem, weights, M)
                          : gofh_problem_minimize_function(*problem, g, GOFH_GRADIENT_NONE, NULL);
}

static gofh_settings small_settings(const char *method)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.method = method;
    settings.initial = 3;
    settings.hyper_samples = 2;
    settings.budget = 6;
    /* Needs no nugget, so that nothing goes into the log. */
    settings.kernel = GOFH_KERNEL_MATERN_32;
    return settings;
}

static gofh_status open_study(patient *p, const gofh_settings *settings, int form)
{
    gofh_problem *problem;
    gofh_error error = {.status = GOFH_OK};
    *p = (patient){.study = NULL};
    gofh_status status = make_problem(&problem, form);
    if (!status) status = gofh_study_create(&p->study, problem, settings, &error);
    if (status && p->study) status = GOFH_ERROR_SYSTEM; /* there must be nothing to free */
    gofh_problem_free(problem);
    return status;
}

/* Whether a call is to be made again. */
static int again(patient *p, gofh_status status)
{
    if (status != GOFH_ERROR_MEMORY || p->first) return 0;
    p->first = status;
    return strcmp(gofh_study_message(p->study), gofh_status_text(GOFH_ERROR_MEMORY)) == 0;
}

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        gofh_status tried = (call);                                                                          \
        if (again(p, tried)) tried = (call);                                                                 \
        if (tried) return tried;                                                                             \
    } while (0)

static gofh_status ask_and_tell(patient *p)
{
    int64_t id;
    double x, y[M];
    TRY(gofh_study_ask(p->study, &id, &x));
    h(&x, y, NULL);
    TRY(gofh_study_tell(p->study, id, y));
    return GOFH_OK;
}

static gofh_status look(patient *p)
{
    gofh_trial best;
    gofh_recommendation recommended;
    gofh_assessment assessed;
    const double at = 0.3;
    double f, deviation, feasible;
    gofh_comparison compared[M];
    int comparisons;
    TRY(gofh_study_best(p->study, &best));
    TRY(gofh_study_predict(p->study, &at, 1, NULL, NULL, &f, &deviation));
    TRY(gofh_study_predict_objective(p->study, &at, 1, &f, &deviation, &feasible));
    const double level = 0.9;
    TRY(gofh_study_predict_quantiles(p->study, &at, 1, &level, 1, &f, NULL));
    TRY(gofh_study_comparisons(p->study, compared, M, &comparisons));
    TRY(gofh_study_acquisition(p->study, &at, 1, &f));
    TRY(gofh_study_recommend(p->study, &recommended));
    TRY(gofh_study_assess(p->study, &assessed));
    return GOFH_OK;
}

/* A design with one point imported, one a start and one failed, and two suggestions, one of them
 * with a trial open. */
static gofh_status live(patient *p, double *last)
{
    const double imported = 0.9;
    double x, y[M];
    int64_t id;
    h(&imported, y, NULL);
    const double starts[2] = {0.2, imported};
    TRY(gofh_study_import(p->study, &imported, y, &id));
    TRY(gofh_study_enqueue_missing(p->study, starts, 2));
    gofh_status status = ask_and_tell(p);
    if (status) return status;
    TRY(gofh_study_ask(p->study, &id, &x));
    TRY(gofh_study_fail(p->study, id, "diverged"));
    TRY(gofh_study_replace(p->study, 1, NULL, NULL, "mistaken"));
    TRY(gofh_study_replace(p->study, 1, y, NULL, NULL));
    TRY(gofh_study_ask(p->study, &id, &x));
    TRY(gofh_study_ask(p->study, &id, last));
    h(last, y, NULL);
    TRY(gofh_study_tell(p->study, id, y));
    status = look(p);
    /* That success is modelled is in the log, whose lines are dropped when there is no memory for
     * them. */
    if (!status && !gofh_study_log(p->study, 0)) p->first = GOFH_ERROR_MEMORY;
    return status;
}

/* Runs `steps` on a study; what it ends with must be what it ended with the first time, when no
 * allocation failed. */
static gofh_status run(const gofh_settings *settings, int form,
                       gofh_status (*steps)(patient *p, double *last), double *reference)
{
    patient p;
    double last = -1.0;
    gofh_status status = open_study(&p, settings, form);
    if (!status) status = steps(&p, &last);
    gofh_study_free(p.study);
    if (status) return status;
    if (*reference < 0.0) *reference = last;
    return *reference == last ? p.first : GOFH_ERROR_SYSTEM;
}

gofh_status fault_study_ei_cf(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("ei-cf");
    return run(&settings, FUNCTION, live, &reference);
}

gofh_status fault_study_pi_cf(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("pi-cf");
    settings.design = GOFH_DESIGN_SOBOL;
    return run(&settings, FUNCTION, live, &reference);
}

gofh_status fault_study_noisy_ei(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("ei");
    settings.noise = GOFH_NOISE_ESTIMATED;
    return run(&settings, LINEAR, live, &reference);
}

gofh_status fault_study_constrained(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("gofh");
    return run(&settings, EXPRESSIONS, live, &reference);
}

static gofh_status live_fixed(patient *p, double *last)
{
    const double length = 0.4;
    gofh_hyperparameters values = {.lengthscale = &length, .variance = 1.0, .mean = NAN};
    for (int j = 0; j < M; j++) TRY(gofh_study_set_hyperparameters(p->study, j, &values));
    gofh_status status = live(p, last);
    if (status) return status;
    TRY(gofh_study_hyperparameters(p->study, 0, 1, &values));
    return GOFH_OK;
}

gofh_status fault_study_fixed(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("ei-cf");
    settings.hyper = GOFH_HYPER_FIXED;
    return run(&settings, LINEAR, live_fixed, &reference);
}

/* Values, choices, a fixed parameter and known constraints. */
static gofh_status tell_mixed(gofh_problem *problem)
{
    static const char *const words[] = {"steel", "oak", "brass", "lead"};
    static const double values[] = {1.0, 2.0, 4.0};
    gofh_status status = gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (!status) status = gofh_problem_add_integer(problem, "n", 1, 4, GOFH_SCALE_LINEAR);
    if (!status) status = gofh_problem_add_values(problem, "v", values, 3, GOFH_SCALE_LINEAR);
    if (!status) status = gofh_problem_add_choices(problem, "m", words, 4, GOFH_ORDER_NONE);
    if (!status) status = gofh_problem_fix(problem, "c", 7.0);
    if (!status) status = gofh_problem_add_constraint(problem, "a + n <= 3.5");
    if (!status) status = gofh_problem_add_constraint(problem, "max(y) <= 9");
    if (!status) status = gofh_problem_set_outputs(problem, M);
    return status ? status : gofh_problem_minimize(problem, "sum(y^2)");
}

gofh_status fault_study_mixed(void)
{
    gofh_settings settings = small_settings("gofh");
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study = NULL;
    gofh_problem *problem = gofh_problem_create();
    if (!problem) return GOFH_ERROR_MEMORY;
    gofh_status status = tell_mixed(problem);
    double share, x[5], y[M];
    int equalities;
    int64_t id;
    if (!status) status = gofh_problem_share(problem, &share, &equalities, &error);
    if (!status) status = gofh_study_create(&study, problem, &settings, &error);
    for (int i = 0; i < 5 && !status; i++) {
        status = gofh_study_ask(study, &id, x);
        y[0] = x[0] + x[1] - 2.0;
        y[1] = x[2] + 0.1 * x[3] - 1.5;
        if (!status) status = gofh_study_tell(study, id, y);
    }
    gofh_study_free(study);
    gofh_problem_free(problem);
    return status;
}

static gofh_status optimise(patient *p, double *last)
{
    gofh_status status = gofh_optimize(p->study, h, NULL);
    if (again(p, status)) status = gofh_optimize(p->study, h, NULL);
    if (status != GOFH_STOP_BUDGET) return status;
    gofh_trial trial;
    TRY(gofh_study_trial(p->study, gofh_study_count(p->study), &trial));
    *last = trial.x[0];
    return GOFH_OK;
}

gofh_status fault_optimize(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("ei-cf");
    settings.hyper = GOFH_HYPER_MAP;
    return run(&settings, LINEAR, optimise, &reference);
}

/* A line of the log that finds no memory is dropped, and nothing else. */
static gofh_status repeat(patient *p, double *last)
{
    const double x = 0.25;
    double y[M];
    for (int i = 0; i < 2; i++) {
        h(&x, y, NULL);
        TRY(gofh_study_import(p->study, &x, y, NULL));
    }
    const double list[2] = {0.5, 0.75};
    double outputs[2 * M];
    for (int i = 0; i < 2; i++) h(&list[i], outputs + i * M, NULL);
    const double variance[M] = {0.1, NAN};
    const gofh_evaluation rows[3] = {{.x = &list[0], .y = outputs, .variance = variance},
                                     {.x = &list[1], .y = outputs + M},
                                     {.x = &list[1], .reason = "it boiled"}};
    TRY(gofh_study_import_all(p->study, rows, 3, NULL));
    if (!gofh_study_log(p->study, 0)) p->first = GOFH_ERROR_MEMORY;
    *last = (double)gofh_study_count(p->study);
    return GOFH_OK;
}

gofh_status fault_log(void)
{
    static double reference = -1.0;
    gofh_settings settings = small_settings("ei-cf");
    return run(&settings, LINEAR, repeat, &reference);
}

static gofh_settings stored_settings(void)
{
    gofh_settings settings = small_settings("ei-cf");
    settings.hyper = GOFH_HYPER_MAP;
    settings.initial = 2;
    return settings;
}

/* One step of a study in a file, which is closed afterwards. */
static gofh_status stored_step(const char *path, const gofh_problem *problem, double *last)
{
    patient one = {.study = NULL}, *p = &one;
    gofh_settings settings = stored_settings();
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_open(&p->study, path, GOFH_OPEN_WRITE, problem, &settings, &error);
    if (status) return status;
    int64_t id;
    double x = NAN, y[M];
    const double starts[2] = {0.2, NAN};
    status = gofh_study_enqueue_missing(p->study, starts, 2);
    if (again(p, status)) status = gofh_study_enqueue_missing(p->study, starts, 2);
    if (!status) status = gofh_study_ask(p->study, &id, &x);
    if (again(p, status)) status = gofh_study_ask(p->study, &id, &x);
    h(&x, y, NULL);
    if (!status) status = gofh_study_set_note(p->study, id, "job", "1");
    if (again(p, status)) status = gofh_study_set_note(p->study, id, "job", "1");
    if (!status) status = gofh_study_tell(p->study, id, y);
    if (again(p, status)) status = gofh_study_tell(p->study, id, y);
    *last = x;
    gofh_study_free(p->study);
    return status ? status : p->first;
}

static gofh_status saved(const gofh_problem *problem, const char *path)
{
    gofh_study *study;
    gofh_settings settings = stored_settings(); /* others would be noted in the log */
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_open(&study, path, GOFH_OPEN_READ, problem, &settings, &error);
    if (status) return status;
    char copy[72];
    snprintf(copy, sizeof copy, "%s.copy", path);
    unlink(copy);
    status = gofh_study_save(study, copy);
    gofh_study_free(study);
    unlink(copy);
    strcat(copy, ".lock");
    unlink(copy);
    return status;
}

/* A study reopened for each of its steps: whatever allocation fails, the file stays sound. */
gofh_status fault_stored(void)
{
    static double reference = -1.0;
    char path[48];
    /* In memory where that is possible: there are thousands of commits. */
    snprintf(path, sizeof path, "%s/gofh-fault-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    unlink(path);
    gofh_problem *problem;
    gofh_status status = make_problem(&problem, EXPRESSIONS), first = GOFH_OK;
    double x = NAN;
    for (int i = 0; i < 3 && !status; i++) {
        status = stored_step(path, problem, &x);
        if (status != GOFH_ERROR_MEMORY || first) continue;
        first = status; /* the next one goes on */
        status = GOFH_OK;
    }
    if (!status && !first) status = saved(problem, path);
    gofh_problem_free(problem);
    if (!status && !first) {
        if (reference == -1.0) reference = x;
        if (x != reference) status = GOFH_ERROR_SYSTEM;
    }
    unlink(path);
    strcat(path, ".lock");
    unlink(path);
    return status ? status : first;
}

/* A file of version 2 that is taken over: whatever allocation fails, it stays the old or is the
 * new. */
gofh_status fault_upgraded(void)
{
    char path[48];
    snprintf(path, sizeof path, "%s/gofh-fault-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    unlink(path);
    gofh_problem *problem;
    gofh_status status = make_problem(&problem, FUNCTION), first = GOFH_OK;
    double x = NAN;
    if (!status) first = stored_step(path, problem, &x);
    if (!status && !first) {
        earlier_make(path);
        first = stored_step(path, problem, &x);
        if (first == GOFH_ERROR_MEMORY) status = stored_step(path, problem, &x);
    }
    gofh_problem_free(problem);
    unlink(path);
    strcat(path, ".lock");
    unlink(path);
    return status ? status : first;
}

/* As it was, all of it. */
static int keep_outputs(const gofh_trial *past, const char *note, double *y, const char **reason,
                        void *context)
{
    (void)note, (void)y, (void)context;
    *reason = "";
    return past->y ? GOFH_TRIAL_DONE : GOFH_TRIAL_FAILED;
}

static gofh_status forget_one(const char *path, const gofh_problem *problem)
{
    patient one = {.study = NULL}, *p = &one;
    gofh_settings settings = stored_settings();
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_open(&p->study, path, GOFH_OPEN_WRITE, problem, &settings, &error);
    if (status) return status;
    status = gofh_study_forget(p->study, 1, 1);
    if (again(p, status)) status = gofh_study_forget(p->study, 1, 1);
    gofh_study_free(p->study);
    return status ? status : p->first;
}

/* A trial is forgotten, and outputs are read again: whatever allocation fails, the same call can be
 * made again. */
gofh_status fault_reread(void)
{
    char path[48], other[72];
    snprintf(path, sizeof path, "%s/gofh-fault-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    unlink(path);
    gofh_problem *problem;
    gofh_settings settings = stored_settings();
    gofh_status status = make_problem(&problem, EXPRESSIONS), first = GOFH_OK;
    double x = NAN;
    for (int i = 0; i < 2 && !status && !first; i++) first = stored_step(path, problem, &x);
    if (!status && !first) first = forget_one(path, problem);
    for (int i = 0; i < 2 && !status; i++) {
        gofh_status read = gofh_study_reread(path, problem, &settings, "job", keep_outputs, NULL, NULL);
        if (read == GOFH_ERROR_MEMORY && !first)
            first = read; /* the next one goes on */
        else if (!first || read != GOFH_ERROR_EMPTY)
            status = read;
    }
    gofh_problem_free(problem);
    unlink(path);
    snprintf(other, sizeof other, "%s.before-reread", path);
    unlink(other);
    strcat(other, ".1");
    unlink(other);
    strcat(path, ".lock");
    unlink(path);
    return status ? status : first;
}

gofh_status fault_study_missing(void)
{
    gofh_problem *problem;
    gofh_study *study = NULL;
    gofh_settings settings = small_settings("gofh");
    gofh_status status = make_problem(&problem, LINEAR);
    if (!status) status = gofh_problem_allow_missing(problem, 1);
    if (!status) status = gofh_study_create(&study, problem, &settings, NULL);
    gofh_problem_free(problem);
    for (int i = 0; i < 6 && !status; i++) {
        double x = 0.15 * i, y[M];
        h(&x, y, NULL);
        if (i % 3 == 1) y[1] = NAN;
        status = gofh_study_import(study, &x, y, NULL);
    }
    double x, mean[6 * M], variance[6 * M];
    int64_t id;
    if (!status) status = gofh_study_leave_one_out(study, mean, variance);
    if (!status) status = gofh_study_ask(study, &id, &x);
    gofh_study_free(study);
    return status;
}

/* So many outputs that the study is reduced. */
enum { MANY = 501 };

static void find_many(double x, double *y)
{
    for (int j = 0; j < MANY; j++) y[j] = sin(2.0 * x + 0.01 * j);
}

static gofh_status live_with_many(patient *p)
{
    double x, y[MANY], mean[MANY], left[3 * MANY], left_variance[3 * MANY], lengthscale;
    int64_t id;
    gofh_hyperparameters values = {.lengthscale = &lengthscale};
    for (int i = 0; i < 3; i++) {
        x = 0.1 + 0.4 * i;
        find_many(x, y);
        TRY(gofh_study_import(p->study, &x, y, NULL));
    }
    TRY(gofh_study_ask(p->study, &id, &x));
    TRY(gofh_study_leave_one_out(p->study, left, left_variance));
    TRY(gofh_study_predict(p->study, &x, 1, mean, NULL, NULL, NULL));
    TRY(gofh_study_hyperparameters(p->study, 0, MANY - 1, &values));
    find_many(x, y);
    TRY(gofh_study_tell(p->study, id, y));
    return GOFH_OK;
}

gofh_status fault_study_many(void)
{
    patient p = {.study = NULL};
    gofh_error error = {.status = GOFH_OK};
    gofh_settings settings = small_settings("gofh");
    gofh_problem *problem = gofh_problem_create();
    if (!problem) return GOFH_ERROR_MEMORY;
    gofh_status status = gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (!status) status = gofh_problem_set_outputs(problem, MANY);
    if (!status) status = gofh_problem_minimize(problem, "sum((y - 0.4)^2)");
    if (!status) status = gofh_study_create(&p.study, problem, &settings, &error);
    gofh_problem_free(problem);
    if (!status) status = live_with_many(&p);
    gofh_study_free(p.study);
    return status ? status : p.first;
}
