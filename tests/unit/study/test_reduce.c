/* A study of very many outputs by one of few: the same f, the same predictions, at a small part of the
 * cost. */
#include "study/reduce.h"

#include "api/handle.h"
#include "base/quasi.h"
#include "check.h"
#include "study/fit.h"
#include "study/fit_reduced.h"
#include "study/predict.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { D = 3, M = 400, N = 24, Q = 12, MANY = 100000 };

/* Smooth outputs of sizes that differ by a factor of 50. */
static void waves(const double *x, int m, double *y)
{
    for (int j = 0; j < m; j++) {
        double phase = 0.7 * j, size = 0.1 + 5.0 * (j % 13) / 13.0;
        for (int k = 0; k < D; k++) phase += (1.0 + (j * (k + 3) % 7) / 7.0) * x[k];
        y[j] = size * (sin(phase) + 0.3 * x[j % D] * x[j % D]) + j % 3;
    }
}

static gofh_study *open_study(const char *g, int m, const double *target, const double *weight, int budget)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "c", 0.0, 1.0, GOFH_SCALE_LINEAR);
    assert_int_equal(gofh_problem_set_outputs(problem, m), GOFH_OK);
    gofh_problem_set_data(problem, "target", target, m);
    gofh_problem_set_data(problem, "weight", weight, m);
    gofh_problem_minimize(problem, g);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = budget;
    gofh_study *made;
    gofh_error error;
    assert_int_equal(gofh_study_create(&made, problem, &settings, &error), GOFH_OK);
    gofh_problem_free(problem);
    return made;
}

/* A study of M outputs that is reduced although there are few, with N data. */
static gofh_study *owner;
static double data_x[N * D], data_y[N * M], points[Q * D];

static study *reduced_study(const char *g, const double *weight)
{
    static double target[M];
    const double truth[D] = {0.6, 0.4, 0.55};
    waves(truth, M, target);
    owner = open_study(g, M, target, weight, 0);
    study_spec spec = owner->core->spec;
    spec.reduce_above = 100;
    study *st = study_create(&spec, NULL);
    assert_non_null(st->reduction);
    random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
    for (int i = 0; i < Q * D; i++) points[i] = random_uniform(&stream);
    for (int i = 0; i < N; i++) {
        double *x = data_x + i * D, *y = data_y + i * M;
        for (int k = 0; k < D; k++) x[k] = random_uniform(&stream);
        if (i < 6) /* near the solution */
            for (int k = 0; k < D; k++) x[k] = truth[k] + 0.02 * (x[k] - 0.5);
        waves(x, M, y);
        assert_int_equal(study_import(st, x, y, NULL, NULL, NULL), GOFH_OK);
    }
    for (int k = 0; k < D; k++) points[k] = truth[k];
    study_enter();
    return st;
}

static void close_studies(study *st)
{
    study_leave();
    study_free(st);
    gofh_study_free(owner);
}

/* The full computation: all M outputs, each with the kernel of the study and a variance of its own, the one
 * that its likelihood is largest at. */
static model *full_model(const study *st)
{
    const gp_hyper *kernel = &model_process(st->fitted->mo, 0, st->fitted->mo->leader)->hyper;
    model *mo = model_create(D, M, 1, N, st->fitted->mo->kernel, 1);
    unsigned char shares[M];
    int failed[M];
    memset(shares, 1, sizeof shares);
    model_set_data(mo, N, data_x, data_y, NULL, NULL);
    model_share(mo, shares);
    for (int j = 0; j < M; j++) {
        gp_hyper *hyper = &model_process(mo, 0, j)->hyper;
        memcpy(hyper->inverse_lengthscale, kernel->inverse_lengthscale, D * sizeof(double));
        hyper->variance = 1.0;
        hyper->noise = kernel->noise;
        hyper->trend = kernel->trend;
        hyper->mean = NAN;
    }
    double *work = calloc(model_condition_work(mo), sizeof *work);
    model_condition(mo, failed, work);
    free(work);
    for (int j = 0; j < M; j++) { /* (y - mean)' R^-1 (y - mean) / (n - 1) */
        gp *process = model_process(mo, 0, j);
        double sum = 0.0;
        for (int i = 0; i < N; i++) sum += mo->y[j * N + i] * process->weights[i];
        process->hyper.variance = sum / (N - 1.0);
    }
    return mo;
}

