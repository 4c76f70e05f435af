/* gofh run: asks, runs the simulator and tells, until there is a reason to stop. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/fleet.h"
#include "cli/interrupt.h"
#include "cli/live.h"
#include "cli/message.h"
#include "cli/rescue.h"
#include "cli/watch.h"
#include "problem/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char USAGE[] =
    "usage: gofh run problem.yaml [--budget N] [--seed N] [--all]\n"
    "                [--for GOAL] [--wall-clock DURATION] [--serve] [--quiet]\n"
    "                [--json | --json-lines]\n"
    "\n"
    "Suggests points and runs the simulator there until nothing more is expected,\n"
    "the budget, a stop rule, or ^C. The same command goes on with what was\n"
    "interrupted, by ^C or by a power failure: every finished run is on disk.\n"
    "^C once waits for the runs under way; twice ends them, and their trials are\n"
    "run again later; three times ends the program at once. SIGTERM counts as ^C,\n"
    "and so does a file problem.gofh/stop. Jobs in a queue are left there by ^C,\n"
    "and the same command finds them again; twice within 5 s cancels them.\n"
    "  --budget N, --seed N   in place of those of the problem file\n"
    "  --all   go on to the budget, even where nothing more is expected\n"
    "  --for posterior  go on with runs that make gofh posterior certain, until\n"
    "                   another would change no interval by more than a tenth and\n"
    "                   no probability of a choice by more than 0.05; gofh posterior\n"
    "                   then prints the intervals and probabilities\n"
    "  --for DURATION   as --wall-clock\n"
    "  --wall-clock DURATION  ask nothing more after 30m, 2h..., as wall_clock of\n"
    "                         the problem file, which it replaces\n"
    "  --serve  serve a page that follows it, as gofh serve does\n"
    "  --quiet  print nothing but what goes wrong\n"
    "  --json  print the outcome as JSON; progress goes to standard error\n"
    "  --json-lines  print a line of JSON when a run begins, when it is over, and at\n"
    "                the end, for other programs\n"
    "Exit status: 0 done, 1 there is no usable result, 2 the problem file is wrong,\n"
    "3 the simulator can't be used, 4 the study is locked or damaged or the disk is\n"
    "full, 130 interrupted. Whatever it is, all that was reported is saved; should\n"
    "somebody have removed the study meanwhile, to a file that is then named, unless\n"
    "its folder is gone too.\n";

enum { TICK = 500 /* ms between looks at the clock and the stop file */ };

/* Seconds after an interrupt for which jobs of a queue may still be cancelled by another. */
enum { LEAVE_AFTER = 5 };

typedef struct {
    session *s;
    fleet runs;
    const char *path;
    watch view;
    char *stop_file;
    double *x;
    double began;
    int stop;        /* a gofh_status above 0: nothing more is asked */
    int stop_files;  /* seen so far */
    int interrupted; /* by a signal or a stop file */
    int cancelled;   /* by a second one: the runs are being ended */
    int timed_out;   /* wall_clock is over */
    double leave;    /* when jobs of a queue are left there; 0: not yet */
    double choosing; /* seconds that the last suggestion took */
    /* Interrupts when a wait for the study's file began; -1: nothing has been said about it yet. */
    int waited;
    int gave_up; /* such a wait was ended by an interrupt */
} command;

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A fleet's callbacks. */
static void show_begun(int64_t number, void *context)
{
    command *c = context;
    watch_started(&c->view, number);
}

static void show(int64_t number, void *context)
{
    command *c = context;
    watch_settled(&c->view, number);
}

static void say(command *c, const char *text)
{
    message_print(stderr, "gofh run: %s\n", text);
    watch_draw(&c->view);
}

/* A gofh_waiting. What a simulator took hours for is not given up because somebody looks at the
 * file: its results stay where they are, and the wait ends with the next ^C. It may not call the
 * study, which is busy. */
