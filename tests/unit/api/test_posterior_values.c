/* Runs for the posterior of parameters with choices: no value is lost that was only not looked at. */
#include "unit/api/posteriors.h"

enum { LAWS_M = 8, LAWS = 4 };
static const char *const LAW_NAMES[LAWS] = {"exponential", "hyperbolic", "gaussian", "linear"};
static const double LAWS_SIGMA = 0.12, LAWS_LOWER[2] = {0.1, 0.1}, LAWS_UPPER[2] = {2.0, 3.0};

/* What kind of parameter tells which of four laws of decay it is. */
typedef enum { BY_CHOICE, BY_NUMBER, BY_CATALOGUE } law_kind;

static int laws_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < LAWS_M; j++) {
        double t = x[1] * j / (LAWS_M - 1);
        const double shape[LAWS] = {exp(-t), 1.0 / (1.0 + t), exp(-0.5 * t * t), 1.0 - t / 3.0};
        y[j] = x[0] * shape[(int)x[2]];
    }
    return 0;
}

static void laws_data(double *data)
{
    const double truth[3] = {1.145, 1.405, 1.0};
    const double errors[LAWS_M] = {0.4, -0.7, 0.5, 0.9, -0.6, 0.2, -0.8, 0.5};
    laws_h(truth, data, NULL);
    for (int j = 0; j < LAWS_M; j++) data[j] += LAWS_SIGMA * errors[j];
}

static void fit_laws(gofh_problem *problem)
{
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
}

/* Without what makes a likelihood of it. */
static gofh_problem *bare_problem(law_kind kind)
{
    const double numbers[LAWS] = {0.0, 1.0, 2.0, 3.0};
    double data[LAWS_M];
    laws_data(data);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "size", LAWS_LOWER[0], LAWS_UPPER[0], GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "rate", LAWS_LOWER[1], LAWS_UPPER[1], GOFH_SCALE_LINEAR);
    if (kind == BY_CHOICE) gofh_problem_add_choices(problem, "law", LAW_NAMES, LAWS, GOFH_ORDER_NONE);
    if (kind == BY_NUMBER) gofh_problem_add_integer(problem, "law", 0, LAWS - 1, GOFH_SCALE_LINEAR);
    if (kind == BY_CATALOGUE) gofh_problem_add_values(problem, "law", numbers, LAWS, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, LAWS_M);
    gofh_problem_set_data(problem, "o", data, LAWS_M);
    gofh_problem_set_sigma(problem, "o", &LAWS_SIGMA, 1);
    return problem;
}

static gofh_problem *laws_problem(law_kind kind)
{
    gofh_problem *problem = bare_problem(kind);
    fit_laws(problem);
    return problem;
}

static gofh_study *laws_study(gofh_problem *problem, gofh_goal goal, uint64_t seed, int budget)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.goal = goal;
    settings.seed = seed;
    settings.budget = budget;
    return study_of(problem, &settings);
}

/* The probabilities of the laws by the simulator itself, on a grid of the two others. */
static void true_probabilities(double *probability)
{
    enum { GRID = 300 };
    double data[LAWS_M], all = 0.0;
    laws_data(data);
    for (int law = 0; law < LAWS; law++) {
        probability[law] = 0.0;
        for (int i = 0; i < GRID * GRID; i++) {
            double x[3] = {LAWS_LOWER[0] + (LAWS_UPPER[0] - LAWS_LOWER[0]) * (i % GRID + 0.5) / GRID,
                           LAWS_LOWER[1] + (LAWS_UPPER[1] - LAWS_LOWER[1]) * (i / GRID + 0.5) / GRID, law};
            double y[LAWS_M], misfit = 0.0;
            laws_h(x, y, NULL);
            for (int j = 0; j < LAWS_M; j++) misfit += pow((y[j] - data[j]) / LAWS_SIGMA, 2.0);
            probability[law] += exp(-0.5 * misfit);
        }
        all += probability[law];
    }
    for (int law = 0; law < LAWS; law++) probability[law] /= all;
}

/* Runs until the study ends; runs of law `failing` fail. */
static gofh_status run_out(gofh_study *study, int failing, int *runs)
{
    int64_t id;
    double x[3], y[LAWS_M];
    gofh_status status;
    memset(runs, 0, LAWS * sizeof *runs);
    while ((status = gofh_study_ask(study, &id, x)) == GOFH_OK) {
        laws_h(x, y, NULL);
        runs[(int)x[2]]++;
        if ((int)x[2] == failing)
            check_ok(study, gofh_study_fail(study, id, "it never works"));
        else
            check_ok(study, gofh_study_tell(study, id, y));
    }
    return status;
}

