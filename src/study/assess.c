#include "study/assess.h"

#include "base/memory.h"
#include "base/number.h"
#include "study/fitted.h"
#include "study/points.h"
#include "study/predict.h"
#include "study/starts.h"
#include "study/stop.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* In the unit cube: as near as this to a bound is at it; as near to an earlier trial repeats it. */
static const double AT_BOUND = 1e-6, REPEATS = 1e-6;
/* Of the variation of the outputs: a model that explains less vouches for nothing. */
static const double EXPLAINED_MIN = 0.5;
/* Of the size of an output: what it varies by if it is constant but for rounding. */
static const double SAME = 1e-12;
/* Of what the last suggestions promised, in units of the range of f: promises that matter, and how
 * much of them must be kept. */
static const double PROMISES = 0.01, KEPT_MIN = 0.1;
/* Of the design's misfit: more than the first left over is not a fit, nor is more than the second
 * where the residuals are systematic. Of chi-squared: its mean, in multiples. */
static const double MISFIT_LEFT = 0.2, MISFIT_LEFT_SYSTEMATIC = 0.01, MISFIT_FACTOR = 3.0;
/* Of chi-squared: a difference that data can't tell, a tenth of a deviation. */
static const double UNTOLD = 0.01;
/* Of the largest margin among the trials: a constraint with less is active. */
static const double ACTIVE = 1e-3;
/* Deviations by which the changes of sign are fewer than those of noise. */
static const double SYSTEMATIC = 3.0;
/* Idle suggestions elsewhere that a best evaluation must have stood. */
enum { IDLE_MIN = 4, RECENT = 10, REPEATED_MIN = 5 };
/* Evaluations without a difference in any output that are suspicious. */
enum { CONSTANT_MIN = 3 };

typedef struct {
    study *st;
    const assess_context *context;
    gofh_assessment *result;
    stop_history history;
    const trial *best;
    int reached; /* the user's own target */
    int fits;    /* the data, as well as they can tell */
    int tried;   /* all allowed points */
    char *text;
    size_t used;
} assessment;

/* Adds words to the message, after those that are there. */
static void say(assessment *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(assessment *a, const char *format, ...)
{
    size_t room = ASSESS_TEXT - a->used;
    int before = a->used ? number_format(a->text + a->used, room, "; ") : 0;
    if (before < 0 || (size_t)before >= room) return;
    va_list arguments;
    va_start(arguments, format);
    int length = number_format_list(a->text + a->used + before, room - (size_t)before, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)(before + length) >= room)
        a->text[a->used] = '\0';
    else
        a->used += (size_t)(before + length);
}

/* Of the model, a reduced one's too. */
static size_t output_count(const study *st)
{
    return st->method->subject == MODEL_OF_F ? 1 : (size_t)st->m;
}

/* Datum i of output j, NaN where it is missing. */
static double datum(const study *st, size_t i, size_t j)
{
    const trial *t = &st->trials.list[st->fitted->data[i]];
    return st->method->subject == MODEL_OF_F ? t->f : t->y[j];
}

/* The share of the variance of output j that the model predicts of each trial from all the others. NaN
 * where that is not known: an output that does not vary says nothing of the model, and its rounding would
 * say anything. */
static double share_of_output(const study *st, const double *mean, size_t j)
{
    size_t n = (size_t)st->fitted->data_count, m = output_count(st), known = 0;
    double centre = 0.0, total = 0.0, rest = 0.0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double y = datum(st, i, j);
        if (isnan(y) || isnan(mean[i * m + j])) continue;
        centre += (y - centre) / (double)++known;
        low = fmin(low, y);
        high = fmax(high, y);
    }
    if (!(high - low > SAME * fmax(fabs(low), fabs(high)))) return NAN;
    for (size_t i = 0; i < n; i++) {
        double y = datum(st, i, j);
        if (isnan(y) || isnan(mean[i * m + j])) continue;
        total += (y - centre) * (y - centre);
        rest += (y - mean[i * m + j]) * (y - mean[i * m + j]);
    }
    return isfinite(total) && isfinite(rest) ? fmax(1.0 - rest / total, 0.0) : NAN;
}

