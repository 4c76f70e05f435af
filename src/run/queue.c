#include "run/queue.h"

#include "base/error.h"
#include "base/memory.h"
#include "run/command.h"
#include "run/files.h"
#include "run/folder.h"
#include "run/job.h"
#include "run/process.h"
#include "run/queue_parts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Seconds for the exit file of a job that is known not to have completed, or not to have begun. */
#define KNOWN_GRACE 30.0
enum { VANISHED_MAX = 3, SHORT_WAIT = 50, LONG_WAIT = 250 }; /* the waits: ms */

/* ---- Making and freeing ---- */

static void free_job(run *r)
{
    job *j = (job *)r;
    if (!j) return;
    queue *q = j->queue;
    for (job **at = &q->first; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            break;
        }
    if (q->submitting == j) q->submitting = NULL;
    if (q->accounting == j) q->accounting = NULL;
    if (q->cancelled == j) q->cancelled = NULL;
    free(r->folder);
    free(r->identity);
    free(j->name);
    free(j);
}

static job *new_job(const executor *self, const simulator *sim)
{
    queue *q = (queue *)self;
    job *j = memory_new(1, sizeof *j);
    if (!j) return NULL;
    j->base.executor = self;
    j->base.simulator = sim;
    j->queue = q;
    j->began = process_clock();
    job **last = &q->first;
    while (*last) last = &(*last)->next;
    *last = j;
    return j;
}

/* ---- Identity: "slurm NAME FOLDER" ---- */

/* gofh-STUDY-TRIAL-ATTEMPT-MARK: a study that was removed and made anew has other marks. */
static gofh_status make_name(job *j, gofh_error *error)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char study[40] = "";
    struct timespec now;
    const char *folder = j->base.folder, *runs = strstr(folder, ".gofh/"), *begin = runs;
    for (const char *next = runs; next && (next = strstr(next + 1, ".gofh/"));) begin = runs = next;
    while (begin && begin > folder && begin[-1] != '/') begin--;
    size_t length = begin ? (size_t)(runs - begin) : 0;
    for (size_t i = 0; i < length && i + 1 < sizeof study; i++)
        study[i] = strchr(LETTERS, begin[i]) ? begin[i] : '_';
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mark = ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) * 2654435761u +
                    (uint64_t)getpid();
    buffer name = {0};
    buffer_format(&name, "gofh-%s-%s-%08llx", study, strrchr(folder, '/') + 1,
                  (unsigned long long)((mark >> 16) & 0xffffffffu));
    j->name = name.bytes;
    return name.failed ? error_memory(error) : GOFH_OK;
}

static gofh_status write_identity(job *j, gofh_error *error)
{
    buffer text = {0};
    gofh_status status = make_name(j, error);
    if (status != GOFH_OK) return status;
    buffer_format(&text, "%s %s %s", j->base.executor->name, j->name, j->base.folder);
    j->base.identity = text.bytes;
    return text.failed ? error_memory(error) : GOFH_OK;
}

const char *queue_folder(const char *identity)
{
    const char *name = strchr(identity, ' '), *folder = name ? strchr(name + 1, ' ') : NULL;
    return folder && folder[1] == '/' && strncmp(name + 1, "gofh-", 5) == 0 ? folder + 1 : NULL;
}

static gofh_status read_identity(const char *identity, job *j, gofh_error *error)
{
    const char *folder = queue_folder(identity), *own = j->base.executor->name;
    size_t length = strlen(own);
    if (!folder || strncmp(identity, own, length) != 0 || identity[length] != ' ' ||
        (size_t)(folder - identity) - length - 2 >= QUEUE_NAME)
        return error_set(error, GOFH_ERROR_ARGUMENT, "\"%.100s\" does not identify a job of %s", identity,
                         j->queue->system->title);
    buffer name = {0};
    buffer_add(&name, identity + length + 1, (size_t)(folder - identity) - length - 2);
    j->name = name.bytes;
    j->base.identity = memory_copy_text(identity);
    j->base.folder = memory_copy_text(folder);
    return name.failed || !j->base.identity || !j->base.folder ? error_memory(error) : GOFH_OK;
}

/* ---- How a job stands ---- */

/* The last that can be known of a job that the list says too little of: what the queue told its
 * output. A word there that the list has for the living, as REQUEUED, is the end of this run. */
