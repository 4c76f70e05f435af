/* Outputs that are missing from some trials. */
#include "study/fitted.h"

#include <math.h>

int study_is_ready(const study *st)
{
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_DONE && !isnan(st->trials.list[i].f)) return 1;
    return 0;
}

int study_is_seen(const study *st, int j)
{
    if (!st->spec.missing || st->method->subject == MODEL_OF_F) return 1;
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_DONE && !isnan(st->trials.list[i].y[j])) return 1;
    return 0;
}

int study_known(const study *st, int j, int n)
{
    int known = 0;
    for (int i = 0; i < n; i++) known += !isnan(st->trials.list[st->fitted->data[i]].y[j]);
    return known;
}