/* The mean over the outputs; NaN where it is known of none. */
static double share_of(const study *st, const double *mean)
{
    size_t m = output_count(st), counted = 0;
    double sum = 0.0;
    for (size_t j = 0; j < m; j++) {
        double share = share_of_output(st, mean, j);
        if (isnan(share)) continue;
        sum += share;
        counted++;
    }
    return counted ? sum / (double)counted : NAN;
}

static gofh_status find_explained(assessment *a)
{
    study *st = a->st;
    a->result->explained = NAN;
    size_t size = st->trials.count * output_count(st);
    double *mean = memory_doubles(2 * size);
    if (!mean) return GOFH_ERROR_MEMORY;
    gofh_status status = study_leave_one_out(st, mean, mean + size);
    if (!status && st->fitted->data_count > 1) a->result->explained = share_of(st, mean);
    free(mean);
    /* Without its hyperparameters the model says nothing, which is no failure here. */
    return status == GOFH_ERROR_PROBLEM ? GOFH_OK : status;
}

/* How many of the last suggestions, local steps aside, are at earlier trials. */
static int count_repeated(const study *st)
{
    int recent = 0, repeated = 0;
    for (size_t i = st->trials.count; i-- > 0 && recent < RECENT;) {
        const trial *t = &st->trials.list[i];
        if (!starts_is_suggested(t) || t->state == GOFH_TRIAL_FORGOTTEN) continue;
        recent++;
        if (strcmp(t->origin, "local") == 0) continue;
        int again = 0;
        for (size_t k = 0; k < i && !again; k++)
            again = st->trials.list[k].state != GOFH_TRIAL_FORGOTTEN &&
                    points_reach(st->d, t->u, st->trials.list[k].u) < REPEATS;
        repeated += again;
    }
    return repeated;
}

/* Chi-squared of the comparisons with data whose deviations are known. */
static double find_chi_squared(const assessment *a, int *count)
{
    double sum = 0.0;
    *count = 0;
    for (size_t i = 0; i < a->context->compared->count; i++) {
        const comparison *c = &a->context->compared->items[i];
        double rest = (a->best->y[c->output] - c->value) / c->deviation;
        if (!isfinite(rest)) continue;
        sum += rest * rest;
        ++*count;
    }
    return sum;
}

/* The misfit over what explains it: chi-squared over its mean. NaN where it is not known. */
static double find_excess(const assessment *a)
{
    int count;
    double sum = find_chi_squared(a, &count);
    int free_of = count - study_varied(a->st);
    return free_of > 0 ? sum / free_of : NAN;
}

/* Whether f is chi-squared, of which small differences mean nothing. */
static int is_chi_squared(const assessment *a)
{
    const outer *g = a->st->spec.g;
    int count;
    double sum = find_chi_squared(a, &count), rest = g->best - a->best->f;
    return g->squares && g->bounded && count > 0 && fabs(sum - rest) <= 1e-6 * sum;
}

/* Whether the residuals of a sum of squares, in their order, keep their sign for too long to be
 * noise: of that every second changes it. */
static int is_systematic(const assessment *a, const analysis *squares)
{
    int changes = 0, signs = 0, last = 0;
    for (int i = 0; i < squares->residuals; i++) {
        double rest = -squares->target[i];
        for (int k = squares->start[i]; k < squares->start[i + 1]; k++)
            rest += squares->coefficient[k] * a->best->y[squares->column[k]];
        if (rest == 0.0) continue;
        int sign = rest > 0.0 ? 1 : -1;
        changes += last == -sign;
        last = sign;
        signs++;
    }
    double pairs = signs - 1.0;
    return signs > 1 && changes < 0.5 * pairs - SYSTEMATIC * 0.5 * sqrt(pairs);
}

