/* Outputs that are alike get one kernel, outputs that are not keep their own: the method gofh finds
 * out, and says so. */
#include "unit/api/valley.h"

enum { D = 2, M = 12 };

/* Mixtures of the same four waves. */
static int alike(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < M; j++) {
        y[j] = 0.0;
        for (int r = 0; r < 4; r++)
            y[j] += cos(1.0 + 2.3 * j + 1.9 * r) * sin((1 + r % 2) * x[0] + (1 + r / 2) * x[1]);
    }
    return 0;
}

/* Waves of lengths from a third of the domain to many times it, some along one parameter and some
 * along the other. */
static int unlike(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < M; j++) y[j] = sin((j < 6 ? 8.0 : 0.2) * x[0] + (j < 6 ? 0.1 : 6.0) * x[1] + j);
    return 0;
}

static gofh_problem *make_problem(gofh_inner h)
{
    double observed[M], truth[D] = {0.4, 0.7};
    gofh_problem *problem = gofh_problem_create();
    h(truth, observed, NULL);
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_set_data(problem, "observed", observed, M);
    gofh_problem_minimize(problem, "sum((y - observed)^2)");
    return problem;
}

static gofh_study *make_study(gofh_problem *problem, int threads)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = 0;
    settings.threads = threads;
    return study_of(problem, &settings);
}

