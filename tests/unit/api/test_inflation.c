/* What is said of the model's deviations, against studies of part of the data and against the truth. */
#include "api/handle.h"
#include "base/normal.h"
#include "base/student.h"
#include "check.h"
#include "gofh.h"
#include "study/fitted.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

enum { D = 2, M = 3, N = 20, MANY = 50 };

/* Pseudo-random points: additive recurrence by the roots of x^3 = x + 1. */
static double coordinate(int i, int k)
{
    return fmod(0.5 + (i + 1) * (k ? 0.5698402909980532 : 0.7548776662466927), 1.0);
}

static void outputs_at(const double *x, int m, double *y)
{
    for (int j = 0; j < m; j++) {
        double t = (j + 1.0) / m;
        y[j] = exp(-2.0 * x[0] * t) * sin(2.0 + 5.0 * x[1] * t) + 0.1 * x[0] * t;
    }
}

static gofh_study *open_study(const char *objective, int m, const char *name)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_settings settings;
    gofh_study *handle;
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, m);
    gofh_problem_minimize(problem, objective);
    gofh_settings_defaults(&settings);
    settings.method = name;
    assert_int_equal(gofh_study_create(&handle, problem, &settings, NULL), GOFH_OK);
    gofh_problem_free(problem);
    return handle;
}

static void add_point(gofh_study *handle, int i, int m)
{
    double x[D] = {coordinate(i, 0), coordinate(i, 1)}, y[MANY];
    outputs_at(x, m, y);
    assert_int_equal(gofh_study_import(handle, x, y, NULL), GOFH_OK);
}

/* Adds the squared errors, in deviations before they are inflated, of a study that has all of n points
 * but those of one fold. */
static void add_fold(const char *name, int n, int folds, int number, double *squares)
{
    gofh_study *handle = open_study("sum(y^2)", M, name);
    for (int i = 0; i < n; i++)
        if (i % folds != number) add_point(handle, i, M);
    for (int i = number; i < n; i += folds) {
        double x[D] = {coordinate(i, 0), coordinate(i, 1)}, y[M], mean[M], variance[M];
        outputs_at(x, M, y);
        assert_int_equal(gofh_study_predict(handle, x, 1, mean, variance, NULL, NULL), GOFH_OK);
        for (int j = 0; j < M; j++) {
            gofh_hyperparameters values;
            assert_int_equal(gofh_study_hyperparameters(handle, 0, j, &values), GOFH_OK);
            assert_false(values.logarithmic || values.asinh_scale > 0.0);
            squares[j] += pow((y[j] - mean[j]) * values.inflation, 2.0) / variance[j];
        }
    }
    gofh_study_free(handle);
}

/* Returns how many factors are above 1. */
static int check_inflation(const char *name, int n, int folds, double tolerance)
{
    double squares[M] = {0}, all = 0.0;
    int larger = 0;
    gofh_study *handle = open_study("sum(y^2)", M, name);
    for (int i = 0; i < n; i++) add_point(handle, i, M);
    for (int number = 0; number < folds; number++) add_fold(name, n, folds, number, squares);
    for (int j = 0; j < M; j++) all += squares[j] / n / M;
    for (int j = 0; j < M; j++) {
        gofh_hyperparameters values;
        double expected = fmax(1.0, sqrt((squares[j] + 10.0 * all) / (n + 10.0)));
        assert_int_equal(gofh_study_hyperparameters(handle, 0, j, &values), GOFH_OK);
        check_close(values.inflation, expected, tolerance);
        larger += values.inflation > 1.05;
    }
    gofh_study_free(handle);
    return larger;
}

/* Fits that start elsewhere end a little elsewhere: 10 %. */
static void deviations_are_inflated_by_the_errors_at_points_left_out(void **state)
{
    (void)state;
    assert_true(check_inflation("gofh", N, 10, 0.1) > 0); /* there is something to see */
}

static void few_data_are_cut_into_five_folds(void **state)
{
    (void)state;
    assert_true(check_inflation("gofh", 12, 5, 0.1) > 0);
}

/* Chains that begin elsewhere have other samples: 30 %. */
static void methods_that_sample_hyperparameters_are_calibrated_too(void **state)
{
    (void)state;
    assert_true(check_inflation("ei-cf", N, 5, 0.3) > 0);
}

/* With a mean and a variance that were found from N data: t_(0.975) with N - 1 degrees, from tables. */
static void intervals_of_an_estimated_variance_are_those_of_t(void **state)
{
    (void)state;
    const double x[D] = {0.37, 0.71}, level[2] = {0.025, 0.975}, t = 2.0930;
    double mean[M], variance[M], ends[2 * M];
    gofh_study *handle = open_study("sum(y^2)", M, "gofh");
    for (int i = 0; i < N; i++) add_point(handle, i, M);
    assert_int_equal(gofh_study_predict(handle, x, 1, mean, variance, NULL, NULL), GOFH_OK);
    assert_int_equal(gofh_study_predict_quantiles(handle, x, 1, level, 2, NULL, ends), GOFH_OK);
    for (int j = 0; j < M; j++) {
        check_close((mean[j] - ends[2 * j]) / sqrt(variance[j]), t, 1e-4);
        check_close((ends[2 * j + 1] - mean[j]) / sqrt(variance[j]), t, 1e-4);
    }
    gofh_study_free(handle);
}

