/* Certifies the optima: by literature, by random points, and by local searches of its own from many
 * starts. */
#include "check.h"

#include <string.h>

#include "bench/problems.h"
#include "unit/bench/points.h"

enum { D = BENCH_MAX_PARAMETERS, M = BENCH_MAX_OUTPUTS };

/* f, always to be minimised, at u in the unit cube. */
static double objective(const bench_instance *instance, const double *u)
{
    double x[D];
    bench_point(instance->problem, u, x);
    double value = bench_value(instance, x);
    if (isnan(value)) return INFINITY; /* the evaluation failed */
    return instance->problem->maximise ? -value : value;
}

static double target(const bench_instance *instance)
{
    return instance->problem->maximise ? -instance->optimum : instance->optimum;
}

/* What 1e-12 means: relative, and for an optimum of 0 the square of a residual of 1e-10. In those of
 * More and Wild residuals at the optimum are small differences of large terms (Meyer, Watson): rounding
 * shows earlier. */
static double tolerance(const bench_instance *instance)
{
    if (instance->optimum == 0) return 1e-20;
    if (instance->problem->start) return 1e-11 * instance->optimum + 1e-17;
    return 1e-12 * fabs(instance->optimum);
}

static double clip(double u)
{
    return fmin(1, fmax(0, u));
}

static void optima_are_those_that_others_found(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double optimum, digits;
    } cases[] = {
        {"langermann", 4.155809291847785, 1e-15},
        {"kowalik", 3.0750560385e-4, 5e-11}, /* NIST's MGH09 */
        {"bard", 8.21487e-3, 1e-6},          /* More, Garbow and Hillstrom */
        {"brown-dennis", 85822.2, 1e-6},
        {"osborne1", 5.46489e-5, 1e-6},
        {"misra1a", 1.2455138894e-1, 5e-11}, /* NIST, certified */
        {"boxbod", 1.1680088766e3, 5e-11},
        {"rat43", 8.7864049080e3, 5e-11},
        {"eckerle4", 1.4635887487e-3, 5e-11},
        /* SciPy on exact solutions; COPS 3.0 has the first 5 digits. */
        {"pinene", 19.8721669, 1e-8},
        {"cracking", 5.23659583e-3, 1e-8},
        {"solar", 26 * 7.7300627e-4 * 7.7300627e-4, 1e-7}, /* from the root mean square error */
        {"welded-beam", 1.724852308597, 1e-12},
        {"spring", 0.012665232788, 1e-10},
        /* Published, and found again by bench/mixed/optima.py. */
        {"vessel-plates", 6059.714335, 1e-10},
        {"speed-reducer", 2994.471066, 1e-9},
        {"spring-wires", 2.65855917, 1e-8},
        {"beam-metals", 1.9553, 1e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_instance *instance = bench_problem_open(bench_problem_find(cases[i].name), 0);
        check_close(instance->optimum, cases[i].optimum, cases[i].digits);
        bench_problem_close(instance);
    }
}

static void nist_parameters_are_the_certified_ones(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int d;
        double b[4];
    } cases[] = {
        {"misra1a", 2, {2.3894212918e2, 5.5015643181e-4}},
        {"boxbod", 2, {2.1380940889e2, 5.4723748542e-1}},
        {"rat43", 4, {6.9964151270e2, 5.2771253025, 7.5962938329e-1, 1.2792483859}},
        {"eckerle4", 3, {1.5543827178, 4.0888321754, 4.5154121844e2}},
        {"kowalik", 4, {1.9280693458e-1, 1.9128232873e-1, 1.2305650693e-1, 1.3606233068e-1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_instance *instance = bench_problem_open(bench_problem_find(cases[i].name), 0);
        for (int k = 0; k < cases[i].d; k++) check_close(instance->optimiser[k], cases[i].b[k], 1e-8);
        check_close(bench_value(instance, cases[i].b), instance->optimum, 1e-12);
        bench_problem_close(instance);
    }
}

/* f where searches start in the literature, as published. */
static void values_at_the_usual_starts_are_the_published_ones(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double x[6], value, digits;
    } cases[] = {
        {"beale", {1, 1}, 14.203125, 1e-14},
        {"helical-valley", {-1, 0, 0}, 2500, 1e-14},
        {"powell-singular", {3, -1, 0, 1}, 215, 1e-14},
        {"wood", {-3, -1, -3, -1}, 19192, 1e-14},
        {"box-3d", {0, 10, 20}, 1031.154, 1e-6},
        {"biggs", {1, 2, 1, 1, 1, 1}, 0.77907, 1e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_instance *instance = bench_problem_open(bench_problem_find(cases[i].name), 0);
        check_close(bench_value(instance, cases[i].x), cases[i].value, cases[i].digits);
        bench_problem_close(instance);
    }
}

static void f_at_the_optimiser_is_the_optimum(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        for (int number = 0; number < (problem->drawn ? 5 : 1); number++) {
            bench_instance *instance = bench_problem_open(problem, number);
            check_near(bench_value(instance, instance->optimiser), instance->optimum, tolerance(instance));
            check_near(bench_regret(instance, instance->optimiser), 0, tolerance(instance));
            bench_problem_close(instance);
        }
    }
}

