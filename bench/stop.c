#include "bench/stop.h"

#include "base/number.h"
#include "bench/median.h"
#include "bench/replication.h"
#include "bench/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Regret of a solved run. */
static const double SOLVED = 1e-8;
/* After so many suggestions the verdict is asked for too. */
enum { EARLY = 20, LINE = 512 };

/* A replication; trials are counted from 1. */
typedef struct {
    char problem[BENCH_NAME];
    int rep, trials;
    int solved;          /* the first trial that solves it; 0: none */
    int stopped;         /* the trial after which it would have ended; 0: none */
    bench_verdict last;  /* then, or in the end */
    bench_verdict early; /* after EARLY suggestions */
} outcome;

typedef struct {
    bench_instance *instance;
    gofh_study *study;
    double scale; /* the median regret of the design */
    uint64_t seed;
} running;

static gofh_status judge(running *r, bench_verdict *v)
{
    return bench_judge(r->study, r->instance, r->scale, r->seed, v);
}

static gofh_status evaluate(running *r, double *regret)
{
    int64_t trial;
    double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS];
    *regret = INFINITY;
    gofh_status status = gofh_study_ask(r->study, &trial, x);
    if (status) return status;
    if (bench_observe(r->instance, x, trial, y) != 0)
        return gofh_study_fail(r->study, trial, "the problem has no value here");
    double found = bench_regret(r->instance, x);
    if (!isnan(found)) *regret = found;
    return gofh_study_tell(r->study, trial, y);
}

/* A run that is solved and would have ended has told all: its other evaluations are not made. */
static gofh_status follow(running *r, outcome *o, int design, const atomic_int *stop)
{
    double regret, first[2 * (BENCH_MAX_PARAMETERS + 1)];
    gofh_status status = GOFH_OK;
    for (int i = 1; i <= o->trials && !status; i++) {
        if (atomic_load(stop)) return GOFH_STOP_CALLER;
        status = evaluate(r, &regret);
        if (i <= design) first[i - 1] = regret;
        if (i == design) r->scale = bench_median(first, design);
        if (regret <= SOLVED && !o->solved) o->solved = i;
        if (!status && i == design + EARLY) status = judge(r, &o->early);
        if (!status && !o->stopped && gofh_study_ended(r->study)) {
            o->stopped = i;
            status = judge(r, &o->last);
        }
        if (o->solved && o->stopped && i >= design + EARLY) break;
    }
    return status || o->stopped ? status : judge(r, &o->last);
}

static gofh_status replicate(const bench_plan *plan, const bench_problem *problem, outcome *o,
                             const atomic_int *stop, gofh_error *error)
{
    running r = {.instance = bench_replication_open(problem, o->rep, plan->one_draw),
                 .seed = bench_study_seed(plan->seed, o->rep)};
    if (!r.instance) return GOFH_ERROR_MEMORY;
    int design = bench_design_size(problem);
    o->trials = design + plan->evaluations;
    gofh_status status = bench_study_create(&r.study, r.instance, "gofh", plan->seed, o->rep, o->trials,
                                            error);
    if (!status) {
        status = follow(&r, o, design, stop);
        if (status < 0) bench_fail(error, status, "%s: %s", problem->name, gofh_study_message(r.study));
    }
    gofh_study_free(r.study);
    bench_problem_close(r.instance);
    return status;
}

/* ---- The file and the table ---- */

static void write_header(FILE *file)
{
    fputs("problem,rep,trials,solved,stopped", file);
    bench_verdict_header(file, "");
    bench_verdict_header(file, "early_");
    fputs("\n", file);
}

static void write_line(FILE *file, const outcome *o)
{
    fprintf(file, "%s,%d,%d,%d,%d", o->problem, o->rep, o->trials, o->solved, o->stopped);
    bench_verdict_write(file, &o->last);
    bench_verdict_write(file, &o->early);
    fputs("\n", file);
}

/* Whether the line is one of a replication. */
static int read_line(const char *line, outcome *o)
{
    int *const fields[] = {&o->rep, &o->trials, &o->solved, &o->stopped};
    size_t length = strcspn(line, ",");
    *o = (outcome){.rep = 0};
    if (length >= sizeof o->problem) return 0;
    memcpy(o->problem, line, length);
    line += length;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (line[0] != ',' || line[1] < '0' || line[1] > '9') return 0;
        *fields[i] = (int)strtol(line + 1, NULL, 10);
        line += 1 + strcspn(line + 1, ",");
    }
    line = bench_verdict_read(line, &o->last);
    if (line) line = bench_verdict_read(line, &o->early);
    return line && *line == '\n';
}

/* Whether the file has this replication. */
static int has(FILE *file, const char *problem, int rep)
{
    char line[LINE];
    outcome o;
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (read_line(line, &o) && o.rep == rep && strcmp(o.problem, problem) == 0) return 1;
    return 0;
}

