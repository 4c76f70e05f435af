#include "study/stop.h"

#include "base/memory.h"
#include "study/fitted.h"
#include "study/points.h"
#include "study/search_state.h"
#include "study/starts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the range of f: what a suggestion may expect, and gain, and still be idle. Local steps gain
 * what they expect down to the last digits, other moves expect more than they gain. */
static const double EXPECTED = 1e-4, GAINED = 1e-12;
/* Of what is missing to the best that g can be, where that is known: a gain of more always counts.
 * The design may have values so bad that what is left is nothing beside them. */
static const double GAINED_OF_REST = 0.01;
/* Of what it expected: a local step that gains more keeps its promise. */
static const double KEPT = 0.1;
/* Idle suggestions that end a study: for each parameter and besides, at least; and of the trials
 * until the last gain. */
enum { IDLE_EACH = 3, IDLE_BESIDES = 8, NOISE_FACTOR = 2, RECENT = 10 };
static const double IDLE_PART = 0.5;
/* So many suggestions for the posterior end it, where none would change an interval by more than this. */
enum { SETTLED = 3 };
static const double CHANGED = 0.1;
/* Outputs are not given to more digits than this. */
static const double ROUNDING = 1e-10;
/* In the unit cube: a step that is rounding, and how far a trial that tells a slope is. */
static const double ROUNDING_STEP = 1e-12, SLOPE_MIN = 1e-9, SLOPE_MAX = 0.01;
/* Of a bound other than 0: what its computation loses. */
static const double BOUND_ROUNDING = 1e-12;

static int is_done(const trial *t)
{
    return t->state == GOFH_TRIAL_DONE;
}

static int is_for_posterior(const trial *t)
{
    return strcmp(t->origin, POSTERIOR_ORIGIN) == 0;
}

/* The best f, its range over the trials that were not suggested, and over those that were. values:
 * one per trial. */
static void find_range(const study *st, stop_history *h, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (!is_done(t) || isnan(t->f)) continue;
        if (h->best < 0 || t->f > h->best_f) {
            h->best = (int)i;
            h->best_f = t->f;
        }
    }
    for (int all = 0; all < 2 && count == 0; all++)
        for (size_t i = 0; i < st->trials.count; i++) {
            const trial *t = &st->trials.list[i];
            if (is_done(t) && isfinite(t->f) && (all || !starts_is_suggested(t))) values[count++] = t->f;
        }
    h->f_range = h->search_range = fmax(search_f_range(h->best_f, values, count), 0.0);
    count = 0;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (is_done(t) && isfinite(t->f) && starts_is_suggested(t)) values[count++] = t->f;
    }
    if (count) h->search_range = fmin(h->f_range, fmax(search_f_range(h->best_f, values, count), 0.0));
    h->tolerance = GAINED * h->f_range;
    if (!st->spec.g->bounded) return;
    /* Squares of what is rounding beside the design's residuals are no gain. */
    double rest = fmax(GAINED_OF_REST * (st->spec.g->best - h->best_f), ROUNDING * ROUNDING * h->f_range);
    h->tolerance = fmin(h->tolerance, rest);
}

/* Whether what a suggestion expected counts. The engine makes some moves only for a gain that
 * matters to it, and one stiff term can make the range of f larger than any of those. */
static int expects_much(const stop_history *h, const trial *t)
{
    static const char *const moves[] = {"improve", "diversify", "exploit"};
    double range = h->f_range;
    if (is_for_posterior(t)) return 1; /* it was made for something else */
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (strcmp(t->origin, moves[i]) == 0) range = h->search_range;
    return !(t->expected <= EXPECTED * range);
}

/* Whether a suggestion was made beside others that were open, for what these might bring. */
static int is_beside(const trial *t)
{
    return strcmp(t->origin, "slope") == 0 || strcmp(t->origin, "spread") == 0;
}

/* Whether a suggestion stays at the incumbent: that nothing came of it says nothing of other places. */
static int stays_near(const trial *t)
{
    static const char *const moves[] = {"local", "geometry", "slope"};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (strcmp(t->origin, moves[i]) == 0) return 1;
    return 0;
}

/* Whether what came of a suggestion shows that there was nothing to expect of it: it was worse than the best
 * before it by so much that what it expected is nothing beside that, or by less than it expected, for it came
 * to what is as good as the best. Where several optima are alike all suggestions end there, and the range over
 * them is no measure any more. */
static int came_to_nothing(const trial *t, double best)
{
    double behind = best - t->f;
    if (!is_done(t) || !isfinite(behind) || stays_near(t) || is_for_posterior(t)) return 0;
    return behind <= t->expected || t->expected <= EXPECTED * behind;
}

