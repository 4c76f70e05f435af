/* Errors, memory and threads. */
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "check.h"

#include <stdatomic.h>
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

enum { TASKS = 997 };

typedef struct {
    int threads;
    atomic_int times[TASKS];
    atomic_int outside; /* tasks that saw a worker's number out of range */
} tally;

static void count_task(int index, int worker, void *context)
{
    tally *t = context;
    atomic_fetch_add(&t->times[index], 1);
    if (worker < 0 || worker >= t->threads) atomic_fetch_add(&t->outside, 1);
}

static void every_task_runs_once_whatever_the_threads(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 8};
    for (int i = 0; i < 3; i++) {
        tally t = {.threads = threads[i]};
        parallel_for(threads[i], TASKS, count_task, &t);
        for (int k = 0; k < TASKS; k++) assert_int_equal(t.times[k], 1);
        assert_int_equal(t.outside, 0);
    }
}

static void fewer_tasks_than_threads_and_none_at_all_are_fine(void **state)
{
    (void)state;
    tally t = {.threads = 8};
    parallel_for(8, 3, count_task, &t);
    parallel_for(8, 0, count_task, &t);
    for (int k = 0; k < TASKS; k++) assert_int_equal(t.times[k], k < 3);
    assert_int_equal(t.outside, 0);
}

static void more_threads_than_there_may_be_still_run_every_task(void **state)
{
    (void)state;
    tally t = {.threads = 8};
    parallel_for(1000, 8, count_task, &t); /* never more workers than tasks */
    for (int k = 0; k < 8; k++) assert_int_equal(t.times[k], 1);
    assert_int_equal(t.outside, 0);
}

/* Two tasks run by one worker at the same time would share its workspace. */
typedef struct {
    atomic_int busy[4], clashes;
} seats;

static void take_seat(int index, int worker, void *context)
{
    (void)index;
    seats *s = context;
    if (atomic_exchange(&s->busy[worker], 1)) atomic_fetch_add(&s->clashes, 1);
    for (volatile int spin = 0; spin < 2000; spin++) {
    }
    atomic_store(&s->busy[worker], 0);
}

static void a_worker_runs_one_task_at_a_time(void **state)
{
    (void)state;
    seats s = {.clashes = 0};
    parallel_for(4, 400, take_seat, &s);
    assert_int_equal(s.clashes, 0);
}

static void outer_task(int index, int worker, void *context)
{
    (void)worker;
    tally *t = context;
    parallel_for(2, 10, count_task, &t[index]);
}

static void a_task_may_start_tasks_of_its_own(void **state)
{
    (void)state;
    static tally t[20];
    for (int i = 0; i < 20; i++) t[i].threads = 2;
    parallel_for(3, 20, outer_task, t);
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < TASKS; k++) assert_int_equal(t[i].times[k], k < 10);
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
        cmocka_unit_test(every_task_runs_once_whatever_the_threads),
        cmocka_unit_test(fewer_tasks_than_threads_and_none_at_all_are_fine),
        cmocka_unit_test(more_threads_than_there_may_be_still_run_every_task),
        cmocka_unit_test(a_worker_runs_one_task_at_a_time),
        cmocka_unit_test(a_task_may_start_tasks_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