/* Beyond 100 data, those that come between two fits are appended: they change the factors little. */
static void data_appended_to_a_fit_do_not_upset_it(void **state)
{
    (void)state;
    enum { FITTED = 150 };
    double before[M];
    gofh_hyperparameters values;
    gofh_study *handle = open_study("sum(y^2)", M, "gofh");
    for (int i = 0; i < FITTED; i++) add_point(handle, i, M);
    int64_t number;
    double x[D], y[M];
    assert_int_equal(gofh_study_ask(handle, &number, x), GOFH_OK);
    for (int j = 0; j < M; j++) {
        assert_int_equal(gofh_study_hyperparameters(handle, 0, j, &values), GOFH_OK);
        before[j] = values.inflation;
    }
    outputs_at(x, M, y);
    assert_int_equal(gofh_study_tell(handle, number, y), GOFH_OK);
    for (int j = 0; j < M; j++) {
        assert_int_equal(gofh_study_hyperparameters(handle, 0, j, &values), GOFH_OK);
        check_close(values.inflation, before[j], 1e-12);
    }
    gofh_study_free(handle);
}

/* A curve at 50 times: independent outputs made the interval so narrow that 1 true f in 4 was in it. */
static void f_of_many_outputs_lies_in_its_interval(void **state)
{
    (void)state;
    enum { FRESH = 60 };
    static const char *const methods[] = {"gofh", "ei-cf"};
    const double level[2] = {0.025, 0.975};
    for (int k = 0; k < 2; k++) {
        gofh_study *handle = open_study("sum((y - 0.3)^2)", MANY, methods[k]);
        int inside = 0;
        for (int i = 0; i < N; i++) add_point(handle, i, MANY);
        for (int i = N; i < N + FRESH; i++) {
            double x[D] = {coordinate(i, 0), coordinate(i, 1)}, y[MANY], f = 0.0, ends[2];
            outputs_at(x, MANY, y);
            for (int j = 0; j < MANY; j++) f += pow(y[j] - 0.3, 2.0);
            assert_int_equal(gofh_study_predict_quantiles(handle, x, 1, level, 2, ends, NULL), GOFH_OK);
            inside += f >= ends[0] && f <= ends[1];
        }
        assert_in_range(inside, 48, FRESH); /* 0.8 at least */
        gofh_study_free(handle);
    }
}

/* A peak at 30 places, of which few points see anything: most of its squares are far below what its
 * variances say, and with the model's own levels 47 of 100 true f were in the intervals. */
static void f_of_a_narrow_peak_lies_in_its_interval(void **state)
{
    (void)state;
    enum { FRESH = 100, PLACES = 30 };
    const double level[2] = {0.025, 0.975};
    gofh_study *handle = open_study("sum((y - 0.1)^2)", PLACES, "gofh");
    int inside = 0;
    for (int i = 0; i < N + FRESH; i++) {
        double x[D] = {coordinate(i, 0), coordinate(i, 1)}, y[PLACES], f = 0.0, ends[2];
        double width = 0.01 + 0.14 * x[1];
        for (int j = 0; j < PLACES; j++) {
            double gap = (j / (PLACES - 1.0) - 0.3 - 0.4 * x[0]) / width;
            y[j] = 0.015 / width * exp(-0.5 * gap * gap);
            f += pow(y[j] - 0.1, 2.0);
        }
        if (i < N) {
            assert_int_equal(gofh_study_import(handle, x, y, NULL), GOFH_OK);
            continue;
        }
        assert_int_equal(gofh_study_predict_quantiles(handle, x, 1, level, 2, ends, NULL), GOFH_OK);
        inside += f >= ends[0] && f <= ends[1];
    }
    assert_in_range(inside, 75, FRESH);
    gofh_study_free(handle);
}

