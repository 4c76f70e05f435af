/* The checksums are FNV-1a's, the same on every machine, and see every number of a trial. */
#include "store/checksum.h"

#include "check.h"

#include <math.h>

/* The values that the authors of FNV publish for these texts. */
static void the_published_values_of_fnv_1a_are_met(void **state)
{
    (void)state;
    assert_true(checksum_bytes(CHECKSUM_EMPTY, "", 0) == 0xcbf29ce484222325u);
    assert_true(checksum_bytes(CHECKSUM_EMPTY, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(checksum_bytes(CHECKSUM_EMPTY, "foobar", 6) == 0x85944171f73967e8u);
}

static void numbers_that_a_file_does_not_tell_apart_are_one(void **state)
{
    (void)state;
    assert_true(checksum_number(CHECKSUM_EMPTY, -0.0) == checksum_number(CHECKSUM_EMPTY, 0.0));
    assert_true(checksum_number(CHECKSUM_EMPTY, -(double)NAN) == checksum_number(CHECKSUM_EMPTY, NAN));
    assert_false(checksum_number(CHECKSUM_EMPTY, 1.0) ==
                 checksum_number(CHECKSUM_EMPTY, nextafter(1.0, 2.0)));
}

static void a_change_of_anything_in_a_trial_is_seen(void **state)
{
    (void)state;
    const store_problem problem = {.d = 2, .m = 2};
    double x[2] = {0.5, 2.0}, y[2] = {3.0, 4.0}, other[2] = {2.0, 0.5};
    const gofh_trial trial = {
        .trial = 3, .state = GOFH_TRIAL_DONE, .origin = "far", .expected = 0.1, .reason = "", .x = x, .y = y};
    checksum sum = checksum_trial(&problem, &trial);
    gofh_trial changed[7];
    for (int i = 0; i < 7; i++) changed[i] = trial;
    changed[0].trial = 4;
    changed[1].state = GOFH_TRIAL_FAILED;
    changed[2].imported = 1;
    changed[3].origin = "fad";
    changed[4].expected = NAN;
    changed[5].x = other;
    changed[6].y = NULL;
    for (int i = 0; i < 7; i++) assert_false(checksum_trial(&problem, &changed[i]) == sum);
    gofh_trial f_changed = trial;
    f_changed.f = 7.0;
    assert_true(checksum_trial(&problem, &f_changed) == sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_values_of_fnv_1a_are_met),
        cmocka_unit_test(numbers_that_a_file_does_not_tell_apart_are_one),
        cmocka_unit_test(a_change_of_anything_in_a_trial_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
