#include "bench/runner.h"

#include "base/number.h"
#include "bench/journal.h"
#include "bench/replication.h"
#include "bench/results.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Replications of fewer suggestions in all need no probe of how long they take. */
enum { PROBE_FROM = 50 };

/* A problem and a method: its replications take about as long as each other. */
typedef struct {
    double seconds; /* of one replication: projected, then measured; NaN: not known */
    double spent;   /* on those that are done */
    int done, todo; /* replications */
} pair;

typedef struct {
    bench_replication replication;
    int pair;
} job;

typedef struct {
    const bench_plan *plan;
    const atomic_int *stop;
    bench_journal journal;
    bench_results results; /* what the file had */
    pair *pairs;
    job *jobs;
    int job_count;
    double start;

    pthread_mutex_t lock; /* of all below, of the journal and of the pairs */
    int next, finished;
    gofh_status status;
    gofh_error error;
} state;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- What is to be done ---- */

static int evaluations_of(const bench_plan *plan, const bench_problem *problem)
{
    if (plan->gradients == 0) return plan->evaluations;
    return plan->gradients * (problem->d + 1) - bench_design_size(problem);
}

static bench_replication describe(const bench_plan *plan, int problem, int method, int rep)
{
    return (bench_replication){.problem = plan->problems[problem],
                               .method = plan->methods[method],
                               .rep = rep,
                               .evaluations = evaluations_of(plan, plan->problems[problem]),
                               .seed = plan->seed,
                               .one_draw = plan->one_draw,
                               .start = plan->start,
                               .own_design = plan->own_design,
                               .recommend = plan->recommend};
}

/* Whether the file has the replication: all its evaluations, with recommendations if they are
 * wanted. */
static int is_done(const state *s, const bench_replication *r)
{
    char method[BENCH_NAME];
    bench_recorded_method(r, method);
    size_t first = 0, count = bench_results_find(&s->results, r->problem->name, method, r->rep, &first);
    size_t before = (size_t)bench_design_rows(r->problem);
    if (count < before + (size_t)r->evaluations + 1) return 0;
    for (int e = 0; e <= r->evaluations && r->recommend; e++)
        if (isnan(s->results.rows[first + before + (size_t)e].recommended)) return 0;
    return 1;
}

/* A replication at a time for all problems and methods, so that an unfinished file can be compared
 * already. */
static gofh_status list_jobs(state *s)
{
    const bench_plan *plan = s->plan;
    size_t most = (size_t)plan->reps * (size_t)plan->problem_count * (size_t)plan->method_count;
    s->jobs = calloc(most ? most : 1, sizeof *s->jobs);
    s->pairs = calloc((size_t)plan->problem_count * (size_t)plan->method_count, sizeof *s->pairs);
    if (!s->jobs || !s->pairs) return GOFH_ERROR_MEMORY;
    for (int rep = plan->first_rep; rep < plan->first_rep + plan->reps; rep++) {
        for (int p = 0; p < plan->problem_count; p++) {
            for (int m = 0; m < plan->method_count; m++) {
                int index = p * plan->method_count + m;
                bench_replication r = describe(plan, p, m, rep);
                s->pairs[index].seconds = NAN;
                if (is_done(s, &r)) continue;
                s->pairs[index].todo++;
                s->jobs[s->job_count++] = (job){r, index};
            }
        }
    }
    return GOFH_OK;
}

/* Whether a replication of the file starts from this plan's design. */
static gofh_status check_design(const bench_plan *plan, const bench_problem *problem, const bench_row *row,
                                gofh_error *error)
{
    double expected;
    gofh_status status = bench_design_regret(problem, plan->seed, row->rep, plan->one_draw,
                                             bench_method_starts(row->method), &expected, error);
    if (status || expected == row->observed || fabs(expected - row->observed) < 1e-5) return status;
    return bench_fail(error, GOFH_ERROR_ARGUMENT,
                      "%s has replication %d of %s made with another --seed or --draws: use another file",
                      plan->csv, row->rep, problem->name);
}

