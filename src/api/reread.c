/* A study whose outputs are read again, perhaps others than before. */
#include "api/choices.h"
#include "api/stored.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    int64_t trial;
    char *name, *value;
} kept_note;

typedef struct {
    opening o;
    store_problem was; /* of the file: today's but for the outputs */
    store_output *outputs;
    unsigned char *missing;
    const char *note;
    gofh_reading reading;
    void *context;
    kept_note *notes;
    size_t note_count, note_room;
    double *y; /* m, of now; then as many variances, and what those values were */
    int trials;
} rereading;

/* ---- What the file has ---- */

static gofh_status keep_note(void *context, int64_t trial_id, const char *name, const char *value)
{
    rereading *r = context;
    if (memory_grow((void **)&r->notes, &r->note_room, r->note_count + 1, sizeof *r->notes))
        return error_memory(r->o.error);
    kept_note note = {trial_id, memory_copy_text(name), memory_copy_text(value)};
    r->notes[r->note_count++] = note;
    return note.name && note.value ? GOFH_OK : error_memory(r->o.error);
}

static const char *find_note(const rereading *r, int64_t trial_id)
{
    for (size_t i = 0; r->note && i < r->note_count; i++)
        if (r->notes[i].trial == trial_id && strcmp(r->notes[i].name, r->note) == 0) return r->notes[i].value;
    return NULL;
}

/* The problem as the file has it. */
static gofh_status describe_past(rereading *r)
{
    gofh_study *st = r->o.st;
    r->was = st->description.problem;
    r->outputs = store_read_outputs(st->file, &r->was.output_count, r->o.error);
    if (!r->outputs) return r->o.error->status;
    r->was.outputs = r->outputs;
    r->was.m = 0;
    for (int i = 0; i < r->was.output_count; i++) r->was.m += r->outputs[i].size;
    r->missing = memory_new((size_t)r->was.m + 1, 1);
    r->y = memory_doubles(3 * (size_t)st->core->m);
    if (!r->missing || !r->y) return error_memory(r->o.error);
    memset(r->missing, 1, (size_t)r->was.m);
    r->was.missing = r->missing;
    return GOFH_OK;
}

/* ---- One trial after the other ---- */

/* Values of now, from those of the outputs of then that have the same name and size. */
static void carry_over(const rereading *r, const double *past, double *y)
{
    const store_problem *now = &r->o.st->description.problem;
    for (int i = 0; i < now->output_count; y += now->outputs[i++].size) {
        const double *from = past;
        for (int j = 0; j < now->outputs[i].size; j++) y[j] = NAN;
        for (int k = 0; past && k < r->was.output_count; from += r->outputs[k++].size)
            if (strcmp(r->outputs[k].name, now->outputs[i].name) == 0 &&
                r->outputs[k].size == now->outputs[i].size)
                memcpy(y, from, (size_t)now->outputs[i].size * sizeof *y);
    }
}

/* The variances of values that are what they were; NULL: there are none. */
static const double *carry_variances(const rereading *r, const gofh_trial *past)
{
    int m = r->o.st->core->m, known = 0;
    double *variance = r->y + m, *before = variance + m;
    if (!past->variance) return NULL;
    carry_over(r, past->y, before);
    carry_over(r, past->variance, variance);
    for (int j = 0; j < m; j++) {
        if (before[j] != r->y[j]) variance[j] = NAN;
        known |= !isnan(variance[j]);
    }
    return known ? variance : NULL;
}

static gofh_status check_complete(const rereading *r, int64_t trial_id)
{
    const gofh_study *st = r->o.st;
    for (int j = 0; j < st->core->m; j++) {
        int allowed = st->core->spec.missing && st->core->spec.missing[j];
        if (isinf(r->y[j]) || (isnan(r->y[j]) && !allowed))
            return error_set(r->o.error, GOFH_ERROR_ARGUMENT, "output %d of trial %lld has no value", j,
                             (long long)trial_id);
    }
    return GOFH_OK;
}

static gofh_status take_trial(void *context, const gofh_trial *past)
{
    rereading *r = context;
    gofh_trial now = *past;
    const char *reason = "";
    if (past->state == GOFH_TRIAL_OPEN) return stored_take_trial(&r->o, past);
    carry_over(r, past->y, r->y);
    int state = r->reading(past, find_note(r, past->trial), r->y, &reason, r->context);
    if (state < 0) return error_set(r->o.error, GOFH_STOP_CALLER, "the outputs are not read again");
    gofh_status status = state == GOFH_TRIAL_DONE ? check_complete(r, past->trial) : GOFH_OK;
    if (status) return status;
    now.y = state == GOFH_TRIAL_DONE ? r->y : NULL;
    now.variance = now.y ? carry_variances(r, past) : NULL;
    now.reason = now.y ? "" : reason ? reason : "";
    now.state = past->state == GOFH_TRIAL_FORGOTTEN ? past->state : (gofh_trial_state)state;
    r->trials++;
    return stored_take_trial(&r->o, &now);
}