/* The margins of the constraints of outputs at a trial, then those of the known ones. */
static int find_margins(const study *st, const trial *t, double *margin, double *slope)
{
    const outer *g = st->spec.g;
    if (g->margins > 0 && outer_margins(g, t->y, t->x, 1, margin)) return -1;
    space_look(st->space, t->u, margin + g->margins, slope);
    return 0;
}

/* Whether f would gain a tenth of what it misses, `rest`, a tenth of the cube beyond a known constraint that is
 * active at the best trial, by the model: one that f does not depend on holds nothing. slope: of its margin. */
static gofh_status is_pressed(assessment *a, const double *slope, double rest, int *is)
{
    enum { SIDES = 2 };
    static const double STEP = 1e-3, BEYOND = 0.1, SHARE = 0.1;
    size_t d = (size_t)a->st->d;
    double points[SIDES * GOFH_MAX_PARAMETERS], objective[SIDES], length = 0.0;
    for (size_t k = 0; k < d; k++) length += slope[k] * slope[k];
    length = sqrt(length);
    if (!(length > 0.0)) return GOFH_OK;
    for (size_t i = 0; i < SIDES * d; i++)
        points[i] = a->best->u[i % d] + (i < d ? -STEP : STEP) * slope[i % d] / length;
    gofh_status status = study_predict_objective(a->st, points, SIDES, objective, NULL, NULL);
    double gain = (objective[0] - objective[1]) / (2.0 * STEP);
    *is |= !status && gain * BEYOND >= SHARE * rest;
    return status;
}

/* Whether a constraint is active at the best trial: then f may be as good as that lets it be. rest: what it
 * misses. */
static gofh_status find_held(assessment *a, double rest, int *held)
{
    study *st = a->st;
    size_t of_outputs = (size_t)st->spec.g->margins, known = (size_t)space_margins(st->space);
    size_t count = of_outputs + known, d = (size_t)st->d;
    *held = 0;
    if (count == 0) return GOFH_OK;
    double *margin = memory_doubles(2 * count + known * d);
    if (!margin) return GOFH_ERROR_MEMORY;
    double *largest = margin + count, *slope = largest + count;
    for (size_t k = 0; k < count; k++) largest[k] = 0.0;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state != GOFH_TRIAL_DONE || find_margins(st, t, margin, slope)) continue;
        for (size_t k = 0; k < count; k++)
            if (isfinite(margin[k])) largest[k] = fmax(largest[k], fabs(margin[k]));
    }
    gofh_status status = GOFH_OK;
    int found = find_margins(st, a->best, margin, slope) == 0;
    for (size_t k = 0; k < count && found && !status; k++) {
        int active = margin[k] <= fmax(ACTIVE * largest[k], SAME);
        if (active && k < of_outputs) *held = 1;
        if (active && k >= of_outputs) status = is_pressed(a, slope + (k - of_outputs) * d, rest, held);
    }
    free(margin);
    /* Without its hyperparameters the model says nothing, which is no failure here. */
    return status == GOFH_ERROR_PROBLEM ? GOFH_OK : status;
}

static gofh_status judge_misfit(assessment *a)
{
    const outer *g = a->st->spec.g;
    double excess = find_excess(a);
    int held;
    gofh_status status = find_held(a, g->bounded ? g->best - a->best->f : a->history.f_range, &held);
    if (status) return status;
    const char *why = held ? ", where a constraint is active" : "";
    if (excess > MISFIT_FACTOR) {
        char times[NUMBER_TEXT];
        number_write_short(excess, 2, times);
        a->result->stuck |= !held;
        say(a, "the misfit is %s times what the deviations of the data explain%s", times, why);
    }
    if (!isnan(excess) || !g->squares || !g->bounded) return GOFH_OK;
    double rest = g->best - a->best->f, left = rest / (rest + a->history.f_range);
    int systematic = left > MISFIT_LEFT_SYSTEMATIC && is_systematic(a, g->squares);
    if (!systematic && !(left > MISFIT_LEFT)) return GOFH_OK;
    a->result->stuck |= !held;
    say(a, "%.0f %% of the design's misfit is left%s%s", 100.0 * left,
        systematic ? ", and the residuals are systematic" : "", why);
    return GOFH_OK;
}

