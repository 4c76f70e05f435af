/* Settings of callers that were compiled against another version of the header. */
#include "unit/api/valley.h"

#include <stddef.h>

enum { CANARY = 0xA5 };

typedef union {
    gofh_settings settings;
    unsigned char bytes[sizeof(gofh_settings) + 64];
} guarded;

static guarded untouched(void)
{
    guarded g;
    memset(&g, CANARY, sizeof g);
    return g;
}

static void check_untouched_beyond(const guarded *g, size_t size)
{
    for (size_t i = size; i < sizeof g->bytes; i++) assert_int_equal(g->bytes[i], CANARY);
}

static void nothing_beyond_the_size_of_the_caller_is_written(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof(gofh_settings); size++) {
        guarded g = untouched();
        gofh_settings_defaults_sized(&g.settings, size);
        check_untouched_beyond(&g, size < sizeof(size_t) ? 0 : size);
        if (size >= sizeof(size_t)) assert_int_equal(g.settings.size, size);
    }
}

static void a_caller_that_knows_the_first_fields_only_gets_a_study(void **state)
{
    (void)state;
    guarded g = untouched();
    size_t known = offsetof(gofh_settings, method);
    gofh_settings_defaults_sized(&g.settings, known);
    g.settings.budget = 3;
    gofh_study *study = valley_study(&g.settings);
    assert_int_equal(gofh_optimize(study, valley_h, NULL), GOFH_STOP_BUDGET);
    assert_int_equal(gofh_study_count(study), 3);
    check_untouched_beyond(&g, known);
    gofh_study_free(study);
}

static void a_caller_of_a_newer_version_finds_zeros_in_what_this_one_does_not_know(void **state)
{
    (void)state;
    guarded g = untouched();
    gofh_settings_defaults_sized(&g.settings, sizeof g.bytes);
    for (size_t i = sizeof(gofh_settings); i < sizeof g.bytes; i++) assert_int_equal(g.bytes[i], 0);
    gofh_study_free(valley_study(&g.settings));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_beyond_the_size_of_the_caller_is_written),
        cmocka_unit_test(a_caller_that_knows_the_first_fields_only_gets_a_study),
        cmocka_unit_test(a_caller_of_a_newer_version_finds_zeros_in_what_this_one_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
