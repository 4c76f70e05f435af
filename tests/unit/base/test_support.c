/* Errors, memory and texts of others. */
#include "base/error.h"
#include "base/memory.h"
#include "base/printable.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_first_error_wins(void **state)
{
    (void)state;
    gofh_error error = {0};
    assert_int_equal(error_set(&error, GOFH_ERROR_ARGUMENT, "x[%d] is %g", 3, 0.5), GOFH_ERROR_ARGUMENT);
    assert_int_equal(error_set(&error, GOFH_ERROR_TRIAL, "later"), GOFH_ERROR_TRIAL);
    assert_int_equal(error_memory(&error), GOFH_ERROR_MEMORY);
    assert_int_equal(error.status, GOFH_ERROR_ARGUMENT);
    assert_string_equal(error.message, "x[3] is 0.5");
}

static void an_error_nobody_wants_is_still_returned(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, GOFH_ERROR_OUTER, "no one listens"), GOFH_ERROR_OUTER);
    assert_int_equal(error_memory(NULL), GOFH_ERROR_MEMORY);
}

static void a_message_too_long_is_cut_and_ended(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    gofh_error error = {0};
    error_set(&error, GOFH_ERROR_PROBLEM, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

static void every_status_has_its_text(void **state)
{
    (void)state;
    assert_string_equal(gofh_status_text(GOFH_OK), "done");
    assert_string_equal(gofh_status_text(GOFH_ERROR_MEMORY), "out of memory");
    assert_string_equal(gofh_status_text((gofh_status)-99), "unknown status");
}

static void grown_memory_keeps_what_it_held_and_zeroes_the_rest(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    for (size_t count = 1; count <= 1000; count++) {
        size_t before = capacity;
        assert_int_equal(memory_grow((void **)&items, &capacity, count, sizeof *items), 0);
        assert_true(capacity >= count);
        for (size_t i = before; i < capacity; i++) assert_int_equal(items[i], 0);
        items[count - 1] = (int)count;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(items[i], i + 1);
    free(items);
}

static void a_size_that_overflows_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    double *items = NULL;
    size_t capacity = 0;
    assert_int_equal(memory_grow((void **)&items, &capacity, 3, sizeof *items), 0);
    double *before = items;
    size_t had = capacity;
    items[2] = 5.0;
    const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2 + 2, SIZE_MAX / sizeof *items + 1, SIZE_MAX / 9};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        assert_int_equal(memory_grow((void **)&items, &capacity, huge[i], sizeof *items), -1);
        assert_ptr_equal(items, before);
        assert_int_equal(capacity, had);
    }
    assert_true(items[2] == 5.0);
    free(items);
    size_t many = SIZE_MAX / 4; /* not a constant at the call, or the compiler refuses it first */
    assert_null(memory_doubles(many));
    assert_null(memory_new(many, 8));
}

static void new_memory_is_zeroed_and_never_null_for_nothing(void **state)
{
    (void)state;
    double *values = memory_doubles(100);
    for (int i = 0; i < 100; i++) assert_true(values[i] == 0.0);
    free(values);
    void *nothing = memory_new(0, 8), *empty = memory_new(8, 0);
    assert_non_null(nothing);
    assert_non_null(empty);
    free(nothing);
    free(empty);
}

static void a_copied_text_is_equal_and_its_own(void **state)
{
    (void)state;
    char text[] = "length";
    char *copy = memory_copy_text(text);
    text[0] = 'L';
    assert_string_equal(copy, "length");
    free(copy);
}

static void texts_of_others_become_utf_8_without_control_characters(void **state)
{
    (void)state;
    static const char *const TEXTS[][2] = {
        {"ung\xfcltig", "ung?ltig"},                                      /* Latin-1 */
        {"ung\xc3\xbcltig \xe2\x82\xac", "ung\xc3\xbcltig \xe2\x82\xac"}, /* UTF-8 stays */
        {"cut \xe2\x82", "cut ??"},
        {"\xed\xa0\x80\xc0\xaf", "?????"}, /* a surrogate, a slash that is too long */
        {"\033[2J\xc2\x9b"
         "1m\x9b",
         " [2J  1m?"},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", TEXTS[i][0]);
        printable_make(text);
        assert_string_equal(text, TEXTS[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(an_error_nobody_wants_is_still_returned),
        cmocka_unit_test(a_message_too_long_is_cut_and_ended),
        cmocka_unit_test(every_status_has_its_text),
        cmocka_unit_test(grown_memory_keeps_what_it_held_and_zeroes_the_rest),
        cmocka_unit_test(a_size_that_overflows_is_refused_and_changes_nothing),
        cmocka_unit_test(new_memory_is_zeroed_and_never_null_for_nothing),
        cmocka_unit_test(a_copied_text_is_equal_and_its_own),
        cmocka_unit_test(texts_of_others_become_utf_8_without_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
