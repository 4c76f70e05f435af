/* CMA-ES (Hansen, The CMA evolution strategy: a tutorial, 2016): for objectives without a gradient,
 * with many local maxima, or constant in pieces. A population is one batch of the objective. */
#ifndef SEARCH_CMAES_H
#define SEARCH_CMAES_H

#include "base/random.h"
#include "search/objective.h"

#include <stddef.h>

typedef struct {
    int population; /* default 0: 4 + 3 log(dimension) */
    /* Populations at most; default 0: 100 + 50 (dimension + 3)^2 / sqrt(population) */
    int iterations;
    int evaluations; /* at most, in whole populations; default 0: no limit */
    double sigma;    /* first standard deviation, relative to the sides of the box; default 0.3 */
    /* Stop when the best values of the last populations and all of the present one differ by
     * less, relative to the best; default 1e-12 */
    double value_tolerance;
    /* Stop when the steps are shorter, relative to the sides of the box; default 1e-11 */
    double step_tolerance;
    double condition; /* stop when the covariance's condition number is larger; default 1e14 */
} cmaes_settings;

void cmaes_defaults(cmaes_settings *settings);

/* Doubles of workspace, which must come from memory_doubles or malloc. */
size_t cmaes_work(const cmaes_settings *settings, int dimension);

/* Maximises on a box with finite bounds, from x[dimension], which is evaluated too. On return x is
 * the best point evaluated and *value its value. Returns 0, or what the objective returned to
 * abort: x and *value then hold the best until then, with *value minus infinity if there is
 * none. */
int cmaes_maximize(search_objective objective, void *context, const cmaes_settings *settings,
                   random_stream *stream, int dimension, const double *lower, const double *upper, double *x,
                   double *value, double *work);

#endif