static void no_random_point_beats_the_optimum(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *instance = bench_problem_open(problem, 0);
        double best = target(instance) - tolerance(instance), u[D];
        for (uint64_t number = 0; number < (uint64_t)points_of(problem, RANDOM_POINTS); number++) {
            for (int k = 0; k < problem->d; k++) u[k] = bench_random_uniform(number, (uint64_t)k);
            assert_true(objective(instance, u) >= best);
        }
        bench_problem_close(instance);
    }
}

static void no_point_near_the_optimiser_beats_it(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        bench_instance *instance = bench_problem_open(problem, 0);
        double best = target(instance) - tolerance(instance), centre[D], u[D];
        to_unit(problem, instance->optimiser, centre);
        for (int number = 0; number < points_of(problem, RANDOM_POINTS / 10); number++) {
            double radius = pow(10, -1 - number % 6);
            for (int k = 0; k < problem->d; k++) {
                u[k] = clip(centre[k] + radius * bench_random_normal((uint64_t)number, (uint64_t)k));
            }
            assert_true(objective(instance, u) >= best);
        }
        bench_problem_close(instance);
    }
}

/* matrix (n x n, row stride D) solution = right side, by elimination with pivoting; both are
 * overwritten. */
static void solve(double matrix[D][D], double *right, int n)
{
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int row = i + 1; row < n; row++) {
            if (fabs(matrix[row][i]) > fabs(matrix[pivot][i])) pivot = row;
        }
        for (int j = 0; j < n; j++) {
            double swap = matrix[i][j];
            matrix[i][j] = matrix[pivot][j];
            matrix[pivot][j] = swap;
        }
        double swap = right[i];
        right[i] = right[pivot];
        right[pivot] = swap;
        for (int row = i + 1; row < n; row++) {
            double ratio = matrix[row][i] / matrix[i][i];
            for (int j = i; j < n; j++) matrix[row][j] -= ratio * matrix[i][j];
            right[row] -= ratio * right[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) right[i] -= matrix[i][j] * right[j];
        right[i] /= matrix[i][i];
    }
}

static double residuals(bench_instance *instance, const double *u, double *residual)
{
    double x[D], y[M], sum = 0;
    bench_point(instance->problem, u, x);
    if (instance->problem->h(x, y, instance) != 0) return INFINITY;
    bench_residuals(instance, y, residual);
    for (int j = 0; j < instance->problem->m; j++) sum += residual[j] * residual[j];
    return sum;
}

