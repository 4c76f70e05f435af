/* What outputs are compared with, as the expressions say; and the objective where constraints do
 * not hold. */
#include "unit/api/valley.h"

enum { SIZE = 3, MOST = 24 };

static const double MEASURED[SIZE] = {2.0, 3.0, 5.0}, SIGMA[SIZE] = {0.1, 0.2, 0.4}, OTHER[SIZE] = {7, 8, 9};
static const double UNIT = 0.5;

/* Outputs p (1), T (3), q (3), and the data above. */
static gofh_study *study_that(const char *objective, const char *constraint)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "p", 1);
    gofh_problem_add_output(problem, "T", SIZE);
    gofh_problem_add_output(problem, "q", SIZE);
    gofh_problem_set_data(problem, "sigma", SIGMA, SIZE);
    gofh_problem_set_data(problem, "measured", MEASURED, SIZE);
    gofh_problem_set_data(problem, "other", OTHER, SIZE);
    gofh_problem_set_data(problem, "unit", &UNIT, 1);
    gofh_problem_minimize(problem, objective);
    if (constraint) gofh_problem_add_constraint(problem, constraint);
    return study_of(problem, NULL);
}

static int compared(const char *objective, const char *constraint, gofh_comparison *list)
{
    gofh_study *study = study_that(objective, constraint);
    int count;
    check_ok(study, gofh_study_comparisons(study, list, MOST, &count));
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++) /* outlives the study */
        list[i].data = !list[i].data                           ? NULL
                       : strcmp(list[i].data, "measured") == 0 ? "measured"
                       : strcmp(list[i].data, "other") == 0    ? "other"
                                                               : "?";
    gofh_study_free(study);
    return count;
}

/* T is compared with measured, element by element, and deviates by what is given (NULL: by nothing
 * that is told). */
static void check_measured(const char *objective, const char *constraint, const double *deviation)
{
    gofh_comparison list[MOST];
    int count = compared(objective, constraint, list);
    if (count != SIZE) print_error("%s: %d comparisons\n", objective, count);
    assert_int_equal(count, SIZE);
    for (int i = 0; i < SIZE; i++) {
        assert_int_equal(list[i].output, 1 + i);
        assert_string_equal(list[i].data, "measured");
        check_near(list[i].value, MEASURED[i], 1e-14 * MEASURED[i]);
        if (deviation)
            check_near(list[i].deviation, deviation[i], 1e-14 * deviation[i]);
        else
            assert_true(isnan(list[i].deviation));
    }
}

static void data_that_are_subtracted_are_compared(void **state)
{
    (void)state;
    check_measured("sum((T - measured)^2)", NULL, NULL);
    check_measured("sum((measured - T)^2)", NULL, NULL);
    check_measured("sum(abs(T - measured))", NULL, NULL);
    check_measured("max(abs(-T + measured)) + p", NULL, NULL);
    check_measured("norm(T - measured)", NULL, NULL);
    check_measured("mean(((T - measured) / 4)^2)", NULL, NULL);
    check_measured("sum(sigma * (T - measured)^2)", NULL, NULL);
    check_measured("-exp(-dot(T - measured, T - measured)) + a^2", NULL, NULL);
    check_measured("(T[0] - measured[0])^2 + sum((T[1:3] - measured[1:3])^2)", NULL, NULL);
}

static void what_divides_the_difference_is_its_deviation(void **state)
{
    (void)state;
    static const double tenth[SIZE] = {0.2, 0.3, 0.5}, half[SIZE] = {0.5, 0.5, 0.5};
    check_measured("sum(((T - measured) / sigma)^2)", NULL, SIGMA);
    check_measured("sum(abs((measured - T) / sigma))", NULL, SIGMA);
    check_measured("sum((T - measured)^2 / sigma^2)", NULL, SIGMA);
    check_measured("sum(((T - measured) * (1 / sigma))^2)", NULL, SIGMA);
    check_measured("sum(((T - measured) / (0.1 * measured))^2)", NULL, tenth);
    check_measured("sum(((T - measured) / unit)^2)", NULL, half);
}

static void what_makes_a_misfit_relative_is_no_deviation(void **state)
{
    (void)state;
    check_measured("sum((T / measured - 1)^2)", NULL, NULL);
    check_measured("sum(((T - measured) / measured)^2)", NULL, NULL);
    check_measured("sum(((T - measured) / max(measured))^2)", NULL, NULL);
}

/* A deviation s of log T is one of s T, to first order. */
static void a_transformed_output_is_compared_in_its_own_units(void **state)
{
    (void)state;
    double deviation[SIZE];
    for (int i = 0; i < SIZE; i++) deviation[i] = SIGMA[i] * MEASURED[i];
    check_measured("sum((log(T) - log(measured))^2)", NULL, NULL);
    check_measured("sum(((log(T) - log(measured)) / sigma)^2)", NULL, deviation);
    check_measured("sum((log10(1000 * T) - log10(1000 * measured))^2)", NULL, NULL);
    check_measured("sum((exp(T) - exp(measured))^2)", NULL, NULL);
    check_measured("sum((sqrt(T) - sqrt(measured))^2)", NULL, NULL);
}

