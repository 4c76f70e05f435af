#include "report/sobol.h"

#include "unit/report/pages.h"

static const double PI = 3.14159265358979323846;

typedef double (*function)(const double *u);

/* Indices of a function that is evaluated exactly. */
static void indices_of(function f, int n, int d, sobol_index *index)
{
    int points = sobol_points(n, d);
    double *u = calloc((size_t)(points * d), sizeof *u), *value = calloc((size_t)points, sizeof *value);
    assert_non_null(u);
    assert_non_null(value);
    assert_int_equal(sobol_sample(1, n, d, u), 0);
    for (int i = 0; i < points; i++) value[i] = f(u + (size_t)i * (size_t)d);
    assert_int_equal(sobol_indices(1, n, d, u, value, NULL, NULL, index), 0);
    free(u);
    free(value);
}

/* Of a + sum c_k u_k the variance is that of uniforms, c_k^2 / 12 each; nothing interacts. */
static double linear(const double *u)
{
    return 5.0 + 4.0 * u[0] + 2.0 * u[1] + 1.0 * u[2];
}

static void a_linear_function_has_the_shares_of_its_squared_slopes(void **state)
{
    (void)state;
    static const double share[3] = {16.0 / 21.0, 4.0 / 21.0, 1.0 / 21.0};
    sobol_index index[3];
    indices_of(linear, 1024, 3, index);
    for (int k = 0; k < 3; k++) {
        check_near(index[k].first, share[k], 0.01); /* three digits of 1024 quasi-random points */
        check_near(index[k].total, share[k], 0.01);
        assert_true(fabs(index[k].first - share[k]) < 3.0 * index[k].first_error);
        assert_true(fabs(index[k].total - share[k]) < 3.0 * index[k].total_error);
    }
}

/* Ishigami and Homma (1990), a = 7, b = 0.1, on [-pi, pi]^3. */
static double ishigami(const double *u)
{
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = PI * (2.0 * u[k] - 1.0);
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4.0) * sin(x[0]);
}

/* Its indices in closed form. */
static void ishigami_indices(double first[3], double total[3])
{
    double a = 7.0, b = 0.1, p4 = pow(PI, 4.0), p8 = p4 * p4;
    double v1 = 0.5 * (1.0 + b * p4 / 5.0) * (1.0 + b * p4 / 5.0), v2 = a * a / 8.0,
           v13 = b * b * p8 * (1.0 / 18.0 - 1.0 / 50.0), all = v1 + v2 + v13;
    first[0] = v1 / all;
    first[1] = v2 / all;
    first[2] = 0.0;
    total[0] = (v1 + v13) / all;
    total[1] = v2 / all;
    total[2] = v13 / all;
}

static void ishigami_has_its_indices_in_closed_form(void **state)
{
    (void)state;
    double first[3], total[3];
    sobol_index index[3];
    ishigami_indices(first, total);
    check_near(first[0], 0.3139, 1e-4); /* as tabulated by Saltelli et al. (2008) */
    check_near(total[2], 0.2437, 1e-4);
    indices_of(ishigami, 4096, 3, index);
    for (int k = 0; k < 3; k++) {
        check_near(index[k].first, first[k], 0.02);
        check_near(index[k].total, total[k], 0.02);
        assert_true(fabs(index[k].first - first[k]) < 3.0 * index[k].first_error);
    }
}

static double constant(const double *u)
{
    (void)u;
    return 3.5;
}

static void a_constant_has_no_indices(void **state)
{
    (void)state;
    sobol_index index[2];
    indices_of(constant, 64, 2, index);
    assert_true(isnan(index[0].first) && isnan(index[1].total));
}

/* The errors of an emulator are in the errors of its indices: the truth is the values plus an error of
 * that size. */
static double with_error(const double *u)
{
    return linear(u) + 1.0 * sin(9.0 * u[0] + 5.0 * u[1] + 2.0 * u[2]);
}

static void the_errors_of_the_emulator_are_in_those_of_the_indices(void **state)
{
    (void)state;
    enum { N = 512, D = 3, POINTS = N * (D + 2) };
    static double u[POINTS * D], value[POINTS], deviation[POINTS];
    static const double length[D] = {0.2, 0.3, 0.5};
    sobol_index exact[D], emulated[D], truth[D];
    assert_int_equal(sobol_sample(1, N, D, u), 0);
    for (int i = 0; i < POINTS; i++) {
        value[i] = linear(u + (ptrdiff_t)i * D);
        deviation[i] = sqrt(0.5); /* of a sine */
    }
    assert_int_equal(sobol_indices(1, N, D, u, value, NULL, NULL, exact), 0);
    assert_int_equal(sobol_indices(1, N, D, u, value, deviation, length, emulated), 0);
    indices_of(with_error, N, D, truth);
    for (int k = 0; k < D; k++) {
        check_near(emulated[k].first, exact[k].first, 0.0); /* those of the mean */
        assert_true(emulated[k].total_error > exact[k].total_error);
        assert_true(fabs(truth[k].first - emulated[k].first) < 3.0 * emulated[k].first_error);
        assert_true(fabs(truth[k].total - emulated[k].total) < 3.0 * emulated[k].total_error);
    }
}

/* The report's own numbers: an emulator that has learned a linear function knows its indices. */
static void a_report_gives_the_indices_of_a_linear_function(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    report_parameter parameters[2] = {{"a", -1.0, 1.0, GOFH_SCALE_LINEAR, 0, NULL, NULL},
                                      {"b", 1.0, 100.0, GOFH_SCALE_LOG, 0, NULL, NULL}};
    for (int k = 0; k < 2; k++)
        gofh_problem_add_parameter(problem, parameters[k].name, parameters[k].lower, parameters[k].upper,
                                   parameters[k].scale);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
    gofh_problem_free(problem);
    for (int i = 0; i < 20; i++) {
        double u[2] = {fmod(0.618034 * i, 1.0), (i + 0.5) / 20.0};
        double x[2] = {2.0 * u[0] - 1.0, pow(100.0, u[1])}, y = 3.0 * u[0] + u[1];
        assert_int_equal(gofh_study_import(study, x, &y, NULL), GOFH_OK);
    }
    const report_output output = {"y", 1};
    const report_input input = {.study = study,
                                .parameters = parameters,
                                .parameter_count = 2,
                                .outputs = &output,
                                .output_count = 1,
                                .objective = "y[0]",
                                .sense = GOFH_MINIMIZE};
    char *text = page_of(&input);
    double found[4];
    const char *at = strstr(text, "<tbody>\n<tr><td class=\"t\"><code>a</code></td><td>0.9");
    assert_non_null(at);
    int read = sscanf(
        at,
        "<tbody>\n<tr><td class=\"t\"><code>a</code></td><td>%lf <small>± %lf</small></td><td>%lf "
        "<small>± %lf</small>",
        &found[0], &found[1], &found[2], &found[3]);
    assert_int_equal(read, 4);
    check_near(found[0], 0.9, 0.03); /* 9 / 10, of 256 points */
    check_near(found[2], 0.9, 0.03);
    assert_true(found[1] < 0.1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_function_has_the_shares_of_its_squared_slopes),
        cmocka_unit_test(ishigami_has_its_indices_in_closed_form),
        cmocka_unit_test(a_constant_has_no_indices),
        cmocka_unit_test(the_errors_of_the_emulator_are_in_those_of_the_indices),
        cmocka_unit_test(a_report_gives_the_indices_of_a_linear_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
