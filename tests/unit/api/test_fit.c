/* Objectives that are told as fits: their value, their kind and what they compare. */
#include "unit/api/valley.h"

#include "gofh_expression.h"

enum { SIZE = 4 };

static const double MEASURED[SIZE] = {2.0, 3.0, NAN, 5.0}, SIGMA[SIZE] = {0.1, 0.2, NAN, 0.4},
                    CURRENT[2] = {1.0, 4.0};

/* Outputs p (1), V (4), I (2); data measured, current. */
static gofh_problem *make_problem(const double *sigma, int count)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "p", 1);
    gofh_problem_add_output(problem, "V", SIZE);
    gofh_problem_add_output(problem, "I", 2);
    gofh_problem_set_data(problem, "measured", MEASURED, SIZE);
    gofh_problem_set_data(problem, "current", CURRENT, 2);
    if (sigma) gofh_problem_set_sigma(problem, "measured", sigma, count);
    return problem;
}

static const double Y[1 + SIZE + 2] = {9.0, 2.3, 2.8, 77.0, 6.5, 1.5, 3.0};

/* f at Y of the problem, which is freed. */
static double f_of(gofh_problem *problem)
{
    gofh_study *study = study_of(problem, NULL);
    double x = 0.5;
    gofh_trial trial;
    check_ok(study, gofh_study_import(study, &x, Y, NULL));
    check_ok(study, gofh_study_trial(study, 1, &trial));
    gofh_study_free(study);
    return trial.f;
}

static double square(double x)
{
    return x * x;
}

static double huber(double r, double k)
{
    return fabs(r) <= k ? r * r : 2.0 * k * fabs(r) - k * k;
}

