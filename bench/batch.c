#include "bench/batch.h"

#include "base/number.h"
#include "base/random.h"
#include "bench/median.h"
#include "bench/replication.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The regret of a solved problem. */
static const double SOLVED = 1e-8;
/* Spread of the logarithm of run times. */
static const double SPREAD = 1.0;
enum { AT_ONCE_MAX = 256, LINE = 256 };

static const char HEADER[] =
    "problem,method,mode,at_once,rep,evaluations,solved,rounds,log10_regret,closest,seconds\n";
static const char *const MODES[] = {"rounds", "free"}; /* waits for all of a batch; for nobody */

/* A replication. */
typedef struct {
    char problem[BENCH_NAME], method[BENCH_NAME], mode[BENCH_NAME];
    int at_once, rep;
    int evaluations;   /* that were made */
    int solved;        /* of them, until it was solved; 0: it was not */
    double rounds;     /* until then, or in all */
    double log_regret; /* of the best point, in the end */
    double closest;    /* the least distance of two points that were open at once, in the unit cube */
    double seconds;    /* of processor time, the longest that filling all free places took */
} outcome;

/* An open trial. */
typedef struct {
    int64_t trial;
    double x[BENCH_MAX_PARAMETERS], end;
} place;

typedef struct {
    bench_instance *instance;
    gofh_study *study;
    outcome *o;
    uint64_t seed;
    int asked, budget, open;
    double now;
    place places[AT_ONCE_MAX];
} running;

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double unit_of(const bench_parameter *p, double x)
{
    if (p->scale == GOFH_SCALE_LOG) return log(x / p->lower) / log(p->upper / p->lower);
    return (x - p->lower) / (p->upper - p->lower);
}

/* The largest distance along a coordinate. */
static double distance(const bench_problem *problem, const double *a, const double *b)
{
    double reach = 0.0;
    for (int k = 0; k < problem->d; k++)
        reach = fmax(reach,
                     fabs(unit_of(&problem->parameters[k], a[k]) - unit_of(&problem->parameters[k], b[k])));
    return reach;
}

/* In units of the mean; 1 where all wait for each other. */
static double run_time(const running *r, int64_t trial)
{
    if (strcmp(r->o->mode, MODES[0]) == 0) return 1.0;
    random_stream stream = random_open(r->seed, RANDOM_TEST, (uint64_t)trial, 0);
    return exp(SPREAD * random_normal(&stream) - 0.5 * SPREAD * SPREAD);
}

/* Takes all free places, as far as the budget goes. */
static gofh_status fill(running *r)
{
    double start = thread_seconds();
    while (r->open < r->o->at_once && r->asked < r->budget) {
        place *p = &r->places[r->open];
        gofh_status status = gofh_study_ask(r->study, &p->trial, p->x);
        if (status) return status;
        p->end = r->now + run_time(r, p->trial);
        for (int i = 0; i < r->open; i++)
            r->o->closest = fmin(r->o->closest, distance(r->instance->problem, r->places[i].x, p->x));
        r->open++;
        r->asked++;
    }
    r->o->seconds = fmax(r->o->seconds, thread_seconds() - start);
    return GOFH_OK;
}

/* The first run to end is told. */
static gofh_status finish(running *r)
{
    int first = 0;
    for (int i = 1; i < r->open; i++)
        if (r->places[i].end < r->places[first].end) first = i;
    place p = r->places[first];
    memmove(r->places + first, r->places + first + 1, (size_t)(--r->open - first) * sizeof p);
    r->now = p.end;
    double y[BENCH_MAX_OUTPUTS];
    if (bench_observe(r->instance, p.x, p.trial, y) != 0)
        return gofh_study_fail(r->study, p.trial, "the problem has no value here");
    double regret = bench_log_regret(r->instance, p.x);
    outcome *o = r->o;
    o->evaluations++;
    o->log_regret = fmin(o->log_regret, regret);
    if (!o->solved && o->log_regret <= log10(SOLVED)) o->solved = o->evaluations;
    return gofh_study_tell(r->study, p.trial, y);
}

static gofh_status follow(running *r, const atomic_int *stop)
{
    int waits = strcmp(r->o->mode, MODES[0]) == 0;
    gofh_status status = GOFH_OK;
    while (!status && !r->o->solved) {
        if (atomic_load(stop)) return GOFH_STOP_CALLER;
        status = fill(r);
        if (r->open == 0) break;
        do {
            if (!status) status = finish(r);
        } while (!status && waits && r->open > 0);
    }
    r->o->rounds = r->now;
    return status;
}