static void overhear(job *j)
{
    const queue_system *system = j->queue->system;
    char text[1000];
    if (!system->overhear) return;
    files_tail(j->base.folder, JOB_OUTPUT, text, sizeof text);
    const char *word = system->overhear(text);
    if (!word) return;
    j->seen.seen = system->judge(word) == SEEN_ALIVE ? SEEN_LOST : system->judge(word);
    snprintf(j->seen.word, sizeof j->seen.word, "%s", word);
}

/* Whether all is known of its end that will be. */
static int end_is_known(job *j)
{
    const queue_system *system = j->queue->system;
    if (!system->tells_ends) return 1;
    if (j->over_since == 0.0) return 0;
    if (j->seen.seen != SEEN_NOT) return 1;
    if (system->account && j->accounted < 2) {
        j->accounted = 1;
        return 0;
    }
    overhear(j);
    return 1;
}

/* Whether the queue ended it, not the command itself. */
static int was_ended(const job *j)
{
    return j->seen.seen == SEEN_ENDED || j->seen.seen == SEEN_CANCELLED || j->seen.seen == SEEN_LOST;
}

/* What somebody cancels while it runs is given up, like what is over its time; while it waits, nothing
 * has been tried yet. */
static void finish_ended(job *j)
{
    int cancelled = j->seen.seen == SEEN_CANCELLED && job_is_claimed(j->base.folder);
    queue_explain(j, "%s (job %s of %s)%s", j->seen.word, queue_id(j), j->queue->system->title,
                  cancelled ? ": somebody ended it" : "");
    queue_finish(j, cancelled || j->seen.seen == SEEN_ENDED ? RUN_ENDED : RUN_LOST);
}

/* Of one that counts as alive: whether it waits to run once more, which its claim prevents. Then a new
 * job does that. */
static int finish_requeued(job *j)
{
    queue_sighting before = j->seen;
    overhear(j);
    if (j->seen.seen == SEEN_LOST) {
        finish_ended(j);
        return 1;
    }
    j->seen = before;
    return 0;
}

static void judge_exit(job *j, const job_exit *exit)
{
    int code = exit->status;
    j->base.seconds = exit->seconds;
    if (code == 0 || exit->timed_out) {
        queue_finish(j, code == 0 ? RUN_EXITED : RUN_TIMED_OUT);
        j->base.code = 0;
        return;
    }
    /* The queue may have ended it; then what the command made of that is not the reason. */
    if (j->seen.seen == SEEN_ALIVE && finish_requeued(j)) return;
    if (!end_is_known(j)) {
        /* The queue soon forgets it. */
        if (!j->hurried++) j->queue->list_next = process_clock();
        j->queue->list_interval = QUEUE_LOOK_MIN;
        return;
    }
    if (!was_ended(j)) overhear(j);
    if (was_ended(j)) {
        finish_ended(j);
        return;
    }
    /* The shell says 128 + n for a command that signal n ended. */
    int signalled = code > 128 && code <= 128 + 64;
    j->base.code = signalled ? code - 128 : code;
    queue_finish(j, signalled ? RUN_SIGNALLED : RUN_EXITED);
}

static void judge_late(job *j, const job_exit *exit, double now)
{
    if (j->late_since == 0.0) j->late_since = now;
    if (now - j->late_since < j->base.simulator->queue.grace) return;
    queue_explain(
        j, "%s of job %s was not seen here as the job saw it, within %g s: the file system is too slow",
        exit->late, queue_id(j), j->base.simulator->queue.grace);
    queue_finish(j, RUN_LOST);
}

/* One that is over, or missing in the list, without an exit file. A controller that was killed
 * forgets what it took last: what has not begun can be submitted again, as its claim makes sure that
 * it runs once. */