static const char *SUM = "sum(weight * (y - target)^2)";

static void the_mean_of_f_is_that_of_all_outputs(void **state)
{
    (void)state;
    double weight[M], expected[Q], seen[Q];
    for (int j = 0; j < M; j++) weight[j] = 0.5 + j % 5;
    study *st = reduced_study(SUM, weight);
    assert_int_equal(study_expect(st, points, Q, seen), GOFH_OK);
    model *mo = full_model(st);
    acquisition *a = acquisition_create(mo, st->spec.g, &st->spec.box);
    assert_true(acquisition_has_closed_form(a, ACQUIRE_MEAN));
    acquisition_closed_form(a, acquire_goal_of(ACQUIRE_MEAN), points, Q, expected, NULL);
    for (int i = 0; i < Q; i++) check_close(seen[i], expected[i], 2e-3 / (N - 1.0));
    acquisition_free(a);
    model_free(mo);
    close_studies(st);
}

/* Weights that give all residuals the same prior variance: then the smaller model's draws have the very
 * distribution of the full one's, but for the spread of a sum of hundreds of squares. */
static void the_expected_improvement_is_that_of_all_outputs(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    double weight[M], seen[Q], expected[Q], largest = 0.0;
    for (int j = 0; j < M; j++) weight[j] = 1.0;
    study *st = reduced_study(SUM, weight);
    assert_int_equal(study_fit(st), GOFH_OK);
    model *mo = full_model(st);
    for (int j = 0; j < M; j++)
        weight[j] = 1.0 / (mo->scale[j] * mo->scale[j] * model_process(mo, 0, j)->hyper.variance);
    model_free(mo);
    close_studies(st);
    st = reduced_study(SUM, weight);
    gofh_status status;
    study *by = reduce_study(st, &status);
    assert_int_equal(study_fit(by), GOFH_OK);
    mo = full_model(st);
    acquisition *all = acquisition_create(mo, st->spec.g, &st->spec.box), *few = by->fitted->acquire;
    double incumbent = -60.0, *z = malloc(sizeof(double) * DRAWS * M);
    acquire_goal goal = acquire_goal_of(ACQUIRE_IMPROVEMENT);
    goal.incumbent = &incumbent;
    random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
    for (int i = 0; i < DRAWS * M; i++) z[i] = random_normal(&stream);
    acquisition_monte_carlo(all, goal, 0, 1, z, DRAWS, points, Q, expected, NULL);
    model_mix(by->fitted->mo, DRAWS, z);
    acquisition_monte_carlo(few, goal, 0, 1, z, DRAWS, points, Q, seen, NULL);
    for (int i = 0; i < Q; i++) largest = fmax(largest, expected[i]);
    assert_true(largest > 1.0);
    for (int i = 0; i < Q; i++) check_near(seen[i], expected[i], 0.02 * largest);

    /* The same of correlated outputs: how far f varies. */
    double *mixed = malloc(sizeof(double) * DRAWS * M), deviation[Q], expected_deviation[Q];
    assert_int_equal(model_correlate(mo), 0);
    mo->correlated = 1;
    memcpy(mixed, z, sizeof(double) * DRAWS * M);
    model_mix(mo, DRAWS, mixed);
    acquisition_moments(all, mixed, DRAWS, points, Q, expected, expected_deviation);
    model *small = by->fitted->mo;
    assert_int_equal(model_correlate(small), 0);
    small->correlated = 1;
    memcpy(mixed, z, sizeof(double) * DRAWS * (size_t)small->outputs);
    model_mix(small, DRAWS, mixed);
    acquisition_moments(few, mixed, DRAWS, points, Q, seen, deviation);
    small->correlated = 0;
    for (int i = 1; i < Q; i++) check_close(deviation[i], expected_deviation[i], 0.1);
    free(mixed);

    double gradient[Q * D], there[D], above, below;
    acquisition_monte_carlo(few, goal, 0, 1, z, DRAWS, points, Q, seen, gradient);
    for (int i = 0; i < Q * D; i++) {
        const double step = 1e-5;
        memcpy(there, points + i / D * D, sizeof there);
        there[i % D] += step;
        acquisition_monte_carlo(few, goal, 0, 1, z, DRAWS, there, 1, &above, NULL);
        there[i % D] -= 2.0 * step;
        acquisition_monte_carlo(few, goal, 0, 1, z, DRAWS, there, 1, &below, NULL);
        check_near(gradient[i], (above - below) / (2.0 * step), 1e-4 * largest);
    }
    acquisition_free(all);
    model_free(mo);
    free(z);
    close_studies(st);
}

