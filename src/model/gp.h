/* The Gaussian process of one output with given hyperparameters, conditioned on its data (section 2
 * of docs/method.md). Inputs are in the unit cube, outputs standardised. */
#ifndef MODEL_GP_H
#define MODEL_GP_H

#include "model/latent.h"

/* The inputs that all outputs share. x: d x capacity, one row per coordinate. */
typedef struct {
    int d, n, capacity;
    double *x;
} gp_inputs;

typedef struct {
    double *inverse_lengthscale; /* d */
    /* NULL, or choices that have places instead of lengthscales (latent.h) */
    const latent_choices *latent;
    double variance; /* of the signal */
    /* Variance of the noise / variance of the signal (mean diagonal of R) */
    double noise;
    double trend; /* share of the quadratic trend; 0: none */
    double mean;  /* NaN: unknown, with a flat prior, integrated out */
} gp_hyper;

typedef struct {
    gp_hyper hyper;
    double diagonal; /* mean of the diagonal of the correlations: 1 without a trend */
    /* NULL, or the variance of the noise of each datum, standardised, in place of hyper.noise */
    const double *own_noise;
    double nugget_min; /* 0, or the smallest allowed: set before conditioning */
    /* Room for d x capacity, needed with places of choices: the inputs as the kernel sees them */
    double *seen;
    /* What the factorisation needed beyond the noise, relative to the variance */
    double nugget;
    /* L of R = correlation + (noise + nugget) diagonal I: capacity x capacity, lower */
    double *factor;
    double *solved_y, *solved_one; /* L^-1 y and L^-1 1 */
    double *weights;               /* R^-1 (y - mean) */
    double *ones;                  /* R^-1 1 */
    double ones_sum;               /* 1' R^-1 1 */
    double mean;                   /* the mean given, or its generalised least squares estimate */
} gp;

/* Doubles in one gp's block, to which gp_place points its arrays (hyperparameters, factor and
 * all). */
size_t gp_size(int d, int capacity);
void gp_place(gp *g, int d, int capacity, double *block);

/* The lower triangle of the correlation matrix of the inputs into r (leading dimension ld), without
 * noise. packed gets what is below the diagonal, by columns: n(n-1)/2. Where they are not NULL also
 * the kernel's weights and the trend's slopes (kernel.h), packed the same way. Returns the mean of
 * the diagonal. */
double gp_correlations(const gp_inputs *inputs, gofh_kernel kernel, const gp_hyper *hyper, double *r, int ld,
                       double *packed, double *weight, double *slope);

/* Factorises R and conditions on y; g->hyper must be set. The nugget is 0 if the pivots allow it,
 * else the first of 1e-12, 1e-11, ... that factors. packed: n(n-1)/2 doubles. Returns 0, or -1 if
 * nothing below 1 does. */
int gp_condition(gp *g, const gp_inputs *given, gofh_kernel kernel, const double *y, double *packed);

/* Conditions on one more value, of the input just added (inputs->n counts it already), in O(n^2).
 * work: 2 n doubles. Returns 1 if the pivot had to be raised to the nugget, else 0. */
int gp_append(gp *g, const gp_inputs *inputs, gofh_kernel kernel, double y, double *work);
/* The same without the weights, for one value of several: gp_truncate finds them after the last. */
int gp_extend(gp *g, const gp_inputs *given, gofh_kernel kernel, double y, double *work);
/* Makes g a process with the data of `with` and all of its arrays but L^-1 y and the weights, which
 * go to own (2 * capacity doubles). From here on the two may be given different values at the same
 * inputs: first the other, then this one by gp_follow_extend. */
void gp_share(gp *g, const gp *with, const gp_inputs *inputs, double *own);
/* Goes back to the first inputs->n data. */
void gp_truncate(gp *g, const gp_inputs *inputs);

/* Makes g a follower of `leader`: from then on it uses the leader's arrays for correlations, noise
 * and factor, and has a variance, data and weights of its own. It keeps its block: gp_place undoes
 * it. */
void gp_follow(gp *g, const gp *leader);
/* gp_condition, gp_extend and gp_truncate of a follower, each after that of its leader. */
void gp_follow_condition(gp *g, const gp *leader, const gp_inputs *inputs, const double *y);
void gp_follow_extend(gp *g, const gp_inputs *inputs, double y);
void gp_follow_truncate(gp *g, const gp *leader, const gp_inputs *inputs);

/* Posterior of one output at q points (q x d, one row per point), eq. 4 and 5: mean[q],
 * variance[q], and where mean_gradient is not NULL their gradients (q x d; those in the coordinates of
 * choices mean nothing). variance may be NULL: then only the mean, with its gradient where asked for.
 * work: gp_predict_work(n, q) doubles. */
size_t gp_predict_work(int n, int q);
void gp_predict(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
                double *mean, double *variance, double *mean_gradient, double *variance_gradient,
                double *work);
/* The same of `samples` processes g, g + apart, ... that differ in their values alone (gp_share), and so
 * have one variance: mean is samples x q, mean_gradient samples x q x d. */
enum { GP_SHARED_MAX = 8 }; /* samples at most */
void gp_predict_shared(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                       const double *points, int q, double *mean, double *variance, double *mean_gradient,
                       double *variance_gradient, double *work);

/* What the predictions of a process and of all its followers have in common, at q points. k (n x
 * q): correlations with the data; a mean is that of the process + k' weights. The rest may be NULL.
 * variance[q]: relative to that of the signal. slopes (n x q d, those of a point together): the
 * derivatives of k; a gradient of a mean is slopes' weights. variance_gradient (q x d) needs
 * variance and slopes. work: gp_basis_work(n, q). */
size_t gp_basis_work(int n, int q);
void gp_basis(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
              double *k, double *variance, double *slopes, double *variance_gradient, double *work);

/* Joint posterior at q points: mean[q], covariance (q x q, lower triangle). work: gp_joint_work(n,
 * q). */
size_t gp_joint_work(int n, int q, int d);
void gp_joint(const gp *g, const gp_inputs *given, gofh_kernel kernel, const double *points, int q,
              double *mean, double *covariance, double *work);

/* Draws of the joint posterior at q points into values (draws x q), made of the standard normals z
 * (draws x q); where the covariance is singular to rounding, the mean. work: gp_draw_work(n, q, d). */
size_t gp_draw_work(int n, int q, int d);
void gp_draw(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q, int draws,
             const double *z, double *values, double *work);

/* Predicts each datum from all others with the same hyperparameters (eq. 5a): mean[n], and the
 * variance[n] of the value with its noise. With an unknown mean nothing predicts a single datum:
 * NaN and infinity. work: gp_leave_one_out_work(n) doubles. */
size_t gp_leave_one_out_work(int n);
void gp_leave_one_out(const gp *g, const gp_inputs *inputs, double *mean, double *variance, double *work);

#endif