/* What was expected of the last suggestions, and what came of it, after `before`. */
static void say_gains(assessment *a, const char *before)
{
    const stop_history *h = &a->history;
    char promised[NUMBER_TEXT], gained[NUMBER_TEXT];
    number_write_short(h->promised, 2, promised);
    number_write_short(h->gained, 2, gained);
    if (h->recent == 1)
        say(a, "%sthe last suggestion was expected to gain %s, and gained %s", before, promised, gained);
    else
        say(a, "%sthe last %d suggestions were expected to gain %s in all, and gained %s", before, h->recent,
            promised, gained);
}

/* settled: otherwise the promises have been told of already. */
static void judge_search(assessment *a, int settled)
{
    const stop_history *h = &a->history;
    gofh_assessment *r = a->result;
    double matter = PROMISES * h->f_range;
    if (h->promised > matter && h->gained < KEPT_MIN * h->promised) {
        r->stuck = 1;
        if (settled) say_gains(a, "");
    }
    if (r->repeated >= REPEATED_MIN && !settled) { /* a search that has settled comes back to its optima */
        r->stuck = 1;
        say(a, "%d of the last %d suggestions repeat earlier points", r->repeated, h->recent);
    }
}

/* -1: at its lower bound, 1: at its upper one, 0: at none. */
static int bound_of(const assessment *a, int k)
{
    const domain *box = &a->st->spec.box;
    domain_parameter kind = domain_kind_of(box, k);
    if (a->context->choice[k]) return 0;
    if (kind.kind == DOMAIN_ORDERED) {
        int value = domain_index(box, k, a->best->u);
        return value == 0 ? -1 : value == kind.count - 1;
    }
    if (kind.kind != DOMAIN_INTERVAL) return 0;
    double at = a->best->u[kind.first];
    return at <= AT_BOUND ? -1 : at >= 1.0 - AT_BOUND;
}

static void describe_bounds(assessment *a, int *bound)
{
    for (int k = 0; k < a->st->parameters; k++) {
        bound[k] = bound_of(a, k);
        if (bound[k]) say(a, "%s is at its %s bound", a->context->name[k], bound[k] < 0 ? "lower" : "upper");
    }
}

/* Whether the last suggestions were about differences of chi-squared that data can't tell. */
static int gains_untold(const assessment *a)
{
    const stop_history *h = &a->history;
    return h->recent >= RECENT && h->promised <= UNTOLD && h->gained <= UNTOLD && is_chi_squared(a);
}

/* Whether the search has come to an end, and in words. */
static int is_settled(assessment *a)
{
    const stop_history *h = &a->history;
    gofh_assessment *r = a->result;
    if (a->reached) say(a, "the target of %g is reached", a->st->spec.settings.target);
    if (r->best_possible)
        say(a, "f is as good as it can be");
    else if (a->fits)
        say(a, "the misfit is less than the deviations of the data can tell from 0");
    else if (a->tried)
        say(a, "all allowed points have been tried");
    else if (a->reached)
        return 1;
    else if (h->recent == 0)
        say(a, "no suggestion has been evaluated yet");
    else if (r->ended)
        say(a, "nothing more is expected");
    else if (h->looked >= IDLE_MIN)
        say(a, "the last %d suggestions were expected to gain nothing, and gained nothing", h->idle);
    else if (gains_untold(a))
        say_gains(a, "less than the deviations of the data can tell may be found: ");
    else
        say_gains(a, "more may be found: ");
    return r->best_possible || a->fits || a->tried ||
           (h->recent > 0 && (r->ended || h->looked >= IDLE_MIN || gains_untold(a)));
}

