/* Real processes: how they end, and what is left of them. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define GOOD "echo '{\"c\": [1, 2, 3], \"t\": 4}' > {results}"

static double y[4];
static char reason[RUN_REASON];

static run_failure run_all(const simulator *sim)
{
    run *r = begin(sim, 1);
    finish(r);
    run_failure failure = run_collect(r, y, reason);
    LOCAL_EXECUTOR.free_run(r);
    return failure;
}

static void check_reason(const char *command, double timeout, run_failure failure, const char *expected)
{
    simulator sim = describe(command);
    sim.timeout = timeout;
    assert_int_equal(run_all(&sim), failure);
    assert_string_equal(reason, expected);
}

static void a_simulator_gets_its_parameters_and_its_results_are_read(void **state)
{
    (void)state;
    put_in(problem, "channel",
           "#!/bin/sh\ncat $1 > seen; echo '{\"t\": -1.5e-3, \"c\": [1, 2, 3], \"note\": \"x\"}' > $2\n",
           0755);
    simulator sim = describe("./channel {params} {results}");
    run *r = begin(&sim, 17);
    finish(r);
    assert_int_equal(r->state, RUN_EXITED);
    assert_int_equal(run_collect(r, y, reason), FAILED_NOT);
    check_near(y[2], 3.0, 0.0);
    check_near(y[3], -1.5e-3, 0.0);
    assert_non_null(strstr(r->folder, "/runs/0017"));
    assert_string_equal(get(r->folder, "seen"), "{\n  \"M\": 10,\n  \"D\": 0.1\n}\n");
    assert_string_equal(get(r->folder, "exit_status"), "0\n");
    LOCAL_EXECUTOR.free_run(r);
}

static void the_second_run_of_a_trial_gets_a_folder_of_its_own(void **state)
{
    (void)state;
    simulator sim = describe(GOOD);
    for (int i = 1; i <= 3; i++) {
        run *r = begin(&sim, 5);
        finish(r);
        const char *name = strrchr(r->folder, '/');
        assert_string_equal(name, i == 1 ? "/0005" : i == 2 ? "/0005-2" : "/0005-3");
        LOCAL_EXECUTOR.free_run(r);
    }
}

static void an_exit_status_is_reported_with_the_last_line_of_stderr(void **state)
{
    (void)state;
    check_reason("echo begin >&2; printf 'no \\033[31mconvergence\\n\\n' >&2; exit 3", 0, FAILED_SIMULATOR,
                 "exit status 3: no  [31mconvergence");
    check_reason("printf 'a\\302\\2332Jb\\n' >&2; exit 3", 0, FAILED_SIMULATOR, "exit status 3: a  2Jb");
    check_reason("exit 7", 0, FAILED_SIMULATOR, "exit status 7");
}

static void a_signal_is_reported(void **state)
{
    (void)state;
    check_reason("kill -KILL $$", 0, FAILED_SIMULATOR,
                 "ended by signal 9 (Killed), perhaps because its memory ran out");
    check_reason("echo bad index >&2; sh -c 'kill -SEGV $$'; exit $?", 0, FAILED_SIMULATOR,
                 "ended by signal 11 (Segmentation fault): bad index");
    check_reason("sh -c 'echo bad index >&2; kill -SEGV $$'; true", 0, FAILED_RESULTS,
                 "results.json was not written: bad index (Segmentation fault)");
}

static void what_is_wrong_with_results_is_reported(void **state)
{
    (void)state;
    check_reason("true", 0, FAILED_RESULTS, "results.json was not written");
    check_reason("echo '{\"c\": [1, 2' > {results}", 0, FAILED_RESULTS,
                 "results.json:2: ']' expected near end of file (the file is cut or empty)");
    check_reason("mkfifo {results}", 0, FAILED_RESULTS, "results.json is not a regular file");
    check_reason("ln -s /etc/passwd {results}", 0, FAILED_RESULTS,
                 "results.json is a link that leads out of the run's folder");
    check_reason("ln -s /dev/zero {results}", 0, FAILED_RESULTS,
                 "results.json is a link that leads out of the run's folder");
    check_reason("truncate -s 65M {results}", 0, FAILED_RESULTS,
                 "results.json has 65 MiB, the most is 64 MiB");
    check_reason("mkdir {results}", 0, FAILED_RESULTS, "results.json is not a regular file");
}

static void a_link_inside_the_folder_is_followed(void **state)
{
    (void)state;
    simulator sim = describe("mkdir out; echo '{\"c\": [1, 2, 3], \"t\": 4}' > out/a; ln -s out/a {results}");
    assert_int_equal(run_all(&sim), FAILED_NOT);
}

static void numbers_on_standard_output_are_results(void **state)
{
    (void)state;
    simulator sim = describe("echo 1 2; echo 3 {D}");
    sim.results = RESULTS_STDOUT;
    sim.results_file = NULL;
    assert_int_equal(run_all(&sim), FAILED_NOT);
    check_near(y[3], 0.1, 0.0);
}

static void a_time_limit_ends_the_command_and_its_children(void **state)
{
    (void)state;
    simulator sim = describe("sleep 3600 & echo $! > child; setsid sleep 1 & sleep 3600");
    sim.timeout = 0.3;
    run *r = begin(&sim, 1);
    wait_for(r->folder, "child");
    pid_t child = (pid_t)atoi(get(r->folder, "child"));
    assert_true(lives(child));
    finish(r);
    assert_int_equal(r->state, RUN_TIMED_OUT);
    assert_false(lives(child));
    assert_int_equal(run_collect(r, y, reason), FAILED_SIMULATOR);
    assert_non_null(strstr(reason, "ended after its time limit of 0.3 s"));
    LOCAL_EXECUTOR.free_run(r);
}

static void what_ignores_term_is_killed_in_its_own_group_too(void **state)
{
    (void)state;
    put("stubborn.sh",
        "trap '' TERM\nset -m\n(echo $$ > inner; while :; do sleep 0.1; done) &\necho $! > child\n"
        "while :; do sleep 0.1; done\n");
    simulator sim = describe("sh stubborn.sh");
    run *r = begin(&sim, 1);
    wait_for(r->folder, "child");
    pid_t child = (pid_t)atoi(get(r->folder, "child"));
    LOCAL_EXECUTOR.cancel(r);
    assert_int_equal(LOCAL_EXECUTOR.poll(r), RUN_RUNNING);
    finish(r);
    assert_int_equal(r->state, RUN_CANCELLED);
    assert_false(lives(child));
    assert_int_equal(run_collect(r, y, reason), FAILED_CANCELLED);
    assert_string_equal(reason, "was cancelled");
    LOCAL_EXECUTOR.free_run(r);
}

static void a_simulator_may_tidy_up_when_it_is_ended(void **state)
{
    (void)state;
    simulator sim = describe(
        "trap 'echo tidy > tidy; exit 9' TERM; echo x > ready; while :; do sleep 0.05; done");
    run *r = begin(&sim, 1);
    wait_for(r->folder, "ready");
    LOCAL_EXECUTOR.cancel(r);
    wait_for(r->folder, "tidy"); /* unpolled, it is not killed after the grace */
    finish(r);
    assert_int_equal(r->state, RUN_CANCELLED);
    assert_string_equal(get(r->folder, "tidy"), "tidy\n");
    LOCAL_EXECUTOR.free_run(r);
}

