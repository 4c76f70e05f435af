/* From trials to a model conditioned on them. */
#include "study/fit.h"

#include "base/memory.h"
#include "study/fit_hyper.h"
#include "study/fit_shared.h"
#include "study/fit_state.h"
#include "study/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 16 };

/* What other programs add to be safe; only without PART_NUGGET. */
static const double NUGGET_OF_OTHERS = 1e-6;

void study_commit_hyper(study *st)
{
    if (st->mo && st->data_count > 0) fit_copy_state(st, &st->committed, &st->current);
}

void study_fix_hyper(study *st, int output, const gofh_hyperparameters *values)
{
    double *slot = st->fixed + (size_t)output * (size_t)(st->d + HYPER_EXTRA);
    for (int k = 0; k < st->d; k++) slot[k] = 1.0 / values->lengthscale[k];
    slot[st->d] = values->variance;
    slot[st->d + 1] = values->noise;
    slot[st->d + 2] = values->mean;
    st->fixed_given[output] = 1;
    st->data_count = 0; /* the model is out of date */
}

/* The mean of the variances that the data of output j are given with, relative to that of the
 * signal. */
static double mean_noise(const model *mo, int j, double variance)
{
    const double *noise = model_process(mo, 0, j)->own_noise;
    double sum = 0.0;
    for (int i = 0; i < mo->inputs.n; i++) sum += noise[i];
    return sum / mo->inputs.n / variance;
}

static void use_fixed(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        const double *given = st->fixed + (size_t)j * (size_t)(st->d + HYPER_EXTRA);
        double scale = st->mo->scale[j];
        gp_hyper *hyper = &model_process(st->mo, 0, j)->hyper;
        fit_load_hyper(st, given, hyper);
        hyper->variance = given[st->d] / scale / scale;
        hyper->noise = model_process(st->mo, 0, j)->own_noise ? mean_noise(st->mo, j, hyper->variance)
                                                              : given[st->d + 1] / given[st->d];
        hyper->mean = (given[st->d + 2] - st->mo->shift[j]) / scale;
    }
}

/* Logs once, and again when it gets worse, which output's data can't be interpolated without a
 * nugget. */
static void note_nuggets(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        double worst = 0.0;
        for (int s = 0; s < st->samples; s++) worst = fmax(worst, model_process(st->mo, s, j)->nugget);
        if (worst <= 1e-9 || worst <= st->worst_nugget) continue;
        st->worst_nugget = worst;
        char name[JOURNAL_NAME];
        journal_name(st, j, name);
        study_note(st, "after %d evaluations the covariance of %s needed a nugget of %.0e to factorise",
                   st->mo->inputs.n, name, worst);
    }
}

/* Adds the outputs of one trial as the model sees them. A model of f treats a trial that violates
 * constraints as the worst of those that do not. */
static void add_outputs(const study *st, const trial *t, double worst, double *y)
{
    if (st->method->subject == MODEL_OF_H)
        for (int j = 0; j < st->m; j++) y[j] += t->y[j];
    else
        y[0] += isfinite(t->f) ? t->f : isfinite(worst) ? worst : 0.0;
}

/* The mean outputs of a point evaluated more than once: no process without noise goes through two
 * values at one point. */
static void average_outputs(const study *st, const double *u, int n, double worst, double *y)
{
    int times = 0;
    memset(y, 0, (size_t)st->outputs * sizeof *y);
    for (int i = 0; i < n; i++) {
        const trial *t = &st->trials[st->data[i]];
        if (memcmp(t->u, u, (size_t)st->d * sizeof *u) != 0) continue;
        add_outputs(st, t, worst, y);
        times++;
    }
    for (int j = 0; j < st->outputs; j++) y[j] /= times;
}

/* The model's data in its own layout: x (n x d) and y (n x outputs) of the trials listed in
 * st->data. */
static void collect(const study *st, int n, double *x, double *y)
{
    int averaged = st->contradictions && !study_is_noisy(st);
    double worst = INFINITY;
    for (size_t i = 0; i < st->count; i++)
        if (st->trials[i].state == GOFH_TRIAL_DONE && isfinite(st->trials[i].f))
            worst = fmin(worst, st->trials[i].f);
    for (int i = 0; i < n; i++) {
        const trial *t = &st->trials[st->data[i]];
        double *row = y + (size_t)i * (size_t)st->outputs;
        memcpy(x + (size_t)i * (size_t)st->d, t->u, (size_t)st->d * sizeof *x);
        memset(row, 0, (size_t)st->outputs * sizeof *row);
        if (averaged)
            average_outputs(st, t->u, n, worst, row);
        else
            add_outputs(st, t, worst, row);
    }
}

