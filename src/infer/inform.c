#include "infer/inform.h"

#include "base/memory.h"
#include "infer/posterior.h"
#include "infer/values.h"
#include "study/fitted.h"
#include "study/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    REFERENCES = 200, /* points of the posterior that the integral is taken over */
    CANDIDATES = 160,
    NODES = 12,
    OUTPUTS_MAX = 12, /* whose correlations between points are averaged */
    OUTCOMES = 16     /* of a run, that its effect on the intervals is averaged over */
};

/* A change of a probability counts as so many times that of an interval: half of all is one width. */
static const double PROBABILITY = 2.0;
/* The shares of the emulator's variance that are left, at which densities are tabulated. */
static const double LEFT[NODES] = {0.0, 1e-4, 1e-3, 5e-3, 0.02, 0.06, 0.15, 0.3, 0.5, 0.7, 0.85, 1.0};

typedef struct {
    likelihood *l;
    int references, candidates;
    double *state;                     /* references x dimension */
    double *density;                   /* references: the log density of the posterior, up to a constant */
    double *residual, *noise, *spread; /* references x (count + 1) */
    double *table;                     /* references x NODES: log A(left) - log A(1), see fill_table */
    double *points;                    /* (references + candidates) x d */
    double *told;                      /* candidates x references: squared correlation, signed */
    double *block;
} inform;

static size_t row_of(const inform *f)
{
    return (size_t)f->l->count + 1;
}

static gofh_status inform_open(inform *f, likelihood *l, int references, int candidates)
{
    size_t m = (size_t)references, c = (size_t)candidates, n = (size_t)l->count + 1,
           all = (size_t)l->dimension, d = (size_t)l->st->d;
    *f = (inform){.l = l, .references = references, .candidates = candidates};
    f->block = memory_doubles(m * (all + 1 + 3 * n + NODES) + (m + c) * d + c * m);
    if (!f->block) return GOFH_ERROR_MEMORY;
    f->state = f->block;
    f->density = f->state + m * all;
    f->residual = f->density + m;
    f->noise = f->residual + m * n;
    f->spread = f->noise + m * n;
    f->table = f->spread + m * n;
    f->points = f->table + m * NODES;
    f->told = f->points + (m + c) * d;
    return GOFH_OK;
}

/* Predicts at the references; with fantasies of open trials each takes another of these. */
static void predict_references(inform *f)
{
    size_t n = row_of(f), d = (size_t)f->l->st->d, all = (size_t)f->l->dimension;
    int samples = f->l->st->fitted->mo->samples, kept = 0;
    for (int i = 0; i < f->references; i++) {
        size_t at = (size_t)kept;
        memmove(f->state + at * all, f->state + (size_t)i * all, all * sizeof *f->state);
        f->density[kept] = f->density[i];
        likelihood_cube(f->l, f->state + at * all, f->points + at * d);
        kept += likelihood_parts(f->l, f->state + at * all, i % samples, f->residual + at * n,
                                 f->noise + at * n, f->spread + at * n);
    }
    f->references = kept;
}

/* The likelihood of reference i with a part of the emulator's variance, and shifted residuals unless NULL. */
static double log_likelihood(const inform *f, int i, double part, const double *shift, double *work,
                             double *log_determinant)
{
    size_t n = row_of(f);
    double *residual = work, *spread = work + n, root = sqrt(part);
    for (size_t k = 0; k < n; k++) {
        residual[k] = f->residual[(size_t)i * n + k] - (shift ? shift[k] : 0.0);
        spread[k] = root * f->spread[(size_t)i * n + k];
    }
    return likelihood_normal(f->l, f->state + (size_t)i * (size_t)f->l->dimension, residual,
                             f->noise + (size_t)i * n, spread, log_determinant);
}

static double log_square(const inform *f, int i, double left, double *work)
{
    double more, less, misfit = log_likelihood(f, i, 2.0 - left, NULL, work, &more);
    log_likelihood(f, i, left, NULL, work, &less);
    return -misfit - 0.5 * (more + less);
}

