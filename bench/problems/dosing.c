/* A dose of 320 mg by mouth, one compartment with first-order absorption and elimination: the
 * concentration in the blood at the times of Boeckmann's theophylline study. Each measurement of h
 * has normal noise of 0.1 mg/l; the curve to be met is exact, and so is the regret. */
#include <math.h>

#include "bench/problems/family.h"

static int dosing_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double hours[10] = {0.25, 0.57, 1.12, 2.02, 3.82, 5.1, 7.03, 9.05, 12.12, 24.37};
    double absorption = x[0], elimination = x[1], volume = x[2];
    double scale = 320 * absorption / (volume * (absorption - elimination));
    for (int j = 0; j < 10; j++) y[j] = scale * (exp(-elimination * hours[j]) - exp(-absorption * hours[j]));
    return 0;
}

const bench_problem bench_dosing = {
    .name = "dosing",
    .description = "Noisy outputs: absorption, elimination and volume from 10 blood samples",
    .d = 3,
    .m = 10,
    .parameters = (const bench_parameter[]){{"absorption", 0.5, 4, GOFH_SCALE_LOG},
                                            {"elimination", 0.02, 0.25, GOFH_SCALE_LOG},
                                            {"volume", 15, 60, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .noise = 0.1,
    .h = dosing_h,
    .g = bench_least_squares,
    .truth = (const double[]){1.5, 0.08, 33},
};
