/* Sequences of ask, tell, fail and import: what they may depend on, and what not. */
#include "unit/api/valley.h"

enum { STEPS = VALLEY_INITIAL + 4 };

/* The first STEPS points of a study. */
static void points_of(const gofh_settings *settings, double *points)
{
    gofh_study *study = valley_study(settings);
    advance_valley(study, STEPS, points);
    gofh_study_free(study);
}

static void every_method_runs_and_those_that_learn_improve_on_the_design(void **state)
{
    (void)state;
    const char *name;
    for (int i = 0; (name = gofh_method_name(i)); i++) {
        gofh_settings settings = quick_settings();
        settings.method = name;
        gofh_study *study = valley_study(&settings);
        advance_valley(study, VALLEY_INITIAL, NULL);
        double before = best_f(study);
        advance_valley(study, 14, NULL);
        double after = best_f(study);
        gofh_trial last;
        check_ok(study, gofh_study_trial(study, gofh_study_count(study), &last));
        if (strcmp(name, "gofh") == 0)
            assert_true(strcmp(last.origin, "gofh") != 0 && strcmp(last.origin, "design") != 0);
        else
            assert_string_equal(last.origin, name);
        /* Chance need not. */
        assert_true(strncmp(name, "random", 6) == 0 ? after <= before : after < before);
        if (strcmp(name, "ei-cf") == 0 || strcmp(name, "gofh") == 0) assert_true(after < 1e-8);
        gofh_study_free(study);
    }
}

static void the_same_seed_gives_the_same_bits_with_1_2_and_4_threads(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf", "pi-cf", "ei", "pi", "pes"};
    for (int i = 0; i < 6; i++) {
        double one[STEPS * VALLEY_D], many[STEPS * VALLEY_D];
        gofh_settings settings = quick_settings();
        settings.method = methods[i];
        points_of(&settings, one);
        for (settings.threads = 1; settings.threads <= 4; settings.threads *= 2) {
            points_of(&settings, many);
            assert_memory_equal(one, many, sizeof one);
        }
    }
}

static void another_seed_gives_other_points(void **state)
{
    (void)state;
    double one[STEPS * VALLEY_D], other[STEPS * VALLEY_D];
    gofh_settings settings = quick_settings();
    points_of(&settings, one);
    settings.seed = 2;
    points_of(&settings, other);
    for (int i = 0; i < STEPS * VALLEY_D; i++) assert_true(one[i] != other[i]);
}

static void open_trials_are_at_distinct_points(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf", "pi-cf", "ei", "random-cf"};
    for (int k = 0; k < 5; k++) {
        enum { OPEN = 6 };
        double x[OPEN * VALLEY_D];
        gofh_settings settings = quick_settings();
        settings.method = methods[k];
        gofh_study *study = valley_study(&settings);
        advance_valley(study, VALLEY_INITIAL, NULL);
        for (int i = 0; i < OPEN; i++) {
            int64_t trial;
            check_ok(study, gofh_study_ask(study, &trial, x + i * VALLEY_D));
            assert_int_equal(trial, VALLEY_INITIAL + 1 + i);
            for (int j = 0; j < i; j++)
                assert_true(fabs(x[i * VALLEY_D] - x[j * VALLEY_D]) > 1e-6 ||
                            fabs(x[i * VALLEY_D + 1] - x[j * VALLEY_D + 1]) > 1e-6);
        }
        gofh_study_free(study);
    }
}

/* Asks four points at once, tells them in the given order, and returns the next suggestion. */
static void told_in_order(const int *order, double *next)
{
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    advance_valley(study, VALLEY_INITIAL, NULL);
    double x[4 * VALLEY_D], y[VALLEY_M];
    int64_t trial;
    for (int i = 0; i < 4; i++) check_ok(study, gofh_study_ask(study, &trial, x + i * VALLEY_D));
    for (int i = 0; i < 4; i++) {
        valley_h(x + order[i] * VALLEY_D, y, NULL);
        check_ok(study, gofh_study_tell(study, VALLEY_INITIAL + 1 + order[i], y));
    }
    advance_valley(study, 2, next);
    gofh_study_free(study);
}

static void the_order_of_telling_does_not_matter(void **state)
{
    (void)state;
    double first[2 * VALLEY_D], second[2 * VALLEY_D];
    told_in_order((const int[]){0, 1, 2, 3}, first);
    told_in_order((const int[]){2, 0, 3, 1}, second);
    assert_memory_equal(first, second, sizeof first);
}

/* All that looks at a study without changing it. */
static void look(gofh_study *study)
{
    gofh_recommendation recommended;
    gofh_trial best;
    gofh_hyperparameters hyper;
    double f, mean[VALLEY_M], variance[VALLEY_M], deviation, value;
    check_ok(study, gofh_study_recommend(study, &recommended));
    check_ok(study, gofh_study_predict(study, VALLEY_TRUTH, 1, mean, variance, &f, &deviation));
    check_ok(study, gofh_study_acquisition(study, VALLEY_TRUTH, 1, &value));
    check_ok(study, gofh_study_hyperparameters(study, 0, 0, &hyper));
    check_ok(study, gofh_study_best(study, &best));
}