static void fill_table(inform *f, double *work)
{
    for (int i = 0; i < f->references; i++) {
        double *row = f->table + (size_t)i * NODES;
        for (int k = 0; k < NODES; k++) row[k] = log_square(f, i, LEFT[k], work);
        for (int k = 0; k < NODES; k++) {
            row[k] -= row[NODES - 1];
            if (!isfinite(row[k])) row[k] = 0.0;
        }
    }
}

gofh_status inform_log_square(likelihood *l, const double *point, double left, double *value)
{
    inform f;
    gofh_status status = inform_open(&f, l, 1, 0);
    double *work = status ? NULL : memory_doubles(2 * row_of(&f));
    if (!status && !work) status = GOFH_ERROR_MEMORY;
    if (!status) {
        memcpy(f.state, point, (size_t)l->dimension * sizeof *point);
        predict_references(&f);
        *value = f.references ? log_square(&f, 0, left, work) : -INFINITY;
    }
    free(work);
    free(f.block);
    return status;
}

static double interpolate(const double *row, double left)
{
    int k = 1;
    while (k < NODES - 1 && LEFT[k] < left) k++;
    double share = (left - LEFT[k - 1]) / (LEFT[k] - LEFT[k - 1]);
    return row[k - 1] + share * (row[k] - row[k - 1]);
}

/* The logarithm of the mean reduction of a candidate. References have the density of the posterior p itself:
 * their mean of p (A(v) / A(1) - 1) is the integral of p^2. */
static double log_reduction(const inform *f, int candidate)
{
    double sum = -INFINITY, most = f->density[0];
    for (int i = 1; i < f->references; i++) most = fmax(most, f->density[i]);
    for (int i = 0; i < f->references; i++) {
        double told = fabs(f->told[(size_t)candidate * (size_t)f->references + (size_t)i]);
        double gain = interpolate(f->table + (size_t)i * NODES, 1.0 - told);
        if (!(gain > 0.0)) continue;
        double own = f->density[i] - most + (gain > 30.0 ? gain : log(expm1(gain)));
        double larger = fmax(sum, own);
        if (isfinite(own)) sum = larger + log(exp(sum - larger) + exp(own - larger));
    }
    return sum;
}

/* The variance of an observation's noise, in units of the process. */
static double noise_of(const gp *g)
{
    return g->hyper.noise * g->diagonal * g->hyper.variance;
}

/* Outputs whose processes differ: every so many of those with data, one of all that share a kernel. */
static int choose_outputs(const inform *f, int *chosen)
{
    const model *mo = f->l->st->fitted->mo;
    int found = 0, shared = 0, stride = (f->l->count + OUTPUTS_MAX - 1) / OUTPUTS_MAX;
    for (int i = 0; i < f->l->count && found < OUTPUTS_MAX; i += stride) {
        int own = mo->shares && mo->leader >= 0 && mo->shares[f->l->data[i].output];
        if (own && shared) continue;
        shared |= own;
        chosen[found++] = i;
    }
    return found;
}

/* Adds the squared correlations of one output between all candidates and references, weighted by how much
 * the emulator's variance matters there. weights: candidates x references. */
static void add_correlations(inform *f, int datum, int *status, double *weights)
{
    const model *mo = f->l->st->fitted->mo;
    int output = f->l->data[datum].output, q = f->references + f->candidates;
    const gp *g = model_process(mo, 0, output);
    const gp_inputs *inputs = model_inputs(mo, output);
    size_t size = (size_t)q, n = row_of(f);
    double *covariance = memory_doubles(size * (size + 1) + gp_joint_work(inputs->n, q, inputs->d));
    *status |= !covariance;
    if (!covariance) return;
    gp_joint(g, inputs, mo->kernel, f->points, q, covariance + size * size, covariance,
             covariance + size * (size + 1));
    double noise = noise_of(g);
    for (int c = 0; c < f->candidates; c++)
        for (int i = 0; i < f->references; i++) {
            size_t at = (size_t)c * (size_t)f->references + (size_t)i, of = (size_t)i * n + (size_t)datum,
                   row = (size_t)(f->references + c);
            double variance = f->spread[of] * f->spread[of], weight = variance / (f->noise[of] + variance);
            double both = covariance[(size_t)i * size + row], own = covariance[(size_t)i * (size + 1)],
                   there = covariance[row * (size + 1)] + noise;
            double part = own > 0.0 && there > 0.0 ? fmin(both * both / (own * there), 1.0) : 0.0;
            weight += 1e-12;
            f->told[at] += weight * (both < 0.0 ? -part : part);
            weights[at] += weight;
        }
    free(covariance);
}

