#include "cli/fleet.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the shell says of a command that it can't find or run. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* So often a trial is left for a command to be mended; then it is the trial's own fault. */
enum { MENDING_ATTEMPTS = 2 };

/* So often a trial is run again that the cluster lost. */
enum { LOST_MAX = 3 };

/* Seconds for which no more runs than there were are tried at once, after one could not begin. */
#define LACK_FOR 60.0

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int grow(fleet *f)
{
    if (f->count < f->room) return EXIT_DONE;
    int room = f->room ? 2 * f->room : 16;
    fleet_run *runs = realloc(f->runs, (size_t)room * sizeof *runs);
    if (runs) f->runs = runs;
    run **processes = realloc(f->processes, (size_t)room * sizeof(void *));
    if (processes) f->processes = processes;
    int64_t *over = realloc(f->over, (size_t)room * sizeof *over);
    if (over) f->over = over;
    if (!runs || !processes || !over) return session_no_memory(f->s);
    f->room = room;
    return EXIT_DONE;
}

static void add(fleet *f, int64_t trial, run *process, int reattached)
{
    f->runs[f->count] = (fleet_run){trial, process, reattached, !reattached};
    f->processes[f->count++] = process;
}

static void take_away(fleet *f, int i)
{
    f->executor->free_run(f->runs[i].process);
    f->count--;
    f->runs[i] = f->runs[f->count];
    f->processes[i] = f->processes[f->count];
}

static long noted_number(const session *s, int64_t trial, const char *name)
{
    const char *number = gofh_study_note(s->study, trial, name);
    return number ? strtol(number, NULL, 10) : 0;
}

static gofh_status note_number(const session *s, int64_t trial, const char *name, long number)
{
    char text[24];
    snprintf(text, sizeof text, "%ld", number);
    return gofh_study_set_note(s->study, trial, name, text);
}

/* How long a run took; NaN: not known. */
static gofh_status note_seconds(const session *s, int64_t trial, double seconds)
{
    char text[32];
    if (isnan(seconds)) return GOFH_OK;
    number_format(text, sizeof text, "%.3f", seconds);
    return gofh_study_set_note(s->study, trial, NOTE_SECONDS, text);
}

static long attempts_so_far(const session *s, int64_t trial)
{
    return noted_number(s, trial, NOTE_ATTEMPTS);
}

static gofh_status set_attempts(const session *s, int64_t trial, long attempts)
{
    return note_number(s, trial, NOTE_ATTEMPTS, attempts);
}

/* The trial waits for a run of the program after this one. */
static int leave_open(fleet *f, int64_t trial)
{
    gofh_status status = gofh_study_set_note(f->s->study, trial, NOTE_RUN, NULL);
    return status ? session_failed(f->s, status) : EXIT_DONE;
}

/* The same after a run that was ended for no fault of its own, so that it does not count; once for
 * each run. */
static int take_back(fleet *f, int64_t trial)
{
    long attempts = attempts_so_far(f->s, trial);
    if (!gofh_study_note(f->s->study, trial, NOTE_RUN)) return EXIT_DONE;
    int outcome = leave_open(f, trial);
    if (outcome || attempts < 1) return outcome;
    gofh_status status = set_attempts(f->s, trial, attempts - 1);
    return status ? session_failed(f->s, status) : EXIT_DONE;
}

static int reattach(fleet *f, int64_t trial, const char *identity)
{
    gofh_error error = {0};
    run *process;
    int outcome = grow(f);
    size_t length = strcspn(identity, " ");
    if (outcome) return outcome;
    if (strncmp(identity, f->executor->name, length) != 0 || f->executor->name[length] != '\0') {
        /* It may be under way. */
        message_print(
            stderr,
            "gofh run: a run of trial %lld was started by executor: %.*s: let the same executor finish "
            "or cancel it (^C twice) before you choose another\n",
            (long long)trial, (int)(length < 20 ? length : 20), identity);
        return EXIT_USAGE;
    }
    gofh_status status = f->executor->reattach(f->executor, &f->s->file.simulator, f->s->directory, identity,
                                               &process, &error);
    if (status == GOFH_ERROR_MEMORY) return session_no_memory(f->s);
    if (status) {
        /* The study was moved, or comes from someone else. */
        char reason[sizeof error.message];
        snprintf(reason, sizeof reason, "%s", error.message);
        number_make_printable(reason);
        message_print(stderr, "gofh run: the run of trial %lld can't be found again, so it is run anew: %s\n",
                      (long long)trial, reason);
        return take_back(f, trial);
    }
    add(f, trial, process, 1);
    return EXIT_DONE;
}

