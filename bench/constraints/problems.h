/* Two standard constrained problems, beside the welded beam and the spring of bench/problems. */
#ifndef BENCH_CONSTRAINTS_PROBLEMS_H
#define BENCH_CONSTRAINTS_PROBLEMS_H

#include "bench/problems.h"

/* Simulation 1 of Gardner et al. (2014): both functions are outputs. */
extern const bench_problem bench_gardner;
/* The pressure vessel (Sandgren 1990, Kannan and Kramer 1994) with continuous thicknesses: cost and
 * volume are outputs, the thickness that the radius asks for is known. */
extern const bench_problem bench_pressure_vessel;

#endif
