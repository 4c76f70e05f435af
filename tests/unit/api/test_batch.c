/* Several evaluations at once: gofh_study_ask_batch, and what its points are. */
#include "unit/api/stored.h"

enum { BATCH = 16, ENOUGH = 14 };

static gofh_settings method_settings(void)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = 0;
    return settings;
}

static gofh_study *advanced(int count)
{
    gofh_settings settings = method_settings();
    gofh_study *study = valley_study(&settings);
    advance_valley(study, count, NULL);
    return study;
}

static void tell(gofh_study *study, int count, const int64_t *trials, const double *x)
{
    for (int i = 0; i < count; i++) {
        double y[VALLEY_M];
        valley_h(x + (size_t)i * VALLEY_D, y, NULL);
        check_ok(study, gofh_study_tell(study, trials[i], y));
    }
}

static void a_batch_is_what_as_many_single_asks_give(void **state)
{
    (void)state;
    gofh_study *together = advanced(8), *single = advanced(8);
    int64_t trials[BATCH];
    double x[BATCH * VALLEY_D];
    int given;
    check_ok(together, gofh_study_ask_batch(together, BATCH, trials, x, &given));
    assert_int_equal(given, BATCH);
    for (int i = 0; i < BATCH; i++) {
        int64_t trial;
        double point[VALLEY_D];
        check_ok(single, gofh_study_ask(single, &trial, point));
        assert_int_equal(trial, trials[i]);
        assert_memory_equal(point, x + (size_t)i * VALLEY_D, sizeof point);
    }
    gofh_study_free(together);
    gofh_study_free(single);
}

static void a_batch_is_as_long_as_the_budget_leaves(void **state)
{
    (void)state;
    gofh_settings settings = method_settings();
    settings.budget = 7;
    gofh_study *study = valley_study(&settings);
    int64_t trials[BATCH];
    double x[BATCH * VALLEY_D];
    int given = -1;
    check_ok(study, gofh_study_ask_batch(study, 4, trials, x, &given));
    assert_int_equal(given, 4);
    tell(study, given, trials, x);
    check_ok(study, gofh_study_ask_batch(study, 4, trials, x, &given));
    assert_int_equal(given, 3);
    assert_int_equal(gofh_study_ask_batch(study, 4, trials, x, &given), GOFH_STOP_BUDGET);
    assert_int_equal(given, 0);
    assert_int_equal(gofh_study_count(study), 7);
    gofh_study_free(study);
}

/* The same problem with its constant as a number, and as a parameter that is fixed. */
static gofh_study *shifted(int fixed)
{
    gofh_settings settings = method_settings();
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (fixed) gofh_problem_fix(problem, "c", 1000.0);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, fixed ? "(y[0] - 0.3)^2 + (y[1] - 0.1)^2 + sin(3*y[0]) + c"
                                         : "(y[0] - 0.3)^2 + (y[1] - 0.1)^2 + sin(3*y[0]) + 1000.0");
    gofh_study *study = study_of(problem, &settings);
    for (int i = 0; i < 8; i++) {
        double x[3] = {fmod(0.3 + 0.618 * i, 1.0), fmod(0.1 + 0.755 * i, 1.0), 1000.0};
        double y[2] = {sin(4.0 * x[0]) + x[1], cos(3.0 * x[1]) * x[0]};
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

static void a_fixed_parameter_in_g_is_a_number_beside_open_trials_too(void **state)
{
    (void)state;
    gofh_study *number = shifted(0), *fixed = shifted(1);
    for (int i = 0; i < 4; i++) {
        int64_t trial;
        double x[2], same[3];
        check_ok(number, gofh_study_ask(number, &trial, x));
        check_ok(fixed, gofh_study_ask(fixed, &trial, same));
        assert_memory_equal(same, x, sizeof x);
        assert_true(same[2] == 1000.0);
    }
    gofh_study_free(number);
    gofh_study_free(fixed);
}

/* For the sanitizers: with so many outputs there are fewer draws than a climb takes at least. */
static void very_many_outputs_have_draws_enough_beside_an_open_trial(void **state)
{
    (void)state;
    enum { OUTPUTS = 33000 };
    gofh_settings settings = method_settings();
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, OUTPUTS);
    gofh_problem_minimize(problem, "sum(abs(y))");
    gofh_study *study = study_of(problem, &settings);
    double *y = malloc(OUTPUTS * sizeof *y);
    assert_non_null(y);
    for (int i = 0; i < 4; i++) {
        double x = i / 3.0;
        for (int j = 0; j < OUTPUTS; j++) y[j] = sin(3.0 * x + 1e-4 * j) + x * cos(1e-3 * j);
        check_ok(study, gofh_study_import(study, &x, y, NULL));
    }
    int64_t trials[2];
    double x[2];
    int given;
    check_ok(study, gofh_study_ask_batch(study, 2, trials, x, &given));
    assert_int_equal(given, 2);
    assert_true(x[0] != x[1]);
    free(y);
    gofh_study_free(study);
}

