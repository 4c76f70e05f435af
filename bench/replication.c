#include "bench/replication.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time of this thread says the same when the machine has other things to do. */
static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char STARTS[] = "+start", OWNS[] = "+own";

void bench_recorded_method(const bench_replication *replication, char name[BENCH_NAME])
{
    snprintf(name, BENCH_NAME, "%s%s%s", replication->method, replication->own_design ? OWNS : "",
             replication->start ? STARTS : "");
}

int bench_method_starts(const char *recorded)
{
    return strstr(recorded, STARTS) != NULL;
}

int bench_method_owns_design(const char *recorded)
{
    return strstr(recorded, OWNS) != NULL;
}

/* splitmix64 of both numbers: neighbouring seeds and replications have nothing in common. */
uint64_t bench_study_seed(uint64_t seed, int rep)
{
    uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) + (uint64_t)rep * UINT64_C(0x9E3779B97F4A7C15) + 1;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

bench_instance *bench_replication_open(const bench_problem *problem, int rep, int one_draw)
{
    return bench_problem_open(problem, problem->drawn && one_draw ? 0 : rep);
}

int bench_design_size(const bench_problem *problem)
{
    return 2 * (problem->d + 1);
}

int bench_design_rows(const bench_problem *problem)
{
    return problem->start ? bench_design_size(problem) - 1 : 0;
}

double bench_log_regret(const bench_instance *instance, const double *x)
{
    double regret = bench_regret(instance, x);
    return isnan(regret) ? INFINITY : log10(fmax(regret, BENCH_REGRET_MIN));
}

static void add_parameter(gofh_problem *problem, const bench_problem *known, int k)
{
    const bench_parameter *p = &known->parameters[k];
    bench_values values = known->values ? known->values[k] : (bench_values){0};
    if (values.choices)
        gofh_problem_add_choices(problem, p->name, values.choices, values.count, GOFH_ORDER_NONE);
    else if (values.list)
        gofh_problem_add_values(problem, p->name, values.list, values.count, p->scale);
    else if (values.step > 0.0)
        gofh_problem_add_grid(problem, p->name, p->lower, p->upper, values.step, p->scale);
    else
        gofh_problem_add_parameter(problem, p->name, p->lower, p->upper, p->scale);
}

gofh_status bench_study_open(gofh_study **study, const bench_instance *instance, const char *method,
                             uint64_t seed, int budget, int initial, gofh_error *error)
{
    const bench_problem *known = instance->problem;
    gofh_problem *problem = gofh_problem_create();
    if (!problem) return GOFH_ERROR_MEMORY;
    for (int k = 0; k < known->d; k++) add_parameter(problem, known, k);
    gofh_problem_set_outputs(problem, known->m);
    for (int i = 0; i < instance->data_count; i++)
        gofh_problem_set_data(problem, instance->data[i].name, instance->data[i].values,
                              instance->data[i].count);
    if (known->maximise)
        gofh_problem_maximize(problem, known->objective);
    else
        gofh_problem_minimize(problem, known->objective);
    for (int i = 0; known->constraints && known->constraints[i]; i++)
        gofh_problem_add_constraint(problem, known->constraints[i]);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.seed = seed;
    settings.budget = budget;
    settings.initial = initial;
    settings.noise = known->noise > 0.0 ? GOFH_NOISE_ESTIMATED : GOFH_NOISE_NONE;
    gofh_status status = gofh_study_create(study, problem, &settings, error);
    gofh_problem_free(problem);
    return status;
}

gofh_status bench_study_create(gofh_study **study, const bench_instance *instance, const char *method,
                               uint64_t seed, int rep, int budget, gofh_error *error)
{
    return bench_study_open(study, instance, method, bench_study_seed(seed, rep), budget,
                            bench_design_size(instance->problem), error);
}

/* Gives the study the evaluation at the problem's start, which counts as one of the initial
 * design. */
static gofh_status evaluate_start(gofh_study *study, const bench_instance *instance)
{
    double y[BENCH_MAX_OUTPUTS];
    const double *start = instance->problem->start;
    if (bench_observe(instance, start, 1, y) != 0) return GOFH_ERROR_ARGUMENT;
    return gofh_study_import(study, start, y, NULL);
}

/* ---- Only the initial design ---- */

