#include "study/success.h"

#include "base/memory.h"
#include "base/normal.h"
#include "base/vector.h"
#include "model/classifier.h"
#include "study/climb.h"
#include "study/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DATA = 300,   /* in even strides over all of them */
    HYPER_DATA = 100, /* of which the hyperparameters are learned from so many */
    FIT_STARTS = 2,
    FIT_ITERATIONS = 20
};
/* Priors of the logarithms: of the lengthscales and of the variance (eq. 35). */
static const double LENGTHSCALE_MEDIAN = 0.5, LENGTHSCALE_WIDTH = 0.7;
static const double VARIANCE_MEDIAN = 1e8, VARIANCE_WIDTH = 6.0;
static const double LENGTHSCALE_MIN = 0.05, LENGTHSCALE_MAX = 20.0, VARIANCE_MIN = 0.1, VARIANCE_MAX = 1e12;

/* Of the logarithms of two evidences. */
static const double DOUBT = 2.0;
static const double MIN_SCORE = -1.5, TAIL_FALL = 10.0; /* of the weight: eq. 36 */

struct success {
    classifier *model;
    size_t ended; /* the trials it was fitted to */
    double slope; /* of the penalty */
    int doubtful;
    double *work;
    int noted_edge, noted_chance; /* by this process; what others noted is in the log */
};

void success_free(success *s)
{
    if (!s) return;
    classifier_free(s->model);
    free(s->work);
    free(s);
}

void success_forget(study *st)
{
    if (st->fitted->success) st->fitted->success->ended = 0;
}

int success_is_modelled(const study *st)
{
    return st->fitted->success && st->fitted->success->model;
}

int success_is_doubtful(const study *st)
{
    return success_is_modelled(st) && st->fitted->success->doubtful;
}

static void use_theta(classifier *c, const double *theta)
{
    for (int k = 0; k < c->d; k++) c->inverse_lengthscale[k] = exp(-theta[k]);
    c->variance = exp(theta[c->d]);
}

static int evidence(const double *x, int count, double *value, double *gradient, void *context)
{
    classifier *c = context;
    int dimension = c->d + 1;
    double unused[GOFH_MAX_PARAMETERS + 1] = {0};
    for (int i = 0; i < count; i++) {
        const double *theta = x + (size_t)i * (size_t)dimension;
        double *slope = gradient ? gradient + (size_t)i * (size_t)dimension : unused;
        use_theta(c, theta);
        memset(slope, 0, (size_t)dimension * sizeof *slope);
        value[i] = -INFINITY;
        if (classifier_condition(c)) continue;
        value[i] = c->log_evidence;
        classifier_evidence_gradient(c, slope);
        for (int k = 0; k < dimension; k++) {
            double centre = log(k < c->d ? LENGTHSCALE_MEDIAN : VARIANCE_MEDIAN);
            double width = k < c->d ? LENGTHSCALE_WIDTH : VARIANCE_WIDTH, z = (theta[k] - centre) / width;
            value[i] -= 0.5 * z * z;
            slope[k] -= z / width;
        }
    }
    return 0;
}

/* Up to `most` of the trials that have ended, in even strides. NULL: no memory. */
static classifier *collect(const study *st, size_t ended, size_t most)
{
    size_t n = ended < most ? ended : most, seen = 0, next = 0;
    classifier *c = classifier_create(st->d, (int)n);
    for (size_t i = 0; c && i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state != GOFH_TRIAL_DONE && t->state != GOFH_TRIAL_FAILED) continue;
        size_t wanted = ended <= most ? next : next * (ended - 1) / (n - 1);
        if (next == n || seen++ != wanted) continue;
        for (size_t k = 0; k < (size_t)st->d; k++) c->x[k * n + next] = t->u[k];
        c->sign[next++] = t->state == GOFH_TRIAL_DONE ? 1.0 : -1.0;
    }
    return c;
}

