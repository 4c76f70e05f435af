/* What a posterior mean lacks of given values, as a plane through a point and its neighbours. */
#include "linalg/linalg.h"
#include "model/index.h"
#include "model/model.h"

#include <math.h>

/* Below this distance a difference of means is mostly rounding, and the slope at the midpoint,
 * whose error is of third order, is better. */
static const double CLOSE = 1e-5;

size_t model_plane_work(const model *mo)
{
    int d = mo->inputs.d;
    return 2 * posterior_size(d + 1, mo->outputs, d) + model_predict_work(mo, d + 1) + index2(d + 1, d, 0) +
           index2(d, d, 0);
}

/* The mean of output j at point i minus that at the first. between: the posterior at the midpoints,
 * whose slopes are used where the points are close. */
static double rise_of_mean(const posterior *at, const posterior *between, const double *points, int i, int j)
{
    int d = at->d, m = at->outputs;
    const double *slope = between->mean_gradient + index2(i, m, j) * (size_t)d;
    double reach = 0.0, rise = 0.0;
    for (int k = 0; k < d; k++) {
        double step = points[index2(i, d, k)] - points[k];
        reach = fmax(reach, fabs(step));
        rise += slope[k] * step;
    }
    return reach < CLOSE ? rise : at->mean[index2(i, m, j)] - at->mean[j];
}

int model_plane(const model *mo, int sample, int count, const double *points, const double *values,
                double *offset, double *slope, double *work)
{
    int d = mo->inputs.d, m = mo->outputs, pivots[GOFH_MAX_PARAMETERS];
    posterior at, between;
    posterior_place(&at, d + 1, m, d, work);
    posterior_place(&between, d + 1, m, d, work + posterior_size(d + 1, m, d));
    double *predict = work + 2 * posterior_size(d + 1, m, d),
           *middle = predict + model_predict_work(mo, d + 1);
    double *a = middle + index2(d + 1, d, 0); /* by columns, one row per neighbour */
    for (int i = 0; i <= d; i++)
        for (int k = 0; k < d; k++) middle[index2(i, d, k)] = 0.5 * (points[index2(i, d, k)] + points[k]);
    model_predict(mo, sample, points, count + 1, PREDICT_MEAN, &at, predict);
    model_predict(mo, sample, middle, count + 1, PREDICT_MEAN_GRADIENT, &between, predict);
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++) a[index2(k, d, i)] = points[index2(i + 1, d, k)] - points[k];
    for (int j = 0; j < m; j++) {
        int noisy = model_process(mo, sample, j)->hyper.noise > 0.0;
        for (int i = 0; i <= count; i++) noisy |= isnan(values[index2(i, m, j)]) != 0;
        const transform *t = &mo->transform[j];
        double first = values[j];
        offset[j] = noisy ? 0.0 : t->kind->forward(t, first) - at.mean[j];
        for (int i = count + 1; i <= d; i++) slope[index2(j, d, i - 1)] = 0.0;
        for (int i = 1; i <= count; i++) {
            double rise = t->kind->difference(t, first, values[index2(i, m, j)] - first);
            slope[index2(j, d, i - 1)] = noisy ? 0.0 : rise - rise_of_mean(&at, &between, points, i, j);
        }
    }
    return solve_general(d, a, m, slope, pivots) ? -1 : 0;
}