typedef struct {
    int runs, solved, kept;         /* replications; solved in the end; solved when they stop as well */
    long after, saved;              /* evaluations after the solution, of runs that keep it; not made */
    long all, used;                 /* evaluations of all runs; those made until they stop */
    int verdict[2][2], early[2][2]; /* [sure][right] */
    bench_statement said[BENCH_STATEMENTS], said_early[BENCH_STATEMENTS];
} sums;

static void add(sums *s, const outcome *o)
{
    int end = o->stopped ? o->stopped : o->trials;
    s->runs++;
    s->all += o->trials;
    s->used += end;
    s->verdict[o->last.sure][o->last.right]++;
    s->early[o->early.sure][o->early.right]++;
    bench_statements_add(s->said, &o->last);
    bench_statements_add(s->said_early, &o->early);
    if (!o->solved) return;
    s->solved++;
    if (end < o->solved) return;
    s->kept++;
    s->after += o->trials - o->solved;
    s->saved += o->trials - end;
}

static double percent(double part, double of)
{
    return of > 0.0 ? 100.0 * part / of : NAN;
}

static void print_sums(FILE *out, const char *name, const sums *s)
{
    number_print(out, "%-9s %5d %7d %8.1f %7.1f %6.1f %8d %8d %8d %8d %6d %6d %6d %6d\n", name, s->runs,
                 s->solved, percent(s->kept, s->solved), percent((double)s->saved, (double)s->after),
                 percent((double)s->used, (double)s->all), s->verdict[1][1], s->verdict[1][0],
                 s->verdict[0][0], s->verdict[0][1], s->early[1][1], s->early[1][0], s->early[0][0],
                 s->early[0][1]);
}

static void print_statements(FILE *out, const sums *s)
{
    fputs("\n                            when it stops           early\n"
          "statement                    made  right       %    made  right       %\n",
          out);
    for (int i = 0; i < BENCH_STATEMENTS; i++) {
        const bench_statement *last = &s->said[i], *early = &s->said_early[i];
        number_print(out, "%-26s %6d %6d %7.1f  %6d %6d %7.1f\n", BENCH_STATEMENT_NAME[i], last->made,
                     last->right, percent(last->right, last->made), early->made, early->right,
                     percent(early->right, early->made));
    }
}

/* Every other problem of the list is a half: the constants were chosen on one. */
static void print_table(FILE *file, FILE *out)
{
    char line[LINE];
    outcome o;
    sums half[3] = {{.runs = 0}};
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        if (!read_line(line, &o)) continue;
        int index = 0;
        while (bench_problem_at(index) && strcmp(bench_problem_at(index)->name, o.problem) != 0) index++;
        add(&half[index % 2], &o);
        add(&half[2], &o);
        if (o.solved && o.stopped && o.stopped < o.solved)
            fprintf(out, "too early: %s, replication %d: %d, solved by %d\n", o.problem, o.rep, o.stopped,
                    o.solved);
        if (o.last.sure && !o.last.right)
            fprintf(out, "sure and wrong: %s, replication %d\n", o.problem, o.rep);
        if (o.early.sure && !o.early.right)
            fprintf(out, "early sure and wrong: %s, replication %d\n", o.problem, o.rep);
    }
    fputs("                 solved  of them  spared  evals   when it stops: sure      not sure    early: sure"
          "    not sure\n"
          "problems   runs in all   kept, %     % used, %    right    wrong    right    wrong  right  wrong  "
          "right  wrong\n",
          out);
    print_sums(out, "chosen on", &half[0]);
    print_sums(out, "others", &half[1]);
    print_sums(out, "all", &half[2]);
    print_statements(out, &half[2]);
}

gofh_status bench_stop(const bench_plan *plan, const atomic_int *stop, FILE *out, gofh_error *error)
{
    FILE *file = fopen(plan->csv, "a+");
    if (!file) return bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", plan->csv, strerror(errno));
    gofh_status status = GOFH_OK;
    fseek(file, 0, SEEK_END);
    if (ftell(file) == 0) write_header(file);
    for (int rep = plan->first_rep; rep < plan->first_rep + plan->reps && !status; rep++)
        for (int i = 0; i < plan->problem_count && !status; i++) {
            outcome o = {.rep = rep};
            snprintf(o.problem, sizeof o.problem, "%s", plan->problems[i]->name);
            if (has(file, o.problem, rep)) continue;
            status = replicate(plan, plan->problems[i], &o, stop, error);
            if (status) break;
            fseek(file, 0, SEEK_END);
            write_line(file, &o);
            if (fflush(file))
                status = bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", plan->csv,
                                    strerror(errno));
        }
    if (!status) print_table(file, out);
    fclose(file);
    return status;
}
