/* Studies that are opened from a file or saved to one. */
#include "api/stored.h"

#include "api/choices.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text for as long as the study lives; NULL if there is no memory. */
static const char *keep_origin(gofh_study *st, const char *origin)
{
    for (size_t i = 0; i < st->origin_count; i++)
        if (strcmp(st->origins[i], origin) == 0) return st->origins[i];
    char *copy = memory_copy_text(origin);
    if (!copy ||
        memory_grow((void **)&st->origins, &st->origin_room, st->origin_count + 1, sizeof *st->origins)) {
        free(copy);
        return NULL;
    }
    return st->origins[st->origin_count++] = copy;
}

/* The value as the user writes it. */
static void write_value(const problem_kind *kind, double value, char *text, size_t size)
{
    if (kind->word && value >= 0.0 && value < kind->domain.count)
        snprintf(text, size, "%.60s", kind->word[(int)value]);
    else
        number_format(text, size, "%.10g", value);
}

/* Whether all values are allowed by the problem of now; NaN: a start leaves it out. `of` has them. */
static gofh_status check_values(const opening *o, const char *of, const double *x)
{
    const compiled_problem *problem = &o->st->problem;
    for (int k = 0; k < o->st->core->parameters; k++) {
        double exact;
        char was[80], now[80];
        if (isnan(x[k]) || domain_allows(&problem->box, k, x[k], &exact)) continue;
        const problem_kind *kind = &problem->kind[k];
        write_value(kind, x[k], was, sizeof was);
        if (kind->domain.kind != DOMAIN_FIXED)
            return error_set(o->error, GOFH_ERROR_CHANGED,
                             "parameter %s: %s has %s, which is no longer allowed", problem->name[k], of,
                             was);
        write_value(kind, problem->box.lower[k], now, sizeof now);
        return error_set(
            o->error, GOFH_ERROR_CHANGED,
            "parameter %.60s: %s has %s, but it is fixed at %s now: leave out fixed, %sand add the "
            "constraint %.60s == %.10g",
            problem->name[k], of, was, now, kind->word ? "" : "give it bounds that hold both, ",
            problem->name[k], problem->box.lower[k]);
    }
    return GOFH_OK;
}

gofh_status stored_take_trial(void *context, const gofh_trial *past)
{
    const opening *o = context;
    gofh_trial now = *past;
    /* What 0.1 called far. */
    now.origin = keep_origin(o->st, strcmp(past->origin, "far") == 0 ? "restart" : past->origin);
    double x[GOFH_MAX_PARAMETERS];
    now.x = x;
    char label[32];
    snprintf(label, sizeof label, "trial %lld", (long long)past->trial);
    gofh_status status = choices_renumber(o->st, past->x, x, o->error);
    if (!status) status = check_values(o, label, x);
    if (status) return status;
    return now.origin ? study_restore(o->st->core, &now, o->error) : error_memory(o->error);
}

static gofh_status take_start(void *context, const double *x)
{
    const opening *o = context;
    double now[GOFH_MAX_PARAMETERS];
    gofh_status status = choices_renumber(o->st, x, now, o->error);
    if (!status) status = check_values(o, "a start point", now);
    return status ? status : study_enqueue(o->st->core, now, o->error);
}

gofh_status stored_read_starts(opening *o)
{
    const start_list *starts = &o->st->core->starts;
    gofh_status status = store_read_starts(o->st->file, &o->st->description.problem, take_start, o, o->error);
    if (status || starts->used <= starts->count) return status;
    return error_set(o->error, GOFH_ERROR_DAMAGED,
                     "the study is damaged: it has %zu trials at start points, but %zu start points. Put a "
                     "copy of it back, or move it away to start anew",
                     starts->used, starts->count);
}

gofh_status stored_take_note(void *context, int64_t trial_id, const char *name, const char *value)
{
    const opening *o = context;
    if (trial_id < 1 || trial_id > (int64_t)o->st->core->trials.count)
        return error_set(o->error, GOFH_ERROR_DAMAGED,
                         "the study is damaged: it has a note on trial %lld of %lld", (long long)trial_id,
                         (long long)o->st->core->trials.count);
    gofh_status status = notes_take(o->st, trial_id, name, value);
    return status ? error_memory(o->error) : GOFH_OK;
}

gofh_status stored_take_line(void *context, const char *line)
{
    const opening *o = context;
    size_t before = o->st->core->journal.count;
    study_log(o->st->core, "%s", line);
    return o->st->core->journal.count > before ? GOFH_OK : error_memory(o->error);
}

void stored_take_change(void *context, const char *line)
{
    opening *o = context;
    o->changed = 1;
    study_log(o->st->core, "%s", line);
}