/* The maximum of the posterior of the hyperparameters, found from the same starts each time: a
 * resumed study must find the same. */
static gofh_status find_hyper(const study *st, size_t ended, double *theta)
{
    static const double lengthscale[FIT_STARTS] = {0.25, 1.0}, variance[FIT_STARTS] = {1e2, 1e7};
    int dimension = st->d + 1;
    double lower[GOFH_MAX_PARAMETERS + 1], upper[GOFH_MAX_PARAMETERS + 1], value[FIT_STARTS];
    double x[FIT_STARTS * (GOFH_MAX_PARAMETERS + 1)];
    classifier *c = collect(st, ended, HYPER_DATA);
    if (!c) return GOFH_ERROR_MEMORY;
    for (int k = 0; k < dimension; k++) {
        lower[k] = log(k < st->d ? LENGTHSCALE_MIN : VARIANCE_MIN);
        upper[k] = log(k < st->d ? LENGTHSCALE_MAX : VARIANCE_MAX);
        for (int s = 0; s < FIT_STARTS; s++)
            x[s * dimension + k] = log(k < st->d ? lengthscale[s] : variance[s]);
    }
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = FIT_ITERATIONS;
    gofh_status status = GOFH_OK;
    memory_room room = {NULL, 0};
    status = climb_box(&room, evidence, c, &status, &settings, FIT_STARTS, dimension, lower, upper, x, value);
    free(room.block);
    int best = vector_largest(value, FIT_STARTS);
    memcpy(theta, x + best * dimension, (size_t)dimension * sizeof *theta);
    classifier_free(c);
    return status;
}

/* What failing by one more standard deviation costs: ten standard deviations of f. */
static double find_slope(const study *st)
{
    double count = 0.0, mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < st->trials.count; i++) {
        double f = st->trials.list[i].f;
        if (st->trials.list[i].state != GOFH_TRIAL_DONE || !isfinite(f)) continue;
        double rest = f - mean;
        mean += rest / ++count;
        squares += rest * (f - mean);
    }
    return count > 1.0 ? 10.0 * sqrt(squares / count) : 1.0;
}

/* The logarithm of the evidence for failures that strike anywhere with one probability, all of
 * which are as likely: k! (n - k)! / (n + 1)!. By factors, for lgamma writes to a variable of the
 * whole program. */
static double chance_evidence(const classifier *c)
{
    double sum = -log1p(c->n);
    int failed = 0;
    for (int i = 0; i < c->n; i++) failed += c->sign[i] < 0.0;
    for (int i = 1; i <= failed; i++) sum += log(i / (double)(c->n - failed + i));
    return sum;
}

/* Conditions the model, and does without one that broke down or says less than chance does. */
static void settle(study *st, size_t failed)
{
    success *s = st->fitted->success;
    size_t next = st->trials.count + 1;
    int broken = classifier_condition(s->model);
    double beyond_chance = s->model->log_evidence - chance_evidence(s->model);
    s->doubtful = beyond_chance < DOUBT;
    if (!broken && beyond_chance >= 0.0) {
        if (!s->noted_edge && !journal_find(st, "the probability of success is modelled"))
            study_log(
                st, "trial %zu: from here on the probability of success is modelled (%zu of %zu runs failed)",
                next, failed, s->ended);
        s->noted_edge = 1;
        return;
    }
    if (broken && !journal_find(st, "the model of success could not be fitted"))
        study_log(st, "trial %zu: the model of success could not be fitted; failures are left out", next);
    else if (!broken && !s->noted_chance && !journal_find(st, "look like chance"))
        study_log(st, "trial %zu: the failures so far (%zu of %zu runs) look like chance; they are left out",
                  next, failed, s->ended);
    s->noted_chance |= !broken;
    classifier_free(s->model);
    s->model = NULL;
}

static void drop_model(study *st)
{
    success *s = st->fitted->success;
    if (!s || !s->model) return;
    classifier_free(s->model);
    s->model = NULL;
    s->ended = 0;
    st->fitted->local.known = 0;
}

