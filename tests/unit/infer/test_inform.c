/* Which run tells most of a posterior: the closed form against draws of what the run may give, and what such
 * runs come to. */
#include "unit/api/valley.h"

/* Its names are those of the header above. */
#include "api/handle.h"
#include "infer/inform.h"
#include "study/fitted.h"
#include "study/predict.h"

enum { M = 3 };

static int curve_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < M; j++) y[j] = sin(3.0 * x[0] + 0.4 * j) * exp(-x[1] * (j + 1) / 4.0);
    return 0;
}

static gofh_problem *curve_problem(void)
{
    const double data[M] = {0.45, 0.22, 0.06}, sigma = 0.05;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.1, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_set_data(problem, "data", data, M);
    gofh_problem_set_sigma(problem, "data", &sigma, 1);
    assert_int_equal(gofh_problem_fit(problem, "y", "data", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0),
                     GOFH_OK);
    return problem;
}

static gofh_study *curve_study(int trials)
{
    gofh_study *made = study_of(curve_problem(), NULL);
    dice numbers = {.state = 3};
    for (int i = 0; i < trials; i++) {
        double x[2] = {dice_uniform(&numbers), 0.1 + 2.9 * dice_uniform(&numbers)}, y[M];
        curve_h(x, y, NULL);
        check_ok(made, gofh_study_import(made, x, y, NULL));
    }
    return made;
}

/* The square of N(r; 0, diag(noise) + part * s s' R), by elimination. */
static double density_squared(const double *r, const double *noise, const double *spread,
                              const output_correlation *correlation, double part)
{
    double c[M][M], value = 1.0, left[M];
    for (int i = 0; i < M; i++) {
        left[i] = r[i];
        for (int k = 0; k < M; k++)
            c[i][k] = part * spread[i] * spread[k] * correlation_between(correlation, i, k) +
                      (i == k ? noise[i] : 0.0);
    }
    for (int k = 0; k < M; k++) {
        value *= exp(-left[k] * left[k] / c[k][k]) / c[k][k];
        for (int i = k + 1; i < M; i++) {
            double factor = c[i][k] / c[k][k];
            left[i] -= factor * left[k];
            for (int j = k; j < M; j++) c[i][j] -= factor * c[k][j];
        }
    }
    return value;
}

/* After a run the mean is another one, mu + (1 - v)^(1/2) S R^(1/2) z, and v of the variance is left. */
static void the_expected_square_is_the_mean_over_outcomes(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    gofh_study *made = curve_study(8);
    study *st = made->core;
    const infer_prior prior[2] = {{.kind = GOFH_PRIOR_UNIFORM}};
    infer_datum *data = memory_new(M, sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < M; i++)
        data[i] = (infer_datum){.output = i, .value = 0.3 - 0.1 * i, .sigma = 0.03, .unit = 1.0};
    assert_int_equal(predict_enter(st), GOFH_OK);
    likelihood l;
    assert_int_equal(likelihood_create(&l, st, prior, data, M, 0), GOFH_OK);
    const double point[2] = {0.7, 0.9}, parts[3] = {0.0, 0.3, 0.8};
    double residual[M + 1], noise[M + 1], spread[M + 1], base;
    assert_true(likelihood_parts(&l, point, 0, residual, noise, spread));
    assert_int_equal(inform_log_square(&l, point, 1.0, &base), GOFH_OK);
    const output_correlation *r = &st->fitted->mo->correlation;
    double now = density_squared(residual, noise, spread, r, 1.0);
    dice numbers = {.state = 5};
    for (int i = 0; i < 3; i++) {
        double sum = 0.0, value;
        for (int s = 0; s < DRAWS; s++) {
            double z[M], moved[M];
            for (int k = 0; k < M; k++) z[k] = dice_normal(&numbers);
            correlation_mix(r, 1, z);
            for (int k = 0; k < M; k++) moved[k] = residual[k] - sqrt(1.0 - parts[i]) * spread[k] * z[k];
            sum += density_squared(moved, noise, spread, r, parts[i]) / DRAWS;
        }
        assert_int_equal(inform_log_square(&l, point, parts[i], &value), GOFH_OK);
        /* The draws' own error is below 2 %. */
        check_near(exp(value - base), sum / now, 0.05 * sum / now);
    }
    likelihood_free(&l);
    predict_leave(st);
    gofh_study_free(made);
}

static gofh_study *posterior_study(int budget)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.goal = GOFH_GOAL_POSTERIOR;
    settings.budget = budget;
    return study_of(curve_problem(), &settings);
}

