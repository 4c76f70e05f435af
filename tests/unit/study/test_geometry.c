/* Which bounds the neighbours of a point say nothing off. */
#include "check.h"
#include "study/engine.h"

static int is_degenerate(const double *centre, const double *neighbour, int k)
{
    trial trials[] = {{.u = (double *)centre}, {.u = (double *)neighbour}};
    const study st = {.d = 2, .trials = {.list = trials, .count = 2}};
    return geometry_is_degenerate(&st, centre, k);
}

static void a_bound_is_degenerate_where_no_trial_near_it_is_off_it(void **state)
{
    (void)state;
    const double lower[] = {0.5, 0.0}, upper[] = {1.0, 0.5}, inside[] = {0.5, 1e-9};
    assert_true(is_degenerate(lower, (double[]){0.51, 0.0}, 1));
    assert_true(is_degenerate(upper, (double[]){1.0, 0.49}, 0));
    assert_false(is_degenerate(lower, (double[]){0.5, 0.1}, 1));
    assert_false(is_degenerate(upper, (double[]){0.989, 0.49}, 0));
    assert_false(is_degenerate(lower, (double[]){0.5, 1e-6}, 1)); /* however near */
    /* Only bounds: elsewhere local steps go both ways. */
    assert_false(is_degenerate(lower, (double[]){0.5, 0.1}, 0));
    assert_false(is_degenerate(inside, (double[]){0.6, 1e-9}, 1));
}

static void a_trial_far_away_or_hardly_off_it_tells_no_slope(void **state)
{
    (void)state;
    const double lower[] = {0.5, 0.0};
    assert_true(is_degenerate(lower, (double[]){0.5, 0.11}, 1));
    assert_true(is_degenerate(lower, (double[]){0.61, 0.1}, 1));
    assert_true(is_degenerate(lower, (double[]){0.55, 0.048}, 1));
    assert_false(is_degenerate(lower, (double[]){0.55, 0.05}, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_is_degenerate_where_no_trial_near_it_is_off_it),
        cmocka_unit_test(a_trial_far_away_or_hardly_off_it_tells_no_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
