/* Outputs that are missing from some trials: each is modelled from the trials that have it. */
#include "unit/api/dense.h"
#include "unit/api/stored.h"

enum { N = 14, WIDE = 12 };

/* Whether the valley's output j is missing from trial i. */
static int is_missing(int i, int j)
{
    return (j == 1 && i % 3 == 1) || (j == 2 && (i == 4 || i == 9));
}

static void fractions(const double *x, double *z)
{
    z[0] = x[0] / 2.0;
    z[1] = log(x[1]) / log(100.0);
}

static void point_of(int i, double *x)
{
    dice numbers = {100 + (uint64_t)i};
    x[0] = 2.0 * dice_uniform(&numbers);
    x[1] = pow(100.0, dice_uniform(&numbers));
}

static gofh_study *missing_study(const gofh_settings *settings, const double *variance)
{
    gofh_problem *problem = valley_problem();
    gofh_problem_allow_missing(problem, 1);
    gofh_problem_allow_missing(problem, 2);
    gofh_study *study = study_of(problem, settings);
    for (int i = 0; i < N; i++) {
        double x[VALLEY_D], y[VALLEY_M], own[VALLEY_M] = {NAN, NAN, NAN};
        point_of(i, x);
        valley_h(x, y, NULL);
        for (int j = 0; j < VALLEY_M; j++)
            if (is_missing(i, j)) y[j] = NAN;
        if (variance) own[2] = variance[i];
        const gofh_evaluation one = {.x = x, .y = y, .variance = own};
        check_ok(study, gofh_study_import_all(study, &one, 1, NULL));
    }
    return study;
}

/* Predictions of output j are those of a process of the trials that have it. */
static void check_output(gofh_study *study, int j, dense *p, const double *variance)
{
    static double own[N];
    p->n = 0;
    for (int i = 0; i < N; i++) {
        double x[VALLEY_D], y[VALLEY_M];
        if (is_missing(i, j)) continue;
        point_of(i, x);
        valley_h(x, y, NULL);
        fractions(x, p->z + p->n * VALLEY_D);
        if (variance) own[p->n] = variance[i];
        p->y[p->n++] = y[j];
    }
    if (variance) p->own = own;
    for (int i = 0; i < 8; i++) {
        double x[VALLEY_D], z[VALLEY_D], mean[VALLEY_M], spread[VALLEY_M], expected, width;
        point_of(1000 + i, x);
        fractions(x, z);
        dense_predict(p, z, &expected, &width);
        check_ok(study, gofh_study_predict(study, x, 1, mean, spread, NULL, NULL));
        check_near(mean[j], expected, 1e-7 * sqrt(p->variance));
        check_near(spread[j], width, 1e-7 * p->variance);
    }
}

static gofh_settings fixed_settings(void)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.hyper = GOFH_HYPER_FIXED;
    return settings;
}

static const double LENGTH[VALLEY_M][VALLEY_D] = {{0.2, 0.3}, {0.4, 0.15}, {0.25, 0.25}};

static void fix_hyperparameters(gofh_study *study)
{
    for (int j = 0; j < VALLEY_M; j++) {
        gofh_hyperparameters values = {.lengthscale = LENGTH[j], .variance = 1.0 + j, .noise = 0.01 * j};
        values.mean = j == 0 ? 0.2 : NAN;
        check_ok(study, gofh_study_set_hyperparameters(study, j, &values));
    }
}

static void each_output_is_predicted_from_the_trials_that_have_it(void **state)
{
    (void)state;
    gofh_settings settings = fixed_settings();
    gofh_study *study = missing_study(&settings, NULL);
    fix_hyperparameters(study);
    for (int j = 0; j < VALLEY_M; j++) {
        dense p = {.d = VALLEY_D, .length = LENGTH[j], .variance = 1.0 + j, .noise = 0.01 * j};
        p.mean = j == 0 ? 0.2 : NAN;
        check_output(study, j, &p, NULL);
    }
    gofh_study_free(study);
}

static void a_known_noise_goes_with_its_value(void **state)
{
    (void)state;
    double variance[N];
    for (int i = 0; i < N; i++) variance[i] = 0.01 * (i + 1);
    gofh_settings settings = fixed_settings();
    gofh_study *study = missing_study(&settings, variance);
    fix_hyperparameters(study);
    dense p = {.d = VALLEY_D, .length = LENGTH[2], .variance = 3.0, .mean = NAN};
    check_output(study, 2, &p, variance);
    gofh_study_free(study);
}

