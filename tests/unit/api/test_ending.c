/* Studies that end by themselves when nothing more is expected. */
#include "unit/api/stored.h"

static gofh_settings settings_of(int budget, gofh_stopping stop)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = budget;
    settings.stop = stop;
    return settings;
}

/* The valley with its misfit as an expression, of which the least value is known. */
static gofh_problem *valley_expression(void)
{
    gofh_problem *problem = gofh_problem_create();
    double observed[VALLEY_M];
    valley_h(VALLEY_TRUTH, observed, NULL);
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, VALLEY_M);
    gofh_problem_set_data(problem, "observed", observed, VALLEY_M);
    gofh_problem_minimize(problem, "sum((y - observed)^2)");
    return problem;
}

static void queue_points(gofh_study *study, int count, int optimum)
{
    for (int i = 1; i <= count; i++) {
        double x[VALLEY_D] = {0.2 * i, 2.0 * i};
        if (i == optimum) memcpy(x, VALLEY_TRUTH, sizeof x);
        check_ok(study, gofh_study_enqueue(study, x));
    }
}

/* The first trial after which nothing more is expected, of a study that goes on; 0: none. */
static int first_end(gofh_study *study, gofh_inner h, int count)
{
    double x[GOFH_MAX_PARAMETERS], y[8];
    for (int i = 1; i <= count; i++) {
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, x));
        h(x, y, NULL);
        check_ok(study, gofh_study_tell(study, trial, y));
        if (gofh_study_ended(study)) return i;
    }
    return 0;
}

static void a_sum_of_squares_that_is_0_ends_the_study(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    gofh_study *study = study_of(valley_expression(), &settings);
    queue_points(study, 8, 8);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
    assert_int_equal(gofh_study_count(study), 8);
    assert_true(best_f(study) == 0.0);
    gofh_study_free(study);
}

static int rosenbrock_terms(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = 10.0 * (x[1] - x[0] * x[0]);
    y[1] = 1.0 - x[0];
    return 0;
}

/* The outputs are the residuals: near 0 they have no digits by which a floor could be told. */
static void residuals_that_are_rounding_beside_the_design_end_the_study(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", -2.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", -2.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_study *study = study_of(problem, &settings);
    assert_int_equal(gofh_optimize(study, rosenbrock_terms, NULL), GOFH_STOP_IMPROVEMENT);
    assert_true(gofh_study_count(study) <= 15); /* a row of idle suggestions alone is of 14 */
    assert_true(best_f(study) < 1e-20);
    gofh_study_free(study);
}

/* The data are those at 0.03 and 0.4. Trials of the design are up to 1e40 times as bad as what is far from
 * it. */
static int steep_terms(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < 4; j++) {
        double t = j / 3.0;
        y[j] = exp(100.0 * (x[0] * (0.6 + 0.4 * t) + 0.05 * x[1] * t * t)) -
               exp(100.0 * (0.03 * (0.6 + 0.4 * t) + 0.05 * 0.4 * t * t));
    }
    return 0;
}

static void residuals_that_are_small_beside_the_design_alone_do_not_end_it(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {6, 8, 15, 16}; /* a first step of theirs is 1e-24 of the design's f */
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        gofh_settings settings = settings_of(10, GOFH_STOPPING_AUTO);
        settings.seed = seeds[i];
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 4);
        gofh_problem_minimize(problem, "sum(y^2)");
        gofh_study *study = study_of(problem, &settings);
        assert_int_equal(gofh_optimize(study, steep_terms, NULL), GOFH_STOP_BUDGET);
        gofh_study_free(study);
    }
}

/* A batch of which the first gains and is reported last: the others begin no row, whether the study was
 * closed meanwhile or not. */
