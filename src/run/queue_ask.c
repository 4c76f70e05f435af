#include "run/queue_parts.h"

#include "base/file.h"
#include "base/number.h"
#include "run/files.h"
#include "run/job.h"
#include "run/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds. */
#define LOOK_MAX      60.0  /* between two lists, while nothing changes */
#define LOOK_PATIENCE 120.0 /* with a command of the queue; a controller that is down may hang it */
#define RETRY_AFTER   15.0  /* before another submission, after one that may succeed later */
enum { SUBMISSIONS_MAX = 3, PUMP_WAIT = 20 /* ms */, COMMAND_NOT_FOUND = 127 };

/* ---- What is known of a job ---- */

/* The first word of what the queue answered, up to a ";". */
void queue_take_id(job *j)
{
    buffer text = {0};
    gofh_error ignored = {.status = GOFH_OK};
    j->id[0] = '\0';
    if (files_load_result(j->base.folder, JOB_ID, &text, &ignored) == GOFH_OK) {
        const char *word = text.bytes + strspn(text.bytes, " \t\r\n");
        snprintf(j->id, sizeof j->id, "%.*s", (int)strcspn(word, "; \t\r\n"), word);
        number_make_printable(j->id);
    }
    buffer_free(&text);
}

const char *queue_id(const job *j)
{
    return j->id[0] ? j->id : "of unknown number";
}

/* A new and empty file of ours: what had its name may be a link that the simulator made, and what it
 * leads to is not cut. -1 where there can be none. */
static int open_file(const job *j, const char *name)
{
    char *path = files_join(j->base.folder, name);
    const char *what;
    if (path) unlink(path);
    int file = path ? file_open(path, &what) : -1;
    free(path);
    return file;
}

/* Leaves how the job was seen last, for `gofh status`. It is only for people: what fails is not
 * missed. */
static void note_state(const job *j)
{
    char text[QUEUE_WORD + QUEUE_REASON + QUEUE_ID + 16];
    int waits = j->seen.reason[0] && strcmp(j->seen.reason, "None") != 0 &&
                strcmp(j->seen.word, "PENDING") == 0;
    snprintf(text, sizeof text, "%s%s%s%s, job %s\n", j->seen.word, waits ? " (" : "",
             waits ? j->seen.reason : "", waits ? ")" : "", queue_id(j));
    int file = open_file(j, JOB_STATE);
    if (file < 0) return;
    files_write(file, text, strlen(text));
    close(file);
}

static queue_job about(const job *j)
{
    return (queue_job){j->base.simulator, j->name, j->id, j->base.folder};
}

void queue_finish(job *j, run_state state)
{
    j->base.state = j->cancelling ? RUN_CANCELLED : state;
}

void queue_explain(job *j, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    number_format_list(j->base.why, sizeof j->base.why, format, arguments);
    va_end(arguments);
    number_make_printable(j->base.why);
}

/* The last line, of which blanks at the end are cut. */
static const char *last_line(char *text)
{
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r\n", text[end - 1])) text[--end] = '\0';
    const char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* Adds the last line of a file of the folder. */
void queue_add_last_line(job *j, const char *name)
{
    char text[300];
    files_tail(j->base.folder, name, text, sizeof text);
    size_t used = strlen(j->base.why);
    const char *line = last_line(text);
    if (*line) snprintf(j->base.why + used, sizeof j->base.why - used, ": %s", line);
    number_make_printable(j->base.why);
}

/* ---- Submitting ---- */

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
        j->not_before = process_clock() + QUEUE_LOOK_MIN;
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
        queue_take_id(j);
        j->known_from = now;
        j->phase = status == 0 && j->id[0] ? QUEUED : TO_FIND;
        if (j->phase == QUEUED) {
            q->list_interval = QUEUE_LOOK_MIN;
            q->list_next = fmin(q->list_next, now + QUEUE_LOOK_MIN);
            snprintf(j->seen.word, sizeof j->seen.word, "submitted");
            note_state(j);
        } else {
            int lasting = status >= 0 && !errors.failed && !q->system->is_temporary(errors.bytes);
            j->id[0] = '\0';
            j->submissions += lasting;
            if (!lasting) j->not_before = now + RETRY_AFTER;
            if (status == COMMAND_NOT_FOUND) j->submissions = SUBMISSIONS_MAX;
            q->list_next = now;
        }
        if (status == COMMAND_NOT_FOUND) {
            queue_explain(j, "%s can't be used", q->system->title);
            queue_add_last_line(j, JOB_ERRORS);
            queue_finish(j, RUN_REFUSED);
        }
    }
    buffer_free(&errors);
}

/* Whether another job of ours is in the queue. */
static int has_others(const job *j)
{
    for (const job *other = j->queue->first; other; other = other->next)
        if (other != j && other->base.state == RUN_RUNNING && other->phase == QUEUED) return 1;
    return 0;
}

/* A submission failed, and the job is not in the queue. Where others are, the queue may be full, and this
 * one waits. */
static void submit_again(job *j)
{
    if (has_others(j) && j->submissions > 0) {
        j->submissions = 0;
        j->not_before = process_clock() + RETRY_AFTER;
    }
    if (j->submissions >= SUBMISSIONS_MAX) {
        queue_explain(j, "%s does not take the job", j->queue->system->title);
        queue_add_last_line(j, JOB_ERRORS);
        queue_finish(j, RUN_REFUSED);
        return;
    }
    j->phase = TO_SUBMIT;
    if (j->submissions > 0) j->not_before = process_clock() + (1 << j->submissions);
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
        /* One that began says who it is; the next list is asked for that. */
        if (!j->id[0]) {
            job_claimant(j->base.folder, j->id, sizeof j->id);
            if (j->id[0]) return 1;
        }
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
    int waits = strcmp(j->seen.word, "PENDING") == 0 || strncmp(j->seen.word, "REQUEUE", 7) == 0;
    j->waits_again = waits && job_is_claimed(j->base.folder);
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

/* A list that failed says nothing of any job. */
static void note_trouble(queue *q)
{
    buffer errors = {0};
    task_errors(&q->list, &errors);
    const char *line = errors.bytes && !errors.failed ? last_line(errors.bytes) : "";
    snprintf(q->trouble, sizeof q->trouble, "%s does not answer%s%.200s", q->system->title, *line ? ": " : "",
             line);
    number_make_printable(q->trouble);
    buffer_free(&errors);
}

static void end_list(queue *q)
{
    buffer text = {0};
    double began = q->list.began, now = process_clock();
    int status = q->list.status, changed = 0;
    task_output(&q->list, &text);
    q->trouble[0] = '\0';
    if (status != 0) note_trouble(q);
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
        q->list_interval = changed ? QUEUE_LOOK_MIN : fmin(LOOK_MAX, 1.5 * q->list_interval);
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
        j->cancel_next = process_clock() + QUEUE_LOOK_MIN;
        q->list_interval = QUEUE_LOOK_MIN;
        q->list_next = process_clock() + 1.0;
    }
    task_close(&q->cancel);
    q->cancelled = NULL;
}

/* Brings everything forward that the queue is asked. */
void queue_pump(queue *q)
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
