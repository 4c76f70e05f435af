/* How the end of a step of Slurm is judged, with an srun that ends as it is told to. */
#include "fixture.h"

#include "run/queue.h"

#define GOOD "echo '{\"c\": [1, 2, 3], \"t\": 4}' > {results}"

static double y[4];
static char reason[RUN_REASON];

/* Runs a command as a step, unless that is NULL and it never begins, and then the lines `after` in the
 * place of srun's end. */
static run *run_step(const char *command, const char *after)
{
    static char script[500], path[4096];
    static simulator sim;
    sim = describe(command ? command : GOOD);
    sim.executor = EXECUTOR_SRUN;
    snprintf(script, sizeof script, "#!/bin/sh\nwhile [ $# -gt 3 ]; do shift; done\n%s\n%s\n",
             command ? "\"$@\"" : "", after);
    put_in(problem, "srun", script, 0755);
    snprintf(path, sizeof path, "%s:%s", problem, getenv("PATH"));
    setenv("PATH", path, 1);
    run *r = begin(&sim, 1);
    finish(r);
    return r;
}

static void check_end(const char *command, const char *after, run_failure expected)
{
    run *r = run_step(command, after);
    run_failure failure = run_collect(r, y, reason);
    if (failure != expected)
        fail_msg("%s, %s: %d: %s", command ? command : "none", after, (int)failure, reason);
    LOCAL_EXECUTOR.free_run(r);
}

static void a_step_that_succeeded_counts_whatever_became_of_srun(void **state)
{
    (void)state;
    check_end(GOOD, "exit 0", FAILED_NOT);
    check_end(GOOD, "exit 143", FAILED_NOT);
    check_end(GOOD, "kill -KILL $$", FAILED_NOT);
    check_near(y[3], 4.0, 0.0);
}

static void a_step_that_failed_by_itself_is_a_failure(void **state)
{
    (void)state;
    check_end("exit 3", "exit 3", FAILED_SIMULATOR);
    check_end("sh -c 'kill -SEGV $$'", "exit 139", FAILED_SIMULATOR);
}

static void a_step_that_the_allocation_ended_is_lost(void **state)
{
    (void)state;
    static const char cancelled[] =
        "echo 'slurmstepd: error: *** STEP 7.3 ON vm CANCELLED AT 2026-11-17T16:34:20 ***' >&2; exit 1";
    check_end("sh -c 'kill -TERM $$'", "exit 143", FAILED_LOST);
    check_end("exit 1", cancelled, FAILED_LOST);
    check_end("sh -c 'kill -KILL $PPID'", "exit 137", FAILED_LOST);
}

static void a_step_that_never_began_is_not_lost_but_waits(void **state)
{
    (void)state;
    check_end(NULL, "echo 'srun: error: Slurm job 7 has expired' >&2; exit 1", FAILED_NOT_BEGUN);
    assert_string_equal(reason, "its step did not begin: srun: error: Slurm job 7 has expired");
    check_end(NULL, "exit 1", FAILED_NOT_BEGUN);
    assert_non_null(strstr(reason, "the allocation may be over"));
}

/* The kernel may end one process of it, and the shell lives to leave a status; or all of it is killed. */
static void a_step_out_of_memory_is_a_failure_that_says_so(void **state)
{
    (void)state;
    static const char killed[] = "echo 'slurmstepd: error: Detected 1 oom_kill event in StepId=7.3.' >&2\n"
                                 "echo 'srun: error: vm: task 0: Out Of Memory' >&2; exit 137";
    static const char *const commands[] = {"sh -c 'kill -KILL $$'", "sh -c 'kill -KILL $PPID'"};
    for (int i = 0; i < 2; i++) {
        check_end(commands[i], killed, FAILED_SIMULATOR);
        assert_non_null(strstr(reason, "OUT_OF_MEMORY"));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_problem, remove_problem)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_step_that_succeeded_counts_whatever_became_of_srun),
        TEST(a_step_that_failed_by_itself_is_a_failure),
        TEST(a_step_that_the_allocation_ended_is_lost),
        TEST(a_step_that_never_began_is_not_lost_but_waits),
        TEST(a_step_out_of_memory_is_a_failure_that_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
