/* The model of h: m outputs on shared inputs, each with one Gaussian process per sample
 * of the hyperparameters. Holds the data scaled to the unit cube and standardised, and answers in
 * the user's units.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/correlation.h"
#include "model/gp.h"
#include "model/transform.h"

typedef struct {
    gofh_kernel kernel;
    int outputs, samples, threads;
    gp_inputs inputs;
    /* Outputs: the inputs of those data that have a value of it, where some have none (x is NULL
     * otherwise); outputs x capacity: their places among all data. NULL: no value may be missing */
    gp_inputs *own;
    int *place;
    double *own_x;         /* outputs x d x capacity */
    double *y;             /* outputs x capacity, standardised: the values that there are */
    double *shift, *scale; /* outputs: transformed y = shift + scale * standardised */
    transform *transform;  /* outputs: from the user's units */
    gp *processes;         /* samples x outputs */
    /* Outputs: whether its processes have the correlations of the leader's */
    unsigned char *shares;
    int leader; /* the first output that shares; -1: none does */
    double *block;
    double *seen;   /* samples x outputs x d x capacity: room for gp.seen; NULL: none is needed */
    double *packed; /* where there are many outputs: samples x outputs x 2 capacity, L^-1 y and the weights */
    /* Outputs x capacity: the variance of each datum's noise, standardised; NULL: none is known */
    double *noise;
    gp *base; /* after model_fork: the processes of the one sample there was; else NULL */
    double *shared_block;
    output_correlation correlation; /* of the outputs, given the data */
    int correlated;                 /* whether it counts: else K_n(x) is diagonal */
    const double *inflation;        /* outputs: factors on the deviations, borrowed; NULL: none */
    /* Above 0: the outputs are coordinates of so many residuals, all with one variance, and the last
     * stands for all directions beyond those. Its posterior mean is 0, and what is drawn of it is the
     * root of their mean sum of squares. */
    int residuals;
} model;

/* All computing with models happens between these two: BLAS uses one thread, and our threads are
 * kept from one use to the next. They nest. */
void model_enter(void);
void model_leave(void);

/* Room for `capacity` data. Returns NULL when there is no memory. */
model *model_create(int d, int outputs, int samples, int capacity, gofh_kernel kernel, int threads);
void model_free(model *mo);
/* Bytes that model_create takes. */
double model_memory(int d, int outputs, int samples, int capacity);

/* Lets values be missing: NaN. An output is then conditioned on the data that have a value of it.
 * Returns -1 when there is no memory. */
int model_allow_missing(model *mo);
/* Lets the processes have places of choices (latent.h). Returns -1 when there is no memory. */
int model_allow_latent(model *mo);
/* The inputs of output j. */
const gp_inputs *model_inputs(const model *mo, int j);
/* Which of all data is the i-th that has a value of output j. */
int model_place(const model *mo, int j, int i);

/* Takes n <= capacity data: x (n x d, unit cube), y (n x outputs, the user's units), transforms
 * them and standardises by the given shift and scale of each output, or by their own where shift is
 * NULL. */
void model_set_data(model *mo, int n, const double *x, const double *y, const double *shift,
                    const double *scale);
/* The same of output j only, with another transform and its own shift and scale: y as above, of
 * mo->inputs.n data. */
void model_set_output(model *mo, int j, const double *y, const transform *t);
/* Whether h is normal under the model: no output is transformed. */
int model_is_normal(const model *mo);
/* From the model's standardised value of output j to the user's, and back. */
double model_to_user(const model *mo, int j, double value);
double model_to_standard(const model *mo, int j, double value);
/* Gives each of the n data of output j a noise of its own: variance[n], in the user's units; NULL:
 * none. To be called after the data are set; the hyperparameters' noise is then that of what is
 * appended without one. Returns -1, with all as it was, when there is no memory. */
int model_set_noise(model *mo, int j, const double *variance);
/* Makes the outputs that `shares` marks (NULL: none) use the correlations, the noise and the factor
 * of the first of them, in each sample. To be called before hyperparameters are set. */
void model_share(model *mo, const unsigned char *shares);
/* Conditions all processes, whose hyperparameters are set, on the data. failed[outputs]: how many
 * of an output could not be. work: model_condition_work doubles. */
size_t model_condition_work(const model *mo);
void model_condition(model *mo, int *failed, double *work);
/* Conditions all processes on more points x (count x d), where process (s, j) is given y[s * outputs + j]
 * of those of each point (count x samples x outputs); O(n^2) each. work: 2 * capacity doubles. Returns
 * how many pivots had to be raised. */
int model_append(model *mo, int count, const double *x, const double *y, double *work);
/* The same of one observation whose noise has this variance on each output, in the user's units, which
 * counts where the data have a noise of their own. NULL: the mean of theirs. */
int model_append_noisy(model *mo, const double *x, const double *y, const double *variance, double *work);
/* Learns the correlation of the outputs from their errors at the data (eq. 5b), which counts from then
 * on where `correlated`. Returns -1, with all as it was, when there is no memory. */
int model_correlate(model *mo);
/* Standard normals z (count x outputs) become what posterior_draw takes, in place: R^(1/2) z. Nothing
 * changes where K_n(x) is diagonal. */
