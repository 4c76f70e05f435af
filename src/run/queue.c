#include "run/queue.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/command.h"
#include "run/files.h"
#include "run/folder.h"
#include "run/job.h"
#include "run/process.h"
#include "run/task.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Seconds. */
#define LOOK_MIN      5.0   /* between two lists, while something changes */
#define LOOK_MAX      60.0  /* while nothing does */
#define LOOK_PATIENCE 120.0 /* with a command of the queue; a controller that is down may hang it */
#define KNOWN_GRACE   30.0  /* for the exit file of a job that is known not to have completed */
#define RETRY_MAX     60.0  /* between two submissions of a job */
enum {
    SUBMISSIONS_MAX = 3,
    VANISHED_MAX = 3,
    SHORT_WAIT = 50,
    LONG_WAIT = 250,
    PUMP_WAIT = 20
}; /* the waits: ms */
enum { COMMAND_NOT_FOUND = 127 };

typedef enum {
    TO_SUBMIT,  /* when `not_before` has come */
    SUBMITTING, /* it is the queue's `submitting` */
    TO_FIND,    /* it may be in the queue: the next list tells */
    QUEUED
} job_phase;

typedef struct queue queue;

typedef struct job {
    run base;
    queue *queue;
    struct job *next;
    char *name;
    char id[QUEUE_ID]; /* "" while it is not known */
    job_phase phase;
    double began;       /* when we saw it first */
    double not_before;  /* for the next submission */
    double known_from;  /* a list that began later shows it if it is there */
    double over_since;  /* that it is over, or missing in the list; 0: it is not */
    double late_since;  /* that it has an exit file, but not its results */
    int hurried;        /* the list was asked for its end, out of turn */
    int vanished;       /* how often it went from the queue without having begun */
    int submissions;    /* that were refused while the queue could be asked */
    int accounted;      /* 1: to be asked, 2: asked */
    int cancelling;     /* 1: to be done, 2: under way, 3: done */
    double cancel_next; /* when it may be tried again */
    queue_sighting seen, next_seen;
} job;

struct queue {
    executor base;
    const queue_system *system;
    const simulator *simulator;
    char **environment;
    job *first;
    task submit, list, account, cancel;
    job *submitting, *accounting, *cancelled; /* NULL: it is gone, or nothing is under way */
    double pumped, list_next, list_interval;
};

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

/* ---- What is known of a job ---- */

/* The first word of what the queue answered, up to a ";". */
static void take_id(job *j)
{
    char text[QUEUE_ID];
    files_tail(j->base.folder, JOB_ID, text, sizeof text);
    char *word = text + strspn(text, " \t\r\n");
    word[strcspn(word, "; \t\r\n")] = '\0';
    number_make_printable(word);
    memcpy(j->id, word, strlen(word) + 1);
}

static const char *id_of(const job *j)
{
    return j->id[0] ? j->id : "of unknown number";
}

/* Leaves how the job was seen last, for `gofh status`. It is only for people: what fails is not
 * missed. */
static void note_state(const job *j)
{
    char text[QUEUE_WORD + QUEUE_REASON + QUEUE_ID + 16];
    int waits = j->seen.reason[0] && strcmp(j->seen.reason, "None") != 0 &&
                strcmp(j->seen.word, "PENDING") == 0;
    snprintf(text, sizeof text, "%s%s%s%s, job %s\n", j->seen.word, waits ? " (" : "",
             waits ? j->seen.reason : "", waits ? ")" : "", id_of(j));
    char *path = files_join(j->base.folder, JOB_STATE);
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
    if (file >= 0) {
        files_write(file, text, strlen(text));
        close(file);
    }
    free(path);
}

static queue_job about(const job *j)
{
    return (queue_job){j->base.simulator, j->name, j->id, j->base.folder};
}

static void finish_with(job *j, run_state state)
{
    j->base.state = j->cancelling ? RUN_CANCELLED : state;
}

