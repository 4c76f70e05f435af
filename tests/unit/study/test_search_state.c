/* What the trials say about the search. */
#include "study/search_state.h"

#include "check.h"
#include "study/points.h"

static void the_incumbent_is_the_best_and_at_first_whatever_has_a_result(void **state)
{
    (void)state;
    assert_true(search_replaces_incumbent(0, -INFINITY, 1.0));
    assert_true(search_replaces_incumbent(0, -INFINITY, -INFINITY)); /* evaluated, not feasible */
    assert_false(search_replaces_incumbent(0, -INFINITY, NAN));      /* open or failed */
    assert_true(search_replaces_incumbent(1, -INFINITY, -1e300));
    assert_false(search_replaces_incumbent(1, -INFINITY, -INFINITY));
    assert_true(search_replaces_incumbent(1, 1.0, 1.5));
    assert_false(search_replaces_incumbent(1, 1.0, 1.0));
    assert_false(search_replaces_incumbent(1, 1.0, NAN));
}

static void the_range_of_f_is_from_the_median_to_the_best(void **state)
{
    (void)state;
    double odd[] = {5.0, -1.0, 2.0}, even[] = {4.0, 1.0, 3.0, 10.0};
    assert_true(search_f_range(7.0, odd, 3) == 5.0);
    assert_true(search_f_range(10.0, even, 4) == 6.5);
    assert_true(search_f_range(3.0, odd, 0) == 0.0);
}

static void little_is_what_the_range_or_the_stop_rule_says(void **state)
{
    (void)state;
    search_state s = {.basin_range = 100.0};
    assert_false(search_is_negligible(&s, 0.011));
    assert_true(search_is_negligible(&s, 0.01));
    assert_true(search_is_negligible(&s, NAN));
    s.tolerance = 1.0;
    assert_true(search_is_negligible(&s, 0.5));
    assert_false(search_is_negligible(&s, 1.0));
}

static study *trials_at(const double *u, int count, const int *imported)
{
    static trial trials[16];
    static study st;
    st = (study){.d = 1, .trials = {.list = trials, .count = (size_t)count}};
    for (int i = 0; i < count; i++)
        trials[i] = (trial){.u = (double *)&u[i], .origin = "improve", .imported = imported && imported[i]};
    return &st;
}

static void near_is_one_of_the_last_three_that_were_not_imported(void **state)
{
    (void)state;
    const double near_then_far[] = {0.5, 0.6, 0.9, 0.9, 0.9}, lately[] = {0.5, 0.9, 0.69, 0.9, 0.9};
    const int imported[] = {0, 0, 0, 0, 1};
    assert_false(search_recently_near(trials_at(near_then_far, 5, NULL), 0));
    assert_true(search_recently_near(trials_at(lately, 5, NULL), 0));
    assert_true(search_recently_near(trials_at(near_then_far, 5, imported), 0)); /* the second counts again */
}

static void distance_is_euclidean_up_to_five_dimensions_and_relative_beyond(void **state)
{
    (void)state;
    double zero[20] = {0}, one[20];
    for (int k = 0; k < 20; k++) one[k] = 0.1;
    for (int d = 1; d <= 20; d++)
        check_close(points_distance(d, zero, one), 0.1 * sqrt(d < 5 ? d : 5), 1e-15);
    one[3] = -0.4;
    check_close(points_reach(20, zero, one), 0.4, 1e-15);
    check_close(points_reach(3, zero, one), 0.1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_incumbent_is_the_best_and_at_first_whatever_has_a_result),
        cmocka_unit_test(the_range_of_f_is_from_the_median_to_the_best),
        cmocka_unit_test(little_is_what_the_range_or_the_stop_rule_says),
        cmocka_unit_test(near_is_one_of_the_last_three_that_were_not_imported),
        cmocka_unit_test(distance_is_euclidean_up_to_five_dimensions_and_relative_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
