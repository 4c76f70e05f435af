#include "run/local.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/command.h"
#include "run/files.h"
#include "run/folder.h"
#include "run/process.h"
#include "run/queue.h"
#include "run/spawn.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_WAIT = 50 }; /* milliseconds between looks at what can't wake us */

typedef struct {
    run base;
    process leader;
    char *mark;      /* in the environment of all that it starts */
    double began;    /* seconds since 1970 */
    int child;       /* ours to reap */
    int found;       /* not our child, but a process in the folder of this run */
    int lifeline;    /* closes when the child ends; -1 when it is not ours */
    spawned waiting; /* while it is paused */
    int paused;
    double held;   /* seconds that it was */
    run_state why; /* RUN_RUNNING until we end it */
    double term;   /* when we began to */
} local_run;

/* Of one that is paused: it ends, and nothing is left. */
static void give_up(local_run *l)
{
    spawn_release(&l->waiting, 0);
    waitpid(l->leader.pid, NULL, 0);
    files_remove_folder(l->base.folder);
    l->paused = 0;
}

static void local_free(run *r)
{
    local_run *l = (local_run *)r;
    if (!l) return;
    if (l->paused) give_up(l);
    if (l->lifeline >= 0) close(l->lifeline);
    free(r->folder);
    free(r->identity);
    free(l->mark);
    free(l);
}

static local_run *new_run(const executor *self, const simulator *sim)
{
    local_run *l = memory_new(1, sizeof *l);
    if (!l) return NULL;
    l->base.executor = self;
    l->base.simulator = sim;
    l->lifeline = -1;
    return l;
}

/* ---- Identity: "local PID START BOOT BEGAN FOLDER" ---- */

static gofh_status write_identity(local_run *l, gofh_error *error)
{
    buffer text = {0};
    buffer_format(&text, "local %ld %llu %s %.3f %s", (long)l->leader.pid, l->leader.start, l->leader.boot,
                  l->began, l->base.folder);
    l->base.identity = text.bytes;
    return text.failed ? error_memory(error) : GOFH_OK;
}

static gofh_status write_mark(local_run *l, gofh_error *error)
{
    buffer text = {0};
    buffer_format(&text, COMMAND_RUN_FOLDER "=%s", l->base.folder);
    l->mark = text.bytes;
    return text.failed ? error_memory(error) : GOFH_OK;
}

/* The next word of an identity, and what follows it; NULL if there is none. */
static const char *next_field(char **at)
{
    char *word = *at, *blank = strchr(word, ' ');
    if (!blank || blank == word) return NULL;
    *blank = '\0';
    *at = blank + 1;
    return word;
}

static int parse_identity(char *text, local_run *l)
{
    char *at = text;
    const char *fields[5];
    for (int i = 0; i < 5; i++)
        if (!(fields[i] = next_field(&at))) return -1;
    l->leader.pid = (pid_t)strtol(fields[1], NULL, 10);
    l->leader.start = strtoull(fields[2], NULL, 10);
    l->began = number_scan(fields[4], NULL);
    if (strcmp(fields[0], "local") != 0 || l->leader.pid <= 1 || *at != '/') return -1;
    if (strlen(fields[3]) >= sizeof l->leader.boot) return -1;
    memcpy(l->leader.boot, fields[3], strlen(fields[3]) + 1);
    /* What is left is the folder, which may hold blanks. */
    memmove(text, at, strlen(at) + 1);
    return 0;
}

static gofh_status read_identity(const char *identity, local_run *l, gofh_error *error)
{
    l->base.identity = memory_copy_text(identity);
    l->base.folder = memory_copy_text(identity);
    if (!l->base.identity || !l->base.folder) return error_memory(error);
    if (parse_identity(l->base.folder, l) == 0) return GOFH_OK;
    return error_set(error, GOFH_ERROR_ARGUMENT, "\"%.100s\" does not identify a local run", identity);
}

/* ---- Starting ---- */

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Why no process can be started, and what to do about it. */
static gofh_status refuse_start(int reason, gofh_error *error)
{
    struct rlimit files, processes;
    const char *what = strerror(reason);
    gofh_status status = files_status(reason);
    if (reason == EMFILE && getrlimit(RLIMIT_NOFILE, &files) == 0)
        return error_set(error, status,
                         "no process can be started: %s: the limit of %llu (ulimit -n) is too low", what,
                         (unsigned long long)files.rlim_cur);
    if (reason == EAGAIN && getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur != RLIM_INFINITY)
        return error_set(
            error, status,
            "no process can be started: %s: the limit of %llu processes (ulimit -u) may be too low", what,
            (unsigned long long)processes.rlim_cur);
    return error_set(error, status, "no process can be started: %s", what);
}