static void judge_missing(job *j, double now)
{
    double grace = j->base.simulator->queue.grace;
    if (j->seen.seen == SEEN_NOT && now - j->over_since >= fmin(grace, KNOWN_GRACE) &&
        !job_is_claimed(j->base.folder) && j->vanished < VANISHED_MAX) {
        j->vanished++;
        j->over_since = 0.0;
        j->phase = TO_SUBMIT;
        j->not_before = now;
        return;
    }
    int known = was_ended(j) || j->seen.seen == SEEN_FAILED;
    if (now - j->over_since < (known ? fmin(grace, KNOWN_GRACE) : grace) || !end_is_known(j)) return;
    const char *title = j->queue->system->title;
    if (j->seen.seen == SEEN_FAILED) overhear(j);
    switch (j->seen.seen) {
    case SEEN_ENDED:
    case SEEN_CANCELLED:
    case SEEN_LOST:
        finish_ended(j);
        return;
    case SEEN_FAILED:
        if (job_is_claimed(j->base.folder)) {
            queue_explain(j, "%s without an exit status (job %s of %s)", j->seen.word, queue_id(j), title);
            queue_finish(j, RUN_ENDED);
        } else {
            queue_explain(j, "job %s of %s could not begin", queue_id(j), title);
            queue_add_last_line(j, JOB_OUTPUT);
            queue_finish(j, RUN_LOST);
        }
        return;
    case SEEN_NOT:
    case SEEN_ALIVE:
    case SEEN_COMPLETED:
        queue_explain(j, "job %s of %s %s, but no exit file came within %g s", queue_id(j), title,
                      j->seen.seen == SEEN_COMPLETED ? "has ended" : "is gone", grace);
        queue_add_last_line(j, JOB_OUTPUT);
        queue_finish(j, RUN_LOST);
    }
}

/* One that is to be cancelled. */
static void judge_cancelled(job *j)
{
    /* Whoever has the claim may run it: then it is we, and it never begins. */
    if (job_claim(j->base.folder) && j->phase == TO_SUBMIT) j->base.state = RUN_CANCELLED;
    if (j->phase == TO_SUBMIT || (j->cancelling == 3 && j->over_since > 0.0)) j->base.state = RUN_CANCELLED;
}

static run_state poll_job(run *r)
{
    job *j = (job *)r;
    queue_pump(j->queue);
    if (r->state != RUN_RUNNING) return r->state;
    double now = process_clock();
    job_exit exit;
    r->seconds = now - j->began;
    job_end end = job_read_exit(r->folder, &exit);
    if (end == JOB_FINISHED)
        judge_exit(j, &exit);
    else if (j->cancelling)
        judge_cancelled(j);
    else if (end == JOB_LATE)
        judge_late(j, &exit, now);
    else if (j->over_since > 0.0)
        judge_missing(j, now);
    else if (j->waits_again) { /* killed with its script, before that could say how it ended */
        j->waits_again = 0;
        finish_requeued(j);
    }
    return r->state;
}

static void cancel_job(run *r)
{
    job *j = (job *)r;
    if (r->state == RUN_RUNNING && !j->cancelling) j->cancelling = 1;
}

/* ---- Starting ---- */

static gofh_status start_job(const executor *self, const run_request *request, run **result,
                             gofh_error *error)
{
    *result = NULL;
    job *j = new_job(self, request->simulator);
    if (!j) return error_memory(error);
    gofh_error own = {.status = GOFH_OK};
    j->base.folder = folder_make(request->directory, request->trial, &own);
    gofh_status status = own.status;
    if (status == GOFH_OK) status = folder_fill(request, j->base.folder, &own);
    if (status == GOFH_OK) status = write_identity(j, &own);
    if (status == GOFH_OK) status = job_write_script(request, j->base.folder, j->name, &own);
    if (status == GOFH_OK && request->remember && request->remember(request->context, j->base.identity) != 0)
        status = error_set(&own, GOFH_ERROR_SYSTEM, "the run could not be recorded, so it was not started");
    if (status == GOFH_OK) {
        *result = &j->base;
        queue_pump((queue *)self); /* choosing the next point may take long */
        return GOFH_OK;
    }
    error_set(error, status, "%s", own.message);
    if (j->base.folder) files_remove_folder(j->base.folder);
    free_job(&j->base);
    return status;
}

/* Nobody knows how far the one before us came: the list tells, and where it has nothing the job is
 * submitted again, which its claim makes harmless. */