/* Levenberg and Marquardt's method in the unit cube, with differences for the Jacobian. */
static double levenberg_marquardt(bench_instance *instance, double *u)
{
    int d = instance->problem->d, m = instance->problem->m;
    double residual[M], jacobian[D][M], next[M], damping = 1e-2, value = residuals(instance, u, residual);
    for (int round = 0; round < 500 && value > 1e-25 && damping < 1e8; round++) {
        double normal[D][D], slope[D] = {0};
        for (int k = 0; k < d; k++) {
            double at = u[k], step = 1e-6, above[M], below[M];
            u[k] = at + step;
            residuals(instance, u, above); /* one-sided at a bound: bench_point keeps to it */
            u[k] = at - step;
            residuals(instance, u, below);
            u[k] = at;
            double width = fmin(1, at + step) - fmax(0, at - step);
            for (int j = 0; j < m; j++) {
                jacobian[k][j] = (above[j] - below[j]) / width;
                slope[k] += jacobian[k][j] * residual[j];
            }
        }
        for (int k = 0; k < d; k++) {
            int held = (u[k] <= 0 && slope[k] > 0) || (u[k] >= 1 && slope[k] < 0);
            for (int j = 0; held && j < m; j++) jacobian[k][j] = 0;
            if (held) slope[k] = 0;
        }
        int moved = 0;
        while (!moved && damping < 1e8) {
            double step[D], trial[D];
            for (int k = 0; k < d; k++) {
                for (int l = 0; l < d; l++) {
                    normal[k][l] = 0;
                    for (int j = 0; j < m; j++) normal[k][l] += jacobian[k][j] * jacobian[l][j];
                }
                normal[k][k] += damping * normal[k][k] + 1e-300;
                step[k] = -slope[k];
            }
            solve(normal, step, d);
            for (int k = 0; k < d; k++) trial[k] = clip(u[k] + step[k]);
            double at = residuals(instance, trial, next);
            moved = at < value * (1 - 1e-15);
            damping *= moved ? 0.2 : 4;
            if (!moved) continue;
            value = at;
            memcpy(u, trial, sizeof trial);
            memcpy(residual, next, sizeof next);
        }
    }
    return value;
}

/* Nelder and Mead's method in the unit cube, for f without residuals. */
static double nelder_mead(const bench_instance *instance, double *start, double size)
{
    int d = instance->problem->d;
    double corner[D + 1][D], value[D + 1];
    for (int i = 0; i <= d; i++) {
        memcpy(corner[i], start, (size_t)d * sizeof(double));
        if (i < d) corner[i][i] += corner[i][i] > 0.5 ? -size : size;
        value[i] = objective(instance, corner[i]);
    }
    for (int round = 0; round < 600; round++) {
        int best = 0, worst = 0, second = 0;
        for (int i = 1; i <= d; i++) {
            if (value[i] < value[best]) best = i;
            if (value[i] >= value[worst]) worst = i;
        }
        if (value[worst] - value[best] <= 1e-16 * fabs(value[best])) break;
        second = best;
        for (int i = 0; i <= d; i++) {
            if (i != worst && value[i] > value[second]) second = i;
        }
        double centre[D] = {0}, reflected[D], other[D];
        for (int i = 0; i <= d; i++) {
            for (int k = 0; i != worst && k < d; k++) centre[k] += corner[i][k] / d;
        }
        for (int k = 0; k < d; k++) reflected[k] = clip(2 * centre[k] - corner[worst][k]);
        double at = objective(instance, reflected);
        double reach = at < value[best] ? 2 : at < value[worst] ? 0.5 : -0.5;
        for (int k = 0; k < d; k++) other[k] = clip(centre[k] + reach * (centre[k] - corner[worst][k]));
        double beyond = at < value[second] && at >= value[best] ? INFINITY : objective(instance, other);
        if (fmin(at, beyond) < value[worst]) {
            memcpy(corner[worst], at < beyond ? reflected : other, sizeof other);
            value[worst] = fmin(at, beyond);
            continue;
        }
        for (int i = 0; i <= d; i++) {
            for (int k = 0; i != best && k < d; k++) corner[i][k] = (corner[i][k] + corner[best][k]) / 2;
            if (i != best) value[i] = objective(instance, corner[i]);
        }
    }
    int best = 0;
    for (int i = 1; i <= d; i++) {
        if (value[i] < value[best]) best = i;
    }
    memcpy(start, corner[best], (size_t)d * sizeof(double));
    return value[best];
}