int fleet_open(fleet *f, session *s)
{
    gofh_error error = {0};
    *f = (fleet){.s = s, .executor = executor_open(&s->file.simulator, &error)};
    if (!f->executor) {
        message_print(stderr, "gofh run: %s\n", error.message);
        return session_exit(error.status);
    }
    f->y = calloc((size_t)s->m, sizeof *f->y);
    int outcome = f->y ? EXIT_DONE : session_no_memory(s);
    for (int64_t i = 1; i <= gofh_study_count(s->study) && !outcome; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        if (trial.state != GOFH_TRIAL_OPEN) continue;
        const char *identity = gofh_study_note(s->study, i, NOTE_RUN);
        if (identity) outcome = reattach(f, i, identity);
    }
    return outcome;
}

void fleet_close(fleet *f)
{
    while (f->count > 0) take_away(f, f->count - 1);
    executor_close(f->executor);
    free(f->runs);
    free(f->processes);
    free(f->over);
    free(f->y);
}

int fleet_has(const fleet *f, int64_t trial)
{
    for (int i = 0; i < f->count; i++)
        if (f->runs[i].trial == trial) return 1;
    return 0;
}

typedef struct {
    session *s;
    const executor *executor;
    int64_t trial;
    gofh_status status;
} memory;

/* The study knows of a run before it begins: by fleet_begin or, where the executor can't wait, now. */
static int remember(void *context, const char *identity)
{
    memory *m = context;
    gofh_study *study = m->s->study;
    m->status = set_attempts(m->s, m->trial, attempts_so_far(m->s, m->trial) + 1);
    if (!m->status) m->status = gofh_study_set_note(study, m->trial, NOTE_RUN, identity);
    if (m->executor->begin) return m->status;
    if (!m->status) m->status = gofh_study_release(study);
    gofh_study_hold(study);
    return m->status;
}

static int is_interrupted(void *context)
{
    (void)context;
    return interrupt_count() > 0;
}

/* No more at once than there are now: the next begins when one of these has ended. With none there
 * is nothing to wait for. */
static int lack(fleet *f, int64_t trial, const char *reason)
{
    if (f->stopping) return EXIT_DONE;
    if (f->count == 0) {
        message_print(stderr, "gofh run: trial %lld can't be run: %s\n", (long long)trial, reason);
        return EXIT_SIMULATOR;
    }
    if (!f->lacking++)
        message_print(stderr, "gofh run: only %d run%s at once instead of %d: %s\n", f->count,
                      f->count == 1 ? "" : "s", f->s->file.simulator.parallel, reason);
    f->places = f->count;
    f->places_until = clock_seconds() + LACK_FOR;
    return EXIT_DONE;
}

int fleet_has_place(const fleet *f)
{
    int most = f->s->file.simulator.parallel;
    if (f->places > 0 && f->places < most && clock_seconds() < f->places_until) most = f->places;
    return f->count < most;
}

void fleet_hold(fleet *f)
{
    gofh_study_hold(f->s->study);
}

/* What became of a run that could not begin. */
static int not_begun(fleet *f, int64_t trial, gofh_status status, const char *reason)
{
    int outcome = take_back(f, trial);
    if (outcome || status == GOFH_STOP_CALLER) return outcome;
    if (status == GOFH_ERROR_MEMORY) return lack(f, trial, reason);
    message_print(stderr, "gofh run: trial %lld can't be run: %s\n", (long long)trial, reason);
    return status == GOFH_ERROR_PROBLEM ? EXIT_SIMULATOR : EXIT_STUDY;
}

/* Begins run i, or takes it away. */
static int begin_run(fleet *f, int i)
{
    gofh_error error = {0};
    int64_t trial = f->runs[i].trial;
    f->runs[i].waiting = 0;
    gofh_status status = f->executor->begin ? f->executor->begin(f->runs[i].process, &error) : GOFH_OK;
    if (status) {
        take_away(f, i);
        return not_begun(f, trial, status, error.message);
    }
    f->begun(trial, f->context);
    return EXIT_DONE;
}

int fleet_begin(fleet *f)
{
    gofh_status status = gofh_study_release(f->s->study);
    int outcome = status ? session_failed(f->s, status) : EXIT_DONE;
    for (int i = 0; i < f->over_count && !status; i++) {
        f->unannounced = f->over_count - 1 - i;
        f->settled(f->over[i], f->context);
    }
    f->over_count = f->unannounced = 0;
    for (int i = 0; i < f->count;) {
        int before = f->count;
        if (f->runs[i].waiting && outcome && f->executor->begin) {
            take_away(f, i);
        } else if (f->runs[i].waiting) {
            int begun = begin_run(f, i);
            if (!outcome) outcome = begun;
        }
        i += f->count == before;
    }
    return outcome;
}