static void outputs_are_predicted_as_by_all_of_them(void **state)
{
    (void)state;
    static double mean[Q * M], variance[Q * M], left[N * M], left_variance[N * M];
    double weight[M], own[N], own_variance[N];
    for (int j = 0; j < M; j++) weight[j] = 1.0;
    study *st = reduced_study(SUM, weight);
    assert_int_equal(study_predict(st, points, Q, mean, variance, NULL, NULL), GOFH_OK);
    assert_int_equal(study_leave_one_out(st, left, left_variance), GOFH_OK);
    model *mo = full_model(st);
    double inflation = fit_common_inflation(st);
    double *block = calloc(posterior_size(Q, M, D) + model_predict_work(mo, Q) + N * N, sizeof *block);
    posterior post;
    posterior_place(&post, Q, M, D, block);
    model_predict(mo, 0, points, Q, PREDICT_DEVIATION, &post, block + posterior_size(Q, M, D));
    for (int i = 0; i < Q * M; i++) {
        check_near(mean[i], post.mean[i], 1e-7);
        check_near(sqrt(variance[i]), inflation * post.deviation[i], 1e-4 * inflation * post.deviation[i]);
    }
    for (int j = 0; j < M; j++) {
        model_leave_one_out(mo, 0, j, own, own_variance, block);
        gofh_hyperparameters values;
        double lengthscale[D];
        assert_int_equal(study_hyper_of(st, 0, j, lengthscale, &values), GOFH_OK);
        check_close(values.variance, mo->scale[j] * mo->scale[j] * model_process(mo, 0, j)->hyper.variance,
                    1e-4);
        for (int i = 0; i < N; i++) {
            check_near(left[i * M + j], own[i], 1e-6);
            check_close(sqrt(left_variance[i * M + j]), sqrt(own_variance[i]), 1e-4);
        }
    }
    free(block);
    model_free(mo);
    close_studies(st);
}

/* Even where the best fit is exact to rounding, and residuals mix outputs. */
static void f_of_each_trial_is_kept(void **state)
{
    (void)state;
    const double truth[D] = {0.6, 0.4, 0.55};
    double weight[M], y[M], f;
    for (int j = 0; j < M; j++) weight[j] = 1.0;
    study *st = reduced_study("2 + sum(weight * (y - target)^2) + (y[0] - y[1] - target[0] + target[1])^2",
                              weight);
    for (int i = 0; i < 9; i++) {
        double x[D];
        for (int k = 0; k < D; k++) x[k] = truth[k] + pow(10.0, -2.0 * i) * (k + 1.0);
        for (int k = 0; k < D; k++) x[k] = fmin(x[k], 1.0);
        waves(x, M, y);
        assert_int_equal(study_import(st, x, y, NULL, NULL, NULL), GOFH_OK);
    }
    gofh_status status;
    const study *by = reduce_study(st, &status);
    assert_int_equal(by->trials.count, st->trials.count);
    for (size_t i = 0; i < by->trials.count; i++) {
        const trial *few = &by->trials.list[i];
        f = 0.0; /* the part that the constant does not hide */
        for (int k = 0; k < by->m; k++) f += few->y[k] * few->y[k];
        const double *all = st->trials.list[i].y;
        const analysis *s = st->spec.g->squares;
        double expected = 0.0;
        for (int r = 0; r < s->residuals; r++) {
            double rest = -s->target[r];
            for (int k = s->start[r]; k < s->start[r + 1]; k++) rest += s->coefficient[k] * all[s->column[k]];
            expected += s->weight[r] * rest * rest;
        }
        check_near(sqrt(f), sqrt(expected), 1e-13 * sqrt(expected) + 1e-14);
        check_close(few->f, st->trials.list[i].f, 1e-13);
    }
    close_studies(st);
}

