/* How sure a study is of its best evaluation, and why. */
#include "unit/api/valley.h"

static gofh_assessment assess(gofh_study *study)
{
    gofh_assessment found;
    check_ok(study, gofh_study_assess(study, &found));
    return found;
}

static void check_says(const gofh_assessment *a, const char *text)
{
    if (strstr(a->message, text)) return;
    print_error("\"%s\" is not in \"%s\"\n", text, a->message);
    fail();
}

static void without_an_evaluation_there_is_nothing_to_assess(void **state)
{
    (void)state;
    gofh_assessment found;
    gofh_study *study = valley_study(NULL);
    assert_int_equal(gofh_study_assess(study, &found), GOFH_ERROR_EMPTY);
    assert_int_equal(gofh_study_assess(study, NULL), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
}

static void a_design_alone_is_not_sure(void **state)
{
    (void)state;
    gofh_study *study = valley_study(NULL);
    advance_valley(study, VALLEY_D + 1, NULL);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 0);
    check_says(&a, "no suggestion has been evaluated yet");
    gofh_study_free(study);
}

static void a_search_that_has_ended_is_sure(void **state)
{
    (void)state;
    gofh_study *study = valley_study(NULL);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_IMPROVEMENT);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 1);
    assert_int_equal(a.ended, 1);
    assert_int_equal(a.stuck, 0);
    check_says(&a, "nothing more is expected");
    for (int k = 0; k < VALLEY_D; k++) assert_int_equal(a.bound[k], 0);
    gofh_study_free(study);
}

static void reaching_the_target_is_success_before_the_search_has_settled(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.target = 0.25;
    gofh_study *study = valley_study(&settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_TARGET);
    gofh_assessment a = assess(study);
    assert_int_equal(a.ended, 0);
    assert_int_equal(a.success, 1);
    check_says(&a, "the target of 0.25 is reached");
    assert_null(strstr(a.message, "more may be found"));
    gofh_study_free(study);
    /* One that is not reached is no success. */
    settings.target = -1.0;
    study = valley_study(&settings);
    advance_valley(study, VALLEY_D + 2, NULL);
    a = assess(study);
    assert_int_equal(a.success, 0);
    assert_null(strstr(a.message, "target"));
    gofh_study_free(study);
}

static int square_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = (x[0] - 3.0) * (x[0] - 3.0) + 1.0;
    return 0;
}

static void trying_all_there_is_leaves_no_doubt(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_integer(problem, "n", 1, 4, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_study *study = study_of(problem, &settings);
    assert_int_equal(gofh_optimize(study, square_h, NULL), GOFH_STOP_EXHAUSTED);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 1);
    check_says(&a, "all allowed points have been tried");
    gofh_study_free(study);
}

/* Of each output 1 - sum of squared errors / sum of squares about the mean, by hand. */
static void explained_is_what_leave_one_out_leaves(void **state)
{
    (void)state;
    enum { N = VALLEY_INITIAL + 4 };
    gofh_study *study = valley_study(NULL);
    advance_valley(study, N, NULL);
    double mean[N * VALLEY_M], variance[N * VALLEY_M], y[N * VALLEY_M], sum = 0.0;
    check_ok(study, gofh_study_leave_one_out(study, mean, variance));
    for (int i = 0; i < N; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, i + 1, &trial));
        memcpy(y + i * VALLEY_M, trial.y, VALLEY_M * sizeof *y);
    }
    for (int j = 0; j < VALLEY_M; j++) {
        double centre = 0.0, total = 0.0, rest = 0.0;
        for (int i = 0; i < N; i++) centre += y[i * VALLEY_M + j] / N;
        for (int i = 0; i < N; i++) {
            total += pow(y[i * VALLEY_M + j] - centre, 2.0);
            rest += pow(y[i * VALLEY_M + j] - mean[i * VALLEY_M + j], 2.0);
        }
        sum += fmax(1.0 - rest / total, 0.0);
    }
    gofh_assessment a = assess(study);
    assert_true(fabs(a.explained - sum / VALLEY_M) < 1e-12); /* sums of ten numbers below 1 */
    gofh_study_free(study);
}