static void explain(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void explain(job *j, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    number_format_list(j->base.why, sizeof j->base.why, format, arguments);
    va_end(arguments);
    number_make_printable(j->base.why);
}

/* Adds the last line of a file of the folder. */
static void add_last_line(job *j, const char *name)
{
    char text[300];
    files_tail(j->base.folder, name, text, sizeof text);
    size_t end = strlen(text), used = strlen(j->base.why);
    while (end > 0 && strchr(" \t\r\n", text[end - 1])) text[--end] = '\0';
    const char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    if (*line) snprintf(j->base.why + used, sizeof j->base.why - used, ": %s", line);
    number_make_printable(j->base.why);
}

/* ---- Submitting ---- */

static int open_file(const job *j, const char *name)
{
    char *path = files_join(j->base.folder, name);
    int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
    free(path);
    return file;
}

/* The answer goes into the folder by itself: it is not lost with us. */
static void begin_submit(queue *q, job *j)
{
    buffer command = {0};
    queue_job what = about(j);
    q->system->submit(&what, &command);
    int output = open_file(j, JOB_ID), errors = open_file(j, JOB_ERRORS);
    if (!command.failed && output >= 0 && errors >= 0 &&
        task_start(&q->submit, command.bytes, q->environment, output, errors) == 0) {
        q->submitting = j;
        j->phase = SUBMITTING;
    } else {
        if (command.failed || output < 0 || errors < 0) {
            if (output >= 0) close(output);
            if (errors >= 0) close(errors);
        }
        j->not_before = process_clock() + LOOK_MIN;
    }
    buffer_free(&command);
}

static void end_submit(queue *q)
{
    job *j = q->submitting;
    int status = q->submit.status;
    buffer errors = {0};
    double now = process_clock();
    task_errors(&q->submit, &errors);
    task_close(&q->submit);
    q->submitting = NULL;
    if (j) {
        take_id(j);
        j->known_from = now;
        j->phase = status == 0 && j->id[0] ? QUEUED : TO_FIND;
        if (j->phase == QUEUED) {
            q->list_interval = LOOK_MIN;
            q->list_next = fmin(q->list_next, now + LOOK_MIN);
            snprintf(j->seen.word, sizeof j->seen.word, "submitted");
            note_state(j);
        } else {
            int lasting = status >= 0 && !errors.failed && !q->system->is_temporary(errors.bytes);
            j->id[0] = '\0';
            j->submissions += lasting;
            if (status == COMMAND_NOT_FOUND) j->submissions = SUBMISSIONS_MAX;
            q->list_next = now;
        }
        if (status == COMMAND_NOT_FOUND) {
            explain(j, "%s can't be used", q->system->title);
            add_last_line(j, JOB_ERRORS);
            finish_with(j, RUN_REFUSED);
        }
    }
    buffer_free(&errors);
}

/* A submission failed, and the job is not in the queue. */
static void submit_again(job *j)
{
    if (j->submissions >= SUBMISSIONS_MAX) {
        explain(j, "%s does not take the job", j->queue->system->title);
        add_last_line(j, JOB_ERRORS);
        finish_with(j, RUN_REFUSED);
        return;
    }
    j->phase = TO_SUBMIT;
    j->not_before = process_clock() + (j->submissions ? 1 << j->submissions : RETRY_MAX / 4);
}

/* ---- The list ---- */

static job *find_job(const queue *q, const queue_sighting *s)
{
    for (job *j = q->first; j; j = j->next)
        if (s->name[0] ? strcmp(j->name, s->name) == 0
                       : strcmp(j->id, s->id) == 0 || strcmp(j->name, s->id) == 0)
            return j;
    return NULL;
}

/* Of two jobs of one name, which a lost answer may leave, one runs the command: what is alive
 * counts, otherwise the one that has the claim. */
static void take_sighting(job *j, const queue_sighting *s)
{
    char claimant[QUEUE_ID];
    queue_sighting *kept = &j->next_seen;
    job_claimant(j->base.folder, claimant, sizeof claimant);
    if (kept->seen == SEEN_NOT || s->seen == SEEN_ALIVE ||
        (kept->seen != SEEN_ALIVE && strcmp(s->id, claimant) == 0))
        *kept = *s;
}

/* What the list says of a job that was there before it began. */
static int apply(job *j, double now)
{
    queue_sighting before = j->seen;
    if (j->next_seen.seen == SEEN_NOT) {
        if (j->phase == TO_FIND && !job_is_claimed(j->base.folder)) {
            submit_again(j);
            return 1;
        }
        j->phase = QUEUED;
        if (j->over_since == 0.0) j->over_since = now;
        /* How it was seen at its end stays known. */
        if (j->seen.seen == SEEN_ALIVE) j->seen.seen = SEEN_NOT;
        return before.seen != j->seen.seen;
    }
    j->seen = j->next_seen;
    j->phase = QUEUED;
    j->submissions = 0;
    snprintf(j->id, sizeof j->id, "%s", j->seen.id);
    if (j->seen.seen == SEEN_ALIVE)
        j->over_since = 0.0;
    else if (j->over_since == 0.0)
        j->over_since = now;
    if (strcmp(before.word, j->seen.word) == 0 && strcmp(before.reason, j->seen.reason) == 0) return 0;
    note_state(j);
    return 1;
}

static void begin_list(queue *q, double now)
{
    buffer command = {0};
    q->system->list(q->simulator, &command);
    q->list_next = now + q->list_interval;
    if (!command.failed) task_start(&q->list, command.bytes, q->environment, -1, -1);
    buffer_free(&command);
}

static void end_list(queue *q)
{
    buffer text = {0};
    double began = q->list.began, now = process_clock();
    int status = q->list.status, changed = 0;
    task_output(&q->list, &text);
    task_close(&q->list);
    q->list_next = now + q->list_interval;
    if (status == 0 && !text.failed) {
        for (job *j = q->first; j; j = j->next) j->next_seen = (queue_sighting){.seen = SEEN_NOT};
        for (char *line = text.bytes, *next; line && *line; line = next) {
            queue_sighting s = {.seen = SEEN_NOT};
            next = strchr(line, '\n');
            if (next) *next++ = '\0';
            job *j = q->system->read(line, &s) ? find_job(q, &s) : NULL;
            if (j) take_sighting(j, &s);
        }
        for (job *j = q->first; j; j = j->next)
            if (j->base.state == RUN_RUNNING && (j->phase == TO_FIND || j->phase == QUEUED) &&
                j->known_from < began)
                changed |= apply(j, now);
        q->list_interval = changed ? LOOK_MIN : fmin(LOOK_MAX, 1.5 * q->list_interval);
        q->list_next = now + q->list_interval;
    }
    buffer_free(&text);
}

/* ---- Accounting and cancelling ---- */

static void begin_account(queue *q, job *j)
{
    buffer command = {0};
    queue_job what = about(j);
    q->system->account(&what, &command);
    if (!command.failed && task_start(&q->account, command.bytes, q->environment, -1, -1) == 0)
        q->accounting = j;
    buffer_free(&command);
}

static void end_account(queue *q)
{
    buffer text = {0};
    job *j = q->accounting;
    task_output(&q->account, &text);
    if (j && q->account.status == 0 && !text.failed && text.length > 0) {
        /* "CANCELLED by 1000" */
        text.bytes[strcspn(text.bytes, " \t\r\n|")] = '\0';
        queue_seen seen = q->system->judge(text.bytes);
        if (text.bytes[0] && seen != SEEN_ALIVE) {
            j->seen.seen = seen;
            snprintf(j->seen.word, sizeof j->seen.word, "%.30s", text.bytes);
        }
    }
    if (j) j->accounted = 2;
    task_close(&q->account);
    q->accounting = NULL;
    buffer_free(&text);
}

static void begin_cancel(queue *q, job *j)
{
    buffer command = {0};
    queue_job what = about(j);
    q->system->cancel(&what, &command);
    if (!command.failed && task_start(&q->cancel, command.bytes, q->environment, -1, -1) == 0) {
        q->cancelled = j;
        j->cancelling = 2;
    }
    buffer_free(&command);
}

static void end_cancel(queue *q)
{
    job *j = q->cancelled;
    if (j) {
        j->cancelling = q->cancel.status == 0 ? 3 : 1;
        j->cancel_next = process_clock() + LOOK_MIN;
        q->list_interval = LOOK_MIN;
        q->list_next = process_clock() + 1.0;
    }
    task_close(&q->cancel);
    q->cancelled = NULL;
}

/* Brings everything forward that the queue is asked. */
static void pump(queue *q)
{
    double now = process_clock();
    int look = 0;
    if (now - q->pumped < 1e-3 * PUMP_WAIT) return;
    q->pumped = now;
    if (q->submit.pid && task_poll(&q->submit, LOOK_PATIENCE)) end_submit(q);
    if (q->list.pid && task_poll(&q->list, LOOK_PATIENCE)) end_list(q);
    if (q->account.pid && task_poll(&q->account, LOOK_PATIENCE)) end_account(q);
    if (q->cancel.pid && task_poll(&q->cancel, LOOK_PATIENCE)) end_cancel(q);
    for (job *j = q->first; j; j = j->next) {
        if (j->base.state != RUN_RUNNING) continue;
        look |= j->phase == TO_FIND || j->phase == QUEUED;
        if (!q->submit.pid && j->phase == TO_SUBMIT && !j->cancelling && now >= j->not_before)
            begin_submit(q, j);
        if (!q->account.pid && j->accounted == 1) begin_account(q, j);
        if (!q->cancel.pid && j->cancelling == 1 && j->phase != SUBMITTING && now >= j->cancel_next)
            begin_cancel(q, j);
    }
    if (!q->list.pid && look && now >= q->list_next) begin_list(q, now);
}

/* ---- How a job stands ---- */

/* The last that can be known of a job that is in no list: what the queue told its output. */
static void overhear(job *j)
{
    const queue_system *system = j->queue->system;
    char text[1000];
    if (!system->overhear) return;
    files_tail(j->base.folder, JOB_OUTPUT, text, sizeof text);
    const char *word = system->overhear(text);
    if (!word) return;
    j->seen.seen = system->judge(word);
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

static void judge_exit(job *j, const job_exit *exit)
{
    int code = exit->status;
    j->base.seconds = exit->seconds;
    if (code == 0 || exit->timed_out) {
        finish_with(j, code == 0 ? RUN_EXITED : RUN_TIMED_OUT);
        j->base.code = 0;
        return;
    }
    /* The queue may have ended it; then what the command made of that is not the reason. */
    if (!end_is_known(j)) {
        /* The queue soon forgets it. */
        if (!j->hurried++) j->queue->list_next = process_clock();
        j->queue->list_interval = LOOK_MIN;
        return;
    }
    if (j->seen.seen == SEEN_ENDED || j->seen.seen == SEEN_LOST) {
        explain(j, "%s (job %s of %s)", j->seen.word, id_of(j), j->queue->system->title);
        finish_with(j, j->seen.seen == SEEN_ENDED ? RUN_ENDED : RUN_LOST);
        return;
    }
    /* The shell says 128 + n for a command that signal n ended. */
    int signalled = code > 128 && code <= 128 + 64;
    j->base.code = signalled ? code - 128 : code;
    finish_with(j, signalled ? RUN_SIGNALLED : RUN_EXITED);
}

static void judge_late(job *j, const job_exit *exit, double now)
{
    if (j->late_since == 0.0) j->late_since = now;
    if (now - j->late_since < j->base.simulator->queue.grace) return;
    explain(j, "%s of job %s was not seen here as the job saw it, within %g s: the file system is too slow",
            exit->late, id_of(j), j->base.simulator->queue.grace);
    finish_with(j, RUN_LOST);
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
    int known = j->seen.seen == SEEN_ENDED || j->seen.seen == SEEN_LOST || j->seen.seen == SEEN_FAILED;
    if (now - j->over_since < (known ? fmin(grace, KNOWN_GRACE) : grace) || !end_is_known(j)) return;
    const char *title = j->queue->system->title;
    switch (j->seen.seen) {
    case SEEN_ENDED:
    case SEEN_LOST:
        explain(j, "%s (job %s of %s)", j->seen.word, id_of(j), title);
        finish_with(j, j->seen.seen == SEEN_ENDED ? RUN_ENDED : RUN_LOST);
        return;
    case SEEN_FAILED:
        if (job_is_claimed(j->base.folder)) {
            explain(j, "%s without an exit status (job %s of %s)", j->seen.word, id_of(j), title);
            finish_with(j, RUN_ENDED);
        } else {
            explain(j, "job %s of %s could not begin", id_of(j), title);
            add_last_line(j, JOB_OUTPUT);
            finish_with(j, RUN_LOST);
        }
        return;
    case SEEN_NOT:
    case SEEN_ALIVE:
    case SEEN_COMPLETED:
        explain(j, "job %s of %s %s, but no exit file came within %g s", id_of(j), title,
                j->seen.seen == SEEN_COMPLETED ? "has ended" : "is gone", grace);
        add_last_line(j, JOB_OUTPUT);
        finish_with(j, RUN_LOST);
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
    pump(j->queue);
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
    if (status == GOFH_OK) status = job_write_script(request, j->base.folder, &own);
    if (status == GOFH_OK) status = write_identity(j, &own);
    if (status == GOFH_OK && request->remember && request->remember(request->context, j->base.identity) != 0)
        status = error_set(&own, GOFH_ERROR_SYSTEM, "the run could not be recorded, so it was not started");
    if (status == GOFH_OK) {
        *result = &j->base;
        pump((queue *)self); /* choosing the next point may take long */
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
    gofh_status status = j ? read_identity(identity, j, error) : error_memory(error);
    if (status == GOFH_OK && !folder_is_in(directory, j->base.folder))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "its folder %.200s is not in %.200s/runs",
                           j->base.folder, directory);
    if (status == GOFH_OK && !files_exists(j->base.folder, JOB_SCRIPT))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "its folder %.200s is gone", j->base.folder);
    if (status != GOFH_OK) {
        free_job(j ? &j->base : NULL);
        return status;
    }
    take_id(j);
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
    *q = (queue){.base = {start_job, reattach_job, poll_job, cancel_job, wait_jobs, forget_job, free_job,
                          system->name, 1, summarise, close_queue},
                 .system = system,
                 .simulator = sim,
                 .environment = environment,
                 .submit = {.output = -1, .errors = -1},
                 .list = {.output = -1, .errors = -1},
                 .account = {.output = -1, .errors = -1},
                 .cancel = {.output = -1, .errors = -1},
                 .list_interval = LOOK_MIN};
    return &q->base;
}
