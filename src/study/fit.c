/* From trials to a model conditioned on them. */
#include "study/fit.h"

#include "base/memory.h"
#include "study/fit_hyper.h"
#include "study/fit_reduced.h"
#include "study/fit_rough.h"
#include "study/fit_state.h"
#include "study/journal.h"
#include "study/reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 16 };

/* What other programs add to be safe; only without PART_NUGGET. */
static const double NUGGET_OF_OTHERS = 1e-6;

/* The mean of the variances that the data of output j are given with, relative to that of the
 * signal. */
static double mean_noise(const model *mo, int j, double variance)
{
    const double *noise = model_process(mo, 0, j)->own_noise;
    double sum = 0.0;
    int n = model_inputs(mo, j)->n;
    for (int i = 0; i < n; i++) sum += noise[i];
    return sum / n / variance;
}

static void use_fixed(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        const double *given = st->fitted->fixed + (size_t)j * (size_t)(st->d + HYPER_EXTRA);
        double scale = st->fitted->mo->scale[j];
        gp_hyper *hyper = &model_process(st->fitted->mo, 0, j)->hyper;
        fit_load_hyper(st, given, hyper);
        hyper->variance = given[st->d] / scale / scale;
        hyper->noise = model_process(st->fitted->mo, 0, j)->own_noise
                           ? mean_noise(st->fitted->mo, j, hyper->variance)
                           : given[st->d + 1] / given[st->d];
        hyper->mean = (given[st->d + 2] - st->fitted->mo->shift[j]) / scale;
    }
}

/* Logs once, and again when it gets worse, which output's data can't be interpolated without a
 * nugget. */
static void note_nuggets(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        double worst = 0.0;
        for (int s = 0; s < st->fitted->samples; s++)
            worst = fmax(worst, model_process(st->fitted->mo, s, j)->nugget);
        if (worst <= 1e-9 || worst <= st->fitted->worst_nugget) continue;
        st->fitted->worst_nugget = worst;
        char name[JOURNAL_NAME];
        journal_name(st, j, name);
        study_log(st, "after %d evaluations the covariance of %s needed a nugget of %.0e to factorise",
                  st->fitted->mo->inputs.n, name, worst);
    }
}

/* Adds the outputs of one trial as the model sees them. A model of f treats a trial that violates
 * constraints as the worst of those that do not. */
static void add_outputs(const study *st, const trial *t, double worst, double *y)
{
    if (st->method->subject == MODEL_OF_H)
        for (int j = 0; j < st->outputs; j++) y[j] += t->y[fit_learned(st, j)];
    else
        y[0] += isfinite(t->f) ? t->f : isfinite(worst) ? worst : 0.0;
}

/* The mean of those values of output j at a point that are not missing; NaN: all are. */
static double average_known(const study *st, const double *u, int n, int j)
{
    int times = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const trial *t = &st->trials.list[st->fitted->data[i]];
        if (memcmp(t->u, u, (size_t)st->d * sizeof *u) != 0 || isnan(t->y[j])) continue;
        sum += t->y[j];
        times++;
    }
    return sum / times;
}

/* The mean outputs of a point evaluated more than once: no process without noise goes through two
 * values at one point. */
static void average_outputs(const study *st, const double *u, int n, double worst, double *y)
{
    int times = 0;
    memset(y, 0, (size_t)st->outputs * sizeof *y);
    for (int i = 0; i < n; i++) {
        const trial *t = &st->trials.list[st->fitted->data[i]];
        if (memcmp(t->u, u, (size_t)st->d * sizeof *u) != 0) continue;
        add_outputs(st, t, worst, y);
        times++;
    }
    for (int j = 0; j < st->outputs; j++) y[j] /= times;
    for (int j = 0; st->spec.missing && st->method->subject == MODEL_OF_H && j < st->m; j++)
        if (isnan(y[j])) y[j] = average_known(st, u, n, j);
}

/* The model's data in its own layout: x (n x d) and y (n x outputs) of the trials listed in
 * st->fitted->data. */