static gofh_status local_begin(run *r, gofh_error *error)
{
    local_run *l = (local_run *)r;
    l->held = process_age(&l->leader);
    l->began = wall_clock();
    int reason = spawn_release(&l->waiting, 1);
    l->paused = 0;
    if (!reason) return GOFH_OK;
    waitpid(l->leader.pid, NULL, 0);
    files_remove_folder(r->folder);
    return refuse_start(reason, error);
}

/* Starts a process that waits, says who it is, and only then lets it begin. */
static gofh_status launch(local_run *l, const run_request *request, const char *command, char **environment,
                          gofh_error *error)
{
    spawned *child = &l->waiting;
    if (spawn_paused(l->base.folder, command, environment, child) != 0) return refuse_start(errno, error);
    l->lifeline = child->lifeline;
    l->child = 1;
    l->began = wall_clock();
    gofh_status status = GOFH_OK;
    if (process_identify(child->pid, &l->leader) != 0) status = files_refuse(error, "/proc", "read");
    if (status == GOFH_OK) status = write_identity(l, error);
    if (status == GOFH_OK && request->remember && request->remember(request->context, l->base.identity) != 0)
        status = error_set(error, GOFH_ERROR_SYSTEM, "the run could not be recorded, so it was not started");
    l->paused = status == GOFH_OK && request->paused;
    if (l->paused) return GOFH_OK;
    int reason = spawn_release(child, status == GOFH_OK);
    if (status == GOFH_OK && reason) status = refuse_start(reason, error);
    if (status != GOFH_OK) waitpid(child->pid, NULL, 0);
    return status;
}

/* The command as a step of the job that we are in: srun waits for a free place of it, passes signals
 * on, and ends with the status of the command. */
static gofh_status make_step(const simulator *sim, buffer *command, gofh_error *error)
{
    buffer step = {0};
    slurm_step(sim, command->bytes, &step);
    buffer_free(command);
    *command = step;
    return step.failed ? error_memory(error) : GOFH_OK;
}

static gofh_status local_start(const executor *self, const run_request *request, run **result,
                               gofh_error *error)
{
    *result = NULL;
    local_run *l = new_run(self, request->simulator);
    if (!l) return error_memory(error);
    buffer command = {0};
    char **environment = NULL;
    gofh_error own = {.status = GOFH_OK};
    gofh_status status = spawn_reserve_files() == 0 ? GOFH_OK : refuse_start(errno, &own);
    if (status == GOFH_OK) {
        l->base.folder = folder_make(request->directory, request->trial, &own);
        status = own.status;
    }
    if (status == GOFH_OK) status = write_mark(l, &own);
    if (status == GOFH_OK) status = folder_fill(request, l->base.folder, &own);
    if (status == GOFH_OK)
        status = command_build(request->simulator, request->trial, request->x, &command, &own);
    if (status == GOFH_OK && request->simulator->executor == EXECUTOR_SRUN)
        status = make_step(request->simulator, &command, &own);
    if (status == GOFH_OK) {
        environment = command_environment(request->simulator, request->trial, l->base.folder);
        status = environment ? launch(l, request, command.bytes, environment, &own) : error_memory(&own);
    }
    command_environment_free(environment);
    buffer_free(&command);
    if (status == GOFH_OK) {
        *result = &l->base;
        return GOFH_OK;
    }
    error_set(error, status, "%s", own.message);
    if (l->base.folder) files_remove_folder(l->base.folder);
    local_free(&l->base);
    return status;
}

static gofh_status local_reattach(const executor *self, const simulator *sim, const char *directory,
                                  const char *identity, run **result, gofh_error *error)
{
    *result = NULL;
    local_run *l = new_run(self, sim);
    gofh_status status = l ? read_identity(identity, l, error) : error_memory(error);
    if (status == GOFH_OK && !folder_is_in(directory, l->base.folder))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "its folder %.200s is not in %.200s/runs",
                           l->base.folder, directory);
    if (status == GOFH_OK) status = write_mark(l, error);
    if (status != GOFH_OK) {
        local_free(l ? &l->base : NULL);
        return status;
    }
    l->found = process_is_alive(&l->leader) && process_works_in(&l->leader, l->base.folder);
    *result = &l->base;
    return GOFH_OK;
}