static void looking_at_a_study_does_not_change_what_it_asks(void **state)
{
    (void)state;
    double alone[STEPS * VALLEY_D], watched[STEPS * VALLEY_D];
    for (int noise = 0; noise < 2; noise++) {
        gofh_settings settings = quick_settings();
        settings.noise = noise ? GOFH_NOISE_ESTIMATED : GOFH_NOISE_NONE;
        points_of(&settings, alone);
        gofh_study *study = valley_study(&settings);
        for (int i = 0; i < STEPS; i++) {
            advance_valley(study, 1, watched + i * VALLEY_D);
            look(study);
            if (i % 3 == 0) look(study);
        }
        assert_memory_equal(alone, watched, sizeof alone);
        gofh_study_free(study);
    }
}

static void looking_while_trials_are_open_does_not_change_what_is_asked(void **state)
{
    (void)state;
    double x[2][5 * VALLEY_D];
    for (int watched = 0; watched < 2; watched++) {
        gofh_settings settings = quick_settings();
        gofh_study *study = valley_study(&settings);
        advance_valley(study, VALLEY_INITIAL, NULL);
        for (int i = 0; i < 5; i++) {
            int64_t trial;
            check_ok(study, gofh_study_ask(study, &trial, x[watched] + i * VALLEY_D));
            if (watched) look(study);
        }
        gofh_study_free(study);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void what_random_search_recommends_does_not_depend_on_earlier_looks(void **state)
{
    (void)state;
    double x[2][VALLEY_D];
    for (int watched = 0; watched < 2; watched++) {
        gofh_settings settings = quick_settings();
        settings.method = "random-cf";
        gofh_study *study = valley_study(&settings);
        gofh_recommendation recommended;
        for (int i = 0; i < 10; i++) {
            advance_valley(study, 1, NULL);
            if (watched) check_ok(study, gofh_study_recommend(study, &recommended));
        }
        check_ok(study, gofh_study_recommend(study, &recommended));
        memcpy(x[watched], recommended.x, sizeof x[watched]);
        gofh_study_free(study);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void import_valley(gofh_study *study, dice *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        double x[VALLEY_D] = {2.0 * dice_uniform(numbers), pow(100.0, dice_uniform(numbers))}, y[VALLEY_M];
        valley_h(x, y, NULL);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
}

static void imports_count_towards_the_design_but_not_the_budget(void **state)
{
    (void)state;
    dice numbers = {7};
    gofh_settings settings = quick_settings();
    settings.budget = 4;
    gofh_study *study = valley_study(&settings);
    import_valley(study, &numbers, VALLEY_INITIAL - 2);
    advance_valley(study, 4, NULL);
    static const char *const origin[] = {"design", "design", "ei-cf", "ei-cf"};
    for (int i = 0; i < 4; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, VALLEY_INITIAL - 1 + i, &trial));
        assert_string_equal(trial.origin, origin[i]);
        assert_false(trial.imported);
    }
    gofh_trial first;
    check_ok(study, gofh_study_trial(study, 1, &first));
    assert_true(first.imported && strcmp(first.origin, "import") == 0 && isnan(first.expected));
    int64_t trial;
    double x[VALLEY_D];
    assert_int_equal(gofh_study_ask(study, &trial, x), GOFH_STOP_BUDGET);
    gofh_study_free(study);
}

static void without_a_design_a_study_starts_from_no_point_or_one(void **state)
{
    (void)state;
    for (int imported = 0; imported < 3; imported++) {
        dice numbers = {11};
        gofh_settings settings = quick_settings();
        settings.initial = 0;
        gofh_study *study = valley_study(&settings);
        import_valley(study, &numbers, imported);
        advance_valley(study, 16, NULL);
        assert_true(best_f(study) < 1e-4);
        gofh_study_free(study);
    }
}

static void any_negative_initial_means_the_usual_design(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.initial = -7;
    gofh_study *study = valley_study(&settings);
    advance_valley(study, VALLEY_INITIAL + 1, NULL);
    gofh_trial trial;
    check_ok(study, gofh_study_trial(study, VALLEY_INITIAL, &trial));
    assert_string_equal(trial.origin, "design");
    check_ok(study, gofh_study_trial(study, VALLEY_INITIAL + 1, &trial));
    assert_string_equal(trial.origin, "ei-cf");
    gofh_study_free(study);
}

static void a_design_that_fails_altogether_is_asked_on(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.seed = 2;
    gofh_study *study = valley_study(&settings);
    int64_t trial;
    double x[VALLEY_D];
    gofh_trial seen;
    for (int i = 0; i < VALLEY_INITIAL + 3; i++) {
        check_ok(study, gofh_study_ask(study, &trial, x));
        check_ok(study, gofh_study_fail(study, trial, i ? "diverged" : NULL));
        check_ok(study, gofh_study_trial(study, trial, &seen));
        assert_string_equal(seen.origin, "design");
        assert_string_equal(seen.reason, i ? "diverged" : "");
        assert_int_equal(seen.state, GOFH_TRIAL_FAILED);
        assert_true(isnan(seen.f) && seen.y == NULL);
    }
    assert_int_equal(gofh_study_best(study, &seen), GOFH_ERROR_EMPTY);
    advance_valley(study, 12, NULL);
    assert_true(best_f(study) < 1e-2);
    gofh_study_free(study);
}

static void a_failed_point_is_not_asked_again(void **state)
{
    (void)state;
    enum { FAILURES = 8 };
    gofh_settings settings = quick_settings();
    gofh_study *study = valley_study(&settings);
    advance_valley(study, VALLEY_INITIAL, NULL);
    double x[FAILURES * VALLEY_D];
    for (int i = 0; i < FAILURES; i++) {
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, x + i * VALLEY_D));
        for (int j = 0; j < i; j++)
            assert_true(x[i * VALLEY_D] != x[j * VALLEY_D] || x[i * VALLEY_D + 1] != x[j * VALLEY_D + 1]);
        check_ok(study, gofh_study_fail(study, trial, "diverged"));
    }
    gofh_study_free(study);
}