/* Runs until the study ends by itself; the deviations then. */
static int run_out(gofh_study *made, double *deviation, double *share)
{
    int64_t id;
    double x[2], y[M];
    int count = 0;
    gofh_status status;
    while ((status = gofh_study_ask(made, &id, x)) == GOFH_OK) {
        curve_h(x, y, NULL);
        check_ok(made, gofh_study_tell(made, id, y));
        gofh_trial told;
        check_ok(made, gofh_study_trial(made, id, &told));
        assert_string_equal(told.origin, ++count <= 3 ? "design" : "posterior");
    }
    assert_int_equal(status, GOFH_STOP_IMPROVEMENT);
    gofh_posterior *of_it;
    gofh_posterior_results r;
    check_ok(made, gofh_posterior_create(&of_it, made, 0));
    assert_int_equal(gofh_posterior_summary(of_it, &r), GOFH_OK);
    for (int k = 0; k < 2; k++) {
        deviation[k] = r.deviation[k];
        share[k] = 1.0 - pow(r.data_deviation[k] / r.deviation[k], 2.0);
    }
    gofh_posterior_free(of_it);
    return count;
}

/* The moments of the true posterior, on a grid. */
static void true_deviations(double *deviation)
{
    enum { GRID = 400 };
    const double data[M] = {0.45, 0.22, 0.06};
    double sum = 0.0, mean[2] = {0}, square[2] = {0};
    for (int i = 0; i < GRID * GRID; i++) {
        double x[2] = {(i % GRID + 0.5) / GRID, 0.1 + 2.9 * (i / GRID + 0.5) / GRID}, y[M], misfit = 0.0;
        curve_h(x, y, NULL);
        for (int j = 0; j < M; j++) misfit += pow((data[j] - y[j]) / 0.05, 2.0);
        double w = exp(-0.5 * misfit);
        sum += w;
        for (int k = 0; k < 2; k++) {
            mean[k] += w * x[k];
            square[k] += w * x[k] * x[k];
        }
    }
    for (int k = 0; k < 2; k++) deviation[k] = sqrt(square[k] / sum - pow(mean[k] / sum, 2.0));
}

static void runs_for_the_posterior_make_it_that_of_the_simulator(void **state)
{
    (void)state;
    double deviation[2], share[2], truth[2], again[2];
    gofh_study *made = posterior_study(60);
    int count = run_out(made, deviation, share);
    true_deviations(truth);
    for (int k = 0; k < 2; k++) {
        /* An interval may still become a tenth wider or narrower, and its samples have an error. */
        check_near(deviation[k], truth[k], 0.12 * truth[k]);
        assert_true(share[k] < 0.25);
    }
    gofh_study_free(made);
    made = posterior_study(60); /* the same seed, the same run */
    assert_int_equal(run_out(made, again, share), count);
    for (int k = 0; k < 2; k++) assert_true(again[k] == deviation[k]);
    gofh_study_free(made);
}

static void a_study_without_a_likelihood_is_not_for_the_posterior(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_error error = {0};
    gofh_study *made;
    gofh_settings_defaults(&settings);
    settings.goal = GOFH_GOAL_POSTERIOR;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_minimize(problem, "sum(y^2)");
    assert_int_equal(gofh_study_create(&made, problem, &settings, &error), GOFH_ERROR_PROBLEM);
    assert_non_null(strstr(error.message, "write the objective as a fit"));
    settings.method = "ei-cf";
    gofh_problem_free(problem);
    problem = curve_problem();
    assert_int_equal(gofh_study_create(&made, problem, &settings, &error), GOFH_ERROR_ARGUMENT);
    gofh_problem_free(problem);
}

/* With few runs the emulator's share is large, and some more are said to be needed. */
static void the_runs_that_are_needed_are_told(void **state)
{
    (void)state;
    gofh_study *made = curve_study(5);
    gofh_posterior *of_it;
    gofh_posterior_results r;
    check_ok(made, gofh_posterior_create(&of_it, made, 0));
    assert_int_equal(gofh_posterior_summary(of_it, &r), GOFH_OK);
    assert_non_null(strstr(r.message, "is the emulator's"));
    assert_non_null(strstr(r.message, "for the posterior should bring that below 10 %"));
    gofh_posterior_free(of_it);
    gofh_study_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_expected_square_is_the_mean_over_outcomes),
        cmocka_unit_test(runs_for_the_posterior_make_it_that_of_the_simulator),
        cmocka_unit_test(a_study_without_a_likelihood_is_not_for_the_posterior),
        cmocka_unit_test(the_runs_that_are_needed_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
