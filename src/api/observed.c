#include "api/observed.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Data whose covariance is factored as a whole. */
enum { FIELD_MAX = 500 };

void observed_release(observed_data *o)
{
    for (int g = 0; g < o->groups + o->fields; g++) free(o->group[g]);
    free(o->group);
    free(o->data);
    *o = (observed_data){.data = NULL};
}

/* The group of data without sigma, a new one for a new name; -1: no memory. place: of the groups among
 * the data. */
static int find_group(observed_data *o, const gofh_study *st, int data, int *place)
{
    for (int g = 0; g < o->groups; g++)
        if (place[g] == data) return g;
    char *name = memory_copy_text(st->description.problem.numbers[data].name);
    if (!name) return -1;
    o->group[o->groups] = name;
    place[o->groups] = data;
    return o->groups++;
}

static infer_datum datum_of(const comparison *c, int group)
{
    infer_datum datum = {.output = c->output,
                         .value = c->value,
                         .sigma = c->deviation,
                         .group = group,
                         .unit = c->relative ? fabs(c->value) : 1.0,
                         .logarithm = c->logarithm,
                         .field = c->field,
                         .at = c->at};
    if (c->logarithm) datum.sigma /= fabs(c->value);
    return datum;
}

/* Numbers the discrepancies of what is fitted from 1, and names them. */
static int name_fields(observed_data *o, const gofh_study *st)
{
    enum { ROOM = 100 };
    for (int i = 0; i < o->count; i++) {
        int number = o->data[i].field, data = st->problem.fitted.items[i].data, known = 0;
        if (!number) continue;
        for (int k = 0; k < i && !known; k++)
            if (st->problem.fitted.items[k].data == data) known = o->data[k].field;
        if (!known) {
            char *name = memory_new(ROOM, 1);
            if (!name) return -1;
            snprintf(name, ROOM, "the discrepancy of %.60s", st->description.problem.numbers[data].name);
            o->group[o->groups + o->fields++] = name;
            known = o->fields;
        }
        o->data[i].field = known;
    }
    return 0;
}

static gofh_status fill(observed_data *o, const gofh_study *st)
{
    const comparisons *fitted = &st->problem.fitted;
    int *place = memory_new(fitted->count, sizeof *place);
    o->count = (int)fitted->count;
    o->data = memory_new(fitted->count, sizeof *o->data);
    o->group = memory_new(2 * fitted->count, sizeof *o->group);
    int failed = !o->data || !place || !o->group;
    for (size_t i = 0; i < fitted->count && !failed; i++) {
        const comparison *c = &fitted->items[i];
        int group = isnan(c->deviation) ? find_group(o, st, c->data, place) : 0;
        failed = group < 0;
        o->data[i] = datum_of(c, group);
    }
    free(place);
    return failed || name_fields(o, st) ? GOFH_ERROR_MEMORY : GOFH_OK;
}

/* A sigma can be told from residuals only where there are more data than parameters; and where the study is
 * reduced its outputs are of one unit. */
static gofh_status check(const observed_data *o, const gofh_study *st, gofh_error *error)
{
    int known = 0;
    for (int i = 0; i < o->count; i++) known += !isnan(o->data[i].sigma);
    for (int g = 0; g < o->groups; g++) {
        int own = 0;
        for (int i = 0; i < o->count; i++) own += isnan(o->data[i].sigma) && o->data[i].group == g;
        if (own <= st->core->d)
            return error_set(error, GOFH_ERROR_PROBLEM,
                             "sigma of data \"%.60s\" can't be estimated from %d values with %d parameter%s: "
                             "give it",
                             o->group[g], own, st->core->d, st->core->d == 1 ? "" : "s");
    }
    if (o->fields && (st->core->reduction || o->count > FIELD_MAX))
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "a discrepancy is for at most %d data, and there are %d: leave it out", FIELD_MAX,
                         o->count);
    if (o->fields && st->problem.likelihood_factor > 0.0)
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "a discrepancy is for normal residuals: leave it or \"loss: huber\" out");
    if (st->core->reduction && o->groups > 0 && (o->groups > 1 || known > 0))
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "a posterior of %d outputs needs the sigma of all data, or of none: give that of "
                         "\"%.60s\"",
                         st->core->m, o->group[0]);
    return GOFH_OK;
}

gofh_status observed_collect(observed_data *o, const gofh_study *st, gofh_error *error)
{
    *o = (observed_data){.data = NULL};
    if (st->problem.no_likelihood)
        return error_set(error, GOFH_ERROR_PROBLEM, "%s", st->problem.no_likelihood);
    if (st->problem.likelihood_factor > 0.0 && !st->problem.is_fit) return GOFH_OK; /* it has none */
    gofh_status status = fill(o, st);
    return status ? status : check(o, st, error);
}