/* Keeps fewer hyperparameter samples where their factors would not fit the memory that may be
 * used. */
static void limit_samples(study *st, int capacity)
{
    double most = st->spec.settings.memory_limit / model_memory(st->d, st->outputs, 1, capacity);
    if (most >= st->samples) return;
    int kept = most < 2.0 ? 1 : (int)most;
    if (kept < st->samples)
        study_note(st, "memory limit of %.3g bytes: %d hyperparameter samples are kept instead of %d",
                   st->spec.settings.memory_limit, kept, st->samples);
    st->samples = kept;
}

static gofh_status replace_model(study *st, int capacity)
{
    if (st->mo && st->acquire && st->mo->inputs.capacity == capacity) return GOFH_OK;
    acquisition_free(st->acquire);
    model_free(st->mo);
    st->acquire = NULL;
    limit_samples(st, capacity);
    const gofh_settings *settings = &st->spec.settings;
    st->mo = model_create(st->d, st->outputs, st->samples, capacity, settings->kernel, settings->threads);
    if (st->mo) st->acquire = acquisition_create(st->mo, study_outer(st), &st->spec.box);
    return st->acquire ? GOFH_OK : GOFH_ERROR_MEMORY;
}

/* How far the posterior means of exact outputs are from the data, in standard deviations of the
 * outputs. The residual of a process at its data is (noise + nugget) R^-1 (y - mean). */
static double largest_residual(const model *mo)
{
    double largest = 0.0;
    for (int j = 0; j < mo->outputs; j++) {
        const gp *process = model_process(mo, 0, j);
        if (process->hyper.noise > 0.0) continue;
        for (int i = 0; i < mo->inputs.n; i++)
            largest = fmax(largest, fabs(process->nugget * process->diagonal * process->weights[i]));
    }
    return largest;
}

/* Whether an output can no longer be modelled as it was. */
static int has_left_domain(const study *st, int n)
{
    for (int j = 0; j < st->outputs; j++) {
        const transform_kind *kind = fit_kind(st, &st->committed, j);
        for (int i = 0; kind != &transform_identity && i < n; i++)
            if (!kind->contains(st->trials[st->data[i]].y[j])) return 1;
    }
    return 0;
}

/* Outputs keep their transforms as long as they can. */
static void keep_transforms(study *st, const double *given, int n)
{
    for (int j = 0; j < st->outputs; j++)
        if (!fit_transform(st, fit_kind(st, &st->committed, j), given, n, j, &st->mo->transform[j]))
            st->mo->transform[j] = transform_none();
}

/* Logs which outputs have changed their transform. changed: room for one flag per output. */
static void note_transforms(study *st, unsigned char *changed)
{
    char list[JOURNAL_LIST];
    for (int number = TRANSFORM_COUNT - 1; number >= 0; number--) {
        const transform_kind *now = transform_numbered(number);
        for (int j = 0; j < st->outputs; j++)
            changed[j] = st->mo->transform[j].kind == now && fit_kind(st, &st->current, j) != now;
        int count = journal_list(st, changed, list);
        if (count == 0) continue;
        study_note(st, "after %d evaluations %s %s modelled %s%s", st->mo->inputs.n, list,
                   count == 1 ? "is" : "are", count == 1 ? now->of_one : now->of_many,
                   number == 0  ? " again"
                   : count == 1 ? ", which explains it better"
                                : ", which explain them better");
    }
}

static void note_sharing(study *st)
{
    int now = 0, before = 0;
    for (int j = 0; j < st->outputs; j++) {
        now += st->mo->shares[j];
        before += fit_was_shared(st, &st->current, j);
    }
    if (now > 0 && now != before)
        study_note(
            st, "after %d evaluations %d outputs have one kernel, which explains them better than one each",
            st->mo->inputs.n, now);
    if (now == 0 && before > 0)
        study_note(st, "after %d evaluations each output has a kernel of its own again", st->mo->inputs.n);
}

/* The committed hyperparameters, and which outputs share them. */
static void recall_hyper(study *st)
{
    for (int j = 0; j < st->outputs; j++)
        st->mo->shares[j] = (unsigned char)fit_was_shared(st, &st->committed, j);
    model_share(st->mo, st->mo->shares);
    for (int s = 0; s < st->samples; s++)
        for (int j = 0; j < st->outputs; j++)
            fit_load_hyper(st, fit_slot(st, &st->committed, s, j), &model_process(st->mo, s, j)->hyper);
}