static gofh_status find_correlations(inform *f)
{
    int chosen[OUTPUTS_MAX], count = choose_outputs(f, chosen), failed = 0;
    size_t all = (size_t)f->candidates * (size_t)f->references;
    double *weights = memory_doubles(all);
    if (!weights) return GOFH_ERROR_MEMORY;
    memset(f->told, 0, all * sizeof *f->told);
    for (int k = 0; k < count && !failed; k++) add_correlations(f, chosen[k], &failed, weights);
    for (size_t i = 0; i < all; i++) f->told[i] /= weights[i] > 0.0 ? weights[i] : 1.0;
    free(weights);
    return failed ? GOFH_ERROR_MEMORY : GOFH_OK;
}

/* Half of the candidates are near references, the others between two of them or beyond, some anywhere. */
static void fill_candidates(inform *f, random_stream *stream)
{
    int d = f->l->st->d;
    for (int c = 0; c < f->candidates; c++) {
        double *to = f->points + (size_t)(f->references + c) * (size_t)d;
        uint32_t among = (uint32_t)f->references;
        const double *a = f->points + (size_t)random_below(stream, among) * (size_t)d,
                     *b = f->points + (size_t)random_below(stream, among) * (size_t)d;
        double share = c % 2 ? 0.0 : 2.0 * random_uniform(stream) - 0.5;
        for (int k = 0; k < d; k++) {
            to[k] = a[k] + share * (b[k] - a[k]);
            if (c % 16 == 15) to[k] = random_uniform(stream);
            to[k] = fmin(fmax(to[k], 0.0), 1.0);
        }
        domain_snap(&f->l->st->spec.box, to);
        if (f->l->held >= 0)
            domain_set(&f->l->st->spec.box, f->l->parameter[f->l->held], f->l->held_value, to);
        if (space_has_constraints(f->l->st->space)) space_repair(f->l->st->space, to, NULL);
    }
}

/* The best candidate; -1: none tells anything. */
static gofh_status choose(inform *f, random_stream *stream, int *best)
{
    double *work = memory_doubles(2 * row_of(f)), most = -INFINITY;
    if (!work) return GOFH_ERROR_MEMORY;
    fill_table(f, work);
    free(work);
    fill_candidates(f, stream);
    gofh_status status = find_correlations(f);
    *best = -1;
    for (int c = 0; c < f->candidates && !status; c++) {
        double own = log_reduction(f, c);
        if (!(own > most)) continue;
        most = own;
        *best = c;
    }
    return status;
}

/* Mean and deviation of coordinate k of the references, weighted. */
static void moments_of(const inform *f, int k, const double *weight, double *mean, double *deviation)
{
    double sum = 0.0, squares = 0.0, all = 0.0;
    for (int i = 0; i < f->references; i++) {
        double u = f->state[(size_t)i * (size_t)f->l->dimension + (size_t)k], w = weight ? weight[i] : 1.0;
        sum += w * u;
        squares += w * u * u;
        all += w;
    }
    *mean = sum / all;
    *deviation = sqrt(fmax(squares / all - *mean * *mean, 0.0));
}

/* The largest difference of the probability of a value of discrete coordinate k. */
static double change_of_values(const inform *f, int k, const double *weight)
{
    double most = 0.0, all = 0.0;
    for (int i = 0; i < f->references; i++) all += weight[i];
    for (int v = 0; v < f->l->cells[k]; v++) {
        double before = 0.0, after = 0.0;
        for (int i = 0; i < f->references; i++) {
            double at = f->state[(size_t)i * (size_t)f->l->dimension + (size_t)k];
            if (likelihood_value(f->l, k, at) != v) continue;
            before += 1.0 / f->references;
            after += weight[i] / all;
        }
        most = fmax(most, fabs(after - before));
    }
    return most;
}

