#include "study/study.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/quasi.h"
#include "study/fit.h"
#include "study/fitted.h"
#include "study/journal.h"
#include "study/points.h"
#include "study/reduce.h"
#include "study/starts.h"
#include "study/stop.h"
#include "study/success.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void study_enter(void)
{
    model_enter();
}

void study_leave(void)
{
    model_leave();
}

/* A uniform one is made point by point, unless known constraints make it hard to fill what they leave. */
static int make_design(study *st)
{
    enum {
        EACH = 40
    }; /* points among which one of the design is chosen, where there are known constraints */
    int each = space_has_constraints(st->space) ? EACH : 1;
    if ((st->spec.settings.design != GOFH_DESIGN_SOBOL && each == 1) || st->initial == 0) return 0;
    st->design = memory_doubles((size_t)st->initial * (size_t)each * (size_t)st->d);
    if (!st->design) return -1;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_DESIGN, 0, 1);
    if (each > 1) {
        space_design(st->space, &stream, st->initial, each, st->design);
        return 0;
    }
    quasi_points(&stream, st->d, st->initial, st->design);
    space_scatter(st->space, &stream, st->initial, st->design);
    return 0;
}

/* With d parameters that are not fixed, the paper's 2(d + 1) for its methods. For "gofh", whose
 * suggestions tell more than uniform points, d + 1 and at least 3, and as many as one parameter has
 * choices. */
static int usual_design(const method *chosen, const domain *box)
{
    enum { LEAST = 3, CHOICES_MAX = 8 };
    int d = 0, least = LEAST;
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        d += kind.kind != DOMAIN_FIXED;
        if (kind.kind == DOMAIN_CHOICE && kind.count > least)
            least = kind.count < CHOICES_MAX ? kind.count : CHOICES_MAX;
    }
    if (!chosen->parts) return 2 * (d + 1);
    return d + 1 < least ? least : d + 1;
}

study *study_create(const study_spec *spec, gofh_error *error)
{
    study *st = memory_new(1, sizeof *st);
    if (!st) {
        error_memory(error);
        return NULL;
    }
    const gofh_settings *settings = &spec->settings;
    st->spec = *spec;
    st->method = study_method(settings->method);
    st->d = spec->box.d;
    st->parameters = domain_parameters(&spec->box);
    st->space = space_create(&st->spec.box, spec->known);
    st->m = spec->g->outputs;
    st->outputs = st->method->subject == MODEL_OF_F ? 1 : st->m;
    int reduced = reduce_applies(spec, st->method);
    if (reduced) {
        st->outputs = REDUCE_LEARNED;
        st->reduction = reduce_create();
    }
    st->state_outputs = st->outputs;
    st->initial = settings->initial < 0 ? usual_design(st->method, &spec->box) : settings->initial;
    st->identity = 1.0;
    st->f_outer = (outer){.outputs = 1, .parameters = st->parameters, .sign = 1.0, .weights = &st->identity};
    st->fitted = fitted_create(st);
    st->margin = memory_doubles((size_t)spec->g->margins);
    if (spec->missing) st->filled = memory_doubles((size_t)st->m);
    if (!st->space || !st->margin || !st->fitted || (reduced && !st->reduction) ||
        (spec->missing && !st->filled) || make_design(st)) {
        study_free(st);
        error_memory(error);
        return NULL;
    }
    return st;
}

void study_free(study *st)
{
    if (!st) return;
    for (size_t i = 0; i < st->trials.count; i++) {
        free(st->trials.list[i].reason);
        free(st->trials.list[i].x);
    }
    free(st->trials.list);
    free(st->starts.x);
    free(st->design);
    fitted_free(st->fitted);
    space_free(st->space);
    reduce_free(st->reduction);
    free(st->margin);
    free(st->filled);
    free(st->climbing.block);
    for (size_t i = 0; i < st->journal.count; i++) free(st->journal.lines[i]);
    free(st->journal.lines);
    free(st);
}