/* Keeps what the next fit, or a resumed study, starts from. */
static void remember_hyper(study *st)
{
    for (int s = 0; s < st->samples; s++)
        for (int j = 0; j < st->outputs; j++)
            fit_store_hyper(st, &model_process(st->mo, s, j)->hyper, st->mo->transform[j].kind,
                            st->mo->shares[j], fit_slot(st, &st->current, s, j));
    memcpy(st->current.shift, st->mo->shift, (size_t)st->outputs * sizeof(double));
    memcpy(st->current.scale, st->mo->scale, (size_t)st->outputs * sizeof(double));
    st->current.data = st->mo->inputs.n;
    st->current.last = st->data[st->mo->inputs.n - 1];
    st->current.poor_fit = st->method->parts && largest_residual(st->mo) > 1e-5;
}

/* New hyperparameters in place of the committed ones, or those that the user fixed. */
static gofh_status find_hyper(fitting *task, double *block)
{
    if (task->st->fixed) {
        model_share(task->st->mo, NULL);
        use_fixed(task->st);
        return GOFH_OK;
    }
    fit_choose_data(task, block);
    return fit_all(task);
}

/* Logs which outputs the model could not be conditioned on, unless the log's last word on it is the
 * same. */
static void note_singular(study *st, const unsigned char *failed)
{
    char list[JOURNAL_LIST], line[JOURNAL_LIST + 64];
    if (journal_list(st, failed, list) == 0) return;
    snprintf(line, sizeof line, "the covariance of %s can't be factorised with any nugget", list);
    const char *before = journal_find(st, "can't be factorised with any nugget");
    if (!before || strcmp(before, line) != 0) study_note(st, "%s", line);
}

/* Conditions the model and logs what is new. */
static gofh_status condition(study *st)
{
    size_t outputs = (size_t)st->outputs;
    double *work = memory_doubles(model_condition_work(st->mo));
    int *failed = memory_new(outputs, sizeof *failed);
    unsigned char *chosen = memory_new(outputs, sizeof *chosen);
    gofh_status status = work && failed && chosen ? GOFH_OK : GOFH_ERROR_MEMORY;
    double nugget = st->method->parts && !(st->method->parts & PART_NUGGET) ? NUGGET_OF_OTHERS : 0.0;
    for (int s = 0; s < st->samples; s++)
        for (int j = 0; j < st->outputs; j++) model_process(st->mo, s, j)->nugget_min = nugget;
    if (!status) {
        model_condition(st->mo, failed, work);
        for (int j = 0; j < st->outputs; j++) chosen[j] = failed[j] != 0;
        note_singular(st, chosen);
        note_transforms(st, chosen);
    }
    free(work);
    free(failed);
    free(chosen);
    return status;
}

/* The noise that is known of single observations, of the first n of st->data. */
static gofh_status give_noise(study *st, int n)
{
    int failed = 0;
    if (!study_has_variances(st)) { /* they may have been replaced */
        for (int j = 0; j < st->outputs; j++) model_set_noise(st->mo, j, NULL);
        return GOFH_OK;
    }
    double *variance = memory_doubles((size_t)n);
    if (!variance) return GOFH_ERROR_MEMORY;
    for (int j = 0; j < st->outputs; j++)
        failed |= model_set_noise(st->mo, j, study_variances(st, j, n, n, variance) ? variance : NULL);
    free(variance);
    return failed ? GOFH_ERROR_MEMORY : GOFH_OK;
}

/* Builds the model on the first n of st->data, with new hyperparameters or the committed ones. */
static gofh_status build(study *st, int n, int renew, int capacity)
{
    gofh_status status = replace_model(st, capacity);
    if (status) return status;
    size_t outputs = (size_t)st->outputs, d = (size_t)st->d, used = (size_t)(n < FIT_DATA ? n : FIT_DATA);
    fitting task = {.st = st, .warm = st->committed.data > 0};
    task.thorough = st->committed.poor_fit || has_left_domain(st, n) ||
                    n % (study_is_noisy(st) ? 3 : 10) == 0;
    double *x = memory_doubles(((size_t)n + used) * (d + outputs) + used * outputs);
    if (!x) return GOFH_ERROR_MEMORY;
    double *y = x + (size_t)n * d;
    collect(st, n, x, y);
    keep_transforms(st, y, n);
    task.given = y;
    model_set_data(st->mo, n, x, y, renew ? NULL : st->committed.shift, st->committed.scale);
    status = give_noise(st, n);
    if (!status && renew) status = find_hyper(&task, y + (size_t)n * outputs);
    if (!status && !renew) recall_hyper(st);
    free(x);
    if (!status) status = condition(st);
    if (status) return status;
    note_sharing(st);
    remember_hyper(st);
    note_nuggets(st);
    return GOFH_OK;
}