static int wait_for_file(gofh_wait reason, double seconds, void *context)
{
    static const double SAID_AFTER = 2.0;
    command *c = context;
    if (reason == GOFH_WAIT_WRITER) return session_wait(reason, seconds, c->s);
    if (seconds < SAID_AFTER) c->waited = -1;
    if (seconds >= SAID_AFTER && c->waited < 0) {
        c->waited = interrupt_count();
        message_print(stderr,
                      "gofh run: another program holds the study's file: waiting for it; ^C ends that\n");
    }
    if (c->waited >= 0 && interrupt_count() > c->waited) c->gave_up = 1;
    return c->gave_up;
}

/* Signals and stop files so far; a file is taken away once it is seen. */
static int count_stops(command *c)
{
    if (unlink(c->stop_file) == 0 || (errno != ENOENT && c->stop_files == 0)) c->stop_files++;
    return interrupt_count() + c->stop_files;
}

/* A gofh_interrupt. */
static int should_stop(void *context)
{
    return count_stops(context) > 0;
}

/* What an interrupt does with the runs under way. */
static void say_stopping(command *c, int running)
{
    char text[160];
    if (c->runs.executor->queued)
        snprintf(
            text, sizeof text,
            "stopping: %d job%s in the queue: the same command finds %s again; ^C within %d s cancels %s",
            running, running == 1 ? " goes on" : "s go on", running == 1 ? "it" : "them", LEAVE_AFTER,
            running == 1 ? "it" : "them");
    else
        snprintf(text, sizeof text, "stopping: waiting for %d run%s; ^C%s ends %s", running,
                 running == 1 ? "" : "s", c->stop_files ? "" : " again", running == 1 ? "it" : "them");
    say(c, text);
}

/* Whether the jobs of a queue are to be left there. */
static int is_leaving(command *c, int outcome)
{
    if (!c->runs.executor->queued || c->cancelled) return 0;
    if (!c->interrupted) return c->timed_out || outcome;
    if (c->leave == 0.0) c->leave = clock_seconds() + LEAVE_AFTER;
    return clock_seconds() >= c->leave;
}

/* Looks for reasons to stop that come from outside. */
static void look_around(command *c)
{
    int stops = count_stops(c), running = c->runs.count;
    double limit = c->s->file.wall_clock;
    if (!c->interrupted && stops > 0) {
        c->interrupted = 1;
        if (running > 0 && stops == 1) say_stopping(c, running);
    }
    if (stops > 1 && !c->cancelled) {
        fleet_cancel(&c->runs);
        c->cancelled = 1;
        char text[80];
        snprintf(text, sizeof text, "waiting for %d cancelled job%s to end", running,
                 running == 1 ? "" : "s");
        if (c->runs.executor->queued && running > 0) say(c, text);
    }
    if (limit > 0.0 && !c->timed_out && clock_seconds() - c->began >= limit) c->timed_out = 1;
    if (c->interrupted || c->timed_out) c->runs.stopping = 1;
}

/* A trial that waits for its evaluation: one that was left open, or a new one. *trial is 0 when
 * there is nothing to do. */
static int next_trial(command *c, int64_t *trial)
{
    session *s = c->s;
    gofh_trial open;
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++) {
        gofh_status status = gofh_study_trial(s->study, i, &open);
        if (status) return session_failed(s, status);
        if (open.state != GOFH_TRIAL_OPEN || fleet_has(&c->runs, i)) continue;
        memcpy(c->x, open.x, (size_t)s->d * sizeof *c->x);
        c->view.expected = open.expected;
        if (gofh_study_note(s->study, i, NOTE_ASKED)) continue;
        *trial = i;
        return EXIT_DONE;
    }
    *trial = 0;
    double before = clock_seconds();
    gofh_status status = gofh_study_ask(s->study, trial, c->x);
    c->choosing = clock_seconds() - before;
    c->view.asking += c->choosing;
    c->view.asked += status == GOFH_OK;
    if (status < 0) return session_failed(s, status);
    if (status == GOFH_STOP_CALLER) look_around(c);
    if (status > 0) {
        /* What still runs may promise more: then it is asked again. */
        int waits = status == GOFH_STOP_IMPROVEMENT && c->runs.count > 0;
        if (status != GOFH_STOP_CALLER && !waits) c->stop = status;
        *trial = 0;
        return EXIT_DONE;
    }
    status = gofh_study_trial(s->study, *trial, &open);
    if (status) return session_failed(s, status);
    c->view.expected = open.expected;
    return EXIT_DONE;
}