/* By how much the intervals of one outcome of the run differ, of their width, mean -+ 1.96 deviations: by how
 * far they move and how much wider they are; and probabilities of values. weight: what each reference then
 * counts. */
static double change_of(const inform *f, const double *weight)
{
    double most = 0.0;
    for (int k = 0; k < f->l->d; k++) {
        if (f->l->cells[k]) most = fmax(most, PROBABILITY * change_of_values(f, k, weight));
        if (domain_kind_of(&f->l->st->spec.box, f->l->parameter[k]).kind == DOMAIN_CHOICE) continue;
        double mean, deviation, new_mean, new_deviation;
        moments_of(f, k, NULL, &mean, &deviation);
        moments_of(f, k, weight, &new_mean, &new_deviation);
        if (!(deviation > 0.0)) continue;
        double shift = fabs(new_mean - mean) / (2.0 * 1.96), wider = fabs(new_deviation - deviation);
        most = fmax(most, (shift + wider) / deviation);
    }
    return most;
}

/* The mean of that over outcomes: residuals move by what the run tells of them, and the emulator's variance
 * falls. */
static gofh_status expect_change(const inform *f, int candidate, random_stream *stream, double *change)
{
    const model *mo = f->l->st->fitted->mo;
    size_t n = row_of(f), m = (size_t)f->references, outputs = (size_t)mo->outputs;
    double *work = memory_doubles(3 * n + 2 * m + outputs);
    if (!work) return GOFH_ERROR_MEMORY;
    double *shift = work + 2 * n, *before = shift + n, *weight = before + m, *z = weight + m, part;
    for (int i = 0; i < f->references; i++) {
        double misfit = log_likelihood(f, i, 1.0, NULL, work, &part);
        before[i] = -0.5 * (misfit + part);
    }
    *change = 0.0;
    for (int o = 0; o < OUTCOMES; o++) {
        for (size_t j = 0; j < outputs; j++) z[j] = random_normal(stream);
        model_mix(mo, 1, z);
        double most = -INFINITY;
        for (int i = 0; i < f->references; i++) {
            double told = f->told[(size_t)candidate * m + (size_t)i], root = sqrt(fabs(told));
            for (int k = 0; k < f->l->count; k++)
                shift[k] = (told < 0.0 ? -root : root) * f->spread[(size_t)i * n + (size_t)k] *
                           z[f->l->data[k].output];
            shift[f->l->count] = 0.0;
            double misfit = log_likelihood(f, i, 1.0 - fabs(told), shift, work, &part);
            weight[i] = -0.5 * (misfit + part) - before[i];
            if (!isfinite(weight[i])) weight[i] = -INFINITY;
            most = fmax(most, weight[i]);
        }
        for (int i = 0; i < f->references; i++) weight[i] = isfinite(most) ? exp(weight[i] - most) : 1.0;
        *change += change_of(f, weight) / OUTCOMES;
    }
    free(work);
    return GOFH_OK;
}

/* The weight of each reference once the emulator is what it is now, relative to what it was; and, unless it
 * is NULL, the largest share of a parameter's variance that is then the emulator's. */
static void weigh(inform *f, const double *before, const double *exact, double *weight, double *share,
                  double *work)
{
    int d = f->l->st->parameters, all = f->l->dimension;
    double most = -INFINITY, part, x[GOFH_MAX_PARAMETERS];
    double sum = 0.0, mean[GOFH_MAX_PARAMETERS] = {0}, squares[GOFH_MAX_PARAMETERS] = {0};
    for (int i = 0; i < f->references; i++) {
        double misfit = log_likelihood(f, i, 1.0, NULL, work, &part);
        weight[i] = -0.5 * (misfit + part) - (before ? before[i] : 0.0);
        if (!isfinite(weight[i])) weight[i] = -INFINITY;
        most = fmax(most, weight[i]);
    }
    if (!share) return;
    for (int i = 0; i < f->references; i++) {
        double own = isfinite(most) ? exp(weight[i] - most) : 1.0;
        likelihood_to_user(f->l, f->state + i * all, x);
        sum += own;
        for (int k = 0; k < d && own > 0.0; k++) {
            double rest = x[k] - mean[k];
            mean[k] += own / sum * rest;
            squares[k] += own * rest * (x[k] - mean[k]);
        }
    }
    *share = 0.0;
    for (int k = 0; k < d; k++)
        if (squares[k] > 0.0) *share = fmax(*share, 1.0 - exact[k] * exact[k] * sum / squares[k]);
}