/* ---- How it stands ---- */

/* The shell says 128 + n for a command that signal n ended. */
static void set_exit(local_run *l, int code)
{
    l->base.state = code > 128 && code <= 128 + 64 ? RUN_SIGNALLED : RUN_EXITED;
    l->base.code = code > 128 && code <= 128 + 64 ? code - 128 : code;
}

/* The exit status that a wrapper left in a file; -1 if it did not get so far. */
static int recorded_status(const local_run *l, const char *file)
{
    char text[16], *end;
    files_tail(l->base.folder, file, text, sizeof text);
    long code = strtol(text, &end, 10);
    return end == text || code < 0 || code > 255 ? -1 : (int)code;
}

/* How long it ran, by when its wrapper left the status: we may have been busy since. */
static void take_seconds(local_run *l, const char *file)
{
    struct stat about;
    char *path = files_join(l->base.folder, file);
    if (path && stat(path, &about) == 0)
        l->base.seconds = fmax(0.0, (double)about.st_mtim.tv_sec + 1e-9 * (double)about.st_mtim.tv_nsec -
                                        l->began);
    free(path);
}

/* The end of a run that was not ours to reap: its wrapper left the exit status, if it got so far.
 * After a reboot that may be the status of a command which the machine ended on its way down, and
 * what it wrote may not have reached the disk. */
static void set_recorded_end(local_run *l)
{
    int code = recorded_status(l, LOCAL_STATUS);
    l->base.state = RUN_INTERRUPTED;
    if (!process_same_boot(&l->leader) || code < 0) return;
    set_exit(l, code);
    take_seconds(l, LOCAL_STATUS);
}