static void no_points_and_no_arrays_are_refused(void **state)
{
    (void)state;
    gofh_study *study = advanced(0);
    int64_t trial;
    double x[VALLEY_D];
    int given;
    assert_int_equal(gofh_study_ask_batch(study, 0, &trial, x, &given), GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(gofh_study_message(study), "0 points"));
    assert_int_equal(gofh_study_ask_batch(study, 1, NULL, x, &given), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_ask_batch(study, 1, &trial, NULL, &given), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_ask_batch(study, 1, &trial, x, NULL), GOFH_ERROR_ARGUMENT);
    assert_int_equal(gofh_study_count(study), 0);
    gofh_study_free(study);
}

/* Where a point is in the unit square. */
static void unit_of(const double *x, double *u)
{
    u[0] = x[0] / 2.0;
    u[1] = log10(x[1]) / 2.0;
}

static double reach(const double *a, const double *b)
{
    double u[VALLEY_D], v[VALLEY_D];
    unit_of(a, u);
    unit_of(b, v);
    return fmax(fabs(u[0] - v[0]), fabs(u[1] - v[1]));
}

/* The root of the nugget is 1e-6: nearer points are one to the model. Also where a search is at its end. */
static void no_two_points_of_a_batch_are_nearer_than_the_model_can_tell_apart(void **state)
{
    (void)state;
    gofh_study *study = advanced(4);
    int64_t trials[BATCH];
    double x[BATCH * VALLEY_D];
    for (int round = 0; round < 4; round++) {
        int given;
        check_ok(study, gofh_study_ask_batch(study, BATCH, trials, x, &given));
        for (int i = 0; i < given; i++)
            for (int j = 0; j < i; j++)
                assert_true(reach(x + (size_t)i * VALLEY_D, x + (size_t)j * VALLEY_D) >= 0.999e-6);
        tell(study, given, trials, x);
    }
    assert_true(best_f(study) < 1e-8);
    gofh_study_free(study);
}

/* With noise a point may be evaluated again, by the move that is made for that. All others add a point
 * that is not open already: of two at the same place the second would tell less than one beside it. */
static void with_noise_only_replicates_coincide_with_open_points(void **state)
{
    (void)state;
    enum { COUNT = 6, ROUNDS = 5 };
    gofh_settings settings = method_settings();
    settings.noise = GOFH_NOISE_ESTIMATED;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        settings.seed = seed;
        gofh_study *study = valley_study(&settings);
        dice d = {7 * seed};
        int64_t trials[COUNT];
        double x[COUNT * VALLEY_D], y[VALLEY_M];
        for (int round = 0; round < ROUNDS; round++) {
            int given;
            check_ok(study, gofh_study_ask_batch(study, COUNT, trials, x, &given));
            assert_int_equal(given, COUNT);
            for (int i = 0; i < given; i++) {
                gofh_trial asked;
                check_ok(study, gofh_study_trial(study, trials[i], &asked));
                for (int j = 0; j < i && strcmp(asked.origin, "replicate") != 0; j++)
                    assert_true(reach(x + (size_t)i * VALLEY_D, x + (size_t)j * VALLEY_D) > 1e-6);
            }
            for (int i = 0; i < given; i++) {
                valley_h(x + (size_t)i * VALLEY_D, y, NULL);
                for (int k = 0; k < VALLEY_M; k++) y[k] += 0.05 * dice_normal(&d);
                check_ok(study, gofh_study_tell(study, trials[i], y));
            }
        }
        gofh_study_free(study);
    }
}

/* How many of the batch's points are slopes of the local step: at most 0.3 of its length from its end,
 * as two directions with a good part of a right angle between them. */
static void beside_a_local_step_its_slopes_are_evaluated(void **state)
{
    (void)state;
    int found = 0;
    for (int count = 5; count < ENOUGH; count++) {
        gofh_study *study = advanced(count);
        int64_t trials[4];
        double x[4 * VALLEY_D], end[VALLEY_D], slope[2][VALLEY_D];
        int given, slopes = 0;
        check_ok(study, gofh_study_ask_batch(study, 4, trials, x, &given));
        gofh_trial first, other;
        check_ok(study, gofh_study_trial(study, trials[0], &first));
        unit_of(first.x, end);
        for (int i = 1; i < given && strcmp(first.origin, "local") == 0; i++) {
            check_ok(study, gofh_study_trial(study, trials[i], &other));
            if (strcmp(other.origin, "slope") != 0 || slopes == 2) continue;
            unit_of(other.x, slope[slopes]);
            for (int k = 0; k < VALLEY_D; k++) slope[slopes][k] -= end[k];
            slopes++;
        }
        if (slopes == 2) {
            double a = hypot(slope[0][0], slope[0][1]), b = hypot(slope[1][0], slope[1][1]);
            double sine = fabs(slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0]) / (a * b);
            assert_true(sine >= 0.2);
            assert_true(a <= 0.1001 && a >= 0.999e-5);
            found++;
        }
        gofh_study_free(study);
    }
    assert_true(found > 0);
}

