/* Studies that have seen nothing that meets the constraints. */
#include "unit/api/valley.h"

enum { TRIALS = 12 };

/* Margins of quite different sizes: millions and hundredths. */
static int load_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = 3e6 + 1e6 * x[0] * x[0];
    y[1] = 0.05 + 0.01 * log10(x[1]) * x[0];
    y[2] = x[0];
    return 0;
}

static gofh_study *load_study(const char *method)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings = quick_settings();
    settings.method = method;
    settings.budget = TRIALS;
    settings.initial = TRIALS;
    settings.seed = 2;
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_add_output(problem, "stress", 1);
    gofh_problem_add_output(problem, "wear", 2);
    gofh_problem_minimize(problem, "a");
    gofh_problem_add_constraint(problem, "stress <= 2e6");
    gofh_problem_add_constraint(problem, "wear <= 0.04");
    return study_of(problem, &settings);
}

static void the_best_is_the_one_that_violates_least(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf", "ei"};
    for (int i = 0; i < 3; i++) {
        gofh_study *study = load_study(methods[i]);
        double margin[TRIALS][3], scale[3], least = INFINITY;
        int expected = 0;
        gofh_trial best, trial;
        gofh_optimize(study, load_h, NULL);
        for (int t = 0; t < TRIALS; t++) {
            check_ok(study, gofh_study_trial(study, t + 1, &trial));
            margin[t][0] = 2e6 - trial.y[0];
            margin[t][1] = 0.04 - trial.y[1];
            margin[t][2] = 0.04 - trial.y[2];
        }
        for (int k = 0; k < 3; k++) {
            double mean = 0.0, squares = 0.0;
            for (int t = 0; t < TRIALS; t++) mean += margin[t][k] / TRIALS;
            for (int t = 0; t < TRIALS; t++) squares += pow(margin[t][k] - mean, 2.0) / TRIALS;
            scale[k] = sqrt(squares);
        }
        for (int t = 0; t < TRIALS; t++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) sum += fmax(-margin[t][k], 0.0) / scale[k];
            if (sum >= least) continue;
            least = sum;
            expected = t + 1;
        }
        assert_true(expected != 1); /* the first trial would be no test */
        check_ok(study, gofh_study_best(study, &best));
        assert_int_equal(best.trial, expected);
        assert_true(best.f == INFINITY);
        gofh_study_free(study);
    }
}

static void margins_are_in_the_units_of_their_constraints(void **state)
{
    (void)state;
    gofh_study *study = load_study("gofh");
    static const double x[2] = {1.0, 10.0};
    double y[3] = {2.5e6, 0.03, 0.045}, margin;
    check_ok(study, gofh_study_margin(study, 0, x, y, &margin));
    check_near(margin, -5e5, 1e-6);
    check_ok(study, gofh_study_margin(study, 1, x, y, &margin));
    check_near(margin, -0.005, 1e-12); /* of the element that is worst */
    y[2] = 0.01;
    check_ok(study, gofh_study_margin(study, 1, x, y, &margin));
    check_near(margin, 0.01, 1e-12);
    assert_int_equal(gofh_study_margin(study, 2, x, y, &margin), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "there is no constraint 2: they are numbered from 0");
    assert_int_equal(gofh_study_margin(study, -1, x, y, &margin), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_margin(study, 0, NULL, y, &margin), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_margin(NULL, 0, x, y, &margin), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
}

/* h is linear, so that the model knows it: half of the square is feasible. */
static int slope_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0];
    y[1] = log10(x[1]);
    return 0;
}

static void a_suggestion_says_how_likely_it_is_to_be_feasible(void **state)
{
    (void)state;
    static const char *const limits[] = {"y[0] <= 1.5", "y[0] <= -1"};
    for (int i = 0; i < 2; i++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_settings settings = quick_settings();
        settings.method = "gofh";
        gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
        gofh_problem_set_outputs(problem, 2);
        gofh_problem_minimize(problem, "(y[0] - 1)^2 + y[1]^2");
        gofh_problem_add_constraint(problem, limits[i]);
        gofh_study *study = study_of(problem, &settings);
        for (int n = 0; n < 12; n++) {
            int64_t id;
            double x[2], y[2];
            gofh_trial trial;
            check_ok(study, gofh_study_ask(study, &id, x));
            check_ok(study, gofh_study_trial(study, id, &trial));
            int designed = strcmp(trial.origin, "design") == 0;
            assert_true(designed == (isnan(trial.feasible) != 0));
            assert_true(designed || (trial.feasible >= 0.0 && trial.feasible <= 1.0));
            /* By then the model knows h. */
            if (n == 11) assert_true(i == 0 && x[0] <= 1.5 ? trial.feasible > 0.9 : trial.feasible < 0.1);
            slope_h(x, y, NULL);
            check_ok(study, gofh_study_tell(study, id, y));
        }
        gofh_study_free(study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_the_one_that_violates_least),
        cmocka_unit_test(margins_are_in_the_units_of_their_constraints),
        cmocka_unit_test(a_suggestion_says_how_likely_it_is_to_be_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