static void the_target_stops_a_study_and_is_inclusive(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.target = 1e-3;
    gofh_study *study = valley_study(&settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_TARGET);
    assert_true(best_f(study) <= 1e-3);
    int64_t count = gofh_study_count(study);
    for (int64_t i = 1; i < count; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, i, &trial));
        assert_true(trial.f > 1e-3);
    }
    double target = best_f(study);
    gofh_study_free(study);
    settings.target = target;
    study = valley_study(&settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_TARGET);
    assert_int_equal(gofh_study_count(study), count);
    gofh_study_free(study);
}

static int sometimes_failing(const double *x, double *y, void *context)
{
    int *calls = context;
    valley_h(x, y, NULL);
    ++*calls;
    if (*calls % 4 == 1) return 1;
    if (*calls % 4 == 2) y[1] = NAN;
    return 0;
}

static void optimize_records_failures_and_goes_on_to_the_budget(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.budget = 14;
    gofh_study *study = valley_study(&settings);
    int calls = 0;
    assert_int_equal(gofh_optimize(study, sometimes_failing, &calls), GOFH_STOP_BUDGET);
    assert_int_equal(calls, 14);
    assert_int_equal(gofh_study_count(study), 14);
    for (int i = 1; i <= 14; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, i, &trial));
        assert_int_equal(trial.state, i % 4 == 1 || i % 4 == 2 ? GOFH_TRIAL_FAILED : GOFH_TRIAL_DONE);
        if (i % 4 == 2) assert_non_null(strstr(trial.reason, "not finite"));
    }
    gofh_study_free(study);
}

static void optimize_goes_on_where_asking_stopped(void **state)
{
    (void)state;
    double whole[STEPS * VALLEY_D];
    gofh_settings settings = quick_settings();
    settings.budget = STEPS;
    points_of(&settings, whole);
    gofh_study *study = valley_study(&settings);
    advance_valley(study, 3, NULL);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_BUDGET);
    for (int i = 0; i < STEPS; i++) {
        gofh_trial trial;
        check_ok(study, gofh_study_trial(study, i + 1, &trial));
        assert_memory_equal(trial.x, whole + i * VALLEY_D, VALLEY_D * sizeof *whole);
    }
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_runs_and_those_that_learn_improve_on_the_design),
        cmocka_unit_test(the_same_seed_gives_the_same_bits_with_1_2_and_4_threads),
        cmocka_unit_test(another_seed_gives_other_points),
        cmocka_unit_test(open_trials_are_at_distinct_points),
        cmocka_unit_test(the_order_of_telling_does_not_matter),
        cmocka_unit_test(looking_at_a_study_does_not_change_what_it_asks),
        cmocka_unit_test(looking_while_trials_are_open_does_not_change_what_is_asked),
        cmocka_unit_test(what_random_search_recommends_does_not_depend_on_earlier_looks),
        cmocka_unit_test(imports_count_towards_the_design_but_not_the_budget),
        cmocka_unit_test(without_a_design_a_study_starts_from_no_point_or_one),
        cmocka_unit_test(any_negative_initial_means_the_usual_design),
        cmocka_unit_test(a_design_that_fails_altogether_is_asked_on),
        cmocka_unit_test(a_failed_point_is_not_asked_again),
        cmocka_unit_test(the_target_stops_a_study_and_is_inclusive),
        cmocka_unit_test(optimize_records_failures_and_goes_on_to_the_budget),
        cmocka_unit_test(optimize_goes_on_where_asking_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
