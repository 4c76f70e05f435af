#include "model/model.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linalg/linalg.h"
#include "model/index.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of more outputs than these, which may have one kernel, what followers have of their own lies together: the
 * rest of their blocks is never touched and takes no memory. */
enum { PACKED_ABOVE = 500 };

/* Of a noise, standardised: beyond it a datum says nothing, and sums of squares would overflow. */
static const double NOISE_MAX = 1e100;

void model_enter(void)
{
    linalg_enter();
    parallel_enter();
}

void model_leave(void)
{
    parallel_leave();
    linalg_leave();
}

static void place_process(model *mo, size_t i)
{
    int d = mo->inputs.d, capacity = mo->inputs.capacity;
    gp_place(&mo->processes[i], d, capacity, mo->block + i * gp_size(d, capacity));
    if (mo->seen) mo->processes[i].seen = mo->seen + i * index2(d, capacity, 0);
    if (!mo->packed) return;
    size_t processes = (size_t)mo->samples * (size_t)mo->outputs;
    mo->processes[i].weights = mo->packed + i * (size_t)capacity;
    mo->processes[i].solved_y = mo->packed + (processes + i) * (size_t)capacity;
}

model *model_create(int d, int outputs, int samples, int capacity, gofh_kernel kernel, int threads)
{
    model *mo = linalg_reserve(threads) ? NULL : memory_new(1, sizeof *mo);
    if (!mo) return NULL;
    *mo = (model){.kernel = kernel, .outputs = outputs, .samples = samples, .threads = threads, .leader = -1};
    mo->correlation = (output_correlation){.outputs = outputs, .rest = 1.0};
    size_t processes = (size_t)samples * (size_t)outputs, size = gp_size(d, capacity);
    size_t m = (size_t)outputs, c = (size_t)capacity;
    mo->processes = memory_new(processes, sizeof *mo->processes);
    mo->block = memory_doubles(processes * size + m * (c + 2) + (size_t)d * c);
    mo->transform = memory_new(m, sizeof *mo->transform);
    mo->shares = memory_new(m, sizeof *mo->shares);
    if (outputs > PACKED_ABOVE) mo->packed = memory_doubles(2 * processes * c);
    if (!mo->processes || !mo->block || !mo->transform || !mo->shares ||
        (outputs > PACKED_ABOVE && !mo->packed)) {
        model_free(mo);
        return NULL;
    }
    for (size_t j = 0; j < m; j++) mo->transform[j] = transform_none();
    mo->y = mo->block + processes * size;
    mo->shift = mo->y + m * c;
    mo->scale = mo->shift + m;
    mo->inputs = (gp_inputs){.d = d, .capacity = capacity, .x = mo->scale + m};
    for (size_t i = 0; i < processes; i++) place_process(mo, i);
    return mo;
}

void model_free(model *mo)
{
    if (!mo) return;
    model_join(mo);
    correlation_free(&mo->correlation);
    free(mo->processes);
    free(mo->block);
    free(mo->seen);
    free(mo->packed);
    free(mo->noise);
    free(mo->own);
    free(mo->place);
    free(mo->own_x);
    free(mo->transform);
    free(mo->shares);
    free(mo);
}

double model_memory(int d, int outputs, int samples, int capacity)
{
    double packed = outputs > PACKED_ABOVE ? 2.0 * capacity : 0.0;
    return 8.0 * samples * outputs * ((double)gp_size(d, capacity) + packed) +
           8.0 * (outputs + d) * (double)capacity;
}

gp *model_process(const model *mo, int sample, int output)
{
    return &mo->processes[index2(sample, mo->outputs, output)];
}

int model_allow_missing(model *mo)
{
    size_t values = index2(mo->outputs, mo->inputs.capacity, 0);
    mo->own = memory_new((size_t)mo->outputs, sizeof *mo->own);
    mo->place = memory_new(values, sizeof *mo->place);
    mo->own_x = memory_doubles(values * (size_t)mo->inputs.d);
    return mo->own && mo->place && mo->own_x ? 0 : -1;
}

int model_allow_latent(model *mo)
{
    size_t processes = index2(mo->samples, mo->outputs, 0);
    mo->seen = memory_doubles(processes * index2(mo->inputs.d, mo->inputs.capacity, 0));
    for (size_t i = 0; mo->seen && i < processes; i++) place_process(mo, i);
    return mo->seen ? 0 : -1;
}

static int has_own(const model *mo, int j)
{
    return mo->own && mo->own[j].x;
}

