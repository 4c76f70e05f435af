#include "api/record.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

gofh_status record_allowed(gofh_study *st)
{
    if (!st->read_only) return GOFH_OK;
    return error_set(&st->error, GOFH_ERROR_READ_ONLY,
                     "the study was opened for reading: open it for writing to change it");
}

static gofh_status begin(gofh_study *st)
{
    if (!st->spoiled) return store_begin(st->file, &st->error);
    return error_set(&st->error, st->spoiled,
                     "what was held could not be written, so the study's file is behind: open it again");
}

/* Commits what was written with this status, unless it is held, or takes it back. */
static gofh_status end(gofh_study *st, gofh_status status)
{
    if (!status && st->held) {
        st->unwritten = 1;
        return GOFH_OK;
    }
    if (!status) status = store_commit(st->file, &st->error);
    if (!status) return GOFH_OK;
    store_rollback(st->file);
    /* With it goes what the study has counted as kept. */
    if (st->unwritten) st->spoiled = status;
    return status;
}

static gofh_status write_step(gofh_study *st, int64_t first, int64_t last)
{
    gofh_trial now;
    gofh_status status = GOFH_OK;
    for (int64_t trial_id = first; trial_id <= last && !status; trial_id++) {
        handle_describe(st, (size_t)trial_id - 1, &now);
        status = store_write_trial(st->file, &st->description.problem, &now, &st->error);
    }
    for (size_t i = st->lines; i < st->core->journal.count && !status; i++)
        status = store_write_line(st->file, (int64_t)i + 1, st->core->journal.lines[i], &st->error);
    size_t count = study_state_count(st->core);
    study_state_write(st->core, st->next);
    if (!status && memcmp(st->kept, st->next, count * sizeof *st->next) != 0)
        status = store_write_state(st->file, st->next, count, &st->error);
    return status;
}

gofh_status record_trial(gofh_study *st, int64_t trial_id)
{
    return record_trials(st, trial_id, trial_id);
}

gofh_status record_trials(gofh_study *st, int64_t first, int64_t last)
{
    if (!st->file) return GOFH_OK;
    gofh_status status = begin(st);
    if (!status) status = write_step(st, first, last);
    status = end(st, status);
    if (status) return status;
    st->lines = st->core->journal.count;
    double *kept = st->kept;
    st->kept = st->next;
    st->next = kept;
    return GOFH_OK;
}

void record_undo(gofh_study *st)
{
    study_go_back(st->core, st->mark);
    if (st->file) study_state_read(st->core, st->kept, study_state_count(st->core), 1);
}

gofh_status record_starts(gofh_study *st, size_t count)
{
    if (!st->file) return GOFH_OK;
    const start_list *starts = &st->core->starts;
    gofh_status status = begin(st);
    for (size_t i = starts->count - count; i < starts->count && !status; i++)
        status = store_write_start(st->file, &st->description.problem, (int64_t)i + 1,
                                   starts->x + i * (size_t)st->core->parameters, &st->error);
    return end(st, status);
}

gofh_status record_note(gofh_study *st, int64_t trial_id, const char *name, const char *value)
{
    if (!st->file) return GOFH_OK;
    gofh_status status = begin(st);
    if (!status) status = store_write_note(st->file, trial_id, name, value, &st->error);
    return end(st, status);
}

void gofh_study_hold(gofh_study *st)
{
    if (st) st->held = 1;
}

gofh_status gofh_study_release(gofh_study *st)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    handle_enter(st);
    gofh_status status = st->spoiled ? begin(st) : GOFH_OK;
    st->held = 0;
    if (!status && st->unwritten) status = end(st, GOFH_OK);
    st->unwritten = 0;
    return handle_leave(st, status);
}

void record_close(gofh_study *st)
{
    store_close(st->file);
    for (size_t i = 0; i < st->note_count; i++) {
        free(st->notes[i].name);
        free(st->notes[i].value);
    }
    for (size_t i = 0; i < st->origin_count; i++) free(st->origins[i]);
    free(st->notes);
    free(st->origins);
    free(st->kept);
    free(st->next);
}
