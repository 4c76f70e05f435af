#include "search/ascent.h"

#include "search/objective.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Adam's averages (Kingma and Ba 2015) of gradients and of their squares. The second is shorter
 * than Adam's 0.999: a search takes some hundred steps, and gradients of acquisition functions
 * change by orders of magnitude on the way. */
static const double MOMENTUM = 0.9, FORGETTING = 0.99;

static const double LARGEST = 0x1p300; /* scaled gradient */

void ascent_defaults(ascent_settings *settings)
{
    *settings = (ascent_settings){.iterations = 200, .step = 0.05, .delay = 10, .power = 0.7, .average = 1};
}

/* What a start carries along. */
typedef struct {
    double *moves;         /* how often it has moved: the index of its step */
    double *scale;         /* a power of two that brings its first gradient near 1; 0 before that */
    double *mean, *square; /* d */
    double *sum;           /* d: of the second half of the path */
} memory;

enum { SCALARS = 2, VECTORS = 3 };

size_t ascent_work(int starts, int dimension)
{
    size_t n = (size_t)starts, d = (size_t)dimension;
    return n * (SCALARS + (VECTORS + 1) * d);
}

static memory memory_of(double *work, int start, int d)
{
    double *own = work + start * (SCALARS + VECTORS * d), *vectors = own + SCALARS;
    return (memory){
        .moves = own, .scale = own + 1, .mean = vectors, .square = vectors + d, .sum = vectors + 2 * d};
}

/* The largest component, 0 when one is not finite. */
static double size_of(int d, const double *gradient)
{
    double size = 0;
    for (int i = 0; i < d; i++) {
        if (!isfinite(gradient[i])) return 0;
        size = fmax(size, fabs(gradient[i]));
    }
    return size;
}

/* Chooses the scale by the gradient at hand: its square, and that of what went before, must not
 * overflow or vanish. */
static void rescale(memory *its, int d, double size)
{
    double scale = ldexp(1, (int)search_clamp(-ilogb(size), -1000, 1000));
    double ratio = *its->scale > 0 ? scale / *its->scale : 0;
    for (int i = 0; i < d; i++) {
        its->mean[i] *= ratio;
        its->square[i] *= ratio * ratio;
    }
    *its->scale = scale;
}

/* Steps of length a_k = a_0 / (1 + k / delay)^power along the mean gradient, each coordinate
 * divided by the root mean square of its gradients. The divisor makes the first steps a_0 whatever
 * the objective's scale, and settles to the size of the noise near a maximum, where the iteration
 * becomes Robbins and Monro's: with 1/2 < power <= 1 the a_k sum to infinity and their squares do
 * not, so it converges, and with power < 1 the mean of the path converges as fast as the best
 * sequence of steps would (Polyak and Juditsky 1992), without knowing the curvature. */
static void move(const ascent_settings *settings, memory *its, int d, const double *lower,
                 const double *upper, double first, const double *gradient, double *x)
{
    double size = size_of(d, gradient);
    if (size == 0) return;
    if (*its->scale == 0 || size * *its->scale > LARGEST) rescale(its, d, size);
    double k = (*its->moves)++;
    double length = first / pow(1 + k / settings->delay, settings->power);
    double mean_weight = 1 - pow(MOMENTUM, k + 1), square_weight = 1 - pow(FORGETTING, k + 1);
    for (int i = 0; i < d; i++) {
        double g = gradient[i] * *its->scale;
        its->mean[i] = MOMENTUM * its->mean[i] + (1 - MOMENTUM) * g;
        its->square[i] = FORGETTING * its->square[i] + (1 - FORGETTING) * g * g;
        if (!(its->square[i] > 0)) continue;
        double direction = its->mean[i] / mean_weight / sqrt(its->square[i] / square_weight);
        double next = x[i] + length * (upper[i] - lower[i]) * direction;
        x[i] = search_clamp(next, lower[i], upper[i]);
        /* A coordinate stopped by its bound has lost its momentum: it may turn back at once. */
        if (x[i] != next) its->mean[i] = 0;
    }
}

int ascent_maximize(ascent_gradient gradient, void *context, const ascent_settings *settings, int starts,
                    int dimension, const double *lower, const double *upper, const double *step, double *x,
                    double *work)
{
    int d = dimension, counted = 0;
    size_t n = (size_t)starts * (size_t)d;
    double *slopes = work + (size_t)starts * SCALARS + VECTORS * n;
    memset(work, 0, ascent_work(starts, d) * sizeof *work);
    for (int k = 0; k < starts; k++)
        for (int i = 0; i < d; i++) x[k * d + i] = search_clamp(x[k * d + i], lower[i], upper[i]);
    int aborted = 0;
    for (int iteration = 0; iteration < settings->iterations && starts > 0; iteration++) {
        aborted = gradient(x, starts, iteration, slopes, context);
        if (aborted) break;
        bool averaged = settings->average && 2 * (iteration + 1) > settings->iterations;
        for (int k = 0; k < starts; k++) {
            memory its = memory_of(work, k, d);
            double first = step ? step[k] : settings->step;
            move(settings, &its, d, lower, upper, first, slopes + k * d, x + k * d);
            for (int i = 0; i < d && averaged; i++) its.sum[i] += x[k * d + i];
        }
        counted += averaged;
    }
    for (int k = 0; k < starts && counted > 0; k++)
        for (int i = 0; i < d; i++)
            x[k * d + i] = search_clamp(memory_of(work, k, d).sum[i] / counted, lower[i], upper[i]);
    return aborted;
}
