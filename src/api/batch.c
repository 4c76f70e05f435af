/* Suggestions for several evaluations at once. */
#include "api/record.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

/* As many as there are; *given is their number. */
static gofh_status ask_each(gofh_study *st, int count, int64_t *trials, double *x, int *given)
{
    for (*given = 0; *given < count; ++*given) {
        gofh_status status = study_ask(st->core, &trials[*given], x + (size_t)*given * (size_t)st->core->d,
                                       &st->error);
        handle_note_domain_errors(st);
        if (status) return status;
    }
    return GOFH_OK;
}

/* The study as it was before `given` trials were added; before: its state then. */
static void take_back(gofh_study *st, int given, const double *before)
{
    while (given-- > 0) study_drop_last(st->core);
    study_go_back(st->core, st->mark);
    study_state_read(st->core, before, study_state_count(st->core), 1);
}

gofh_status gofh_study_ask_batch(gofh_study *st, int count, int64_t *trials, double *x, int *given)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!trials || !x || !given) return handle_refuse(st, !trials ? "trials" : x ? "given" : "x");
    *given = 0;
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (!status && count < 1)
        status = error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d points are asked for: it is 1 or more",
                           count);
    if (status) return handle_leave(st, status);
    double *before = memory_doubles(study_state_count(st->core));
    if (!before) return handle_leave(st, error_memory(&st->error));
    study_state_write(st->core, before);
    status = ask_each(st, count, trials, x, given);
    /* A reason to stop, but the caller's, leaves what has been suggested. */
    if (status > 0 && status != GOFH_STOP_CALLER && *given > 0) status = GOFH_OK;
    if (!status) status = record_trials(st, trials[0], trials[*given - 1]);
    if (status) {
        take_back(st, *given, before);
        *given = 0;
    }
    free(before);
    return handle_leave(st, status);
}
