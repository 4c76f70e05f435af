/* Likelihood, without a trend, and prediction for few data, without gradients. A study that samples
 * hyperparameters, and screens candidates under each sample, spends most of its time here. Results
 * are those of hyper.h and gp.h, up to rounding. */
#ifndef MODEL_QUICK_H
#define MODEL_QUICK_H

#include "model/gp.h"

/* Data at most: beyond, factors leave the nearest cache and BLAS is as fast. */
enum { QUICK_DATA = 128 };

/* The squared differences of the inputs in each coordinate: d x n(n-1)/2, the pairs by columns of
 * the lower triangle. */
void quick_differences(const gp_inputs *inputs, double *differences);

/* The correlations of those pairs. */
void quick_correlations(const gp_inputs *inputs, gofh_kernel kernel, const double *differences,
                        const double *inverse_lengthscale, double *packed);

/* What a likelihood is made of, with R the matrix of these correlations and 1 + noise on its
 * diagonal. */
typedef struct {
    double log_det;  /* log |R| */
    double ones_sum; /* 1' R^-1 1 */
    double squares;  /* (y - mean)' R^-1 (y - mean), with the mean estimated */
} quick_terms;

/* Returns 0, or -1 where R can't be factorised. work: quick_work(n) doubles. */
size_t quick_work(int n);
int quick_factorise(int n, const double *packed, double noise, const double *y, quick_terms *terms,
                    double *work);

/* gp_predict_shared without gradients; variance may be NULL. work: quick_predict_work(n) doubles. */
size_t quick_predict_work(int n);
void quick_predict(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                   const double *points, int q, double *mean, double *variance, double *work);

#endif
