/* The rules of the trust region, each by itself. */
#include "study/trust_region.h"

#include "check.h"

static trust_region after_local(trust_region region, double predicted, double gained, double step)
{
    step_outcome o = {.suggested = 1,
                      .local = 1,
                      .improved = gained > 0.0,
                      .predicted = predicted,
                      .gained = gained,
                      .step = step};
    return trust_region_update(region, &o);
}

static void a_step_as_good_as_predicted_widens_it_to_ten_steps(void **state)
{
    (void)state;
    trust_region r = after_local((trust_region){.radius = 0.01}, 1.0, 0.71, 0.005);
    assert_true(r.radius == 0.05 && r.reliable && r.cooldown == 0);
    r = after_local((trust_region){.radius = 0.2}, 1.0, 1.0, 0.001);
    assert_true(r.radius == 0.2); /* never smaller after a good step */
    r = after_local((trust_region){.radius = 0.1}, 1.0, 2.0, 0.1);
    assert_true(r.radius == 0.3); /* never larger than this */
}

static void a_useful_step_widens_it_to_two_steps(void **state)
{
    (void)state;
    trust_region r = after_local((trust_region){.radius = 0.01, .reliable = 1}, 1.0, 0.5, 0.01);
    assert_true(r.radius == 0.02 && !r.reliable && r.cooldown == 0);
}

static void a_useless_step_halves_it_and_no_local_step_follows_for_two_suggestions(void **state)
{
    (void)state;
    trust_region r = after_local((trust_region){.radius = 0.1, .reliable = 1}, 1.0, 0.05, 0.04);
    assert_true(r.radius == 0.02 && !r.reliable && r.cooldown == 2);
    const step_outcome other = {.suggested = 1};
    r = trust_region_update(r, &other);
    assert_int_equal(r.cooldown, 1);
    r = trust_region_update(r, &other);
    assert_int_equal(r.cooldown, 0);
}

static void it_never_gets_smaller_than_the_rounding_of_the_model(void **state)
{
    (void)state;
    trust_region r = {.radius = 0.1};
    for (int i = 0; i < 200; i++) {
        r = after_local(r, 1.0, -INFINITY, r.radius);
        assert_true(r.radius >= 1e-7);
    }
}

static void what_was_not_suggested_changes_nothing(void **state)
{
    (void)state;
    trust_region r = {.radius = 0.02, .reliable = 1, .cooldown = 1, .turn = 5};
    const step_outcome imported = {.improved = 1};
    trust_region after = trust_region_update(r, &imported);
    assert_true(after.radius == r.radius && after.cooldown == 1 && after.turn == 5 && after.reliable);
}

static void an_improvement_by_another_move_widens_it_to_its_first_radius(void **state)
{
    (void)state;
    const step_outcome improved = {.suggested = 1, .improved = 1}, not_improved = {.suggested = 1};
    assert_true(trust_region_update((trust_region){.radius = 1e-5}, &improved).radius ==
                trust_region_begin().radius);
    assert_true(trust_region_update((trust_region){.radius = 1e-5}, &not_improved).radius == 1e-5);
}

static void after_a_repair_of_the_model_the_next_local_step_is_tried(void **state)
{
    (void)state;
    const step_outcome geometry = {.suggested = 1, .geometry = 1};
    trust_region r = after_local((trust_region){.radius = 0.1}, 1.0, 0.05, 0.04);
    assert_true(trust_region_has_failed(&r));
    trust_region fixed = trust_region_update(r, &geometry);
    assert_true(fixed.cooldown == 0 && fixed.reliable && fixed.repairs == 1 && fixed.radius == r.radius);
    assert_false(trust_region_has_failed(&fixed));
    assert_int_equal(after_local(fixed, 1.0, 0.05, 0.01).repairs, 1);
    assert_int_equal(after_local(fixed, 1.0, 0.2, 0.01).repairs, 0);
}

static void a_step_off_a_bound_after_no_useless_step_is_no_repair(void **state)
{
    (void)state;
    const step_outcome geometry = {.suggested = 1, .geometry = 1}, other = {.suggested = 1};
    trust_region r = trust_region_update((trust_region){.radius = 0.1}, &geometry);
    assert_true(r.repairs == 0 && !r.reliable);
    r = trust_region_update(after_local((trust_region){.radius = 0.1}, 1.0, 0.05, 0.04), &other);
    assert_false(trust_region_has_failed(&r));
    r = trust_region_update(r, &geometry);
    assert_true(r.repairs == 0 && !r.reliable);
}

static void every_fourth_local_step_is_forced_in_a_region_worth_a_look(void **state)
{
    (void)state;
    const step_outcome other = {.suggested = 1};
    trust_region r = {.radius = 1e-6};
    for (int i = 0; i < 12; i++) {
        int forced = i % 4 == 3;
        assert_int_equal(trust_region_is_forced(&r), forced);
        trust_region seen = trust_region_open(r);
        assert_true(forced ? seen.radius == fmax(r.radius, 1e-3) : seen.radius == r.radius);
        r = trust_region_update(r, &other);
        assert_int_equal(r.turn, i + 1);
    }
}

static void the_first_violation_is_forgiven_until_a_step_improves(void **state)
{
    (void)state;
    const step_outcome violated = {
        .suggested = 1, .local = 1, .violated = 1, .predicted = 1.0, .gained = -INFINITY, .step = 0.05};
    trust_region r = trust_region_update((trust_region){.radius = 0.1}, &violated);
    assert_true(r.radius == 0.1 && r.cooldown == 0 && r.violations == 1);
    trust_region second = trust_region_update(r, &violated);
    assert_true(second.radius == 0.025 && second.cooldown == 2 && second.violations == 2);
    r = after_local(r, 1.0, 1.0, 0.01);
    assert_int_equal(r.violations, 0);
    assert_true(trust_region_update(r, &violated).cooldown == 0);
}

static void three_failures_one_after_another_are_forgiven(void **state)
{
    (void)state;
    const step_outcome failed = {
        .suggested = 1, .local = 1, .failed = 1, .predicted = 1.0, .gained = -INFINITY, .step = 0.05};
    trust_region r = {.radius = 0.1};
    for (int i = 0; i < 3; i++) r = trust_region_update(r, &failed);
    assert_true(r.radius == 0.1 && r.cooldown == 0);
    r = trust_region_update(r, &failed);
    assert_true(r.radius == 0.025 && r.cooldown == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_as_good_as_predicted_widens_it_to_ten_steps),
        cmocka_unit_test(a_useful_step_widens_it_to_two_steps),
        cmocka_unit_test(a_useless_step_halves_it_and_no_local_step_follows_for_two_suggestions),
        cmocka_unit_test(it_never_gets_smaller_than_the_rounding_of_the_model),
        cmocka_unit_test(what_was_not_suggested_changes_nothing),
        cmocka_unit_test(an_improvement_by_another_move_widens_it_to_its_first_radius),
        cmocka_unit_test(after_a_repair_of_the_model_the_next_local_step_is_tried),
        cmocka_unit_test(a_step_off_a_bound_after_no_useless_step_is_no_repair),
        cmocka_unit_test(every_fourth_local_step_is_forced_in_a_region_worth_a_look),
        cmocka_unit_test(the_first_violation_is_forgiven_until_a_step_improves),
        cmocka_unit_test(three_failures_one_after_another_are_forgiven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