static gofh_status reattach_job(const executor *self, const simulator *sim, const char *directory,
                                const char *identity, run **result, gofh_error *error)
{
    *result = NULL;
    job *j = new_job(self, sim);
    if (!j) return error_memory(error);
    gofh_status status = read_identity(identity, j, error);
    if (status == GOFH_OK && !folder_is_in(directory, j->base.folder))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "its folder %.200s is not in %.200s/runs",
                           j->base.folder, directory);
    if (status == GOFH_OK && !files_exists(j->base.folder, JOB_SCRIPT))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "its folder %.200s is gone", j->base.folder);
    if (status != GOFH_OK) {
        free_job(&j->base);
        return status;
    }
    queue_take_id(j);
    j->phase = TO_FIND;
    j->known_from = j->began;
    *result = &j->base;
    return GOFH_OK;
}

/* ---- Waiting ---- */

static int wait_jobs(const executor *self, run *const *runs, int count, int timeout_ms, int wake)
{
    const queue *q = (const queue *)self;
    int busy = q->submit.pid || q->list.pid || q->account.pid || q->cancel.pid, wait = timeout_ms;
    int look = busy ? SHORT_WAIT : LONG_WAIT;
    for (int i = 0; i < count; i++)
        if (((const job *)runs[i])->phase == TO_SUBMIT || ((const job *)runs[i])->cancelling)
            look = SHORT_WAIT;
    if (wait < 0 || wait > look) wait = look;
    struct pollfd file = {.fd = wake, .events = POLLIN};
    int result = poll(&file, 1, wait);
    if (result < 0) return errno == EINTR ? -1 : 0;
    return result > 0 || wait != timeout_ms;
}

static void forget_job(const run *r)
{
    char *path = files_join(r->folder, JOB_EXIT);
    if (path) unlink(path);
    free(path);
}

/* "3 running, 5 pending (Resources)" */
static void summarise(const executor *self, char *text, size_t size)
{
    const queue *q = (const queue *)self;
    int running = 0, waiting = 0;
    const char *reason = "";
    for (const job *j = q->first; j; j = j->next) {
        if (j->base.state != RUN_RUNNING) continue;
        int pending = strcmp(j->seen.word, "PENDING") == 0;
        if (job_is_claimed(j->base.folder))
            running++;
        else
            waiting++;
        if (pending && j->seen.reason[0] && strcmp(j->seen.reason, "None") != 0) reason = j->seen.reason;
    }
    snprintf(text, size, "%d running", running);
    size_t used = strlen(text);
    if (waiting && used < size)
        snprintf(text + used, size - used, ", %d pending%s%s%s", waiting, *reason ? " (" : "", reason,
                 *reason ? ")" : "");
}

static const char *trouble(const executor *self)
{
    return ((const queue *)self)->trouble;
}

static void close_queue(const executor *self)
{
    queue *q = (queue *)self;
    /* A submission under way goes on, and its answer will be found in the run's folder. */
    task_close(&q->submit);
    task_close(&q->list);
    task_close(&q->account);
    task_close(&q->cancel);
    command_environment_free(q->environment);
    free(q);
}

/* What the job that we may be in ourselves left in our environment must not shape other jobs; where
 * the configuration is stays. */
static char **make_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **list = memory_new(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const char *entry = environ[i];
        int slurm = strncmp(entry, "SLURM_", 6) == 0 && strncmp(entry, "SLURM_CONF=", 11) != 0;
        if (slurm || strncmp(entry, "SBATCH_", 7) == 0) continue;
        if (!(list[kept++] = memory_copy_text(entry))) {
            command_environment_free(list);
            return NULL;
        }
    }
    return list;
}

const executor *queue_open(const queue_system *system, const simulator *sim)
{
    queue *q = memory_new(1, sizeof *q);
    char **environment = q ? make_environment() : NULL;
    if (!environment) {
        free(q);
        return NULL;
    }
    *q = (queue){.base = {.start = start_job,
                          .reattach = reattach_job,
                          .poll = poll_job,
                          .cancel = cancel_job,
                          .wait = wait_jobs,
                          .forget = forget_job,
                          .free_run = free_job,
                          .name = system->name,
                          .queued = 1,
                          .summary = summarise,
                          .trouble = trouble,
                          .close = close_queue},
                 .system = system,
                 .simulator = sim,
                 .environment = environment,
                 .submit = {.output = -1, .errors = -1},
                 .list = {.output = -1, .errors = -1},
                 .account = {.output = -1, .errors = -1},
                 .cancel = {.output = -1, .errors = -1},
                 .list_interval = QUEUE_LOOK_MIN};
    return &q->base;
}
