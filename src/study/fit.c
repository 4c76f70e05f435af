/* From trials to a model conditioned on them. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/vector.h"
#include "search/lbfgsb.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BURN_IN = 5,
    MAP_ITERATIONS = 40,
    MAP_STARTS = 4,
    MAP_TRIED = 10, /* iterations from every start; then only the best goes on */
    SPARE = 16,
    HYPER_DATA = 300 /* the hyperparameters are learned from so many data at most, in even strides */
};

/* Estimated noise below the first counts as none; the second is where its search begins. */
static const double NOISE_NONE = 1e-9, NOISE_FLOOR = 1e-12;
/* By how much the evidence of a logarithm must exceed that of the output itself. */
static const double LOGARITHM_EVIDENCE = 4.0;
static const double LOGARITHM_RATIO = 2.0;

static double *hyper_slot(const study *st, const hyper_state *state, int sample, int output)
{
    return state->values + (size_t)(sample * st->outputs + output) * (size_t)(st->d + HYPER_EXTRA);
}

static void store_hyper(const study *st, const gp_hyper *hyper, double *slot)
{
    memcpy(slot, hyper->inverse_lengthscale, (size_t)st->d * sizeof *slot);
    slot[st->d] = hyper->variance;
    slot[st->d + 1] = hyper->noise;
    slot[st->d + 2] = hyper->mean;
    slot[st->d + 3] = hyper->trend;
}

static void load_hyper(const study *st, const double *slot, gp_hyper *hyper)
{
    memcpy(hyper->inverse_lengthscale, slot, (size_t)st->d * sizeof *slot);
    hyper->variance = slot[st->d];
    hyper->noise = slot[st->d + 1];
    hyper->mean = slot[st->d + 2];
    hyper->trend = slot[st->d + 3];
}

static void copy_state(const study *st, hyper_state *to, const hyper_state *from)
{
    size_t outputs = (size_t)st->outputs,
           values = (size_t)st->samples * outputs * (size_t)(st->d + HYPER_EXTRA);
    to->data = from->data;
    to->last = from->last;
    to->poor = from->poor;
    memcpy(to->values, from->values, values * sizeof *to->values);
    memcpy(to->shift, from->shift, outputs * sizeof *to->shift);
    memcpy(to->scale, from->scale, outputs * sizeof *to->scale);
}

static int was_logarithmic(const study *st, const hyper_state *state, int output)
{
    return state->data > 0 && hyper_slot(st, state, 0, output)[st->d + 4] > 0.0;
}

void study_keep_hyper(study *st)
{
    if (st->mo && st->data_count > 0) copy_state(st, &st->asked, &st->current);
}

/* theta of the last sample, where the next chain starts. */
static void theta_of(const study *st, const hyper_target *target, const double *slot, double *theta)
{
    int d = st->d, last = d + (target->trend ? 1 : 0);
    for (int k = 0; k < d; k++) theta[k] = -log(slot[k]);
    if (target->trend) theta[d] = log(slot[d + 3] / (1.0 - slot[d + 3]));
    if (target->noise == HYPER_ESTIMATED) theta[last] = log(fmax(slot[d + 1], NOISE_FLOOR));
    if (target->noise == HYPER_KNOWN) theta[last] = log(slot[d]);
}

typedef struct {
    study *st;
    int warm;
    int thorough;       /* from many starts, though warm */
    gp_inputs inputs;   /* the data that the hyperparameters are learned from */
    double *y;          /* outputs x inputs.n, standardised */
    const double *told; /* n x outputs: all data, in the user's units */
    double *work;
    size_t share;
    int *failed; /* an output each: processes that could not be conditioned */
} fitting;

static int posterior_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    hyper_target *target = context;
    int dimension = hyper_dimension(target);
    for (int i = 0; i < count; i++) {
        size_t row = (size_t)i * (size_t)dimension;
        value[i] = hyper_log_posterior(target, x + row, gradient ? gradient + row : NULL);
        if (gradient && !isfinite(value[i])) memset(gradient + row, 0, (size_t)dimension * sizeof *gradient);
    }
    return 0;
}

/* A log posterior's thousandth is no knowledge. */
static const double MAP_TOLERANCE = 1e-6;