static void import(gofh_study *study, gofh_inner h, int count)
{
    for (int i = 1; i <= count; i++) { /* well spread in two dimensions */
        double x[D] = {fmod(0.7548776662466927 * i, 1.0), fmod(0.5698402909980532 * i, 1.0)}, y[M];
        h(x, y, NULL);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
}

static void ask_and_tell(gofh_study *study, gofh_inner h, double *x)
{
    int64_t id;
    double y[M];
    check_ok(study, gofh_study_ask(study, &id, x));
    h(x, y, NULL);
    check_ok(study, gofh_study_tell(study, id, y));
}

static int says(const gofh_study *study, const char *text)
{
    for (int i = 0; gofh_study_log(study, i); i++)
        if (strstr(gofh_study_log(study, i), text)) return 1;
    return 0;
}

/* Whether outputs a and b have the same lengthscales. */
static int same_lengthscales(gofh_study *study, int a, int b)
{
    gofh_hyperparameters values;
    double first[D];
    check_ok(study, gofh_study_hyperparameters(study, 0, a, &values));
    memcpy(first, values.lengthscale, sizeof first);
    check_ok(study, gofh_study_hyperparameters(study, 0, b, &values));
    return memcmp(first, values.lengthscale, sizeof first) == 0;
}

static void outputs_that_are_alike_share_a_kernel(void **state)
{
    (void)state;
    gofh_study *study = make_study(make_problem(alike), 1);
    double x[D];
    import(study, alike, 12);
    ask_and_tell(study, alike, x);
    assert_true(says(
        study, "after 12 evaluations 12 outputs have one kernel, which explains them better than one each"));
    for (int j = 1; j < M; j++) assert_true(same_lengthscales(study, 0, j));
    gofh_hyperparameters one, other;
    check_ok(study, gofh_study_hyperparameters(study, 0, 0, &one));
    check_ok(study, gofh_study_hyperparameters(study, 0, 1, &other));
    assert_true(one.variance != other.variance);
    gofh_study_free(study);
}

static void outputs_that_are_not_keep_their_own(void **state)
{
    (void)state;
    gofh_study *study = make_study(make_problem(unlike), 1);
    double x[D];
    import(study, unlike, 24);
    ask_and_tell(study, unlike, x);
    assert_false(says(study, "one kernel"));
    assert_false(same_lengthscales(study, 0, M - 1));
    gofh_study_free(study);
}

static void outputs_of_known_noise_or_without_a_value_to_learn_from_stay_apart(void **state)
{
    (void)state;
    gofh_problem *problem = make_problem(alike);
    gofh_problem_set_noise(problem, 2, 1e-6);
    gofh_study *study = make_study(problem, 1);
    double x[D], y[M], mean[M];
    for (int i = 1; i <= 12; i++) {
        double at[D] = {fmod(0.7548776662466927 * i, 1.0), fmod(0.5698402909980532 * i, 1.0)};
        alike(at, y, NULL);
        y[4] = 7.0;
        check_ok(study, gofh_study_import(study, at, y, NULL));
    }
    int64_t id;
    check_ok(study, gofh_study_ask(study, &id, x));
    assert_true(says(study, "10 outputs have one kernel"));
    assert_true(same_lengthscales(study, 0, 5));
    assert_false(same_lengthscales(study, 0, 2));
    check_ok(study, gofh_study_predict(study, x, 1, mean, NULL, NULL, NULL));
    check_near(mean[4], 7.0, 1e-9);
    gofh_study_free(study);
}

static void data_that_no_longer_agree_end_it(void **state)
{
    (void)state;
    gofh_study *study = make_study(make_problem(alike), 1);
    double x[D], y[M];
    import(study, alike, 12);
    ask_and_tell(study, alike, x);
    /* From now on half of the outputs are something else. */
    for (int i = 1; i <= 37; i++) {
        double at[D] = {fmod(0.7548776662466927 * i + 0.31, 1.0), fmod(0.5698402909980532 * i + 0.17, 1.0)},
               other[M];
        alike(at, y, NULL);
        unlike(at, other, NULL);
        for (int j = 0; j < 6; j++) y[j] = 5.0 * other[j];
        check_ok(study, gofh_study_import(study, at, y, NULL));
    }
    int64_t id;
    check_ok(study, gofh_study_ask(study, &id, x));
    assert_true(says(study, "after 50 evaluations each output has a kernel of its own again"));
    gofh_study_free(study);
}

/* What is remembered between two suggestions is what was asked with, not what was looked at in
 * between. */
static void looking_at_the_model_changes_no_suggestion(void **state)
{
    (void)state;
    gofh_study *quiet = make_study(make_problem(alike), 1), *watched = make_study(make_problem(alike), 3);
    double one[D], other[D], mean[M];
    import(quiet, alike, 9);
    import(watched, alike, 9);
    for (int i = 0; i < 5; i++) {
        ask_and_tell(quiet, alike, one);
        ask_and_tell(watched, alike, other);
        assert_memory_equal(one, other, sizeof one);
        check_ok(watched, gofh_study_predict(watched, one, 1, mean, NULL, NULL, NULL));
    }
    assert_true(says(quiet, "one kernel"));
    gofh_study_free(quiet);
    gofh_study_free(watched);
}

/* With many data the hyperparameters are kept for a while; a result that comes late makes the model
 * anew from what is remembered of them. */
static void a_model_made_anew_from_what_is_remembered_is_the_same(void **state)
{
    (void)state;
    enum { DATA = 201 };
    gofh_study *in_order = make_study(make_problem(alike), 1), *late = make_study(make_problem(alike), 1);
    gofh_study *both[2] = {in_order, late};
    double x[2][D], y[2][M], mean[2][M], variance[2][M];
    int64_t id[2];
    for (int s = 0; s < 2; s++) {
        import(both[s], alike, DATA);
        for (int i = 0; i < 2; i++) {
            check_ok(both[s], gofh_study_ask(both[s], &id[i], x[i]));
            alike(x[i], y[i], NULL);
        }
        for (int i = 0; i < 2; i++) {
            int told = s ? 1 - i : i;
            check_ok(both[s], gofh_study_tell(both[s], id[told], y[told]));
            check_ok(both[s],
                     gofh_study_predict(both[s], (double[D]){0.3, 0.8}, 1, mean[s], variance[s], NULL, NULL));
        }
        assert_true(says(both[s], "one kernel"));
    }
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
    assert_memory_equal(variance[0], variance[1], sizeof variance[0]);
    gofh_study_free(in_order);
    gofh_study_free(late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_that_are_alike_share_a_kernel),
        cmocka_unit_test(outputs_that_are_not_keep_their_own),
        cmocka_unit_test(outputs_of_known_noise_or_without_a_value_to_learn_from_stay_apart),
        cmocka_unit_test(data_that_no_longer_agree_end_it),
        cmocka_unit_test(looking_at_the_model_changes_no_suggestion),
        cmocka_unit_test(a_model_made_anew_from_what_is_remembered_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