static int slope_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] - 0.5 * x[1] + 3.0 * x[2] * (1.0 - x[2]);
    return 0;
}

static void bounds_are_named(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "inner", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "outer", -1.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "middle", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_maximize(problem, "y[0]");
    gofh_study *study = study_of(problem, NULL);
    gofh_optimize(study, slope_h, NULL);
    gofh_assessment a = assess(study);
    assert_int_equal(a.bound[0], 1);
    assert_int_equal(a.bound[1], -1);
    assert_int_equal(a.bound[2], 0);
    check_says(&a, "inner is at its upper bound");
    check_says(&a, "outer is at its lower bound");
    gofh_study_free(study);
}

static int line_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < 4; j++) y[j] = x[0] * (j + 1);
    return 0;
}

/* A line through the origin and data that are on none. With deviations of 0.1 the misfit is 100
 * times what they explain or more, with 10 it is explained. */
static gofh_assessment assess_line(gofh_study **study, double deviation)
{
    const double observed[4] = {3.0, -2.0, 4.0, 1.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "slope", -3.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 4);
    gofh_problem_set_data(problem, "observed", observed, 4);
    gofh_problem_set_data(problem, "sigma", (const double[]){deviation, deviation, deviation, deviation}, 4);
    gofh_problem_minimize(problem, "sum(((y - observed)/sigma)^2)");
    *study = study_of(problem, NULL);
    gofh_optimize(*study, line_h, NULL);
    return assess(*study);
}

static void a_misfit_beyond_the_deviations_of_the_data_is_told(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_assessment a = assess_line(&study, 0.1);
    assert_int_equal(a.success, 0);
    assert_int_equal(a.stuck, 1);
    check_says(&a, "times what the deviations of the data explain");
    gofh_study_free(study);
    a = assess_line(&study, 10.0);
    assert_int_equal(a.success, 1);
    assert_int_equal(a.stuck, 0);
    gofh_study_free(study);
}

/* A line that fits to a chi-squared of 30 times 1e-4 or 1, before anything was suggested. */
static gofh_assessment assess_import(gofh_study **study, double off)
{
    const double slope = 2.0 + off, ones[4] = {1.0, 1.0, 1.0, 1.0};
    double observed[4], y[4];
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "slope", -3.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 4);
    line_h((const double[]){2.0}, observed, NULL);
    gofh_problem_set_data(problem, "observed", observed, 4);
    gofh_problem_set_data(problem, "sigma", ones, 4);
    gofh_problem_minimize(problem, "sum(((y - observed)/sigma)^2)");
    *study = study_of(problem, NULL);
    line_h(&slope, y, NULL);
    check_ok(*study, gofh_study_import(*study, &slope, y, NULL));
    return assess(*study);
}

static void a_misfit_that_the_data_can_not_tell_from_0_is_success(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_assessment a = assess_import(&study, 0.01);
    assert_int_equal(a.success, 1);
    check_says(&a, "the misfit is less than the deviations of the data can tell from 0");
    gofh_study_free(study);
    a = assess_import(&study, 1.0);
    assert_int_equal(a.success, 0);
    gofh_study_free(study);
}

static int apart_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] - 2.0 + 0.1 * x[1] * x[1];
    y[1] = x[1] - 2.0;
    return 0;
}

/* The optimum without constraints is 0, at (1.6, 2); with one it is on its edge. */
static gofh_assessment assess_constrained(gofh_study **study, const char *constraint)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "z", 0.0, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_problem_add_constraint(problem, constraint);
    *study = study_of(problem, NULL);
    gofh_optimize(*study, apart_h, NULL);
    return assess(*study);
}

/* What is left of f is what the constraint costs. */
static void a_misfit_that_a_constraint_leaves_is_not_being_stuck(void **state)
{
    (void)state;
    static const char *const constraints[] = {"x + z <= 2", "y[0] == -1.5 +- 0.01", "x^2 + z^2 == 3"};
    for (size_t i = 0; i < sizeof constraints / sizeof constraints[0]; i++) {
        gofh_study *study;
        gofh_assessment a = assess_constrained(&study, constraints[i]);
        assert_int_equal(a.stuck, 0);
        assert_int_equal(a.success, 1);
        check_says(&a, "% of the design's misfit is left, where a constraint is active");
        gofh_study_free(study);
    }
}