int fleet_start(fleet *f, int64_t trial, const double *x)
{
    memory m = {f->s, f->executor, trial, GOFH_OK};
    gofh_error error = {0};
    run *process;
    int outcome = grow(f);
    if (outcome) return outcome;
    run_request request = {.simulator = &f->s->file.simulator,
                           .directory = f->s->directory,
                           .trial = trial,
                           .x = x,
                           .paused = f->executor->begin != NULL,
                           .remember = remember,
                           .interrupted = is_interrupted,
                           .context = &m};
    gofh_status status = f->executor->start(f->executor, &request, &process, &error);
    if (m.status) return session_failed(f->s, m.status);
    if (status) return not_begun(f, trial, status, error.message);
    add(f, trial, process, 0);
    return EXIT_DONE;
}

void fleet_wait(fleet *f, int milliseconds)
{
    f->executor->wait(f->executor, f->processes, f->count, milliseconds, interrupt_descriptor());
    interrupt_drain();
    const char *trouble = f->executor->trouble ? f->executor->trouble(f->executor) : "";
    if (*trouble && !f->troubled)
        message_print(stderr, "gofh run: %s; it is asked until it does, and no job is judged before\n",
                      trouble);
    f->troubled = *trouble != '\0';
}

void fleet_cancel(fleet *f)
{
    /* First this, on the disk: should the program be killed now, the end that we brought about must not
     * look like a failure. A queue says who cancelled a job, and may be too far away to do it now. */
    for (int i = 0; i < f->count && !f->executor->queued; i++)
        if (take_back(f, f->runs[i].trial)) return;
    if (gofh_study_release(f->s->study)) return;
    for (int i = 0; i < f->count; i++) f->executor->cancel(f->runs[i].process);
}

/* The same trial once more. */
static int start_again(fleet *f, int64_t trial)
{
    if (f->stopping) return leave_open(f, trial);
    gofh_trial again;
    gofh_status status = gofh_study_trial(f->s->study, trial, &again);
    if (status) return session_failed(f->s, status);
    double *x = malloc((size_t)f->s->d * sizeof *x);
    if (!x) return session_no_memory(f->s);
    memcpy(x, again.x, (size_t)f->s->d * sizeof *x);
    int outcome = fleet_start(f, trial, x);
    free(x);
    return outcome;
}

static int attempts_left(const fleet *f, int64_t trial)
{
    const simulator *sim = &f->s->file.simulator;
    return sim->on_failure == FAILURE_RETRY && attempts_so_far(f->s, trial) <= sim->retries;
}

/* Whether the command has never worked: then a run that could not begin says nothing about its
 * trial. */
static int never_worked(const fleet *f)
{
    session_counts counts;
    return session_count(f->s, &counts) == GOFH_OK && counts.worked == 0;
}

/* The command is for the user to mend; the trial waits for that. */
static int refuse_command(fleet *f, int64_t trial, int is_sure, const char *reason)
{
    if (!f->unusable++)
        message_print(stderr,
                      "gofh run: the simulator can't be run: %s\n"
                      "gofh run: no evaluation was recorded: mend it, and the same command goes on\n",
                      reason);
    int left = is_sure ? take_back(f, trial) : leave_open(f, trial);
    return left ? left : EXIT_SIMULATOR;
}

/* A run without a result. The program goes on, unless that is not wanted or the command can't be
 * run at all. `unusable`: it could not begin, for a reason that is known; `not_found`: only the
 * exit status says so, which may be the trial's own. */
static int failed(fleet *f, int64_t trial, int unusable, int not_found, double seconds, const char *reason)
{
    session *s = f->s;
    if ((unusable || (not_found && attempts_so_far(s, trial) <= MENDING_ATTEMPTS)) && never_worked(f))
        return refuse_command(f, trial, unusable, reason);
    if (attempts_left(f, trial)) return start_again(f, trial);
    gofh_status status = gofh_study_fail(s->study, trial, reason);
    if (!status) status = note_seconds(s, trial, seconds);
    if (status) return session_failed(s, status);
    f->failed++;
    f->over[f->over_count++] = trial;
    if (s->file.simulator.on_failure != FAILURE_ABORT) return EXIT_DONE;
    message_print(stderr, "gofh run: trial %lld failed, and on_failure is abort: %s\n", (long long)trial,
                  reason);
    return EXIT_SIMULATOR;
}