/* More at once may take more evaluations, but not more rounds. */
static int budget_of(const bench_plan *plan, int at_once)
{
    return (int)(plan->evaluations * sqrt(at_once));
}

static gofh_status replicate(const bench_plan *plan, const bench_problem *problem, outcome *o,
                             const atomic_int *stop, gofh_error *error)
{
    running *r = calloc(1, sizeof *r);
    if (!r) return GOFH_ERROR_MEMORY;
    r->o = o;
    r->seed = bench_study_seed(plan->seed, o->rep);
    r->budget = budget_of(plan, o->at_once);
    r->instance = bench_replication_open(problem, o->rep, plan->one_draw);
    gofh_status status = r->instance
                             ? bench_study_open(&r->study, r->instance, o->method, r->seed, 0, -1, error)
                             : GOFH_ERROR_MEMORY;
    if (!status) status = follow(r, stop);
    if (status < 0)
        bench_fail(error, status, "%s, %s, replication %d: %s", o->problem, o->method, o->rep,
                   gofh_study_message(r->study));
    gofh_study_free(r->study);
    if (r->instance) bench_problem_close(r->instance);
    free(r);
    return status;
}

/* ---- The file and the table ---- */

/* The text up to the next comma or the end of the line, which is a 0 from then on; NULL: there is none. */
static char *take_field(char **rest)
{
    char *field = *rest;
    if (!field) return NULL;
    size_t length = strcspn(field, ",\n");
    *rest = field[length] == ',' ? field + length + 1 : NULL;
    field[length] = '\0';
    return field;
}

/* Whether the line, which it cuts up, is one of a replication. */
static int read_line(char *line, outcome *o)
{
    char *const names[] = {o->problem, o->method, o->mode};
    int *const counts[] = {&o->at_once, &o->rep, &o->evaluations, &o->solved};
    double *const values[] = {&o->rounds, &o->log_regret, &o->closest, &o->seconds};
    char *field, *end;
    *o = (outcome){.rep = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(field = take_field(&line)) || strlen(field) >= BENCH_NAME) return 0;
        memcpy(names[i], field, strlen(field) + 1);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!(field = take_field(&line)) || field[0] < '0' || field[0] > '9') return 0;
        *counts[i] = (int)strtol(field, &end, 10);
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!(field = take_field(&line))) return 0;
        *values[i] = number_scan(field, &end);
        if (end == field || *end) return 0;
    }
    return !line;
}

static int same_run(const outcome *a, const outcome *b)
{
    return a->at_once == b->at_once && strcmp(a->problem, b->problem) == 0 &&
           strcmp(a->method, b->method) == 0 && strcmp(a->mode, b->mode) == 0;
}

static int has(FILE *file, const outcome *wanted)
{
    char line[LINE];
    outcome o;
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (read_line(line, &o) && o.rep == wanted->rep && same_run(&o, wanted)) return 1;
    return 0;
}

/* Medians of one problem, method, mode and number at once; infinite where most are not solved. */
typedef struct {
    int runs, solved;
    double evaluations, rounds, log_regret, closest, seconds;
} medians;

static medians medians_of(const outcome *list, int count, const outcome *like, double *room)
{
    medians result = {.closest = INFINITY};
    double *evaluations = room, *rounds = room + count, *regret = room + 2 * count;
    for (int i = 0; i < count; i++) {
        const outcome *o = &list[i];
        if (!same_run(o, like)) continue;
        int at = result.runs++;
        result.solved += o->solved > 0;
        evaluations[at] = o->solved ? (double)o->solved : INFINITY;
        rounds[at] = o->solved ? o->rounds : INFINITY;
        regret[at] = o->log_regret;
        result.closest = fmin(result.closest, o->closest);
        result.seconds = fmax(result.seconds, o->seconds);
    }
    if (result.runs == 0) return result;
    result.evaluations = bench_median(evaluations, result.runs);
    result.rounds = bench_median(rounds, result.runs);
    result.log_regret = bench_median(regret, result.runs);
    return result;
}

static int is_first(const outcome *list, int index)
{
    for (int i = 0; i < index; i++)
        if (same_run(&list[i], &list[index])) return 0;
    return 1;
}