enum { WAVE = 8 };

static int wave_h(const double *x, double *y, void *context)
{
    for (int j = 0; j < WAVE; j++) y[j] = sin(3.0 * x[*(const int *)context] * j / (WAVE - 1));
    return 0;
}

/* A fit whose residuals are five deviations each, beside two shares of a mixture that h does not depend on,
 * or a choice that it does not depend on. */
static gofh_assessment assess_wave(gofh_study **study, int mixture)
{
    static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    int at = mixture ? 2 : 1;
    double observed[WAVE], sigma[WAVE];
    for (int j = 0; j < WAVE; j++) {
        observed[j] = sin(2.0 * j / (WAVE - 1)) + (j % 2 ? -0.5 : 0.5);
        sigma[j] = 0.1;
    }
    gofh_problem *problem = gofh_problem_create();
    if (mixture) {
        gofh_problem_add_parameter(problem, "u", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "v", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_constraint(problem, "u + v == 1");
    } else {
        gofh_problem_add_choices(problem, "material", words, 8, GOFH_ORDER_NONE);
    }
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, WAVE);
    gofh_problem_set_data(problem, "observed", observed, WAVE);
    gofh_problem_set_sigma(problem, "observed", sigma, WAVE);
    gofh_problem_fit(problem, "y", "observed", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    *study = study_of(problem, NULL);
    gofh_optimize(*study, wave_h, &at);
    return assess(*study);
}

static void an_equality_that_f_does_not_depend_on_is_no_excuse(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_assessment a = assess_wave(&study, 1);
    assert_int_equal(a.stuck, 1);
    assert_int_equal(a.success, 0);
    check_says(&a, "times what the deviations of the data explain;");
    gofh_study_free(study);
}

/* Chi-squared is 8 times 25, to about a tenth; with two parameters its mean is 6. Of coordinates a choice of
 * eight has as many. */
static void a_choice_takes_one_degree_of_freedom(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_assessment a = assess_wave(&study, 0);
    assert_int_equal(a.success, 0);
    check_says(&a, "the misfit is 33 times what the deviations of the data explain");
    gofh_study_free(study);
}

enum { CURVE = 30 };

static int curve_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < CURVE; j++) y[j] = x[0] * j + x[1];
    return 0;
}

/* A line fitted to a parabola of one sign's residuals in the middle and another's at the ends, and
 * to residuals of the same sizes that change their sign with each value. */
static gofh_assessment assess_curve(gofh_study **study, int alternate)
{
    double observed[CURVE];
    for (int j = 0; j < CURVE; j++) {
        double t = (j - 0.5 * (CURVE - 1)) / (0.5 * (CURVE - 1)), bend = t * t - 0.357;
        observed[j] = j + 3.0 * (alternate ? (j % 2 ? -fabs(bend) : fabs(bend)) : bend);
    }
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "slope", 0.5, 1.5, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "offset", -1.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, CURVE);
    gofh_problem_set_data(problem, "observed", observed, CURVE);
    gofh_problem_minimize(problem, "sum((y - observed)^2)");
    *study = study_of(problem, NULL);
    gofh_optimize(*study, curve_h, NULL);
    return assess(*study);
}

static void systematic_residuals_are_told(void **state)
{
    (void)state;
    gofh_study *study;
    gofh_assessment a = assess_curve(&study, 0);
    assert_int_equal(a.success, 0);
    check_says(&a, "the residuals are systematic");
    gofh_study_free(study);
    a = assess_curve(&study, 1);
    assert_int_equal(a.success, 1);
    gofh_study_free(study);
}

static void where_nothing_is_feasible_it_says_so(void **state)
{
    (void)state;
    gofh_problem *problem = valley_problem();
    gofh_problem_add_constraint(problem, "y[2] >= 2");
    gofh_study *study = study_of(problem, NULL);
    advance_valley(study, VALLEY_INITIAL + 2, NULL);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 0);
    check_says(&a, "nothing feasible is known");
    gofh_study_free(study);
}

static int huge_h(const double *x, double *y, void *context)
{
    valley_h(x, y, context);
    for (int j = 0; j < VALLEY_M; j++) y[j] *= 1e200;
    return 0;
}