static void map_settings(lbfgsb_settings *settings)
{
    lbfgsb_defaults(settings);
    settings->iterations = MAP_ITERATIONS;
    settings->value_tolerance = MAP_TOLERANCE;
}

static size_t map_work(int dimension)
{
    lbfgsb_settings settings;
    map_settings(&settings);
    return lbfgsb_work(&settings, MAP_STARTS, dimension) + (size_t)MAP_STARTS * (size_t)(dimension + 1);
}

/* Starts of other orders of lengthscale than the last maximum: around the prior's median; or, with a trend, pairs of
 * lengthscale and share of the trend that each were the right basin somewhere, with noise of different orders. */
static void other_start(const hyper_target *target, int i, double *theta)
{
    static const double factor[MAP_STARTS] = {1.0, 1.0, 0.25, 4.0};
    static const double lengthscale[MAP_STARTS] = {0.5, 0.3, 1.0, 3.0},
                        logit[MAP_STARTS] = {0.0, -5.0, -1.0, 2.0};
    static const double noise[MAP_STARTS] = {1e-12, 1e-10, 1e-5, 1e-2};
    int d = target->inputs->d;
    hyper_start(target, theta);
    for (int k = 0; k < d; k++) theta[k] = target->trend ? log(lengthscale[i]) : theta[k] + log(factor[i]);
    if (!target->trend) return;
    theta[d] = logit[i];
    if (target->noise == HYPER_ESTIMATED) theta[d + 1] = log(noise[i]);
}

/* The maximum of the posterior: from `theta`, where the last fit ended, and from `starts` - 1 others. Returns its value. */
static double maximise_posterior(hyper_target *target, double *theta, int starts, double *work)
{
    int dimension = hyper_dimension(target);
    double lower[HYPER_MOST], upper[HYPER_MOST];
    double *x = work, *value = x + (size_t)MAP_STARTS * (size_t)dimension;
    hyper_bounds(target, lower, upper);
    memcpy(x, theta, (size_t)dimension * sizeof *x);
    for (int i = 1; i < starts; i++) other_start(target, i, x + (size_t)i * (size_t)dimension);
    lbfgsb_settings settings;
    map_settings(&settings);
    if (starts > 1) {
        settings.iterations = MAP_TRIED;
        lbfgsb_maximize(posterior_objective, target, &settings, starts, dimension, lower, upper, x, value,
                        value + MAP_STARTS);
        int best = vector_largest(value, starts);
        memmove(x, x + (size_t)best * (size_t)dimension, (size_t)dimension * sizeof *x);
        settings.iterations = MAP_ITERATIONS - MAP_TRIED;
    }
    lbfgsb_maximize(posterior_objective, target, &settings, 1, dimension, lower, upper, x, value,
                    value + MAP_STARTS);
    memcpy(theta, x, (size_t)dimension * sizeof *theta);
    return *value;
}

/* Which of the n data is the i-th of those that the hyperparameters are learned from: in even strides. */
static size_t hyper_datum(int i, int used, int n)
{
    return used == n ? (size_t)i : (size_t)i * (size_t)(n - 1) / (size_t)(used - 1);
}

static void choose_hyper_outputs(const fitting *task, int j)
{
    const model *mo = task->st->mo;
    int used = task->inputs.n;
    for (int i = 0; i < used; i++)
        task->y[(size_t)j * (size_t)used + (size_t)i] =
            mo->y[(size_t)j * (size_t)mo->inputs.capacity + hyper_datum(i, used, mo->inputs.n)];
}

/* Whether output j may be modelled by its logarithm, and varies by enough for it to matter. */
static int may_be_logarithmic(const study *st, const double *told, int n, int j)
{
    double variance;
    if (!st->method->engine || st->fixed || study_noise(st, j, &variance) == HYPER_KNOWN) return 0;
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < n; i++) {
        double y = told[(size_t)i * (size_t)st->outputs + (size_t)j];
        least = fmin(least, y);
        most = fmax(most, y);
    }
    return least > 0.0 && most >= LOGARITHM_RATIO * least;
}

/* The log density of output j as told, up to what is the same for both of its models, of which `fitted` is the maximum of
 * the posterior of the one in use (eq. 27). */
