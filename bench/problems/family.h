/* What the files of problems share, and the problems they define. */
#ifndef BENCH_PROBLEMS_FAMILY_H
#define BENCH_PROBLEMS_FAMILY_H

#include "bench/problems.h"

#define BENCH_PI 3.141592653589793238462643

#define BENCH_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* g of every least-squares problem, in the sense of its problem. context: the bench_instance. */
int bench_least_squares(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                        void *context);

/* The two spills of environment, wherever and whenever they are seen. */
extern const bench_parameter bench_environment_parameters[4];
extern const double bench_environment_truth[4];

/* The pressure vessel (Sandgren 1990), with plates in sixteenths of an inch or of any thickness: cost and
 * volume. */
extern const bench_parameter bench_vessel_parameters[4];
int bench_vessel_h(const double *x, double *y, void *instance);

#define BENCH_PROBLEM_LIST(X)                                                                                \
    X(gp1)                                                                                                   \
    X(gp2)                                                                                                   \
    X(langermann)                                                                                            \
    X(rosenbrock)                                                                                            \
    X(environment)                                                                                           \
    X(gp1_mixed)                                                                                             \
    X(gp2_mixed)                                                                                             \
    X(kowalik)                                                                                               \
    X(bard)                                                                                                  \
    X(brown_dennis)                                                                                          \
    X(osborne1)                                                                                              \
    X(broyden)                                                                                               \
    X(misra1a)                                                                                               \
    X(boxbod)                                                                                                \
    X(rat43)                                                                                                 \
    X(eckerle4)                                                                                              \
    X(pinene)                                                                                                \
    X(cracking)                                                                                              \
    X(epidemic)                                                                                              \
    X(solar)                                                                                                 \
    X(welded_beam)                                                                                           \
    X(spring)                                                                                                \
    X(reactor)                                                                                               \
    X(dosing)                                                                                                \
    X(beale)                                                                                                 \
    X(helical_valley)                                                                                        \
    X(box_3d)                                                                                                \
    X(powell_singular)                                                                                       \
    X(wood)                                                                                                  \
    X(biggs)                                                                                                 \
    X(wells)                                                                                                 \
    X(wells_stiff)                                                                                           \
    X(waves5)                                                                                                \
    X(waves6)                                                                                                \
    X(damped5)                                                                                               \
    X(damped50)                                                                                              \
    X(damped500)                                                                                             \
    X(environment_grid)                                                                                      \
    X(spills)                                                                                                \
    X(brusselator)                                                                                           \
    X(cell_network)                                                                                          \
    X(vessel_plates)                                                                                         \
    X(speed_reducer)                                                                                         \
    X(spring_wires)                                                                                          \
    X(beam_metals)                                                                                           \
    X(broyden15)                                                                                             \
    X(broyden20)                                                                                             \
    X(rosenbrock15)                                                                                          \
    X(rosenbrock20)

#define BENCH_PROBLEM_DECLARE(name) extern const bench_problem bench_##name;
BENCH_PROBLEM_LIST(BENCH_PROBLEM_DECLARE)
#undef BENCH_PROBLEM_DECLARE

/* Those of More and Wild by index from 0; NULL for any other index. */
const bench_problem *bench_more_wild(int index);

#endif
