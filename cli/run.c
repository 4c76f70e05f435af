/* gofh run: asks, runs the simulator and tells, until there is a reason to stop. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/fleet.h"
#include "cli/interrupt.h"
#include "report/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char USAGE[] =
    "usage: gofh run problem.yaml [--json]\n\n"
    "Suggests points and runs the simulator there until the budget, a stop rule, or ^C. The same command "
    "goes on with\n"
    "what was interrupted, by ^C or by a power failure: every finished run is on disk.\n"
    "^C once waits for the runs under way, twice ends them (their trials are run again later). So do "
    "SIGTERM, and a\n"
    "file called problem.gofh/stop.\n"
    "  --json  print the outcome as JSON; progress goes to standard error\n";

enum { TICK = 500 /* ms between looks at the clock and the stop file */ };

typedef struct {
    session *s;
    fleet runs;
    const char *path;
    FILE *out;
    progress_style style;
    char *stop_file;
    double *x;
    double began;
    double expected; /* of the last suggestion */
    int stop;        /* a gofh_status above 0: nothing more is asked */
    int interrupted; /* by a signal or the stop file */
    int timed_out;   /* wall_clock is over */
} command;

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static gofh_status fill_state(command *c, progress_state *state)
{
    session_counts counts;
    gofh_trial best;
    gofh_status status = session_count(c->s, &counts);
    if (status) return status;
    int budget = c->s->file.settings.budget, over = c->runs.done + c->runs.failed;
    *state = (progress_state){.finished = counts.done + counts.failed - counts.imported,
                              .budget = budget,
                              .running = c->runs.count,
                              .failed = counts.failed,
                              .best = NAN,
                              .expected = c->expected};
    state->seconds = progress_seconds_left(clock_seconds() - c->began, over, budget - state->finished + over);
    status = gofh_study_best(c->s->study, &best);
    if (!status) state->best = best.f;
    return status == GOFH_ERROR_EMPTY ? GOFH_OK : status;
}

static void draw(command *c)
{
    progress_state state;
    char line[512];
    if (!c->style.terminal || fill_state(c, &state)) return;
    progress_line(line, sizeof line, &state, &c->style);
    progress_draw(c->out, &c->style, line);
}

/* A fleet's callback: a line for a trial that is over, or the live one. */
static void show(int64_t number, void *context)
{
    command *c = context;
    progress_state state;
    gofh_trial trial;
    char line[2048];
    if (c->style.terminal) {
        draw(c);
        return;
    }
    if (fill_state(c, &state) || gofh_study_trial(c->s->study, number, &trial)) return;
    progress_plain(line, sizeof line, &trial, &state);
    fputs(line, c->out);
    fflush(c->out);
}

static void say(command *c, const char *text)
{
    progress_clear(c->out, &c->style);
    fflush(c->out);
    fprintf(stderr, "gofh run: %s\n", text);
    draw(c);
}

/* Looks for reasons to stop that come from outside. */
static void look_around(command *c)
{
    char text[160];
    int signals = interrupt_count();
    double limit = c->s->file.wall_clock;
    if (!c->interrupted && (signals > 0 || access(c->stop_file, F_OK) == 0)) {
        c->interrupted = 1;
        if (signals == 0) unlink(c->stop_file);
        if (c->runs.count > 0 && signals < 2) {
            snprintf(text, sizeof text, "stopping: waiting for %d run%s; ^C again ends %s", c->runs.count,
                     c->runs.count == 1 ? "" : "s", c->runs.count == 1 ? "it" : "them");
            say(c, text);
        }
    }
    if (limit > 0.0 && !c->timed_out && clock_seconds() - c->began >= limit) c->timed_out = 1;
}

/* A trial that waits for its evaluation: one that was left open, or a new one. *trial is 0 when there is nothing to do. */
static int next_trial(command *c, int64_t *trial)
{
    session *s = c->s;
    gofh_trial open;
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++) {
        gofh_status status = gofh_study_trial(s->study, i, &open);
        if (status) return session_failed(s, status);
        if (open.state != GOFH_TRIAL_OPEN || fleet_has(&c->runs, i)) continue;
        memcpy(c->x, open.x, (size_t)s->d * sizeof *c->x);
        c->expected = open.expected;
        if (gofh_study_note(s->study, i, NOTE_ASKED)) continue;
        *trial = i;
        return EXIT_DONE;
    }
    *trial = 0;
    gofh_status status = gofh_study_ask(s->study, trial, c->x);
    if (status < 0) return session_failed(s, status);
    if (status > 0) {
        c->stop = status;
        *trial = 0;
        return EXIT_DONE;
    }
    status = gofh_study_trial(s->study, *trial, &open);
    if (status) return session_failed(s, status);
    c->expected = open.expected;
    return EXIT_DONE;
}

static int fill_places(command *c)
{
    while (c->runs.count < c->s->file.simulator.parallel) {
        int64_t trial;
        look_around(c);
        if (c->interrupted || c->timed_out || c->stop) return EXIT_DONE;
        int outcome = next_trial(c, &trial);
        if (outcome || trial == 0) return outcome;
        outcome = fleet_start(&c->runs, trial, c->x);
        if (outcome) return outcome;
        draw(c);
    }
    return EXIT_DONE;
}