static double evidence(const fitting *task, int j, double fitted)
{
    const model *mo = task->st->mo;
    int used = task->inputs.n;
    double logarithms = 0.0;
    for (int i = 0; mo->logarithmic[j] && i < used; i++)
        logarithms += log(task->told[hyper_datum(i, used, mo->inputs.n) * (size_t)mo->outputs + (size_t)j]);
    return fitted - (used - 1) * (log(mo->scale[j]) + logarithms / used);
}

/* Makes output j that of the model with more evidence, the output itself or its logarithm, and theta the maximum of its
 * posterior. */
static void choose_logarithm(const fitting *task, int j, hyper_target *target, double *theta, double *work)
{
    study *st = task->st;
    int before = task->warm && was_logarithmic(st, &st->asked, j), dimension = hyper_dimension(target);
    double best[2][HYPER_MOST], found[2];
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        model_set_output(st->mo, j, task->told, logarithmic);
        choose_hyper_outputs(task, j);
        if (task->warm && logarithmic == before)
            memcpy(best[logarithmic], theta, (size_t)dimension * sizeof *theta);
        else
            hyper_start(target, best[logarithmic]);
        found[logarithmic] = evidence(task, j,
                                      maximise_posterior(target, best[logarithmic], MAP_STARTS, work));
    }
    int chosen = found[1] > found[0] + LOGARITHM_EVIDENCE;
    memcpy(theta, best[chosen], (size_t)dimension * sizeof *theta);
    if (chosen) return;
    model_set_output(st->mo, j, task->told, 0);
    choose_hyper_outputs(task, j);
}

/* Hyperparameters of all samples of one output, from its random stream (seed, data, output). */
static void fit_output(int j, int worker, void *context)
{
    const fitting *task = context;
    study *st = task->st;
    model *mo = st->mo;
    const gofh_settings *settings = &st->spec.settings;
    double *work = task->work + (size_t)worker * task->share, variance;
    hyper_target target = {.trend = st->method->engine,
                           .inputs = &task->inputs,
                           .kernel = mo->kernel,
                           .prior = &st->prior,
                           .y = task->y + (size_t)j * (size_t)task->inputs.n};
    target.noise = study_noise(st, j, &variance);
    target.known_noise = variance / mo->scale[j] / mo->scale[j];
    target.work = work;
    double *rest = work + hyper_work(task->inputs.n, 0), theta[HYPER_MOST];
    random_stream stream = random_open(settings->seed, RANDOM_HYPER, (uint64_t)mo->inputs.n, (uint64_t)j);
    if (task->warm)
        theta_of(st, &target, hyper_slot(st, &st->asked, st->samples - 1, j), theta);
    else
        hyper_start(&target, theta);
    int sampled = settings->hyper == GOFH_HYPER_SAMPLE && !st->method->engine;
    int starts = st->method->engine && task->warm && !task->thorough ? 1 : MAP_STARTS;
    if (starts > 1 && may_be_logarithmic(st, task->told, mo->inputs.n, j))
        choose_logarithm(task, j, &target, theta, rest);
    else if (!sampled || !task->warm)
        maximise_posterior(&target, theta, starts, rest);
    if (sampled && !task->warm) hyper_sample(&target, theta, BURN_IN, &stream);
    for (int s = 0; s < st->samples; s++) {
        gp *process = model_process(mo, s, j);
        if (sampled) hyper_sample(&target, theta, 1, &stream);
        hyper_resolve(&target, theta, sampled ? &stream : NULL, &process->hyper);
        if (st->method->engine && process->hyper.noise < NOISE_NONE) process->hyper.noise = 0.0;
    }
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

static void use_fixed(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        const double *given = st->fixed + (size_t)j * (size_t)(st->d + HYPER_EXTRA);
        double scale = st->mo->scale[j];
        gp_hyper *hyper = &model_process(st->mo, 0, j)->hyper;
        load_hyper(st, given, hyper);
        hyper->variance = given[st->d] / scale / scale;
        hyper->noise = given[st->d + 1] / given[st->d];
        hyper->mean = (given[st->d + 2] - st->mo->shift[j]) / scale;
    }
}

static void condition_output(int j, int worker, void *context)
{
    const fitting *task = context;
    model *mo = task->st->mo;
    double *packed = task->work + (size_t)worker * task->share;
    task->failed[j] = 0;
    for (int s = 0; s < mo->samples; s++)
        if (gp_condition(model_process(mo, s, j), &mo->inputs, mo->kernel,
                         mo->y + (size_t)j * (size_t)mo->inputs.capacity, packed))
            task->failed[j]++;
}