static void an_objective_that_overflows_is_not_called_infeasible(void **state)
{
    (void)state;
    for (int constrained = 0; constrained < 2; constrained++) {
        gofh_problem *problem = valley_problem();
        if (constrained) gofh_problem_add_constraint(problem, "y[2] <= 1e300");
        gofh_study *study = study_of(problem, NULL);
        double x[VALLEY_D], y[VALLEY_M];
        int64_t trial;
        for (int i = 0; i < 3; i++) {
            check_ok(study, gofh_study_ask(study, &trial, x));
            huge_h(x, y, NULL);
            check_ok(study, gofh_study_tell(study, trial, y));
        }
        gofh_assessment a = assess(study);
        assert_int_equal(a.success, 0);
        check_says(&a, "no finite f is known");
        gofh_study_free(study);
    }
}

static int rough_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < VALLEY_M; j++) y[j] = fmod(1e4 * sin(1e5 * x[0] + 77.0 * x[1] + j), 1.0);
    return 0;
}

static void a_model_that_explains_nothing_vouches_for_nothing(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 25;
    gofh_study *study = valley_study(&settings);
    gofh_optimize(study, rough_h, NULL);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 0);
    assert_true(a.explained < 0.5);
    check_says(&a, "explains only");
    gofh_study_free(study);
}

/* One output of noise and nine that are 0.1. */
static int idle_h(const double *x, double *y, void *context)
{
    (void)context;
    dice numbers = {(uint64_t)(1e6 * x[0])};
    y[0] = dice_uniform(&numbers);
    for (int j = 1; j < 10; j++) y[j] = 0.1;
    return 0;
}

static void outputs_that_never_vary_vouch_for_nothing(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 10);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 14; /* of which the sum of 0.1/14 is not 0.1 */
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_study *study = study_of(problem, &settings);
    gofh_optimize(study, idle_h, NULL);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 0);
    assert_true(a.explained < 0.5);
    assert_null(strstr(a.message, "are the same")); /* one of them varies */
    gofh_study_free(study);
}

/* Two may be the same by chance, and a repeated point is the same by right. */
static void a_simulator_that_does_not_hear_is_suspected(void **state)
{
    (void)state;
    const double x[] = {0.25, 0.25, 0.25, 0.75, 1.0}, constant[] = {3.0, NAN}, other[] = {3.0, 1.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_allow_missing(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study = study_of(problem, NULL);
    gofh_assessment a;
    for (int i = 0; i < 5; i++) {
        check_ok(study, gofh_study_import(study, &x[i], constant, NULL));
        a = assess(study);
        assert_int_equal(strstr(a.message, "are the same") != NULL, i >= 3);
    }
    assert_int_equal(a.stuck, 1);
    check_says(&a,
               "the outputs of all 5 evaluations are the same: the parameters may not reach the simulator");
    check_ok(study, gofh_study_import(study, &x[4], other, NULL));
    a = assess(study);
    assert_null(strstr(a.message, "are the same"));
    gofh_study_free(study);
}

/* As long as it gains, more may be found. */
static void a_search_that_still_gains_is_not_sure(void **state)
{
    (void)state;
    gofh_study *study = valley_study(NULL);
    advance_valley(study, VALLEY_D + 1 + 2, NULL);
    gofh_assessment a = assess(study);
    assert_int_equal(a.success, 0);
    assert_int_equal(a.recent, 2);
    check_says(&a, "more may be found: the last 2 suggestions were expected to gain ");
    gofh_study_free(study);
    study = valley_study(NULL);
    advance_valley(study, VALLEY_D + 1 + 1, NULL);
    a = assess(study);
    check_says(&a, "more may be found: the last suggestion was expected to gain ");
    gofh_study_free(study);
}

static void looking_changes_no_suggestion(void **state)
{
    (void)state;
    double seen[10 * VALLEY_D], plain[10 * VALLEY_D];
    gofh_study *study = valley_study(NULL);
    for (int i = 0; i < 10; i++) {
        advance_valley(study, 1, seen + i * VALLEY_D);
        assess(study);
    }
    gofh_study_free(study);
    study = valley_study(NULL);
    advance_valley(study, 10, plain);
    assert_memory_equal(seen, plain, sizeof seen);
    gofh_study_free(study);
}

enum { MANY = 600 };

static int many_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < MANY; j++) y[j] = x[0] * sin(0.02 * j + x[1]);
    return 0;
}