gofh_status bench_design(const bench_instance *instance, uint64_t seed, int rep, int start, double *x,
                         gofh_error *error)
{
    gofh_study *study;
    int size = bench_design_size(instance->problem);
    gofh_status status = bench_study_create(&study, instance, "random", seed, rep, size, error);
    if (status) return status;
    size_t d = (size_t)instance->problem->d;
    if (start) {
        memcpy(x, instance->problem->start, d * sizeof *x);
        status = evaluate_start(study, instance);
    }
    for (int i = start ? 1 : 0; i < size && !status; i++) {
        int64_t trial;
        status = gofh_study_ask(study, &trial, x + (size_t)i * d);
    }
    if (status) bench_fail(error, status, "%s", gofh_study_message(study));
    gofh_study_free(study);
    return status;
}

gofh_status bench_design_regret(const bench_problem *problem, uint64_t seed, int rep, int one_draw, int start,
                                double *log_regret, gofh_error *error)
{
    double x[2 * (BENCH_MAX_PARAMETERS + 1) * BENCH_MAX_PARAMETERS];
    bench_instance *instance = bench_replication_open(problem, rep, one_draw);
    if (!instance) return GOFH_ERROR_MEMORY;
    gofh_status status = bench_design(instance, seed, rep, start, x, error);
    *log_regret = INFINITY;
    for (int i = 0; i < bench_design_size(problem) && !status; i++)
        *log_regret = fmin(*log_regret, bench_log_regret(instance, x + (size_t)i * (size_t)problem->d));
    bench_problem_close(instance);
    return status;
}

/* ---- A replication ---- */

typedef struct {
    const bench_replication *replication;
    bench_instance *instance;
    gofh_study *study;
    double best; /* log10 regret of the best point evaluated; for exact problems */
} progress;

static gofh_status ask(progress *p, int64_t *trial, double *x, double *seconds)
{
    double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    gofh_status status = gofh_study_ask(p->study, trial, x);
    *seconds += seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    return status;
}

static gofh_status evaluate(progress *p, int64_t trial, const double *x)
{
    double y[BENCH_MAX_OUTPUTS];
    if (bench_observe(p->instance, x, trial, y) != 0)
        return gofh_study_fail(p->study, trial, "the problem has no value here");
    gofh_status status = gofh_study_tell(p->study, trial, y);
    if (!status) p->best = fmin(p->best, bench_log_regret(p->instance, x));
    return status;
}

/* With noise nobody knows which point was the best: it is the one the study takes for that. */
static gofh_status observed_regret(progress *p, double *regret)
{
    *regret = p->best;
    if (p->instance->problem->noise == 0.0) return GOFH_OK;
    gofh_trial best;
    gofh_status status = gofh_study_best(p->study, &best);
    if (!status) *regret = bench_log_regret(p->instance, best.x);
    return status == GOFH_ERROR_EMPTY ? GOFH_OK : status;
}

static gofh_status recommended_regret(progress *p, double *regret)
{
    *regret = NAN;
    if (!p->replication->recommend) return GOFH_OK;
    gofh_recommendation recommendation;
    gofh_status status = gofh_study_recommend(p->study, &recommendation);
    if (!status) *regret = bench_log_regret(p->instance, recommendation.x);
    return status == GOFH_ERROR_EMPTY ? GOFH_OK : status;
}

static gofh_status report(progress *p, bench_row *row)
{
    gofh_status status = observed_regret(p, &row->observed);
    return status ? status : recommended_regret(p, &row->recommended);
}

static void name_row(const bench_replication *r, int evaluation, bench_row *row)
{
    *row = (bench_row){.rep = r->rep, .evaluation = evaluation, .recommended = NAN};
    snprintf(row->problem, sizeof row->problem, "%s", r->problem->name);
    bench_recorded_method(r, row->method);
}

/* What is known after each evaluation is asked for when the next suggestion has been made: then the
 * model is fitted already, and its time counts where it belongs, as time spent choosing. An open
 * trial changes no answer. */