/* f of one output is that output, so that its score among the draws is its error in deviations, a t. */
static void levels_of_f_are_those_that_points_left_out_had(void **state)
{
    (void)state;
    enum { FOLDS = 10, PRIOR = 5 };
    const double x[D] = {0.37, 0.71}, level[2] = {0.025, 0.9};
    double sum = 0.0, squares = 0.0, mean, variance, ends[2];
    gofh_hyperparameters values;
    gofh_study *all = open_study("y[0]", 1, "gofh");
    for (int i = 0; i < N; i++) add_point(all, i, 1);
    assert_int_equal(gofh_study_predict(all, x, 1, &mean, &variance, NULL, NULL), GOFH_OK);
    assert_int_equal(gofh_study_hyperparameters(all, 0, 0, &values), GOFH_OK);
    double inflation = values.inflation;
    for (int i = 0; i < N; i++) {
        gofh_study *part = open_study("y[0]", 1, "gofh");
        for (int k = 0; k < N; k++)
            if (k % FOLDS != i % FOLDS) add_point(part, k, 1);
        double at[D] = {coordinate(i, 0), coordinate(i, 1)}, y, own, square;
        outputs_at(at, 1, &y);
        assert_int_equal(gofh_study_predict(part, at, 1, &own, &square, NULL, NULL), GOFH_OK);
        assert_int_equal(gofh_study_hyperparameters(part, 0, 0, &values), GOFH_OK);
        double error = -(y - own) * values.inflation / sqrt(square) / inflation; /* f is minimised */
        double score = normal_quantile(student_cdf(error, N - 1));
        sum += score;
        squares += score * score;
        gofh_study_free(part);
    }
    double weight = N + PRIOR, shift = sum / weight;
    double stretch = sqrt((PRIOR + squares - weight * shift * shift) / weight * (1.0 + 1.0 / weight));
    stretch = fmax(stretch, 1.0);
    const f_levels *found = &((struct study *)all->core)->fitted->f_levels;
    assert_int_equal(found->degrees, N + PRIOR);
    check_near(found->shift, shift, 0.05);
    check_near(found->stretch, stretch, 0.05);
    assert_true(fabs(shift) > 0.1 || stretch > 1.1); /* there is something to see */
    assert_int_equal(gofh_study_predict_quantiles(all, x, 1, level, 2, ends, NULL), GOFH_OK);
    for (int l = 0; l < 2; l++) {
        double score = -found->shift + found->stretch * student_quantile(level[l], N + PRIOR);
        check_near(student_cdf((ends[l] - mean) / sqrt(variance), N - 1), normal_cdf(score), 0.02);
    }
    gofh_study_free(all);
}

/* Two outputs that are the same but for their unit: where the outcome of an open trial is drawn, it is
 * the same too. */
static void fantasies_of_outputs_that_go_together_go_together(void **state)
{
    (void)state;
    gofh_study *handle = open_study("y[0]^2 + y[1]^2", 2, "gofh-correlated");
    for (int i = 0; i < 10; i++) {
        double x[D] = {coordinate(i, 0), coordinate(i, 1)}, y[2];
        outputs_at(x, 1, y);
        y[1] = 5.0 + 100.0 * y[0];
        assert_int_equal(gofh_study_import(handle, x, y, NULL), GOFH_OK);
    }
    const double open_at[D] = {0.9, 0.05};
    int64_t number;
    double x[D];
    assert_int_equal(gofh_study_enqueue(handle, open_at), GOFH_OK);
    assert_int_equal(gofh_study_ask(handle, &number, x), GOFH_OK);
    struct study *core = handle->core;
    assert_int_equal(study_prepare(core, 1), GOFH_OK);
    const model *mo = core->fitted->mo;
    assert_true(mo->samples > 1);
    double *block = memory_doubles(posterior_size(1, 2, D) + model_predict_work(mo, 1));
    double covariance = 0.0, first = 0.0, second = 0.0, centre[2] = {0}, mean[16][2];
    for (int s = 0; s < mo->samples; s++) {
        posterior p;
        posterior_place(&p, 1, 2, D, block);
        model_predict(mo, s, open_at, 1, PREDICT_MEAN, &p, block + posterior_size(1, 2, D));
        for (int j = 0; j < 2; j++) centre[j] += (mean[s][j] = p.mean[j]) / mo->samples;
    }
    for (int s = 0; s < mo->samples; s++) {
        covariance += (mean[s][0] - centre[0]) * (mean[s][1] - centre[1]);
        first += pow(mean[s][0] - centre[0], 2.0);
        second += pow(mean[s][1] - centre[1], 2.0);
    }
    assert_true(first > 0.0);
    assert_true(covariance / sqrt(first * second) > 0.9);
    study_unfantasise(core);
    free(block);
    gofh_study_free(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviations_are_inflated_by_the_errors_at_points_left_out),
        cmocka_unit_test(data_appended_to_a_fit_do_not_upset_it),
        cmocka_unit_test(few_data_are_cut_into_five_folds),
        cmocka_unit_test(methods_that_sample_hyperparameters_are_calibrated_too),
        cmocka_unit_test(intervals_of_an_estimated_variance_are_those_of_t),
        cmocka_unit_test(f_of_many_outputs_lies_in_its_interval),
        cmocka_unit_test(f_of_a_narrow_peak_lies_in_its_interval),
        cmocka_unit_test(levels_of_f_are_those_that_points_left_out_had),
        cmocka_unit_test(fantasies_of_outputs_that_go_together_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
