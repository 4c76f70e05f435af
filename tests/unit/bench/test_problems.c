#include "check.h"

#include <string.h>

#include "bench/problems.h"
#include "bench/problems/random.h"
#include "bench/problems/runge_kutta.h"
#include "unit/bench/points.h"

static int h(bench_instance *instance, const double *x, double *y)
{
    return instance->problem->h(x, y, instance);
}

static double g(bench_instance *instance, const double *y, const double *x)
{
    double value;
    assert_int_equal(instance->problem->g(y, x, 1, &value, NULL, NULL, instance), 0);
    return value;
}

static bench_instance *open_named(const char *name)
{
    const bench_problem *problem = bench_problem_find(name);
    assert_non_null(problem);
    return bench_problem_open(problem, 0);
}

static void problems_are_found_by_their_names(void **state)
{
    (void)state;
    const char *paper[] = {"gp1", "gp2", "langermann", "rosenbrock", "environment"};
    for (int i = 0; i < 5; i++) assert_string_equal(bench_problem_at(i)->name, paper[i]);
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        assert_ptr_equal(bench_problem_find(problem->name), problem);
    }
    assert_true(index >= 15);
    assert_null(bench_problem_at(-1));
    assert_null(bench_problem_find("no such problem"));
}

static void descriptions_are_complete_and_within_the_limits(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        assert_true(problem->d >= 1 && problem->d <= BENCH_MAX_PARAMETERS);
        assert_true(problem->m >= 2 && problem->m <= BENCH_MAX_OUTPUTS);
        assert_true(problem->description && strlen(problem->description) < 100);
        assert_true(problem->objective && problem->h && problem->g);
        bench_instance *instance = bench_problem_open(problem, 0);
        for (int k = 0; k < problem->d; k++) {
            const bench_parameter *parameter = &problem->parameters[k];
            assert_true(parameter->name && parameter->lower < parameter->upper);
            assert_true(parameter->scale == GOFH_SCALE_LINEAR || parameter->lower > 0);
            assert_true(instance->optimiser[k] >= parameter->lower);
            assert_true(instance->optimiser[k] <= parameter->upper);
        }
        for (int i = 0; i < instance->data_count; i++) {
            assert_non_null(strstr(problem->objective, instance->data[i].name));
            assert_int_equal(instance->data[i].count, problem->m);
        }
        bench_problem_close(instance);
    }
}

/* Where outputs overflow in parts of the box, and the evaluation fails instead: Meyer's and Osborne's
 * functions. */
static int may_fail(const bench_problem *problem)
{
    static const char *const names[] = {"mw18", "mw36", "mw37", "mw38"};
    for (int i = 0; i < 4; i++)
        if (strcmp(problem->name, names[i]) == 0) return 1;
    return 0;
}

static void h_is_finite_at_corners_and_inside(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *instance = bench_problem_open(problem, 0);
        int corners = points_of(problem, 1 << (problem->d < 12 ? problem->d : 12));
        for (int trial = 0; trial < corners + points_of(problem, 1000); trial++) {
            double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS];
            random_point(problem, (uint64_t)trial, x);
            for (int k = 0; trial < corners && k < problem->d; k++) {
                x[k] = trial >> k % 12 & 1 ? problem->parameters[k].upper : problem->parameters[k].lower;
            }
            if (may_fail(problem) && h(instance, x, y) != 0) continue;
            assert_int_equal(h(instance, x, y), 0);
            for (int j = 0; j < problem->m; j++) assert_true(isfinite(y[j]));
        }
        bench_problem_close(instance);
    }
}

/* Compares the slope of g in *at, an element of y or x, with a central difference. */
static void check_slope(bench_instance *instance, const double *y, const double *x, double *at, double slope)
{
    double start = *at, step = 1e-5 * fmax(fabs(start), 1e-2), value = g(instance, y, x);
    *at = start + step;
    double above = g(instance, y, x);
    *at = start - step;
    double below = g(instance, y, x);
    *at = start;
    if (!isfinite(above) || !isfinite(below)) return; /* next to what is infeasible */
    double rounding = 1e-15 * fabs(value) / step;
    check_near(slope, (above - below) / (2 * step), 1e-6 * fmax(fabs(slope), 1e-3) + 10 * rounding);
}

