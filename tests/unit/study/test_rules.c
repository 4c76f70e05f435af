/* When proposals are accepted: each rule at both sides of its bounds. The ranges are 1 unless said
 * otherwise. */
#include "study/rules.h"

#include "check.h"

static const search_state QUIET = {.f_range = 1.0, .basin_range = 1.0, .best_f = 1.0};

static void an_improvement_is_left_down_to_a_millionth_of_the_range(void **state)
{
    (void)state;
    proposal p = {.gain = 0.0};
    assert_true(rule_improvement_left(&QUIET, 1e-6, &p));
    assert_false(rule_improvement_left(&QUIET, 0.99e-6, &p));
    search_state wide = QUIET, infeasible = QUIET;
    wide.basin_range = 1e6;
    assert_false(rule_improvement_left(&wide, 0.5, &p));
    infeasible.best_f = -INFINITY;
    assert_true(rule_improvement_left(&infeasible, NAN, &p));
}

static void away_from_the_incumbent_only_for_what_is_not_negligible(void **state)
{
    (void)state;
    assert_true(rule_worthwhile(&QUIET, 0.0, &(proposal){.gain = 1.01e-4}));
    assert_false(rule_worthwhile(&QUIET, 0.0, &(proposal){.gain = 1e-4}));
}

static int accepts_local(search_state s, double best_ei, double gain, double deviation, double step)
{
    return rule_beats_improvement(&s, best_ei,
                                  &(proposal){.gain = gain, .deviation = deviation, .step = step});
}

static void little_is_expected_below_a_ten_thousandth_of_the_range_of_f(void **state)
{
    (void)state;
    search_state s = {.f_range = 10.0, .basin_range = 1e-9};
    proposal p = {.gain = 0.0};
    assert_true(rule_little_expected(&s, 0.9e-3, &p));
    assert_false(rule_little_expected(&s, 1.1e-3, &p));
    assert_false(rule_little_expected(&s, NAN, &p));
}

static void a_sure_local_step_beats_up_to_twice_its_gain(void **state)
{
    (void)state;
    assert_true(accepts_local(QUIET, 0.19, 0.1, 0.04, 0.1));
    assert_false(accepts_local(QUIET, 0.21, 0.1, 0.04, 0.1));
    assert_false(accepts_local(QUIET, 0.19, 0.1, 0.06, 0.1));  /* not sure */
    assert_true(accepts_local(QUIET, 0.9e-3, 1e-3, 1.0, 0.1)); /* little is expected anywhere */
    search_state cooling = QUIET, open = QUIET;
    cooling.region.cooldown = 1;
    const double end[1] = {0.0}; /* where the proposal is, too */
    open.d = 1;
    open.open_local = end;
    assert_false(accepts_local(cooling, 0.0, 0.1, 0.0, 0.1));
    assert_false(accepts_local(open, 0.0, 0.1, 0.0, 0.1));
}

static void a_local_step_must_gain_and_move_more_than_rounding(void **state)
{
    (void)state;
    assert_false(accepts_local(QUIET, 0.0, 0.9e-16, 0.0, 0.1));
    assert_true(accepts_local(QUIET, 0.0, 1.1e-16, 0.0, 0.1));
    assert_false(accepts_local(QUIET, 0.0, 0.1, 0.0, 0.9e-14));
}

static void a_forced_local_step_needs_no_promise_where_next_to_nothing_is_expected(void **state)
{
    (void)state;
    search_state s = QUIET;
    s.region.cooldown = 2;
    assert_false(accepts_local(s, 0.9e-4, 1e-12, 1.0, 0.1));
    s.forced = 1;
    assert_true(accepts_local(s, 0.9e-4, 1e-12, 1.0, 0.1));
    assert_false(accepts_local(s, 1.1e-4, 1e-12, 1.0, 0.1));
}

static void local_steps_go_on_while_they_are_reliable(void **state)
{
    (void)state;
    search_state s = QUIET;
    const proposal p = {.gain = 1e-12, .deviation = 1.0, .step = 0.1};
    assert_false(rule_reliable(&s, 0.0, &p));
    s.region.reliable = 1;
    assert_true(rule_reliable(&s, 0.0, &p));
    s.region.cooldown = 1;
    assert_false(rule_reliable(&s, 0.0, &p));
}

static void a_better_mean_is_one_by_a_millionth_of_the_range(void **state)
{
    (void)state;
    assert_true(rule_better_mean(&QUIET, 0.0, &(proposal){.gain = 1.1e-6}));
    assert_false(rule_better_mean(&QUIET, 0.0, &(proposal){.gain = 1e-6}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_improvement_is_left_down_to_a_millionth_of_the_range),
        cmocka_unit_test(away_from_the_incumbent_only_for_what_is_not_negligible),
        cmocka_unit_test(little_is_expected_below_a_ten_thousandth_of_the_range_of_f),
        cmocka_unit_test(a_sure_local_step_beats_up_to_twice_its_gain),
        cmocka_unit_test(a_local_step_must_gain_and_move_more_than_rounding),
        cmocka_unit_test(a_forced_local_step_needs_no_promise_where_next_to_nothing_is_expected),
        cmocka_unit_test(local_steps_go_on_while_they_are_reliable),
        cmocka_unit_test(a_better_mean_is_one_by_a_millionth_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