static void what_is_left_in_the_background_is_ended(void **state)
{
    (void)state;
    simulator sim = describe("sleep 3600 & echo $! > child; " GOOD);
    for (int trial = 1; trial <= 8; trial++) {
        run *r = begin(&sim, trial);
        /* Looked at all the time, so that the end comes in the middle of a look. */
        while (LOCAL_EXECUTOR.poll(r) == RUN_RUNNING) continue;
        assert_int_equal(run_collect(r, y, reason), FAILED_NOT);
        assert_false(lives((pid_t)atoi(get(r->folder, "child"))));
        LOCAL_EXECUTOR.free_run(r);
    }
}

static void nothing_that_is_open_is_inherited(void **state)
{
    (void)state;
    int extra = dup(2);
    simulator sim = describe("ls /proc/self/fd > list; readlink /proc/self/fd/0 > input");
    run *r = begin(&sim, 1);
    finish(r);
    /* 3 is the folder that ls reads. */
    assert_string_equal(get(r->folder, "list"), "0\n1\n2\n3\n");
    assert_string_equal(get(r->folder, "input"), "/dev/null\n");
    close(extra);
    LOCAL_EXECUTOR.free_run(r);
}

static void several_runs_go_on_at_once_and_waiting_wakes_at_the_first_end(void **state)
{
    (void)state;
    simulator quick = describe(GOOD), slow = describe("sleep 3600");
    run *runs[] = {begin(&slow, 1), begin(&slow, 2), begin(&quick, 3)};
    while (LOCAL_EXECUTOR.poll(runs[2]) == RUN_RUNNING)
        assert_int_equal(LOCAL_EXECUTOR.wait(&LOCAL_EXECUTOR, runs, 3, 60000, -1), 1);
    assert_int_equal(LOCAL_EXECUTOR.poll(runs[0]), RUN_RUNNING);
    for (int i = 0; i < 2; i++) LOCAL_EXECUTOR.cancel(runs[i]);
    for (int i = 0; i < 2; i++) finish(runs[i]);
    for (int i = 0; i < 3; i++) LOCAL_EXECUTOR.free_run(runs[i]);
}

/* Again and again: the first may come before anybody waits. */
static void on_alarm(int signal)
{
    (void)signal;
    alarm(1);
}

static void waiting_ends_with_its_time_a_signal_or_a_byte_to_read(void **state)
{
    (void)state;
    simulator sim = describe("sleep 3600");
    run *r = begin(&sim, 1);
    assert_int_equal(LOCAL_EXECUTOR.wait(&LOCAL_EXECUTOR, &r, 1, 20, -1), 0);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(LOCAL_EXECUTOR.wait(&LOCAL_EXECUTOR, &r, 1, -1, ends[0]), 1);
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    assert_int_equal(LOCAL_EXECUTOR.wait(&LOCAL_EXECUTOR, &r, 1, -1, -1), -1);
    alarm(0);
    LOCAL_EXECUTOR.cancel(r);
    finish(r);
    LOCAL_EXECUTOR.free_run(r);
    close(ends[0]);
    close(ends[1]);
}