/* With open trials too, whose fantasies leave the fewest draws. */
static void very_many_outputs_of_any_g_have_one_kernel(void **state)
{
    (void)state;
    enum { LARGE = 16500 };
    static double y[LARGE], target[LARGE];
    const double truth[D] = {0.6, 0.4, 0.55};
    waves(truth, LARGE, target);
    gofh_study *st = open_study("sum(abs(y - target))", LARGE, target, target, 0);
    double x[D], lengthscale[2][D];
    random_stream stream = random_open(3, RANDOM_TEST, 0, 0);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < D; k++) x[k] = random_uniform(&stream);
        waves(x, LARGE, y);
        assert_int_equal(gofh_study_import(st, x, y, NULL), GOFH_OK);
    }
    int64_t id;
    assert_int_equal(gofh_study_ask(st, &id, x), GOFH_OK);
    assert_int_equal(gofh_study_ask(st, &id, x), GOFH_OK);
    assert_null(st->core->reduction);
    assert_string_equal(gofh_study_log(st, 0),
                        "16500 outputs have one kernel, which is learned from 100 of them");
    for (int j = 0; j < 2; j++) {
        const gp *process = model_process(st->core->fitted->mo, 0, j ? LARGE - 1 : 1);
        memcpy(lengthscale[j], process->hyper.inverse_lengthscale, sizeof lengthscale[j]);
    }
    assert_memory_equal(lengthscale[0], lengthscale[1], sizeof lengthscale[0]);
    gofh_study_free(st);
}

/* A damped oscillation: amplitude, rate and frequency. */
static void oscillate(const double *x, double *y)
{
    double size = 0.5 + x[0], rate = 0.2 + x[1], frequency = 3.0 + 2.0 * x[2];
    for (int j = 0; j < MANY; j++) {
        double t = 5.0 * j / MANY;
        y[j] = size * exp(-rate * t) * cos(frequency * t);
    }
}

static int end_now(void *context)
{
    (void)context;
    return 1;
}

static void an_interrupt_leaves_it_as_it_was(void **state)
{
    (void)state;
    static double y[MANY], target[MANY];
    double x[D], after[2][D];
    oscillate((const double[D]){0.43, 0.31, 0.62}, target);
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        gofh_study *st = open_study("sum((y - target)^2)", MANY, target, target, 0);
        int64_t id;
        for (int i = 0; i < 8; i++) {
            assert_int_equal(gofh_study_ask(st, &id, x), GOFH_OK);
            oscillate(x, y);
            assert_int_equal(gofh_study_tell(st, id, y), GOFH_OK);
        }
        gofh_study_set_interrupt(st, interrupted ? end_now : NULL, NULL);
        gofh_status status = interrupted ? gofh_study_ask(st, &id, after[1]) : GOFH_STOP_CALLER;
        gofh_study_set_interrupt(st, NULL, NULL);
        /* An interrupt is asked for a few times a second: a suggestion may be made before. */
        if (status == GOFH_STOP_CALLER) status = gofh_study_ask(st, &id, after[interrupted]);
        assert_int_equal(status, GOFH_OK);
        assert_int_equal(id, 9);
        gofh_study_free(st);
    }
    assert_memory_equal(after[0], after[1], sizeof after[0]);
}

static void a_linear_g_becomes_one_output(void **state)
{
    (void)state;
    double weight[M], seen[Q], expected[Q];
    for (int j = 0; j < M; j++) weight[j] = j % 7 - 2.5;
    study *st = reduced_study("3 + sum(weight * y)", weight);
    assert_int_equal(study_expect(st, points, Q, seen), GOFH_OK);
    model *mo = full_model(st);
    acquisition *a = acquisition_create(mo, st->spec.g, &st->spec.box);
    acquisition_closed_form(a, acquire_goal_of(ACQUIRE_MEAN), points, Q, expected, NULL);
    for (int i = 0; i < Q; i++) check_near(seen[i], expected[i], 1e-6);
    acquisition_free(a);
    model_free(mo);
    int64_t id;
    double x[D];
    assert_int_equal(study_ask(st, &id, x, NULL), GOFH_OK);
    close_studies(st);
}