trial *study_new_trial(study *st)
{
    if (memory_grow((void **)&st->trials.list, &st->trials.room, st->trials.count + 1,
                    sizeof *st->trials.list))
        return NULL;
    size_t d = (size_t)st->d, x = (size_t)st->parameters;
    trial *t = &st->trials.list[st->trials.count];
    *t = (trial){.expected = NAN, .feasible = NAN, .f = NAN};
    t->x = memory_doubles(x + d + 2 * (size_t)st->m); /* the last m for variances */
    if (!t->x) return NULL;
    t->u = t->x + x;
    t->y = t->u + d;
    return t;
}

/* With starts or imports the default design has at most three points beside them. */
static int design_size(const study *st, int imported)
{
    enum { BESIDE = 3 };
    int given = imported + (int)st->starts.count;
    if (st->spec.settings.initial >= 0 || !st->method->parts || given == 0) return st->initial;
    return given + BESIDE < st->initial ? given + BESIDE : st->initial;
}

static void design_point(const study *st, int index, double *u)
{
    if (st->design && index < st->initial) {
        memcpy(u, st->design + (size_t)index * (size_t)st->d, (size_t)st->d * sizeof *u);
        return;
    }
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_DESIGN, (uint64_t)index, 0);
    for (int k = 0; k < st->d; k++) u[k] = random_uniform(&stream);
    space_scatter(st->space, &stream, 1, u);
}

/* The first from `index` on that has not been tried: "gofh check" tries the first point of a design that
 * has no middle. */
static void next_design_point(const study *st, int index, double *u)
{
    enum { TRIES = 100 };
    design_point(st, index, u);
    for (int i = 1; i < TRIES && !space_is_cube(st->space) && points_reach_to_trials(st, u) < POINTS_SAME;
         i++)
        design_point(st, index + i, u);
}

/* What leaves the study is allowed, and where only discrete parameters could differ, not tried yet. */
static void make_allowed(study *st, uint64_t key, double *u)
{
    if (space_is_cube(st->space)) return;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_CANDIDATES, key, 2);
    space_repair(st->space, u, NULL);
    if (space_continuous(st->space) > 0 || study_is_noisy(st)) return;
    if (points_reach_to_trials(st, u) < POINTS_SAME) study_find_untried(st, &stream, u);
}

/* Whether u, which is suggested, tells nothing: it has been tried, and no allowed point was found that has not. */
static int is_used_up(const study *st, const double *u)
{
    if (space_is_cube(st->space) || space_continuous(st->space) > 0) return 0;
    if (study_is_noisy(st) || study_is_given_noisy(st)) return 0;
    return points_reach_to_trials(st, u) < POINTS_SAME;
}

/* A minus zero becomes a zero, for a file knows no other: a study that is resumed must have the
 * same bits. */
static void copy_values(double *to, const double *from, int count)
{
    for (int i = 0; i < count; i++) to[i] = from[i] + 0.0;
}

