/* What a posterior says, in words: which parameters the data tell, which only together, which not; bounds
 * that cut it off; how much is the emulator's; whether the data can be fitted. */
#include "base/memory.h"
#include "base/normal.h"
#include "base/number.h"
#include "infer/posterior.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTILES = 400, TEXT = 16384 };

/* A deviation above this part of the prior's: the data say little of the parameter. */
static const double UNTOLD = 0.7;
/* Parameters with a deviation above this part of the prior's may be told together only, */
static const double LOOSE = 0.2;
/* where the variance along a combination is below this part of theirs. */
static const double TOLD = 0.02;
/* A parameter takes part in a combination with a weight above this part of the largest. */
static const double WEIGHT = 0.35;
/* A prior further away from the data than this, in deviations of both, is contradicted. */
static const double CONTRADICTS = 2.5;
/* The share of the posterior within a quarter of its deviation from a bound that it is cut off with. */
static const double CUT = 0.1;
/* Misfits that are less likely than this are said. */
static const double UNLIKELY = 1e-3;

typedef struct {
    const infer_posterior *p;
    const study *st;
    const infer_request *request;
    const double *u;
    int logarithms; /* coordinates are logarithms of all parameters that are above 0 */
    double deviation[GOFH_MAX_PARAMETERS], prior[GOFH_MAX_PARAMETERS]; /* of the coordinates */
    double *covariance, *value, *work; /* d x d, of coordinates over the prior's deviation; d */
    char *text;
    size_t length;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = number_format_list(w->text + w->length, TEXT - w->length, format, arguments);
    va_end(arguments);
    if (more > 0) w->length += (size_t)more < TEXT - w->length ? (size_t)more : TEXT - w->length - 1;
}

static void begin(words *w)
{
    if (w->length) say(w, "; ");
}

static int is_log(const words *w, int k)
{
    const domain *box = &w->st->spec.box;
    return box->scale[k] == GOFH_SCALE_LOG || (w->logarithms && box->lower[k] > 0.0);
}

/* Whether a parameter is a number that may be another one: no choice, and not fixed. */
static int is_number(const words *w, int k)
{
    domain_kind kind = domain_kind_of(&w->st->spec.box, k).kind;
    return kind == DOMAIN_INTERVAL || kind == DOMAIN_ORDERED;
}

/* The coordinate of a parameter's value: of its scale, up to a factor. */
static double coordinate(const words *w, int k, double x)
{
    return is_log(w, k) ? log(x) : x;
}

/* The deviation of the prior of parameter k, which has several values, in its coordinate; where one of
 * them has all the weight, 1. */
static double discrete_deviation(const words *w, int k, int count)
{
    const domain *box = &w->st->spec.box;
    double all = 0.0, mean = 0.0, squares = 0.0, most = -INFINITY;
    for (int i = 0; i < count; i++)
        most = fmax(most, prior_log_weight(&w->request->prior[k], domain_value(box, k, i)));
    for (int i = 0; i < count; i++) {
        double x = domain_value(box, k, i), own = exp(prior_log_weight(&w->request->prior[k], x) - most);
        if (!(own > 0.0)) continue;
        double value = coordinate(w, k, x), rest = value - mean;
        all += own;
        mean += own / all * rest;
        squares += own * rest * (value - mean);
    }
    return squares > 0.0 ? sqrt(squares / all) : 1.0;
}

/* The deviation of the prior of parameter k in its coordinate. */
static double prior_deviation(const words *w, int k)
{
    domain_parameter kind = domain_kind_of(&w->st->spec.box, k);
    if (kind.kind == DOMAIN_ORDERED) return discrete_deviation(w, k, kind.count);
    const domain *box = &w->st->spec.box;
    domain one = {.d = 1, .lower = box->lower + k, .upper = box->upper + k, .scale = box->scale + k};
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < QUANTILES; i++) {
        double u = prior_quantile(&w->request->prior[k], box, k, (i + 0.5) / QUANTILES), x;
        domain_to_user(&one, &u, &x);
        double value = coordinate(w, k, x), rest = value - mean;
        mean += rest / (i + 1);
        squares += rest * (value - mean);
    }
    return sqrt(squares / QUANTILES);
}

