/* Runs that stopped gaining because the points around the best one could not tell a slope. */
#include "bench/replication.h"
#include "check.h"

enum { EVALUATIONS_MAX = 30 };

static double log_regret(const char *problem, uint64_t seed, int rep, int evaluations)
{
    bench_row rows[EVALUATIONS_MAX + 1];
    gofh_error error = {.status = GOFH_OK};
    const atomic_int stop = 0;
    const bench_replication replication = {.problem = bench_problem_find(problem),
                                           .method = "gofh",
                                           .rep = rep,
                                           .evaluations = evaluations,
                                           .seed = seed};
    if (bench_replication_run(&replication, rows, &stop, &error)) fail_msg("%s", error.message);
    return rows[evaluations].observed;
}

static void a_bound_that_all_neighbours_share_is_left(void **state)
{
    (void)state;
    /* Local steps come to the bound of a coordinate that hardly matters, and the model of points
     * that all share it expects nothing off it: -4.1 for 18 suggestions and more. */
    assert_true(log_regret("environment", 4242, 1016, 20) <= -15.0);
    assert_true(log_regret("environment", 4242, 1040, 20) <= -15.0);
    assert_true(log_regret("environment", 4242, 2044, 20) <= -15.0);
}

static void a_smooth_fit_gets_its_last_digits(void **state)
{
    (void)state;
    /* Local steps predict little of what is left, by slopes from points far away: -6.7. */
    assert_true(log_regret("pinene", 1, 2, 30) <= -9.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_that_all_neighbours_share_is_left),
        cmocka_unit_test(a_smooth_fit_gets_its_last_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