static void collect(const study *st, int n, double *x, double *y)
{
    int averaged = st->fitted->contradictions && !study_is_noisy(st);
    double worst = INFINITY;
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_DONE && isfinite(st->trials.list[i].f))
            worst = fmin(worst, st->trials.list[i].f);
    for (int i = 0; i < n; i++) {
        const trial *t = &st->trials.list[st->fitted->data[i]];
        double *row = y + (size_t)i * (size_t)st->outputs;
        memcpy(x + (size_t)i * (size_t)st->d, t->u, (size_t)st->d * sizeof *x);
        memset(row, 0, (size_t)st->outputs * sizeof *row);
        if (averaged)
            average_outputs(st, t->u, n, worst, row);
        else
            add_outputs(st, t, worst, row);
    }
    /* F is known without an output that nobody has seen: what the model says of it does not matter. */
    for (int j = 0; j < st->outputs; j++) {
        if (study_is_seen(st, fit_learned(st, j))) continue;
        for (int i = 0; i < n; i++) y[(size_t)i * (size_t)st->outputs + (size_t)j] = 0.0;
    }
}

/* Keeps fewer hyperparameter samples where their factors would not fit the memory that may be
 * used. */
static void limit_samples(study *st, int capacity)
{
    double most = st->spec.settings.memory_limit / model_memory(st->d, st->outputs, 1, capacity);
    if (most >= st->fitted->samples) return;
    int kept = most < 2.0 ? 1 : (int)most;
    if (kept < st->fitted->samples)
        study_log(st, "memory limit of %.3g bytes: %d hyperparameter samples are kept instead of %d",
                  st->spec.settings.memory_limit, kept, st->fitted->samples);
    st->fitted->samples = kept;
}

static gofh_status replace_model(study *st, int capacity)
{
    if (st->fitted->mo && st->fitted->acquire && st->fitted->mo->inputs.capacity == capacity) return GOFH_OK;
    acquisition_free(st->fitted->acquire);
    model_free(st->fitted->mo);
    st->fitted->acquire = NULL;
    limit_samples(st, capacity);
    const gofh_settings *settings = &st->spec.settings;
    st->fitted->mo = model_create(st->d, st->outputs, st->fitted->samples, capacity, settings->kernel,
                                  settings->threads);
    if (st->fitted->mo && st->spec.missing && st->method->subject == MODEL_OF_H &&
        model_allow_missing(st->fitted->mo))
        return GOFH_ERROR_MEMORY;
    if (st->fitted->mo && st->fitted->latent.count > 0 && model_allow_latent(st->fitted->mo))
        return GOFH_ERROR_MEMORY;
    if (st->fitted->mo)
        st->fitted->acquire = acquisition_create(st->fitted->mo, study_outer(st), &st->spec.box);
    return st->fitted->acquire ? GOFH_OK : GOFH_ERROR_MEMORY;
}

/* How far the posterior means of exact outputs are from the data, in standard deviations of the
 * outputs. The residual of a process at its data is (noise + nugget) R^-1 (y - mean). */
static double largest_residual(const model *mo)
{
    double largest = 0.0;
    for (int j = 0; j < mo->outputs; j++) {
        const gp *process = model_process(mo, 0, j);
        if (process->hyper.noise > 0.0) continue;
        for (int i = 0; i < model_inputs(mo, j)->n; i++)
            largest = fmax(largest, fabs(process->nugget * process->diagonal * process->weights[i]));
    }
    return largest;
}

/* Whether an output can no longer be modelled as it was. */
static int has_left_domain(const study *st, int n)
{
    for (int j = 0; j < st->outputs; j++) {
        const transform_kind *kind = fit_kind(st, &st->fitted->committed, j);
        for (int i = 0; kind != &transform_identity && i < n; i++) {
            double y = st->trials.list[st->fitted->data[i]].y[j];
            if (!isnan(y) && !kind->contains(y)) return 1;
        }
    }
    return 0;
}

/* Outputs keep their transforms as long as they can. */
static void keep_transforms(study *st, const double *given, int n)
{
    for (int j = 0; j < st->outputs; j++)
        if (!fit_transform(st, fit_kind(st, &st->fitted->committed, j), given, n, j,
                           &st->fitted->mo->transform[j]))
            st->fitted->mo->transform[j] = transform_none();
}

