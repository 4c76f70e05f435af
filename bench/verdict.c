#include "bench/verdict.h"

#include "bench/problems/random.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Regret over that of the design's median with which a best evaluation is right, and the same with
 * noise. */
static const double RIGHT = 1e-6, RIGHT_NOISY = 1e-2;
/* Of the range of a parameter: so near to a bound the optimum is at it. */
static const double AT_BOUND = 1e-3;
/* Of the variation of the outputs: what a model explains that vouches for its best evaluation. */
static const double EXPLAINED = 0.5;
enum { FRESH = 100 };

const char *const BENCH_STATEMENT_NAME[BENCH_STATEMENTS] = {"sure",
                                                            "not sure",
                                                            "as good as it can be",
                                                            "nothing more is expected",
                                                            "may be stuck",
                                                            "explains half or more",
                                                            "explains less than half",
                                                            "parameter at a bound",
                                                            "bound of the optimum told"};

static double unit_of(const bench_parameter *p, double x)
{
    if (p->scale == GOFH_SCALE_LOG) return log(x / p->lower) / log(p->upper / p->lower);
    return (x - p->lower) / (p->upper - p->lower);
}

static double from_unit(const bench_parameter *p, double u)
{
    if (p->scale == GOFH_SCALE_LOG) return p->lower * pow(p->upper / p->lower, u);
    return p->lower + u * (p->upper - p->lower);
}

/* The value of parameter k nearest to x, where it has values. */
static double value_near(const bench_problem *problem, size_t k, double x)
{
    const bench_parameter *p = &problem->parameters[k];
    const bench_values *v = problem->values ? &problem->values[k] : NULL;
    if (!v) return x;
    if (v->choices) return round(x);
    if (v->step > 0.0) return fmin(p->lower + v->step * round((x - p->lower) / v->step), p->upper);
    double nearest = v->list ? v->list[0] : x;
    for (int i = 1; v->list && i < v->count; i++)
        if (fabs(v->list[i] - x) < fabs(nearest - x)) nearest = v->list[i];
    return nearest;
}

/* -1 or 1 where the value is at the lower or the upper bound, else 0. */
static int side_of(const bench_parameter *p, double x)
{
    double u = unit_of(p, x);
    return u <= AT_BOUND ? -1 : u >= 1.0 - AT_BOUND ? 1 : 0;
}

static void judge_bounds(const bench_instance *instance, const int *bound, bench_verdict *v)
{
    for (int k = 0; k < instance->problem->d; k++) {
        int side = side_of(&instance->problem->parameters[k], instance->optimiser[k]);
        v->at_bound += bound[k] != 0;
        v->optimum_there += bound[k] != 0 && bound[k] == side;
        v->optimum_missed += bound[k] == 0 && side != 0;
    }
}

/* The mean over the outputs of the share of their variation over fresh points that the means predict. */
static double share_of(const double *truth, const double *mean, int points, int m)
{
    double sum = 0.0;
    int counted = 0;
    for (int j = 0; j < m; j++) {
        double centre = 0.0, total = 0.0, rest = 0.0;
        for (int i = 0; i < points; i++) centre += truth[i * m + j] / points;
        for (int i = 0; i < points; i++) {
            double y = truth[i * m + j];
            total += (y - centre) * (y - centre);
            rest += (y - mean[i * m + j]) * (y - mean[i * m + j]);
        }
        if (!(total > 0.0) || !isfinite(total)) continue;
        sum += isfinite(rest) ? fmax(1.0 - rest / total, 0.0) : 0.0;
        counted++;
    }
    return counted ? sum / counted : NAN;
}

static gofh_status judge_model(gofh_study *study, const bench_instance *instance, uint64_t seed,
                               int *explains)
{
    const bench_problem *problem = instance->problem;
    size_t d = (size_t)problem->d, m = (size_t)problem->m;
    double *x = malloc(FRESH * (d + 2 * m) * sizeof *x);
    if (!x) return GOFH_ERROR_MEMORY;
    double *truth = x + FRESH * d, *mean = truth + FRESH * m;
    uint64_t key = bench_random_key("verdict", seed, 0), next = 0;
    int points = 0;
    for (int tries = 0; tries < 2 * FRESH && points < FRESH; tries++) {
        double *at = x + (size_t)points * d;
        for (size_t k = 0; k < d; k++)
            at[k] = value_near(problem, k,
                               from_unit(&problem->parameters[k], bench_random_uniform(key, next++)));
        points += problem->h(at, truth + (size_t)points * m, (void *)instance) == 0;
    }
    gofh_status status = points ? gofh_study_predict(study, x, points, mean, NULL, NULL, NULL) : GOFH_OK;
    *explains = !status && points && share_of(truth, mean, points, problem->m) >= EXPLAINED;
    free(x);
    return status;
}