/* Whether a suggestion still promised something; gain: what came of it; best: before it. */
static int is_promising(const stop_history *h, const trial *t, double gain, double best)
{
    if (expects_much(h, t)) return !came_to_nothing(t, best);
    return strcmp(t->origin, "local") == 0 && t->expected > h->tolerance && gain > KEPT * t->expected;
}

/* What the done trial i improves f by, of which *best is the best before it; 0: by nothing. */
static double gain_of(const trial *t, double *best)
{
    if (!is_done(t) || !(t->f > *best)) return 0.0;
    double gain = *best == -INFINITY ? INFINITY : t->f - *best;
    *best = t->f;
    return gain;
}

/* Whether a gain counts: with noise that of a suggestion may be luck. */
static int counts(const stop_history *h, const trial *t, double gain, int noisy)
{
    return gain > h->tolerance && !(noisy && starts_is_suggested(t));
}

/* The trials until the last gain that counts. */
static void find_last_gain(const study *st, stop_history *h, int noisy)
{
    double best = -INFINITY;
    for (size_t i = 0, begun = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state == GOFH_TRIAL_OPEN || t->state == GOFH_TRIAL_FORGOTTEN) continue;
        begun |= (size_t)starts_is_suggested(t);
        if (counts(h, t, gain_of(t, &best), noisy) || !begun) h->last = (int)i + 1;
    }
}

/* A row of idle suggestions does not begin with those that were made beside the last gain: they were
 * asked for before it was known. */
static void replay(const study *st, stop_history *h, int noisy)
{
    double best = -INFINITY;
    int suggested = 0;
    size_t known = st->gain.trial == h->last ? st->gain.asked : st->trials.count;
    for (size_t i = 0; i < st->trials.count; i++) suggested += starts_is_suggested(&st->trials.list[i]);
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state == GOFH_TRIAL_OPEN || t->state == GOFH_TRIAL_FORGOTTEN) {
            if (t->state == GOFH_TRIAL_OPEN) h->promising |= expects_much(h, t);
            suggested -= starts_is_suggested(t);
            continue;
        }
        double before = best, gain = gain_of(t, &best);
        int gained = counts(h, t, gain, noisy);
        if (gained) h->idle = h->looked = 0;
        if (!starts_is_suggested(t)) continue;
        if (gained || is_promising(h, t, gain, before)) {
            h->idle = h->looked = 0;
        } else if (h->idle > 0 || !is_beside(t) || i >= known) {
            h->idle++;
            h->looked += noisy || !stays_near(t);
        }
        if (suggested-- > RECENT) continue;
        h->recent++;
        if (t->expected > 0.0 && !is_for_posterior(t)) h->promised += t->expected;
        h->gained += isfinite(gain) ? gain : 0.0;
    }
}

int study_varied(const study *st)
{
    int count = 0;
    for (int p = 0; p < st->parameters; p++) count += domain_kind_of(&st->spec.box, p).kind != DOMAIN_FIXED;
    return count;
}

gofh_status stop_read(const study *st, stop_history *h)
{
    int noisy = study_is_noisy(st);
    *h = (stop_history){.best = -1, .best_f = -INFINITY};
    double *values = memory_doubles(st->trials.count);
    if (!values) return GOFH_ERROR_MEMORY;
    find_range(st, h, values);
    find_last_gain(st, h, noisy);
    replay(st, h, noisy);
    h->needed = (noisy ? NOISE_FACTOR : 1) *
                (int)fmax(IDLE_BESIDES + IDLE_EACH * study_varied(st), ceil(IDLE_PART * h->last));
    free(values);
    return GOFH_OK;
}

gofh_status stop_note_gain(study *st)
{
    stop_history h;
    gofh_status status = stop_read(st, &h);
    if (status || h.last == st->gain.trial) return status;
    st->gain.trial = h.last;
    st->gain.asked = st->trials.count;
    return GOFH_OK;
}

/* The length of the difference of two runs' residuals, each times the root of its weight. */
static double residuals_apart(const analysis *squares, const double *y, const double *other)
{
    double sum = 0.0;
    for (int i = 0; i < squares->residuals; i++) {
        double r = 0.0;
        for (int k = squares->start[i]; k < squares->start[i + 1]; k++)
            r += squares->coefficient[k] * (y[squares->column[k]] - other[squares->column[k]]);
        sum += fabs(squares->weight[i]) * r * r;
    }
    return sqrt(sum);
}

/* What a sum of squares may miss of its bound where outputs are residuals themselves, which have no size
 * at the optimum that their digits could be counted by: what a step of ROUNDING_STEP changes, by the
 * least of the slopes to trials near it. Trials far away tell nothing of outputs over decades. */