/* Says of each output once, and again when it gets worse, that its data can't be interpolated without a nugget. */
static void note_nuggets(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        double worst = 0.0;
        for (int s = 0; s < st->samples; s++) worst = fmax(worst, model_process(st->mo, s, j)->nugget);
        if (worst <= 1e-9 || worst <= st->worst_nugget) continue;
        st->worst_nugget = worst;
        study_note(st,
                   "after %d evaluations the covariance of output %d needed a nugget of %.0e to factorise",
                   st->mo->inputs.n, j, worst);
    }
}

/* What the model is to take for the outputs of one trial. A model of f has nothing better for what is not allowed
 * than the worst that is. */
static void add_outputs(const study *st, const trial *t, double worst, double *y)
{
    if (st->method->subject == MODEL_OF_H)
        for (int j = 0; j < st->m; j++) y[j] += t->y[j];
    else
        y[0] += isfinite(t->f) ? t->f : isfinite(worst) ? worst : 0.0;
}

/* The outputs of a point evaluated more than once: their mean, for no process without noise goes through two values
 * at one point. */
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

/* The model's data in its own layout: x (n x d) and y (n x outputs) of the trials listed in st->data. */
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

/* Keeps fewer hyperparameter samples where their factors would not fit the memory that may be used. */
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

/* How far the posterior means of exact outputs are from the data, in standard deviations of the outputs. The residual
 * of a process at its data is (noise + nugget) R^-1 (y - mean). */
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

/* Data in even strides over all that the model has. */
static void choose_hyper_data(fitting *task, double *block)
{
    const model *mo = task->st->mo;
    int n = mo->inputs.n, used = n < HYPER_DATA ? n : HYPER_DATA, capacity = mo->inputs.capacity;
    task->inputs = (gp_inputs){.d = mo->inputs.d, .n = used, .capacity = used, .x = block};
    task->y = block + (size_t)used * (size_t)mo->inputs.d;
    for (int i = 0; i < used; i++) {
        size_t from = hyper_datum(i, used, n);
        for (int k = 0; k < mo->inputs.d; k++)
            task->inputs.x[(size_t)k * (size_t)used + (size_t)i] =
                mo->inputs.x[(size_t)k * (size_t)capacity + from];
    }
    for (int j = 0; j < mo->outputs; j++) choose_hyper_outputs(task, j);
}

/* Whether an output that was modelled by its logarithm no longer can be. */
static int has_lost_logarithm(const study *st, int n)
{
    for (int j = 0; j < st->outputs; j++)
        for (int i = 0; was_logarithmic(st, &st->asked, j) && i < n; i++)
            if (!(st->trials[st->data[i]].y[j] > 0.0)) return 1;
    return 0;
}

/* Which outputs are modelled by their logarithms: those that were, as long as they can be. */
static void keep_logarithms(study *st, const double *told, int n)
{
    for (int j = 0; j < st->outputs; j++)
        st->mo->logarithmic[j] = was_logarithmic(st, &st->asked, j) && may_be_logarithmic(st, told, n, j);
}

static void note_logarithms(study *st)
{
    for (int j = 0; j < st->outputs; j++) {
        int now = st->mo->logarithmic[j];
        if (now != was_logarithmic(st, &st->current, j))
            study_note(st, "after %d evaluations output %d is modelled %s", st->mo->inputs.n, j,
                       now ? "by its logarithm, which explains it better" : "as it is again");
    }
}