static void a_resumed_study_suggests_the_same(void **state)
{
    (void)state;
    double weight[M], x[D], y[M], next[D], again[D];
    int64_t id;
    for (int j = 0; j < M; j++) weight[j] = 1.0;
    study *st = reduced_study(SUM, weight);
    assert_int_equal(study_ask(st, &id, x, NULL), GOFH_OK);
    waves(x, M, y);
    assert_int_equal(study_tell(st, id, y, NULL, NULL), GOFH_OK);
    double *kept = calloc(study_state_count(st), sizeof *kept);
    study_state_write(st, kept);
    study *other = study_create(&st->spec, NULL);
    for (int i = 0; i < N; i++)
        assert_int_equal(study_import(other, data_x + i * D, data_y + i * M, NULL, NULL, NULL), GOFH_OK);
    gofh_trial past = {.state = GOFH_TRIAL_DONE, .x = x, .y = y, .origin = st->trials.list[N].origin};
    past.expected = st->trials.list[N].expected;
    past.feasible = NAN;
    assert_int_equal(study_restore(other, &past, NULL), GOFH_OK);
    assert_int_equal(study_state_read(other, kept, study_state_count(other), 1), GOFH_OK);
    assert_int_equal(study_ask(st, &id, next, NULL), GOFH_OK);
    assert_int_equal(study_ask(other, &id, again, NULL), GOFH_OK);
    assert_memory_equal(next, again, sizeof next);
    free(kept);
    study_free(other);
    close_studies(st);
}

static void variances_of_observations_end_it(void **state)
{
    (void)state;
    double weight[M], x[D] = {0.1, 0.2, 0.3}, y[M], variance[M], mean[M];
    for (int j = 0; j < M; j++) weight[j] = variance[j] = 1.0;
    study *st = reduced_study(SUM, weight);
    size_t kept = study_state_count(st);
    waves(x, M, y);
    assert_int_equal(study_import(st, x, y, variance, NULL, NULL), GOFH_OK);
    assert_int_equal(study_predict(st, x, 1, mean, NULL, NULL, NULL), GOFH_OK);
    assert_null(st->reduction);
    assert_int_equal(st->outputs, M);
    assert_int_equal(study_state_count(st), kept);
    close_studies(st);
}

static void a_hundred_thousand_outputs_are_fitted_in_40_evaluations(void **state)
{
    (void)state;
    static double y[MANY], target[MANY], weight[MANY];
    const double truth[D] = {0.43, 0.31, 0.62};
    double x[D], best = INFINITY;
    int64_t id;
    oscillate(truth, target);
    for (int j = 0; j < MANY; j++) weight[j] = 1.0;
    gofh_study *st = open_study("sum((y - target)^2)", MANY, target, weight, 40);
    while (gofh_study_ask(st, &id, x) == GOFH_OK) {
        oscillate(x, y);
        assert_int_equal(gofh_study_tell(st, id, y), GOFH_OK);
        gofh_trial now;
        assert_int_equal(gofh_study_trial(st, id, &now), GOFH_OK);
        best = fmin(best, now.f);
    }
    print_message("f = %.3g\n", best);
    assert_true(best < 1e-8);
    gofh_study_free(st);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    assert_true(usage.ru_maxrss < 400L * 1024L); /* 40 runs of 100,000 numbers are 31 MiB */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: it looks at the largest memory there has been. */
        cmocka_unit_test(a_hundred_thousand_outputs_are_fitted_in_40_evaluations),
        cmocka_unit_test(the_mean_of_f_is_that_of_all_outputs),
        cmocka_unit_test(the_expected_improvement_is_that_of_all_outputs),
        cmocka_unit_test(outputs_are_predicted_as_by_all_of_them),
        cmocka_unit_test(f_of_each_trial_is_kept),
        cmocka_unit_test(an_interrupt_leaves_it_as_it_was),
        cmocka_unit_test(very_many_outputs_of_any_g_have_one_kernel),
        cmocka_unit_test(a_linear_g_becomes_one_output),
        cmocka_unit_test(a_resumed_study_suggests_the_same),
        cmocka_unit_test(variances_of_observations_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
