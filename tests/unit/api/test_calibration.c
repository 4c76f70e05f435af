/* The paper's environmental model (section "Environmental Model Function"), with the default
 * settings: the true parameters to 3 digits. */
#include "unit/api/valley.h"

enum { PARAMETERS = 4, OUTPUTS = 12 };
#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 1 };
#else
enum { SEEDS = 4 };
#endif

static const double TRUTH[PARAMETERS] = {10.0, 0.07, 1.505, 30.1525};

static int channel(const double *x, double *y, void *context)
{
    (void)context;
    static const double places[] = {0.0, 1.0, 2.5}, times[] = {15.0, 30.0, 45.0, 60.0};
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < OUTPUTS; i++) {
        double s = places[i / 4], t = times[i % 4], later = t - x[3];
        y[i] = x[0] / sqrt(4.0 * pi * x[1] * t) * exp(-s * s / (4.0 * x[1] * t));
        if (later > 0.0)
            y[i] += x[0] / sqrt(4.0 * pi * x[1] * later) *
                    exp(-(s - x[2]) * (s - x[2]) / (4.0 * x[1] * later));
    }
    return 0;
}

static int misfit(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dx, (void)context;
    double observed[OUTPUTS];
    channel(TRUTH, observed, NULL);
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < OUTPUTS; j++) {
            double rest = y[s * OUTPUTS + j] - observed[j];
            value[s] += rest * rest;
            if (dy) dy[s * OUTPUTS + j] = 2.0 * rest;
        }
    }
    return 0;
}

static void the_pollutant_is_calibrated_to_3_digits(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed < 11 + SEEDS; seed++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "M", 7.0, 13.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "D", 0.02, 0.12, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "L", 0.01, 3.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "tau", 30.01, 30.295, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, OUTPUTS);
        gofh_problem_minimize_function(problem, misfit, GOFH_GRADIENT_GIVEN, NULL);
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.stop = GOFH_STOPPING_NEVER;
        settings.seed = seed;
        settings.budget = 50;
        settings.target = 1e-10; /* the digits are there; the rest of the budget would only take time */
        gofh_study *study = study_of(problem, &settings);
        assert_true(gofh_optimize(study, channel, NULL) > 0);
        gofh_trial best;
        check_ok(study, gofh_study_best(study, &best));
        for (int k = 0; k < PARAMETERS; k++) check_close(best.x[k], TRUTH[k], 5e-4);
        if (getenv("GOFH_TEST_VERBOSE"))
            print_message("seed %d: misfit %.1e after %d\n", (int)seed, best.f, (int)gofh_study_count(study));
        gofh_study_free(study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_pollutant_is_calibrated_to_3_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