/* The covariance of the coordinates in units of the prior's deviations, and its eigenvectors. */
static int decompose(words *w)
{
    int d = w->p->d, n = w->p->samples;
    double mean[GOFH_MAX_PARAMETERS] = {0}, z[GOFH_MAX_PARAMETERS];
    for (int k = 0; k < d; k++) w->prior[k] = is_number(w, k) ? prior_deviation(w, k) : 1.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++) mean[k] += coordinate(w, k, w->p->x[i * d + k]) / w->prior[k] / n;
    memset(w->covariance, 0, (size_t)d * (size_t)d * sizeof *w->covariance);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < d; k++) z[k] = coordinate(w, k, w->p->x[i * d + k]) / w->prior[k] - mean[k];
        for (int a = 0; a < d; a++)
            for (int b = 0; b < d; b++) w->covariance[a * d + b] += z[a] * z[b] / n;
    }
    for (int k = 0; k < d; k++) { /* of what is no number nothing is said here */
        for (int a = 0; !is_number(w, k) && a < d; a++)
            w->covariance[a * d + k] = w->covariance[k * d + a] = a == k;
        w->deviation[k] = sqrt(w->covariance[k * d + k]);
    }
    return eigen_symmetric(d, w->covariance, w->value, w->work);
}

/* The parameters of combination e that are loose by themselves; 0 where it tells nothing beyond them. */
static int find_members(const words *w, int e, int *member)
{
    int d = w->p->d, count = 0;
    const double *vector = w->covariance + (size_t)e * (size_t)d;
    double most = 0.0, least = INFINITY;
    for (int k = 0; k < d; k++)
        if (w->deviation[k] > LOOSE) most = fmax(most, fabs(vector[k]));
    for (int k = 0; k < d; k++) {
        if (fabs(vector[k]) <= WEIGHT * most) continue;
        if (!(w->deviation[k] > LOOSE)) return 0;
        least = fmin(least, w->deviation[k]);
        member[count++] = k;
    }
    return count > 1 && w->value[e] <= TOLD * least * least ? count : 0;
}

