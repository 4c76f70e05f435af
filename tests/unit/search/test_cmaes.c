#include "check.h"

#include "problems.h"
#include "search/cmaes.h"

enum { LARGEST = 10 };

typedef struct {
    double x[LARGEST], value; /* the minimum */
    int status;
} outcome;

/* Minimises on [low, high]^d from (start, ..., start). Checks that no point was outside the box. */
static outcome minimize(problem *p, const cmaes_settings *settings, uint64_t seed, double low, double high,
                        double start)
{
    double lower[LARGEST], upper[LARGEST];
    outcome out;
    for (int i = 0; i < LARGEST; i++) {
        lower[i] = low;
        upper[i] = high;
        out.x[i] = start;
    }
    p->lower = lower;
    p->upper = upper;
    random_stream stream = random_open(seed, RANDOM_TEST, 0, 0);
    double *work = memory_doubles(cmaes_work(settings, p->d));
    out.status = cmaes_maximize(problem_evaluate, p, settings, &stream, p->d, lower, upper, out.x, &out.value,
                                work);
    free(work);
    out.value = -out.value;
    assert_int_equal(p->outside, 0);
    for (int i = 0; i < p->d; i++) assert_true(out.x[i] >= low && out.x[i] <= high);
    return out;
}

static cmaes_settings usual(void)
{
    cmaes_settings settings;
    cmaes_defaults(&settings);
    return settings;
}

static void smooth_functions_are_minimised_from_every_seed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        problem_function function;
        int d, budget;
    } cases[] = {
        {"sphere", sphere, 1, 600},          {"sphere", sphere, 2, 900},
        {"sphere", sphere, 10, 3500},        {"ellipsoid", ellipsoid, 5, 6000},
        {"ellipsoid", ellipsoid, 10, 12000}, {"rosenbrock", rosenbrock, 2, 3000},
        {"rosenbrock", rosenbrock, 5, 8000},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double evaluations = 0, worst = 0;
        int missed = 0;
        for (uint64_t seed = 1; seed <= 10; seed++) {
            problem p = {.function = cases[k].function, .d = cases[k].d};
            cmaes_settings settings = usual();
            outcome out = minimize(&p, &settings, seed, -3, 4, -1.7);
            assert_int_equal(out.status, 0);
            evaluations += p.evaluations / 10.0;
            /* Rosenbrock's function has a second minimum, of value 3.93 in 5 dimensions, near (-1, 1, ...,
             * 1). */
            if (cases[k].function == rosenbrock && out.value > 1)
                missed++;
            else
                worst = fmax(worst, out.value);
        }
        print_message("%s %d: %.0f evaluations, worst %g, missed %d\n", cases[k].name, cases[k].d,
                      evaluations, worst, missed);
        assert_true(worst < 1e-12);
        assert_true(missed <= 4);
        assert_true(evaluations < cases[k].budget);
    }
}

static void a_large_population_finds_the_best_of_many_minima(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        problem p = {.function = rastrigin, .d = 3};
        cmaes_settings settings = usual();
        settings.population = 100;
        outcome out = minimize(&p, &settings, seed, -5, 5, 3.2);
        found += out.value < 1e-8;
    }
    print_message("rastrigin: %d of 20\n", found);
    assert_true(found >= 14);
}

/* Its minimum on [0, 1]^d: the odd coordinates at 0, the even ones inside. */
static double half_outside(int d, const double *x, double *gradient)
{
    double f = 0;
    for (int i = 0; i < d; i++) {
        double apart = x[i] - (i % 2 ? -0.7 : 0.4);
        f += (i + 1) * apart * apart;
        gradient[i] = 2 * (i + 1) * apart;
    }
    return f;
}

static void a_minimum_on_the_bounds_is_found_exactly_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        problem p = {.function = half_outside, .d = 6};
        cmaes_settings settings = usual();
        outcome out = minimize(&p, &settings, seed, 0, 1, 0.9);
        if (seed == 1) print_message("half outside: %d evaluations\n", p.evaluations);
        for (int i = 0; i < 6; i++) check_near(out.x[i], i % 2 ? 0 : 0.4, 1e-5);
        check_near(out.value, 12 * 0.49, 1e-8);
    }
}