gofh_status bench_judge(gofh_study *study, const bench_instance *instance, double scale, uint64_t seed,
                        bench_verdict *v)
{
    gofh_assessment said;
    gofh_trial best;
    gofh_status status = gofh_study_assess(study, &said);
    if (status) return status == GOFH_ERROR_EMPTY ? GOFH_OK : status;
    *v = (bench_verdict){.sure = said.success,
                         .possible = said.best_possible,
                         .ended = said.ended,
                         .stuck = said.stuck,
                         .explained = said.explained >= EXPLAINED};
    judge_bounds(instance, said.bound, v);
    status = gofh_study_best(study, &best);
    double part = instance->problem->noise > 0.0 ? RIGHT_NOISY : RIGHT;
    if (!status) v->right = bench_regret(instance, best.x) <= part * scale;
    return status ? status : judge_model(study, instance, seed, &v->explains);
}

/* ---- The file ---- */

typedef struct {
    const char *name;
    size_t at;
} field;

static const field FIELDS[BENCH_VERDICT_FIELDS] = {
    {"sure", offsetof(bench_verdict, sure)},
    {"right", offsetof(bench_verdict, right)},
    {"possible", offsetof(bench_verdict, possible)},
    {"ended", offsetof(bench_verdict, ended)},
    {"stuck", offsetof(bench_verdict, stuck)},
    {"explained", offsetof(bench_verdict, explained)},
    {"explains", offsetof(bench_verdict, explains)},
    {"at_bound", offsetof(bench_verdict, at_bound)},
    {"optimum_there", offsetof(bench_verdict, optimum_there)},
    {"optimum_missed", offsetof(bench_verdict, optimum_missed)}};
enum { COUNTS_FROM = 7 }; /* the fields that may be above 1 */

void bench_verdict_header(FILE *file, const char *before)
{
    for (int i = 0; i < BENCH_VERDICT_FIELDS; i++) fprintf(file, ",%s%s", before, FIELDS[i].name);
}

void bench_verdict_write(FILE *file, const bench_verdict *v)
{
    for (int i = 0; i < BENCH_VERDICT_FIELDS; i++)
        fprintf(file, ",%d", *(const int *)(const void *)((const char *)v + FIELDS[i].at));
}

const char *bench_verdict_read(const char *line, bench_verdict *v)
{
    for (int i = 0; i < BENCH_VERDICT_FIELDS; i++) {
        if (line[0] != ',' || line[1] < '0' || line[1] > '9') return NULL;
        char *end;
        long value = strtol(line + 1, &end, 10);
        if (value > (i < COUNTS_FROM ? 1 : BENCH_MAX_PARAMETERS)) return NULL;
        *(int *)(void *)((char *)v + FIELDS[i].at) = (int)value;
        line = end;
    }
    return line;
}

/* ---- The statements ---- */

static void add(bench_statement *s, int made, int right)
{
    s->made += made;
    s->right += right;
}

void bench_statements_add(bench_statement list[BENCH_STATEMENTS], const bench_verdict *v)
{
    add(&list[0], v->sure, v->sure && v->right);
    add(&list[1], !v->sure, !v->sure && !v->right);
    add(&list[2], v->possible, v->possible && v->right);
    add(&list[3], v->ended, v->ended && v->right);
    add(&list[4], v->stuck, v->stuck && !v->right);
    add(&list[5], v->explained, v->explained && v->explains);
    add(&list[6], !v->explained, !v->explained && !v->explains);
    add(&list[7], v->at_bound, v->optimum_there);
    add(&list[8], v->optimum_there + v->optimum_missed, v->optimum_there);
}
