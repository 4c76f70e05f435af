/* Outputs that are missing from some trials. */
#include "study/fitted.h"

#include <math.h>

/* Whether a done trial has a value of output j. */
static int is_seen(const study *st, int j)
{
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_DONE && !isnan(st->trials.list[i].y[j])) return 1;
    return 0;
}

int study_is_ready(const study *st)
{
    int known = 0;
    for (size_t i = 0; i < st->trials.count && !known; i++)
        known = st->trials.list[i].state == GOFH_TRIAL_DONE && !isnan(st->trials.list[i].f);
    for (int j = 0; known && st->spec.missing && st->method->subject == MODEL_OF_H && j < st->m; j++)
        known = is_seen(st, j);
    return known;
}

int study_known(const study *st, int j, int n)
{
    int known = 0;
    for (int i = 0; i < n; i++) known += !isnan(st->trials.list[st->fitted->data[i]].y[j]);
    return known;
}
