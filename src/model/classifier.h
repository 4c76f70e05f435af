/* Where runs succeed: a Gaussian process of which only the sign is seen, through a probit, by
 * expectation propagation (section 9 of docs/method.md). Inputs are in the unit cube. */
#ifndef MODEL_CLASSIFIER_H
#define MODEL_CLASSIFIER_H

#include <stddef.h>

typedef struct {
    int d, n;
    double *x;                   /* d x n, one row per coordinate */
    double *sign;                /* n: 1 for success, -1 for failure */
    double *inverse_lengthscale; /* d */
    double variance;             /* of the constant, and as much again of what varies */
    double log_evidence;
    double *covariance;       /* n x n, full */
    double *factor;           /* of B = I + S^1/2 K S^1/2, lower */
    double *half;             /* n x n: L^-1 S^1/2 K */
    double *precision, *root; /* of the sites, and its square root: S^1/2 */
    double *shift, *mean, *weights;
    double *block;
} classifier;

/* Room for n data; x, sign and the hyperparameters are to be filled in. NULL: no memory. */
classifier *classifier_create(int d, int n);
void classifier_free(classifier *c);

/* Conditions on the data. Returns 0, or -1 where it broke down. */
int classifier_condition(classifier *c);
/* The gradient of the log evidence: in the logarithms of the lengthscales (d), then of the
 * variance. Spoils `half`. */
void classifier_evidence_gradient(classifier *c, double *gradient);

/* At q points (q x d): t with P(success) = Phi(t), and its gradient (q x d) unless NULL. work: 2 n
 * doubles. */
void classifier_score(const classifier *c, const double *points, int q, double *score, double *gradient,
                      double *work);

#endif
