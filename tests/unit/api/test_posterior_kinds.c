/* The posterior of parameters that are no intervals, against sums over all their values. */
#include "unit/api/posteriors.h"

enum { KINDS_M = 6, KINDS_D = 5, SAMPLES = 6000 };
static const char *const METALS[3] = {"steel", "brass", "oak"};
static const double PLATES[3] = {6.0, 8.0, 12.0}, KINDS_SIGMA = 0.5;

/* x: a length, a whole number, a plate of a catalogue, a metal, and what is fixed. */
static int kinds_h(const double *x, double *y, void *context)
{
    (void)context;
    static const double stiffness[3] = {0.0, 0.45, -0.2};
    double metal = stiffness[(int)x[3]];
    for (int j = 0; j < KINDS_M; j++)
        y[j] = x[0] * (0.6 + 0.1 * j) + 0.25 * x[1] * (j % 2 ? 1.0 : -0.5) + 0.1 * x[2] * cos(j) +
               metal * (1 + j % 3) + x[4];
    return 0;
}

/* The data, with their errors, and the problem of fitting them. */
static gofh_problem *kinds_problem(double *data, int constrained)
{
    const double truth[KINDS_D] = {1.2, 3.0, 8.0, 1.0, 0.5};
    const double errors[KINDS_M] = {0.3, -0.4, 0.2, 0.5, -0.1, -0.35};
    kinds_h(truth, data, NULL);
    for (int j = 0; j < KINDS_M; j++) data[j] += errors[j];
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "length", 0.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_integer(problem, "layers", 1, 6, GOFH_SCALE_LINEAR);
    gofh_problem_add_values(problem, "plate", PLATES, 3, GOFH_SCALE_LINEAR);
    gofh_problem_add_choices(problem, "metal", METALS, 3, GOFH_ORDER_NONE);
    gofh_problem_fix(problem, "load", 0.5);
    gofh_problem_set_outputs(problem, KINDS_M);
    gofh_problem_set_data(problem, "o", data, KINDS_M);
    gofh_problem_set_sigma(problem, "o", &KINDS_SIGMA, 1);
    if (constrained) gofh_problem_add_constraint(problem, "length + 0.3*layers <= 2");
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    return problem;
}

static gofh_study *kinds_study(double *data, int constrained)
{
    gofh_problem *problem = kinds_problem(data, constrained);
    gofh_problem_set_prior(problem, "layers", GOFH_PRIOR_NORMAL, 3.5, 1.5);
    gofh_study *study = study_of(problem, NULL);
    for (int i = 0; i < 54; i++) {
        double x[KINDS_D] = {(i * 7 % 11) * 0.3, 1.0 + i % 6, PLATES[i / 6 % 3], i / 18, 0.5}, y[KINDS_M];
        kinds_h(x, y, NULL);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

/* The mean length and the probabilities of values, by a fine grid of lengths and all values. */
typedef struct {
    double length, layers[7], plate[3], metal[3];
} sums;

static sums enumerate(const double *data, int constrained)
{
    enum { GRID = 3000 };
    sums s = {0};
    double all = 0.0;
    for (int i = 0; i < GRID * 6 * 9; i++) {
        int value = i / GRID, layers = 1 + value % 6, plate = value / 6 % 3, metal = value / 18;
        double x[KINDS_D] = {3.0 * (i % GRID + 0.5) / GRID, layers, PLATES[plate], metal, 0.5}, y[KINDS_M];
        if (constrained && x[0] + 0.3 * layers > 2.0) continue;
        double misfit = pow((layers - 3.5) / 1.5, 2.0);
        kinds_h(x, y, NULL);
        for (int j = 0; j < KINDS_M; j++) misfit += pow((y[j] - data[j]) / KINDS_SIGMA, 2.0);
        double own = exp(-0.5 * misfit);
        all += own;
        s.length += own * x[0];
        s.layers[layers] += own;
        s.plate[plate] += own;
        s.metal[metal] += own;
    }
    s.length /= all;
    for (int k = 1; k <= 6; k++) s.layers[k] /= all;
    for (int k = 0; k < 3; k++) {
        s.plate[k] /= all;
        s.metal[k] /= all;
    }
    return s;
}

static void check_probabilities(const gofh_posterior *posterior, int parameter, int count,
                                const double *expected)
{
    const double *found;
    assert_int_equal(gofh_posterior_probabilities(posterior, parameter, &found), count);
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        check_near(found[i], expected[i], 0.025);
        sum += found[i];
    }
    check_near(sum, 1.0, 1e-9);
}

static void values_have_the_probabilities_of_a_sum_over_all(void **state)
{
    (void)state;
    static double x[SAMPLES * KINDS_D];
    for (int constrained = 0; constrained < 2; constrained++) {
        double data[KINDS_M];
        gofh_study *study = kinds_study(data, constrained);
        gofh_posterior_results r;
        gofh_posterior *posterior = posterior_of(study, SAMPLES, &r);
        sums expected = enumerate(data, constrained);
        assert_true(constrained ||
                    (expected.metal[1] < 0.9 && expected.plate[1] < 0.9 && expected.layers[3] < 0.9));
        const double *none;
        assert_int_equal(r.parameters, KINDS_D);
        assert_int_equal(r.converged, 1);
        check_near(r.mean[0], expected.length, 0.08 * r.deviation[0]);
        check_probabilities(posterior, 1, 6, expected.layers + 1);
        check_probabilities(posterior, 2, 3, expected.plate);
        check_probabilities(posterior, 3, 3, expected.metal);
        assert_int_equal(gofh_posterior_probabilities(posterior, 0, &none), 0);
        assert_int_equal(gofh_posterior_probabilities(posterior, 4, &none), 0);
        assert_true(r.mean[4] == 0.5 && r.deviation[4] == 0.0);
        gofh_posterior_sample(posterior, x, NULL);
        for (int i = 0; i < SAMPLES; i++) {
            const double *own = x + i * KINDS_D;
            assert_true(own[1] == round(own[1]) && own[1] >= 1.0 && own[1] <= 6.0);
            assert_true(own[2] == 6.0 || own[2] == 8.0 || own[2] == 12.0);
            assert_true(own[3] == 0.0 || own[3] == 1.0 || own[3] == 2.0);
            assert_true(own[4] == 0.5);
            if (constrained) assert_true(own[0] + 0.3 * own[1] <= 2.0 + 1e-9);
        }
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
}

/* Runs for the posterior are at values, and meet known constraints. */
static void runs_for_the_posterior_are_allowed(void **state)
{
    (void)state;
    double data[KINDS_M], x[KINDS_D], y[KINDS_M];
    gofh_problem *problem = kinds_problem(data, 1);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.goal = GOFH_GOAL_POSTERIOR;
    settings.budget = 16;
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_study *study = study_of(problem, &settings);
    int told = 0;
    int64_t id;
    while (gofh_study_ask(study, &id, x) == GOFH_OK) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, id, &trial));
        told += strcmp(trial.origin, "posterior") == 0;
        assert_true(x[1] == round(x[1]) && (x[2] == 6.0 || x[2] == 8.0 || x[2] == 12.0) && x[4] == 0.5);
        assert_true(x[0] + 0.3 * x[1] <= 2.0 + 1e-9);
        kinds_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, id, y));
    }
    assert_true(told > 0);
    gofh_study_free(study);
}

