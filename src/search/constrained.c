#include "search/constrained.h"

#include "linalg/linalg.h"
#include "search/lbfgsb.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12, ITERATIONS = 60, CORRECTIONS = 8 };

/* Violations are distances in units of the box. Done below the first; a round must reduce them by
 * the second factor, or the weights grow by the third. */
static const double DONE = 1e-10, PROGRESS = 0.25, GROWTH = 10.0;
/* Relative to the diagonal, so that two margins with the same edge are no obstacle. */
static const double RIDGE = 1e-14;

typedef struct {
    constrained_function function;
    void *context;
    int k, d;
    const double *lower, *upper, *wanted;
    double *multiplier, *weight; /* of the augmented Lagrangian */
    double value;                /* at the last point looked at, and what follows */
    double *gradient, *margin, *slope;
    double *gram, *step, *rest; /* k x k, k, work of the search */
    int *active, aborted;
} problem;

static size_t doubles_for_integers(int count)
{
    return ((size_t)count * sizeof(int) + sizeof(double) - 1) / sizeof(double);
}

static lbfgsb_settings inner_settings(void)
{
    lbfgsb_settings settings;
    lbfgsb_defaults(&settings);
    settings.iterations = ITERATIONS;
    settings.value_tolerance = 0.0;
    return settings;
}

size_t constrained_work(int margins, int dimension)
{
    size_t k = (size_t)margins, d = (size_t)dimension;
    lbfgsb_settings settings = inner_settings();
    return 3 * k + d + k * d + k * k + doubles_for_integers(margins) + lbfgsb_work(&settings, 1, dimension);
}

static int look(problem *p, const double *x)
{
    p->aborted = p->function(x, &p->value, p->gradient, p->margin, p->slope, p->context);
    return p->aborted;
}

/* f - sum_i {max(0, l - w (c - wanted))^2 - l^2} / (2 w), which for the right multipliers l has its
 * maximum at the constrained one. */
static int lagrangian(const double *x, int count, double *value, double *gradient, void *context)
{
    problem *p = context;
    for (int row = 0; row < count; row++) {
        double *into = gradient ? gradient + (size_t)row * (size_t)p->d : NULL;
        if (look(p, x + (size_t)row * (size_t)p->d)) return p->aborted;
        value[row] = p->value;
        if (into) memcpy(into, p->gradient, (size_t)p->d * sizeof *into);
        for (int i = 0; i < p->k; i++) {
            double l = p->multiplier[i], w = p->weight[i],
                   next = fmax(0.0, l - w * (p->margin[i] - p->wanted[i]));
            value[row] -= (next - l) * (next + l) / (2.0 * w);
            for (int k = 0; into && k < p->d; k++) into[k] += next * p->slope[i * p->d + k];
        }
    }
    return 0;
}

static double norm(int n, const double *a)
{
    return sqrt(dot_product(n, a, a));
}

/* Weights with which the first violations are about a tenth of the box. */
static void first_weights(problem *p)
{
    double side = 0.0, gradient_norm = norm(p->d, p->gradient);
    for (int k = 0; k < p->d; k++) side = fmax(side, p->upper[k] - p->lower[k]);
    for (int i = 0; i < p->k; i++) {
        double steep = norm(p->d, p->slope + i * p->d),
               weight = 10.0 * gradient_norm / (steep * steep * side);
        p->weight[i] = isfinite(weight) && weight > 0.0 ? weight : 1.0;
    }
}

/* The largest distance of a margin from where it should be: on its edge if it matters, not below if
 * it does not. */
static double update_multipliers(problem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->k; i++) {
        double off = p->margin[i] - p->wanted[i], steep = norm(p->d, p->slope + i * p->d);
        double violation = fabs(fmin(off, p->multiplier[i] / p->weight[i]));
        if (steep > 0.0 && isfinite(violation)) largest = fmax(largest, violation / steep);
        double next = p->multiplier[i] - p->weight[i] * off;
        p->multiplier[i] = next > 0.0 && isfinite(next) ? next : 0.0;
    }
    return largest;
}

/* The step of least length, in the coordinates that are free, that puts all active margins where
 * they are wanted if they are linear. Returns 0 where there is none to make. */
static int correct(problem *p, double *x)
{
    int count = 0;
    for (int i = 0; i < p->k; i++)
        if (isfinite(p->margin[i]) && (p->multiplier[i] > 0.0 || p->margin[i] < p->wanted[i]))
            p->active[count++] = i;
    if (count == 0 || count > p->d) return 0;
    /* Coordinates on the box stay there. */
    for (int a = 0; a < count; a++)
        for (int k = 0; k < p->d; k++)
            if (!(x[k] > p->lower[k]) || !(x[k] < p->upper[k])) p->slope[p->active[a] * p->d + k] = 0.0;
    for (int a = 0; a < count; a++) {
        const double *row = p->slope + p->active[a] * p->d;
        for (int b = 0; b <= a; b++)
            p->gram[b * count + a] = dot_product(p->d, row, p->slope + p->active[b] * p->d);
        p->gram[a * count + a] *= 1.0 + RIDGE;
        if (!(p->gram[a * count + a] > 0.0)) return 0;
        p->step[a] = p->wanted[p->active[a]] - p->margin[p->active[a]];
    }
    if (cholesky_factor(count, p->gram, count)) return 0;
    solve_lower(count, p->gram, count, 1, p->step, count);
    solve_lower_transposed(count, p->gram, count, 1, p->step, count);
    double largest = 0.0;
    for (int k = 0; k < p->d; k++) {
        double move = 0.0;
        for (int a = 0; a < count; a++) move += p->step[a] * p->slope[p->active[a] * p->d + k];
        double to = search_clamp(x[k] + move, p->lower[k], p->upper[k]);
        largest = fmax(largest, fabs(to - x[k]));
        x[k] = to;
    }
    return largest > 0.0;
}

int constrained_maximize(constrained_function function, void *context, int margins, int dimension,
                         const double *lower, const double *upper, const double *wanted, double *x,
                         double *multiplier, double *work)
{
    size_t k = (size_t)margins, d = (size_t)dimension;
    problem p = {.function = function,
                 .context = context,
                 .k = margins,
                 .d = dimension,
                 .lower = lower,
                 .upper = upper,
                 .wanted = wanted,
                 .multiplier = multiplier};
    p.rest = work;
    lbfgsb_settings settings = inner_settings();
    p.weight = p.rest + lbfgsb_work(&settings, 1, dimension);
    p.margin = p.weight + k;
    p.step = p.margin + k;
    p.gradient = p.step + k;
    p.slope = p.gradient + d;
    p.gram = p.slope + k * d;
    p.active = (int *)(void *)(p.gram + k * k);
    memset(multiplier, 0, k * sizeof *multiplier);
    if (look(&p, x)) return p.aborted;
    first_weights(&p);
    double before = INFINITY, value;
    for (int round = 0; round < ROUNDS; round++) {
        if (lbfgsb_maximize(lagrangian, &p, &settings, 1, dimension, lower, upper, x, &value, p.rest))
            return p.aborted;
        if (look(&p, x)) return p.aborted;
        double violation = update_multipliers(&p);
        if (violation < DONE) break;
        for (int i = 0; i < margins && violation > PROGRESS * before; i++) p.weight[i] *= GROWTH;
        before = violation;
    }
    for (int i = 0; i < CORRECTIONS && correct(&p, x); i++)
        if (look(&p, x)) return p.aborted;
    return 0;
}
