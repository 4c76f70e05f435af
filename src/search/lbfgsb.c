#include "search/lbfgsb.h"

#include "search/line_search.h"
#include "search/quadratic.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double COSINE_MIN = 1e-10; /* between s and y, for the pair to be of use */

typedef struct {
    const lbfgsb_settings *settings;
    int d;
    const double *lower, *upper;
    double *matrix, *work, *change; /* scratch of all starts: d x d, quadratic_work(d), d */
} common;

typedef enum { FIRST, SEARCHING, DONE } phase;

/* One start. It minimises -scale * objective: `value` and `gradient` are of that. */
typedef struct {
    phase phase;
    int iterations, pairs;
    double scale;  /* a power of two that brings the first gradient near 1 */
    double length; /* of the last step, or the one to begin with */
    double value, norm;
    double best_value, best_norm; /* of the point in `best` */
    double lowest;                /* value seen */
    line_search line;
    double *x, *gradient;       /* the iterate */
    double *trial;              /* where to evaluate next */
    double *target, *direction; /* the step of length 1 ends exactly at the target */
    double *low, *low_gradient; /* at line.low */
    double *best;
    double *s, *y; /* memory x d, the oldest pair first */
} start;

void lbfgsb_defaults(lbfgsb_settings *settings)
{
    *settings = (lbfgsb_settings){.iterations = 200,
                                  .memory = 10,
                                  .gradient_tolerance = 0,
                                  .value_tolerance = 2e-9,
                                  .first_step = 0.05,
                                  .rounding = 16 * DBL_EPSILON};
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void copy(int n, const double *from, double *to)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* The largest component of the gradient that does not point out of the box. */
static double projected_norm(const common *all, const double *x, const double *gradient)
{
    double norm = 0;
    for (int i = 0; i < all->d; i++) {
        bool held = gradient[i] > 0 ? x[i] <= all->lower[i] : x[i] >= all->upper[i];
        if (!held) norm = fmax(norm, fabs(gradient[i]));
    }
    return norm;
}

static double narrowest_side(const common *all)
{
    double width = INFINITY;
    for (int i = 0; i < all->d; i++)
        if (all->upper[i] > all->lower[i]) width = fmin(width, all->upper[i] - all->lower[i]);
    return isfinite(width) ? width : 1;
}

static void start_begin(start *it, const common *all, const double *x)
{
    it->phase = FIRST;
    it->iterations = it->pairs = 0;
    it->scale = 1;
    it->length = all->settings->first_step * narrowest_side(all);
    it->best_value = it->best_norm = it->lowest = INFINITY;
    for (int i = 0; i < all->d; i++) it->trial[i] = search_clamp(x[i], all->lower[i], all->upper[i]);
    copy(all->d, it->trial, it->best);
}

/* Keeps the trial if it is the best so far. Among values that differ by rounding the smaller
 * gradient wins.
 */
static void remember(start *it, const common *all, double value, double norm)
{
    it->lowest = fmin(it->lowest, value);
    double slack = all->settings->rounding * fabs(it->lowest);
    bool clearly = value < it->best_value - slack || it->best_value == INFINITY;
    if (!clearly && !(value <= it->lowest + slack && norm < it->best_norm)) return;
    it->best_value = value;
    it->best_norm = norm;
    copy(all->d, it->trial, it->best);
}

/* The trial at the line search's step: inside the box, and exactly on the bounds it reaches. */
static void place_trial(start *it, const common *all)
{
    double step = it->line.step;
    if (step == 1) {
        copy(all->d, it->target, it->trial);
        return;
    }
    for (int i = 0; i < all->d; i++) {
        double bound = it->direction[i] > 0 ? all->upper[i] : all->lower[i];
        it->trial[i] = it->x[i] + step * it->direction[i];
        if (it->direction[i] != 0 && step >= (bound - it->x[i]) / it->direction[i]) it->trial[i] = bound;
        it->trial[i] = search_clamp(it->trial[i], all->lower[i], all->upper[i]);
    }
}

/* The longest step inside the box. */
static double longest_step(const start *it, const common *all)
{
    double longest = INFINITY;
    for (int i = 0; i < all->d; i++) {
        if (it->direction[i] == 0) continue;
        double bound = it->direction[i] > 0 ? all->upper[i] : all->lower[i];
        longest = fmin(longest, (bound - it->x[i]) / it->direction[i]);
    }
    return fmax(longest, 1);
}

/* Sets target and direction. Returns the slope along it, or 0 when there is no descent. */
static double find_direction(start *it, const common *all)
{
    int d = all->d;
    quadratic_form(d, it->pairs, it->s, it->y, it->norm / it->length, all->matrix, all->work);
    if (quadratic_minimize(d, all->matrix, it->x, it->gradient, all->lower, all->upper, it->target,
                           all->work))
        return 0;
    for (int i = 0; i < d; i++) it->direction[i] = it->target[i] - it->x[i];
    double slope = dot(d, it->direction, it->gradient);
    return slope < 0 ? slope : 0;
}

/* Begins a line search from the iterate; without a direction of descent, a second time without the
 * pairs. */
static void search_on(start *it, const common *all)
{
    double slope = find_direction(it, all);
    if (slope == 0 && it->pairs > 0) {
        it->pairs = 0;
        slope = find_direction(it, all);
    }
    if (slope == 0) {
        it->phase = DONE;
        return;
    }
    it->phase = SEARCHING;
    line_search_begin(&it->line, it->value, slope, 1, longest_step(it, all), all->settings->rounding);
    place_trial(it, all);
}

static void keep_pair(start *it, const common *all, const double *x, const double *gradient)
{
    int d = all->d, memory = all->settings->memory;
    double *step = all->work, *change = all->change;
    for (int i = 0; i < d; i++) {
        step[i] = x[i] - it->x[i];
        change[i] = gradient[i] - it->gradient[i];
    }
    double length = sqrt(dot(d, step, step)), rise = sqrt(dot(d, change, change));
    it->length = length;
    if (memory < 1 || !(dot(d, step, change) > COSINE_MIN * length * rise)) return;
    if (it->pairs == memory) {
        size_t others = (size_t)(--it->pairs) * (size_t)d * sizeof(double);
        memmove(it->s, it->s + d, others);
        memmove(it->y, it->y + d, others);
    }
    copy(d, step, it->s + it->pairs * d);
    copy(d, change, it->y + it->pairs * d);
    it->pairs++;
}

/* Moves the iterate, and stops or begins the next line search. */
static void move(start *it, const common *all, const double *x, double value, const double *gradient)
{
    const lbfgsb_settings *settings = all->settings;
    double before = it->value, norm_before = it->norm;
    bool moved = memcmp(x, it->x, (size_t)all->d * sizeof *x) != 0;
    keep_pair(it, all, x, gradient);
    copy(all->d, x, it->x);
    copy(all->d, gradient, it->gradient);
    it->value = value;
    it->norm = projected_norm(all, x, gradient);
    it->iterations++;

    double gain = before - value, size = fmax(fabs(before), fabs(value));
    bool better = value < before || it->norm < norm_before;
    bool flat = settings->value_tolerance > 0 && gain <= settings->value_tolerance * size;
    if (!moved || !better || flat || it->iterations >= settings->iterations ||
        it->norm <= settings->gradient_tolerance * it->scale)
        it->phase = DONE;
    else
        search_on(it, all);
}

static void start_first(start *it, const common *all, double value, const double *gradient, bool usable)
{
    double norm = usable ? projected_norm(all, it->trial, gradient) : 0;
    if (norm > 0) {
        /* An acquisition function may be 1e-200 everywhere; its square is nothing. */
        it->scale = ldexp(1, (int)search_clamp(-ilogb(norm), -500, 500));
        value *= it->scale;
        norm *= it->scale;
    }
    it->value = value;
    it->norm = norm;
    remember(it, all, value, norm);
    copy(all->d, it->trial, it->x);
    for (int i = 0; i < all->d; i++) it->gradient[i] = gradient[i] * it->scale;
    if (!usable || all->settings->iterations < 1 || norm <= all->settings->gradient_tolerance * it->scale)
        it->phase = DONE;
    else
        search_on(it, all);
}

static void start_search(start *it, const common *all, double value, double *gradient, bool usable)
{
    value *= it->scale;
    for (int i = 0; i < all->d; i++) gradient[i] *= it->scale;
    remember(it, all, value, usable ? projected_norm(all, it->trial, gradient) : INFINITY);
    double slope = usable ? dot(all->d, it->direction, gradient) : NAN;
    switch (line_search_tell(&it->line, usable ? value : INFINITY, slope)) {
    case LINE_SEARCH_ACCEPT:
    case LINE_SEARCH_TAKE_THIS:
        move(it, all, it->trial, value, gradient);
        break;
    case LINE_SEARCH_TAKE_LOW:
        move(it, all, it->low, it->line.low.value, it->low_gradient);
        break;
    case LINE_SEARCH_LENGTHEN:
        copy(all->d, it->trial, it->low);
        copy(all->d, gradient, it->low_gradient);
        place_trial(it, all);
        break;
    case LINE_SEARCH_SHORTEN:
        place_trial(it, all);
        break;
    case LINE_SEARCH_FAILED:
        if (it->pairs == 0) {
            it->phase = DONE;
            break;
        }
        it->pairs = 0;
        search_on(it, all);
    }
}

/* Takes what the objective gave at the trial, and sets the next trial or is done. gradient is
 * overwritten. */
static void start_tell(start *it, const common *all, double value, double *gradient)
{
    bool usable = isfinite(value);
    for (int i = 0; i < all->d; i++) {
        gradient[i] = -gradient[i];
        usable = usable && isfinite(gradient[i]);
    }
    value = isnan(value) ? INFINITY : -value;
    if (it->phase == FIRST)
        start_first(it, all, value, gradient, usable);
    else
        start_search(it, all, value, gradient, usable);
}

static size_t doubles_of_starts(int starts)
{
    return ((size_t)starts * sizeof(start) + sizeof(double) - 1) / sizeof(double);
}

enum { VECTORS = 8 }; /* of a start, besides its pairs */

size_t lbfgsb_work(const lbfgsb_settings *settings, int starts, int dimension)
{
    size_t d = (size_t)dimension, each = (VECTORS + 2 * (size_t)settings->memory) * d;
    size_t batch = 2 * d + 1;
    return doubles_of_starts(starts) + (size_t)starts * (each + batch) + d * d + quadratic_work(dimension) +
           d;
}

static double *take(double **work, size_t count)
{
    double *taken = *work;
    *work += count;
    return taken;
}

static void start_place(start *it, int memory, size_t d, double **work)
{
    it->x = take(work, d);
    it->gradient = take(work, d);
    it->trial = take(work, d);
    it->target = take(work, d);
    it->direction = take(work, d);
    it->low = take(work, d);
    it->low_gradient = take(work, d);
    it->best = take(work, d);
    it->s = take(work, (size_t)memory * d);
    it->y = take(work, (size_t)memory * d);
}

/* Evaluates the trials of the unfinished starts as one batch and tells them. batch_x and
 * batch_gradient: starts x d; batch_value: starts. *count: how many there were. */
static int step_all(search_objective objective, void *context, const common *all, int starts, start *each,
                    double *batch_x, double *batch_value, double *batch_gradient, int *count)
{
    int d = all->d;
    *count = 0;
    for (int k = 0; k < starts; k++)
        if (each[k].phase != DONE) copy(d, each[k].trial, batch_x + (*count)++ * d);
    if (*count == 0) return 0;
    int aborted = objective(batch_x, *count, batch_value, batch_gradient, context);
    if (aborted) return aborted;
    for (int k = 0, row = 0; k < starts; k++) {
        if (each[k].phase == DONE) continue;
        start_tell(&each[k], all, batch_value[row], batch_gradient + row * d);
        row++;
    }
    return 0;
}

int lbfgsb_maximize(search_objective objective, void *context, const lbfgsb_settings *settings, int starts,
                    int dimension, const double *lower, const double *upper, double *x, double *value,
                    double *work)
{
    size_t d = (size_t)dimension, n = (size_t)starts;
    start *each = (start *)(void *)take(&work, doubles_of_starts(starts));
    common all = {.settings = settings, .d = dimension, .lower = lower, .upper = upper};
    all.matrix = take(&work, d * d);
    all.work = take(&work, quadratic_work(dimension));
    all.change = take(&work, d);
    double *batch_x = take(&work, n * d), *batch_value = take(&work, n), *batch_gradient = take(&work, n * d);
    for (int k = 0; k < starts; k++) {
        start_place(&each[k], settings->memory, d, &work);
        start_begin(&each[k], &all, x + k * dimension);
    }
    int aborted = 0, count = starts;
    while (count > 0 && !aborted)
        aborted = step_all(objective, context, &all, starts, each, batch_x, batch_value, batch_gradient,
                           &count);
    for (int k = 0; k < starts; k++) {
        copy(dimension, each[k].best, x + k * dimension);
        value[k] = -each[k].best_value / each[k].scale;
    }
    return aborted;
}
