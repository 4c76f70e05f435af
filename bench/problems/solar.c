/* The single-diode model of a solar cell, fitted to the measured curve of Easwarakhanthan et al.
 * (1986): the RTC France cell at 33 degrees C. */
#include <math.h>

#include "bench/problems/family.h"

/* k T / q in volts */
static const double thermal_voltage = 1.380649e-23 * 306.15 / 1.602176634e-19;

/* The current I at voltage V: photo - saturation (exp(w / (ideality kT/q)) - 1) - w / shunt - I =
 * 0, w = V + I series. The left side falls and is concave in I, so that Newton's method comes down
 * to the root from any point above it. */
static double current(double voltage, const double *x)
{
    double photo = x[0], saturation = x[1], slope = 1 / (x[2] * thermal_voltage), series = x[3], shunt = x[4];
    double root = photo + 1;
    for (int i = 0; i < 100; i++) {
        double inner = voltage + root * series, diode = saturation * exp(inner * slope);
        double balance = photo + saturation - diode - inner / shunt - root;
        double step = balance / (diode * series * slope + series / shunt + 1);
        root += step;
        /* Quadratic: this was the last step that counts. */
        if (fabs(step) < 1e-12 * (1 + fabs(root))) break;
    }
    return root;
}

static int solar_h(const double *x, double *y, void *instance)
{
    (void)instance;
    static const double voltage[26] = {-0.2057, -0.1291, -0.0588, 0.0057, 0.0646, 0.1185, 0.1678,
                                       0.2132,  0.2545,  0.2924,  0.3269, 0.3585, 0.3873, 0.4137,
                                       0.4373,  0.4590,  0.4784,  0.4960, 0.5119, 0.5265, 0.5398,
                                       0.5521,  0.5633,  0.5736,  0.5833, 0.5900};
    for (int j = 0; j < 26; j++) y[j] = current(voltage[j], x);
    return 0;
}

const bench_problem bench_solar = {
    .name = "solar",
    .description = "A solar cell's 5 diode parameters from its measured curve (RTC France)",
    .d = 5,
    .m = 26,
    .parameters = (const bench_parameter[]){{"photo", 0.5, 1, 0},
                                            {"saturation", 1e-8, 1e-6, GOFH_SCALE_LOG},
                                            {"ideality", 1.2, 2, 0},
                                            {"series", 0.01, 0.1, 0},
                                            {"shunt", 10, 100, 0}},
    .objective = "sum((y - observed)^2)",
    .least_squares = 1,
    .h = solar_h,
    .g = bench_least_squares,
    .observed = (const double[]){0.7640, 0.7620, 0.7605, 0.7605, 0.7600, 0.7590,  0.7570,  0.7570, 0.7555,
                                 0.7540, 0.7505, 0.7465, 0.7385, 0.7280, 0.7065,  0.6755,  0.6320, 0.5730,
                                 0.4990, 0.4130, 0.3165, 0.2120, 0.1035, -0.0100, -0.1230, -0.2100},
    .optimum = 1.5536005989510315e-05,
    .optimiser = (const double[]){0.76078796659124814, 3.106845847509598e-07, 1.4772693339854563,
                                  0.036546945487656371, 52.889788785680189},
};