/* Starts runs as long as there is room for them. They wait for one another, unless the choice of the
 * next point takes long. */
static int start_runs(command *c)
{
    static const double LONG = 0.02;
    while (fleet_has_place(&c->runs)) {
        int64_t trial = 0;
        look_around(c);
        if (c->runs.stopping || c->stop) return EXIT_DONE;
        int outcome = next_trial(c, &trial);
        if (outcome || trial == 0) return outcome;
        look_around(c); /* choosing it may have taken long */
        if (c->runs.stopping) return EXIT_DONE;
        outcome = fleet_start(&c->runs, trial, c->x);
        if (!outcome && c->choosing > LONG) {
            outcome = fleet_begin(&c->runs);
            fleet_hold(&c->runs);
        }
        if (outcome) return outcome;
    }
    return EXIT_DONE;
}

static int fill_places(command *c)
{
    fleet_hold(&c->runs);
    int outcome = start_runs(c), begun = fleet_begin(&c->runs);
    return outcome ? outcome : begun;
}

/* A simulator that has never worked is no use. */
static int all_failed(const command *c)
{
    int enough = 2 * (c->s->d + 1);
    session_counts counts;
    if (c->runs.failed < enough || session_count(c->s, &counts) || counts.done > 0) return EXIT_DONE;
    message_print(
        stderr,
        "gofh run: all of the %d runs so far failed: the simulator, its command or the reading of its "
        "results seems wrong; what they wrote is in %s/runs. Mend it; then, if only the reading was wrong, "
        "gofh reread %s reads them again, otherwise, if the points are not to blame, move %s away, so "
        "that the study does not learn from them\n",
        counts.failed, c->s->directory, c->s->file.path, c->s->directory);
    return EXIT_SIMULATOR;
}

static int loop(command *c)
{
    int outcome = EXIT_DONE;
    for (;;) {
        if (!outcome) outcome = fill_places(c);
        if (c->runs.count == 0) return outcome;
        fleet_wait(&c->runs, TICK);
        look_around(c);
        int settled = fleet_settle(&c->runs);
        if (!settled && !outcome) settled = all_failed(c);
        if (outcome == EXIT_DONE) outcome = settled;
        if (outcome) c->runs.stopping = 1;
        /* Nothing can be kept; what runs is found again later, unless a full disk spoils it too. */
        if (settled == EXIT_STUDY && !session_disk_full(c->s)) return settled;
        if (is_leaving(c, outcome)) return outcome;
        watch_draw(&c->view);
    }
}

static const char *why(const command *c, int outcome)
{
    return outcome          ? "ended by an error"
           : c->interrupted ? interrupt_count() ? "interrupted" : "stopped by its stop file"
           : c->timed_out   ? "the wall clock's limit is reached"
           : c->stop        ? gofh_status_text((gofh_status)c->stop)
                            : "done";
}

/* Whether it ended by itself, before the budget and without a rule of the user's. */
static int ended_by_itself(const command *c, int outcome)
{
    return !outcome && !c->interrupted && !c->timed_out && session_ended_by_itself(c->s, c->stop);
}

/* Why it ended, and how many evaluations there are. */
static void print_end(const command *c, const session_counts *counts, int failed)
{
    char text[SESSION_ENDED], open[32] = "";
    if (counts->open) snprintf(open, sizeof open, ", %d open", counts->open);
    if (!ended_by_itself(c, failed)) {
        message_print(stdout, "%s: %d evaluation%s done, %d failed%s\n", why(c, failed), counts->done,
                      counts->done == 1 ? "" : "s", counts->failed, open);
        return;
    }
    session_describe_end(c->s, counts, text);
    if (counts->failed)
        message_print(stdout, "%s; %d failed%s\n", text, counts->failed, open);
    else
        message_print(stdout, "%s%s\n", text, open);
}

