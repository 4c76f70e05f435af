#include "bench/problems/runge_kutta.h"

void bench_runge_kutta(bench_runge_kutta_rate rate, const double *parameters, int states, double *state,
                       double duration, int steps)
{
    static const double reach[4] = {0.5, 0.5, 1, 0}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double step = duration / steps;
    for (int i = 0; i < steps; i++) {
        double slope[BENCH_RUNGE_KUTTA_MAX_STATES], at[BENCH_RUNGE_KUTTA_MAX_STATES],
            sum[BENCH_RUNGE_KUTTA_MAX_STATES] = {0};
        for (int k = 0; k < states; k++) at[k] = state[k];
        for (int stage = 0; stage < 4; stage++) {
            rate(at, parameters, slope);
            for (int k = 0; k < states; k++) {
                sum[k] += share[stage] * slope[k];
                at[k] = state[k] + reach[stage] * step * slope[k];
            }
        }
        for (int k = 0; k < states; k++) state[k] += step * sum[k];
    }
}