/* A batch has more points than idle suggestions end a study with: its slopes and what is apart from the
 * rest must not end it while its local step gains. */
static void a_study_of_batches_ends_by_itself_where_one_at_a_time_does(void **state)
{
    (void)state;
    gofh_settings settings = method_settings();
    settings.stop = GOFH_STOPPING_AUTO;
    for (int seed = 1; seed <= 3; seed++) {
        settings.seed = (uint64_t)seed;
        gofh_study *study = valley_study(&settings);
        int64_t trials[BATCH];
        double x[BATCH * VALLEY_D];
        int given, rounds = 0;
        while (rounds < 40 && gofh_study_ask_batch(study, BATCH, trials, x, &given) == GOFH_OK) {
            tell(study, given, trials, x);
            rounds++;
        }
        assert_in_range(rounds, 3, 39);
        assert_true(best_f(study) < 1e-16);
        gofh_study_free(study);
    }
}

typedef struct {
    int asked, end_at;
} patience;

static int lose_patience(void *context)
{
    patience *p = context;
    return ++p->asked >= p->end_at;
}

static void an_interrupted_batch_leaves_the_study_as_it_was(void **state)
{
    (void)state;
    enum { MANY = 100 }; /* nobody is asked in the first 20 ms */
    gofh_settings settings = method_settings();
    gofh_study *study = stored_valley(GOFH_OPEN_WRITE, &settings), *other = advanced(8);
    advance_valley(study, 8, NULL);
    int64_t trials[MANY];
    double x[MANY * VALLEY_D], expected[MANY * VALLEY_D];
    int given, interrupted = 0;
    check_ok(other, gofh_study_ask_batch(other, MANY, trials, expected, &given));
    for (int end_at = 1; end_at < 4096; end_at *= 4) {
        patience p = {.end_at = end_at};
        gofh_study_set_interrupt(study, lose_patience, &p);
        gofh_status status = gofh_study_ask_batch(study, MANY, trials, x, &given);
        if (status == GOFH_OK) break;
        assert_int_equal(status, GOFH_STOP_CALLER);
        assert_int_equal(given, 0);
        assert_int_equal(gofh_study_count(study), 8);
        interrupted++;
    }
    assert_true(interrupted > 0);
    gofh_study_set_interrupt(study, NULL, NULL);
    if (gofh_study_count(study) == 8) check_ok(study, gofh_study_ask_batch(study, MANY, trials, x, &given));
    assert_memory_equal(x, expected, sizeof x);
    gofh_study_free(study);
    gofh_study_free(other);
    study = stored_valley(GOFH_OPEN_READ, &settings);
    assert_int_equal(gofh_study_count(study), 8 + MANY);
    gofh_study_free(study);
}

/* What is kept from one suggestion to the next is lost with the process, and must not matter; nor where
 * trials end meanwhile, one of them by a failure. */
static void a_batch_by_processes_of_one_point_each_is_that_of_one_process(void **state)
{
    (void)state;
    gofh_settings settings = method_settings();
    gofh_study *other = advanced(8), *study = stored_valley(GOFH_OPEN_WRITE, &settings);
    advance_valley(study, 8, NULL);
    for (int i = 0; i < BATCH; i++) {
        gofh_study_free(study);
        study = stored_valley(GOFH_OPEN_WRITE, &settings);
        int64_t trial, expected_trial;
        double x[VALLEY_D], expected[VALLEY_D];
        check_ok(study, gofh_study_ask(study, &trial, x));
        check_ok(other, gofh_study_ask(other, &expected_trial, expected));
        assert_int_equal(trial, expected_trial);
        assert_memory_equal(x, expected, sizeof x);
        if (i == 5) {
            tell(study, 1, &trial, x);
            tell(other, 1, &trial, x);
        }
        if (i == 9) {
            check_ok(study, gofh_study_fail(study, trial, "diverged"));
            check_ok(other, gofh_study_fail(other, trial, "diverged"));
        }
    }
    gofh_study_free(study);
    gofh_study_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_what_as_many_single_asks_give),
        cmocka_unit_test(a_batch_is_as_long_as_the_budget_leaves),
        cmocka_unit_test(a_fixed_parameter_in_g_is_a_number_beside_open_trials_too),
        cmocka_unit_test(very_many_outputs_have_draws_enough_beside_an_open_trial),
        cmocka_unit_test(no_points_and_no_arrays_are_refused),
        cmocka_unit_test(no_two_points_of_a_batch_are_nearer_than_the_model_can_tell_apart),
        cmocka_unit_test(with_noise_only_replicates_coincide_with_open_points),
        cmocka_unit_test(beside_a_local_step_its_slopes_are_evaluated),
        cmocka_unit_test(a_study_of_batches_ends_by_itself_where_one_at_a_time_does),
        cmocka_unit_test_setup_teardown(a_batch_by_processes_of_one_point_each_is_that_of_one_process,
                                        stored_setup, stored_teardown),
        cmocka_unit_test_setup_teardown(an_interrupted_batch_leaves_the_study_as_it_was, stored_setup,
                                        stored_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