static double rest_of_squares(const study *st, const trial *best)
{
    double slope = INFINITY;
    if (!st->spec.g->squares) return 0.0;
    for (size_t i = 0; i < st->trials.count && slope > 0.0; i++) {
        const trial *t = &st->trials.list[i];
        double reach = is_done(t) && isfinite(t->f) ? points_reach(st->d, t->u, best->u) : 0.0;
        if (reach < SLOPE_MIN || reach > SLOPE_MAX) continue;
        slope = fmin(slope, residuals_apart(st->spec.g->squares, t->y, best->y) / reach);
    }
    double residual = isfinite(slope) ? ROUNDING_STEP * slope : 0.0;
    return residual * residual;
}

gofh_status stop_is_at_best(const study *st, const trial *t, int *is)
{
    const outer *g = st->spec.g;
    *is = 0;
    if (!g->bounded || t->f == -INFINITY) return GOFH_OK;
    if (g->best - t->f <= fmax(BOUND_ROUNDING * fabs(g->best), rest_of_squares(st, t))) {
        *is = 1;
        return GOFH_OK;
    }
    size_t m = (size_t)st->m;
    double *y = memory_doubles(m + outer_work(g, 1));
    if (!y) return GOFH_ERROR_MEMORY;
    gofh_status status = GOFH_OK;
    for (int side = -1; side <= 1 && !status; side += 2) {
        double f;
        for (size_t j = 0; j < m; j++) y[j] = t->y[j] * (1.0 + side * ROUNDING);
        status = outer_objective(g, y, t->x, 1, &f, NULL, NULL, y + m);
        if (!status && g->best - t->f <= t->f - f) *is = 1;
    }
    free(y);
    return status;
}

gofh_status stop_is_due(const study *st, int *is)
{
    stop_history h;
    *is = 0;
    gofh_status status = stop_read(st, &h);
    if (status || h.best_f == -INFINITY || starts_are_left(st)) return status;
    /* A model that has to be learned anew, or that knows no difference yet, has promised nothing. */
    int knows = st->fitted->committed.data > 0 && h.f_range > 0.0;
    if (knows && h.looked >= h.needed && !h.promising) *is = 1;
    if (*is || study_is_noisy(st)) return GOFH_OK;
    return stop_is_at_best(st, &st->trials.list[h.best], is);
}

int stop_at_target(const study *st)
{
    double target = st->spec.settings.target;
    if (isnan(target)) return 0;
    for (size_t i = 0; i < st->trials.count; i++)
        if (is_done(&st->trials.list[i]) && st->trials.list[i].f >= st->spec.g->sign * target) return 1;
    return 0;
}

static int has_feasible(const study *st)
{
    for (size_t i = 0; i < st->trials.count; i++)
        if (is_done(&st->trials.list[i]) && st->trials.list[i].f > -INFINITY) return 1;
    return 0;
}

/* Whether the last suggestions, as many as the settings say, expected next to nothing. While
 * nothing feasible has been seen there is nothing to improve on. */
static int improvement_ended(const study *st)
{
    int patience = st->spec.settings.patience;
    if (patience == 0 || !has_feasible(st)) return 0;
    for (size_t i = st->trials.count; i-- > 0;) {
        const trial *t = &st->trials.list[i];
        if (!starts_is_suggested(t) || t->state == GOFH_TRIAL_FORGOTTEN) continue;
        if (!(t->expected < st->spec.settings.tolerance)) return 0;
        if (--patience == 0) return 1;
    }
    return 0;
}

/* Whether the last suggestions for the posterior would each have changed no interval by more than a tenth. */
static int posterior_is_settled(const study *st)
{
    int left = SETTLED;
    for (size_t i = st->trials.count; i-- > 0;) {
        const trial *t = &st->trials.list[i];
        if (!starts_is_suggested(t) || t->state == GOFH_TRIAL_FORGOTTEN) continue;
        if (!is_for_posterior(t) || !(t->expected <= CHANGED)) return 0;
        if (--left == 0) return 1;
    }
    return 0;
}

gofh_status stop_reason(const study *st, int asked)
{
    const gofh_settings *settings = &st->spec.settings;
    if (stop_at_target(st)) return GOFH_STOP_TARGET;
    if (settings->budget > 0 && asked >= settings->budget) return GOFH_STOP_BUDGET;
    if (starts_are_left(st)) return GOFH_OK;
    if (study_is_exhausted(st)) return GOFH_STOP_EXHAUSTED;
    if (settings->patience > 0) return improvement_ended(st) ? GOFH_STOP_IMPROVEMENT : GOFH_OK;
    if (settings->stop == GOFH_STOPPING_NEVER || !st->method->parts) return GOFH_OK;
    if (st->goal) return posterior_is_settled(st) ? GOFH_STOP_IMPROVEMENT : GOFH_OK;
    int due;
    gofh_status status = stop_is_due(st, &due);
    return status ? status : due ? GOFH_STOP_IMPROVEMENT : GOFH_OK;
}