gofh_status success_fit(study *st)
{
    size_t failed = 0, done = 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        failed += st->trials.list[i].state == GOFH_TRIAL_FAILED;
        done += st->trials.list[i].state == GOFH_TRIAL_DONE;
    }
    size_t ended = failed + done;
    if (st->fitted->success && st->fitted->success->ended == ended) return GOFH_OK;
    if (failed == 0 || done == 0) {
        drop_model(st); /* the last failure may have been replaced or forgotten */
        return GOFH_OK;
    }
    if (!st->fitted->success) st->fitted->success = memory_new(1, sizeof *st->fitted->success);
    success *s = st->fitted->success;
    if (!s) return GOFH_ERROR_MEMORY;
    st->fitted->local.known = 0;
    double theta[GOFH_MAX_PARAMETERS + 1];
    gofh_status status = find_hyper(st, ended, theta);
    if (status) return status;
    classifier *c = collect(st, ended, MAX_DATA);
    double *work = c ? memory_doubles(2 * (size_t)c->n) : NULL;
    if (!work) {
        classifier_free(c);
        return GOFH_ERROR_MEMORY;
    }
    classifier_free(s->model);
    free(s->work);
    s->work = work;
    s->model = c;
    s->ended = ended;
    s->slope = find_slope(st);
    use_theta(c, theta);
    settle(st, failed);
    return GOFH_OK;
}

void success_score(const study *st, const double *points, int q, double *score, double *gradient)
{
    classifier_score(st->fitted->success->model, points, q, score, gradient, st->fitted->success->work);
}

/* The logarithm of the weight of a score, and its slope: that of P, and of next to nothing where P
 * is below 1 in 15. There the model's tail says more about its shape than about the chances, and a
 * great gain times a tiny chance would be tried again and again. */
static double log_weight(double score, double *slope)
{
    double beyond = fmax(MIN_SCORE - score, 0.0);
    *slope = normal_hazard_left(score) + 2.0 * TAIL_FALL * beyond;
    return normal_log_cdf(score) - TAIL_FALL * beyond * beyond;
}

void success_multiply(const study *st, const double *points, int q, double *value, double *gradient)
{
    size_t d = (size_t)st->d;
    double score, slope[GOFH_MAX_PARAMETERS] = {0};
    for (size_t i = 0; success_is_modelled(st) && i < (size_t)q; i++) {
        success_score(st, points + i * d, 1, &score, gradient ? slope : NULL);
        double steep, weight = exp(log_weight(score, &steep));
        for (size_t k = 0; gradient && k < d; k++)
            gradient[i * d + k] = weight * (gradient[i * d + k] + value[i] * steep * slope[k]);
        value[i] *= weight;
    }
}

void success_add_logarithm(const study *st, const double *points, int q, double *value, double *gradient)
{
    size_t d = (size_t)st->d;
    double score, slope[GOFH_MAX_PARAMETERS] = {0};
    for (size_t i = 0; success_is_modelled(st) && i < (size_t)q; i++) {
        success_score(st, points + i * d, 1, &score, gradient ? slope : NULL);
        double steep;
        value[i] += log_weight(score, &steep);
        for (size_t k = 0; gradient && k < d; k++) gradient[i * d + k] += steep * slope[k];
    }
}

void success_penalise(const study *st, const double *points, int q, double *value, double *gradient)
{
    size_t d = (size_t)st->d;
    double score, slope[GOFH_MAX_PARAMETERS] = {0};
    for (size_t i = 0; success_is_modelled(st) && i < (size_t)q; i++) {
        success_score(st, points + i * d, 1, &score, gradient ? slope : NULL);
        if (score >= 0.0) continue;
        value[i] += st->fitted->success->slope * score;
        for (size_t k = 0; gradient && k < d; k++)
            gradient[i * d + k] += st->fitted->success->slope * slope[k];
    }
}