gofh_status study_ask(study *st, int64_t *id, double *x, gofh_error *error)
{
    int asked = 0, suggested = 0, count = (int)st->trials.count;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *past = &st->trials.list[i];
        asked += !past->imported;
        suggested += starts_is_suggested(past);
    }
    int given = starts_are_left(st);
    gofh_status reason = stop_reason(st, asked);
    if (reason) return reason;
    trial *t = stop_note_gain(st) ? NULL : study_new_trial(st);
    if (!t) return error_memory(error);
    uint64_t key = (uint64_t)st->trials.count + 1;
    /* Once it is over the design stays so, even where more is imported or `initial` has changed. */
    if (given || (count < design_size(st, count - asked) && suggested == 0) || !study_is_ready(st)) {
        t->origin = given ? STARTS_ORIGIN : "design";
        next_design_point(st, asked, t->u);
    } else {
        proposal p = {.feasible = NAN, .origin = st->method->name};
        st->journal.lost = 0;
        gofh_status status;
        study *by = reduce_study(st, &status);
        if (!status) status = st->method->suggest(by, key, &p);
        if (!status && st->journal.lost) status = GOFH_ERROR_MEMORY;
        if (!status && interrupt_requested()) status = GOFH_STOP_CALLER;
        if (status) {
            free(t->x);
            return status;
        }
        memcpy(t->u, p.u, (size_t)st->d * sizeof *t->u);
        t->origin = p.origin;
        t->expected = p.gain;
        t->feasible = p.feasible;
        /* Not of a model that was only looked at: what is asked must not depend on that. */
        if (st->method->acquisition) study_commit_hyper(st);
    }
    make_allowed(st, key, t->u);
    if (!given && is_used_up(st, t->u)) {
        free(t->x);
        journal_say_once(st, "that has not been tried", "no allowed point was found that has not been tried");
        return GOFH_STOP_EXHAUSTED;
    }
    space_to_user(st->space, t->u, t->x);
    if (given && starts_overlay(st, t->x))
        study_log(st,
                  "trial %zu: no point was found that has the values of the start and meets the known "
                  "constraints; another is tried",
                  st->trials.count + 1);
    st->starts.used += (size_t)given;
    copy_values(t->x, t->x, st->parameters);
    domain_to_unit(&st->spec.box, t->x, t->u); /* as a study that reads x back will see it */
    memcpy(x, t->x, (size_t)st->parameters * sizeof *x);
    *id = (int64_t)++st->trials.count;
    return GOFH_OK;
}

static gofh_status check_outputs(const study *st, const double *y, gofh_error *error)
{
    int known = 0;
    for (int j = 0; j < st->m; j++) {
        known |= isfinite(y[j]) != 0;
        if (isfinite(y[j]) || (isnan(y[j]) && st->spec.missing && st->spec.missing[j])) continue;
        char name[JOURNAL_NAME];
        study_name_output(st, j, name);
        return error_set(error, GOFH_ERROR_ARGUMENT, "output %s is %g: tell finite values, or fail the trial",
                         name, y[j]);
    }
    return known ? GOFH_OK
                 : error_set(error, GOFH_ERROR_ARGUMENT, "all outputs are missing: fail the trial instead");
}

static gofh_status check_variances(const study *st, const double *variance, gofh_error *error)
{
    for (int j = 0; variance && j < st->m; j++) {
        if (isnan(variance[j]) || (variance[j] >= 0.0 && isfinite(variance[j]))) continue;
        char name[JOURNAL_NAME];
        study_name_output(st, j, name);
        return error_set(
            error, GOFH_ERROR_ARGUMENT,
            "the variance of output %s is %g: it must be 0 or above, or NaN where it is not known", name,
            variance[j]);
    }
    return GOFH_OK;
}

/* NULL and a message if there is no such trial. */
static trial *find_trial(study *st, int64_t id, gofh_error *error)
{
    if (id >= 1 && id <= (int64_t)st->trials.count) return &st->trials.list[id - 1];
    error_set(error, GOFH_ERROR_TRIAL, "there is no trial %lld: there are %lld so far", (long long)id,
              (long long)st->trials.count);
    return NULL;
}

/* NULL and a message if there is no such open trial. */
static trial *open_trial(study *st, int64_t id, gofh_error *error)
{
    trial *t = find_trial(st, id, error);
    if (!t || t->state == GOFH_TRIAL_OPEN) return t;
    error_set(error, GOFH_ERROR_TRIAL, "trial %lld has %s already", (long long)id,
              t->state == GOFH_TRIAL_DONE     ? "been told"
              : t->state == GOFH_TRIAL_FAILED ? "failed"
                                              : "been told and forgotten");
    return NULL;
}