/* Logs which outputs have changed their transform. changed: room for one flag per output. */
static void note_transforms(study *st, unsigned char *changed)
{
    char list[JOURNAL_LIST];
    for (int number = TRANSFORM_COUNT - 1; number >= 0; number--) {
        const transform_kind *now = transform_numbered(number);
        for (int j = 0; j < st->outputs; j++)
            changed[j] = st->fitted->mo->transform[j].kind == now &&
                         fit_kind(st, &st->fitted->current, j) != now;
        int count = journal_list(st, changed, list);
        if (count == 0) continue;
        study_log(st, "after %d evaluations %s %s modelled %s%s", st->fitted->mo->inputs.n, list,
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
        now += st->fitted->mo->shares[j];
        before += fit_was_shared(st, &st->fitted->current, j);
    }
    if (now == st->outputs && reduce_is_large(&st->spec) && before == 0)
        study_log(st, "%d outputs have one kernel, which is learned from %d of them", st->m, REDUCE_LEARNED);
    else if (now > 0 && now != before)
        study_log(st,
                  "after %d evaluations %d outputs have one kernel, which explains them better than one each",
                  st->fitted->mo->inputs.n, now);
    if (now == 0 && before > 0)
        study_log(st, "after %d evaluations each output has a kernel of its own again",
                  st->fitted->mo->inputs.n);
}

static void note_places(study *st)
{
    int now = 0, before = 0;
    for (int j = 0; j < st->outputs; j++) {
        now += model_process(st->fitted->mo, 0, j)->hyper.latent != NULL;
        before += fit_latent(st, &st->fitted->current, j) != NULL;
    }
    if (now == before) return;
    study_log(st, "after %d evaluations the choices have places on a line in the models of %d of %d outputs",
              st->fitted->mo->inputs.n, now, st->outputs);
}

/* The committed hyperparameters, and which outputs share them. */
static void recall_hyper(study *st)
{
    for (int j = 0; j < st->outputs; j++)
        st->fitted->mo->shares[j] = (unsigned char)fit_was_shared(st, &st->fitted->committed, j);
    model_share(st->fitted->mo, st->fitted->mo->shares);
    for (int s = 0; s < st->fitted->samples; s++)
        for (int j = 0; j < st->outputs; j++)
            fit_load_hyper(st, fit_slot(st, &st->fitted->committed, s, j),
                           &model_process(st->fitted->mo, s, j)->hyper);
}

/* Keeps what the next fit, or a resumed study, starts from. */
static void remember_hyper(study *st)
{
    for (int s = 0; s < st->fitted->samples; s++)
        for (int j = 0; j < st->outputs; j++)
            fit_store_hyper(st, &model_process(st->fitted->mo, s, j)->hyper,
                            st->fitted->mo->transform[j].kind, st->fitted->mo->shares[j],
                            fit_slot(st, &st->fitted->current, s, j));
    memcpy(st->fitted->current.shift, st->fitted->mo->shift, (size_t)st->outputs * sizeof(double));
    memcpy(st->fitted->current.scale, st->fitted->mo->scale, (size_t)st->outputs * sizeof(double));
    st->fitted->current.data = st->fitted->mo->inputs.n;
    st->fitted->current.last = st->fitted->data[st->fitted->mo->inputs.n - 1];
    st->fitted->current.rough = st->fitted->mo->kernel != st->spec.settings.kernel;
    st->fitted->current.poor_fit = st->method->parts && largest_residual(st->fitted->mo) > 1e-5;
}

/* New hyperparameters in place of the committed ones, or those that the user fixed. */
static gofh_status find_hyper(fitting *task, double *block)
{
    if (task->st->whole) {
        fit_take_kernel(task->st);
        return GOFH_OK;
    }
    if (task->st->fitted->fixed) {
        model_share(task->st->fitted->mo, NULL);
        use_fixed(task->st);
        return GOFH_OK;
    }
    const model *mo = task->st->fitted->mo;
    if (!mo->own) {
        fit_choose_data(task, block);
        return fit_all_with_kernel(task);
    }
    size_t used = (size_t)(mo->inputs.n < FIT_DATA ? mo->inputs.n : FIT_DATA), outputs = (size_t)mo->outputs;
    task->own = memory_new(outputs, sizeof *task->own);
    task->own_x = memory_doubles(outputs * used * (size_t)mo->inputs.d);
    gofh_status status = GOFH_ERROR_MEMORY;
    if (task->own && task->own_x) {
        fit_choose_data(task, block);
        status = fit_all_with_kernel(task);
    }
    free(task->own);
    free(task->own_x);
    return status;
}

/* Logs which outputs the model could not be conditioned on, unless the log's last word on it is the
 * same. */
static void note_singular(study *st, const unsigned char *failed)
{
    char list[JOURNAL_LIST], line[JOURNAL_LIST + 64];
    if (journal_list(st, failed, list) == 0) return;
    snprintf(line, sizeof line, "the covariance of %s can't be factorised with any nugget", list);
    const char *before = journal_find(st, "can't be factorised with any nugget");
    if (!before || strcmp(before, line) != 0) study_log(st, "%s", line);
}

/* Conditions the model and logs what is new. */
static gofh_status condition(study *st)
{
    size_t outputs = (size_t)st->outputs;
    double *work = memory_doubles(model_condition_work(st->fitted->mo));
    int *failed = memory_new(outputs, sizeof *failed);
    unsigned char *chosen = memory_new(outputs, sizeof *chosen);
    gofh_status status = work && failed && chosen ? GOFH_OK : GOFH_ERROR_MEMORY;
    double nugget = st->method->parts && !(st->method->parts & PART_NUGGET) ? NUGGET_OF_OTHERS : 0.0;
    for (int s = 0; s < st->fitted->samples; s++)
        for (int j = 0; j < st->outputs; j++) model_process(st->fitted->mo, s, j)->nugget_min = nugget;
    if (!status) {
        model_condition(st->fitted->mo, failed, work);
        for (int j = 0; j < st->outputs; j++) chosen[j] = failed[j] != 0;
        note_singular(st, chosen);
        note_transforms(st, chosen);
    }
    free(work);
    free(failed);
    free(chosen);
    return status;
}

/* The noise that is known of single observations, of the first n of st->fitted->data. */
static gofh_status give_noise(study *st, int n)
{
    int failed = 0;
    if (!study_has_variances(st)) { /* they may have been replaced */
        for (int j = 0; j < st->outputs; j++) model_set_noise(st->fitted->mo, j, NULL);
        return GOFH_OK;
    }
    double *variance = memory_doubles((size_t)n);
    if (!variance) return GOFH_ERROR_MEMORY;
    for (int j = 0; j < st->outputs; j++)
        failed |= model_set_noise(st->fitted->mo, j,
                                  study_variances(st, j, n, n, variance) ? variance : NULL);
    free(variance);
    return failed ? GOFH_ERROR_MEMORY : GOFH_OK;
}

/* Builds the model on the first n of st->fitted->data, with new hyperparameters or the committed
 * ones. */
static gofh_status build(study *st, int n, int renew, int capacity)
{
    gofh_status status = replace_model(st, capacity);
    if (status) return status;
    size_t outputs = (size_t)st->outputs, d = (size_t)st->d, used = (size_t)(n < FIT_DATA ? n : FIT_DATA);
    fitting task = {.st = st, .warm = st->fitted->committed.data > 0};
    task.thorough = st->fitted->committed.poor_fit || has_left_domain(st, n) ||
                    n % (study_is_noisy(st) ? 3 : 10) == 0;
    double *x = memory_doubles(((size_t)n + used) * (d + outputs) + used * outputs);
    if (!x) return GOFH_ERROR_MEMORY;
    double *y = x + (size_t)n * d;
    collect(st, n, x, y);
    keep_transforms(st, y, n);
    task.given = y;
    model_set_data(st->fitted->mo, n, x, y, renew && !st->whole ? NULL : st->fitted->committed.shift,
                   st->fitted->committed.scale);
    status = give_noise(st, n);
    if (!status && renew) status = find_hyper(&task, y + (size_t)n * outputs);
    if (!renew) st->fitted->mo->kernel = fit_committed_kernel(st);
    if (!status && !renew) recall_hyper(st);
    free(x);
    if (!status) status = condition(st);
    if (status) return status;
    if (st->whole) {
        fit_take_variance(st);
        remember_hyper(st);
        return GOFH_OK;
    }
    note_sharing(st);
    note_places(st);
    remember_hyper(st);
    note_nuggets(st);
    return GOFH_OK;
}

/* The noise that is known of the data beyond the first `from`, one row per datum; base: as in
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
    size_t outputs = (size_t)st->outputs, samples = (size_t)st->fitted->samples, d = (size_t)st->d;
    size_t more = st->fitted->mo->noise ? (size_t)(n - from) * outputs + (size_t)n : 0;
    double *work = memory_doubles(2 * (size_t)st->fitted->mo->inputs.capacity + (size_t)n * (outputs + d) +
                                  samples * outputs + more);
    if (!work) return GOFH_ERROR_MEMORY;
    double *x = work + 2 * st->fitted->mo->inputs.capacity, *y = x + (size_t)n * d,
           *values = y + (size_t)n * outputs, *column = values + samples * outputs;
    double *variance = more ? column + n : NULL;
    collect(st, n, x, y);
    if (variance) collect_noise(st, st->fitted->current.data, from, n, column, variance);
    for (int i = from; i < n; i++) {
        for (size_t s = 0; s < samples; s++)
            memcpy(values + s * outputs, y + (size_t)i * outputs, outputs * sizeof *y);
        model_append_noisy(st->fitted->mo, x + (size_t)i * d, values,
                           variance ? variance + (size_t)(i - from) * outputs : NULL, work);
    }
    free(work);
    return GOFH_OK;
}

/* Whether an output of which none of the data that the committed hyperparameters were fitted to has
 * a noise of its own has one among the first n. */
static int has_new_noise(const study *st, int n)
{
    double before, now;
    if (!study_has_variances(st)) return 0;
    for (int j = 0; j < st->m; j++) {
        study_given_variances(st, j, st->fitted->committed.data, &before);
        study_given_variances(st, j, n, &now);
        if (now > 0.0 && !(before > 0.0)) return 1;
    }
    return 0;
}

/* Whether an output that shares the committed hyperparameters lacks a value among the data that came
 * after them, where it can't follow others; or one that had not been seen then is seen now. */
static int has_new_missing(const study *st, int n)
{
    for (int j = 0; st->spec.missing && st->method->subject == MODEL_OF_H && j < st->m; j++) {
        int known = study_known(st, j, n);
        if (fit_was_shared(st, &st->fitted->committed, j) && known > 0 && known < n) return 1;
        if (known > 0 && study_known(st, j, st->fitted->committed.data) == 0) return 1;
    }
    return 0;
}

/* Whether the data that the committed hyperparameters were fitted to are the first of the present
 * ones. */
static int committed_is_prefix(const study *st, int n)
{
    return st->fitted->committed.data > 0 && st->fitted->committed.data <= n &&
           st->fitted->data[st->fitted->committed.data - 1] == st->fitted->committed.last;
}

/* Whether the model in memory is that of the first `held` data with the committed hyperparameters.
 * Then new data can be appended to it, in the same order of operations as if it were built anew. */
static int holds_committed(const study *st, int held)
{
    return held >= st->fitted->committed.data && st->fitted->current.data == st->fitted->committed.data &&
           st->fitted->current.last == st->fitted->committed.last;
}

/* Where the search draws correlated outputs, it needs their correlation with each fit. */
static gofh_status correlate(study *st)
{
    st->fitted->mo->correlated = fitted_correlates(st);
    return st->fitted->mo->correlated ? fitted_correlate(st) : GOFH_OK;
}

gofh_status study_fit(study *st)
{
    gofh_status status = st->reduction && study_has_variances(st) ? fit_end_reduction(st) : GOFH_OK;
    int n = 0, open = 0, changed = st->fitted->mo == NULL;
    if (status) return status;
    size_t room = (size_t)st->fitted->data_room;
    if (memory_grow((void **)&st->fitted->data, &room, st->trials.count, sizeof *st->fitted->data))
        return GOFH_ERROR_MEMORY;
    st->fitted->data_room = (int)room;
    for (size_t i = 0; i < st->trials.count; i++) {
        open += st->trials.list[i].state == GOFH_TRIAL_OPEN;
        if (st->trials.list[i].state != GOFH_TRIAL_DONE) continue;
        if (st->method->subject == MODEL_OF_F && isnan(st->trials.list[i].f)) continue;
        if (n < st->fitted->data_count && st->fitted->data[n] != (int)i) changed = 1;
        st->fitted->data[n++] = (int)i;
    }
    if (!study_is_ready(st)) return GOFH_ERROR_EMPTY;
    int room_left = st->fitted->mo ? st->fitted->mo->inputs.capacity - n : 0;
    if (!changed && n == st->fitted->data_count && room_left > open) return GOFH_OK;
    if (study_hyper_missing(st) >= 0) return GOFH_ERROR_PROBLEM;
    int held = changed ? 0 : st->fitted->data_count;
    st->fitted->data_count = 0; /* until it is built */
    st->fitted->calibrated = st->fitted->local.known = 0;
    /* Up to 100 data the hyperparameters are renewed with each datum; beyond, when the data have
     * grown by 1 %. */
    int renew = !committed_is_prefix(st, n) ||
                n - st->fitted->committed.data > st->fitted->committed.data / 100 || st->fitted->fixed ||
                st->fitted->contradictions || has_left_domain(st, n) || has_new_noise(st, n) ||
                has_new_missing(st, n);
    if (!renew && holds_committed(st, held) && room_left > open) {
        status = append_rest(st, held, n);
        if (!status) status = correlate(st);
        if (!status) st->fitted->data_count = n;
        return status;
    }
    int base = renew ? n : st->fitted->committed.data;
    int capacity = (base + base / 100 + 1 + SPARE + open + 7) / 8 * 8;
    status = build(st, base, renew, capacity);
    if (!status && base < n) status = append_rest(st, base, n);
    if (!status) status = correlate(st);
    if (!status) st->fitted->data_count = n;
    return status;
}