static void a_choice_has_no_normal_prior(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_choices(problem, "metal", METALS, 3, GOFH_ORDER_NONE);
    assert_int_equal(gofh_problem_set_prior(problem, "metal", GOFH_PRIOR_NORMAL, 1.0, 1.0),
                     GOFH_ERROR_ARGUMENT);
    assert_non_null(
        strstr(gofh_problem_message(problem), "\"metal\" is a choice: its prior can't be normal"));
    gofh_problem_free(problem);
}

/* h does not depend on n, so its posterior is its prior: 0 and 1, alike. */
static gofh_study *idle_study(int equality)
{
    const double data[3] = {0.5, 0.6, 0.7}, sigma = 0.1;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (equality) {
        gofh_problem_add_parameter(problem, "n", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_constraint(problem, "a + n == 1");
    } else {
        gofh_problem_add_integer(problem, "n", 0, 1, GOFH_SCALE_LINEAR);
    }
    gofh_problem_set_outputs(problem, 3);
    gofh_problem_set_data(problem, "o", data, 3);
    gofh_problem_set_sigma(problem, "o", &sigma, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    for (int i = 0; i < 12; i++) {
        double x[2] = {i / 11.0, equality ? 1.0 - i / 11.0 : i % 2}, y[3];
        for (int j = 0; j < 3; j++) y[j] = x[0] * (1.0 + 0.2 * j);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

static void a_whole_number_that_the_data_do_not_tell_has_all_of_its_priors_deviation(void **state)
{
    (void)state;
    gofh_posterior_results results;
    gofh_study *study = idle_study(0);
    gofh_posterior *posterior = posterior_of(study, 4000, &results);
    const char *found = strstr(results.message, "the data say little of n: its deviation is ");
    assert_non_null(found);
    /* Of 4,000 samples the deviation of a half is 0.5 to within 3 %. */
    assert_in_range(atoi(found + strlen("the data say little of n: its deviation is ")), 96, 103);
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

static void equalities_of_parameters_are_refused(void **state)
{
    (void)state;
    gofh_study *study = idle_study(1);
    gofh_posterior *posterior;
    assert_int_equal(gofh_posterior_create(&posterior, study, 1000), GOFH_ERROR_PROBLEM);
    assert_null(posterior);
    assert_non_null(strstr(gofh_study_message(study), "equalities of parameters"));
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_probabilities_of_a_sum_over_all),
        cmocka_unit_test(runs_for_the_posterior_are_allowed),
        cmocka_unit_test(a_choice_has_no_normal_prior),
        cmocka_unit_test(a_whole_number_that_the_data_do_not_tell_has_all_of_its_priors_deviation),
        cmocka_unit_test(equalities_of_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