/* The noise that is known of the data beyond the first `from`, a row a datum; base: as in
 * study_variances. column: n. */
static void collect_noise(const study *st, int base, int from, int n, double *column, double *variance)
{
    size_t outputs = (size_t)st->outputs;
    for (size_t j = 0; j < outputs; j++) {
        if (!study_variances(st, (int)j, base, n, column)) continue;
        for (int i = from; i < n; i++) variance[(size_t)(i - from) * outputs + j] = column[i];
    }
}

static gofh_status append_rest(study *st, int from, int n)
{
    size_t outputs = (size_t)st->outputs, samples = (size_t)st->samples, d = (size_t)st->d;
    size_t more = st->mo->noise ? (size_t)(n - from) * outputs + (size_t)n : 0;
    double *work = memory_doubles(2 * (size_t)st->mo->inputs.capacity + (size_t)n * (outputs + d) +
                                  samples * outputs + more);
    if (!work) return GOFH_ERROR_MEMORY;
    double *x = work + 2 * st->mo->inputs.capacity, *y = x + (size_t)n * d, *values = y + (size_t)n * outputs,
           *column = values + samples * outputs;
    double *variance = more ? column + n : NULL;
    collect(st, n, x, y);
    if (variance) collect_noise(st, st->current.data, from, n, column, variance);
    for (int i = from; i < n; i++) {
        for (size_t s = 0; s < samples; s++)
            memcpy(values + s * outputs, y + (size_t)i * outputs, outputs * sizeof *y);
        model_append_noisy(st->mo, x + (size_t)i * d, values,
                           variance ? variance + (size_t)(i - from) * outputs : NULL, work);
    }
    free(work);
    return GOFH_OK;
}

/* Whether an output of which none of the data that the committed hyperparameters were fitted to has a noise of its own has one
 * among the first n. */
static int has_new_noise(const study *st, int n)
{
    double before, now;
    for (int j = 0; study_has_variances(st) && j < st->m; j++) {
        study_given_variances(st, j, st->committed.data, &before);
        study_given_variances(st, j, n, &now);
        if (now > 0.0 && !(before > 0.0)) return 1;
    }
    return 0;
}

/* Whether the data that the committed hyperparameters were fitted to are the first of the present
 * ones. */
static int committed_is_prefix(const study *st, int n)
{
    return st->committed.data > 0 && st->committed.data <= n &&
           st->data[st->committed.data - 1] == st->committed.last;
}

/* Whether the model in memory is that of the first `held` data with the committed hyperparameters.
 * Then new data can be appended to it, in the same order of operations as if it were built anew. */
static int holds_committed(const study *st, int held)
{
    return held >= st->committed.data && st->current.data == st->committed.data &&
           st->current.last == st->committed.last;
}

gofh_status study_fit(study *st)
{
    int n = 0, open = 0, changed = st->mo == NULL;
    gofh_status status;
    size_t room = (size_t)st->data_room;
    if (memory_grow((void **)&st->data, &room, st->count, sizeof *st->data)) return GOFH_ERROR_MEMORY;
    st->data_room = (int)room;
    for (size_t i = 0; i < st->count; i++) {
        open += st->trials[i].state == GOFH_TRIAL_OPEN;
        if (st->trials[i].state != GOFH_TRIAL_DONE) continue;
        if (n < st->data_count && st->data[n] != (int)i) changed = 1;
        st->data[n++] = (int)i;
    }
    if (n == 0) return GOFH_ERROR_EMPTY;
    int room_left = st->mo ? st->mo->inputs.capacity - n : 0;
    if (!changed && n == st->data_count && room_left > open) return GOFH_OK;
    if (st->fixed)
        for (int j = 0; j < st->outputs; j++)
            if (!st->fixed_given[j]) return GOFH_ERROR_PROBLEM;
    int held = changed ? 0 : st->data_count;
    st->data_count = 0; /* until it is built */
    /* Up to 100 data the hyperparameters are renewed with each datum; beyond, when the data have
     * grown by 1 %. */
    int renew = !committed_is_prefix(st, n) || n - st->committed.data > st->committed.data / 100 ||
                st->fixed || st->contradictions || has_left_domain(st, n) || has_new_noise(st, n);
    if (!renew && holds_committed(st, held) && room_left > open) {
        status = append_rest(st, held, n);
        if (!status) st->data_count = n;
        return status;
    }
    int base = renew ? n : st->committed.data;
    int capacity = (base + base / 100 + 1 + SPARE + open + 7) / 8 * 8;
    status = build(st, base, renew, capacity);
    if (!status && base < n) status = append_rest(st, base, n);
    if (!status) st->data_count = n;
    return status;
}
