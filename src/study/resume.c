/* Taking a study up again, and undoing a step that could not be kept. */
#include "base/error.h"
#include "base/memory.h"
#include "study/fit_state.h"
#include "study/fitted.h"
#include "study/reduce.h"
#include "study/starts.h"
#include "study/success.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first numbers of the state; shift, scale and values of the hyperparameters follow. */
enum {
    TAG,
    PARAMETERS,
    OUTPUTS,
    SAMPLES,
    DATA,
    LAST,
    POOR_FIT,
    CONTRADICTIONS,
    NUGGET,
    ROUGH,
    GAIN,
    ASKED,
    HEAD
};

/* Of the state: to be raised when it has to hold something else. */
static const double KIND = 7.0, KIND_REDUCED = 8.0;

static double kind_of(const study *st)
{
    return st->method->subject == MODEL_OF_H && st->state_outputs < st->m ? KIND_REDUCED : KIND;
}

/* Whether the hyperparameters are kept: not those of outputs that became too many. */
static int keeps_hyper(const study *st)
{
    return st->outputs == st->state_outputs;
}

/* As many as there can be: a study may have to do with fewer later. */
static size_t most_samples(const study *st)
{
    return study_samples_hyper(st) ? (size_t)st->spec.settings.hyper_samples : 1;
}

static size_t value_count(const study *st)
{
    return most_samples(st) * (size_t)st->state_outputs * (size_t)(st->d + HYPER_EXTRA);
}

size_t study_state_count(const study *st)
{
    return HEAD + 2 * (size_t)st->state_outputs + value_count(st);
}

void study_state_write(const study *st, double *values)
{
    size_t outputs = (size_t)st->state_outputs;
    const hyper_state *committed = &st->fitted->committed;
    memset(values, 0, study_state_count(st) * sizeof *values);
    values[TAG] = kind_of(st);
    values[PARAMETERS] = st->d;
    values[OUTPUTS] = st->state_outputs;
    values[SAMPLES] = st->fitted->samples;
    values[DATA] = keeps_hyper(st) ? committed->data : 0;
    values[LAST] = committed->last;
    values[POOR_FIT] = committed->poor_fit;
    values[CONTRADICTIONS] = st->fitted->contradictions;
    values[NUGGET] = st->fitted->worst_nugget;
    values[ROUGH] = committed->rough;
    values[GAIN] = st->gain.trial;
    values[ASKED] = (double)st->gain.asked;
    if (!keeps_hyper(st)) return;
    memcpy(values + HEAD, committed->shift, outputs * sizeof *values);
    memcpy(values + HEAD + outputs, committed->scale, outputs * sizeof *values);
    memcpy(values + HEAD + 2 * outputs, committed->values, value_count(st) * sizeof *values);
}

static int is_count(double value, double least, double most)
{
    return value >= least && value <= most && value == floor(value);
}

/* Whether the coordinate is one of choices that may have places, which may be negative. */
static int has_place(const study *st, int k)
{
    const latent_choices *latent = &st->fitted->latent;
    for (int i = 0; i < latent->count; i++)
        if (k >= latent->of[i].first && k < latent->of[i].first + latent->of[i].width) return 1;
    return 0;
}

/* One slot of hyper_state. */
static int is_hyper(const study *st, const double *slot)
{
    int places = slot[st->d + 6] > 0.0 && st->fitted->latent.count > 0;
    if (!is_count(slot[st->d + 4], 0.0, TRANSFORM_COUNT - 1) || !is_count(slot[st->d + 6], 0.0, places))
        return 0;
    for (int k = 0; k < st->d; k++)
        if (!((places && has_place(st, k)) || slot[k] > 0.0) || !isfinite(slot[k])) return 0;
    const double *extra = slot + st->d;
    return extra[0] > 0.0 && isfinite(extra[0]) && extra[1] >= 0.0 && isfinite(extra[1]) &&
           !isinf(extra[2]) && extra[3] >= 0.0 && extra[3] < 1.0;
}

static int is_state(const study *st, const double *values, size_t count)
{
    size_t outputs = (size_t)st->state_outputs, width = (size_t)(st->d + HYPER_EXTRA);
    if (count != study_state_count(st) || values[PARAMETERS] != st->d || values[OUTPUTS] != st->state_outputs)
        return 0;
    if (!is_count(values[SAMPLES], 1.0, (double)most_samples(st)) ||
        !is_count(values[DATA], 0.0, (double)st->trials.count) || !is_count(values[POOR_FIT], 0.0, 1.0) ||
        !is_count(values[ROUGH], 0.0, 1.0) || !is_count(values[GAIN], 0.0, (double)st->trials.count) ||
        !is_count(values[ASKED], 0.0, (double)st->trials.count))
        return 0;
    if (values[DATA] == 0.0) return 1;
    if (!is_count(values[LAST], values[DATA] - 1.0, (double)st->trials.count - 1.0)) return 0;
    for (size_t j = 0; j < outputs; j++) {
        double shift = values[HEAD + j], scale = values[HEAD + outputs + j];
        if (!isfinite(shift) || !(scale > 0.0 && isfinite(scale))) return 0;
    }
    size_t slots = (size_t)values[SAMPLES] * outputs;
    for (size_t i = 0; i < slots; i++)
        if (!is_hyper(st, values + HEAD + 2 * outputs + i * width)) return 0;
    return 1;
}