static void gradients_of_g_match_central_differences(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *instance = bench_problem_open(problem, 0);
        int checked = 0, stride = problem->m > 500 ? 500 : 1;
        for (uint64_t trial = 0; checked < 20 && trial < 60000; trial++) {
            double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS], dy[BENCH_MAX_OUTPUTS], value;
            double dx[BENCH_MAX_PARAMETERS] = {0};
            random_point(problem, trial, x);
            if (h(instance, x, y) != 0) continue;
            assert_int_equal(problem->g(y, x, 1, &value, dy, dx, instance), 0);
            assert_true(value == g(instance, y, x));
            if (!isfinite(value)) {
                for (int j = 0; j < problem->m; j++) assert_true(dy[j] == 0);
                continue;
            }
            for (int j = 0; j < problem->m; j += stride) check_slope(instance, y, x, &y[j], dy[j]);
            for (int k = 0; k < problem->d; k++) check_slope(instance, y, x, &x[k], dx[k]);
            checked++;
        }
        assert_int_equal(checked, 20);
        bench_problem_close(instance);
    }
}

static void g_on_a_batch_is_g_on_each_row(void **state)
{
    (void)state;
    enum { ROWS = 7 };
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *instance = bench_problem_open(problem, 0);
        int d = problem->d, m = problem->m;
        double x[ROWS * BENCH_MAX_PARAMETERS], y[ROWS * BENCH_MAX_OUTPUTS], value[ROWS];
        double dy[ROWS * BENCH_MAX_OUTPUTS], dx[ROWS * BENCH_MAX_PARAMETERS] = {0};
        for (int i = 0; i < ROWS; i++) {
            random_point(problem, (uint64_t)i, x + i * d);
            if (i % 2 == 1 || h(instance, x + i * d, y + i * m) != 0) {
                memcpy(x + i * d, instance->optimiser, (size_t)d * sizeof *x);
                h(instance, x + i * d, y + i * m);
            }
        }
        problem->g(y, x, ROWS, value, dy, dx, instance);
        for (int i = 0; i < ROWS; i++) {
            double one, one_dy[BENCH_MAX_OUTPUTS], one_dx[BENCH_MAX_PARAMETERS] = {0};
            problem->g(y + i * m, x + i * d, 1, &one, one_dy, one_dx, instance);
            assert_true(one == value[i]);
            for (int j = 0; j < m; j++) assert_true(one_dy[j] == dy[i * m + j]);
            for (int k = 0; k < d; k++) assert_true(one_dx[k] == dx[i * d + k]);
        }
        bench_problem_close(instance);
    }
}

static void residuals_of_least_squares_sum_to_f(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        if (!problem->least_squares) continue;
        bench_instance *instance = bench_problem_open(problem, 0);
        double x[BENCH_MAX_PARAMETERS], y[BENCH_MAX_OUTPUTS], residual[BENCH_MAX_OUTPUTS], sum = 0;
        random_point(problem, 1, x);
        if (h(instance, x, y) != 0) memcpy(x, instance->optimiser, sizeof x), h(instance, x, y);
        bench_residuals(instance, y, residual);
        for (int j = 0; j < problem->m; j++) sum += residual[j] * residual[j];
        check_close(fabs(bench_value(instance, x)), sum, 1e-14);
        bench_problem_close(instance);
    }
}