/* Gives the model what it expects at u, as if a run had. work: 2 capacity doubles. */
static void append_expected(study *st, const double *u, double *block, double *values, double *work)
{
    model *mo = st->fitted->mo;
    for (int s = 0; s < mo->samples; s++) {
        posterior p;
        posterior_place(&p, 1, mo->outputs, st->d, block);
        model_predict(mo, s, u, 1, PREDICT_MEAN, &p, block + posterior_size(1, mo->outputs, st->d));
        posterior_medians(&p, 0);
        memcpy(values + (size_t)s * (size_t)mo->outputs, p.mean, (size_t)mo->outputs * sizeof *values);
    }
    model_append(mo, 1, u, values, work);
}

/* The runs one after another; share: what is left after each, and before the first. Returns how many. */
static gofh_status plan(inform *f, const double *exact, int max, double wanted, random_stream *stream,
                        double *share, int *made)
{
    study *st = f->l->st;
    model *mo = st->fitted->mo;
    size_t n = row_of(f), m = (size_t)f->references, outputs = (size_t)mo->outputs;
    size_t predicted = posterior_size(1, mo->outputs, st->d) + model_predict_work(mo, 1) + 64;
    double *before = memory_doubles(3 * m + 2 * n + predicted + (size_t)mo->samples * outputs +
                                    2 * (size_t)mo->inputs.capacity);
    if (!before) return GOFH_ERROR_MEMORY;
    double *weight = before + m, *density = weight + m, *work = density + m, *block = work + 2 * n,
           *values = block + predicted, *room = values + (size_t)mo->samples * outputs;
    gofh_status status = GOFH_OK;
    memcpy(density, f->density, m * sizeof *density);
    weigh(f, NULL, NULL, before, NULL, work);
    for (*made = 0; !status; ++*made) {
        int best;
        weigh(f, before, exact, weight, &share[*made], work);
        if (share[*made] <= wanted || *made == max) break;
        for (size_t i = 0; i < m; i++) f->density[i] = density[i] + weight[i];
        status = choose(f, stream, &best);
        if (status || best < 0) break;
        append_expected(st, f->points + (m + (size_t)best) * (size_t)st->d, block, values, room);
        for (size_t i = 0; i < m; i++)
            likelihood_parts(f->l, f->state + i * (size_t)f->l->dimension, 0, f->residual + i * n,
                             f->noise + i * n, f->spread + i * n);
    }
    free(before);
    return status;
}

gofh_status inform_count_runs(likelihood *l, const double *states, int count, const double *exact,
                              double wanted, random_stream *stream, int *runs)
{
    enum { PLANNED = 12 };
    inform f;
    study *st = l->st;
    double share[PLANNED + 1] = {0};
    int held = st->fitted->data_count, room = st->fitted->mo->inputs.capacity - held, made = 0;
    gofh_status status = inform_open(&f, l, count < REFERENCES ? count : REFERENCES, CANDIDATES);
    *runs = 0;
    for (int i = 0; !status && i < f.references; i++)
        memcpy(f.state + (size_t)i * (size_t)l->dimension,
               states + (size_t)((long long)i * count / f.references) * (size_t)l->dimension,
               (size_t)l->dimension * sizeof *f.state);
    if (!status) status = likelihood_density(f.state, f.references, f.density, l);
    if (!status) predict_references(&f);
    if (!status && f.references > 1 && room > 0)
        status = plan(&f, exact, room < PLANNED ? room : PLANNED, wanted, stream, share, &made);
    model_truncate(st->fitted->mo, held);
    free(f.block);
    *runs = made;
    /* Where that was not enough, it goes on as it went. */
    if (!status && made > 0 && share[made] > wanted) {
        double rate = log(share[made] / share[0]) / made;
        *runs = rate < -0.01 ? made + (int)ceil(log(wanted / share[made]) / rate) : 0;
    }
    return status;
}