/* A study of so many outputs is reduced, but what is explained is of all of them. */
static void a_study_of_very_many_outputs_is_assessed(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "p", 1.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "q", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, MANY);
    gofh_problem_minimize(problem, "sum((y - 0.3)^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 10;
    gofh_study *study = study_of(problem, &settings);
    gofh_optimize(study, many_h, NULL);
    gofh_assessment a = assess(study);
    assert_true(a.explained > 0.9 && a.explained <= 1.0);
    gofh_study_free(study);
}

static int first_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = 1.0 + x[0] + x[1];
    return 0;
}

static void numbers_have_bounds_and_choices_have_none(void **state)
{
    (void)state;
    static const char *const grades[] = {"coarse", "medium", "fine"};
    for (int order = 0; order < 2; order++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_choices(problem, "mesh", grades, 3, order ? GOFH_ORDER_GIVEN : GOFH_ORDER_NONE);
        gofh_problem_add_integer(problem, "n", 0, 3, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 1);
        gofh_problem_minimize(problem, "y[0]");
        gofh_study *study = study_of(problem, NULL);
        for (int i = 0; i < 12; i++) {
            double x[] = {i % 3, i / 3}, y;
            first_h(x, &y, NULL);
            check_ok(study, gofh_study_import(study, x, &y, NULL));
        }
        gofh_assessment a = assess(study);
        assert_int_equal(a.bound[0], 0);
        assert_int_equal(a.bound[1], -1);
        check_says(&a, "n is at its lower bound");
        assert_null(strstr(a.message, "mesh"));
        gofh_study_free(study);
    }
}

/* The second of values over many decades is next to the first in the cube. */
static void a_value_beside_the_least_is_not_at_the_bound(void **state)
{
    (void)state;
    static const double values[] = {1.0, 2.0, 1e9};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_values(problem, "v", values, 3, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study = study_of(problem, NULL);
    for (int i = 0; i < 3; i++)
        check_ok(study, gofh_study_import(study, &values[i], (const double[]){i == 1 ? 0.0 : 1.0}, NULL));
    assert_int_equal(assess(study).bound[0], 0);
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_evaluation_there_is_nothing_to_assess),
        cmocka_unit_test(a_design_alone_is_not_sure),
        cmocka_unit_test(a_search_that_has_ended_is_sure),
        cmocka_unit_test(reaching_the_target_is_success_before_the_search_has_settled),
        cmocka_unit_test(trying_all_there_is_leaves_no_doubt),
        cmocka_unit_test(explained_is_what_leave_one_out_leaves),
        cmocka_unit_test(bounds_are_named),
        cmocka_unit_test(numbers_have_bounds_and_choices_have_none),
        cmocka_unit_test(a_value_beside_the_least_is_not_at_the_bound),
        cmocka_unit_test(a_misfit_that_the_data_can_not_tell_from_0_is_success),
        cmocka_unit_test(a_misfit_beyond_the_deviations_of_the_data_is_told),
        cmocka_unit_test(a_misfit_that_a_constraint_leaves_is_not_being_stuck),
        cmocka_unit_test(an_equality_that_f_does_not_depend_on_is_no_excuse),
        cmocka_unit_test(a_choice_takes_one_degree_of_freedom),
        cmocka_unit_test(systematic_residuals_are_told),
        cmocka_unit_test(where_nothing_is_feasible_it_says_so),
        cmocka_unit_test(an_objective_that_overflows_is_not_called_infeasible),
        cmocka_unit_test(a_model_that_explains_nothing_vouches_for_nothing),
        cmocka_unit_test(outputs_that_never_vary_vouch_for_nothing),
        cmocka_unit_test(a_simulator_that_does_not_hear_is_suspected),
        cmocka_unit_test(a_search_that_still_gains_is_not_sure),
        cmocka_unit_test(looking_changes_no_suggestion),
        cmocka_unit_test(a_study_of_very_many_outputs_is_assessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
