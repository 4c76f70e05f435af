/* The classical Runge-Kutta method with a fixed number of steps: smooth in the parameters, unlike
 * an adaptive one. */
#ifndef BENCH_PROBLEMS_RUNGE_KUTTA_H
#define BENCH_PROBLEMS_RUNGE_KUTTA_H

enum { BENCH_RUNGE_KUTTA_MAX_STATES = 5 };

/* rate[states] of state[states] under the parameters. */
typedef void (*bench_runge_kutta_rate)(const double *state, const double *parameters, double *rate);

/* Takes state[states] a duration further in `steps` steps. */
void bench_runge_kutta(bench_runge_kutta_rate rate, const double *parameters, int states, double *state,
                       double duration, int steps);

#endif