/* The last states of a short run of the sampler. */
static gofh_status take_references(inform *f)
{
    sampler_result r = {.d = 0};
    gofh_status status = posterior_run(f->l, 1, 1, &r);
    for (int w = 0; !status && w < f->references; w++) {
        int from = (int)((long long)w * r.walkers / f->references);
        memcpy(f->state + (size_t)w * (size_t)r.d, sampler_state(&r, 0, from, r.steps - 1),
               (size_t)r.d * sizeof *f->state);
        f->density[w] = r.density[(size_t)from * r.room + (size_t)r.steps - 1];
    }
    sampler_release(&r);
    if (!status) predict_references(f);
    return status;
}

/* Which value may change more than the run that was found is expected to, and how much that is; its
 * coordinate is -1 where there is none. While runs that would make a value known are open it needs no
 * other, but as much may change. */
static gofh_status find_doubt(const inform *f, infer_doubt *doubt, double *change)
{
    likelihood *l = f->l;
    gofh_status status = GOFH_OK;
    int enough = values_enough(l), least = 0;
    double waiting = 0.0;
    doubt->coordinate = -1;
    for (int k = 0; k < l->d && f->references; k++)
        for (int v = 0; values_are_doubted(l, k) && v < l->cells[k] && !status; v++) {
            infer_doubt own;
            status = values_doubt(l, f->state, f->references, k, v, &own);
            int tried = own.done + own.open + own.failed, waits = own.done < enough && tried >= enough;
            double rise = fmin(PROBABILITY * own.rise, 1.0);
            if (waits) { /* where none is open, too many have failed */
                waiting = own.open ? fmax(waiting, rise) : waiting;
            } else if (rise > *change || (rise == *change && tried < least)) {
                *doubt = own;
                *change = rise;
                least = tried;
            }
        }
    *change = fmax(*change, waiting);
    return status;
}

/* The run that tells most of the posterior; of that given a value, where it is held, any where none does. */
static gofh_status propose_run(inform *f, random_stream *stream, double *u, int *best)
{
    gofh_status status = take_references(f);
    *best = -1;
    if (!status && f->references > 0) status = choose(f, stream, best);
    int at = *best >= 0 ? f->references + *best : f->l->held >= 0 && f->references ? 0 : -1;
    if (!status && at >= 0)
        memcpy(u, f->points + (size_t)at * (size_t)f->l->st->d, (size_t)f->l->st->d * sizeof *u);
    return status;
}

static gofh_status propose(likelihood *l, random_stream *stream, double *u, double *change)
{
    inform f;
    int best;
    infer_doubt doubt = {.coordinate = -1};
    gofh_status status = inform_open(&f, l, REFERENCES, CANDIDATES);
    if (!status) status = propose_run(&f, stream, u, &best);
    if (!status && best >= 0) status = expect_change(&f, best, stream, change);
    if (!status && l->discrete) status = find_doubt(&f, &doubt, change);
    if (!status && doubt.coordinate >= 0) {
        l->held = doubt.coordinate;
        l->held_value = doubt.value;
        f.references = REFERENCES;
        status = propose_run(&f, stream, u, &best);
        l->held = -1;
    }
    free(f.block);
    return status;
}

gofh_status inform_propose(study *st, random_stream *stream, double *u, double *change, void *context)
{
    const infer_goal *goal = context;
    likelihood l;
    infer_datum *data = memory_new((size_t)goal->count, sizeof *data);
    for (int k = 0; k < st->d; k++) u[k] = random_uniform(stream);
    *change = 0.0;
    if (!data) return GOFH_ERROR_MEMORY;
    memcpy(data, goal->data, (size_t)goal->count * sizeof *data);
    st->fitted->mo->correlated = 1;
    st->fitted->mo->inflation = st->fitted->inflation;
    gofh_status status = likelihood_create(&l, st, goal->prior, data, goal->count, goal->groups);
    if (!status) {
        status = propose(&l, stream, u, change);
        likelihood_free(&l);
    }
    predict_leave(st);
    return status;
}