/* A study of output j alone, of the trials that have it. */
static gofh_study *study_of_one(int j, const gofh_settings *settings)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study = study_of(problem, settings);
    for (int i = 0; i < N; i++) {
        double x[VALLEY_D], y[VALLEY_M];
        point_of(i, x);
        valley_h(x, y, NULL);
        if (!is_missing(i, j)) check_ok(study, gofh_study_import(study, x, y + j, NULL));
    }
    return study;
}

static void an_output_has_the_hyperparameters_and_errors_it_would_have_alone(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf"};
    for (int k = 0; k < 2; k++) {
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.method = methods[k];
        settings.hyper = GOFH_HYPER_MAP;
        gofh_study *study = missing_study(&settings, NULL);
        double mean[N * VALLEY_M], variance[N * VALLEY_M], alone_mean[N], alone_variance[N];
        check_ok(study, gofh_study_leave_one_out(study, mean, variance));
        for (int j = 0; j < VALLEY_M; j++) {
            gofh_study *alone = study_of_one(j, &settings);
            gofh_hyperparameters found, expected;
            check_ok(study, gofh_study_hyperparameters(study, 0, j, &found));
            check_ok(alone, gofh_study_hyperparameters(alone, 0, 0, &expected));
            check_close(found.variance, expected.variance, 1e-6);
            for (int d = 0; d < VALLEY_D; d++)
                check_close(found.lengthscale[d], expected.lengthscale[d], 1e-6);
            check_ok(alone, gofh_study_leave_one_out(alone, alone_mean, alone_variance));
            int known = 0;
            for (int i = 0; i < N; i++) {
                if (is_missing(i, j)) {
                    assert_true(isnan(mean[i * VALLEY_M + j]) && isinf(variance[i * VALLEY_M + j]));
                    continue;
                }
                check_near(mean[i * VALLEY_M + j], alone_mean[known], 1e-6);
                check_close(variance[i * VALLEY_M + j], alone_variance[known], 1e-4);
                known++;
            }
            gofh_study_free(alone);
        }
        gofh_study_free(study);
    }
}

/* Outputs a (2) and b (1); only a counts. */
static gofh_problem *partial_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "a", 2);
    gofh_problem_add_output(problem, "b", 1);
    gofh_problem_minimize(problem, "sum(a)");
    return problem;
}

static double f_of(gofh_study *study, double x, double first, double second, double third)
{
    const double y[3] = {first, second, third};
    int64_t number;
    gofh_trial trial;
    check_ok(study, gofh_study_import(study, &x, y, &number));
    check_ok(study, gofh_study_trial(study, number, &trial));
    return trial.f;
}

static void f_is_unknown_where_it_needs_what_is_missing(void **state)
{
    (void)state;
    gofh_problem *problem = partial_problem();
    for (int j = 0; j < 3; j++) gofh_problem_allow_missing(problem, j);
    gofh_study *study = study_of(problem, NULL);
    gofh_trial best;
    assert_true(isnan(f_of(study, 0.1, -9.0, NAN, 1.0)));
    assert_int_equal(gofh_study_best(study, &best), GOFH_ERROR_EMPTY);
    check_near(f_of(study, 0.2, 1.0, 2.0, NAN), 3.0, 0.0);
    check_near(f_of(study, 0.3, 1.0, 3.0, 7.0), 4.0, 0.0);
    assert_true(isnan(f_of(study, 0.4, NAN, -50.0, 1.0)));
    check_ok(study, gofh_study_best(study, &best));
    assert_int_equal(best.trial, 2);
    assert_true(isnan(best.y[2]));
    gofh_study_free(study);
}

static void a_constraint_needs_its_outputs(void **state)
{
    (void)state;
    gofh_problem *problem = partial_problem();
    gofh_problem_allow_missing(problem, 2);
    gofh_problem_add_constraint(problem, "b <= 1");
    gofh_study *study = study_of(problem, NULL);
    assert_true(isnan(f_of(study, 0.1, 1.0, 1.0, NAN)));
    assert_true(isinf(f_of(study, 0.2, 1.0, 1.0, 2.0)));
    check_near(f_of(study, 0.3, 1.0, 1.0, 0.0), 2.0, 0.0);
    gofh_study_free(study);
}

