#include "run/curve.h"

#include "base/error.h"

#include <math.h>

/* Of the length of a curve: an end that misses a datum by less is rounding. */
static const double ROUNDING = 1e-9;

static gofh_status check_order(const simulator_curve *curve, const char *output, const char *name,
                               const double *place, int count, gofh_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(place[i]))
            return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s[%d] is not a finite number", name,
                             curve->at_name, i);
        if (i == 0 || place[i] > place[i - 1]) continue;
        if (place[i] == place[i - 1])
            return error_set(error, GOFH_ERROR_ARGUMENT,
                             "%s: %s[%d] and %s[%d] are both %.6g: the places of %s must be different", name,
                             curve->at_name, i - 1, curve->at_name, i, place[i], output);
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s: %s[%d] is %.6g, below the %.6g before it: the places of %s must increase", name,
                         curve->at_name, i, place[i], place[i - 1], output);
    }
    return GOFH_OK;
}

static double interpolate(const double *place, const double *value, int count, double at)
{
    int low = 0, high = count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (place[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    /* A neighbour that is missing does not matter at a point itself. */
    if (at <= place[low]) return value[low];
    if (at >= place[high]) return value[high];
    double part = (at - place[low]) / (place[high] - place[low]);
    return (1.0 - part) * value[low] + part * value[high];
}

gofh_status curve_interpolate(const simulator *sim, int output, const char *name, const double *place,
                              const double *value, int count, double *y, gofh_error *error)
{
    const simulator_curve *curve = &sim->output_curves[output];
    const char *label = sim->output_names[output];
    if (count < 1) return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s has no values", name, label);
    gofh_status status = check_order(curve, label, name, place, count, error);
    if (status) return status;
    double first = place[0], last = place[count - 1], slack = ROUNDING * (last - first);
    int may_miss = sim->output_missing && sim->output_missing[output];
    for (int i = 0; i < sim->output_sizes[output]; i++) {
        double at = curve->at[i];
        int before = at<first - slack, beyond = at> last + slack && !curve->extend;
        if ((before || beyond) && !may_miss)
            return error_set(error, GOFH_ERROR_ARGUMENT,
                             "%s: the curve of %s %s at %s = %.6g, %s %.6g, where data are", name, label,
                             before ? "begins" : "ends", curve->at_name, before ? first : last,
                             before ? "after" : "before", at);
        y[i] = before || beyond ? NAN : interpolate(place, value, count, at);
    }
    return GOFH_OK;
}