static gofh_status take_state(const opening *o)
{
    double *values;
    size_t count;
    gofh_status status = store_read_state(o->st->file, &values, &count, o->error);
    if (!status && values) {
        status = study_state_read(o->st->core, values, count, !o->changed);
        if (status)
            error_set(o->error, status,
                      "the study is damaged: what its model was does not fit its trials. Put "
                      "a copy of it back, or move it away to start anew");
    }
    free(values);
    return status;
}

static gofh_status read_all(opening *o)
{
    gofh_study *st = o->st;
    const store_problem *described = &st->description.problem;
    gofh_status status = store_read_log(st->file, stored_take_line, o, o->error);
    st->lines = st->core->journal.count;
    if (!status) status = store_compare(st->file, described, stored_take_change, o, o->error);
    if (!status) status = choices_compare(st, stored_take_change, o, o->error);
    if (!status) status = store_read_trials(st->file, described, stored_take_trial, o, o->error);
    if (!status) status = stored_read_starts(o);
    if (!status) status = store_read_notes(st->file, stored_take_note, o, o->error);
    if (!status) status = take_state(o);
    return status ? status : store_check_complete(st->file, o->error);
}

/* The log from line `lines` on, and what a resumed study needs. */
static gofh_status write_rest(gofh_study *st, store *file, size_t lines, double *state, gofh_error *error)
{
    gofh_status status = GOFH_OK;
    for (size_t i = lines; i < st->core->journal.count && !status; i++)
        status = store_write_line(file, (int64_t)i + 1, st->core->journal.lines[i], error);
    study_state_write(st->core, state);
    return status ? status : store_write_state(file, state, study_state_count(st->core), error);
}

static gofh_status write_all(gofh_study *st, store *file, double *state, gofh_error *error)
{
    const store_problem *described = &st->description.problem;
    gofh_status status = store_create(file, described, error);
    if (!status) status = store_write_problem(file, described, error);
    for (size_t i = 0; i < st->core->trials.count && !status; i++) {
        gofh_trial now;
        handle_describe(st, i, &now);
        status = store_write_trial(file, described, &now, error);
    }
    for (size_t i = 0; i < st->core->starts.count && !status; i++)
        status = store_write_start(file, described, (int64_t)i + 1,
                                   st->core->starts.x + i * (size_t)st->core->parameters, error);
    for (size_t i = 0; i < st->note_count && !status; i++)
        status = store_write_note(file, st->notes[i].trial, st->notes[i].name, st->notes[i].value, error);
    return status ? status : write_rest(st, file, 0, state, error);
}

/* The problem as it is now, and f as it is with it. */
static gofh_status write_changes(gofh_study *st, gofh_error *error)
{
    gofh_status status = store_write_problem(st->file, &st->description.problem, error);
    for (size_t i = 0; i < st->core->trials.count && !status; i++) {
        gofh_trial now;
        handle_describe(st, i, &now);
        if (st->renumbered)
            status = store_write_trial(st->file, &st->description.problem, &now, error);
        else if (now.state == GOFH_TRIAL_DONE)
            status = store_write_f(st->file, now.trial, now.f, error);
    }
    for (size_t i = 0; st->renumbered && i < st->core->starts.count && !status; i++)
        status = store_write_start(st->file, &st->description.problem, (int64_t)i + 1,
                                   st->core->starts.x + i * (size_t)st->core->parameters, error);
    return status ? status : write_rest(st, st->file, st->lines, st->kept, error);
}

/* Open trials stay where the problem of now allows them. */
static gofh_status take_open(void *context, const gofh_trial *past)
{
    return past->state == GOFH_TRIAL_OPEN ? stored_take_trial(context, past) : GOFH_ERROR_CHANGED;
}

/* The open trials of a study that has no others, with what belongs to them. */
static gofh_status read_open(opening *o)
{
    gofh_study *st = o->st;
    gofh_status status = choices_compare(st, stored_take_change, o, o->error);
    if (!status) status = store_read_trials(st->file, &st->description.problem, take_open, o, o->error);
    if (!status) status = stored_read_starts(o);
    return status ? status : store_read_notes(st->file, stored_take_note, o, o->error);
}

/* Nothing was learned in a study without results: where the problem is another, it is one of the problem
 * of now. */