/* A simulator that has never worked is no use. */
static int all_failed(const command *c)
{
    int enough = 2 * (c->s->d + 1);
    session_counts counts;
    if (c->runs.failed < enough || session_count(c->s, &counts) || counts.done > 0) return EXIT_DONE;
    fprintf(
        stderr,
        "gofh run: all of the first %d runs failed: the simulator, its command or its results are wrong\n",
        counts.failed);
    return EXIT_SIMULATOR;
}

static int loop(command *c)
{
    int outcome = EXIT_DONE, cancelled = 0;
    for (;;) {
        if (!outcome) outcome = fill_places(c);
        if (c->runs.count == 0) return outcome;
        fleet_wait(&c->runs, TICK);
        look_around(c);
        if (interrupt_count() > 1 && !cancelled) {
            fleet_cancel(&c->runs);
            cancelled = 1;
        }
        int settled = fleet_settle(&c->runs);
        if (!settled) settled = all_failed(c);
        if (outcome == EXIT_DONE) outcome = settled;
        if (settled == EXIT_STUDY) return settled; /* nothing can be kept: what runs is found again later */
        draw(c);
    }
}

/* The best f so far of each evaluation, as a curve. */
static void print_curve(command *c)
{
    int64_t count = gofh_study_count(c->s->study);
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    char text[8192];
    gofh_trial trial;
    for (int64_t i = 1; values && i <= count; i++)
        values[i - 1] = gofh_study_trial(c->s->study, i, &trial) ? NAN : trial.f;
    if (values) {
        progress_curve(text, sizeof text, values, (int)count, c->s->file.sense, &c->style);
        fputs(text, c->out);
    }
    free(values);
}

static const char *why(const command *c, int outcome)
{
    return outcome          ? "ended by an error"
           : c->interrupted ? "interrupted"
           : c->timed_out   ? "the wall clock's limit is reached"
           : c->stop        ? gofh_status_text((gofh_status)c->stop)
                            : "done";
}

/* What came of it, and how to go on. Returns the exit status. */
static int finish(command *c, int outcome, int json)
{
    session_counts counts;
    gofh_trial best;
    gofh_status status = session_count(c->s, &counts);
    int found = !status && gofh_study_best(c->s->study, &best) == GOFH_OK;
    int usable = found && isfinite(best.f), failed = outcome;
    if (!outcome) outcome = c->interrupted ? EXIT_INTERRUPTED : usable ? EXIT_DONE : EXIT_NO_RESULT;
    progress_clear(c->out, &c->style);
    if (json) {
        json_t *object = json_object();
        json_object_set_new(object, "outcome", json_string(why(c, failed)));
        json_object_set_new(object, "exit", json_integer(outcome));
        json_object_set_new(object, "done", json_integer(counts.done));
        json_object_set_new(object, "failed", json_integer(counts.failed));
        json_object_set_new(object, "open", json_integer(counts.open));
        json_object_set_new(object, "best", found ? describe_trial(c->s, &best) : json_null());
        int printed = describe_print(c->s, object);
        return printed ? printed : outcome;
    }
    print_curve(c);
    if (found) {
        printf("best: f = %.10g (trial %lld)%s\n", best.f, (long long)best.trial,
               usable ? "" : ": nothing meets the constraints");
        describe_values(c->s, stdout, best.x, NULL);
    }
    printf("%s: %d evaluation%s done, %d failed", why(c, failed), counts.done, counts.done == 1 ? "" : "s",
           counts.failed);
    if (failed || c->interrupted || c->timed_out)
        printf("; all saved; go on with: gofh run %s\n", c->path);
    else if (c->stop == GOFH_STOP_BUDGET)
        printf("; for more, raise the budget and run it again; for pictures: gofh report %s\n", c->path);
    else
        printf("; for pictures: gofh report %s\n", c->path);
    return outcome;
}

static int run_study(command *c, int json)
{
    session *s = c->s;
    gofh_error error = {0};
    if (!s->file.simulator.command) {
        fprintf(stderr, "gofh run: %s has no simulator section: use gofh ask and gofh tell\n", c->path);
        return EXIT_USAGE;
    }
    if (run_check(&s->file.simulator, &error)) {
        fprintf(stderr, "gofh run: %s\n", error.message);
        return EXIT_USAGE;
    }
    int outcome = session_open(s, GOFH_OPEN_WRITE);
    if (outcome) return outcome;
    size_t size = strlen(s->directory) + sizeof "/stop";
    c->stop_file = malloc(size);
    c->x = calloc((size_t)s->d, sizeof *c->x);
    if (!c->stop_file || !c->x) return session_no_memory(s);
    snprintf(c->stop_file, size, "%s/stop", s->directory);
    if (interrupt_catch()) {
        perror("gofh run: signals can't be caught");
        return EXIT_STUDY;
    }
    outcome = fleet_open(&c->runs, s);
    c->runs.settled = show;
    c->runs.context = c;
    if (!outcome) outcome = loop(c);
    outcome = finish(c, outcome, json);
    fleet_close(&c->runs);
    return outcome;
}

int command_run(int count, char **arguments)
{
    const char *path;
    int json = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {0}};
    arguments_spec spec = {"run", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    command c = {
        .s = &s, .path = path, .out = json ? stderr : stdout, .began = clock_seconds(), .expected = NAN};
    c.style = progress_detect(c.out);
    status = session_read(&s, "run", path);
    if (!status) status = run_study(&c, json);
    free(c.stop_file);
    free(c.x);
    session_close(&s);
    return status;
}
