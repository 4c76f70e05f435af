/* Predictive entropy search (Hernandez-Lobato, Hoffman and Ghahramani 2014) on a single-output
 * model of f, which is maximised: how much a value y(x) would tell about where the maximum x* is
 * (docs/method_pes.md).
 *
 * In order: pes_create draws functions from the posterior; the caller maximises each over the unit
 * cube (pes_path_evaluate is the objective) and hands the maximiser back by pes_set_optimum;
 * pes_prepare works out what each maximiser implies; pes_evaluate may then be called any number of
 * times. */
#ifndef ACQUIRE_PES_H
#define ACQUIRE_PES_H

#include "model/model.h"

typedef struct pes pes;
typedef struct pes_path pes_path;

/* Draws `optima` functions for each sample of the hyperparameters, from the random streams (seed,
 * RANDOM_ENTROPY, trial, number of the draw). The model (outputs = 1, at least one datum) is
 * borrowed and must stay as it is. NULL when there is no memory. */
pes *pes_create(const model *mo, int optima, uint64_t seed, uint64_t trial);
void pes_free(pes *p); /* NULL is fine */

/* A function drawn: the context of pes_path_evaluate. Borrowed. Different paths may be used by
 * different threads at once. */
pes_path *pes_path_of(pes *p, int sample, int index);
/* Value and gradient (count x d; may be NULL) of the function drawn at x (count x d, unit cube), in
 * standardised units. context: a pes_path. Always returns 0. */
int pes_path_evaluate(const double *x, int count, double *value, double *gradient, void *context);

/* The maximiser of a path over the unit cube, x[d]. A coordinate within 1e-8 of a bound is at the
 * bound. */
void pes_set_optimum(pes *p, int sample, int index, const double *x);

/* What the optima imply, by expectation propagation. Returns for how many of them that failed:
 * those count as if they said nothing. */
int pes_prepare(pes *p);

/* The acquisition at q points (q x d): value[q], in nats, averaged over hyperparameter samples and
 * optima. Allocates nothing. */
void pes_evaluate(pes *p, const double *points, int q, double *value);

/* Variance of f at q points before and after conditioning on one optimum, relative to the signal's:
 * what pes_evaluate takes the logarithms of, without the noise. */
void pes_variances(pes *p, int sample, int index, const double *points, int q, double *before, double *after);

#endif