static gofh_status read_all(rereading *r)
{
    gofh_study *st = r->o.st;
    gofh_error *error = r->o.error;
    gofh_status status = describe_past(r);
    if (!status) status = store_read_log(st->file, stored_take_line, &r->o, error);
    if (!status) status = store_compare(st->file, &r->was, stored_take_change, &r->o, error);
    if (!status) status = choices_compare(st, stored_take_change, &r->o, error);
    if (!status) status = store_read_notes(st->file, keep_note, r, error);
    if (!status) status = store_read_trials(st->file, &r->was, take_trial, r, error);
    if (!status) status = stored_read_starts(&r->o);
    for (size_t i = 0; i < r->note_count && !status; i++)
        status = stored_take_note(&r->o, r->notes[i].trial, r->notes[i].name, r->notes[i].value);
    if (!status && study_log(st->core, "the outputs of %d trials were read again", r->trials))
        status = error_memory(error);
    return status;
}

static void release(rereading *r)
{
    for (size_t i = 0; i < r->note_count; i++) {
        free(r->notes[i].name);
        free(r->notes[i].value);
    }
    free(r->notes);
    free(r->outputs);
    free(r->missing);
    free(r->y);
}

/* ---- The new file in the place of the old one ---- */

static char *with(const char *path, const char *more)
{
    size_t size = strlen(path) + strlen(more) + 1;
    char *text = memory_new(1, size);
    if (text) snprintf(text, size, "%s%s", path, more);
    return text;
}

/* What an earlier reading kept may be all that is left of some results: it gets the next free number.
 * The file itself under that name is what is left of a reading that was killed. */
static int keep_earlier(const char *path, const char *before)
{
    struct stat now, then;
    if (stat(before, &then) || stat(path, &now)) return 0;
    if (now.st_dev == then.st_dev && now.st_ino == then.st_ino) return unlink(before);
    for (int i = 1;; i++) {
        char number[16];
        snprintf(number, sizeof number, ".%d", i);
        char *name = with(before, number);
        int failed = !name || link(before, name), reason = name ? errno : ENOMEM;
        free(name);
        if (!failed) return unlink(before);
        errno = reason;
        if (reason != EEXIST) return -1;
    }
}

static gofh_status put_in_place(const char *path, const char *next, const char *before, gofh_error *error)
{
    if (keep_earlier(path, before) == 0 && link(path, before) == 0 && rename(next, path) == 0) return GOFH_OK;
    if (errno == ENOMEM) return error_memory(error);
    return error_set(error, GOFH_ERROR_DISK, "%s can't take the place of %s: %s", next, path,
                     strerror(errno));
}

static gofh_status replace_file(gofh_study *st, const char *path, gofh_error *error)
{
    char *next = with(path, ".reread"), *lock = with(path, ".reread.lock"),
         *before = with(path, STORE_BEFORE);
    gofh_status status = next && lock && before ? GOFH_OK : error_memory(error);
    if (!status) {
        unlink(next);
        /* The writer's lock is that of `path`, which stays. */
        status = gofh_study_save(st, next);
        if (status) error_set(error, status, "%s", gofh_study_message(st));
        unlink(lock);
    }
    if (!status && (status = put_in_place(path, next, before, error))) unlink(next);
    free(next);
    free(lock);
    free(before);
    return status;
}

gofh_status gofh_study_reread(const char *path, const gofh_problem *problem, const gofh_settings *settings,
                              const char *note, gofh_reading reading, void *context, gofh_error *error)
{
    gofh_error own = {.status = GOFH_OK};
    gofh_study *st = NULL;
    if (!error) error = &own;
    if (!path || !*path || !reading)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s is missing", reading ? "the path" : "reading");
    gofh_status status = gofh_study_create(&st, problem, settings, error);
    if (status) return status;
    rereading r = {.o = {.st = st, .error = error}, .note = note, .reading = reading, .context = context};
    study_enter();
    store *file = access(path, F_OK) ? NULL : store_open(path, GOFH_OPEN_WRITE, stored_patience(st), error);
    if (!file && !error->status) error_set(error, GOFH_ERROR_EMPTY, "there is no study in %s yet", path);
    st->file = file;
    status = !file                ? error->status
             : store_is_new(file) ? error_set(error, GOFH_ERROR_EMPTY, "there is no study in %s yet", path)
                                  : read_all(&r);
    if (file) store_rollback(file);
    st->file = NULL;
    study_leave();
    if (!status) status = replace_file(st, path, error);
    store_close(file);
    release(&r);
    gofh_study_free(st);
    return status;
}