static void local_searches_find_the_optima_of_least_squares_and_nothing_better(void **state)
{
    (void)state;
    int index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        if (!problem->least_squares || problem->start) continue;
        if (problem->m > 500) continue; /* a planted optimum of 0, and too long a search */
        bench_instance *instance = bench_problem_open(problem, 0);
        double best = INFINITY, best_u[D];
        for (uint64_t start = 0; start < 20; start++) {
            double u[D] = {0};
            for (int k = 0; k < problem->d; k++) u[k] = bench_random_uniform(100 + start, (uint64_t)k);
            double value = levenberg_marquardt(instance, u);
            if (value < best) memcpy(best_u, u, sizeof u);
            best = fmin(best, value);
        }
        /* Brown and Dennis' residuals are too large for a method that neglects their curvature. */
        for (int i = 0; i < 3; i++) best = fmin(best, nelder_mead(instance, best_u, 1e-3));
        check_near(best, target(instance), tolerance(instance));
        bench_problem_close(instance);
    }
}

/* The optima of these are the best that many more searches found (bench/more_wild_optima.py); some have many
 * local minima, or valleys that these few do not come to the end of. */
static void local_searches_find_nothing_better_than_the_optima_of_more_and_wild(void **state)
{
    (void)state;
    int reached = 0, index = 0;
    for (const bench_problem *problem; (problem = bench_problem_at(index)) != NULL; index++) {
        if (!problem->start) continue;
        bench_instance *instance = bench_problem_open(problem, 0);
        double best = INFINITY, u[D] = {0};
        for (uint64_t start = 0; start < 6; start++) {
            for (int k = 0; k < problem->d; k++)
                u[k] = start ? bench_random_uniform(100 + start, (uint64_t)k)
                             : 0.5; /* the start is the centre */
            best = fmin(best, levenberg_marquardt(instance, u));
        }
        assert_true(best >= target(instance) - tolerance(instance));
        reached += best <= target(instance) + 1e-7 * bench_regret(instance, problem->start);
        bench_problem_close(instance);
    }
    assert_true(reached >= 45); /* the searches do get somewhere */
}

static double best_of_searches(const bench_instance *instance, int starts)
{
    double best = INFINITY;
    for (int start = 0; start < starts; start++) {
        double u[D];
        for (int k = 0; k < instance->problem->d; k++) {
            u[k] = bench_random_uniform(100 + (uint64_t)start, (uint64_t)k);
        }
        nelder_mead(instance, u, 0.05);
        best = fmin(best, nelder_mead(instance, u, 1e-3));
    }
    return best;
}

static void local_searches_find_the_optima_of_other_problems_and_nothing_better(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int starts, instances;
    } cases[] = {{"langermann", 300, 1}, {"reactor", 20, 1}, {"gp2", 30, 2}, {"gp2-mixed", 30, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int number = 0; number < cases[i].instances; number++) {
            bench_instance *instance = bench_problem_open(bench_problem_find(cases[i].name), number);
            check_near(best_of_searches(instance, cases[i].starts), target(instance), tolerance(instance));
            bench_problem_close(instance);
        }
    }
}

static void local_searches_find_nothing_better_than_the_best_designs(void **state)
{
    (void)state;
    const char *names[2] = {"welded-beam", "spring"};
    for (int i = 0; i < 2; i++) {
        bench_instance *instance = bench_problem_open(bench_problem_find(names[i]), 0);
        double found = best_of_searches(instance, 100);
        assert_true(found >= target(instance) - tolerance(instance));
        assert_true(found < 1.2 * target(instance)); /* the searches do get somewhere */
        bench_problem_close(instance);
    }
}

/* The cost and what must not rise above 0, of those that are 0 at the best design. */
static void beam_active(bench_instance *beam, const double *x, double *value)
{
    double y[M];
    beam->problem->h(x, y, beam);
    value[0] = 1.10471 * x[0] * x[0] * x[1] + 0.04811 * x[2] * x[3] * (14 + x[1]);
    value[1] = y[0] / 13600 - 1;
    value[2] = y[1] / 30000 - 1;
    value[3] = 1 - y[3] / 6000;
    value[4] = x[0] - x[3];
}

static void spring_active(bench_instance *spring, const double *x, double *value)
{
    double y[M];
    spring->problem->h(x, y, spring);
    memcpy(value, y, 3 * sizeof *value);
}

/* The gradient of the cost is minus a combination of those of the active constraints, all with
 * multipliers above 0. */