static void coordinates_that_meet_their_bounds_early_come_back_inside(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        problem p = {.function = ellipsoid, .d = 6};
        cmaes_settings settings = usual();
        assert_true(minimize(&p, &settings, seed, -0.43, 0.57, -0.42).value < 1e-12);
    }
}

static void a_linear_function_ends_in_its_corner(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        problem p = {.function = linear, .d = 5};
        cmaes_settings settings = usual();
        outcome out = minimize(&p, &settings, seed, -2, 7, 1);
        if (seed == 1) print_message("linear: %d evaluations\n", p.evaluations);
        for (int i = 0; i < 5; i++) check_near(out.x[i], i % 2 ? 7 : -2, 1e-6);
    }
}

/* Constant in pieces: steps of the sphere's value. */
static double stairs(int d, const double *x, double *gradient)
{
    return floor(20 * sphere(d, x, gradient));
}

/* 1 but for a disc of radius 0.25 (5 % of the square) around (0.6, ..., 0.6), where it is 0. */
static double hole(int d, const double *x, double *gradient)
{
    double square = 0;
    for (int i = 0; i < d; i++) {
        square += (x[i] - 0.6) * (x[i] - 0.6);
        gradient[i] = 0;
    }
    return square < 0.0625 ? 0 : 1;
}

static void stairs_are_descended_to_the_bottom(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        problem p = {.function = stairs, .d = 4};
        cmaes_settings settings = usual();
        assert_true(minimize(&p, &settings, seed, -3, 4, 2.9).value == 0);
    }
}

static void a_search_that_begins_on_a_plateau_looks_farther_until_it_sees_the_hole(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        problem p = {.function = hole, .d = 2};
        cmaes_settings settings = usual();
        settings.sigma = 1e-3;
        found += minimize(&p, &settings, seed, -1, 1, -0.9).value == 0;
    }
    print_message("hole: %d of 20\n", found);
    assert_true(found >= 14);
}

static double constant(int d, const double *x, double *gradient)
{
    (void)x;
    memset(gradient, 0, (size_t)d * sizeof *gradient);
    return 3;
}

static void a_constant_function_ends_the_search_soon_at_its_start(void **state)
{
    (void)state;
    problem p = {.function = constant, .d = 3};
    cmaes_settings settings = usual();
    outcome out = minimize(&p, &settings, 1, 0, 1, 0.25);
    assert_true(out.value == 3);
    for (int i = 0; i < 3; i++) assert_true(out.x[i] == 0.25);
    assert_true(p.batches <= 40);
}

/* Infinite or not a number on most of the box. */
static double mostly_undefined(int d, const double *x, double *gradient)
{
    double f = sphere(d, x, gradient);
    return f < 9 ? f : x[0] > 0 ? NAN : INFINITY;
}

static void minus_infinity_and_nan_are_the_worst_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        problem p = {.function = mostly_undefined, .d = 3};
        cmaes_settings settings = usual();
        assert_true(minimize(&p, &settings, seed, -5, 5, 1.1).value < 1e-12);
    }
}

static void where_nothing_is_finite_the_start_is_handed_back(void **state)
{
    (void)state;
    static const double far = 1000;
    problem p = {.function = mostly_undefined, .d = 2};
    cmaes_settings settings = usual();
    outcome out = minimize(&p, &settings, 1, far, far + 1, far + 0.5);
    assert_int_equal(out.status, 0);
    assert_true(out.value == INFINITY && out.x[0] == far + 0.5 && out.x[1] == far + 0.5);
}

static void the_same_seed_gives_the_same_path_whatever_the_scale_of_the_objective(void **state)
{
    (void)state;
    problem p = {.function = rosenbrock, .d = 3}, again = p, scaled = p, other = p;
    scaled.scale = 0x1p-60;
    cmaes_settings settings = usual();
    outcome first = minimize(&p, &settings, 4, -2, 2, -1);
    outcome second = minimize(&again, &settings, 4, -2, 2, -1);
    outcome third = minimize(&scaled, &settings, 4, -2, 2, -1);
    outcome fourth = minimize(&other, &settings, 5, -2, 2, -1);
    assert_memory_equal(first.x, second.x, 3 * sizeof(double));
    assert_memory_equal(first.x, third.x, 3 * sizeof(double));
    assert_int_equal(p.evaluations, again.evaluations);
    assert_int_equal(p.evaluations, scaled.evaluations);
    assert_true(memcmp(first.x, fourth.x, 3 * sizeof(double)) != 0);
}