static void what_was_asked_before_a_gain_is_kept_with_the_study(void **state)
{
    (void)state;
    enum { BATCH = 30 };
    gofh_settings settings = settings_of(200, GOFH_STOPPING_NEVER);
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    first_end(study, valley_h, 8);
    int64_t trials[BATCH];
    double x[BATCH][VALLEY_D], y[VALLEY_M];
    for (int i = 0; i < BATCH; i++) check_ok(study, gofh_study_ask(study, &trials[i], x[i]));
    for (int i = BATCH; i-- > 0;) {
        valley_h(i ? x[i] : VALLEY_TRUTH, y, NULL);
        check_ok(study, gofh_study_tell(study, trials[i], y));
    }
    assert_int_equal(gofh_study_ended(study), 0);
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_int_equal(gofh_study_ended(study), 0);
    gofh_study_free(study);
}

static void points_that_the_user_has_are_evaluated_all_the_same(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    gofh_study *study = study_of(valley_expression(), &settings);
    queue_points(study, 8, 3);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
    assert_int_equal(gofh_study_count(study), 8);
    gofh_study_free(study);
}

static void never_uses_the_budget(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(20, GOFH_STOPPING_NEVER);
    gofh_study *study = study_of(valley_expression(), &settings);
    queue_points(study, 8, 8);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_BUDGET);
    assert_int_equal(gofh_study_count(study), 20);
    gofh_study_free(study);
}

/* At the floor nothing is expected: three suggestions more, each of which says so. */
static void a_tolerance_takes_the_place_of_the_rule(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    settings.tolerance = 1e-6;
    settings.patience = 3;
    gofh_study *study = study_of(valley_expression(), &settings);
    queue_points(study, 8, 8);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
    assert_true(gofh_study_count(study) >= 11);
    gofh_study_free(study);
}

static void methods_of_the_paper_use_the_budget(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(10, GOFH_STOPPING_AUTO);
    settings.method = "ei-cf";
    settings.hyper_samples = 2;
    gofh_study *study = study_of(valley_expression(), &settings);
    queue_points(study, 8, 8);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_BUDGET);
    gofh_study_free(study);
}

static void what_goes_on_says_where_the_other_ends(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        gofh_settings settings = settings_of(60, GOFH_STOPPING_NEVER);
        settings.seed = seed;
        gofh_study *study = valley_study(&settings); /* of a function: nobody knows that 0 is the least */
        int end = first_end(study, valley_h, 60);
        assert_in_range(end, VALLEY_INITIAL + 1, 59);
        gofh_study_free(study);
        settings.stop = GOFH_STOPPING_AUTO;
        study = valley_study(&settings);
        assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
        assert_int_equal(gofh_study_count(study), end);
        assert_true(best_f(study) < 1e-12); /* it is exact by then */
        gofh_study_free(study);
    }
}

static void a_resumed_study_decides_the_same(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
    int64_t count = gofh_study_count(study), trial;
    double x[VALLEY_D];
    gofh_study_free(study);
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_IMPROVEMENT);
    gofh_study_free(study);
    settings.stop = GOFH_STOPPING_NEVER;
    study = stored_valley(GOFH_OPEN_WRITE, &settings);
    check_ok(study, gofh_study_ask(study, &trial, x));
    assert_int_equal(trial, count + 1);
    assert_null(gofh_study_log(study, 0)); /* it has changed nothing that suggestions depend on */
    gofh_study_free(study);
}

/* Interrupted and taken up again after every trial. */
static void a_study_opened_for_each_trial_ends_where_it_would_have(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    gofh_study *study = valley_study(&settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
    int64_t count = gofh_study_count(study), trial, made = 0;
    gofh_study_free(study);
    gofh_status status = GOFH_OK;
    while (!status) {
        double x[VALLEY_D], y[VALLEY_M];
        study = stored_valley(GOFH_OPEN_WRITE, &settings);
        status = gofh_study_ask(study, &trial, x);
        if (!status) {
            valley_h(x, y, NULL);
            check_ok(study, gofh_study_tell(study, trial, y));
            made++;
        }
        gofh_study_free(study);
    }
    assert_int_equal(status, GOFH_STOP_IMPROVEMENT);
    assert_int_equal(made, count);
}

static int unreachable_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] * x[0] + x[1];
    y[1] = 2.0 + sin(3.0 * x[0]) * x[1];
    return 0;
}

