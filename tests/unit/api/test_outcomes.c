/* Studies of many shapes: what they find, and that nothing odd about a problem stops them. */
#include "unit/api/valley.h"

static void the_recommendation_is_near_the_optimum_and_says_so(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    advance_valley(study, 16, NULL);
    gofh_recommendation r;
    check_ok(study, gofh_study_recommend(study, &r));
    for (int k = 0; k < VALLEY_D; k++) check_near(r.x[k], VALLEY_TRUTH[k], 1e-3);
    double y[VALLEY_M], f;
    valley_h(r.x, y, NULL);
    valley_g(y, r.x, 1, &f, NULL, NULL, NULL);
    assert_true(f < 1e-6 && r.f < 1e-5 && r.f > -1e-9);
    assert_true(r.deviation >= 0.0 && r.deviation < 1e-4);
    for (int j = 0; j < VALLEY_M; j++) check_near(r.y[j], y[j], 1e-3);
    gofh_study_free(study);
}

/* -cos(5 x) - x / 4 on [0, 2]: its minima are where 5 sin(5 x) = 1/4. */
static int wave(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = -cos(5.0 * x[0]) - 0.25 * x[0];
    return 0;
}

static gofh_problem *wave_problem(int minimise)
{
    static const double one = 1.0;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    if (minimise)
        gofh_problem_minimize_linear(problem, &one, 1);
    else
        gofh_problem_maximize_linear(problem, &one, 1);
    return problem;
}

/* Known noise of a quarter of the spread must not make a flat model of it. */
static void known_noise_leaves_the_signal_to_be_seen(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        gofh_settings settings = quick_settings();
        settings.method = i ? "ei-cf" : "gofh";
        gofh_problem *problem = wave_problem(1);
        gofh_problem_set_noise(problem, 0, 0.04);
        gofh_study *study = study_of(problem, &settings);
        for (int k = 0; k <= 20; k++) {
            double x = 0.1 * k, y;
            wave(&x, &y, NULL);
            y += k % 2 ? 0.15 : -0.15;
            check_ok(study, gofh_study_import(study, &x, &y, NULL));
        }
        double at[2] = {1.25, 0.6}, mean[2], expected;
        check_ok(study, gofh_study_predict(study, at, 2, mean, NULL, NULL, NULL));
        for (int k = 0; k < 2; k++) {
            wave(&at[k], &expected, NULL);
            check_near(mean[k], expected, 0.25);
        }
        gofh_study_free(study);
    }
}

static void minima_and_maxima_of_one_output_are_found_and_reported_as_they_are(void **state)
{
    (void)state;
    static const char *const methods[] = {"ei-cf", "pi-cf", "ei", "pi"};
    const double pi = 3.14159265358979323846;
    double least = (2.0 * pi + asin(0.05)) / 5.0, most = (pi - asin(0.05)) / 5.0;
    for (int i = 0; i < 8; i++) {
        gofh_settings settings = quick_settings();
        settings.method = methods[i / 2];
        gofh_study *study = study_of(wave_problem(i % 2), &settings);
        advance(study, wave, NULL, 1, 20, NULL);
        double at = i % 2 ? least : most, expected;
        wave(&at, &expected, NULL);
        gofh_recommendation r;
        check_ok(study, gofh_study_recommend(study, &r));
        check_near(best_f(study), expected, 0.02); /* PI stops at its margin of 0.01 */
        check_near(r.f, expected, 1e-3);
        check_near(r.x[0], at, 1e-2);
        assert_true(i % 2 ? best_f(study) >= expected - 1e-12 : best_f(study) <= expected + 1e-12);
        gofh_study_free(study);
    }
}

/* Maximise y_0 where y_1 >= 0: nothing is allowed elsewhere. */
static int fenced(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dy, (void)dx, (void)context;
    for (int s = 0; s < count; s++) value[s] = y[2 * s + 1] >= 0.0 ? y[2 * s] : -INFINITY;
    return 0;
}

/* x_0 + x_1 inside the quarter of the disc of radius `context`: the most is radius sqrt(2). */
static int disc(const double *x, double *y, void *context)
{
    double radius = *(const double *)context;
    y[0] = x[0] + x[1];
    y[1] = radius * radius - x[0] * x[0] - x[1] * x[1];
    return 0;
}