static void check_multipliers(const char *name, int active,
                              void (*evaluate)(bench_instance *, const double *, double *))
{
    bench_instance *instance = bench_problem_open(bench_problem_find(name), 0);
    int d = instance->problem->d;
    double gradient[5][D], x[D], normal[D][D] = {{0}}, multiplier[D] = {0}, size = 0;
    memcpy(x, instance->optimiser, sizeof x);
    for (int k = 0; k < d; k++) {
        double at = x[k], step = 1e-6 * at, above[5], below[5];
        evaluate(instance, x, above);
        for (int i = 1; i <= active; i++) check_near(above[i], 0, 1e-13);
        x[k] = at + step;
        evaluate(instance, x, above);
        x[k] = at - step;
        evaluate(instance, x, below);
        x[k] = at;
        /* In relative changes of x, so that the gradients are of one size. */
        for (int i = 0; i <= active; i++) gradient[i][k] = (above[i] - below[i]) / (2 * step) * at;
    }
    for (int i = 0; i < active; i++) {
        for (int k = 0; k < d; k++) {
            multiplier[i] -= gradient[i + 1][k] * gradient[0][k];
            for (int j = 0; j < active; j++) normal[i][j] += gradient[i + 1][k] * gradient[j + 1][k];
        }
    }
    solve(normal, multiplier, active);
    for (int i = 0; i < active; i++) assert_true(multiplier[i] > 0);
    for (int k = 0; k < d; k++) size = fmax(size, fabs(gradient[0][k]));
    for (int k = 0; k < d; k++) {
        double rest = gradient[0][k];
        for (int i = 0; i < active; i++) rest += multiplier[i] * gradient[i + 1][k];
        check_near(rest, 0, 1e-6 * size);
    }
    bench_problem_close(instance);
}

static void the_best_designs_meet_the_conditions_of_karush_kuhn_and_tucker(void **state)
{
    (void)state;
    check_multipliers("welded-beam", 4, beam_active);
    check_multipliers("spring", 2, spring_active);
}

/* The cost of a beam grows with its length, so that of all values of the others the least feasible
 * length is wanted: that of each on a fine grid is never below the optimum, and the best comes near. */
static void no_beam_of_all_values_beats_the_optimum(void **state)
{
    (void)state;
    bench_instance *instance = bench_problem_open(bench_problem_find("beam-metals"), 0);
    double best = INFINITY;
    for (int metal = 0; metal < 4; metal++)
        for (int depth = 0; depth <= 288; depth++)
            for (int width = 1; width <= 32; width++) {
                double x[6] = {0, metal, 0.0625, 0.1, 2 + depth / 16.0, width / 16.0}, y[5];
                instance->problem->h(x, y, instance);
                if (y[2] > 1 || y[3] > 0.25 || y[4] < 6000) continue; /* whatever the weld */
                if (y[0] > 1.2 * instance->optimum) continue;         /* with the least weld there is */
                for (int weld = 1; weld <= width && weld <= 8; weld++)
                    for (int joint = 0; joint < 2; joint++)
                        for (double length = 0.1; length < 4; length += 0.01) {
                            x[0] = joint;
                            x[2] = weld / 16.0;
                            x[3] = length;
                            double value = bench_value(instance, x);
                            best = fmin(best, value);
                            if (isfinite(value)) break;
                        }
            }
    assert_true(best >= instance->optimum && best < instance->optimum * (1 + 5e-3));
    bench_problem_close(instance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optima_are_those_that_others_found),
        cmocka_unit_test(nist_parameters_are_the_certified_ones),
        cmocka_unit_test(values_at_the_usual_starts_are_the_published_ones),
        cmocka_unit_test(f_at_the_optimiser_is_the_optimum),
        cmocka_unit_test(no_beam_of_all_values_beats_the_optimum),
        cmocka_unit_test(no_random_point_beats_the_optimum),
        cmocka_unit_test(no_point_near_the_optimiser_beats_it),
        cmocka_unit_test(local_searches_find_the_optima_of_least_squares_and_nothing_better),
        cmocka_unit_test(local_searches_find_nothing_better_than_the_optima_of_more_and_wild),
        cmocka_unit_test(local_searches_find_the_optima_of_other_problems_and_nothing_better),
        cmocka_unit_test(local_searches_find_nothing_better_than_the_best_designs),
        cmocka_unit_test(the_best_designs_meet_the_conditions_of_karush_kuhn_and_tucker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