gofh_status study_objective(const study *st, const double *x, const double *y, double *f, gofh_error *error)
{
    for (int j = 0; st->spec.missing && j < st->m; j++) {
        if (isnan(y[j]) && st->spec.used[j]) {
            *f = NAN;
            return GOFH_OK;
        }
        st->filled[j] = isnan(y[j]) ? 0.0 : y[j];
    }
    gofh_status status = outer_value(st->spec.g, st->spec.missing ? st->filled : y, x, f, st->margin);
    if (status) return error_set(error, status, "the outer function failed on the outputs given");
    if (space_broken(st->space, x) >= 0) *f = -INFINITY; /* of an import, or from before it was known */
    return GOFH_OK;
}

/* Says in the log that a point without noise was evaluated again. */
static void note_repeated(study *st, const trial *t)
{
    if (study_is_noisy(st)) return;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *other = &st->trials.list[i];
        if (other == t || other->state != GOFH_TRIAL_DONE ||
            memcmp(other->u, t->u, (size_t)st->d * sizeof *t->u) != 0)
            continue;
        int differs = memcmp(other->y, t->y, (size_t)st->m * sizeof *t->y) != 0;
        st->fitted->contradictions += differs;
        study_log(st, "trial %lld is at the point of trial %lld%s", (long long)(t - st->trials.list) + 1,
                  (long long)i + 1, differs ? ", with other outputs: the model takes their mean" : "");
        return;
    }
}

static void take_variances(const study *st, trial *t, const double *variance)
{
    int known = 0;
    for (int j = 0; variance && j < st->m; j++) known |= !isnan(variance[j]) && !isnan(t->y[j]);
    t->variance = known ? t->y + st->m : NULL;
    if (!known) return;
    copy_values(t->variance, variance, st->m);
    for (int j = 0; j < st->m; j++)
        if (isnan(t->y[j])) t->variance[j] = NAN;
}

gofh_status study_tell(study *st, int64_t id, const double *y, const double *variance, gofh_error *error)
{
    trial *t = open_trial(st, id, error);
    double f;
    if (!t) return GOFH_ERROR_TRIAL;
    gofh_status status = check_outputs(st, y, error);
    if (!status) status = check_variances(st, variance, error);
    if (status) return status;
    copy_values(t->y, y, st->m);
    status = study_objective(st, t->x, t->y, &f, error);
    if (status) return status;
    take_variances(st, t, variance);
    t->f = f;
    t->state = GOFH_TRIAL_DONE;
    note_repeated(st, t);
    return GOFH_OK;
}

gofh_status study_fail(study *st, int64_t id, const char *reason, gofh_error *error)
{
    trial *t = open_trial(st, id, error);
    if (!t) return GOFH_ERROR_TRIAL;
    char *copy = memory_copy_text(reason ? reason : "");
    if (!copy) return error_memory(error);
    t->reason = copy;
    t->state = GOFH_TRIAL_FAILED;
    return GOFH_OK;
}

/* What the log says that a trial was. */
static void describe_result(const study *st, int failed, double f, char *text, size_t size)
{
    if (failed)
        snprintf(text, size, "a failure");
    else if (isnan(f))
        snprintf(text, size, "a part of its outputs");
    else
        number_format(text, size, "f = %.10g", st->spec.g->sign * f);
}

