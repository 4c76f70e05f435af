/* The 53 problems of More and Wild against what others publish of them. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "bench/problems.h"

static bench_instance *open_number(int number)
{
    char name[16];
    snprintf(name, sizeof name, "mw%02d", number);
    const bench_problem *problem = bench_problem_find(name);
    assert_non_null(problem);
    return bench_problem_open(problem, 0);
}

/* Length of the gradient of f, by central differences with steps that suit the sizes of parameters here. */
static double gradient_length(const bench_instance *instance, const double *at)
{
    double x[BENCH_MAX_PARAMETERS], sum = 0;
    int d = instance->problem->d;
    memcpy(x, at, (size_t)d * sizeof *x);
    for (int k = 0; k < d; k++) {
        double step = 1e-6 * fmax(fabs(at[k]), 0.1);
        x[k] = at[k] + step;
        double above = bench_value(instance, x);
        x[k] = at[k] - step;
        double slope = (above - bench_value(instance, x)) / (2 * step);
        x[k] = at[k];
        sum += slope * slope;
    }
    return sqrt(sum);
}

/* From testout.dat of github.com/POptUS/BenDFO, the authors' own: at x0 f, |sum of sin(residual)|,
 * which depends on every residual, and half the length of the gradient. Six digits are printed. */
static void values_at_the_starts_are_those_of_the_authors(void **state)
{
    (void)state;
    static const struct {
        int n, m;
        double f, sines, gradient;
    } published[53] = {
        {9, 45, 7.20000e+01, 3.89810e+01, 6.00000e+00},  {9, 45, 1.12500e+03, 2.58910e+01, 3.30000e+01},
        {7, 35, 1.16542e+07, 3.01738e-02, 4.93224e+06},  {7, 35, 1.16859e+09, 9.02594e-02, 4.93894e+07},
        {7, 35, 4.98920e+06, 1.75299e+00, 2.37189e+06},  {7, 35, 5.00936e+08, 1.29603e+00, 2.37668e+07},
        {2, 2, 2.42000e+01, 1.76010e+00, 1.16434e+02},   {2, 2, 1.79577e+06, 5.73708e-01, 3.21892e+05},
        {3, 3, 2.50000e+03, 2.62375e-01, 9.39818e+02},   {3, 3, 1.06000e+04, 1.15637e+00, 1.03263e+03},
        {4, 4, 2.15000e+02, 5.19619e-01, 2.29388e+02},   {4, 4, 1.61540e+06, 5.99763e-03, 2.26240e+05},
        {2, 2, 4.00500e+02, 1.58307e+00, 6.36177e+02},   {2, 2, 1.54575e+08, 8.42386e-02, 2.24811e+07},
        {3, 15, 4.16817e+01, 1.14814e+01, 4.23154e+01},  {3, 15, 1.30623e+03, 1.17771e+00, 1.39344e+02},
        {4, 11, 5.31317e-03, 6.34876e-03, 6.71720e-02},  {3, 16, 1.69361e+09, 2.31469e+00, 4.36383e+10},
        {6, 31, 1.64308e+01, 1.10835e+01, 5.78196e+01},  {6, 31, 2.32337e+06, 3.62974e+00, 4.08680e+05},
        {9, 31, 2.69042e+01, 5.02304e-01, 4.60322e+01},  {9, 31, 8.15888e+06, 2.29489e+00, 1.17010e+06},
        {12, 31, 7.36782e+01, 5.24893e-01, 1.05247e+02}, {12, 31, 2.05938e+07, 1.53377e+00, 2.55210e+06},
        {3, 10, 1.03115e+03, 2.36456e-01, 7.46382e+01},  {2, 10, 4.17131e+03, 3.19960e+00, 4.68544e+04},
        {4, 20, 7.92669e+06, 3.66264e-01, 1.07025e+06},  {4, 20, 3.08106e+11, 1.62342e+00, 4.57662e+09},
        {6, 6, 4.64282e-02, 1.56529e-01, 6.41837e-01},   {7, 7, 3.37706e-02, 1.73325e-01, 4.36739e-01},
        {8, 8, 3.86177e-02, 6.89787e-02, 7.62295e-01},   {9, 9, 2.88830e-02, 9.43605e-02, 6.10372e-01},
        {10, 10, 3.37633e-02, 5.48911e-03, 6.65036e-01}, {11, 11, 2.67406e-02, 3.01591e-02, 6.41685e-01},
        {10, 10, 2.73248e+02, 5.50892e+00, 1.72271e+02}, {5, 33, 1.61741e+01, 1.30040e+01, 5.60596e+02},
        {11, 65, 2.09342e+00, 1.96037e+00, 2.94582e+00}, {11, 65, 1.99685e+02, 3.09177e+01, 1.73084e+01},
        {8, 8, 9.04000e+02, 7.64733e-01, 7.92252e+02},   {10, 12, 1.35600e+03, 1.14710e+00, 1.12361e+03},
        {11, 14, 1.58200e+03, 1.33828e+00, 1.28352e+03}, {12, 16, 1.80800e+03, 1.52947e+00, 1.44129e+03},
        {5, 5, 5.65000e+01, 2.76567e+00, 4.98930e+01},   {6, 6, 7.05625e+01, 3.33723e+00, 5.07662e+01},
        {8, 8, 9.86875e+01, 4.48035e+00, 5.24689e+01},   {5, 5, 2.53908e+09, 8.32656e-01, 7.01101e+07},
        {5, 5, 6.87380e+12, 1.06850e+00, 3.66381e+09},   {8, 8, 3.36796e+09, 1.93919e+00, 8.04373e+07},
        {10, 10, 3.73513e+09, 8.93730e-01, 8.45407e+07}, {12, 12, 3.99107e+09, 1.95876e+00, 8.72597e+07},
        {12, 12, 1.13001e+13, 1.33103e+00, 4.69788e+09}, {8, 8, 9.38567e+00, 8.21472e-01, 1.07454e+02},
        {8, 8, 3.36582e+10, 2.15289e-01, 6.25189e+09},
    };
    for (int i = 0; i < 53; i++) {
        bench_instance *instance = open_number(i + 1);
        const bench_problem *problem = instance->problem;
        assert_int_equal(problem->d, published[i].n);
        assert_int_equal(problem->m, published[i].m);
        double y[BENCH_MAX_OUTPUTS], sines = 0;
        assert_int_equal(bench_observe(instance, problem->start, 1, y), 0);
        for (int j = 0; j < problem->m; j++) sines += sin(y[j]);
        check_close(bench_value(instance, problem->start), published[i].f, 5e-6);
        check_close(fabs(sines), published[i].sines, 5e-6);
        check_close(gradient_length(instance, problem->start) / 2, published[i].gradient, 2e-5);
        bench_problem_close(instance);
    }
}

