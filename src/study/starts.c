#include "study/starts.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char STARTS_ORIGIN[] = "start";

int starts_is_origin(const trial *t)
{
    return strcmp(t->origin, STARTS_ORIGIN) == 0;
}

int starts_is_suggested(const trial *t)
{
    return !t->imported && strcmp(t->origin, "design") != 0 && !starts_is_origin(t);
}

int starts_are_left(const study *st)
{
    return st->starts.used < st->starts.count;
}

static const double *start_at(const study *st, size_t i)
{
    return st->starts.x + i * (size_t)st->parameters;
}

/* The allowed point nearest to x that has all values that the start gives, into u. Returns -1 where none was
 * found. */
static int complete_start(study *st, const double *given, const double *x, double *u)
{
    const domain *box = &st->spec.box;
    unsigned char held[GOFH_MAX_PARAMETERS] = {0};
    for (int p = 0; p < st->parameters; p++) {
        domain_parameter kind = domain_kind_of(box, p);
        for (int k = 0; k < kind.width; k++) held[kind.first + k] = (unsigned char)!isnan(given[p]);
    }
    domain_to_unit(box, x, u);
    return space_repair(st->space, u, held);
}

int starts_overlay(study *st, double *x)
{
    const double *given = start_at(st, st->starts.used);
    double u[GOFH_MAX_PARAMETERS], found[GOFH_MAX_PARAMETERS], all[GOFH_MAX_PARAMETERS];
    for (int k = 0; k < st->parameters; k++) all[k] = isnan(given[k]) ? x[k] : given[k];
    if (space_broken(st->space, all) >= 0) {
        if (complete_start(st, given, all, u)) return -1; /* constraints may have come after it */
        space_to_user(st->space, u, found);
        for (int k = 0; k < st->parameters; k++)
            if (isnan(given[k])) all[k] = found[k];
        if (space_broken(st->space, all) >= 0) return -1;
    }
    memcpy(x, all, (size_t)st->parameters * sizeof *x);
    return 0;
}

int study_start_breaks(study *st, const double *x)
{
    double middle[GOFH_MAX_PARAMETERS], u[GOFH_MAX_PARAMETERS];
    int left_out = 0;
    if (!space_has_constraints(st->space)) return -1;
    for (int k = 0; k < st->d; k++) u[k] = 0.5;
    domain_to_user(&st->spec.box, u, middle);
    for (int k = 0; k < st->parameters; k++) {
        left_out |= isnan(x[k]) && domain_kind_of(&st->spec.box, k).kind != DOMAIN_FIXED;
        if (!isnan(x[k])) middle[k] = x[k];
    }
    int broken = space_broken(st->space, middle);
    if (broken < 0 || !left_out) return broken;
    return complete_start(st, x, middle, u) ? -2 : -1;
}

gofh_status study_enqueue(study *st, const double *x, gofh_error *error)
{
    if (memory_grow((void **)&st->starts.x, &st->starts.room, st->starts.count + 1,
                    (size_t)st->parameters * sizeof *x))
        return error_memory(error);
    double *to = st->starts.x + st->starts.count++ * (size_t)st->parameters;
    for (int k = 0; k < st->parameters; k++) {
        to[k] = x[k];
        if (!isnan(x[k])) domain_allows(&st->spec.box, k, x[k], &to[k]);
        to[k] += 0.0; /* a file knows no minus zero */
    }
    return GOFH_OK;
}

void study_unqueue(study *st, size_t count)
{
    st->starts.count -= count;
}

/* Which of the starts and of the trials are the answer to a point that is given again. A start and
 * the trial made of it are one. */
typedef struct {
    const study *st;
    unsigned char *start, *trial;
} claims;

static void claim_trial(claims *c, size_t i)
{
    size_t number = 0;
    const trial *list = c->st->trials.list;
    c->trial[i] = 1;
    if (!starts_is_origin(&list[i])) return;
    for (size_t k = 0; k < i; k++) number += (size_t)starts_is_origin(&list[k]);
    if (number < c->st->starts.count) c->start[number] = 1;
}

static void claim_start(claims *c, size_t number)
{
    size_t seen = 0;
    c->start[number] = 1;
    for (size_t i = 0; i < c->st->trials.count; i++)
        if (starts_is_origin(&c->st->trials.list[i]) && seen++ == number) c->trial[i] = 1;
}

/* Whether x gives these values; exactly: whether it gives no others. */
static int gives(const study *st, const double *x, const double *values, int exactly)
{
    for (int k = 0; k < st->parameters; k++)
        if (isnan(x[k]) ? exactly && !isnan(values[k]) : x[k] != values[k]) return 0;
    return 1;
}

static int is_complete(const study *st, const double *x)
{
    for (int k = 0; k < st->parameters; k++)
        if (isnan(x[k])) return 0;
    return 1;
}

static int claim_among_starts(claims *c, const double *x)
{
    for (size_t i = 0; i < c->st->starts.count; i++)
        if (!c->start[i] && gives(c->st, x, start_at(c->st, i), 1)) {
            claim_start(c, i);
            return 1;
        }
    return 0;
}

static int claim_among_trials(claims *c, const double *x)
{
    for (size_t i = 0; i < c->st->trials.count; i++)
        if (!c->trial[i] && c->st->trials.list[i].state != GOFH_TRIAL_FORGOTTEN &&
            gives(c->st, x, c->st->trials.list[i].x, 0)) {
            claim_trial(c, i);
            return 1;
        }
    return 0;
}

gofh_status study_find_known(const study *st, const double *x, size_t count, unsigned char *known,
                             gofh_error *error)
{
    size_t d = (size_t)st->parameters;
    claims c = {.st = st, .start = memory_new(st->starts.count + st->trials.count, 1)};
    if (!c.start) return error_memory(error);
    c.trial = c.start + st->starts.count;
    for (size_t i = 0; i < count; i++) known[i] = (unsigned char)claim_among_starts(&c, x + i * d);
    /* Who gives all values comes first: what gives fewer may be met by several trials. */
    for (int complete = 1; complete >= 0; complete--)
        for (size_t i = 0; i < count; i++)
            if (!known[i] && is_complete(st, x + i * d) == complete)
                known[i] = (unsigned char)claim_among_trials(&c, x + i * d);
    free(c.start);
    return GOFH_OK;
}
