/* Runs that fail: by region, at random, and what the study makes of them. */
#include "unit/api/valley.h"

enum { MOST = 40 };

typedef struct {
    double edge; /* fails where the first parameter is above it */
    int every;   /* and every so many calls; 0: never */
    int calls;
    int failures;
} failing;

/* Asks and tells, or fails, `count` times; keeps the points. */
static void run(gofh_study *study, failing *f, int count, double *points)
{
    for (int i = 0; i < count; i++) {
        int64_t trial;
        double x[VALLEY_D], y[VALLEY_M];
        check_ok(study, gofh_study_ask(study, &trial, x));
        memcpy(points + i * VALLEY_D, x, sizeof x);
        valley_h(x, y, NULL);
        f->calls++;
        if (x[0] > f->edge || (f->every && f->calls % f->every == 0)) {
            f->failures++;
            check_ok(study, gofh_study_fail(study, trial, "diverged"));
        } else {
            check_ok(study, gofh_study_tell(study, trial, y));
        }
    }
}

static gofh_study *study_with(const char *method, uint64_t seed, int threads)
{
    gofh_settings settings = quick_settings();
    settings.method = method;
    settings.seed = seed;
    settings.threads = threads;
    return valley_study(&settings);
}

static void the_optimum_beside_the_failing_region_is_found(void **state)
{
    (void)state;
    double points[MOST * VALLEY_D];
    /* More than half of the domain fails, a hundredth of its width from the optimum. */
    for (uint64_t seed = 1; seed <= 2; seed++) {
        failing f = {.edge = VALLEY_TRUTH[0] + 0.02};
        gofh_study *study = study_with("gofh", seed, 1);
        run(study, &f, 30, points);
        assert_true(best_f(study) < 1e-12);
        assert_true(log_has(study, "the probability of success is modelled"));
        gofh_study_free(study);
    }
}

static void the_edge_is_bisected_where_the_optimum_is_beyond_it(void **state)
{
    (void)state;
    double points[MOST * VALLEY_D];
    /* Along the edge a = 0.5 the misfit is that of b alone: found here on a fine grid. */
    double best = INFINITY;
    for (int i = 0; i <= 2000000; i++) {
        double x[VALLEY_D] = {0.5, pow(10.0, i * 1e-6)}, y[VALLEY_M], f;
        valley_h(x, y, NULL);
        valley_g(y, x, 1, &f, NULL, NULL, NULL);
        best = fmin(best, f);
    }
    for (uint64_t seed = 1; seed <= 2; seed++) {
        failing f = {.edge = 0.5};
        gofh_study *study = study_with("gofh", seed, 1);
        run(study, &f, MOST, points);
        assert_true(best_f(study) - best > -1e-12);
        assert_true(best_f(study) - best < 3e-5);
        gofh_study_free(study);
    }
}

static void a_region_that_fails_is_left_alone_by_all_methods_that_multiply(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf", "pi-cf", "ei", "pi"};
    double points[MOST * VALLEY_D];
    for (int i = 0; i < 5; i++) {
        /* Beyond 1.2 everything fails; the optimum is at 0.7. */
        failing f = {.edge = 1.2}, before;
        gofh_study *study = study_with(methods[i], 3, 1);
        run(study, &f, VALLEY_INITIAL, points);
        before = f;
        run(study, &f, 15, points);
        assert_true(f.failures - before.failures <= 5);
        gofh_study_free(study);
    }
}

static void failures_at_random_do_little_harm(void **state)
{
    (void)state;
    double points[MOST * VALLEY_D];
    failing f = {.edge = INFINITY, .every = 7};
    gofh_study *study = study_with("gofh", 1, 1);
    run(study, &f, 25, points);
    assert_true(best_f(study) < 1e-12);
    gofh_study_free(study);
}

static void what_is_recommended_is_not_where_runs_fail(void **state)
{
    (void)state;
    double points[MOST * VALLEY_D];
    failing f = {.edge = 0.5};
    gofh_study *study = study_with("ei-cf", 1, 1);
    run(study, &f, 25, points);
    gofh_recommendation recommendation;
    check_ok(study, gofh_study_recommend(study, &recommendation));
    assert_true(recommendation.x[0] < 0.52);
    gofh_study_free(study);
}

static void failures_are_learned_with_the_same_bits_by_any_number_of_threads(void **state)
{
    (void)state;
    double one[20 * VALLEY_D], two[20 * VALLEY_D];
    for (int threads = 1; threads <= 2; threads++) {
        failing f = {.edge = 0.8};
        gofh_study *study = study_with("gofh", 5, threads);
        run(study, &f, 20, threads == 1 ? one : two);
        gofh_study_free(study);
    }
    assert_memory_equal(one, two, sizeof one);
}

static void questions_in_between_do_not_change_what_is_learned(void **state)
{
    (void)state;
    double calm[20 * VALLEY_D], asked[20 * VALLEY_D];
    failing f = {.edge = 0.8}, same = f;
    gofh_study *study = study_with("gofh", 5, 1), *other = study_with("gofh", 5, 1);
    run(study, &f, 20, calm);
    for (int i = 0; i < 20; i++) {
        gofh_recommendation recommendation;
        run(other, &same, 1, asked + i * VALLEY_D);
        gofh_status status = gofh_study_recommend(other, &recommendation);
        assert_true(status == GOFH_OK || status == GOFH_ERROR_EMPTY);
    }
    assert_memory_equal(calm, asked, sizeof calm);
    gofh_study_free(study);
    gofh_study_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_optimum_beside_the_failing_region_is_found),
        cmocka_unit_test(the_edge_is_bisected_where_the_optimum_is_beyond_it),
        cmocka_unit_test(a_region_that_fails_is_left_alone_by_all_methods_that_multiply),
        cmocka_unit_test(failures_at_random_do_little_harm),
        cmocka_unit_test(what_is_recommended_is_not_where_runs_fail),
        cmocka_unit_test(failures_are_learned_with_the_same_bits_by_any_number_of_threads),
        cmocka_unit_test(questions_in_between_do_not_change_what_is_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