static void the_result_is_never_worse_than_the_start(void **state)
{
    (void)state;
    problem p = {.function = sphere, .d = 3};
    cmaes_settings settings = usual();
    settings.iterations = 1;
    outcome out = minimize(&p, &settings, 1, -1, 1, 0);
    assert_true(out.value == 0);
}

static void the_limits_on_iterations_and_evaluations_hold(void **state)
{
    (void)state;
    problem p = {.function = rosenbrock, .d = 4}, q = p, none = p;
    cmaes_settings settings = usual();
    settings.iterations = 7;
    settings.population = 9;
    minimize(&p, &settings, 1, -2, 2, 0);
    assert_int_equal(p.batches, 7);
    assert_int_equal(p.evaluations, 63);
    settings.evaluations = 40;
    minimize(&q, &settings, 1, -2, 2, 0);
    assert_int_equal(q.evaluations, 36);
    settings.evaluations = 8;
    assert_true(minimize(&none, &settings, 1, -2, 2, 0).value == INFINITY);
    assert_int_equal(none.evaluations, 0);
}

static void a_side_of_length_zero_stays(void **state)
{
    (void)state;
    double lower[3] = {-2, 0.5, -2}, upper[3] = {2, 0.5, 2}, x[3] = {1, 0.5, 1}, value;
    problem p = {.function = sphere, .d = 3, .lower = lower, .upper = upper};
    cmaes_settings settings = usual();
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    double *work = memory_doubles(cmaes_work(&settings, 3));
    cmaes_maximize(problem_evaluate, &p, &settings, &stream, 3, lower, upper, x, &value, work);
    free(work);
    assert_int_equal(p.outside, 0);
    assert_true(x[1] == 0.5);
    check_near(value, -0.25, 1e-10);
}

static void an_aborting_objective_ends_the_search_with_its_code_and_the_best_so_far(void **state)
{
    (void)state;
    problem first = {.function = sphere, .d = 2, .abort_at = 1},
            fifth = {.function = sphere, .d = 2, .abort_at = 5};
    cmaes_settings settings = usual();
    outcome out = minimize(&first, &settings, 1, -1, 1, 0.8);
    assert_int_equal(out.status, 77);
    assert_true(out.value == INFINITY && out.x[0] == 0.8 && out.x[1] == 0.8);
    out = minimize(&fifth, &settings, 1, -1, 1, 0.8);
    assert_int_equal(out.status, 77);
    assert_int_equal(fifth.batches, 5);
    assert_true(out.value < 1.28);
    check_close(out.value, out.x[0] * out.x[0] + out.x[1] * out.x[1], 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_functions_are_minimised_from_every_seed),
        cmocka_unit_test(a_large_population_finds_the_best_of_many_minima),
        cmocka_unit_test(a_minimum_on_the_bounds_is_found_exactly_there),
        cmocka_unit_test(coordinates_that_meet_their_bounds_early_come_back_inside),
        cmocka_unit_test(a_linear_function_ends_in_its_corner),
        cmocka_unit_test(stairs_are_descended_to_the_bottom),
        cmocka_unit_test(a_search_that_begins_on_a_plateau_looks_farther_until_it_sees_the_hole),
        cmocka_unit_test(a_constant_function_ends_the_search_soon_at_its_start),
        cmocka_unit_test(minus_infinity_and_nan_are_the_worst_values),
        cmocka_unit_test(where_nothing_is_finite_the_start_is_handed_back),
        cmocka_unit_test(the_same_seed_gives_the_same_path_whatever_the_scale_of_the_objective),
        cmocka_unit_test(the_result_is_never_worse_than_the_start),
        cmocka_unit_test(the_limits_on_iterations_and_evaluations_hold),
        cmocka_unit_test(a_side_of_length_zero_stays),
        cmocka_unit_test(an_aborting_objective_ends_the_search_with_its_code_and_the_best_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