static void constraints_compare_too(void **state)
{
    (void)state;
    check_measured("p", "T == measured +- 0.1", NULL);
    check_measured("p", "max(abs((T - measured) / sigma)) <= 3", SIGMA);
}

static void what_is_not_compared_with_data_is_left_out(void **state)
{
    (void)state;
    gofh_comparison list[MOST];
    assert_int_equal(compared("sum(T^2)", NULL, list), 0);
    assert_int_equal(compared("sum((T - 3)^2)", NULL, list), 0);
    assert_int_equal(compared("sum((T / measured)^2)", NULL, list), 0);
    assert_int_equal(compared("sum(measured * T)", NULL, list), 0);
    assert_int_equal(compared("(sum(T) - measured[0])^2", NULL, list), 0);
    assert_int_equal(compared("sum((T - q - measured)^2)", NULL, list), 0);
    assert_int_equal(compared("sum((a * T - measured)^2)", NULL, list), 0);
    assert_int_equal(compared("p", "T <= measured", list), 0);
}

static void each_output_has_its_own_data(void **state)
{
    (void)state;
    gofh_comparison list[MOST];
    assert_int_equal(compared("sum((T - measured)^2) + sum((q - other)^2)", NULL, list), 2 * SIZE);
    for (int i = 0; i < 2 * SIZE; i++) {
        assert_int_equal(list[i].output, 1 + i);
        assert_string_equal(list[i].data, i < SIZE ? "measured" : "other");
        check_near(list[i].value, i < SIZE ? MEASURED[i] : OTHER[i - SIZE], 0.0);
    }
    assert_int_equal(compared("sum(([T, q] - [measured, other])^2)", NULL, list), 2 * SIZE);
    for (int i = 0; i < 2 * SIZE; i++) {
        assert_int_equal(list[i].output, 1 + i);
        assert_null(list[i].data); /* of several */
        check_near(list[i].value, i < SIZE ? MEASURED[i] : OTHER[i - SIZE], 0.0);
    }
    /* An output measured twice is compared twice. */
    assert_int_equal(compared("sum((T - measured)^2) + sum((T - other)^2)", NULL, list), 2 * SIZE);
    assert_int_equal(list[SIZE].output, 1);
    check_near(list[SIZE].value, OTHER[0], 0.0);
}

static void a_short_list_is_filled_and_the_number_told(void **state)
{
    (void)state;
    gofh_study *study = study_that("sum((T - measured)^2)", NULL);
    gofh_comparison one = {0};
    int count = 0;
    check_ok(study, gofh_study_comparisons(study, &one, 1, &count));
    assert_int_equal(count, SIZE);
    assert_int_equal(one.output, 1);
    check_ok(study, gofh_study_comparisons(study, NULL, 0, &count));
    assert_int_equal(count, SIZE);
    assert_int_equal(gofh_study_comparisons(study, NULL, 1, &count), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_comparisons(study, &one, 1, NULL), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
}

/* Linear in normal outputs: the objective's mean and deviation are the output's, and the
 * probability is a normal's. The 128 draws are quasi-random: a few hundredths of a deviation, and
 * of a probability. */
static void the_objective_is_known_where_constraints_are_broken(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.hyper = GOFH_HYPER_MAP;
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "3 * y[0]");
    gofh_problem_add_constraint(problem, "y[1] >= 0.25");
    gofh_study *study = study_of(problem, &settings);
    for (int i = 0; i < 5; i++) {
        double x = 0.25 * i, y[2] = {sin(9.0 * x), cos(8.0 * x)};
        check_ok(study, gofh_study_import(study, &x, y, NULL));
    }
    int broken = 0;
    for (int i = 0; i <= 20; i++) {
        double x = 0.05 * i, mean[2], variance[2], f, objective, deviation, allowed;
        check_ok(study, gofh_study_predict(study, &x, 1, mean, variance, &f, NULL));
        check_ok(study, gofh_study_predict_objective(study, &x, 1, &objective, &deviation, &allowed));
        check_near(objective, 3.0 * mean[0], 0.05 * 3.0 * sqrt(variance[0]) + 1e-6);
        check_near(deviation, 3.0 * sqrt(variance[0]), 0.1 * 3.0 * sqrt(variance[0]) + 1e-6);
        double z = (mean[1] - 0.25) / sqrt(variance[1]);
        check_near(allowed, 0.5 * erfc(-z / sqrt(2.0)), 0.05);
        broken += isinf(f);
    }
    assert_true(broken > 3);
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_that_are_subtracted_are_compared),
        cmocka_unit_test(what_divides_the_difference_is_its_deviation),
        cmocka_unit_test(what_makes_a_misfit_relative_is_no_deviation),
        cmocka_unit_test(a_transformed_output_is_compared_in_its_own_units),
        cmocka_unit_test(constraints_compare_too),
        cmocka_unit_test(what_is_not_compared_with_data_is_left_out),
        cmocka_unit_test(each_output_has_its_own_data),
        cmocka_unit_test(a_short_list_is_filled_and_the_number_told),
        cmocka_unit_test(the_objective_is_known_where_constraints_are_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
