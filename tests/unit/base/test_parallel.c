/* Tasks on several threads: that each runs once, wherever the threads come from and whatever else
 * goes on. */
#include "base/parallel.h"
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How many more threads can be started, and whether there is memory. */
static atomic_int threads_left = 1000000;
static atomic_bool no_memory;

int __real_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    if (atomic_fetch_sub(&threads_left, 1) <= 0) return EAGAIN;
    return __real_pthread_create(handle, attributes, run, argument);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return atomic_load(&no_memory) ? NULL : __real_calloc(count, size);
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
    tally t = {.threads = 64}; /* the most there may be */
    parallel_for(1000, TASKS, count_task, &t);
    for (int k = 0; k < TASKS; k++) assert_int_equal(t.times[k], 1);
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

static void check_each_ran(const tally *t, int tasks, int times)
{
    for (int k = 0; k < TASKS; k++) assert_int_equal(t->times[k], k < tasks ? times : 0);
    assert_int_equal(t->outside, 0);
}

static void many_small_calls_run_every_task_once(void **state)
{
    (void)state;
    enum { CALLS = 20000 };
    tally t = {.threads = 3};
    parallel_enter();
    for (int i = 0; i < CALLS; i++) parallel_for(3, 4, count_task, &t);
    parallel_leave();
    check_each_ran(&t, 4, CALLS);
}

/* Long enough for workers to fall asleep, and for the caller to. */
static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void count_slowly(int index, int worker, void *context)
{
    if (worker > 0) rest();
    count_task(index, worker, context);
}

static void sleepers_are_woken(void **state)
{
    (void)state;
    enum { CALLS = 50 };
    tally t = {.threads = 3};
    parallel_enter();
    for (int i = 0; i < CALLS; i++) {
        rest();
        parallel_for(3, 5, count_slowly, &t);
    }
    parallel_leave();
    check_each_ran(&t, 5, CALLS);
}

static void calls_may_want_more_threads_than_before_and_fewer(void **state)
{
    (void)state;
    const int threads[] = {2, 8, 3, 1, 64, 2};
    parallel_enter();
    for (int i = 0; i < 6; i++) {
        tally t = {.threads = threads[i]};
        parallel_for(threads[i], TASKS, count_task, &t);
        check_each_ran(&t, TASKS, 1);
    }
    parallel_leave();
}

/* Threads of this process, or -1 where the system does not list them. */
static int count_threads(void)
{
    DIR *list = opendir("/proc/self/task");
    int count = -2; /* . and .. */
    if (!list) return -1;
    while (readdir(list)) count++;
    closedir(list);
    return count;
}

static void threads_are_kept_to_the_last_leave_and_then_end(void **state)
{
    (void)state;
    int before = count_threads();
    if (before < 0) skip();
    tally t = {.threads = 4};
    parallel_enter();
    parallel_enter();
    assert_int_equal(count_threads(), before);
    parallel_for(4, 2, count_task, &t); /* of use are only two */
    assert_int_equal(count_threads(), before + 1);
    for (int i = 0; i < 10; i++) parallel_for(4, 20, count_task, &t);
    assert_int_equal(count_threads(), before + 3);
    parallel_leave();
    assert_int_equal(count_threads(), before + 3);
    parallel_leave();
    /* A thread that has been joined may be listed for a moment yet. */
    for (int i = 0; i < 100000 && count_threads() != before; i++) rest();
    assert_int_equal(count_threads(), before);
}

static void *call_often(void *context)
{
    parallel_enter();
    for (int i = 0; i < 500; i++) parallel_for(3, 7, count_task, context);
    parallel_leave();
    for (int i = 0; i < 20; i++) parallel_for(3, 7, count_task, context);
    return NULL;
}

static void several_threads_call_at_once_and_do_not_meet(void **state)
{
    (void)state;
    static tally t[4];
    pthread_t handle[4];
    for (int i = 0; i < 4; i++) {
        t[i].threads = 3;
        assert_int_equal(pthread_create(&handle[i], NULL, call_often, &t[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(handle[i], NULL);
    for (int i = 0; i < 4; i++) check_each_ran(&t[i], 7, 520);
}

/* In a child: whether the tasks run there though its parent's workers do not. */
static int runs_in_child(tally *t)
{
    alarm(3600);
    parallel_for(3, TASKS, count_task, t);
    parallel_leave();
    parallel_for(3, TASKS, count_task, t);
    for (int k = 0; k < TASKS; k++)
        if (t->times[k] != 3) return 0;
    return 1;
}

static void check_child(pid_t child)
{
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void after_a_fork_child_and_parent_go_on(void **state)
{
    (void)state;
    tally t = {.threads = 3};
    parallel_enter();
    parallel_for(3, TASKS, count_task, &t);
    pid_t child = fork();
    if (child == 0) _exit(!runs_in_child(&t));
    parallel_for(3, TASKS, count_task, &t);
    check_child(child);
    parallel_leave();
    check_each_ran(&t, TASKS, 2);
}

static void a_fork_while_another_thread_is_at_work_does_no_harm(void **state)
{
    (void)state;
    static tally other;
    other.threads = 3;
    pthread_t handle;
    assert_int_equal(pthread_create(&handle, NULL, call_often, &other), 0);
    for (int i = 0; i < 10; i++) {
        tally t = {.threads = 3};
        pid_t child = fork();
        if (child == 0) {
            alarm(3600);
            parallel_for(3, 5, count_task, &t);
            _exit(t.times[0] != 1 || t.times[4] != 1);
        }
        check_child(child);
    }
    pthread_join(handle, NULL);
    check_each_ran(&other, 7, 520);
}

static void threads_that_can_not_be_started_are_done_without(void **state)
{
    (void)state;
    for (int left = 0; left < 3; left++) {
        tally t = {.threads = left + 1};
        atomic_store(&threads_left, left);
        parallel_enter();
        for (int i = 0; i < 3; i++) parallel_for(8, TASKS, count_task, &t);
        parallel_leave();
        atomic_store(&threads_left, 1000000);
        check_each_ran(&t, TASKS, 3);
    }
}

static void without_memory_the_caller_runs_all(void **state)
{
    (void)state;
    tally t = {.threads = 1};
    atomic_store(&no_memory, 1);
    parallel_for(8, TASKS, count_task, &t);
    atomic_store(&no_memory, 0);
    check_each_ran(&t, TASKS, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once_whatever_the_threads),
        cmocka_unit_test(fewer_tasks_than_threads_and_none_at_all_are_fine),
        cmocka_unit_test(more_threads_than_there_may_be_still_run_every_task),
        cmocka_unit_test(a_worker_runs_one_task_at_a_time),
        cmocka_unit_test(a_task_may_start_tasks_of_its_own),
        cmocka_unit_test(many_small_calls_run_every_task_once),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(calls_may_want_more_threads_than_before_and_fewer),
        cmocka_unit_test(threads_are_kept_to_the_last_leave_and_then_end),
        cmocka_unit_test(several_threads_call_at_once_and_do_not_meet),
        cmocka_unit_test(after_a_fork_child_and_parent_go_on),
        cmocka_unit_test(a_fork_while_another_thread_is_at_work_does_no_harm),
        cmocka_unit_test(threads_that_can_not_be_started_are_done_without),
        cmocka_unit_test(without_memory_the_caller_runs_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