static void what_may_not_be_missing_is_refused(void **state)
{
    (void)state;
    gofh_problem *problem = partial_problem();
    gofh_problem_allow_missing(problem, 1);
    assert_int_equal(gofh_problem_allow_missing(problem, 3), GOFH_ERROR_ARGUMENT);
    gofh_problem_free(problem);
    problem = partial_problem();
    gofh_problem_allow_missing(problem, 1);
    gofh_study *study = study_of(problem, NULL);
    double x = 0.5, y[3] = {NAN, 1.0, 2.0};
    assert_int_equal(gofh_study_import(study, &x, y, NULL), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study),
                        "output a[0] is nan: tell finite values, or fail the trial");
    y[0] = 1.0;
    y[1] = INFINITY;
    assert_int_equal(gofh_study_import(study, &x, y, NULL), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
    problem = partial_problem();
    for (int j = 0; j < 3; j++) gofh_problem_allow_missing(problem, j);
    study = study_of(problem, NULL);
    y[0] = y[1] = y[2] = NAN;
    assert_int_equal(gofh_study_import(study, &x, y, NULL), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "all outputs are missing: fail the trial instead");
    gofh_study_free(study);
}

/* Twelve outputs, which share a kernel where all have the same data. */
static void wide_h(const double *x, double *y)
{
    for (int j = 0; j < WIDE; j++) y[j] = x[0] * exp(-x[1] * 0.3 * j) + 0.1 * sin(x[0] + 0.2 * j);
}

static gofh_problem *wide_problem(void)
{
    static const double truth[2] = {0.7, 0.4};
    double observed[WIDE];
    gofh_problem *problem = gofh_problem_create();
    wide_h(truth, observed);
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "k", 0.1, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, WIDE);
    gofh_problem_set_data(problem, "observed", observed, WIDE);
    gofh_problem_fit(problem, "y", "observed", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    for (int j = 8; j < WIDE; j++) gofh_problem_allow_missing(problem, j);
    return problem;
}

/* The ends of some curves are missing. */
static void tell_wide(gofh_study *study, int64_t trial, const double *x)
{
    double y[WIDE];
    wide_h(x, y);
    for (int j = 8 + (int)(trial % 4); trial % 3 == 0 && j < WIDE; j++) y[j] = NAN;
    check_ok(study, gofh_study_tell(study, trial, y));
}

static void a_study_with_gaps_finds_the_optimum(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 26;
    gofh_study *study = study_of(wide_problem(), &settings);
    double x[2][2];
    int64_t trial[2];
    while (gofh_study_ask(study, &trial[0], x[0]) == GOFH_OK) { /* two at once: fantasies, too */
        int second = gofh_study_ask(study, &trial[1], x[1]) == GOFH_OK;
        tell_wide(study, trial[0], x[0]);
        if (second) tell_wide(study, trial[1], x[1]);
    }
    gofh_trial best;
    check_ok(study, gofh_study_best(study, &best));
    assert_true(best.f < 1e-6);
    gofh_study_free(study);
}

/* Closes the study after each of the last asks where `again`, and gives what was suggested. */
static void suggestions(const char *path, int imported, int asked, int again, double *x)
{
    gofh_settings settings;
    gofh_error error = {.status = GOFH_OK};
    gofh_study *study;
    gofh_settings_defaults(&settings);
    settings.budget = 0;
    gofh_problem *problem = wide_problem();
    assert_int_equal(gofh_study_open(&study, path, GOFH_OPEN_WRITE, problem, &settings, &error), GOFH_OK);
    for (int i = 0; i < imported; i++) {
        dice numbers = {7 + (uint64_t)i};
        double point[2] = {dice_uniform(&numbers), 0.1 + 1.9 * dice_uniform(&numbers)}, y[WIDE];
        wide_h(point, y);
        for (int j = 9; i % 5 == 2 && j < WIDE; j++) y[j] = NAN;
        check_ok(study, gofh_study_import(study, point, y, NULL));
    }
    for (int i = 0; i < asked; i++) {
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, x + 2 * i));
        tell_wide(study, trial, x + 2 * i);
        if (!again) continue;
        gofh_study_free(study);
        assert_int_equal(gofh_study_open(&study, path, GOFH_OPEN_WRITE, problem, &settings, &error), GOFH_OK);
    }
    gofh_study_free(study);
    gofh_problem_free(problem);
}

