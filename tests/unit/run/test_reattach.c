/* Runs whose parent was killed. */
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static double y[4];
static char reason[RUN_REASON];
static char identity[1000];

static int send_identity(void *context, const char *text)
{
    return write(*(int *)context, text, strlen(text) + 1) < 0;
}

/* Starts a run from a process that is killed, with -9, once the run has been recorded; `before` it
 * has begun if asked. */
static int send_and_die(void *context, const char *text)
{
    send_identity(context, text);
    raise(SIGKILL);
    return 0;
}

static void start_and_lose(const simulator *sim, int before)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        run *r;
        run_request request = {.simulator = sim,
                               .directory = problem,
                               .trial = 1,
                               .x = POINT,
                               .remember = before ? send_and_die : send_identity,
                               .context = &ends[1]};
        LOCAL_EXECUTOR.start(&LOCAL_EXECUTOR, &request, &r, NULL);
        pause();
    }
    close(ends[1]);
    ssize_t count = read(ends[0], identity, sizeof identity);
    assert_true(count > 0);
    /* Give the simulator the chance to begin. */
    char path[256];
    snprintf(path, sizeof path, "%s/runs/0001/began", problem);
    while (!before && access(path, F_OK) != 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    close(ends[0]);
}

static run *reattach(const simulator *sim)
{
    run *r = NULL;
    gofh_error error = {.status = GOFH_OK};
    if (LOCAL_EXECUTOR.reattach(&LOCAL_EXECUTOR, sim, problem, identity, &r, &error) != GOFH_OK)
        fail_msg("%s", error.message);
    assert_string_equal(r->identity, identity);
    return r;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define GOOD "echo '{\"c\": [1, 2, 3], \"t\": 4}' > {results}"

static void a_run_that_goes_on_is_waited_for(void **state)
{
    (void)state;
    simulator sim = describe("touch began; while [ ! -e go ]; do sleep 0.02; done; " GOOD);
    const double before = seconds_now();
    start_and_lose(&sim, 0);
    run *r = reattach(&sim);
    assert_int_equal(LOCAL_EXECUTOR.poll(r), RUN_RUNNING);
    put_in(r->folder, "go", "", 0644);
    finish(r);
    assert_int_equal(r->state, RUN_EXITED);
    assert_int_equal(run_collect(r, y, reason), FAILED_NOT);
    check_near(y[3], 4.0, 0.0);
    /* What the kernel knows of a process's start is rounded to a hundredth. */
    assert_true(r->seconds >= 0.0 && r->seconds <= seconds_now() - before + 0.02);
    LOCAL_EXECUTOR.free_run(r);
}

static void wait_until_gone(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/runs/0001/%s", problem, name);
    while (access(path, F_OK) != 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void a_run_that_ended_meanwhile_has_its_exit_status(void **state)
{
    (void)state;
    simulator sim = describe("touch began; echo diverged >&2; exit 3");
    start_and_lose(&sim, 0);
    wait_until_gone("exit_status");
    run *r = reattach(&sim);
    finish(r);
    assert_int_equal(r->state, RUN_EXITED);
    assert_int_equal(run_collect(r, y, reason), FAILED_SIMULATOR);
    assert_string_equal(reason, "exit status 3: diverged");
    LOCAL_EXECUTOR.free_run(r);
}

/* A number that the run left in a file of its folder. */
static pid_t number_in(const run *r, const char *name)
{
    wait_for(r->folder, name);
    return (pid_t)atoi(get(r->folder, name));
}

static void what_a_run_left_that_ended_meanwhile_is_ended(void **state)
{
    (void)state;
    simulator sim = describe(
        "touch began; sleep 100 & echo $! > child; setsid sh -c 'echo $$ > daemon; exec sleep 100' & "
        "while [ ! -s daemon ]; do sleep 0.01; done; " GOOD);
    start_and_lose(&sim, 0);
    wait_until_gone("exit_status");
    run *r = reattach(&sim);
    pid_t child = number_in(r, "child"), daemon = number_in(r, "daemon");
    assert_true(lives(child) && lives(daemon));
    finish(r);
    assert_int_equal(run_collect(r, y, reason), FAILED_NOT);
    assert_false(lives(child));
    /* As if we had been there all the time: only what is in its session is ended. */
    assert_true(lives(daemon));
    kill(daemon, SIGKILL);
    LOCAL_EXECUTOR.free_run(r);
}

static void all_that_is_left_of_an_interrupted_run_is_ended(void **state)
{
    (void)state;
    simulator sim = describe(
        "set -m; sleep 100 & echo $! > child; setsid sh -c 'echo $$ > daemon; exec sleep 100' & "
        "touch began; sleep 100");
    start_and_lose(&sim, 0);
    /* A neighbour of the same folder, that the run did not start. */
    pid_t neighbour = fork();
    if (neighbour == 0) {
        char folder[256];
        snprintf(folder, sizeof folder, "%s/runs/0001", problem);
        setsid();
        execl("/bin/sh", "sh", "-c", "cd \"$1\"; echo $$ > neighbour; exec sleep 100", "sh", folder, NULL);
        _exit(1);
    }
    run *r = reattach(&sim);
    pid_t child = number_in(r, "child"), daemon = number_in(r, "daemon");
    assert_int_equal(number_in(r, "neighbour"), neighbour);
    /* Only the leader. */
    kill((pid_t)atoi(identity + strlen("local ")), SIGKILL);
    finish(r);
    assert_int_equal(run_collect(r, y, reason), FAILED_INTERRUPTED);
    assert_false(lives(child) || lives(daemon));
    assert_true(lives(neighbour));
    kill(neighbour, SIGKILL);
    waitpid(neighbour, NULL, 0);
    LOCAL_EXECUTOR.free_run(r);
}

static void a_run_that_is_forgotten_was_interrupted(void **state)
{
    (void)state;
    simulator sim = describe("touch began; exit 3");
    start_and_lose(&sim, 0);
    wait_until_gone("exit_status");
    run *r = reattach(&sim);
    finish(r);
    LOCAL_EXECUTOR.forget(r);
    LOCAL_EXECUTOR.free_run(r);
    r = reattach(&sim);
    finish(r);
    assert_int_equal(run_collect(r, y, reason), FAILED_INTERRUPTED);
    LOCAL_EXECUTOR.free_run(r);
}

static void a_run_that_vanished_was_interrupted(void **state)
{
    (void)state;
    simulator sim = describe("touch began; sleep 3600");
    start_and_lose(&sim, 0);
    kill(-(pid_t)atoi(identity + strlen("local ")), SIGKILL);
    run *r = reattach(&sim);
    finish(r);
    assert_int_equal(run_collect(r, y, reason), FAILED_INTERRUPTED);
    assert_string_equal(reason, "was interrupted");
    LOCAL_EXECUTOR.free_run(r);
}

static void a_run_whose_parent_died_before_it_began_never_begins(void **state)
{
    (void)state;
    simulator sim = describe("touch began");
    start_and_lose(&sim, 1);
    run *r = reattach(&sim);
    finish(r);
    assert_int_equal(r->state, RUN_INTERRUPTED);
    char path[256];
    snprintf(path, sizeof path, "%s/runs/0001/began", problem);
    assert_int_equal(access(path, F_OK), -1);
    LOCAL_EXECUTOR.free_run(r);
}

static void a_time_limit_holds_across_a_restart(void **state)
{
    (void)state;
    simulator sim = describe("touch began; sleep 3600");
    start_and_lose(&sim, 0);
    sim.timeout = 0.2;
    run *r = reattach(&sim);
    finish(r);
    assert_int_equal(r->state, RUN_TIMED_OUT);
    LOCAL_EXECUTOR.free_run(r);
}

static void a_process_that_only_has_the_same_number_is_not_the_run(void **state)
{
    (void)state;
    simulator sim = describe("true");
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%63s", boot), 1);
    fclose(file);
    /* Our own number: with another start, then with another boot. */
    for (int i = 0; i < 2; i++) {
        snprintf(identity, sizeof identity, "local %ld %d %s 1700000000.000 %s/runs/0001", (long)getpid(), 1,
                 i == 0 ? boot : "11111111-2222-3333-4444-555555555555", problem);
        run *r = reattach(&sim);
        LOCAL_EXECUTOR.cancel(r);
        finish(r);
        assert_true(r->state != RUN_RUNNING);
        LOCAL_EXECUTOR.free_run(r);
    }
}

static void what_is_no_identity_is_refused(void **state)
{
    (void)state;
    simulator sim = describe("true");
    static const char *const WRONG[] = {"", "local", "slurm 12", "local 0 1 b 1 /tmp", "local 12 1 b 1 tmp"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        gofh_error error = {.status = GOFH_OK};
        run *r;
        assert_int_equal(LOCAL_EXECUTOR.reattach(&LOCAL_EXECUTOR, &sim, problem, WRONG[i], &r, &error),
                         GOFH_ERROR_ARGUMENT);
        assert_null(r);
        assert_non_null(strstr(error.message, "does not identify a local run"));
    }
}

/* The process of this program, as /proc knows it. */
static unsigned long long own_start(char boot[64])
{
    char text[1000] = "";
    unsigned long long start = 0;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%63s", boot), 1);
    fclose(file);
    file = fopen("/proc/self/stat", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    const char *at = strrchr(text, ')');
    for (int field = 2; field < 22; field++) at = strchr(at + 1, ' ');
    assert_int_equal(sscanf(at, "%llu", &start), 1);
    return start;
}

static void a_process_in_another_folder_is_not_the_run(void **state)
{
    (void)state;
    simulator sim = describe("true");
    char boot[64];
    unsigned long long start = own_start(boot);
    run *other = begin(&sim, 1);
    finish(other);
    /* Would be the end of this test. */
    snprintf(identity, sizeof identity, "local %ld %llu %s 1700000000.000 %s", (long)getpid(), start, boot,
             other->folder);
    sim.timeout = 1e-3;
    run *r = reattach(&sim);
    LOCAL_EXECUTOR.cancel(r);
    assert_int_equal(LOCAL_EXECUTOR.poll(r), RUN_EXITED);
    LOCAL_EXECUTOR.free_run(r);
    LOCAL_EXECUTOR.free_run(other);
}

static void an_exit_status_from_before_a_reboot_is_not_trusted(void **state)
{
    (void)state;
    simulator sim = describe("exit 0");
    run *before = begin(&sim, 1);
    finish(before);
    assert_string_equal(get(before->folder, "exit_status"), "0\n");
    snprintf(identity, sizeof identity, "local %ld 1 %s 1700000000.000 %s", (long)getpid(),
             "11111111-2222-3333-4444-555555555555", before->folder);
    run *r = reattach(&sim);
    assert_int_equal(LOCAL_EXECUTOR.poll(r), RUN_INTERRUPTED);
    LOCAL_EXECUTOR.free_run(r);
    LOCAL_EXECUTOR.free_run(before);
}

static void a_folder_outside_is_refused(void **state)
{
    (void)state;
    simulator sim = describe("true");
    char path[256], expected[600];
    snprintf(path, sizeof path, "%s/runs", problem);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/runs/0002", problem);
    assert_int_equal(symlink("/tmp", path), 0);
    static const char *const OUTSIDE[] = {"/tmp",       "%s",         "%s/runs", "%s/runs/0002",
                                          "%s/runs/..", "/tmp/gone/", "%s/gone", "%s/runs/../gone",
                                          "%s/runs2",   "%s/runs/"};
    for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; i++) {
        gofh_error error = {.status = GOFH_OK};
        run *r;
        const char *rest = strncmp(OUTSIDE[i], "%s", 2) == 0 ? OUTSIDE[i] + 2 : NULL;
        snprintf(path, sizeof path, "%s%s", rest ? problem : "", rest ? rest : OUTSIDE[i]);
        snprintf(identity, sizeof identity, "local 99999 1 abc 0 %s", path);
        assert_int_equal(LOCAL_EXECUTOR.reattach(&LOCAL_EXECUTOR, &sim, problem, identity, &r, &error),
                         GOFH_ERROR_ARGUMENT);
        assert_null(r);
        snprintf(expected, sizeof expected, "its folder %s is not in %s/runs", path, problem);
        assert_string_equal(error.message, expected);
    }
    snprintf(identity, sizeof identity, "local 99999 1 abc 0 %s/runs/gone", problem);
    run *r = reattach(&sim);
    assert_int_equal(LOCAL_EXECUTOR.poll(r), RUN_INTERRUPTED);
    LOCAL_EXECUTOR.free_run(r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_problem, remove_problem)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_that_goes_on_is_waited_for),
        TEST(a_run_that_ended_meanwhile_has_its_exit_status),
        TEST(what_a_run_left_that_ended_meanwhile_is_ended),
        TEST(all_that_is_left_of_an_interrupted_run_is_ended),
        TEST(a_run_that_vanished_was_interrupted),
        TEST(a_run_that_is_forgotten_was_interrupted),
        TEST(a_run_whose_parent_died_before_it_began_never_begins),
        TEST(a_time_limit_holds_across_a_restart),
        TEST(a_process_that_only_has_the_same_number_is_not_the_run),
        TEST(a_process_in_another_folder_is_not_the_run),
        TEST(an_exit_status_from_before_a_reboot_is_not_trusted),
        TEST(a_folder_outside_is_refused),
        TEST(what_is_no_identity_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