const gp_inputs *model_inputs(const model *mo, int j)
{
    return has_own(mo, j) ? &mo->own[j] : &mo->inputs;
}

int model_place(const model *mo, int j, int i)
{
    return has_own(mo, j) ? mo->place[index2(j, mo->inputs.capacity, i)] : i;
}

/* Where output j's own inputs are, if it has some. */
static double *own_block(const model *mo, int j)
{
    return mo->own_x + index2(j, mo->inputs.capacity, 0) * (size_t)mo->inputs.d;
}

/* Datum i becomes the next of output j's own. */
static void add_own(model *mo, int j, int i)
{
    int capacity = mo->inputs.capacity, n = mo->own[j].n++;
    double *x = own_block(mo, j);
    for (int k = 0; k < mo->inputs.d; k++) x[index2(k, capacity, n)] = mo->inputs.x[index2(k, capacity, i)];
    mo->place[index2(j, capacity, n)] = i;
}

/* From here on output j has inputs of its own, none so far. */
static void begin_own(model *mo, int j)
{
    mo->own[j] = (gp_inputs){.d = mo->inputs.d, .capacity = mo->inputs.capacity, .x = own_block(mo, j)};
}

/* Which data have a value of output j: column j of y. */
static void choose_own(model *mo, int j, const double *y)
{
    int n = mo->inputs.n, missing = 0;
    if (!mo->own) return;
    mo->own[j] = (gp_inputs){.x = NULL};
    for (int i = 0; i < n; i++) missing |= isnan(y[index2(i, mo->outputs, j)]) != 0;
    if (!missing) return;
    begin_own(mo, j);
    for (int i = 0; i < n; i++)
        if (!isnan(y[index2(i, mo->outputs, j)])) add_own(mo, j, i);
}

/* Shift and scale of one output, scaled down first so that squares of huge values do not overflow.
 * An output that has not moved gets a scale at the level of its rounding: as far as we know it
 * never moves. */
static void standardise(int n, const double *y, double *shift, double *scale)
{
    double largest = 0.0, mean = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(y[i]));
    double unit = largest > 0.0 ? largest : 1.0;
    for (int i = 0; i < n; i++) mean += y[i] / unit / n;
    for (int i = 0; i < n; i++) {
        double rest = y[i] / unit - mean;
        squares += rest * rest / n;
    }
    double deviation = sqrt(squares);
    *shift = mean * unit;
    if (n == 1) deviation = 1.0;
    *scale = fmax(fmax(deviation, 1e-14) * unit, DBL_MIN);
}

int model_is_normal(const model *mo)
{
    for (int j = 0; j < mo->outputs; j++)
        if (!transform_is_none(&mo->transform[j])) return 0;
    return 1;
}

double model_to_user(const model *mo, int j, double value)
{
    const transform *t = &mo->transform[j];
    return t->kind->inverse(t, mo->shift[j] + mo->scale[j] * value);
}

double model_to_standard(const model *mo, int j, double value)
{
    const transform *t = &mo->transform[j];
    return (t->kind->forward(t, value) - mo->shift[j]) / mo->scale[j];
}

/* Column j of y, transformed and standardised; by its own shift and scale where shift is NULL. */
static void take_output(model *mo, int j, const double *y, const double *shift, const double *scale)
{
    int n = model_inputs(mo, j)->n;
    const transform *t = &mo->transform[j];
    double *row = mo->y + index2(j, mo->inputs.capacity, 0);
    for (int i = 0; i < n; i++)
        row[i] = t->kind->forward(t, y[index2(model_place(mo, j, i), mo->outputs, j)]);
    if (shift) {
        mo->shift[j] = shift[j];
        mo->scale[j] = scale[j];
    } else {
        standardise(n, row, &mo->shift[j], &mo->scale[j]);
    }
    for (int i = 0; i < n; i++) row[i] = (row[i] - mo->shift[j]) / mo->scale[j];
}

void model_set_output(model *mo, int j, const double *y, const transform *t)
{
    mo->transform[j] = *t;
    take_output(mo, j, y, NULL, NULL);
}

void model_set_data(model *mo, int n, const double *x, const double *y, const double *shift,
                    const double *scale)
{
    int d = mo->inputs.d, capacity = mo->inputs.capacity;
    mo->inputs.n = n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++) mo->inputs.x[index2(k, capacity, i)] = x[index2(i, d, k)];
    for (int j = 0; j < mo->outputs; j++) {
        choose_own(mo, j, y);
        take_output(mo, j, y, shift, scale);
    }
}