static void a_resumed_study_goes_on_as_if_it_had_not_been_closed(void **state)
{
    (void)state;
    static const int imported[2] = {0, 205}; /* beyond 200 data are appended to the model as it is */
    for (int k = 0; k < 2; k++) {
        char path[2][128];
        double x[2][24];
        int asked = k ? 5 : 12;
        for (int again = 0; again < 2; again++) {
            snprintf(path[again], sizeof path[again], "%s/%d-%d.db", stored_folder, k, again);
            suggestions(path[again], imported[k], asked, again, x[again]);
        }
        assert_memory_equal(x[0], x[1], 2 * (size_t)asked * sizeof x[0][0]);
    }
}

/* An oscillation at WAVE times, from trials of which one may lack a value. */
enum { WAVE = 20 };

static gofh_study *wave_study(int gap)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "damping", 0.05, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "frequency", 1.0, 2.5, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, WAVE);
    gofh_problem_minimize(problem, "sum(y)");
    for (int j = 0; j < WAVE; j++) gofh_problem_allow_missing(problem, j);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    gofh_study *study = study_of(problem, &settings);
    for (int i = 0; i < N; i++) {
        dice numbers = {500 + (uint64_t)i};
        double y[WAVE], x[2] = {0.05 + 0.95 * dice_uniform(&numbers), 1.0 + 1.5 * dice_uniform(&numbers)};
        for (int j = 0; j < WAVE; j++) {
            double t = 5.0 * (j + 1) / WAVE;
            y[j] = exp(-x[0] * t) * cos(x[1] * t);
        }
        if (gap && i == 3) y[7] = NAN;
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

static void a_missing_value_changes_little_of_what_is_said_of_f(void **state)
{
    (void)state;
    gofh_study *whole = wave_study(0), *gap = wave_study(1);
    for (int i = 0; i < 20; i++) {
        dice numbers = {900 + (uint64_t)i};
        double x[2] = {0.05 + 0.95 * dice_uniform(&numbers), 1.0 + 1.5 * dice_uniform(&numbers)};
        double expected, deviation;
        check_ok(whole, gofh_study_predict(whole, x, 1, NULL, NULL, NULL, &expected));
        check_ok(gap, gofh_study_predict(gap, x, 1, NULL, NULL, NULL, &deviation));
        /* 0.3 of it at the first point with independent outputs and deviations as they come. */
        assert_true(deviation > 0.7 * expected && deviation < 2.5 * expected);
    }
    gofh_study_free(whole);
    gofh_study_free(gap);
}

/* F does not need the last output, which is always missing: the search is as if there were none. */
static void an_output_that_nobody_has_seen_does_not_matter(void **state)
{
    (void)state;
    gofh_problem *problem = valley_problem();
    gofh_problem_set_outputs(problem, VALLEY_M + 1);
    gofh_problem_minimize(problem,
                          "(y[0] - 1.28544972998846)^2 + (y[1] + 0.51)^2 + (y[2] + 0.128844494295525)^2");
    gofh_problem_allow_missing(problem, VALLEY_M);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 25;
    gofh_study *study = study_of(problem, &settings);
    double x[VALLEY_D], y[VALLEY_M + 1], mean[VALLEY_M + 1], variance[VALLEY_M + 1];
    int64_t id;
    while (gofh_study_ask(study, &id, x) == GOFH_OK) {
        valley_h(x, y, NULL);
        y[VALLEY_M] = NAN;
        check_ok(study, gofh_study_tell(study, id, y));
    }
    gofh_trial best;
    check_ok(study, gofh_study_best(study, &best));
    assert_true(best.f < 1e-10);
    check_ok(study, gofh_study_predict(study, best.x, 1, mean, variance, NULL, NULL));
    assert_true(isnan(mean[VALLEY_M]) && isnan(variance[VALLEY_M]) && isfinite(mean[0]));
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_output_is_predicted_from_the_trials_that_have_it),
        cmocka_unit_test(a_known_noise_goes_with_its_value),
        cmocka_unit_test(an_output_has_the_hyperparameters_and_errors_it_would_have_alone),
        cmocka_unit_test(f_is_unknown_where_it_needs_what_is_missing),
        cmocka_unit_test(a_constraint_needs_its_outputs),
        cmocka_unit_test(what_may_not_be_missing_is_refused),
        cmocka_unit_test(an_output_that_nobody_has_seen_does_not_matter),
        cmocka_unit_test(a_missing_value_changes_little_of_what_is_said_of_f),
        cmocka_unit_test(a_study_with_gaps_finds_the_optimum),
        cmocka_unit_test_setup_teardown(a_resumed_study_goes_on_as_if_it_had_not_been_closed, stored_setup,
                                        stored_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