void model_mix(const model *mo, int count, double *z);
/* Forks the only sample into many, which share its factors and differ in what is appended from now
 * on. Returns -1, with all as it was, when there is no memory. */
int model_fork(model *mo, int samples);
/* Goes back to the one sample; no effect where there was no fork. */
void model_join(model *mo);
/* Forgets all but the first n data. */
void model_truncate(model *mo, int n);

gp *model_process(const model *mo, int sample, int output);

/* The posterior of h(x) at q points under one sample of the hyperparameters: h(x) = mean + C Z with
 * Z standard normal and C C' the covariance across outputs K_n(x) = S R S (eq. 4, 5b), S the diagonal of
 * the deviations. C is S R^(1/2), and R does not depend on x: model_mix makes R^(1/2) Z once for all
 * points. mean and deviation: q x outputs; gradients: q x outputs x d, in unit-cube inputs. Where an
 * output is transformed, it is the posterior of the transformed h(x), until one of the functions
 * below turns it into that of h(x). */
typedef struct {
    int points, outputs, d;
    const transform *transform;            /* outputs */
    const output_correlation *correlation; /* NULL: the outputs are independent */
    double *mean, *deviation;
    double *mean_gradient, *deviation_gradient; /* not valid unless asked for */
    /* Gradients of very many outputs with one kernel need not be formed: a gradient of a mean is that of
     * the correlations with the data times the weights of its output, and only weighted sums over the
     * outputs are ever needed. may_defer: the caller will use posterior_pull, or posterior_pull_mean, and
     * posterior_finish. deferred: then mean_gradient has the correlations' (data x points d), after which
     * are those of the logarithm of the deviations (points x d), and the rest is of the model. */
    int may_defer, deferred, data, apart;
    const double *weights, *scale;
} posterior;

size_t posterior_size(int q, int outputs, int d);
void posterior_place(posterior *p, int q, int outputs, int d, double *block);

typedef enum {
    PREDICT_MEAN,
    PREDICT_MEAN_GRADIENT,
    PREDICT_DEVIATION, /* mean and deviation */
    PREDICT_QUICK,     /* the same in less time with a trend and few data, with other roundings */
    PREDICT_GRADIENT   /* mean, deviation and the gradients of both */
} predict_what;

/* work: model_predict_work(mo, q) doubles. q: at most the posterior's number of points, which it
 * sets. */
size_t model_predict_work(const model *mo, int q);
void model_predict(const model *mo, int sample, const double *points, int q, predict_what what,
                   posterior *result, double *work);
/* The same under `samples` that share factors (model_fork), GP_SHARED_MAX at most. The result
 * has samples q points, as many as its room and the work are for: s q + i is point i under sample first + s.
 * No gradient is deferred. */
void model_predict_shared(const model *mo, int first, int samples, const double *points, int q,
                          predict_what what, posterior *result, double *work);

/* h = mean + C z of point i for `count` normals, mixed by model_mix: z and h are count x outputs. */
void posterior_draw(const posterior *p, int i, const double *z, int count, double *h);
/* The adjoint of posterior_draw: adds to dx[d] the gradient in x of sum_s weights_s . h_s, weights
 * and h count x outputs. */
void posterior_pull(const posterior *p, int i, const double *z, const double *h, const double *weights,
                    int count, double *dx);
/* The same of a function of the means with these derivatives: dh[outputs]. */
void posterior_pull_mean(const posterior *p, int i, const double *dh, double *dx);
/* Adds what was deferred by one of these for each of the points: dx (points x d). No effect otherwise. */
void posterior_finish(const posterior *p, double *dx);
/* Turn the means, and their gradients where `gradient`, into medians of h in place; or means and
 * deviations into those of h (eq. 28). Nothing changes where no output is transformed. */
void posterior_medians(posterior *p, int gradient);
void posterior_moments(posterior *p, int gradient);
/* Mean and standard deviation of sum_k w[k] h_column[k](x) at point i, k < count, with gradients in
 * x unless NULL (Proposition 2). column may be NULL: 0, 1, 2, ... Of several outputs, some of which are
 * transformed, the deviation takes the correlation of what is normal for theirs. */
void posterior_project(const posterior *p, int i, int count, const int *column, const double *w, double *mean,
                       double *deviation, double *mean_gradient, double *deviation_gradient);
/* K_n(x) at point i: outputs x outputs. */
void posterior_covariance(const posterior *p, int i, double *covariance);

/* The linear function that the posterior mean lacks at 1 + count points (d + 1 x d, the first is its
 * centre) whose outputs (d + 1 x outputs) are known; along the directions of the others it lacks
 * nothing: transformed values - mean there = offset + slope (x - centre), slope outputs x d. Outputs
 * with noise or missing values get none. Returns -1 where the points are not in general position. work:
 * model_plane_work. */
size_t model_plane_work(const model *mo);
int model_plane(const model *mo, int sample, int count, const double *points, const double *values,
                double *offset, double *slope, double *work);

/* gp_leave_one_out of one process, in the user's units, NaN and infinity of missing values. work:
 * gp_leave_one_out_work(inputs.n). */
void model_leave_one_out(const model *mo, int sample, int output, double *mean, double *variance,
                         double *work);

#endif