static void a_constraint_is_found_and_kept(void **state)
{
    (void)state;
    static const char *const methods[] = {"ei-cf", "ei"};
    static const double radii[] = {0.8, 0.1}; /* of the second, a design sees nothing: 1 % is allowed */
    for (int i = 0; i < 4; i++) {
        double radius = radii[i / 2];
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 2);
        gofh_problem_maximize_function(problem, fenced, GOFH_GRADIENT_NONE, NULL);
        gofh_settings settings = quick_settings();
        settings.method = methods[i % 2];
        gofh_study *study = study_of(problem, &settings);
        advance(study, disc, &radius, 2, 30, NULL);
        assert_true(best_f(study) <= radius * sqrt(2.0) + 1e-12);
        if (i % 2 == 0) check_near(best_f(study), radius * sqrt(2.0), 1e-4);
        gofh_study_free(study);
    }
}

/* How far a and b are from what is wanted, over decades. */
static int needle(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] + x[1];
    y[1] = log((x[0] - 0.83) * (x[0] - 0.83) + 1e-4);
    y[2] = log((x[1] - 0.29) * (x[1] - 0.29) + 1e-4);
    return 0;
}

static gofh_study *needle_study(const gofh_settings *settings)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 3);
    gofh_problem_minimize(problem, "y[0]");
    /* 0.02 of each side: 1 point in 1600. */
    gofh_problem_add_constraint(problem, "y[1] <= log(0.00025)");
    gofh_problem_add_constraint(problem, "y[2] <= log(0.00025)");
    return study_of(problem, settings);
}

static void what_is_allowed_is_found_where_it_is_small(void **state)
{
    (void)state;
    static const char *const methods[] = {"ei-cf", "gofh"};
    for (int i = 0; i < 4; i++) {
        gofh_settings settings = quick_settings();
        settings.method = methods[i % 2];
        settings.seed = (uint64_t)(i / 2 + 1);
        gofh_study *study = needle_study(&settings);
        advance(study, needle, NULL, 2, 40, NULL);
        gofh_trial best;
        check_ok(study, gofh_study_best(study, &best));
        assert_true(isfinite(best.f));
        /* The nearest corner of what is allowed: both distances are sqrt(0.00015). */
        assert_true(best.f >= 0.83 + 0.29 - 2.0 * sqrt(0.00015) - 1e-9);
        check_near(best.f, 0.83 + 0.29 - 2.0 * sqrt(0.00015), 5e-3);
        gofh_study_free(study);
    }
}

static void while_nothing_is_allowed_open_trials_keep_apart(void **state)
{
    (void)state;
    enum { OPEN = 4 };
    int infeasible = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        double x[OPEN][2];
        gofh_settings settings = quick_settings();
        settings.method = "gofh";
        settings.seed = seed;
        gofh_study *study = needle_study(&settings);
        advance(study, needle, NULL, 2, 6, NULL);
        infeasible += isinf(best_f(study)) != 0;
        for (int i = 0; i < OPEN && isinf(best_f(study)); i++) {
            int64_t trial;
            check_ok(study, gofh_study_ask(study, &trial, x[i]));
            /* What is allowed is 0.024 wide: two points much nearer than that tell the same. */
            for (int j = 0; j < i; j++) assert_true(hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]) > 5e-3);
        }
        gofh_study_free(study);
    }
    assert_true(infeasible >= 2);
}

/* (y - 0.3)^2 + (x - 0.8)^2 without a gradient: h alone does not tell where it is least. */
static int of_both(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                   void *context)
{
    (void)dy, (void)dx, (void)context;
    for (int s = 0; s < count; s++) value[s] = pow(y[s] - 0.3, 2.0) + pow(x[s] - 0.8, 2.0);
    return 0;
}

static void a_g_of_outputs_and_parameters_without_a_gradient_is_minimised(void **state)
{
    (void)state;
    gofh_problem *problem = wave_problem(1);
    gofh_problem_minimize_function(problem, of_both, GOFH_GRADIENT_NONE, NULL);
    gofh_settings settings = quick_settings();
    gofh_study *study = study_of(problem, &settings);
    advance(study, wave, NULL, 1, 18, NULL);
    double least = INFINITY;
    for (int i = 0; i <= 2000000; i++) {
        double x = 1e-6 * i, y, f;
        wave(&x, &y, NULL);
        of_both(&y, &x, 1, &f, NULL, NULL, NULL);
        least = fmin(least, f);
    }
    check_near(best_f(study), least, 1e-7);
    gofh_study_free(study);
}

/* The valley with outputs in units of *context. */
static int scaled_h(const double *x, double *y, void *context)
{
    valley_h(x, y, NULL);
    for (int j = 0; j < VALLEY_M; j++) y[j] *= *(const double *)context;
    return 0;
}

static int scaled_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                    void *context)
{
    double unit = *(const double *)context, plain[VALLEY_M];
    for (int s = 0; s < count; s++) {
        for (int j = 0; j < VALLEY_M; j++) plain[j] = y[s * VALLEY_M + j] / unit;
        valley_g(plain, x, 1, value + s, dy ? dy + s * VALLEY_M : NULL, dx, NULL);
        value[s] *= unit;
    }
    return 0;
}

