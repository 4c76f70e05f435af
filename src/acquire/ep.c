#include "acquire/ep.h"

#include "base/normal.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 100 };
static const double DAMPING = 0.8, TOLERANCE = 1e-8;
/* No factor is more certain than this, relative to what it is multiplied with: rounding would
 * rule. */
static const double REDUCTION_MAX = 1.0 - 1e-8;

double ep_reduction(double alpha)
{
    double hazard = normal_hazard_left(alpha), reduction = hazard * (hazard + alpha);
    return fmin(fmax(reduction, 0.0), REDUCTION_MAX);
}

/* Changes factor i of the approximation and with it mean and covariance, by a rank-one update. */
static void change_factor(int count, int i, double precision, double shift, double *mean, double *covariance,
                          double *work)
{
    double *column = covariance + i * count;
    double variance = column[i], share = 1.0 / (1.0 + precision * variance);
    double step = (shift - precision * mean[i]) * share;
    memcpy(work, column, (size_t)count * sizeof *work);
    for (int a = 0; a < count; a++) {
        mean[a] += step * work[a];
        for (int b = 0; b < count; b++) covariance[a * count + b] -= precision * share * work[a] * work[b];
    }
}

int ep_positive(int count, double *mean, double *covariance, double *precision, double *shift, double *work)
{
    for (int i = 0; i < count; i++) precision[i] = shift[i] = 0.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double largest = 0.0;
        for (int i = 0; i < count; i++) {
            double variance = covariance[i * count + i];
            if (!isfinite(mean[i]) || !isfinite(variance)) return -1;
            if (!(variance > 0.0)) continue;
            double cavity = 1.0 / variance - precision[i];
            if (!(cavity > 0.0)) continue;
            double cavity_shift = mean[i] / variance - shift[i], deviation = 1.0 / sqrt(cavity);
            double alpha = cavity_shift * deviation, reduction = ep_reduction(alpha);
            double tilted_mean = deviation * (alpha + normal_hazard_left(alpha));
            double new_precision = cavity * reduction / (1.0 - reduction);
            double new_shift = tilted_mean * (cavity + new_precision) - cavity_shift;
            double change = DAMPING * (new_precision - precision[i]);
            double change_shift = DAMPING * (new_shift - shift[i]);
            if (!(1.0 + change * variance > 0.0) || !isfinite(change_shift)) continue;
            largest = fmax(largest, fmax(fabs(change) / cavity, fabs(change_shift) * deviation));
            precision[i] += change;
            shift[i] += change_shift;
            change_factor(count, i, change, change_shift, mean, covariance, work);
        }
        if (largest < TOLERANCE) break;
    }
    for (int i = 0; i < count; i++)
        if (!isfinite(mean[i]) || !isfinite(shift[i]) || !(covariance[i * count + i] >= 0.0)) return -1;
    return 0;
}