static gofh_status begin_anew(opening *o, gofh_open_mode mode)
{
    gofh_study *st = o->st;
    int64_t count;
    gofh_error changed = *o->error;
    *o->error = (gofh_error){.status = GOFH_OK};
    gofh_status status = store_count_trials(st->file, &count, o->error);
    if (status) return status;
    if (count == 0) study_unqueue(st->core, st->core->starts.count);
    choices_free(st);
    if (count > 0) {
        status = st->core->trials.count ? changed.status : read_open(o);
        if (status == GOFH_ERROR_MEMORY) return status;
        if (status) {
            *o->error = changed;
            return changed.status;
        }
    }
    if (study_log(st->core, "opened again with another problem, before the first %s: it begins anew, %s",
                  count ? "result" : "trial",
                  count ? "with the open trials and start points that it had"
                        : "without the start points that it had"))
        return error_memory(o->error);
    if (mode != GOFH_OPEN_WRITE) return GOFH_OK;
    status = store_clear(st->file, o->error);
    return status ? status : write_all(st, st->file, st->kept, o->error);
}

store_patience stored_patience(const gofh_study *st)
{
    const gofh_settings *settings = &st->core->spec.settings;
    return (store_patience){settings->waiting, settings->waiting_context};
}

static gofh_status attach(gofh_study *st, const char *path, gofh_open_mode mode, gofh_error *error)
{
    size_t count = study_state_count(st->core);
    st->kept = memory_doubles(count);
    st->next = memory_doubles(count);
    if (!st->kept || !st->next) return error_memory(error);
    st->file = store_open(path, mode == GOFH_OPEN_WRITE ? GOFH_OPEN_WRITE : GOFH_OPEN_READ,
                          stored_patience(st), error);
    if (!st->file) return error->status;
    opening o = {.st = st, .error = error};
    gofh_status status = GOFH_OK;
    if (store_is_new(st->file)) {
        status = write_all(st, st->file, st->kept, error);
    } else {
        status = read_all(&o);
        if (status == GOFH_ERROR_CHANGED) {
            status = begin_anew(&o, mode);
        } else if (!status && mode == GOFH_OPEN_WRITE) {
            status = store_upgrade(st->file, &st->description.problem, error);
            if (!status) status = write_changes(st, error);
        }
    }
    if (!status) status = store_commit(st->file, error);
    if (status) return status;
    st->lines = st->core->journal.count;
    if (mode == GOFH_OPEN_WRITE) return GOFH_OK;
    store_close(st->file);
    st->file = NULL;
    st->read_only = mode == GOFH_OPEN_READ;
    return GOFH_OK;
}

gofh_status gofh_study_open(gofh_study **result, const char *path, gofh_open_mode mode,
                            const gofh_problem *problem, const gofh_settings *settings, gofh_error *error)
{
    gofh_error ignored = {.status = GOFH_OK};
    if (!error) error = &ignored;
    if (result) *result = NULL;
    if (!path || !*path) return error_set(error, GOFH_ERROR_ARGUMENT, "the study has no path");
    if (mode != GOFH_OPEN_WRITE && mode != GOFH_OPEN_READ && mode != GOFH_OPEN_COPY)
        return error_set(error, GOFH_ERROR_ARGUMENT, "unknown mode %d to open a study", (int)mode);
    gofh_study *made = NULL;
    gofh_status status = gofh_study_create(result ? &made : NULL, problem, settings, error);
    if (!made) return status;
    study_enter();
    status = attach(made, path, mode, error);
    study_leave();
    if (status)
        gofh_study_free(made);
    else
        *result = made;
    return status;
}

/* Makes the file, which must not be there yet. */
static gofh_status make_file(const char *path, gofh_error *error)
{
    int descriptor = file_create(path, 0666);
    if (descriptor >= 0) {
        close(descriptor);
        return GOFH_OK;
    }
    if (errno == EEXIST)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s exists: a study is saved to a new file", path);
    int refused = errno == EACCES || errno == EROFS || errno == EPERM;
    return error_set(error, refused ? GOFH_ERROR_READ_ONLY : GOFH_ERROR_DISK, "%s can't be made: %s%s", path,
                     strerror(errno), refused ? ": allow it, or save the study to another folder" : "");
}

static gofh_status save(gofh_study *st, const char *path, double *state)
{
    gofh_status status = make_file(path, &st->error);
    if (status) return status;
    store *file = store_open(path, GOFH_OPEN_WRITE, stored_patience(st), &st->error);
    if (!file) status = st->error.status;
    if (!status) status = write_all(st, file, state, &st->error);
    if (!status) status = store_commit(file, &st->error);
    store_close(file);
    if (status) unlink(path);
    return status;
}

gofh_status gofh_study_save(gofh_study *st, const char *path)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!path) return handle_refuse(st, "path");
    handle_enter(st);
    double *state = memory_doubles(study_state_count(st->core));
    gofh_status status = state ? save(st, path, state) : GOFH_ERROR_MEMORY;
    free(state);
    return handle_leave(st, status);
}