static void outputs_of_any_scale_are_calibrated_as_well(void **state)
{
    (void)state;
    static const double units[] = {1e-30, 1e-10, 1.0, 1e10, 1e30};
    static const char *const methods[] = {"ei-cf", "ei"};
    for (int i = 0; i < 10; i++) {
        double unit = units[i / 2];
        gofh_problem *problem = valley_problem();
        gofh_problem_minimize_function(problem, scaled_g, GOFH_GRADIENT_GIVEN, &unit);
        gofh_settings settings = quick_settings();
        settings.method = methods[i % 2];
        gofh_study *study = study_of(problem, &settings);
        advance(study, scaled_h, &unit, VALLEY_D, 20, NULL);
        double f = best_f(study) / unit;
        if (f > (i % 2 ? 0.05 : 1e-8)) print_error("%s in units of %g: %g\n", settings.method, unit, f);
        assert_true(f < (i % 2 ? 0.05 : 1e-8));
        gofh_study_free(study);
    }
}

/* Constant but for one output, or altogether. */
static int constant_h(const double *x, double *y, void *context)
{
    for (int j = 0; j < VALLEY_M; j++) y[j] = 7.0;
    if (*(const int *)context) y[1] = x[0];
    return 0;
}

static void constant_outputs_do_not_stop_a_study(void **state)
{
    (void)state;
    const char *name;
    for (int i = 0; (name = gofh_method_name(i)); i++)
        for (int moving = 0; moving < 2; moving++) {
            gofh_settings settings = quick_settings();
            settings.method = name;
            gofh_study *study = valley_study(&settings);
            advance(study, constant_h, &moving, VALLEY_D, VALLEY_INITIAL + 4, NULL);
            gofh_recommendation r;
            check_ok(study, gofh_study_recommend(study, &r));
            assert_true(isfinite(r.f));
            gofh_study_free(study);
        }
}

static void constant_outputs_leave_what_g_makes_of_the_parameters(void **state)
{
    (void)state;
    int moving = 0;
    gofh_problem *problem = valley_problem();
    gofh_problem_minimize(problem, "y[0] + (a - 0.3)^2 + (log10(b) - 0.6)^2");
    gofh_settings settings = quick_settings();
    settings.method = "gofh";
    gofh_study *study = study_of(problem, &settings);
    advance(study, constant_h, &moving, VALLEY_D, VALLEY_INITIAL + 4, NULL);
    check_near(best_f(study), 7.0, 1e-12);
    gofh_study_free(study);
}

static void repeated_imports_are_taken_and_logged(void **state)
{
    (void)state;
    for (int contradict = 0; contradict < 2; contradict++)
        for (int noise = 0; noise < 2; noise++) {
            dice numbers = {3};
            gofh_settings settings = quick_settings();
            settings.noise = noise ? GOFH_NOISE_ESTIMATED : GOFH_NOISE_NONE;
            gofh_study *study = valley_study(&settings);
            double x[VALLEY_D], y[VALLEY_M], first[VALLEY_D], sum[VALLEY_M] = {0};
            for (int i = 0; i < 10; i++) {
                if (i < 8) {
                    x[0] = 2.0 * dice_uniform(&numbers);
                    x[1] = pow(100.0, dice_uniform(&numbers));
                } else
                    memcpy(x, first, sizeof x);
                if (i == 0) memcpy(first, x, sizeof x);
                valley_h(x, y, NULL);
                if (contradict && i >= 8) y[0] += 0.2;
                for (int j = 0; j < VALLEY_M && (i == 0 || i >= 8); j++) sum[j] += y[j] / 3.0;
                check_ok(study, gofh_study_import(study, x, y, NULL));
            }
            assert_int_equal(log_has(study, "trial 9 is at the point of trial 1"), !noise);
            assert_int_equal(log_has(study, "other outputs"), contradict && !noise);
            double mean[VALLEY_M], variance[VALLEY_M];
            check_ok(study, gofh_study_predict(study, first, 1, mean, variance, NULL, NULL));
            if (!noise)
                for (int j = 0; j < VALLEY_M; j++) {
                    check_near(mean[j], sum[j], 1e-6);
                    assert_true(variance[j] < 1e-6); /* it is known */
                }
            advance_valley(study, 8, NULL);
            assert_true(best_f(study) < 1e-3);
            gofh_study_free(study);
        }
}

