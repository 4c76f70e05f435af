#include "search/cmaes.h"

#include "linalg/eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double PENALTY = 0.01; /* for a sample one standard deviation outside the box */
static const double OUTSIDE = 2;    /* deviations that the mean may be outside the box */
static const double FARTHEST = 0.5; /* standard deviation, relative to the side of the box */
/* Smaller deviations do not tell a plateau from a flat objective */
static const double NEAR = 0.1;

/* One of a population, as it is ranked. */
typedef struct {
    double value;
    double distance; /* from the box, squared, in standard deviations */
    double fitness;  /* value less the penalty for the distance */
    int index;
} candidate;

/* The strategy's parameters and state, in the tutorial's letters where it has them. Coordinates are
 * relative to the box: each side is [0, 1]. */
typedef struct {
    int d, lambda, mu, iterations, window;
    double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
    const double *lower, *upper;
    int generation, decomposed; /* decomposed: the generation of the eigenvectors in use */
    int recorded;               /* generations in the history, from when it was last begun anew */
    double sigma;
    candidate *ranked;           /* lambda */
    double *weights;             /* mu */
    double *mean;                /* d */
    double *path_c, *path_sigma; /* d */
    double *covariance;          /* d x d */
    /* d x d, one column each; d: square roots of the eigenvalues */
    double *axes, *lengths;
    double *steps;                      /* lambda x d: (sample - mean) / sigma */
    double *points, *values;            /* lambda x d, lambda: the batch */
    double *history;                    /* window: the best value of the last generations, a ring */
    double *step, *eigenvalues, *eigen; /* d, d, eigen_symmetric_work(d) */
} strategy;

void cmaes_defaults(cmaes_settings *settings)
{
    *settings = (cmaes_settings){
        .sigma = 0.3, .value_tolerance = 1e-12, .step_tolerance = 1e-11, .condition = 1e14};
}

static int population_of(const cmaes_settings *settings, int d)
{
    int population = settings->population > 0 ? settings->population : 4 + (int)(3 * log(d));
    return population > 4 ? population : 4;
}

/* How many generations must look the same to be called converged. */
static int window_of(int d, int lambda)
{
    return 10 + (30 * d + lambda - 1) / lambda;
}

static size_t doubles_of_candidates(int lambda)
{
    return ((size_t)lambda * sizeof(candidate) + sizeof(double) - 1) / sizeof(double);
}

size_t cmaes_work(const cmaes_settings *settings, int dimension)
{
    int population = population_of(settings, dimension);
    size_t d = (size_t)dimension, lambda = (size_t)population;
    return doubles_of_candidates(population) + lambda * (2 * d + 2) + d * (2 * d + 6) +
           eigen_symmetric_work(dimension) + (size_t)window_of(dimension, population);
}

static double *take(double **work, size_t count)
{
    double *taken = *work;
    *work += count;
    return taken;
}

static void place(strategy *it, double *work)
{
    size_t d = (size_t)it->d, lambda = (size_t)it->lambda;
    it->ranked = (candidate *)(void *)take(&work, doubles_of_candidates(it->lambda));
    it->weights = take(&work, lambda);
    it->mean = take(&work, d);
    it->path_c = take(&work, d);
    it->path_sigma = take(&work, d);
    it->covariance = take(&work, d * d);
    it->axes = take(&work, d * d);
    it->lengths = take(&work, d);
    it->steps = take(&work, lambda * d);
    it->points = take(&work, lambda * d);
    it->values = take(&work, lambda);
    it->history = take(&work, (size_t)it->window);
    it->step = take(&work, d);
    it->eigenvalues = take(&work, d);
    it->eigen = take(&work, eigen_symmetric_work(it->d));
}

