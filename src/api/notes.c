/* Texts kept with trials. */
#include "api/record.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static handle_note *find_note(const gofh_study *st, int64_t trial_id, const char *name)
{
    for (size_t i = 0; i < st->note_count; i++)
        if (st->notes[i].trial == trial_id && strcmp(st->notes[i].name, name) == 0) return &st->notes[i];
    return NULL;
}

/* Room for one more, with its name; it counts when note_count is raised. */
static handle_note *new_note(gofh_study *st, int64_t trial_id, const char *name)
{
    if (memory_grow((void **)&st->notes, &st->note_room, st->note_count + 1, sizeof *st->notes)) return NULL;
    handle_note *note = &st->notes[st->note_count];
    *note = (handle_note){.trial = trial_id, .name = memory_copy_text(name)};
    return note->name ? note : NULL;
}

gofh_status notes_take(gofh_study *st, int64_t trial_id, const char *name, const char *value)
{
    char *copy = memory_copy_text(value);
    handle_note *note = copy ? new_note(st, trial_id, name) : NULL;
    if (!note) {
        free(copy);
        return GOFH_ERROR_MEMORY;
    }
    note->value = copy;
    st->note_count++;
    return GOFH_OK;
}

static void remove_note(gofh_study *st, handle_note *note)
{
    free(note->name);
    free(note->value);
    *note = st->notes[--st->note_count];
}

static gofh_status check_note(gofh_study *st, int64_t trial_id, const char *name)
{
    if (trial_id < 1 || trial_id > (int64_t)st->core->trials.count)
        return error_set(&st->error, GOFH_ERROR_TRIAL, "there is no trial %lld: there are %lld so far",
                         (long long)trial_id, (long long)st->core->trials.count);
    if (!*name) return error_set(&st->error, GOFH_ERROR_ARGUMENT, "a note needs a name");
    return record_allowed(st);
}

/* Everything that may fail comes before anything changes. */
static gofh_status set_note(gofh_study *st, int64_t trial_id, const char *name, const char *value)
{
    handle_note *note = find_note(st, trial_id, name);
    char *copy = value ? memory_copy_text(value) : NULL;
    if (value && !copy) return GOFH_ERROR_MEMORY;
    int is_new = value && !note;
    if (is_new && !(note = new_note(st, trial_id, name))) {
        free(copy);
        return GOFH_ERROR_MEMORY;
    }
    gofh_status status = record_note(st, trial_id, name, value);
    if (status) {
        if (is_new) free(note->name);
        free(copy);
        return status;
    }
    if (!value) {
        if (note) remove_note(st, note);
        return GOFH_OK;
    }
    free(note->value);
    note->value = copy;
    if (is_new) st->note_count++;
    return GOFH_OK;
}

gofh_status gofh_study_set_note(gofh_study *st, int64_t trial_id, const char *name, const char *value)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!name) return handle_refuse(st, "name");
    handle_enter(st);
    gofh_status status = check_note(st, trial_id, name);
    return handle_leave(st, status ? status : set_note(st, trial_id, name, value));
}

const char *gofh_study_note(gofh_study *st, int64_t trial_id, const char *name)
{
    const handle_note *note = st && name ? find_note(st, trial_id, name) : NULL;
    return note ? note->value : NULL;
}