gofh_status study_state_read(study *st, const double *values, size_t count, int same)
{
    size_t outputs = (size_t)st->state_outputs;
    if (count < HEAD) return GOFH_ERROR_DAMAGED;
    if (values[TAG] != kind_of(st)) same = 0; /* of another version */
    if (same && !is_state(st, values, count)) return GOFH_ERROR_DAMAGED;
    if (!is_count(values[CONTRADICTIONS], 0.0, (double)st->trials.count) || !(values[NUGGET] >= 0.0))
        return GOFH_ERROR_DAMAGED;
    st->fitted->contradictions = (int)values[CONTRADICTIONS];
    st->fitted->worst_nugget = values[NUGGET];
    st->fitted->committed.data = 0;
    st->gain.trial = same ? (int)values[GAIN] : 0;
    st->gain.asked = same ? (size_t)values[ASKED] : 0;
    if (!same || !keeps_hyper(st)) return GOFH_OK;
    if ((int)values[SAMPLES] < st->fitted->samples) st->fitted->samples = (int)values[SAMPLES];
    st->fitted->committed.data = (int)values[DATA];
    st->fitted->committed.last = (int)values[LAST];
    st->fitted->committed.poor_fit = (int)values[POOR_FIT];
    st->fitted->committed.rough = (int)values[ROUGH];
    memcpy(st->fitted->committed.shift, values + HEAD, outputs * sizeof *values);
    memcpy(st->fitted->committed.scale, values + HEAD + outputs, outputs * sizeof *values);
    memcpy(st->fitted->committed.values, values + HEAD + 2 * outputs, value_count(st) * sizeof *values);
    if (!st->fitted->mo)
        fit_copy_state(st, &st->fitted->current, &st->fitted->committed); /* of these the log has told */
    return GOFH_OK;
}

gofh_status study_restore(study *st, const gofh_trial *past, gofh_error *error)
{
    trial *t = study_new_trial(st);
    if (!t) return error_memory(error);
    gofh_status status = GOFH_OK;
    memcpy(t->x, past->x, (size_t)st->parameters * sizeof *t->x);
    for (int k = 0; k < st->parameters; k++)
        if (!domain_allows(&st->spec.box, k, t->x[k], &t->x[k])) {
            free(t->x);
            return error_set(error, GOFH_ERROR_CHANGED,
                             "trial %zu has the value %.10g of parameter %d, which is no longer allowed",
                             st->trials.count + 1, past->x[k], k + 1);
        }
    domain_to_unit(&st->spec.box, t->x, t->u);
    t->state = past->state;
    t->imported = past->imported;
    t->origin = past->origin;
    t->expected = past->expected;
    if (past->y) {
        memcpy(t->y, past->y, (size_t)st->m * sizeof *t->y);
        if (past->variance) {
            t->variance = t->y + st->m;
            memcpy(t->variance, past->variance, (size_t)st->m * sizeof *t->variance);
        }
        status = study_objective(st, t->x, t->y, &t->f, error);
    } else if (past->state != GOFH_TRIAL_OPEN) {
        t->reason = memory_copy_text(past->reason);
        if (!t->reason) status = error_memory(error);
    }
    if (status) {
        free(t->x);
        return status;
    }
    st->starts.used += (size_t)starts_is_origin(t);
    st->trials.count++;
    return GOFH_OK;
}

static void trim_log(study *st, size_t lines)
{
    while (st->journal.count > lines) free(st->journal.lines[--st->journal.count]);
}

study_mark study_mark_now(const study *st)
{
    return (study_mark){st->journal.count, st->fitted->worst_nugget, st->fitted->contradictions};
}

void study_go_back(study *st, study_mark mark)
{
    trim_log(st, mark.lines);
    st->fitted->worst_nugget = mark.worst_nugget;
    st->fitted->contradictions = mark.contradictions;
}

void study_abandon(study *st, study_mark mark)
{
    study_go_back(st, mark);
    st->fitted->data_count = 0;
    reduce_forget(st);
    if (st->fitted->mo) fit_copy_state(st, &st->fitted->current, &st->fitted->committed);
    success_forget(st);
}

void study_drop_last(study *st)
{
    trial *t = &st->trials.list[--st->trials.count];
    reduce_forget(st);
    st->starts.used -= (size_t)starts_is_origin(t);
    free(t->reason);
    free(t->x);
}

void study_reopen(study *st, int64_t id)
{
    trial *t = &st->trials.list[id - 1];
    reduce_forget(st);
    free(t->reason);
    t->reason = NULL;
    t->variance = NULL;
    t->f = NAN;
    t->state = GOFH_TRIAL_OPEN;
}
