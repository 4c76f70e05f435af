/* Standard constrained problems, solved through the public interface with constraints as
 * constraints. */
#include "bench/constraints/problems.h"
#include "bench/problems/family.h"
#include "check.h"

#include <string.h>

/* Whether all constraints hold at x and, in *f, the objective, by formulas of the test's own. */
static int gardner(const double *x, double *f)
{
    *f = cos(2.0 * x[0]) * cos(x[1]) + sin(x[0]);
    return cos(x[0] + x[1]) <= 0.5; /* the addition theorem */
}

static int vessel(const double *x, double *f)
{
    const double pi = acos(-1.0);
    *f = 0.6224 * x[0] * x[2] * x[3] + 1.7781 * x[1] * x[2] * x[2] + 3.1661 * x[0] * x[0] * x[3] +
         19.84 * x[0] * x[0] * x[2];
    return x[0] >= 0.0193 * x[2] && x[1] >= 0.00954 * x[2] &&
           pi * x[2] * x[2] * (x[3] + 4.0 / 3.0 * x[2]) >= 1296000.0;
}

static void no_point_of_a_fine_grid_beats_the_optimum_of_gardner_and_some_come_near(void **state)
{
    (void)state;
    double least = INFINITY, x[2], f;
    for (int i = 0; i <= 3000; i++)
        for (int j = 0; j <= 3000; j++) {
            x[0] = 0.002 * i;
            x[1] = 0.002 * j;
            if (gardner(x, &f)) least = fmin(least, f);
        }
    assert_true(least >= bench_gardner.optimum);
    /* Half a spacing off in x1 only, for x2 is on its bound: f'' there is 5. */
    check_near(least, bench_gardner.optimum, 2.5 * 0.001 * 0.001);
    assert_true(gardner(bench_gardner.optimiser, &f));
    check_near(f, bench_gardner.optimum, 1e-15);
}

/* The cost grows with both thicknesses, so they are what the radius asks for; and with radius and
 * length, so the volume is what is asked for. That leaves one dimension. */
static double vessel_of_radius(double radius, double *x)
{
    const double pi = acos(-1.0);
    x[0] = 0.0193 * radius;
    x[1] = 0.00954 * radius;
    x[2] = radius;
    x[3] = fmax(10.0, 1296000.0 / (pi * radius * radius) - 4.0 / 3.0 * radius);
    double f;
    vessel(x, &f);
    return x[3] <= 200.0 ? f : INFINITY;
}

static void the_optimum_of_the_pressure_vessel_is_that_of_a_scan(void **state)
{
    (void)state;
    double least = INFINITY, at = 0.0, x[4], f;
    for (int i = 0; i <= 1000000; i++) {
        double radius = 10.0 + 190.0 * i / 1e6, cost = vessel_of_radius(radius, x);
        if (cost < least) {
            least = cost;
            at = radius;
        }
    }
    /* The least radius whose length is in bounds: by bisection between the scan's best and the one
     * before it. */
    double low = at - 190e-6, high = at;
    for (int i = 0; i < 80; i++) {
        double middle = 0.5 * (low + high);
        if (isfinite(vessel_of_radius(middle, x)))
            high = middle;
        else
            low = middle;
    }
    check_close(vessel_of_radius(high, x), bench_pressure_vessel.optimum, 1e-12);
    check_close(bench_pressure_vessel.optimum, 5885.3327736, 1e-11); /* as published */
    for (int k = 0; k < 4; k++) check_close(bench_pressure_vessel.optimiser[k], x[k], 1e-10);
    vessel(bench_pressure_vessel.optimiser, &f);
    check_close(f, bench_pressure_vessel.optimum, 1e-14);
}

/* The least relative regret of a feasible point in `budget` evaluations. */
static double regret_after(const bench_problem *problem, const char *method, int seed, int budget)
{
    gofh_problem *described = gofh_problem_create();
    gofh_settings settings;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    gofh_trial best;
    for (int k = 0; k < problem->d; k++)
        gofh_problem_add_parameter(described, problem->parameters[k].name, problem->parameters[k].lower,
                                   problem->parameters[k].upper, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(described, problem->m);
    gofh_problem_minimize(described, problem->objective);
    for (int i = 0; problem->constraints[i]; i++)
        gofh_problem_add_constraint(described, problem->constraints[i]);
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.seed = (uint64_t)seed;
    settings.budget = budget;
    settings.hyper_samples = 3;
    gofh_study_create(&study, described, &settings, &error);
    assert_string_equal(error.message, "");
    gofh_problem_free(described);
    assert_int_equal(gofh_optimize(study, problem->h, NULL), GOFH_STOP_BUDGET);
    assert_int_equal(gofh_study_best(study, &best), GOFH_OK);
    double f = best.f;
    /* What is called best is feasible, and has the value it is said to have. */
    if (problem == &bench_gardner || problem == &bench_pressure_vessel) {
        double check;
        assert_true(problem == &bench_gardner ? gardner(best.x, &check) : vessel(best.x, &check));
        check_close(f, check, 1e-13);
    }
    gofh_study_free(study);
    return (f - problem->optimum) / fabs(problem->optimum);
}

static void check_found(const bench_problem *problem, const char *method, int seeds, int budget,
                        double tolerance)
{
    for (int seed = 1; seed <= seeds; seed++) {
        double regret = regret_after(problem, method, seed, budget);
        if (!(regret <= tolerance))
            print_error("%s by %s, seed %d: %.3g\n", problem->name, method, seed, regret);
        assert_true(regret <= tolerance);
        assert_true(regret >= -1e-12);
    }
}

static void gofh_finds_the_constrained_optimum_of_gardner(void **state)
{
    (void)state;
    check_found(&bench_gardner, "gofh", 2, 35, 1e-6);
}

static void ei_cf_finds_the_constrained_optimum_of_gardner(void **state)
{
    (void)state;
    check_found(&bench_gardner, "ei-cf", 1, 35, 1e-3);
}

static void gofh_finds_the_pressure_vessel(void **state)
{
    (void)state;
    check_found(&bench_pressure_vessel, "gofh", 2, 35, 1e-6);
}

static void ei_cf_finds_the_pressure_vessel(void **state)
{
    (void)state;
    check_found(&bench_pressure_vessel, "ei-cf", 1, 40, 3e-2);
}

static void gofh_finds_the_welded_beam(void **state)
{
    (void)state;
    check_found(&bench_welded_beam, "gofh", 2, 40, 1e-4);
}

static void gofh_finds_the_spring(void **state)
{
    (void)state;
    check_found(&bench_spring, "gofh", 2, 50, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_point_of_a_fine_grid_beats_the_optimum_of_gardner_and_some_come_near),
        cmocka_unit_test(the_optimum_of_the_pressure_vessel_is_that_of_a_scan),
        cmocka_unit_test(gofh_finds_the_constrained_optimum_of_gardner),
        cmocka_unit_test(ei_cf_finds_the_constrained_optimum_of_gardner),
        cmocka_unit_test(gofh_finds_the_pressure_vessel),
        cmocka_unit_test(ei_cf_finds_the_pressure_vessel),
        cmocka_unit_test(gofh_finds_the_welded_beam),
        cmocka_unit_test(gofh_finds_the_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