static void values_match_an_independent_implementation(void **state)
{
    (void)state;
    /* From numpy, and from SciPy's expm and DOP853 at tolerances of 1e-13. */
    static const struct {
        const char *name;
        double x[BENCH_MAX_PARAMETERS];
        int output; /* -1: f */
        double value, tolerance;
    } cases[] = {
        {"langermann", {3.3, 7.1}, -1, 0.02394528953879828, 1e-13},
        {"rosenbrock", {-1.2, 1, 0.5, -0.7, 1.9}, -1, -341.4, 1e-13},
        {"environment", {8.5, 0.05, 2.2, 30.2}, -1, -2.777327333560094, 1e-13},
        {"pinene", {4e-5, 5e-5, 1e-5, 3e-4, 1e-4}, 35, 3.7711130099348, 1e-9},
        {"pinene", {4e-5, 5e-5, 1e-5, 3e-4, 1e-4}, 37, 12.509208603593, 1e-9},
        {"pinene", {4e-5, 5e-5, 1e-5, 3e-4, 1e-4}, 39, 36.645446873111, 1e-9},
        {"cracking", {7, 5, 2}, 3, 0.52631578947369, 1e-9},
        {"cracking", {7, 5, 2}, 23, 0.2749297987471, 1e-9},
        {"cracking", {7, 5, 2}, 39, 0.032174756238106, 1e-9},
        {"epidemic", {0.4, 0.1, 5}, 19, 393.92991867138, 1e-7},
        {"epidemic", {0.4, 0.1, 5}, 99, 0.53753201583167, 1e-7},
        {"environment-grid", {8.5, 0.05, 2.2, 30.2}, -1, -28692.682453540074, 1e-12},
        {"spills",
         {9, 1, 0.5, 10, 2, 12, 11, 0.5, 23.2, 8, 1.5, 34.5, 12, 2.5, 46},
         500,
         9.714208211000116,
         1e-12},
        {"brusselator", {0.8, 2.5, 1.2, 0.07}, 1000, 0.4432628303674318, 1e-11},
        {"brusselator", {0.8, 2.5, 1.2, 0.07}, 4096 + 77, 3.1217813852038874, 1e-11},
        {"cell-network",
         {4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,
          33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47},
         1234,
         -62.8891682064415,
         1e-12},
        {"cell-network",
         {4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,
          33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47},
         2500 + 99,
         -75.50193835195991,
         1e-11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_instance *instance = open_named(cases[i].name);
        double y[BENCH_MAX_OUTPUTS];
        h(instance, cases[i].x, y);
        double value = cases[i].output < 0 ? bench_value(instance, cases[i].x) : y[cases[i].output];
        check_close(value, cases[i].value, cases[i].tolerance);
        bench_problem_close(instance);
    }
}

static void models_keep_their_balances(void **state)
{
    (void)state;
    const double cell[5] = {0.7, 2e-7, 1.4, 0.05, 40};
    double y[BENCH_MAX_OUTPUTS];
    bench_instance *solar = open_named("solar");
    h(solar, cell, y);
    double inner = 0.59 + y[25] * 0.05, thermal = 306.15 * 8.617333262145179e-5; /* k/q in V/K */
    check_near(0.7 - 2e-7 * expm1(inner / (1.4 * thermal)) - inner / 40, y[25], 1e-13);
    bench_problem_close(solar);

    bench_instance *reactor = open_named("reactor");
    h(reactor, (const double[]){380, 3}, y);
    check_near(y[0] + y[1] + y[2] + 2 * y[3], 1, 1e-15);
    bench_problem_close(reactor);

    bench_instance *pinene = open_named("pinene");
    h(pinene, pinene->optimiser, y);
    for (const double *c = y; c < y + 40; c += 5) check_near(c[0] + c[1] + c[2] + c[3] + c[4], 100, 1e-11);
    bench_problem_close(pinene);
}

static void decay(const double *at, const double *parameters, double *rate)
{
    rate[0] = -parameters[0] * at[0];
}

static void runge_kutta_is_of_fourth_order(void **state)
{
    (void)state;
    double rate = 2, error[2];
    for (int i = 0; i < 2; i++) {
        double at = 1;
        bench_runge_kutta(decay, &rate, 1, &at, 1, 20 << i);
        error[i] = fabs(at - exp(-2));
    }
    check_near(error[0] / error[1], 16, 1);
}

static void an_instance_opened_twice_is_identical(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *first = bench_problem_open(problem, 3), *second = bench_problem_open(problem, 3);
        assert_memory_equal(&first->optimum, &second->optimum, sizeof first->optimum);
        assert_memory_equal(first->optimiser, second->optimiser, sizeof first->optimiser);
        assert_memory_equal(first->observed, second->observed, sizeof first->observed);
        double x[BENCH_MAX_PARAMETERS], y[2][BENCH_MAX_OUTPUTS];
        random_point(problem, 5, x);
        bench_observe(first, x, 4, y[0]);
        bench_observe(second, x, 4, y[1]);
        assert_memory_equal(y[0], y[1], (size_t)problem->m * sizeof(double));
        bench_problem_close(first);
        bench_problem_close(second);
    }
}