gofh_status study_replace(study *st, int64_t id, const double *y, const double *variance, const char *reason,
                          gofh_error *error)
{
    trial *t = find_trial(st, id, error);
    if (!t) return GOFH_ERROR_TRIAL;
    if (t->state == GOFH_TRIAL_OPEN)
        return error_set(error, GOFH_ERROR_TRIAL, "trial %lld is open: there is nothing to replace yet",
                         (long long)id);
    if (t->state == GOFH_TRIAL_FORGOTTEN)
        return error_set(error, GOFH_ERROR_TRIAL,
                         "trial %lld is forgotten: take it in again before its result is replaced",
                         (long long)id);
    gofh_status status = y ? check_outputs(st, y, error) : GOFH_OK;
    if (!status && y) status = check_variances(st, variance, error);
    double f = NAN;
    if (!status && y) status = study_objective(st, t->x, y, &f, error);
    if (status) return status;
    char *copy = y ? NULL : memory_copy_text(reason ? reason : ""), before[64], after[64];
    if (!y && !copy) return error_memory(error);
    describe_result(st, t->state == GOFH_TRIAL_FAILED, t->f, before, sizeof before);
    describe_result(st, !y, f, after, sizeof after);
    if (study_log(st, "trial %lld: its result was replaced; it was %s and is %s", (long long)id, before,
                  after)) {
        free(copy);
        return error_memory(error);
    }
    free(t->reason);
    t->reason = copy;
    t->state = y ? GOFH_TRIAL_DONE : GOFH_TRIAL_FAILED;
    t->f = f;
    if (y) copy_values(t->y, y, st->m);
    take_variances(st, t, !y ? NULL : variance ? variance : t->variance);
    st->fitted->data_count = st->fitted->committed.data = 0;
    reduce_forget(st);
    success_forget(st);
    return GOFH_OK;
}

gofh_status study_forget(study *st, int64_t id, int forget, gofh_error *error)
{
    trial *t = find_trial(st, id, error);
    if (!t) return GOFH_ERROR_TRIAL;
    if (t->state == GOFH_TRIAL_OPEN)
        return error_set(error, GOFH_ERROR_TRIAL, "trial %lld is open: there is nothing to forget yet",
                         (long long)id);
    if (forget == (t->state == GOFH_TRIAL_FORGOTTEN))
        return error_set(error, GOFH_ERROR_TRIAL, "trial %lld is %s", (long long)id,
                         forget ? "forgotten already" : "not forgotten");
    char was[64];
    describe_result(st, t->reason != NULL, t->f, was, sizeof was);
    if (study_log(st, "trial %lld: its result, %s, %s", (long long)id, was,
                  forget ? "is forgotten: the model is learned without it" : "counts again"))
        return error_memory(error);
    t->state = forget ? GOFH_TRIAL_FORGOTTEN : t->reason ? GOFH_TRIAL_FAILED : GOFH_TRIAL_DONE;
    st->fitted->data_count = st->fitted->committed.data = 0;
    reduce_forget(st);
    success_forget(st);
    return GOFH_OK;
}

gofh_status study_import(study *st, const double *x, const double *y, const double *variance,
                         const char *reason, gofh_error *error)
{
    for (int k = 0; k < st->parameters; k++)
        if (!(x[k] >= st->spec.box.lower[k] && x[k] <= st->spec.box.upper[k]))
            return error_set(error, GOFH_ERROR_ARGUMENT, "value %g of parameter %d is outside %g to %g", x[k],
                             k, st->spec.box.lower[k], st->spec.box.upper[k]);
    gofh_status status = y ? check_outputs(st, y, error) : GOFH_OK;
    if (!status && y) status = check_variances(st, variance, error);
    if (status) return status;
    trial *t = study_new_trial(st);
    if (!t) return error_memory(error);
    copy_values(t->x, x, st->parameters);
    for (int k = 0; k < st->parameters; k++) domain_allows(&st->spec.box, k, t->x[k], &t->x[k]);
    domain_to_unit(&st->spec.box, t->x, t->u);
    t->imported = 1;
    t->origin = "import";
    t->state = y ? GOFH_TRIAL_DONE : GOFH_TRIAL_FAILED;
    if (y) {
        copy_values(t->y, y, st->m);
        take_variances(st, t, variance);
        status = study_objective(st, t->x, t->y, &t->f, error);
    } else if (!(t->reason = memory_copy_text(reason ? reason : ""))) {
        status = error_memory(error);
    }
    if (status) {
        free(t->x);
        return status;
    }
    st->trials.count++;
    if (y) note_repeated(st, t);
    return GOFH_OK;
}