/* A path as a shell takes it. NULL: no memory. */
static char *quote(const char *path)
{
    int plain = !strpbrk(path, " \t\n'\"\\$`&|;<>()*?[]{}#~!");
    char *text = malloc(4 * strlen(path) + 3), *at = text;
    if (!text) return NULL;
    if (!plain) *at++ = '\'';
    for (const char *p = path; *p; p++) {
        size_t length = *p == '\'' ? strlen("'\\''") : 1;
        memcpy(at, *p == '\'' ? "'\\''" : p, length);
        at += length;
    }
    if (!plain) *at++ = '\'';
    *at = '\0';
    return text;
}

/* The last line: how to go on, to be copied. */
static void print_next(const command *c, const session_counts *counts, int failed)
{
    int fruitless = counts->done == 0 && c->runs.failed >= 2 * (c->s->d + 1);
    const char *advice = fruitless && !c->interrupted && !c->timed_out ? "why they failed: gofh status"
                         : failed == EXIT_STUDY
                             ? "a result that could not be stored is taken from its run's folder by: gofh run"
                         : failed || c->interrupted || c->timed_out
                             ? "all that was reported is saved; go on with: gofh run"
                         : counts->done == 0 ? "why they failed: gofh status"
                         : c->s->file.settings.goal == GOFH_GOAL_POSTERIOR
                             ? "for the intervals: gofh posterior"
                             : "for pictures: gofh report";
    int more = c->stop == GOFH_STOP_BUDGET && counts->done > 0 && !failed && !c->interrupted;
    char *path = quote(c->path);
    message_print(stdout, "%s %s%s\n", advice, path ? path : c->path,
                  more ? "; for more, raise the budget and run it again" : "");
    free(path);
}

/* What came of it, and how to go on. Returns the exit status. */
static int finish(command *c, int outcome, int json)
{
    session_counts counts;
    gofh_trial best;
    gofh_status status = session_count(c->s, &counts);
    int found = !status && gofh_study_best(c->s->study, &best) == GOFH_OK;
    if (c->gave_up) {
        c->interrupted = 1;
        outcome = EXIT_DONE;
    }
    watch_clear(&c->view);
    int kept = rescue_is_kept(c->s, outcome != EXIT_DONE || c->gave_up);
    if (!kept) {
        rescue_save(c->s);
        outcome = EXIT_STUDY;
    }
    int usable = found && isfinite(best.f), failed = outcome;
    if (!outcome) outcome = c->interrupted ? EXIT_INTERRUPTED : usable ? EXIT_DONE : EXIT_NO_RESULT;
    int lines = c->view.mode == WATCH_JSON_LINES;
    if (c->view.mode == WATCH_QUIET && !json) {
        if (c->stop_files) fputs("gofh run: stopped by its stop file\n", stderr);
        return outcome;
    }
    if (json || lines) {
        json_t *object = json_object();
        char text[SESSION_ENDED];
        session_describe_end(c->s, &counts, text);
        if (lines) json_object_set_new(object, "event", json_string("outcome"));
        json_object_set_new(object, "outcome",
                            json_string(ended_by_itself(c, failed) ? text : why(c, failed)));
        json_object_set_new(object, "exit", json_integer(outcome));
        json_object_set_new(object, "done", json_integer(counts.done));
        json_object_set_new(object, "failed", json_integer(counts.failed));
        json_object_set_new(object, "open", json_integer(counts.open));
        json_object_set_new(object, "best", found ? describe_trial(c->s, &best) : json_null());
        int printed = describe_print(c->s, object);
        return printed ? printed : outcome;
    }
    watch_curve(&c->view);
    if (found) {
        describe_best(c->s, "best: ", &best);
        describe_values(c->s, stdout, best.x, NULL);
        describe_noise(c->s, "", best.trial, best.f);
    }
    print_end(c, &counts, failed);
    if (c->runs.count > 0 && c->runs.executor && c->runs.executor->queued)
        printf("%d job%s in the queue\n", c->runs.count, c->runs.count == 1 ? " goes on" : "s go on");
    if (kept) print_next(c, &counts, failed);
    return outcome;
}