static const bench_problem *find_problem(const bench_plan *plan, const char *name)
{
    for (int p = 0; p < plan->problem_count; p++)
        if (strcmp(plan->problems[p]->name, name) == 0) return plan->problems[p];
    return NULL;
}

/* Results of another seed in the same file would be treated as results of this one. */
static gofh_status check_seed(const state *s, gofh_error *error)
{
    const bench_plan *plan = s->plan;
    for (size_t i = 0; i < s->results.count; i++) {
        const bench_row *row = &s->results.rows[i];
        if (row->evaluation != 0 || row->rep < plan->first_rep || row->rep >= plan->first_rep + plan->reps)
            continue;
        const bench_problem *problem = find_problem(plan, row->problem);
        if (!problem || problem->noise > 0.0 || bench_method_owns_design(row->method))
            continue; /* the best of noisy points, or of its own, is a matter of the method */
        if (bench_design_rows(problem) > 0 && (i == 0 || s->results.rows[i - 1].evaluation != -1))
            continue; /* a peer's, from the start without a design */
        gofh_status status = check_design(plan, problem, row, error);
        if (status) return status;
    }
    return GOFH_OK;
}

/* ---- Time ---- */

static void print_duration(double seconds)
{
    if (seconds < 90.0)
        number_print(stderr, "%.0f s", seconds);
    else if (seconds < 5400.0)
        number_print(stderr, "%.0f min", seconds / 60.0);
    else
        number_print(stderr, "%.1f h", seconds / 3600.0);
}

/* Of all replications still to be finished; a pair that is not known yet counts as the mean of
 * those that are. */
static double seconds_left(const state *s)
{
    int pairs = s->plan->problem_count * s->plan->method_count, known = 0, unknown = 0;
    double total = 0.0, sum = 0.0;
    for (int i = 0; i < pairs; i++) {
        const pair *p = &s->pairs[i];
        int left = p->todo - p->done;
        if (isnan(p->seconds)) {
            unknown += left;
            continue;
        }
        known++;
        sum += p->seconds;
        total += left * p->seconds;
    }
    if (known) total += unknown * sum / known;
    return known ? total / s->plan->threads : NAN;
}

static gofh_status project(state *s, gofh_error *error)
{
    const bench_plan *plan = s->plan;
    int pairs = plan->problem_count * plan->method_count, probed = 0;
    for (int i = 0; i < pairs && !atomic_load(s->stop); i++) {
        bench_replication r = describe(plan, i / plan->method_count, i % plan->method_count, plan->first_rep);
        if (s->pairs[i].todo * r.evaluations < PROBE_FROM) continue;
        if (!probed++ && !plan->quiet) fputs("gofh bench: measuring how long it will take\n", stderr);
        gofh_status status = bench_replication_probe(&r, &s->pairs[i].seconds, error);
        if (status) return status;
    }
    if (plan->quiet) return GOFH_OK;
    fprintf(stderr, "gofh bench: %d replications of %d%s evaluations to run, %d at once", s->job_count,
            plan->gradients ? plan->gradients : plan->evaluations, plan->gradients ? "(d+1)" : "",
            plan->threads);
    double left = seconds_left(s);
    if (!isnan(left)) {
        fputs("; projected time ", stderr);
        print_duration(left);
    }
    fputc('\n', stderr);
    return GOFH_OK;
}

static void print_progress(const state *s, const bench_replication *r, const bench_row *last)
{
    if (s->plan->quiet) return;
    int live = isatty(STDERR_FILENO), finished = s->finished == s->job_count;
    number_print(stderr, "%s%d of %d: %s, %s, replication %d: log10 regret %.2f", live ? "\r\033[K" : "",
                 s->finished, s->job_count, r->problem->name, r->method, r->rep, last->observed);
    fputs(finished ? "; done in " : "; time left ", stderr);
    print_duration(finished ? now_seconds() - s->start : seconds_left(s));
    if (!live || finished) fputc('\n', stderr);
    fflush(stderr);
}