/* The mean of the ratio to one at a time, over the problems that both solve mostly. */
static void print_ratios(FILE *out, const outcome *list, int count, double *room)
{
    fputs("\nmethod           mode    at once  problems  rounds to one at a time (geometric mean)\n", out);
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        int problems = 0, shown = 0;
        for (int j = 0; j < count && !shown; j++) {
            outcome single = list[j];
            if (strcmp(list[j].method, list[i].method) != 0 || strcmp(list[j].mode, list[i].mode) != 0 ||
                list[j].at_once != list[i].at_once || !is_first(list, j))
                continue;
            if (j < i) shown = 1;
            single.at_once = 1;
            double ratio = medians_of(list, count, &list[j], room).rounds /
                           medians_of(list, count, &single, room).rounds;
            if (!isfinite(ratio) || ratio == 0.0) continue;
            sum += log(ratio);
            problems++;
        }
        if (!shown && list[i].at_once > 1 && problems)
            number_print(out, "%-16s %-7s %7d %9d  %.2f\n", list[i].method, list[i].mode, list[i].at_once,
                         problems, exp(sum / problems));
    }
}

static gofh_status print_table(FILE *file, FILE *out)
{
    char line[LINE];
    int count = 0, most = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) most++;
    outcome *list = calloc((size_t)most + 1, sizeof *list);
    double *room = calloc((size_t)most + 1, 3 * sizeof *room);
    if (list && room) {
        rewind(file);
        while (count < most && fgets(line, sizeof line, file)) count += read_line(line, &list[count]);
        fputs("problem          method           mode    at once  runs solved  evaluations  rounds  "
              "log10 regret  closest  seconds\n",
              out);
        for (int i = 0; i < count; i++) {
            if (!is_first(list, i)) continue;
            medians m = medians_of(list, count, &list[i], room);
            number_print(out, "%-16s %-16s %-7s %7d %5d %6d %12.0f %7.1f %13.1f %8.1e %8.3f\n",
                         list[i].problem, list[i].method, list[i].mode, list[i].at_once, m.runs, m.solved,
                         m.evaluations, m.rounds, m.log_regret, m.closest, m.seconds);
        }
        print_ratios(out, list, count, room);
    }
    free(room);
    free(list);
    return list && room ? GOFH_OK : GOFH_ERROR_MEMORY;
}

static gofh_status add(const bench_plan *plan, const bench_problem *problem, outcome *o, FILE *file,
                       const atomic_int *stop, gofh_error *error)
{
    snprintf(o->problem, sizeof o->problem, "%s", problem->name);
    o->log_regret = o->closest = INFINITY;
    if (has(file, o)) return GOFH_OK;
    gofh_status status = replicate(plan, problem, o, stop, error);
    if (status) return status;
    fseek(file, 0, SEEK_END);
    number_print(file, "%s,%s,%s,%d,%d,%d,%d,%.4g,%.4f,%.3g,%.3f\n", o->problem, o->method, o->mode,
                 o->at_once, o->rep, o->evaluations, o->solved, o->rounds, o->log_regret, o->closest,
                 o->seconds);
    if (!fflush(file)) return GOFH_OK;
    return bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", plan->csv, strerror(errno));
}

gofh_status bench_batch(const bench_plan *plan, const bench_sizes *sizes, const atomic_int *stop, FILE *out,
                        gofh_error *error)
{
    FILE *file = fopen(plan->csv, "a+");
    if (!file) return bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", plan->csv, strerror(errno));
    gofh_status status = GOFH_OK;
    fseek(file, 0, SEEK_END);
    if (ftell(file) == 0) fputs(HEADER, file);
    int each = sizes->count * 2, all = plan->reps * plan->problem_count * plan->method_count * each;
    for (int i = 0; i < all && !status; i++) {
        int rest = i / each;
        outcome o = {.at_once = sizes->at_once[i % sizes->count],
                     .rep = plan->first_rep + rest / (plan->problem_count * plan->method_count)};
        snprintf(o.mode, sizeof o.mode, "%s", MODES[i / sizes->count % 2]);
        snprintf(o.method, sizeof o.method, "%s", plan->methods[rest % plan->method_count]);
        const bench_problem *problem = plan->problems[rest / plan->method_count % plan->problem_count];
        status = add(plan, problem, &o, file, stop, error);
    }
    if (!status) status = print_table(file, out);
    fclose(file);
    return status;
}