/* Those of More, Garbow and Hillstrom that lie in the boxes; closed forms of the linear ones. */
static void optima_are_the_published_ones_where_the_boxes_have_them(void **state)
{
    (void)state;
    static const struct {
        int number;
        double optimum;
    } cases[] = {
        {1, 45 - 9},
        {2, 45 - 9},
        {3, 35 * 34 / (2 * 71.0)},
        {4, 35 * 34 / (2 * 71.0)},
        {5, (35 * 35 + 3 * 35 - 6) / (2 * 67.0)},
        {6, (35 * 35 + 3 * 35 - 6) / (2 * 67.0)},
        {7, 0},
        {8, 0},
        {9, 0},
        {10, 0},
        {11, 0},
        {12, 0},
        {14, 0},
        {15, 8.21487e-3},
        {16, 8.21487e-3},
        {17, 3.07505e-4},
        {18, 87.9458},
        {19, 2.28767e-3},
        {20, 2.28767e-3},
        {22, 1.39976e-6},
        {25, 0},
        {26, 124.362},
        {27, 85822.2},
        {28, 85822.2},
        {29, 0},
        {30, 0},
        {31, 3.51687e-3},
        {32, 0},
        {35, 0},
        {36, 5.46489e-5},
        {37, 4.01377e-2},
        {38, 4.01377e-2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_instance *instance = open_number(cases[i].number);
        check_close(instance->optimum, cases[i].optimum, 3e-6);
        bench_problem_close(instance);
    }
}

/* Watson's unbounded minima are outside: 1.39976e-6 for n = 9, 4.72238e-10 for n = 12. */
static void bounds_raise_an_optimum_that_lies_outside(void **state)
{
    (void)state;
    static const struct {
        int number;
        double unbounded;
    } cases[] = {{13, 0}, {21, 1.39976e-6}, {23, 4.72238e-10}, {24, 4.72238e-10}};
    for (int i = 0; i < 4; i++) {
        bench_instance *instance = open_number(cases[i].number);
        const bench_parameter *parameters = instance->problem->parameters;
        assert_true(instance->optimum > 1.1 * cases[i].unbounded);
        int at_bound = 0;
        for (int k = 0; k < instance->problem->d; k++)
            at_bound += instance->optimiser[k] == parameters[k].lower ||
                        instance->optimiser[k] == parameters[k].upper;
        assert_int_equal(at_bound, 1);
        bench_problem_close(instance);
    }
}

static void parameters_are_within_two_and_a_half_times_their_starts(void **state)
{
    (void)state;
    bench_instance *meyer = open_number(18), *heart = open_number(53);
    check_near(meyer->problem->parameters[0].lower, 0.02 - 2.5, 1e-15);
    check_near(meyer->problem->parameters[1].upper, 14000, 0);
    check_near(meyer->problem->parameters[2].lower, -375, 0);
    check_near(heart->problem->parameters[4].lower, -42, 1e-14); /* x0 = -12 */
    check_near(heart->problem->parameters[4].upper, 18, 1e-14);
    bench_problem_close(meyer);
    bench_problem_close(heart);
}

static void an_evaluation_that_overflows_fails(void **state)
{
    (void)state;
    bench_instance *osborne = open_number(36);
    double x[5], y[BENCH_MAX_OUTPUTS];
    memcpy(x, osborne->problem->start, sizeof x);
    x[3] = osborne->problem->parameters[3].lower; /* exp(320 * 2.49) */
    assert_int_not_equal(bench_observe(osborne, x, 1, y), 0);
    assert_true(isnan(bench_value(osborne, x)));
    bench_problem_close(osborne);
}

static int count_set(const char *set)
{
    int count = 0;
    for (int i = 0; bench_problem_at(i); i++) count += bench_problem_in_set(i, set);
    return count;
}

static void sets_have_the_problems_that_their_names_say(void **state)
{
    (void)state;
    assert_int_equal(count_set("paper"), 5);
    assert_int_equal(count_set("more-wild"), 53);
    assert_int_equal(count_set("more-wild-even"), 26);
    assert_int_equal(count_set("more-wild-odd"), 27);
    assert_int_equal(count_set("more-wild-small"), 20);
    for (int i = 0; bench_problem_at(i); i++) {
        const char *name = bench_problem_at(i)->name;
        if (bench_problem_in_set(i, "more-wild")) assert_non_null(bench_problem_at(i)->start);
        if (strcmp(name, "mw02") == 0) assert_int_equal(bench_problem_in_set(i, "more-wild-even"), 1);
        if (strcmp(name, "mw53") == 0) assert_int_equal(bench_problem_in_set(i, "more-wild-odd"), 1);
        if (bench_problem_in_set(i, "more-wild-small")) assert_true(bench_problem_at(i)->d <= 5);
    }
    assert_int_equal(bench_problem_in_set(0, "more-tame"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_at_the_starts_are_those_of_the_authors),
        cmocka_unit_test(optima_are_the_published_ones_where_the_boxes_have_them),
        cmocka_unit_test(bounds_raise_an_optimum_that_lies_outside),
        cmocka_unit_test(parameters_are_within_two_and_a_half_times_their_starts),
        cmocka_unit_test(an_evaluation_that_overflows_fails),
        cmocka_unit_test(sets_have_the_problems_that_their_names_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