static int refuse(void *context, const char *identity)
{
    (void)identity;
    return *(int *)context;
}

static void a_run_that_is_not_recorded_never_begins(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    simulator sim = describe("echo x > began");
    int no = 1;
    run *r;
    run_request request = {
        .simulator = &sim, .directory = problem, .trial = 1, .x = POINT, .remember = refuse, .context = &no};
    assert_int_equal(LOCAL_EXECUTOR.start(&LOCAL_EXECUTOR, &request, &r, &error), GOFH_ERROR_SYSTEM);
    assert_string_equal(error.message, "the run could not be recorded, so it was not started");
    assert_null(r);
    char path[256];
    snprintf(path, sizeof path, "%s/runs/0001/began", problem);
    assert_int_equal(access(path, F_OK), -1);
}

/* Started, and waiting to begin. */
static run *start_paused(const simulator *sim, long long trial)
{
    gofh_error error = {.status = GOFH_OK};
    run *r;
    run_request request = {.simulator = sim, .directory = problem, .trial = trial, .x = POINT, .paused = 1};
    if (LOCAL_EXECUTOR.start(&LOCAL_EXECUTOR, &request, &r, &error) != GOFH_OK) fail_msg("%s", error.message);
    return r;
}

static void paused_runs_begin_when_they_are_told_to(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    gofh_error error = {.status = GOFH_OK};
    simulator sim = describe("echo x > ../../began.$(basename \"$PWD\" | tr -d 0)");
    run *runs[COUNT];
    char path[256];
    for (int i = 0; i < COUNT; i++) runs[i] = start_paused(&sim, i + 1);
    /* Nothing keeps a process from beginning but the pause: the others run to their ends meanwhile. */
    for (int i = COUNT - 1; i >= 0; i--) {
        for (int k = 0; k < COUNT; k++) {
            snprintf(path, sizeof path, "%s/began.%d", problem, k + 1);
            assert_int_equal(access(path, F_OK), k > i ? 0 : -1);
        }
        assert_int_equal(LOCAL_EXECUTOR.begin(runs[i], &error), GOFH_OK);
        finish(runs[i]);
        assert_int_equal(runs[i]->state, RUN_EXITED);
        assert_int_equal(runs[i]->code, 0);
    }
    for (int i = 0; i < COUNT; i++) LOCAL_EXECUTOR.free_run(runs[i]);
}

static void a_paused_run_that_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    simulator sim = describe("echo x > ../../began");
    run *r = start_paused(&sim, 1);
    char folder[256], path[256];
    snprintf(folder, sizeof folder, "%s", r->folder);
    snprintf(path, sizeof path, "%s/began", problem);
    assert_int_equal(access(folder, F_OK), 0);
    LOCAL_EXECUTOR.free_run(r);
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left to reap */
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* However busy the machine is, a run has not taken longer than it is since we let it begin. */
static void the_time_that_a_run_was_paused_does_not_count_against_its_limit(void **state)
{
    (void)state;
    gofh_error error = {.status = GOFH_OK};
    simulator sim = describe("until [ -e ../../go ]; do sleep 0.01; done");
    sim.timeout = 1.0;
    run *r = start_paused(&sim, 1);
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL); /* beyond the limit */
    double begun = now();
    assert_int_equal(LOCAL_EXECUTOR.begin(r, &error), GOFH_OK);
    LOCAL_EXECUTOR.poll(r);
    assert_true(r->seconds >= 0.0 && r->seconds < now() - begun + 1e-6); /* rounding */
    put("go", "");
    finish(r);
    if (now() - begun < sim.timeout) assert_int_equal(r->state, RUN_EXITED);
    LOCAL_EXECUTOR.free_run(r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_problem, remove_problem)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_simulator_gets_its_parameters_and_its_results_are_read),
        TEST(the_second_run_of_a_trial_gets_a_folder_of_its_own),
        TEST(an_exit_status_is_reported_with_the_last_line_of_stderr),
        TEST(a_signal_is_reported),
        TEST(what_is_wrong_with_results_is_reported),
        TEST(a_link_inside_the_folder_is_followed),
        TEST(numbers_on_standard_output_are_results),
        TEST(a_time_limit_ends_the_command_and_its_children),
        TEST(what_ignores_term_is_killed_in_its_own_group_too),
        TEST(a_simulator_may_tidy_up_when_it_is_ended),
        TEST(what_is_left_in_the_background_is_ended),
        TEST(nothing_that_is_open_is_inherited),
        TEST(several_runs_go_on_at_once_and_waiting_wakes_at_the_first_end),
        TEST(waiting_ends_with_its_time_a_signal_or_a_byte_to_read),
        TEST(a_run_that_is_not_recorded_never_begins),
        TEST(paused_runs_begin_when_they_are_told_to),
        TEST(a_paused_run_that_is_given_up_leaves_nothing),
        TEST(the_time_that_a_run_was_paused_does_not_count_against_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