static double standard_noise(const model *mo, int j, double variance)
{
    return fmin(variance / mo->scale[j] / mo->scale[j], NOISE_MAX);
}

int model_set_noise(model *mo, int j, const double *variance)
{
    int n = model_inputs(mo, j)->n;
    if (variance && !mo->noise) mo->noise = memory_doubles(index2(mo->outputs, mo->inputs.capacity, 0));
    if (variance && !mo->noise) return -1;
    double *row = variance ? mo->noise + index2(j, mo->inputs.capacity, 0) : NULL;
    for (int i = 0; row && i < n; i++) row[i] = standard_noise(mo, j, variance[model_place(mo, j, i)]);
    for (int s = 0; s < mo->samples; s++) model_process(mo, s, j)->own_noise = row;
    return 0;
}

void model_share(model *mo, const unsigned char *shares)
{
    mo->leader = -1;
    for (int j = 0; j < mo->outputs; j++) {
        mo->shares[j] = shares && shares[j];
        if (mo->shares[j] && mo->leader < 0) mo->leader = j;
    }
    for (int s = 0; s < mo->samples; s++)
        for (int j = 0; j < mo->outputs; j++) {
            gp *process = model_process(mo, s, j);
            place_process(mo, index2(s, mo->outputs, j));
            if (mo->shares[j]) gp_follow(process, model_process(mo, s, mo->leader));
        }
}

/* Whether output j has no factor of its own. */
static int is_follower(const model *mo, int j)
{
    return mo->shares[j] && j != mo->leader;
}

typedef struct {
    model *mo;
    int *failed;
    double *work;
    size_t share;
} conditioning;

static void condition_output(int j, int worker, void *context)
{
    const conditioning *t = context;
    model *mo = t->mo;
    t->failed[j] = 0;
    for (int s = 0; s < mo->samples && !is_follower(mo, j); s++)
        if (gp_condition(model_process(mo, s, j), model_inputs(mo, j), mo->kernel,
                         mo->y + index2(j, mo->inputs.capacity, 0), t->work + (size_t)worker * t->share))
            t->failed[j]++;
}

static void condition_follower(int j, int worker, void *context)
{
    const conditioning *t = context;
    model *mo = t->mo;
    (void)worker;
    if (!is_follower(mo, j)) return;
    t->failed[j] = t->failed[mo->leader];
    for (int s = 0; s < mo->samples; s++)
        gp_follow_condition(model_process(mo, s, j), model_process(mo, s, mo->leader), &mo->inputs,
                            mo->y + index2(j, mo->inputs.capacity, 0));
}

static size_t condition_share(const model *mo)
{
    size_t n = (size_t)mo->inputs.n;
    return (n * n / 2 + 7) / 8 * 8;
}

size_t model_condition_work(const model *mo)
{
    return (size_t)mo->threads * condition_share(mo);
}

void model_condition(model *mo, int *failed, double *work)
{
    conditioning task = {.mo = mo, .failed = failed, .work = work, .share = condition_share(mo)};
    parallel_for(mo->threads, mo->outputs, condition_output, &task);
    if (mo->leader >= 0) parallel_for(mo->threads, mo->outputs, condition_follower, &task);
}

/* Of the datum after the first n of output j. */
static void append_noise(model *mo, int j, int n, const double *variance)
{
    double *row = mo->noise + index2(j, mo->inputs.capacity, 0), sum = 0.0;
    for (int i = 0; i < n; i++) sum += row[i];
    row[n] = variance ? standard_noise(mo, j, variance[j]) : sum / n;
}

/* The new datum n of output j: missing in all samples or in none. */
static void append_own(model *mo, int j, int n, const double *y)
{
    if (isnan(y[j]) && !has_own(mo, j)) {
        begin_own(mo, j);
        for (int i = 0; i < n; i++) add_own(mo, j, i);
    }
    if (!isnan(y[j]) && has_own(mo, j)) add_own(mo, j, n);
}

