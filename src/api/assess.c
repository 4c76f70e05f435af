/* How sure a study is. */
#include "study/assess.h"
#include "api/handle.h"
#include "api/sized.h"
#include "base/error.h"
#include "base/memory.h"
#include "study/stop.h"

gofh_status gofh_study_assess_sized(gofh_study *st, gofh_assessment *result, size_t size)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!result) return handle_refuse(st, "result");
    handle_enter(st);
    if (sized_check(size, "gofh_assessment", &st->error)) return handle_leave(st, GOFH_ERROR_ARGUMENT);
    if (!st->assessed) st->assessed = memory_new(ASSESS_TEXT, 1);
    if (!st->assessed) return handle_leave(st, error_memory(&st->error));
    comparisons compared = {.items = NULL};
    unsigned char choice[GOFH_MAX_PARAMETERS];
    for (int k = 0; k < st->core->parameters; k++) choice[k] = st->problem.kind[k].word != NULL;
    assess_context context = {(const char *const *)st->problem.name, choice, &compared};
    gofh_assessment own;
    gofh_status status = expression_comparisons(st->problem.expression, &compared);
    if (!status) status = study_assess(st->core, &context, &own, st->assessed, st->bound);
    comparisons_clear(&compared);
    study_abandon(st->core, st->mark); /* it was only looked at, and leaves no line in the log */
    if (!status) sized_give(result, size, &own, sizeof own);
    return handle_leave(st, status);
}

int gofh_study_ended(gofh_study *st)
{
    int ended = 0;
    if (!st) return 0;
    handle_enter(st);
    return handle_leave(st, stop_is_due(st->core, &ended)) ? 0 : ended;
}