/* ---- The work ---- */

static size_t row_count(const bench_replication *r)
{
    return (size_t)(bench_design_rows(r->problem) + r->evaluations + 1);
}

static size_t most_rows(const state *s)
{
    size_t most = 1;
    for (int i = 0; i < s->job_count; i++)
        if (row_count(&s->jobs[i].replication) > most) most = row_count(&s->jobs[i].replication);
    return most;
}

static void finish(state *s, const job *j, const bench_row *rows, double seconds)
{
    gofh_error error = {0};
    size_t count = row_count(&j->replication);
    gofh_status status = bench_journal_append(&s->journal, rows, count, &error);
    if (status) {
        if (!s->status) s->error = error;
        s->status = status;
        return;
    }
    pair *p = &s->pairs[j->pair];
    p->spent += seconds;
    p->seconds = p->spent / ++p->done;
    s->finished++;
    print_progress(s, &j->replication, &rows[count - 1]);
}

static void *work(void *context)
{
    state *s = context;
    bench_row *rows = malloc(most_rows(s) * sizeof *rows);
    pthread_mutex_lock(&s->lock);
    if (!rows) s->status = GOFH_ERROR_MEMORY;
    while (!s->status && s->next < s->job_count) {
        const job *j = &s->jobs[s->next++];
        pthread_mutex_unlock(&s->lock);
        gofh_error error = {0};
        double start = now_seconds();
        gofh_status status = bench_replication_run(&j->replication, rows, s->stop, &error);
        pthread_mutex_lock(&s->lock);
        if (status == GOFH_OK)
            finish(s, j, rows, now_seconds() - start);
        else if (!s->status) {
            s->status = status;
            s->error = error;
        }
    }
    pthread_mutex_unlock(&s->lock);
    free(rows);
    return NULL;
}

/* Threads that can't be started are done without: this one works too. */
static void work_together(state *s)
{
    int others = s->plan->threads - 1, started = 0;
    pthread_t *threads = calloc((size_t)others + 1, sizeof *threads);
    while (threads && started < others && pthread_create(&threads[started], NULL, work, s) == 0) started++;
    work(s);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
}

static gofh_status sort_file(const char *path, gofh_error *error)
{
    bench_results all = {0};
    gofh_status status = bench_results_read(&all, path, NULL, error);
    if (!status) status = bench_results_sort(&all);
    if (!status) status = bench_results_replace(&all, path, error);
    bench_results_free(&all);
    return status;
}

static gofh_status run_jobs(state *s, gofh_error *error)
{
    if (s->job_count == 0) {
        if (!s->plan->quiet) fprintf(stderr, "gofh bench: %s has all of it already\n", s->plan->csv);
        return GOFH_OK;
    }
    gofh_status status = project(s, error);
    if (status) return status;
    if (pthread_mutex_init(&s->lock, NULL) != 0) return GOFH_ERROR_SYSTEM;
    s->start = now_seconds();
    work_together(s);
    pthread_mutex_destroy(&s->lock);
    if (s->status && s->error.status) *error = s->error;
    return s->status;
}

gofh_status bench_run(const bench_plan *plan, const atomic_int *stop, gofh_error *error)
{
    state s = {.plan = plan, .stop = stop};
    gofh_status status = bench_journal_open(&s.journal, plan->csv, &s.results, error);
    if (!status) {
        status = bench_results_sort(&s.results);
        if (!status) status = check_seed(&s, error);
        if (!status) status = list_jobs(&s);
        if (!status) status = run_jobs(&s, error);
        if (!status) status = sort_file(plan->csv, error);
        bench_journal_close(&s.journal);
    }
    if (status < 0) bench_fail(error, status, "%s", gofh_status_text(status));
    free(s.jobs);
    free(s.pairs);
    bench_results_free(&s.results);
    return status;
}