/* Builds the model on the first n of st->data, with new hyperparameters or those last asked with. */
static gofh_status build(study *st, int n, int renew, int capacity)
{
    gofh_status status = replace_model(st, capacity);
    if (status) return status;
    size_t outputs = (size_t)st->outputs, d = (size_t)st->d;
    int dimension = st->d + 2, threads = st->spec.settings.threads;
    fitting task = {.st = st, .warm = st->asked.data > 0};
    task.thorough = st->asked.poor || has_lost_logarithm(st, n) || n % (study_is_noisy(st) ? 3 : 10) == 0;
    int used = n < HYPER_DATA ? n : HYPER_DATA;
    size_t pairs = (size_t)n * (size_t)n / 2;
    task.share = hyper_work(used, 0) + map_work(dimension);
    if (task.share < pairs) task.share = pairs;
    task.work = memory_doubles((size_t)threads * task.share + (size_t)(n + used) * (d + outputs));
    task.failed = memory_new(outputs, sizeof *task.failed);
    if (!task.work || !task.failed) {
        free(task.work);
        free(task.failed);
        return GOFH_ERROR_MEMORY;
    }
    double *x = task.work + (size_t)threads * task.share, *y = x + (size_t)n * d;
    collect(st, n, x, y);
    keep_logarithms(st, y, n);
    task.told = y;
    model_set_data(st->mo, n, x, y, renew ? NULL : st->asked.shift, st->asked.scale);
    if (!renew)
        for (int s = 0; s < st->samples; s++)
            for (int j = 0; j < st->outputs; j++)
                load_hyper(st, hyper_slot(st, &st->asked, s, j), &model_process(st->mo, s, j)->hyper);
    else if (st->fixed)
        use_fixed(st);
    else {
        choose_hyper_data(&task, y + (size_t)n * outputs);
        parallel_for(threads, st->outputs, fit_output, &task);
    }
    parallel_for(threads, st->outputs, condition_output, &task);
    for (int j = 0; j < st->outputs; j++)
        if (task.failed[j])
            study_note(st, "the covariance of output %d can't be factorised with any nugget", j);
    free(task.work);
    free(task.failed);

    note_logarithms(st);
    for (int s = 0; s < st->samples; s++)
        for (int j = 0; j < st->outputs; j++) {
            double *slot = hyper_slot(st, &st->current, s, j);
            store_hyper(st, &model_process(st->mo, s, j)->hyper, slot);
            slot[st->d + 4] = st->mo->logarithmic[j];
        }
    memcpy(st->current.shift, st->mo->shift, outputs * sizeof(double));
    memcpy(st->current.scale, st->mo->scale, outputs * sizeof(double));
    st->current.data = n;
    st->current.last = st->data[n - 1];
    st->current.poor = st->method->engine && largest_residual(st->mo) > 1e-5;
    note_nuggets(st);
    return GOFH_OK;
}

static gofh_status append_rest(study *st, int from, int n)
{
    size_t outputs = (size_t)st->outputs, samples = (size_t)st->samples;
    double *work = memory_doubles(2 * (size_t)st->mo->inputs.capacity +
                                  (size_t)n * (outputs + (size_t)st->d) + samples * outputs);
    if (!work) return GOFH_ERROR_MEMORY;
    double *x = work + 2 * st->mo->inputs.capacity, *y = x + (size_t)n * (size_t)st->d,
           *believed = y + (size_t)n * outputs;
    collect(st, n, x, y);
    for (int i = from; i < n; i++) {
        for (size_t s = 0; s < samples; s++)
            memcpy(believed + s * outputs, y + (size_t)i * outputs, outputs * sizeof *y);
        model_append(st->mo, x + (size_t)i * (size_t)st->d, believed, work);
    }
    free(work);
    return GOFH_OK;
}

/* Whether the data that the asked hyperparameters were fitted to are the first of the present ones. */
static int asked_is_prefix(const study *st, int n)
{
    return st->asked.data > 0 && st->asked.data <= n && st->data[st->asked.data - 1] == st->asked.last;
}

/* Whether the model in memory is that of the first `held` data with the asked hyperparameters: then what is new can be
 * added to it, in the same order of operations as if it were built anew. */
static int holds_asked(const study *st, int held)
{
    return held >= st->asked.data && st->current.data == st->asked.data && st->current.last == st->asked.last;
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
    /* Up to 100 data the hyperparameters are renewed with each; beyond, when the data have grown by 1 %. */
    int renew = !asked_is_prefix(st, n) || n - st->asked.data > st->asked.data / 100 || st->fixed ||
                st->contradictions || has_lost_logarithm(st, n);
    if (!renew && holds_asked(st, held) && room_left > open) {
        status = append_rest(st, held, n);
        if (!status) st->data_count = n;
        return status;
    }
    int base = renew ? n : st->asked.data;
    int capacity = (base + base / 100 + 1 + SPARE + open + 7) / 8 * 8;
    status = build(st, base, renew, capacity);
    if (!status && base < n) status = append_rest(st, base, n);
    if (!status) st->data_count = n;
    return status;
}