static gofh_status run(progress *p, bench_row *rows, const atomic_int *stop)
{
    const bench_problem *problem = p->instance->problem;
    int initial = bench_design_size(problem), evaluations = p->replication->evaluations;
    int before = bench_design_rows(problem), started = p->replication->start;
    gofh_status status = GOFH_OK;
    rows += before; /* rows[0] is that of evaluation 0 */
    for (int e = -before; e <= evaluations; e++) name_row(p->replication, e, &rows[e]);
    if (started) {
        status = evaluate_start(p->study, p->instance);
        p->best = rows[-before].observed = bench_log_regret(p->instance, problem->start);
    }
    for (int i = started; i < initial + evaluations && !status; i++) {
        int64_t trial;
        double x[BENCH_MAX_PARAMETERS];
        int evaluation = i - initial + 1;
        if (evaluation < -before) evaluation = 0; /* of a design without rows of its own */
        if (atomic_load(stop)) return GOFH_STOP_CALLER;
        status = ask(p, &trial, x, &rows[evaluation].seconds);
        if (!status && evaluation > 0) status = report(p, &rows[evaluation - 1]);
        if (!status) status = evaluate(p, trial, x);
        if (evaluation < 0) rows[evaluation].observed = p->best;
    }
    return status ? status : report(p, &rows[evaluations]);
}

/* What is imported does not count. */
static int budget_of(const bench_replication *replication)
{
    return bench_design_size(replication->problem) + replication->evaluations - replication->start;
}

gofh_status bench_replication_run(const bench_replication *replication, bench_row *rows,
                                  const atomic_int *stop, gofh_error *error)
{
    const bench_problem *problem = replication->problem;
    progress p = {.replication = replication, .best = INFINITY};
    p.instance = bench_replication_open(problem, replication->rep, replication->one_draw);
    if (!p.instance) return bench_fail(error, GOFH_ERROR_MEMORY, "%s", gofh_status_text(GOFH_ERROR_MEMORY));
    gofh_status status = bench_study_open(
        &p.study, p.instance, replication->method, bench_study_seed(replication->seed, replication->rep),
        budget_of(replication), replication->own_design ? -1 : bench_design_size(problem), error);
    if (!status) {
        status = run(&p, rows, stop);
        if (status < 0)
            bench_fail(error, status, "%s, %s, replication %d: %s", problem->name, replication->method,
                       replication->rep, gofh_study_message(p.study));
    }
    gofh_study_free(p.study);
    bench_problem_close(p.instance);
    return status;
}

/* ---- How long it will take ---- */

/* A study of the method with `count` uniform random points. */
static gofh_status fill(progress *p, int count, gofh_error *error)
{
    const bench_replication *r = p->replication;
    gofh_study *uniform = NULL;
    gofh_status status = bench_study_create(&uniform, p->instance, "random", r->seed, r->rep, count, error);
    for (int i = 0; i < count && !status; i++) {
        int64_t trial;
        double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS];
        status = gofh_study_ask(uniform, &trial, x);
        if (status || bench_observe(p->instance, x, trial, y) != 0) continue;
        status = gofh_study_tell(uniform, trial, y);
        if (!status) status = gofh_study_import(p->study, x, y, &trial);
    }
    gofh_study_free(uniform);
    return status;
}

/* The second suggestion counts: the first also finds where the hyperparameters are. */
static gofh_status time_suggestion(progress *p, double *seconds)
{
    gofh_status status = GOFH_OK;
    for (int i = 0; i < 2 && !status; i++) {
        int64_t trial;
        double x[BENCH_MAX_PARAMETERS], start = seconds_of(CLOCK_MONOTONIC), asking = 0.0;
        bench_row row;
        status = ask(p, &trial, x, &asking);
        if (!status) status = report(p, &row);
        *seconds = seconds_of(CLOCK_MONOTONIC) - start;
        if (!status) status = evaluate(p, trial, x);
    }
    return status;
}

gofh_status bench_replication_probe(const bench_replication *replication, double *seconds, gofh_error *error)
{
    progress p = {.replication = replication, .best = INFINITY};
    int half_way = bench_design_size(replication->problem) + replication->evaluations / 2;
    double each = 0.0;
    p.instance = bench_replication_open(replication->problem, replication->rep, replication->one_draw);
    if (!p.instance) return GOFH_ERROR_MEMORY;
    gofh_status status = bench_study_create(&p.study, p.instance, replication->method, replication->seed,
                                            replication->rep, 0, error);
    if (!status) status = fill(&p, half_way, error);
    if (!status) status = time_suggestion(&p, &each);
    *seconds = each * replication->evaluations;
    gofh_study_free(p.study);
    bench_problem_close(p.instance);
    return status;
}