/* The default parameters: table 1 of the tutorial, with positive weights only. */
static void set_parameters(strategy *it)
{
    double n = it->d, sum = 0, squares = 0;
    for (int i = 1; i <= it->mu; i++) {
        double weight = log((it->lambda + 1) / 2.0) - log(i);
        it->weights[i - 1] = weight;
        sum += weight;
    }
    for (int i = 0; i < it->mu; i++) {
        it->weights[i] /= sum;
        squares += it->weights[i] * it->weights[i];
    }
    double m = it->mu_eff = 1 / squares;
    it->c_sigma = (m + 2) / (n + m + 5);
    it->d_sigma = 1 + 2 * fmax(0, sqrt((m - 1) / (n + 1)) - 1) + it->c_sigma;
    it->c_c = (4 + m / n) / (n + 4 + 2 * m / n);
    it->c_1 = 2 / ((n + 1.3) * (n + 1.3) + m);
    it->c_mu = fmin(1 - it->c_1, 2 * (m - 2 + 1 / m) / ((n + 2) * (n + 2) + m));
    it->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

static void begin(strategy *it, const cmaes_settings *settings, const double *x)
{
    int d = it->d;
    it->sigma = settings->sigma;
    memset(it->path_c, 0, (size_t)d * sizeof(double));
    memset(it->path_sigma, 0, (size_t)d * sizeof(double));
    memset(it->covariance, 0, (size_t)d * (size_t)d * sizeof(double));
    memset(it->axes, 0, (size_t)d * (size_t)d * sizeof(double));
    for (int i = 0; i < d; i++) {
        double side = it->upper[i] - it->lower[i];
        it->mean[i] = side > 0 ? search_clamp((x[i] - it->lower[i]) / side, 0, 1) : 0.5;
        it->covariance[i * d + i] = it->axes[i * d + i] = it->lengths[i] = 1;
    }
}

/* Draws the population, and brings what falls outside the box to its border: there the objective is
 * evaluated. */
static void sample(strategy *it, random_stream *stream)
{
    int d = it->d;
    for (int k = 0; k < it->lambda; k++) {
        double *step = it->steps + k * d, distance = 0;
        memset(step, 0, (size_t)d * sizeof *step);
        for (int j = 0; j < d; j++) {
            /* The start itself is the first of all samples: the result is never worse. */
            double z = it->generation == 0 && k == 0 ? 0 : it->lengths[j] * random_normal(stream);
            for (int i = 0; i < d; i++) step[i] += it->axes[j * d + i] * z;
        }
        for (int i = 0; i < d; i++) {
            double at = it->mean[i] + it->sigma * step[i], repaired = search_clamp(at, 0, 1);
            double apart = (at - repaired) / (it->sigma * sqrt(it->covariance[i * d + i]));
            distance += apart * apart;
            double x = repaired == 1 ? it->upper[i] : it->lower[i] + repaired * (it->upper[i] - it->lower[i]);
            it->points[k * d + i] = search_clamp(x, it->lower[i], it->upper[i]);
        }
        it->ranked[k] = (candidate){.distance = distance, .index = k};
    }
}

/* Better first: by fitness, then by closeness to the box, then in the order drawn. */
static bool precedes(const candidate *a, const candidate *b)
{
    if (a->fitness != b->fitness) return a->fitness > b->fitness;
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->index < b->index;
}

static void sort(candidate *items, int count)
{
    for (int i = 1; i < count; i++) {
        candidate item = items[i];
        int j = i;
        for (; j > 0 && precedes(&item, &items[j - 1]); j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Ranks the population by value less a penalty with the objective's scale: the interquartile range
 * of the population's values, for a sample ten standard deviations outside. It only has to keep the
 * mean from drifting off. A stronger one is worse: with the mean a few deviations outside, nearly
 * all samples meet a bound that is active exactly, and the other coordinates are searched as if
 * there were none. */
static void rank(strategy *it)
{
    int finite = 0;
    for (int k = 0; k < it->lambda; k++) {
        double value = it->values[it->ranked[k].index];
        it->ranked[k].value = it->ranked[k].fitness = isnan(value) ? -INFINITY : value;
        finite += isfinite(it->ranked[k].value);
    }
    sort(it->ranked, it->lambda);
    int top = 0; /* the first finite one */
    while (top < it->lambda && it->ranked[top].value == INFINITY) top++;
    double quartile_range = 0;
    if (finite > 0)
        quartile_range = it->ranked[top + finite / 4].value - it->ranked[top + 3 * finite / 4].value;
    quartile_range = fmin(quartile_range, DBL_MAX);
    for (int k = 0; k < it->lambda; k++)
        it->ranked[k].fitness -= PENALTY * quartile_range * it->ranked[k].distance;
    sort(it->ranked, it->lambda);
}

static bool ranked_alike(const candidate *a, const candidate *b)
{
    return a->fitness == b->fitness && a->distance == b->distance;
}

static double largest_deviation(const strategy *it)
{
    double largest = 0;
    for (int i = 0; i < it->d; i++) largest = fmax(largest, it->covariance[i * it->d + i]);
    return sqrt(largest);
}

/* path_sigma moves by C^(-1/2) times the mean step. */
static void update_paths(strategy *it, double *stall)
{
    int d = it->d;
    double m = it->mu_eff, gain = sqrt(it->c_sigma * (2 - it->c_sigma) * m), norm = 0;
    for (int i = 0; i < d; i++) it->path_sigma[i] *= 1 - it->c_sigma;
    for (int j = 0; j < d; j++) {
        double along = 0;
        for (int i = 0; i < d; i++) along += it->axes[j * d + i] * it->step[i];
        for (int i = 0; i < d; i++) it->path_sigma[i] += gain * along / it->lengths[j] * it->axes[j * d + i];
    }
    for (int i = 0; i < d; i++) norm += it->path_sigma[i] * it->path_sigma[i];
    norm = sqrt(norm);
    double expected = it->chi * sqrt(1 - pow(1 - it->c_sigma, 2 * (it->generation + 1)));
    double open = norm / expected < 1.4 + 2 / (it->d + 1.0) ? 1 : 0;
    for (int i = 0; i < d; i++)
        it->path_c[i] = (1 - it->c_c) * it->path_c[i] +
                        open * sqrt(it->c_c * (2 - it->c_c) * m) * it->step[i];
    *stall = (1 - open) * it->c_c * (2 - it->c_c);
    it->sigma *= exp(fmin(1, it->c_sigma / it->d_sigma * (norm / it->chi - 1)));
}

static void update_covariance(strategy *it, double stall)
{
    int d = it->d;
    double keep = 1 + it->c_1 * stall - it->c_1 - it->c_mu;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int k = 0; k < it->mu; k++) {
                const double *step = it->steps + it->ranked[k].index * d;
                sum += it->weights[k] * step[i] * step[j];
            }
            double *c = &it->covariance[i * d + j];
            *c = keep * *c + it->c_1 * it->path_c[i] * it->path_c[j] + it->c_mu * sum;
        }
}

/* Returns the condition number, infinite when there is no decomposition. */
static double decompose(strategy *it)
{
    int d = it->d;
    double *values = it->eigenvalues;
    memcpy(it->axes, it->covariance, (size_t)d * (size_t)d * sizeof(double));
    it->decomposed = it->generation;
    if (eigen_symmetric(d, it->axes, values, it->eigen) || !(values[0] > 0)) return INFINITY;
    for (int i = 0; i < d; i++) it->lengths[i] = sqrt(values[i]);
    return values[d - 1] / values[0];
}

/* However flat the objective is beyond a bound, some of the samples must fall inside it, or nobody
 * would notice that the inside has become better. */
static void keep_near_box(strategy *it)
{
    for (int i = 0; i < it->d; i++) {
        double margin = OUTSIDE * it->sigma * sqrt(it->covariance[i * it->d + i]);
        it->mean[i] = search_clamp(it->mean[i], -margin, 1 + margin);
    }
}

/* Moves the distribution to where the better half of the population is. */
static void update(strategy *it)
{
    int d = it->d;
    memset(it->step, 0, (size_t)d * sizeof(double));
    for (int k = 0; k < it->mu; k++)
        for (int i = 0; i < d; i++) it->step[i] += it->weights[k] * it->steps[it->ranked[k].index * d + i];
    for (int i = 0; i < d; i++) it->mean[i] += it->sigma * it->step[i];
    double stall;
    update_paths(it, &stall);
    update_covariance(it, stall);
    keep_near_box(it);

    /* On a plateau nothing can be learned: look farther. */
    int reach = (int)ceil(0.1 + it->lambda / 4.0);
    if (ranked_alike(&it->ranked[0], &it->ranked[reach])) {
        it->sigma *= exp(0.2 + it->c_sigma / it->d_sigma);
        if (it->sigma * largest_deviation(it) < NEAR) it->recorded = 0;
    }
    it->sigma = fmin(it->sigma, FARTHEST / largest_deviation(it));
}

/* a - b, also when both are the same infinity. */
static double difference(double a, double b)
{
    return a == b ? 0 : a - b;
}

static bool values_agree(const strategy *it, double tolerance)
{
    double high = -INFINITY, low = INFINITY;
    if (it->recorded < it->window) return false;
    for (int k = 0; k < it->window; k++) {
        high = fmax(high, it->history[k]);
        low = fmin(low, it->history[k]);
    }
    for (int k = 0; k < it->lambda; k++) {
        high = fmax(high, it->ranked[k].value);
        low = fmin(low, it->ranked[k].value);
    }
    return difference(high, low) <= tolerance * fabs(high);
}

static bool steps_vanish(const strategy *it, double tolerance)
{
    double longest = largest_deviation(it);
    for (int i = 0; i < it->d; i++) longest = fmax(longest, fabs(it->path_c[i]));
    return it->sigma * longest < tolerance;
}

/* Ends a generation; true when it was the last. */
static bool finished(strategy *it, const cmaes_settings *settings)
{
    it->history[it->recorded++ % it->window] = it->ranked[0].value;
    it->generation++;
    double condition = 1, lag = 1 / (10 * it->d * (it->c_1 + it->c_mu));
    if (it->generation - it->decomposed >= lag) condition = decompose(it);
    return !(condition <= settings->condition) || steps_vanish(it, settings->step_tolerance) ||
           values_agree(it, settings->value_tolerance) || it->generation >= it->iterations;
}

static int iterations_of(const cmaes_settings *settings, int d, int lambda)
{
    int iterations = settings->iterations;
    if (iterations <= 0) iterations = (int)(100 + 50 * (d + 3) * (d + 3) / sqrt(lambda));
    if (settings->evaluations > 0 && iterations > settings->evaluations / lambda)
        iterations = settings->evaluations / lambda;
    return iterations;
}

int cmaes_maximize(search_objective objective, void *context, const cmaes_settings *settings,
                   random_stream *stream, int dimension, const double *lower, const double *upper, double *x,
                   double *value, double *work)
{
    strategy it = {
        .d = dimension, .lambda = population_of(settings, dimension), .lower = lower, .upper = upper};
    it.mu = it.lambda / 2;
    it.window = window_of(it.d, it.lambda);
    it.iterations = iterations_of(settings, it.d, it.lambda);
    place(&it, work);
    set_parameters(&it);
    begin(&it, settings, x);
    *value = -INFINITY;
    for (int i = 0; i < it.d; i++) x[i] = search_clamp(x[i], lower[i], upper[i]);
    if (it.iterations < 1) return 0;
    do {
        sample(&it, stream);
        int aborted = objective(it.points, it.lambda, it.values, NULL, context);
        if (aborted) return aborted;
        for (int k = 0; k < it.lambda; k++) {
            if (!(it.values[k] > *value)) continue;
            *value = it.values[k];
            memcpy(x, it.points + k * it.d, (size_t)it.d * sizeof *x);
        }
        rank(&it);
        update(&it);
    } while (!finished(&it, settings));
    return 0;
}
