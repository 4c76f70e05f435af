#include "base/domain.h"

#include <math.h>

/* log(a / b), also where the ratio is beyond the range of doubles. */
static double log_ratio(double a, double b)
{
    double ratio = a / b;
    return ratio > 0.0 && isfinite(ratio) ? log(ratio) : log(a) - log(b);
}

void domain_to_user(const domain *box, const double *u, double *x)
{
    for (int k = 0; k < box->d; k++) {
        double low = box->lower[k], high = box->upper[k];
        double value = box->scale[k] == GOFH_SCALE_LOG ? exp((1.0 - u[k]) * log(low) + u[k] * log(high))
                                                       : (1.0 - u[k]) * low + u[k] * high;
        if (u[k] <= 0.0) value = low;
        if (u[k] >= 1.0) value = high;
        x[k] = fmin(fmax(value, low), high);
    }
}

void domain_to_unit(const domain *box, const double *x, double *u)
{
    for (int k = 0; k < box->d; k++) {
        double low = box->lower[k], high = box->upper[k];
        double value = box->scale[k] == GOFH_SCALE_LOG ? log_ratio(x[k], low) / log_ratio(high, low)
                                                       : (x[k] - low) / (high - low);
        u[k] = fmin(fmax(value, 0.0), 1.0);
    }
}

void domain_slope(const domain *box, const double *x, double *slope)
{
    for (int k = 0; k < box->d; k++) {
        double low = box->lower[k], high = box->upper[k];
        slope[k] = box->scale[k] == GOFH_SCALE_LOG ? x[k] * log_ratio(high, low) : high - low;
    }
}