static void a_study_for_the_posterior_ends_with_the_true_probabilities(void **state)
{
    (void)state;
    double expected[LAWS];
    true_probabilities(expected);
    /* Three laws fit the data about as well. */
    assert_true(expected[0] > 0.15 && expected[1] > 0.5 && expected[3] > 0.1);
    static const law_kind kinds[] = {BY_CHOICE, BY_CHOICE, BY_CHOICE, BY_NUMBER, BY_CATALOGUE};
    static const uint64_t seeds[] = {3, 4, 5, 3, 4};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        gofh_study *study = laws_study(laws_problem(kinds[i]), GOFH_GOAL_POSTERIOR, seeds[i], 60);
        int runs[LAWS];
        assert_int_equal(run_out(study, -1, runs), GOFH_STOP_IMPROVEMENT);
        gofh_posterior_results r;
        gofh_posterior *posterior = posterior_of(study, 0, &r);
        const double *found;
        assert_int_equal(gofh_posterior_probabilities(posterior, 2, &found), LAWS);
        /* It may end when one more run is expected to change none by more than 0.05. */
        for (int law = 0; law < LAWS; law++) check_near(found[law], expected[law], 0.05);
        assert_null(strstr(r.message, "evaluations have"));
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
}

static void too_few_evaluations_of_a_value_are_said(void **state)
{
    (void)state;
    static const double at[6][2] = {{0.3, 0.5}, {1.8, 2.5}, {1.0, 1.5}, {0.6, 2.8}, {1.5, 0.4}, {1.2, 1.3}};
    for (int expression = 0; expression < 2; expression++) {
        gofh_problem *problem = bare_problem(BY_CHOICE);
        if (expression)
            gofh_problem_log_likelihood(problem, "-0.5*sum(((y - o)/0.12)^2)");
        else
            fit_laws(problem);
        gofh_study *study = study_of(problem, NULL);
        double y[LAWS_M];
        for (int i = 0; i < 14; i++) {
            int law = i < 6 ? 0 : i < 12 ? 1 : 3;
            double x[3] = {at[i % 6][0], at[i % 6][1], law};
            laws_h(x, y, NULL);
            check_ok(study, gofh_study_import(study, x, y, NULL));
        }
        gofh_posterior_results r;
        gofh_posterior *posterior = posterior_of(study, 0, &r);
        /* Two intervals: three evaluations for a plane, and one more. */
        assert_true(says(&r, "fewer than 4 evaluations have law = gaussian (0), linear (2): do not trust the "
                             "probabilities of law; "));
        assert_true(says(&r, expression ? "; evaluate these values more often"
                                        : "; runs for the posterior tell more of these values"));
        assert_true(!expression || !strstr(r.message, "can't be told yet"));
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
}

static void a_value_that_always_fails_does_not_use_up_the_budget(void **state)
{
    (void)state;
    gofh_study *study = laws_study(laws_problem(BY_CHOICE), GOFH_GOAL_POSTERIOR, 1, 60);
    int runs[LAWS];
    assert_int_equal(run_out(study, 3, runs), GOFH_STOP_IMPROVEMENT);
    assert_in_range(runs[3], 1, 4);
    gofh_study_free(study);
}

static void a_value_that_constraints_forbid_is_not_waited_for(void **state)
{
    (void)state;
    gofh_problem *problem = laws_problem(BY_NUMBER);
    gofh_problem_add_constraint(problem, "law <= 2");
    gofh_study *study = laws_study(problem, GOFH_GOAL_POSTERIOR, 1, 60);
    int runs[LAWS];
    assert_int_equal(run_out(study, -1, runs), GOFH_STOP_IMPROVEMENT);
    assert_int_equal(runs[3], 0);
    assert_true(runs[0] >= 4 && runs[1] >= 4 && runs[2] >= 4);
    gofh_study_free(study);
}

/* Open trials count as tried, but what they will tell is not known yet. */
static void open_runs_of_a_value_are_not_repeated_and_are_waited_for(void **state)
{
    (void)state;
    static const double at[6][2] = {{0.3, 0.5}, {1.8, 2.5}, {1.0, 1.5}, {0.6, 2.8}, {1.5, 0.4}, {1.2, 1.3}};
    gofh_study *study = laws_study(laws_problem(BY_CHOICE), GOFH_GOAL_POSTERIOR, 1, 60);
    double x[3], y[LAWS_M];
    for (int i = 0; i < 12; i++) {
        double given[3] = {at[i % 6][0], at[i % 6][1], i / 6};
        laws_h(given, y, NULL);
        check_ok(study, gofh_study_import(study, given, y, NULL));
    }
    int runs[LAWS] = {0};
    for (int i = 0; i < 9; i++) {
        int64_t id;
        gofh_trial trial;
        check_ok(study, gofh_study_ask(study, &id, x));
        check_ok(study, gofh_study_trial(study, id, &trial));
        runs[(int)x[2]]++;
        assert_string_equal(trial.origin, "posterior");
        assert_true(trial.expected >= 1.0);
        if (i != 7) continue;
        assert_int_equal(runs[2], 4);
        assert_int_equal(runs[3], 4);
    }
    gofh_study_free(study);
}

/* ---- a whole number of more values than are taken for choices, of which no neighbour tells ---- */

enum { PHASES = 8 };

static int phases_h(const double *x, double *y, void *context)
{
    static const double phase[PHASES] = {0.0, 1.1, -0.8, 2.0, 0.7, -1.3, 1.6, 0.3},
                        offset[PHASES] = {0.0, 0.6, -0.5, 1.1, 0.2, 0.9, -0.3, -0.7};
    (void)context;
    for (int j = 0; j < LAWS_M; j++) {
        double t = (double)j / (LAWS_M - 1);
        y[j] = sin(3.0 * x[0] + 2.0 * t + phase[(int)x[2]]) + x[1] * t + offset[(int)x[2]] * (1.0 - t) * x[0];
    }
    return 0;
}

static const double PHASES_SIGMA = 0.35;

static void phases_data(double *data)
{
    const double truth[3] = {0.55, -0.1, 1.0};
    const double errors[LAWS_M] = {0.4, -0.7, 0.5, 0.9, -0.6, 0.2, -0.8, 0.5};
    phases_h(truth, data, NULL);
    for (int j = 0; j < LAWS_M; j++) data[j] += PHASES_SIGMA * errors[j];
}

static void true_phases(double *probability)
{
    enum { GRID = 200 };
    double data[LAWS_M], y[LAWS_M], all = 0.0;
    phases_data(data);
    for (int value = 0; value < PHASES; value++) {
        probability[value] = 0.0;
        for (int i = 0; i < GRID * GRID; i++) {
            double x[3] = {(i % GRID + 0.5) / GRID, 2.0 * (i / GRID + 0.5) / GRID - 1.0, value}, misfit = 0.0;
            phases_h(x, y, NULL);
            for (int j = 0; j < LAWS_M; j++) misfit += pow((y[j] - data[j]) / PHASES_SIGMA, 2.0);
            probability[value] += exp(-0.5 * misfit);
        }
        all += probability[value];
    }
    for (int value = 0; value < PHASES; value++) probability[value] /= all;
}

static gofh_problem *phases_problem(void)
{
    double data[LAWS_M];
    phases_data(data);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", -1.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_integer(problem, "phase", 0, PHASES - 1, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, LAWS_M);
    gofh_problem_set_data(problem, "o", data, LAWS_M);
    gofh_problem_set_sigma(problem, "o", &PHASES_SIGMA, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    return problem;
}

static void find_phases(uint64_t seed, double *probability)
{
    double x[3], y[LAWS_M];
    int64_t id;
    gofh_study *study = laws_study(phases_problem(), GOFH_GOAL_POSTERIOR, seed, 80);
    while (gofh_study_ask(study, &id, x) == GOFH_OK) {
        phases_h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, id, y));
    }
    gofh_posterior_results r;
    gofh_posterior *posterior = posterior_of(study, 0, &r);
    const double *found;
    assert_int_equal(gofh_posterior_probabilities(posterior, 2, &found), PHASES);
    memcpy(probability, found, PHASES * sizeof *probability);
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

/* The middle one of three studies: a study ends where the next run is expected to change probabilities by
 * 0.05 at most, so that one of them alone may be off by more, otherwise on each processor. */
static void a_rough_whole_number_loses_no_value(void **state)
{
    (void)state;
    double expected[PHASES], found[3][PHASES];
    true_phases(expected);
    for (uint64_t seed = 0; seed < 3; seed++) find_phases(seed + 2, found[seed]);
    for (int value = 0; value < PHASES; value++) {
        double a = found[0][value], b = found[1][value], c = found[2][value];
        double middle = fmax(fmin(a, b), fmin(fmax(a, b), c));
        check_near(middle, expected[value], 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_for_the_posterior_ends_with_the_true_probabilities),
        cmocka_unit_test(too_few_evaluations_of_a_value_are_said),
        cmocka_unit_test(a_value_that_always_fails_does_not_use_up_the_budget),
        cmocka_unit_test(a_value_that_constraints_forbid_is_not_waited_for),
        cmocka_unit_test(open_runs_of_a_value_are_not_repeated_and_are_waited_for),
        cmocka_unit_test(a_rough_whole_number_loses_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