/* A datum whose weights are not found yet. */
static int extend(model *mo, const double *x, const double *y, const double *variance, double *work)
{
    int n = mo->inputs.n++, raised = 0;
    for (int k = 0; k < mo->inputs.d; k++) mo->inputs.x[index2(k, mo->inputs.capacity, n)] = x[k];
    for (int j = 0; mo->own && j < mo->outputs; j++) append_own(mo, j, n, y);
    for (int j = 0; j < mo->outputs; j++)
        if (model_process(mo, 0, j)->own_noise && !isnan(y[j]))
            append_noise(mo, j, model_inputs(mo, j)->n - 1, variance);
    for (int s = 0; s < mo->samples; s++)
        for (int j = 0; j < mo->outputs; j++) {
            if (mo->own && isnan(y[index2(s, mo->outputs, j)])) continue;
            const gp_inputs *inputs = model_inputs(mo, j);
            double value = model_to_standard(mo, j, y[index2(s, mo->outputs, j)]);
            gp *process = model_process(mo, s, j);
            /* The first fantasy has the factor; and a leader comes before its followers. */
            if ((s > 0 && mo->base) || is_follower(mo, j))
                gp_follow_extend(process, inputs, value);
            else
                raised += gp_extend(process, inputs, mo->kernel, value, work);
        }
    return raised;
}

/* The weights of the data that there are. */
static void solve(model *mo)
{
    for (int s = 0; s < mo->samples; s++)
        for (int j = 0; j < mo->outputs; j++) {
            const gp_inputs *inputs = model_inputs(mo, j);
            gp *process = model_process(mo, s, j);
            if (s > 0 && mo->base)
                gp_follow_truncate(process, model_process(mo, 0, j), inputs);
            else if (is_follower(mo, j))
                gp_follow_truncate(process, model_process(mo, s, mo->leader), inputs);
            else
                gp_truncate(process, inputs);
        }
}

int model_append(model *mo, int count, const double *x, const double *y, double *work)
{
    int raised = 0;
    for (int i = 0; i < count; i++)
        raised += extend(mo, x + index2(i, mo->inputs.d, 0), y + index2(i, mo->samples * mo->outputs, 0),
                         NULL, work);
    solve(mo);
    return raised;
}

int model_append_noisy(model *mo, const double *x, const double *y, const double *variance, double *work)
{
    int raised = extend(mo, x, y, variance, work);
    solve(mo);
    return raised;
}

int model_fork(model *mo, int samples)
{
    size_t outputs = (size_t)mo->outputs, own = 2 * (size_t)mo->inputs.capacity;
    gp *processes = memory_new((size_t)samples * outputs, sizeof *processes);
    double *block = memory_doubles((size_t)samples * outputs * own);
    if (!processes || !block) {
        free(processes);
        free(block);
        return -1;
    }
    memcpy(processes, mo->processes, outputs * sizeof *processes);
    for (size_t i = outputs; i < (size_t)samples * outputs; i++)
        gp_share(&processes[i], &mo->processes[i % outputs], model_inputs(mo, (int)(i % outputs)),
                 block + i * own);
    mo->base = mo->processes;
    mo->processes = processes;
    mo->shared_block = block;
    mo->samples = samples;
    return 0;
}

void model_join(model *mo)
{
    if (!mo->base) return;
    memcpy(mo->base, mo->processes, (size_t)mo->outputs * sizeof *mo->base);
    free(mo->processes);
    free(mo->shared_block);
    mo->processes = mo->base;
    mo->base = NULL;
    mo->shared_block = NULL;
    mo->samples = 1;
}

void model_truncate(model *mo, int n)
{
    if (n == mo->inputs.n) return;
    mo->inputs.n = n;
    for (int j = 0; j < mo->outputs; j++)
        while (has_own(mo, j) && mo->own[j].n > 0 && model_place(mo, j, mo->own[j].n - 1) >= n)
            mo->own[j].n--;
    solve(mo);
}

void model_leave_one_out(const model *mo, int sample, int output, double *mean, double *variance,
                         double *work)
{
    const transform *t = &mo->transform[output];
    double shift = mo->shift[output], scale = mo->scale[output];
    const gp_inputs *inputs = model_inputs(mo, output);
    gp_leave_one_out(model_process(mo, sample, output), inputs, mean, variance, work);
    for (int i = 0; i < inputs->n; i++) {
        mean[i] = shift + scale * mean[i];
        variance[i] *= scale * scale;
        if (transform_is_none(t) || isnan(mean[i])) continue;
        double deviation = sqrt(variance[i]);
        t->kind->moments(t, &mean[i], &deviation, 0, NULL, NULL);
        variance[i] = deviation * deviation;
    }
    /* Each to its place among all data, the last first. */
    for (int i = mo->inputs.n - 1, known = inputs->n; has_own(mo, output) && i >= 0; i--) {
        int is_known = known > 0 && model_place(mo, output, known - 1) == i;
        known -= is_known;
        mean[i] = is_known ? mean[known] : NAN;
        variance[i] = is_known ? variance[known] : INFINITY;
    }
}