/* Whether the best trial violates a constraint. */
static int violates(const assessment *a)
{
    const outer *g = a->st->spec.g;
    if (g->margins == 0) return 0;
    double *margin = memory_doubles((size_t)g->margins);
    int broken = !margin || outer_margins(g, a->best->y, a->best->x, 1, margin);
    for (int k = 0; k < g->margins && !broken; k++) broken = !(margin[k] >= 0.0);
    free(margin);
    return broken;
}

static int same_outputs(const study *st, const trial *one, const trial *other)
{
    for (int j = 0; j < st->m; j++)
        if (one->y[j] != other->y[j] && !(isnan(one->y[j]) && isnan(other->y[j]))) return 0;
    return 1;
}

/* How many evaluations there are, at different points, if all outputs are the same at all of them; 0 if
 * not. */
static int count_constant(const study *st)
{
    const trial *first = NULL;
    int count = 0, apart = 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state != GOFH_TRIAL_DONE) continue;
        count++;
        if (!first) {
            first = t;
            continue;
        }
        if (!same_outputs(st, first, t)) return 0;
        apart |= points_reach(st->d, first->u, t->u) >= REPEATS;
    }
    return apart && count >= CONSTANT_MIN ? count : 0;
}

/* A simulator that does not read its parameters gives no other sign of it. */
static void judge_outputs(assessment *a)
{
    int count = count_constant(a->st);
    if (!count) return;
    a->result->stuck = 1;
    say(a, "the outputs of all %d evaluations are the same: the parameters may not reach the simulator",
        count);
}

static gofh_status judge(assessment *a)
{
    gofh_assessment *r = a->result;
    gofh_status status = GOFH_OK;
    if (a->best->f == -INFINITY) {
        say(a, violates(a) ? "nothing feasible is known" : "no finite f is known");
        return GOFH_OK;
    }
    int settled = is_settled(a), certain = r->best_possible || a->fits || a->reached || a->tried;
    int poor = !(r->explained >= EXPLAINED_MIN);
    if (!isnan(r->explained))
        say(a, "the model explains %s%.0f %% of the outputs' variation", poor ? "only " : "",
            floor(100.0 * r->explained));
    if (!certain) judge_outputs(a);
    if (settled && !certain) status = judge_misfit(a);
    if (!certain) judge_search(a, settled);
    if (r->stuck) say(a, "it may be stuck");
    r->success = certain || (settled && !poor && !r->stuck);
    return status;
}

static int has_open(const study *st)
{
    for (size_t i = 0; i < st->trials.count; i++)
        if (st->trials.list[i].state == GOFH_TRIAL_OPEN) return 1;
    return 0;
}

gofh_status study_assess(study *st, const assess_context *context, gofh_assessment *result, char *text,
                         int *bound)
{
    assessment a = {.st = st, .context = context, .result = result, .text = text};
    gofh_status status;
    int best = study_best(st, &status);
    if (best < 0) return status ? status : GOFH_ERROR_EMPTY;
    *result = (gofh_assessment){.bound = bound, .message = text};
    text[0] = '\0';
    a.best = &st->trials.list[best];
    status = stop_read(st, &a.history);
    if (!status) status = stop_is_due(st, &result->ended);
    if (!status && !study_is_noisy(st)) status = stop_is_at_best(st, a.best, &result->best_possible);
    a.fits = !study_is_noisy(st) && is_chi_squared(&a) && st->spec.g->best - a.best->f <= UNTOLD;
    a.reached = stop_at_target(st);
    a.tried = study_is_exhausted(st) && !has_open(st);
    if (!status) status = find_explained(&a);
    if (status) return status;
    result->recent = a.history.recent;
    result->promised = a.history.promised;
    result->gained = a.history.gained;
    result->repeated = count_repeated(st);
    status = judge(&a);
    describe_bounds(&a, bound);
    return status;
}
