/* Acquisition functions on the model of h: averages over the hyperparameter samples of expectations
 * under the posterior, by Monte Carlo with given normals or in closed form where g is linear
 * (sections 4 to 6 of docs/method.md). Points are in the unit cube, one row per point. */
#ifndef ACQUIRE_ACQUIRE_H
#define ACQUIRE_ACQUIRE_H

#include "base/domain.h"
#include "model/model.h"
#include "outer/outer.h"

typedef enum {
    ACQUIRE_IMPROVEMENT, /* E[(f - f*)^+]: EI-CF, eq. 12; its gradient is eq. 13 */
    ACQUIRE_PROBABILITY, /* P(f >= f* + threshold): PI-CF, eq. 16; no gradient by Monte Carlo */
    ACQUIRE_MEAN,        /* E[f], eq. 20 */
    ACQUIRE_SMOOTH, /* the improvement in units of `smoothing` with its corner rounded and its tail fattened, eq. 26 */
    ACQUIRE_SOFT_IMPROVEMENT, /* the improvement, where draws count by how nearly they meet the constraints (eq. 23) */
    ACQUIRE_FEASIBILITY, /* the probability that all constraints hold */
    ACQUIRE_BEST_CASE    /* the largest f among the draws: what is left to rank by where all else is 0 */
} acquire_kind;

/* What f is: g under its constraints; or minus the penalty of violating them, with nothing
 * forbidden. */
typedef enum { ACQUIRE_OBJECTIVE, ACQUIRE_VIOLATION } acquire_subject;

/* What is asked of the draws. */
typedef struct {
    acquire_kind kind;
    acquire_subject subject;
    double threshold;        /* of ACQUIRE_PROBABILITY, above f* */
    double smoothing;        /* of ACQUIRE_SMOOTH, in units of f */
    const double *incumbent; /* f*, one per hyperparameter sample; NULL: those of the acquisition */
} acquire_goal;

/* Of the objective, with the paper's threshold. */
static inline acquire_goal acquire_goal_of(acquire_kind kind)
{
    return (acquire_goal){.kind = kind, .threshold = 0.01};
}

/* Samples that share factors (model_fork), at most. */
enum { ACQUIRE_SHARED = GP_SHARED_MAX };

typedef struct {
    const model *mo;
    const outer *g;
    const domain *box;
    double *incumbent; /* f*, one per hyperparameter sample; minus infinity while nothing feasible is known */
    double *
        penalty; /* one per margin of the constraints: the cost of violating it by 1 in acquisition_plug_in */
    int rows;    /* of g at once, at most */
    int batch;   /* the same of several points together */
    int chunk;   /* points at once, at most */
    double *block;
    double *h, *dh, *x, *dx, *value, *outer_work, *predict_work, *posterior_block;
    double *utility, *slope;         /* rows: of the draws of one point */
    double *margin, *adjoint, *edge; /* where there are constraints: rows x margins, the same, 4 x margins */
} acquisition;

/* The objective (of ACQUIRE_VIOLATION: 0, to be penalised), and where `gradient` its gradient, at
 * the first rows of a->h and a->x. */
gofh_status acquisition_objective(acquisition *a, acquire_subject subject, int rows, int gradient);

/* NULL when there is no memory. Incumbents and penalties start as minus infinity and 0. */
acquisition *acquisition_create(const model *mo, const outer *g, const domain *box);
void acquisition_free(acquisition *a);

/* By Monte Carlo (Algorithm 1 and Proposition 1), over hyperparameter samples first .. first +
 * samples - 1, with normals z (count x outputs). value: q; gradient: q x d or NULL. */
gofh_status acquisition_monte_carlo(acquisition *a, acquire_goal goal, int first, int samples,
                                    const double *z, int count, const double *points, int q, double *value,
                                    double *gradient);

/* The same in three steps without gradients, for points that are looked at more than once: the
 * posterior under one hyperparameter sample (mean and deviation: q x outputs), f of each draw (q x
 * count, minus infinity where a constraint is violated), and the average utility of the draws of
 * each point. Draws are in or out: no edge is soft. count: at most a->rows. Where mean is NULL the
 * posterior is predicted anew, under the first sample: of very many outputs it would fill the memory. */
void acquisition_predict(acquisition *a, int sample, const double *points, int q, double *mean,
                         double *deviation);
gofh_status acquisition_draw(acquisition *a, acquire_subject subject, const double *mean,
                             const double *deviation, const double *z, int count, const double *points, int q,
                             double *f);
void acquisition_average(acquisition *a, acquire_goal goal, int sample, const double *f, int count, int q,
                         double *value);

/* f of each of the draws at one point under one hyperparameter sample, the constraints left aside. */
gofh_status acquisition_values(acquisition *a, int sample, const double *z, int count, const double *point,
                               double *f);

/* Whether `kind` has a closed form here: linear g without constraints, and the mean of a sum of
 * squares too. Where an output is modelled by its logarithm only means have one. */
int acquisition_has_closed_form(const acquisition *a, acquire_kind kind);
/* That closed form (Proposition 2; eq. 22 for the mean of a sum of squares), over all
 * hyperparameter samples. */
gofh_status acquisition_closed_form(acquisition *a, acquire_goal goal, const double *points, int q,
                                    double *value, double *gradient);

/* g of the posterior mean of h (the median of what is modelled by its logarithm) under one
 * hyperparameter sample: a cheap guide to where f is good. Violated constraints are penalised.
 * gradient may be NULL. */
gofh_status acquisition_plug_in(acquisition *a, acquire_subject subject, int sample, const double *points,
                                int q, double *value, double *gradient);

/* A linear function that is added to the posterior mean: offset + slope (x - centre), in the user's
 * outputs, or in the logarithms of those that are modelled by them. */
typedef struct {
    const double *centre, *offset, *slope; /* d, outputs, outputs x d */
} acquisition_correction;

/* The same of the objective with the correction added. */
gofh_status acquisition_corrected(acquisition *a, int sample, const acquisition_correction *correction,
                                  const double *points, int q, double *value, double *gradient);

/* The same at one point with the constraints kept apart: the objective and its gradient[d], the
 * margins and their slopes (margins x d). */
gofh_status acquisition_with_margins(acquisition *a, int sample, const acquisition_correction *correction,
                                     const double *point, double *value, double *gradient, double *margin,
                                     double *slope);

/* Posterior mean and standard deviation of f at the points; exact for linear g without constraints,
 * unless outputs are both correlated and transformed.
 * Where more than 1 draw in 40 violates a constraint they are infinite; else they are those of the
 * objective. deviation may be NULL. */
gofh_status acquisition_moments(acquisition *a, const double *z, int count, const double *points, int q,
                                double *mean, double *deviation);
/* The same where violating a margin by 1 costs multiplier[margins]. */
gofh_status acquisition_penalised_moments(acquisition *a, const double *multiplier, const double *z,
                                          int count, const double *points, int q, double *mean,
                                          double *deviation);

#endif
