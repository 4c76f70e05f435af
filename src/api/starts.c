/* Points that the user has. */
#include "api/record.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static gofh_status check_values(gofh_study *st, const double *x)
{
    gofh_status status = GOFH_OK;
    for (int k = 0; k < st->core->parameters && !status; k++) {
        double exact = x[k];
        if (!isnan(x[k])) status = parameters_check(&st->problem, k, "start value", &exact, &st->error);
    }
    return status;
}

/* Whether known constraints allow it. number: from 1, or 0 where there is no other. */
static gofh_status check_start(gofh_study *st, const double *x, int number)
{
    int broken = study_start_breaks(st->core, x);
    if (broken == -1) return GOFH_OK;
    char which[32] = "the start point";
    if (number > 0) snprintf(which, sizeof which, "start point %d", number);
    if (broken >= 0)
        return error_set(&st->error, GOFH_ERROR_ARGUMENT, "%s breaks the constraint %.150s", which,
                         st->problem.known_text[broken]);
    char list[160];
    int known = 0;
    for (int i = 0; i < st->problem.constraint_count; i++) known += st->problem.place[i] < 0;
    constraints_list_known(&st->problem, sizeof list, list);
    return error_set(&st->error, GOFH_ERROR_ARGUMENT,
                     "no point was found with the values of %s that meets the %s %.120s", which,
                     known > 1 ? "known constraints:" : "constraint", list);
}

/* Those of count points that are not known (NULL: all of them); all or none. */
static gofh_status enqueue(gofh_study *st, const double *x, size_t count, const unsigned char *known)
{
    size_t d = (size_t)st->core->parameters, queued = 0;
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (known && known[i]) continue;
        status = study_enqueue(st->core, x + i * d, &st->error);
        queued += !status;
    }
    if (!status && queued) status = record_starts(st, queued);
    if (status) study_unqueue(st->core, queued);
    return status;
}

gofh_status gofh_study_enqueue(gofh_study *st, const double *x)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x) return handle_refuse(st, "x");
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (!status) status = check_values(st, x);
    if (!status) status = check_start(st, x, 0);
    if (!status) status = enqueue(st, x, 1, NULL);
    return handle_leave(st, status);
}

gofh_status gofh_study_enqueue_missing(gofh_study *st, const double *x, int count)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x && count > 0) return handle_refuse(st, "x");
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (!status && count < 0) status = error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d points", count);
    size_t d = (size_t)st->core->parameters;
    for (int i = 0; i < count && !status; i++) status = check_values(st, x + (size_t)i * d);
    unsigned char *known = status ? NULL : memory_new((size_t)count, 1);
    if (!status && !known) status = error_memory(&st->error);
    if (!status) status = study_find_known(st->core, x, (size_t)count, known, &st->error);
    for (int i = 0; known && i < count && !status; i++)
        if (!known[i]) status = check_start(st, x + (size_t)i * d, count > 1 ? i + 1 : 0);
    if (!status) status = enqueue(st, x, (size_t)count, known);
    free(known);
    return handle_leave(st, status);
}

int64_t gofh_study_queued(const gofh_study *st)
{
    return st ? (int64_t)(st->core->starts.count - st->core->starts.used) : 0;
}