static void say_names(words *w, const int *member, int count)
{
    for (int i = 0; i < count; i++)
        say(w, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", w->request->name[member[i]]);
}

/* "the data tell a x b, not each". */
static void say_combination(words *w, int e, const int *member, int count, unsigned char *said)
{
    const double *vector = w->covariance + (size_t)e * (size_t)w->p->d;
    int logs = 0, known = 0;
    for (int i = 0; i < count; i++) {
        logs += is_log(w, member[i]);
        known += said[member[i]];
    }
    if (known == count) return;
    begin(w);
    const char *const *name = w->request->name;
    double a = vector[member[0]], b = count == 2 ? vector[member[1]] : 0.0;
    if (count == 2 && (logs == 0 || logs == 2)) {
        const char *sign = logs ? (a * b > 0.0 ? " x " : " / ") : (a * b > 0.0 ? " + " : " - ");
        double exponent = (fabs(b) / w->prior[member[1]]) / (fabs(a) / w->prior[member[0]]);
        say(w, "the data tell %s%s", name[member[0]], sign);
        if (fabs(log(exponent)) < 0.2)
            say(w, "%s, not each", name[member[1]]);
        else if (logs)
            say(w, "%s^%.2g, not each", name[member[1]], exponent);
        else
            say(w, "%.3g %s, not each", exponent, name[member[1]]);
    } else {
        say(w, "the data tell a combination of ");
        say_names(w, member, count);
        say(w, ", not each");
    }
    for (int i = 0; i < count; i++) said[member[i]] = 1;
}

/* Combinations that the data tell, then parameters of which they tell little. */
static void say_identified(words *w)
{
    int d = w->p->d, member[GOFH_MAX_PARAMETERS];
    unsigned char said[GOFH_MAX_PARAMETERS] = {0};
    for (int e = 0; e < d; e++) {
        int count = find_members(w, e, member);
        if (count) say_combination(w, e, member, count, said);
    }
    for (int k = 0; k < d; k++) {
        if (said[k] || !is_number(w, k) || !(w->deviation[k] > UNTOLD)) continue;
        begin(w);
        say(w, "the data say little of %s: its deviation is %.0f %% of that of its prior",
            w->request->name[k], 100.0 * w->deviation[k]);
    }
}

static void say_bounds(words *w)
{
    int d = w->p->d, n = w->p->samples;
    for (int k = 0; k < d; k++) {
        if (domain_kind_of(&w->st->spec.box, k).kind != DOMAIN_INTERVAL) continue;
        double mean = 0.0, squares = 0.0;
        for (int i = 0; i < n; i++) {
            double rest = w->u[i * d + k] - mean;
            mean += rest / (i + 1);
            squares += rest * (w->u[i * d + k] - mean);
        }
        double near = 0.25 * sqrt(squares / n), low = 0.0, high = 0.0;
        for (int i = 0; i < n; i++) {
            low += w->u[i * d + k] < near;
            high += w->u[i * d + k] > 1.0 - near;
        }
        if (!(fmax(low, high) > CUT * n)) continue;
        const domain *box = &w->st->spec.box;
        begin(w);
        say(w, "%s is at its %s bound %.6g, which cuts its posterior off", w->request->name[k],
            low > high ? "lower" : "upper", low > high ? box->lower[k] : box->upper[k]);
    }
}

/* That the best evaluation is not where the posterior is, and the emulator does not know that well either. */
static void say_elsewhere(words *w)
{
    enum { NAMED = 5 };
    int member[GOFH_MAX_PARAMETERS], count = 0;
    for (int k = 0; k < w->p->d; k++)
        if (posterior_is_elsewhere(w->p, &w->st->spec.box, k)) member[count++] = k;
    if (!count) return;
    begin(w);
    say(w, "the best evaluation is far outside of the interval%s of ", count > 1 ? "s" : "");
    if (count <= NAMED)
        say_names(w, member, count);
    else
        say(w, "%d parameters", count);
    say(w, ", which %s where the emulator knows little: do not trust %s before more %s",
        count > 1 ? "are" : "is", count > 1 ? "them" : "it",
        w->request->factor > 0.0 ? "is evaluated there" : "runs for the posterior are made");
}

static void say_emulator(words *w)
{
    const infer_posterior *p = w->p;
    int large = 0;
    for (int k = 0; k < p->d; k++) {
        if (!is_number(w, k) || !(p->share[k] > POSTERIOR_SHARE_LARGE)) continue;
        large = 1;
        begin(w);
        say(w, "%.0f %% of the variance of %s is the emulator's: more runs would %s its interval",
            100.0 * p->share[k], w->request->name[k],
            posterior_is_elsewhere(p, &w->st->spec.box, k) ? "move" : "narrow");
    }
    if (!large || w->request->factor > 0.0) return; /* of an expression they are not planned */
    begin(w);
    if (p->runs)
        say(w, "about %d more run%s for the posterior should bring that below %.0f %%", p->runs,
            p->runs == 1 ? "" : "s", 100.0 * POSTERIOR_SHARE_SMALL);
    else
        say(w, "how many are needed can't be told yet");
}

static void say_value(words *w, const infer_doubt *doubt)
{
    const char *const *word = w->request->word ? w->request->word[doubt->parameter] : NULL;
    if (word)
        say(w, "%s", word[doubt->value]);
    else
        say(w, "%.6g", domain_value(&w->st->spec.box, doubt->parameter, doubt->value));
}

/* Values of parameter k that too few evaluations have. */
static void say_untried(words *w, int k)
{
    const infer_posterior *p = w->p;
    int said = 0;
    for (int i = 0; i < p->doubts; i++) {
        const infer_doubt *own = &p->doubt[i];
        if (own->parameter != k || own->done >= p->enough) continue;
        if (said++) {
            say(w, ", ");
        } else {
            begin(w);
            say(w, "fewer than %d evaluations have %s = ", p->enough, w->request->name[k]);
        }
        say_value(w, own);
        say(w, " (%d)", own->done);
    }
    if (said) say(w, ": do not trust the probabilities of %s", w->request->name[k]);
}

static void say_values(words *w)
{
    const infer_posterior *p = w->p;
    for (int k = 0; k < p->d; k++) say_untried(w, k);
    for (int i = 0; i < p->doubts; i++) {
        const infer_doubt *own = &p->doubt[i];
        if (own->done < p->enough) continue;
        begin(w);
        say(w, "the probability of %s = ", w->request->name[own->parameter]);
        say_value(w, own);
        double probability = p->probability[own->parameter][own->value];
        say(w, ", %.0f %%, may be up to %.0f %%: the emulator knows little of it", 100.0 * probability,
            100.0 * fmin(probability + own->rise, 1.0));
    }
    if (!p->doubts) return;
    const char *which = p->doubts > 1 ? "these values" : "this value";
    begin(w);
    if (w->request->factor > 0.0) /* runs for the posterior need a fit */
        say(w, "evaluate %s more often", which);
    else
        say(w, "runs for the posterior tell more of %s", which);
}

/* How far the data alone put parameter k from the middle of its prior, in deviations of their difference.
 * Where all is normal, a posterior N(m, s^2) in units of the prior is one of data N(m/(1 - s^2),
 * s^2/(1 - s^2)). */
static double contradiction_of(const words *w, int k)
{
    const infer_posterior *p = w->p;
    const infer_prior *prior = &w->request->prior[k];
    double mean = 0.0, squares = 0.0;
    if (prior->kind == GOFH_PRIOR_UNIFORM) return 0.0;
    for (int i = 0; i < p->samples; i++) {
        double x = p->x[i * p->d + k], z = (x - prior->location) / prior->spread;
        if (prior->kind == GOFH_PRIOR_LOGNORMAL) z = log(x / prior->location) / prior->spread;
        double rest = z - mean;
        mean += rest / (i + 1);
        squares += rest * (z - mean);
    }
    double left = 1.0 - squares / p->samples;
    return left > 0.05 ? fabs(mean) / sqrt(left) : 0.0;
}

static void say_contradicted(words *w)
{
    for (int k = 0; k < w->p->d; k++) {
        if (!is_number(w, k)) continue;
        double away = contradiction_of(w, k);
        if (!(away > CONTRADICTS)) continue;
        begin(w);
        say(w, "the data contradict the prior of %s: they differ by %.1f deviations", w->request->name[k],
            away);
    }
}

/* Wilson and Hilferty: the normal deviate of a chi-squared variable. */
static double chi_squared_deviate(double value, double freedom)
{
    double part = 2.0 / (9.0 * freedom);
    return (cbrt(value / freedom) - (1.0 - part)) / sqrt(part);
}

static void say_misfit(words *w)
{
    const infer_posterior *p = w->p;
    for (int g = 0; g < p->sigmas; g++) {
        begin(w);
        say(w, "%s%s is estimated: %.3g, 95 %% from %.3g to %.3g", g < p->groups ? "sigma of " : "",
            w->request->group[g], p->sigma_mean[g], p->sigma_lower[g], p->sigma_upper[g]);
    }
    double freedom = p->data;
    for (int k = 0; k < p->d; k++) freedom -= domain_kind_of(&w->st->spec.box, k).kind != DOMAIN_FIXED;
    if (p->sigmas || freedom < 1.0 || w->request->factor > 0.0) return;
    double z = chi_squared_deviate(p->misfit, freedom);
    if (normal_cdf(-fabs(z)) > 0.5 * UNLIKELY) return;
    begin(w);
    if (z > 0.0)
        say(w, "the misfit %.4g is far above the %d data: sigma is too small, or the model can't fit them",
            p->misfit, p->data);
    else
        say(w, "the misfit %.4g is far below the %d data: sigma may be too large", p->misfit, p->data);
}

static void say_convergence(words *w)
{
    const infer_posterior *p = w->p;
    double rhat = 0.0, effective = INFINITY;
    for (int k = 0; k < p->d; k++) {
        rhat = fmax(rhat, p->rhat[k]);
        effective = fmin(effective, p->effective[k]);
    }
    if (p->converged) return;
    begin(w);
    say(w, "the sampler has not converged (R-hat %.3f, effective size %.0f): do not trust the intervals",
        rhat, effective);
}

char *posterior_words(infer_posterior *p, const study *st, const infer_request *request, const double *u)
{
    words w = {.p = p, .st = st, .request = request, .u = u};
    size_t d = (size_t)p->d;
    w.text = memory_new(TEXT, 1);
    w.covariance = memory_doubles(d * d + d + eigen_symmetric_work(p->d));
    if (!w.text || !w.covariance) {
        free(w.text);
        free(w.covariance);
        return NULL;
    }
    w.value = w.covariance + d * d;
    w.work = w.value + d;
    say_convergence(&w);
    say_elsewhere(&w);
    say_values(&w);
    /* A product or a ratio shows in logarithms, whatever the parameters' scales are. */
    int failed = decompose(&w);
    double least = w.value[0] / w.value[d - 1];
    w.logarithms = 1;
    failed |= decompose(&w);
    if (!(w.value[0] / w.value[d - 1] < 0.5 * least)) {
        w.logarithms = 0;
        failed |= decompose(&w);
    }
    p->logarithms = w.logarithms;
    for (size_t e = 0; e < d; e++) {
        p->direction_deviation[e] = sqrt(fmax(w.value[e], 0.0));
        memcpy(p->direction + e * d, w.covariance + e * d, d * sizeof *p->direction);
    }
    if (!failed) say_identified(&w);
    say_bounds(&w);
    say_contradicted(&w);
    say_emulator(&w);
    say_misfit(&w);
    if (st->spec.g->margins > 0) {
        begin(&w);
        say(&w, "the constraints do not count");
    }
    free(w.covariance);
    return w.text;
}