/* Whether the leader has ended. A child is not reaped yet, so that nobody else gets its number. */
static int leader_ended(const local_run *l)
{
    siginfo_t info = {.si_pid = 0};
    if (!l->child) return !l->found || !process_is_alive(&l->leader);
    return waitid(P_PID, (id_t)l->leader.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* The last line, of which blanks at the end are cut. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \r\n", text[length - 1])) text[--length] = '\0';
    const char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* What the step itself left counts, whatever became of srun after it. A step that left nothing, or
 * that the end of the allocation reached, says nothing of the point. One that never began is not counted
 * as lost: an allocation that is over loses all that is tried in it, as fast as it is tried. */
static void judge_step(local_run *l)
{
    run *r = &l->base;
    int code = recorded_status(l, SLURM_STEP_STATUS);
    int failed = r->state == RUN_SIGNALLED || (r->state == RUN_EXITED && r->code != 0);
    if (code == 0 && (failed || r->state == RUN_INTERRUPTED)) {
        set_exit(l, code);
        take_seconds(l, SLURM_STEP_STATUS);
        return;
    }
    char text[1000];
    files_tail(r->folder, LOCAL_STDERR, text, sizeof text);
    if (!failed || (code >= 0 && !slurm_step_was_ended(code, text))) return;
    if (code < 0 && !files_exists(r->folder, SLURM_STEP_BEGUN)) {
        const char *said = last_line(text);
        r->state = RUN_NOT_BEGUN;
        snprintf(r->why, sizeof r->why, "its step did not begin: %.300s",
                 *said ? said : "srun does not say why; the allocation may be over");
        number_make_printable(r->why);
        return;
    }
    int ended = slurm_step_end(r->simulator, text, r->seconds) == SEEN_ENDED;
    r->state = ended ? RUN_ENDED : RUN_LOST;
    snprintf(r->why, sizeof r->why, "its step was ended: %.300s",
             ended ? SLURM_SYSTEM.overhear(text) : last_line(text));
    number_make_printable(r->why);
}

static void set_end(local_run *l)
{
    int status;
    if (!l->child) {
        set_recorded_end(l);
    } else if (waitpid(l->leader.pid, &status, 0) != l->leader.pid) {
        l->base.state = RUN_INTERRUPTED;
    } else if (WIFSIGNALED(status)) {
        l->base.state = RUN_SIGNALLED;
        l->base.code = WTERMSIG(status);
    } else if (!spawn_was_run(l->lifeline)) {
        l->base.state = RUN_NOT_BEGUN;
    } else {
        set_exit(l, WEXITSTATUS(status));
        take_seconds(l, LOCAL_STATUS);
    }
    if (l->why != RUN_RUNNING)
        l->base.state = l->why;
    else if (l->base.simulator->executor == EXECUTOR_SRUN)
        judge_step(l);
    l->child = 0;
    if (l->lifeline >= 0) close(l->lifeline);
    l->lifeline = -1;
}

/* Signals what belongs to it; how many are alive. A daemon, which makes a session of its own, may
 * outlive a run that ended by itself, not one that is to end. */
static int signal_all(const local_run *l, int daemons, int signal)
{
    process_reach session = l->child || l->found ? PROCESS_SESSION : 0;
    return process_signal(&l->leader, l->mark, session | (daemons ? PROCESS_MARKED : 0), signal);
}

static void begin_to_end(local_run *l, run_state why)
{
    if (l->why != RUN_RUNNING) return;
    l->why = why;
    l->term = process_clock();
    signal_all(l, 1, SIGTERM);
    /* A stopped process does not see TERM. */
    signal_all(l, 1, SIGCONT);
}

/* What the leader left in the background would only be in the way of the next run. On a busy
 * machine even the killed wait their turn to end; one that the kernel holds is not waited for. */
static void end_what_is_left(const local_run *l, int daemons)
{
    double began = process_clock();
    while (signal_all(l, daemons, SIGKILL) > 0 && process_clock() - began < LOCAL_GRACE) spawn_pause();
}

static run_state local_poll(run *r)
{
    local_run *l = (local_run *)r;
    if (r->state != RUN_RUNNING) return r->state;
    int ended = leader_ended(l), reattached = !l->child;
    if (!ended || !reattached) r->seconds = process_age(&l->leader) - l->held;
    if (!ended && r->simulator->timeout > 0.0 && r->seconds > r->simulator->timeout)
        begin_to_end(l, RUN_TIMED_OUT);
    if (l->why != RUN_RUNNING) {
        int over = process_clock() - l->term > LOCAL_GRACE;
        if (signal_all(l, 1, over ? SIGKILL : 0) > 0) return RUN_RUNNING;
        ended = leader_ended(l);
    } else if (ended && !reattached) {
        /* Before it is reaped: as long as the session's number is its own */
        end_what_is_left(l, 0);
    }
    if (!ended) return r->state;
    l->found = 0;
    set_end(l);
    if (reattached) end_what_is_left(l, r->state == RUN_INTERRUPTED);
    return r->state;
}

static void local_cancel(run *r)
{
    local_run *l = (local_run *)r;
    if (r->state == RUN_RUNNING && (l->child || l->found)) begin_to_end(l, RUN_CANCELLED);
}

/* ---- Waiting ---- */

/* Milliseconds until the run has to be looked at again; -1: not before it ends. */
static int until_look(const local_run *l)
{
    if (l->base.state != RUN_RUNNING) return 0;
    if (l->lifeline < 0 || l->why != RUN_RUNNING) return SHORT_WAIT;
    if (l->base.simulator->timeout <= 0.0) return -1;
    double left = l->base.simulator->timeout - (process_age(&l->leader) - l->held);
    return (int)fmin(3600e3, fmax(1.0, ceil(1e3 * left) + 1.0));
}

static int local_wait(const executor *self, run *const *runs, int count, int timeout_ms, int wake)
{
    (void)self;
    struct pollfd *files = memory_new((size_t)count + 1, sizeof *files);
    int wait = timeout_ms;
    if (!files) return 0;
    for (int i = 0; i < count; i++) {
        const local_run *l = (const local_run *)runs[i];
        int look = until_look(l);
        if (look >= 0 && (wait < 0 || look < wait)) wait = look;
        /* Its end is known already: what is waited for is the end of the rest of its session. */
        /* Only its end counts, which poll always reports, not what the wrapper writes before that. */
        files[i] = (struct pollfd){.fd = l->why == RUN_RUNNING ? l->lifeline : -1, .events = 0};
    }
    files[count] = (struct pollfd){.fd = wake, .events = POLLIN};
    int result = poll(files, (nfds_t)count + 1, wait);
    if (result < 0 && errno != EINTR) result = 0;
    if (result == 0 && wait != timeout_ms) result = 1;
    free(files);
    return result > 0 ? 1 : result;
}

static void local_forget(const run *r)
{
    char *path = files_join(r->folder, LOCAL_STATUS);
    if (path) unlink(path);
    free(path);
}

const executor LOCAL_EXECUTOR = {.start = local_start,
                                 .begin = local_begin,
                                 .reattach = local_reattach,
                                 .poll = local_poll,
                                 .cancel = local_cancel,
                                 .wait = local_wait,
                                 .forget = local_forget,
                                 .free_run = local_free,
                                 .name = "local"};