static void while_nothing_is_feasible_it_goes_on(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(40, GOFH_STOPPING_AUTO);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "y[0]^2");
    gofh_problem_add_constraint(problem, "y[1] <= 1");
    gofh_study *study = study_of(problem, &settings);
    assert_int_equal(gofh_optimize(study, unreachable_h, NULL), GOFH_STOP_BUDGET);
    gofh_study_free(study);
}

static int constant_h(const double *x, double *y, void *context)
{
    (void)x, (void)context;
    for (int j = 0; j < VALLEY_M; j++) y[j] = 1.0;
    return 0;
}

static void outputs_that_never_change_are_no_reason_to_end(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(40, GOFH_STOPPING_AUTO);
    gofh_study *study = valley_study(&settings);
    assert_int_equal(gofh_optimize(study, constant_h, NULL), GOFH_STOP_BUDGET);
    gofh_study_free(study);
}

static int noisy_h(const double *x, double *y, void *context)
{
    dice *d = context;
    valley_h(x, y, NULL);
    for (int j = 0; j < VALLEY_M; j++) y[j] += 0.05 * dice_normal(d);
    return 0;
}

static void noise_is_given_more_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        dice d = {seed};
        gofh_settings settings = settings_of(28, GOFH_STOPPING_AUTO);
        settings.noise = GOFH_NOISE_ESTIMATED;
        settings.seed = seed;
        gofh_study *study = study_of(valley_expression(), &settings);
        assert_int_equal(gofh_optimize(study, noisy_h, &d), GOFH_STOP_BUDGET);
        gofh_study_free(study);
    }
}

static int product_terms(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] - 1.0;
    y[1] = x[1] - 2.0;
    y[2] = x[0] * x[1] - 2.0;
    return 0;
}

static gofh_study *product_study(uint64_t seed, int stored)
{
    gofh_settings settings = settings_of(60, GOFH_STOPPING_AUTO);
    gofh_error error;
    settings.seed = seed;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.5, 5.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, 3);
    gofh_problem_minimize(problem, "sum(y^2)");
    return stored ? open_stored(problem, GOFH_OPEN_WRITE, &settings, &error) : study_of(problem, &settings);
}

/* Three places: as soon as one evaluation ends, the next is asked, until nothing more is expected. A
 * stored study is opened anew for each. Returns how many there were. */
static int64_t fill_places(uint64_t seed, int stored)
{
    enum { PLACES = 3 };
    gofh_study *study = product_study(seed, stored);
    int64_t open[PLACES], count;
    double x[PLACES][2], y[3];
    gofh_status status = GOFH_OK;
    dice d = {seed};
    for (int i = 0; i < PLACES; i++) check_ok(study, gofh_study_ask(study, &open[i], x[i]));
    while (!status) {
        int ends = (int)(PLACES * dice_uniform(&d));
        product_terms(x[ends], y, NULL);
        check_ok(study, gofh_study_tell(study, open[ends], y));
        if (stored) {
            gofh_study_free(study);
            study = product_study(seed, 1);
        }
        status = gofh_study_ask(study, &open[ends], x[ends]);
    }
    assert_int_equal(status, GOFH_STOP_IMPROVEMENT);
    assert_true(best_f(study) < 1e-12);
    count = gofh_study_count(study);
    gofh_study_free(study);
    return count;
}

/* There is always something open, so that all suggestions after the last gain are made beside others. */
static void places_that_are_always_filled_end_too(void **state)
{
    (void)state;
    for (uint64_t seed = 22; seed <= 26; seed++) fill_places(seed, 0);
    assert_int_equal(fill_places(21, 1), fill_places(21, 0));
}

