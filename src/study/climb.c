#include "study/climb.h"

void climb_cube_bounds(int d, double *lower, double *upper)
{
    for (int k = 0; k < d; k++) {
        lower[k] = 0.0;
        upper[k] = 1.0;
    }
}

gofh_status climb_box(memory_room *room, search_objective objective, void *context,
                      const gofh_status *failure, const lbfgsb_settings *settings, int starts, int d,
                      const double *lower, const double *upper, double *x, double *value)
{
    double *work = memory_reserve(room, lbfgsb_work(settings, starts, d));
    if (!work) return GOFH_ERROR_MEMORY;
    int failed = lbfgsb_maximize(objective, context, settings, starts, d, lower, upper, x, value, work);
    return failed ? *failure : GOFH_OK;
}