/* Rough enough to be taken for noise by a model that is free to. */
static int rough_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = sin(90.0 * x[0]) + floor(7.0 * x[0]);
    y[1] = cos(70.0 * x[0]);
    return 0;
}

static void the_best_is_the_best_seen_unless_noise_is_told(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 2);
        gofh_problem_minimize(problem, "sum((y - 0.5)^2)");
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.stop = GOFH_STOPPING_NEVER;
        settings.seed = seed;
        settings.budget = 25;
        gofh_study *study = study_of(problem, &settings);
        assert_int_equal(gofh_optimize(study, rough_h, NULL), GOFH_STOP_BUDGET);
        double least = INFINITY;
        for (int64_t i = 1; i <= gofh_study_count(study); i++) {
            gofh_trial t;
            check_ok(study, gofh_study_trial(study, i, &t));
            least = fmin(least, t.f);
        }
        assert_true(best_f(study) == least);
        gofh_study_free(study);
    }
}

static int stopping_h(const double *x, double *y, void *context)
{
    int *left = context;
    if (--*left < 0) return GOFH_STOP_CALLER;
    return rough_h(x, y, NULL);
}

static int forgetful_h(const double *x, double *y, void *context)
{
    double whole[2];
    (void)context;
    rough_h(x, whole, NULL);
    y[0] = whole[0]; /* and not y[1] */
    return 0;
}

static void h_can_stop_optimize_and_can_not_forget_an_output(void **state)
{
    (void)state;
    for (int forget = 0; forget < 2; forget++) {
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 2);
        gofh_problem_minimize(problem, "sum(y^2)");
        gofh_settings settings = quick_settings();
        settings.budget = 6;
        gofh_study *study = study_of(problem, &settings);
        int left = 3;
        gofh_trial last;
        gofh_status status = gofh_optimize(study, forget ? forgetful_h : stopping_h, &left);
        assert_int_equal(status, forget ? GOFH_STOP_BUDGET : GOFH_STOP_CALLER);
        assert_int_equal(gofh_study_count(study), forget ? 6 : 4);
        check_ok(study, gofh_study_trial(study, gofh_study_count(study), &last));
        assert_int_equal(last.state, GOFH_TRIAL_FAILED);
        assert_non_null(strstr(last.reason, forget ? "not finite" : "asked to stop"));
        gofh_study_free(study);
    }
}

static void a_study_without_noise_never_asks_a_point_twice(void **state)
{
    (void)state;
    /* In the second, a parameter has only some 7e6 values in its range; in the third 70. */
    static const double offset[] = {0.0, 1e9, 1e14};
    static const char *const methods[] = {"ei-cf", "gofh"};
    for (int i = 0; i < 6; i++) {
        enum { STEPS = 40 };
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "x", offset[i % 3], offset[i % 3] + 1.0, GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, 1);
        const double one = 1.0;
        gofh_problem_minimize_linear(problem, &one, 1);
        gofh_settings settings = quick_settings();
        settings.method = methods[i / 3];
        gofh_study *study = study_of(problem, &settings);
        double x[STEPS];
        for (int k = 0; k < STEPS; k++) {
            int64_t trial;
            check_ok(study, gofh_study_ask(study, &trial, x + k));
            double y = pow(x[k] - offset[i % 3] - 0.3, 2.0);
            check_ok(study, gofh_study_tell(study, trial, &y));
            /* The design is uniform, and knows nothing of its own repetitions. */
            for (int j = 0; j < k && k >= 4; j++) assert_true(x[k] != x[j]);
        }
        gofh_study_free(study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recommendation_is_near_the_optimum_and_says_so),
        cmocka_unit_test(known_noise_leaves_the_signal_to_be_seen),
        cmocka_unit_test(minima_and_maxima_of_one_output_are_found_and_reported_as_they_are),
        cmocka_unit_test(a_constraint_is_found_and_kept),
        cmocka_unit_test(what_is_allowed_is_found_where_it_is_small),
        cmocka_unit_test(while_nothing_is_allowed_open_trials_keep_apart),
        cmocka_unit_test(a_g_of_outputs_and_parameters_without_a_gradient_is_minimised),
        cmocka_unit_test(outputs_of_any_scale_are_calibrated_as_well),
        cmocka_unit_test(constant_outputs_do_not_stop_a_study),
        cmocka_unit_test(constant_outputs_leave_what_g_makes_of_the_parameters),
        cmocka_unit_test(repeated_imports_are_taken_and_logged),
        cmocka_unit_test(the_best_is_the_best_seen_unless_noise_is_told),
        cmocka_unit_test(h_can_stop_optimize_and_can_not_forget_an_output),
        cmocka_unit_test(a_study_without_noise_never_asks_a_point_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