/* The truth is nearer to 0 than any start: it is found by the trial that is still open. */
static void what_an_open_trial_promises_is_waited_for(void **state)
{
    (void)state;
    gofh_settings settings = settings_of(60, GOFH_STOPPING_NEVER);
    gofh_study *study = valley_study(&settings);
    assert_true(first_end(study, valley_h, 60) > 0);
    int64_t first, second;
    double x[VALLEY_D], better[VALLEY_D] = {1.9, 99.0};
    /* A start is open: nobody knows what it will give. */
    check_ok(study, gofh_study_enqueue(study, better));
    assert_int_equal(gofh_study_ended(study), 0);
    check_ok(study, gofh_study_ask(study, &first, x));
    assert_int_equal(gofh_study_ended(study), 0);
    check_ok(study, gofh_study_fail(study, first, "lost"));
    assert_int_equal(gofh_study_ended(study), 1);
    /* A restart expects nothing. */
    check_ok(study, gofh_study_ask(study, &second, x));
    assert_int_equal(gofh_study_ended(study), 1);
    gofh_study_free(study);
}

/* The residual depends on one of the parameters, or is the same on both sides of the middle of it, and can't
 * become 0. */
static int same_h(const double *x, double *y, void *context)
{
    double at = *(const int *)context ? x[1] : pow(2.0 * x[1] - 1.0, 2.0);
    for (int j = 0; j < 8; j++) y[j] = sin(3.0 * at * j / 7.0);
    return 0;
}

/* A tenth of the budget is what they need; suggestions that come to what is as good promise nothing. */
static void optima_that_are_all_the_same_end_the_study(void **state)
{
    (void)state;
    static const char *const unused[] = {"interval", "choice", "integer"};
    double observed[8];
    for (int j = 0; j < 8; j++) observed[j] = sin(2.0 * j / 7.0) + (j % 2 ? -0.5 : 0.5);
    for (int i = 0; i < 4; i++) {
        int one = i < 3;
        gofh_settings settings = settings_of(200, GOFH_STOPPING_AUTO);
        gofh_problem *problem = gofh_problem_create();
        if (i == 1)
            gofh_problem_add_choices(problem, unused[i], unused, 3, GOFH_ORDER_NONE);
        else if (i == 2)
            gofh_problem_add_integer(problem, unused[i], 0, 4, GOFH_SCALE_LINEAR);
        else
            gofh_problem_add_parameter(problem, unused[i % 3], 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 8);
        gofh_problem_set_data(problem, "observed", observed, 8);
        gofh_problem_minimize(problem, "sum((y - observed)^2)");
        gofh_study *study = study_of(problem, &settings);
        assert_int_equal(gofh_optimize(study, same_h, &one), GOFH_STOP_IMPROVEMENT);
        assert_in_range(gofh_study_count(study), 12, 100);
        gofh_study_free(study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_of_squares_that_is_0_ends_the_study),
        cmocka_unit_test(residuals_that_are_rounding_beside_the_design_end_the_study),
        cmocka_unit_test(residuals_that_are_small_beside_the_design_alone_do_not_end_it),
        cmocka_unit_test_setup_teardown(what_was_asked_before_a_gain_is_kept_with_the_study, stored_setup,
                                        stored_teardown),
        cmocka_unit_test_setup_teardown(places_that_are_always_filled_end_too, stored_setup, stored_teardown),
        cmocka_unit_test(points_that_the_user_has_are_evaluated_all_the_same),
        cmocka_unit_test(never_uses_the_budget),
        cmocka_unit_test(a_tolerance_takes_the_place_of_the_rule),
        cmocka_unit_test(methods_of_the_paper_use_the_budget),
        cmocka_unit_test(what_goes_on_says_where_the_other_ends),
        cmocka_unit_test_setup_teardown(a_resumed_study_decides_the_same, stored_setup, stored_teardown),
        cmocka_unit_test_setup_teardown(a_study_opened_for_each_trial_ends_where_it_would_have, stored_setup,
                                        stored_teardown),
        cmocka_unit_test(while_nothing_is_feasible_it_goes_on),
        cmocka_unit_test(outputs_that_never_change_are_no_reason_to_end),
        cmocka_unit_test(noise_is_given_more_time),
        cmocka_unit_test(what_an_open_trial_promises_is_waited_for),
        cmocka_unit_test(optima_that_are_all_the_same_end_the_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