static void a_fit_is_the_sum_of_squares_over_the_known_data(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem(SIGMA, SIZE);
    gofh_problem_fit(problem, "V", "measured", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_problem_fit(problem, "I", "current", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    assert_string_equal(gofh_problem_objective(problem),
                        "sum(((known(V, measured) - known(measured))/known(measured_sigma, measured))^2) + "
                        "sum((I - current)^2)");
    double expected = square(0.3 / 0.1) + square(0.2 / 0.2) + square(1.5 / 0.4) + square(0.5) + square(1.0);
    check_close(f_of(problem), expected, 1e-14);
}

static void one_sigma_counts_for_all_data(void **state)
{
    (void)state;
    const double sigma = 0.5;
    gofh_problem *problem = make_problem(&sigma, 1);
    gofh_problem_fit(problem, "V", "measured", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    check_close(f_of(problem), (square(0.3) + square(0.2) + square(1.5)) / 0.25, 1e-14);
}

static void residuals_may_be_relative_or_of_logarithms(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem(NULL, 0);
    gofh_problem_fit(problem, "V", "measured", GOFH_RESIDUAL_RELATIVE, GOFH_LOSS_SQUARE, 0.0);
    check_close(f_of(problem), square(0.3 / 2.0) + square(0.2 / 3.0) + square(1.5 / 5.0), 1e-14);
    problem = make_problem(NULL, 0);
    gofh_problem_fit(problem, "I", "current", GOFH_RESIDUAL_LOG, GOFH_LOSS_SQUARE, 0.0);
    check_close(f_of(problem), square(log(1.5)) + square(log(0.75)), 1e-14);
    problem = make_problem(SIGMA, SIZE);
    gofh_problem_fit(problem, "V", "measured", GOFH_RESIDUAL_LOG, GOFH_LOSS_SQUARE, 0.0);
    check_close(f_of(problem),
                square(log(2.3 / 2.0) / 0.05) + square(log(2.8 / 3.0) / (0.2 / 3.0)) +
                    square(log(6.5 / 5.0) / 0.08),
                1e-13);
}

static void hubers_loss_is_a_line_beyond_its_threshold(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem(SIGMA, SIZE);
    gofh_problem_fit(problem, "V", "measured", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_HUBER, 0.0);
    check_close(f_of(problem), huber(3.0, 1.345) + huber(1.0, 1.345) + huber(3.75, 1.345), 1e-13);
    problem = make_problem(NULL, 0);
    gofh_problem_fit(problem, "I", "current", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_HUBER, 0.75);
    check_close(f_of(problem), huber(0.5, 0.75) + huber(1.0, 0.75), 1e-14);
}

static void the_study_knows_which_data_belong_to_which_output(void **state)
{
    (void)state;
    static const int output[5] = {1, 2, 4, 5, 6};
    static const double value[5] = {2.0, 3.0, 5.0, 1.0, 4.0}, deviation[5] = {0.1, 0.2, 0.4, NAN, NAN};
    gofh_problem *problem = make_problem(SIGMA, SIZE);
    gofh_problem_fit(problem, "V", "measured", GOFH_RESIDUAL_LOG, GOFH_LOSS_HUBER, 2.0);
    gofh_problem_fit(problem, "I", "current", GOFH_RESIDUAL_RELATIVE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    gofh_comparison list[8];
    int count;
    check_ok(study, gofh_study_comparisons(study, list, 8, &count));
    assert_int_equal(count, 5);
    for (int i = 0; i < count; i++) {
        assert_int_equal(list[i].output, output[i]);
        assert_string_equal(list[i].data, i < 3 ? "measured" : "current");
        check_near(list[i].value, value[i], 0);
        assert_true(isnan(deviation[i]) ? isnan(list[i].deviation) : list[i].deviation == deviation[i]);
    }
    gofh_study_free(study);
}

static void outputs_without_names_are_y(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_set_data(problem, "current", CURRENT, 2);
    assert_int_equal(
        gofh_problem_fit(problem, "y", "current", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0), GOFH_OK);
    assert_string_equal(gofh_problem_objective(problem), "sum((y - current)^2)");
    gofh_problem_minimize(problem, "y[0]"); /* what is set last counts */
    assert_string_equal(gofh_problem_objective(problem), "y[0]");
    gofh_problem_free(problem);
}

static void check_refused(const double *sigma, const char *output, const char *data, gofh_residual residual,
                          gofh_loss loss, double threshold, const char *why)
{
    gofh_problem *problem = make_problem(sigma, 1);
    gofh_status status = gofh_problem_fit(problem, output, data, residual, loss, threshold);
    if (!status || !strstr(gofh_problem_message(problem), why))
        fail_msg("\"%s\", expected \"%s\"", gofh_problem_message(problem), why);
    gofh_problem_free(problem);
}

static void a_fit_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    const double good = 1.0, bad = -1.0;
    check_refused(&good, "W", "measured", 0, 0, 0.0, "is no output");
    check_refused(&good, "V", "mesured", 0, 0, 0.0, "which are no data");
    check_refused(&good, "V", "current", 0, 0, 0.0, "output \"V\" has 4 values, data \"current\" have 2");
    check_refused(&good, "V", "measured", GOFH_RESIDUAL_RELATIVE, 0, 0.0, "have a sigma");
    check_refused(NULL, "V", "measured", 0, GOFH_LOSS_HUBER, 0.0, "needs their sigma");
    check_refused(&good, "V", "measured", 0, GOFH_LOSS_HUBER, -1.0, "threshold -1");
    check_refused(&good, "V", "measured", (gofh_residual)9, 0, 0.0, "unknown residual 9");
    gofh_problem *problem = make_problem(&bad, 1);
    assert_string_equal(gofh_problem_message(problem),
                        "sigma 0 of data \"measured\" is -1: it must be above 0");
    gofh_problem_free(problem);
    problem = make_problem(NULL, 0);
    gofh_problem_fit(problem, "V", "measured", 0, 0, 0.0);
    assert_int_equal(gofh_problem_fit(problem, "V", "measured", 0, 0, 0.0), GOFH_ERROR_PROBLEM);
    assert_int_equal(gofh_problem_set_sigma(problem, "measured", SIGMA, 2), GOFH_ERROR_ARGUMENT);
    gofh_problem_free(problem);
}

/* Compiles an expression over V and data with gaps; gives its value at Y, or NaN where it is refused
 * with `why`. */
static double value_of(const char *text, gofh_expression_kind *kind, const char *why)
{
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_error error = {.status = GOFH_OK};
    gofh_expression *expression;
    double value = NAN;
    gofh_symbols_add_output(symbols, "V", SIZE, NULL);
    gofh_symbols_add_data(symbols, "gaps", MEASURED, SIZE, &error);
    gofh_symbols_add_data(symbols, "full", Y, SIZE, &error);
    if (gofh_expression_compile(&expression, text, symbols, GOFH_MINIMIZE, &error)) {
        if (!why || !strstr(error.message, why)) fail_msg("%s: %s", text, error.message);
    } else {
        *kind = gofh_expression_describe(expression, NULL);
        gofh_expression_evaluate(expression, Y + 1, NULL, 1, &value);
    }
    gofh_expression_free(expression);
    gofh_symbols_free(symbols);
    return value;
}

static void known_leaves_out_what_the_data_miss(void **state)
{
    (void)state;
    gofh_expression_kind kind;
    check_close(value_of("sum((known(V, gaps) - known(gaps))^2)", &kind, NULL),
                square(0.3) + square(0.2) + square(1.5), 1e-14);
    assert_int_equal(kind, GOFH_EXPRESSION_LEAST_SQUARES);
    check_close(value_of("sum(known(V, gaps))", &kind, NULL), 2.3 + 2.8 + 6.5, 1e-14);
    assert_int_equal(kind, GOFH_EXPRESSION_LINEAR);
    check_close(value_of("sum(known(V^2, gaps)*known(full, gaps))", &kind, NULL),
                square(2.3) * 9.0 + square(2.8) * 2.3 + square(6.5) * 77.0, 1e-14);
    check_close(value_of("sum(known(V, full))", &kind, NULL), 2.3 + 2.8 + 77.0 + 6.5, 1e-14);
    check_close(value_of("length(known(gaps))", &kind, NULL), 3.0, 0.0);
}

static void data_with_gaps_are_refused_elsewhere(void **state)
{
    (void)state;
    gofh_expression_kind kind;
    static const char *const texts[] = {"sum(V - gaps)", "gaps[0]*V[0]", "sum(known(V - gaps, gaps))",
                                        "sum(known(V, gaps)) + sum(abs(gaps))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(isnan(value_of(texts[i], &kind, "1 of 4 values of \"gaps\"")));
    assert_true(isnan(value_of("sum(known(V))", &kind, "needs data as its last argument")));
    assert_true(isnan(value_of("sum(known(V - gaps))", &kind, "needs data as its last argument")));
    assert_true(isnan(value_of("sum(known(V, 2*full))", &kind, "needs data as its last argument")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_is_the_sum_of_squares_over_the_known_data),
        cmocka_unit_test(one_sigma_counts_for_all_data),
        cmocka_unit_test(residuals_may_be_relative_or_of_logarithms),
        cmocka_unit_test(hubers_loss_is_a_line_beyond_its_threshold),
        cmocka_unit_test(the_study_knows_which_data_belong_to_which_output),
        cmocka_unit_test(outputs_without_names_are_y),
        cmocka_unit_test(a_fit_that_makes_no_sense_is_refused),
        cmocka_unit_test(known_leaves_out_what_the_data_miss),
        cmocka_unit_test(data_with_gaps_are_refused_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