static void instances_differ_only_where_they_are_drawn_or_noisy(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *first = bench_problem_open(problem, 0), *second = bench_problem_open(problem, 1);
        double x[BENCH_MAX_PARAMETERS], y[2][BENCH_MAX_OUTPUTS];
        random_point(problem, 5, x);
        bench_observe(first, x, 0, y[0]);
        bench_observe(second, x, 0, y[1]);
        for (int j = 0; j < problem->m; j++) {
            assert_int_equal(y[0][j] != y[1][j], problem->drawn || problem->noise > 0);
        }
        bench_problem_close(first);
        bench_problem_close(second);
    }
}

static void noise_is_normal_and_keyed_by_the_evaluation(void **state)
{
    (void)state;
    enum { EVALUATIONS = 5000 };
    bench_instance *instance = open_named("dosing");
    int m = instance->problem->m, count = EVALUATIONS * m;
    double exact[BENCH_MAX_OUTPUTS], y[BENCH_MAX_OUTPUTS], sum = 0, squares = 0, lagged = 0, previous = 0;
    h(instance, instance->optimiser, exact);
    for (int64_t evaluation = 0; evaluation < EVALUATIONS; evaluation++) {
        bench_observe(instance, instance->optimiser, evaluation, y);
        for (int j = 0; j < m; j++) {
            double noise = (y[j] - exact[j]) / instance->problem->noise;
            sum += noise;
            squares += noise * noise;
            lagged += noise * previous;
            previous = noise;
        }
    }
    check_near(sum / count, 0, 5 / sqrt(count));
    check_near(squares / count, 1, 5 * sqrt(2.0 / count));
    check_near(lagged / count, 0, 5 / sqrt(count));
    assert_true(bench_regret(instance, instance->optimiser) == 0);
    bench_problem_close(instance);
}

static void what_breaks_a_constraint_is_infinitely_bad(void **state)
{
    (void)state;
    bench_instance *beam = open_named("welded-beam"), *spring = open_named("spring");
    double x[4];
    memcpy(x, beam->optimiser, sizeof x);
    x[0] = x[3] + 1e-6; /* a weld thicker than the beam, which only the parameters tell */
    assert_true(bench_value(beam, x) == INFINITY);
    memcpy(x, beam->optimiser, sizeof x);
    x[2] -= 1e-6;
    assert_true(bench_value(beam, x) == INFINITY);
    memcpy(x, spring->optimiser, 3 * sizeof *x);
    x[2] -= 1e-6;
    assert_true(bench_value(spring, x) == INFINITY);
    bench_problem_close(beam);
    bench_problem_close(spring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_found_by_their_names),
        cmocka_unit_test(descriptions_are_complete_and_within_the_limits),
        cmocka_unit_test(h_is_finite_at_corners_and_inside),
        cmocka_unit_test(gradients_of_g_match_central_differences),
        cmocka_unit_test(g_on_a_batch_is_g_on_each_row),
        cmocka_unit_test(residuals_of_least_squares_sum_to_f),
        cmocka_unit_test(values_match_an_independent_implementation),
        cmocka_unit_test(models_keep_their_balances),
        cmocka_unit_test(runge_kutta_is_of_fourth_order),
        cmocka_unit_test(an_instance_opened_twice_is_identical),
        cmocka_unit_test(instances_differ_only_where_they_are_drawn_or_noisy),
        cmocka_unit_test(noise_is_normal_and_keyed_by_the_evaluation),
        cmocka_unit_test(what_breaks_a_constraint_is_infinitely_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