static int run_study(command *c, int json)
{
    session *s = c->s;
    gofh_error error = {0};
    if (!s->file.simulator.command) {
        message_print(stderr, "gofh run: %s has no simulator section: use gofh ask and gofh tell\n", c->path);
        return EXIT_USAGE;
    }
    if (run_check(&s->file.simulator, &error)) {
        message_print(stderr, "gofh run: %s\n", error.message);
        return EXIT_USAGE;
    }
    session_check_design(s);
    s->file.settings.waiting = wait_for_file;
    s->file.settings.waiting_context = c;
    int outcome = session_open(s, GOFH_OPEN_WRITE);
    if (!outcome) outcome = session_enqueue(s, s->study);
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
    gofh_study_set_interrupt(s->study, should_stop, c);
    outcome = fleet_open(&c->runs, s);
    c->runs.begun = show_begun;
    c->runs.settled = show;
    c->runs.context = c;
    if (!c->runs.executor) {
        fleet_close(&c->runs);
        return outcome;
    }
    if (!outcome) outcome = watch_open(&c->view, &c->runs);
    if (!outcome) outcome = loop(c);
    outcome = finish(c, outcome, json);
    fleet_close(&c->runs);
    return outcome;
}

/* What the options change of the problem file's settings, for this command alone. */
static int apply_options(problem_file *file, int all, const char *wall_clock, const char *budget,
                         const char *seed)
{
    enum { BUDGET_MAX = 1000000 }; /* as in a problem file */
    long long number;
    if (all) file->settings.stop = GOFH_STOPPING_NEVER;
    if (wall_clock && (!scalar_duration(wall_clock, &file->wall_clock) || !(file->wall_clock > 0.0)))
        return arguments_wrong("run", "--wall-clock must be a duration such as 30m or 2h, not \"%.60s\"",
                               wall_clock);
    if (budget) {
        int status = arguments_number("run", "--budget", budget, 0, BUDGET_MAX, &number);
        if (status) return status;
        file->settings.budget = (int)number;
    }
    if (seed) {
        int status = arguments_number("run", "--seed", seed, 0, INT64_MAX, &number);
        if (status) return status;
        file->settings.seed = (uint64_t)number;
    }
    return EXIT_DONE;
}

int command_run(int count, char **arguments)
{
    const char *path, *wall_clock = NULL, *budget = NULL, *seed = NULL, *purpose = NULL;
    int json = 0, all = 0, quiet = 0, lines = 0, serve = 0;
    arguments_option options[] = {{"--all", &all, NULL},          {"--wall-clock", NULL, &wall_clock},
                                  {"--budget", NULL, &budget},    {"--seed", NULL, &seed},
                                  {"--quiet", &quiet, NULL},      {"--json", &json, NULL},
                                  {"--json-lines", &lines, NULL}, {"--serve", &serve, NULL},
                                  {"--for", NULL, &purpose},      {0}};
    arguments_spec spec = {"run", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    if (lines && (json || quiet)) return arguments_wrong("run", "--json-lines excludes --json and --quiet");
    int posterior = purpose && strcmp(purpose, "posterior") == 0;
    double limit;
    if (purpose && !posterior) {
        if (!scalar_duration(purpose, &limit) || !(limit > 0.0))
            return arguments_wrong(
                "run", "--for must be posterior or a duration such as 30m or 2h, not \"%.60s\"", purpose);
        if (wall_clock)
            return arguments_wrong("run", "--for %.60s and --wall-clock are the same: give one", purpose);
        wall_clock = purpose;
    }
    session s;
    command c = {.s = &s, .path = path, .began = clock_seconds()};
    watch_begin(&c.view, &s, json || lines ? stderr : stdout,
                lines   ? WATCH_JSON_LINES
                : quiet ? WATCH_QUIET
                        : WATCH_USUAL);
    status = session_read(&s, "run", path);
    if (posterior) s.file.settings.goal = GOFH_GOAL_POSTERIOR;
    if (!status) status = apply_options(&s.file, all, wall_clock, budget, seed);
    live_child page = {-1, -1};
    if (!status && serve) page = live_start(path);
    if (!status) status = run_study(&c, json);
    live_end(page);
    watch_close(&c.view);
    free(c.stop_file);
    free(c.x);
    session_close(&s);
    return status;
}