/* The cluster's fault, until it happens too often. */
static int lost(fleet *f, int64_t trial, const char *reason)
{
    char text[RUN_REASON + 80];
    long times = noted_number(f->s, trial, NOTE_LOST);
    if (times >= LOST_MAX) {
        snprintf(text, sizeof text, "lost %ld times, at last: %s", times + 1, reason);
        return failed(f, trial, 0, 0, NAN, text);
    }
    message_print(stderr, "gofh run: the run of trial %lld is lost and %s: %s\n", (long long)trial,
                  f->stopping ? "will be run again" : "is run again", reason);
    gofh_status status = note_number(f->s, trial, NOTE_LOST, times + 1);
    int outcome = status ? session_failed(f->s, status) : take_back(f, trial);
    return outcome ? outcome : start_again(f, trial);
}

/* What is asked of the queue is for the user to mend. */
static int refused(fleet *f, int64_t trial, const char *reason)
{
    if (!f->unusable++)
        message_print(
            stderr,
            "gofh run: %s\ngofh run: no failure was recorded: mend it, and the same command goes on\n",
            reason);
    int outcome = take_back(f, trial);
    return outcome ? outcome : EXIT_SIMULATOR;
}

static int succeeded(fleet *f, int64_t trial, double seconds)
{
    gofh_status status = gofh_study_tell(f->s->study, trial, f->y);
    if (!status) status = note_seconds(f->s, trial, seconds);
    if (!status) status = places_note(f->s, f->s->study, trial);
    if (status) return session_failed(f->s, status);
    f->done++;
    f->over[f->over_count++] = trial;
    return EXIT_DONE;
}

/* A run that failed while there is no space left, perhaps for that reason: it is to be run again,
 * and the study can't keep even that. */
static int disk_full(fleet *f, int i, const char *reason)
{
    message_print(stderr,
                  "gofh run: the run of trial %lld failed (%s), but the disk is full: make space for %s\n",
                  (long long)f->runs[i].trial, reason, f->s->directory);
    f->executor->forget(f->runs[i].process);
    take_away(f, i);
    return EXIT_STUDY;
}

static int settle(fleet *f, int i)
{
    char reason[RUN_REASON];
    fleet_run over = f->runs[i];
    run_failure failure = run_collect(over.process, f->y, reason);
    if ((failure == FAILED_COMMAND || failure == FAILED_SIMULATOR || failure == FAILED_RESULTS) &&
        session_disk_full(f->s))
        return disk_full(f, i, reason);
    double seconds = over.process->seconds;
    /* Who ends this program often ends what it runs with it. */
    int ended_with_us = over.process->state == RUN_SIGNALLED && interrupt_count() > 0;
    int code = over.process->code,
        not_found = over.process->state == RUN_EXITED && (code == NOT_EXECUTABLE || code == NOT_FOUND);
    int outcome;
    take_away(f, i);
    if (ended_with_us) return take_back(f, over.trial);
    switch (failure) {
    case FAILED_NOT:
        return succeeded(f, over.trial, seconds);
    case FAILED_MEMORY:
        message_print(stderr, "gofh run: the results of trial %lld can't be read: %s\n",
                      (long long)over.trial, reason);
        return EXIT_STUDY;
    case FAILED_NOT_BEGUN:
        outcome = take_back(f, over.trial);
        return outcome ? outcome : lack(f, over.trial, reason);
    case FAILED_CANCELLED:
        return take_back(f, over.trial);
    case FAILED_LOST:
        return lost(f, over.trial, reason);
    case FAILED_REFUSED:
        return refused(f, over.trial, reason);
    case FAILED_INTERRUPTED:
        if (!over.reattached) break;
        outcome = take_back(f, over.trial);
        return outcome ? outcome : start_again(f, over.trial);
    case FAILED_COMMAND:
    case FAILED_SIMULATOR:
    case FAILED_RESULTS:
        break;
    }
    return failed(f, over.trial, failure == FAILED_COMMAND, not_found, seconds, reason);
}

int fleet_settle(fleet *f)
{
    int outcome = EXIT_DONE;
    fleet_hold(f);
    for (int i = f->count - 1; i >= 0 && !outcome; i--)
        if (!f->runs[i].waiting && f->executor->poll(f->runs[i].process) != RUN_RUNNING)
            outcome = settle(f, i);
    int begun = fleet_begin(f);
    return outcome ? outcome : begun;
}
