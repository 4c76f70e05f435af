/* Commands that can't begin their work: what is said about them, and what is not blamed on them. */
#include "fixture.h"

static double y[4];
static char reason[RUN_REASON];

static run_failure outcome(const char *command)
{
    simulator sim = describe(command);
    run *r = begin(&sim, 1);
    finish(r);
    run_failure failure = run_collect(r, y, reason);
    LOCAL_EXECUTOR.free_run(r);
    return failure;
}

/* The command is to blame, and the reason has both texts; a ~ in the second is the folder of the
 * problem file. */
static void blamed(const char *command, const char *says, const char *remedy)
{
    char expected[400];
    const char *tilde = strchr(remedy, '~');
    snprintf(expected, sizeof expected, "%.*s%s%s", tilde ? (int)(tilde - remedy) : 0, remedy,
             tilde ? problem : "", tilde ? tilde + 1 : remedy);
    if (outcome(command) != FAILED_COMMAND) fail_msg("%s: %s", command, reason);
    if (!strstr(reason, says) || !strstr(reason, expected))
        fail_msg("%s: no \"%s\" and \"%s\" in: %s", command, says, expected, reason);
}

static void a_file_that_is_nowhere_is_reported_with_where_it_was_looked_for(void **state)
{
    (void)state;
    blamed("python3 gone.py", "can't open file",
           "there is no gone.py in ~, beside the problem file, nor in the run's folder");
    blamed("env python3 gone.py", "can't open file", "there is no gone.py in ~");
    blamed("sh gone.sh", "exit status", "there is no gone.sh in ~");
    blamed("./gone {params}", "exit status 127", "there is no ./gone in ~");
    blamed("nice ./gone {params}", "exit status 127", "there is no ./gone in ~");
    blamed("/gofh-test/python model.py", "exit status 127", "there is no /gofh-test/python");
    blamed("gofh-test-gone {params}", "exit status 127",
           "there is no program gofh-test-gone in PATH, nor one in ~");
}

static void a_script_that_cannot_be_run_is_reported_with_the_remedy(void **state)
{
    (void)state;
    put("text.sh", "#!/bin/sh\nexit 0\n");
    blamed("./text.sh", "exit status 126", "is not executable: chmod +x ~/text.sh");
    blamed("text.sh", "exit status 127", "is not executable: chmod +x ~/text.sh");
    put_in(problem, "odd.sh", "#!/gofh-test/sh -e\nexit 0\n", 0755);
    blamed("./odd.sh", "exit status 127", "/odd.sh names /gofh-test/sh, which is not there");
}

static void windows_line_ends_are_reported(void **state)
{
    (void)state;
    put_in(problem, "dos.sh", "#!/bin/sh\r\necho 1\r\n", 0755);
    put_in(problem, "dos.py", "#!/usr/bin/env python3\r\nprint(1)\r\n", 0755);
    put("plain.sh", "set -e\r\n");
    blamed("./dos.sh", "exit status 127", "/dos.sh has Windows line ends");
    blamed("./dos.py", "exit status 127", "/dos.py has Windows line ends");
    blamed("sh plain.sh", "exit status 2", "sed -i 's/\\r$//' ~/plain.sh");
    /* It wrote to a file whose name ends with a carriage return. */
    put("writes.sh", "echo 1 > $1\r\n");
    blamed("sh writes.sh {results}", "results.json was not written", "Windows line ends");
}

static void a_file_that_the_simulator_wants_from_beside_the_problem_file_is_reported(void **state)
{
    (void)state;
    put("mesh.dat", "1\n");
    put("reads.py", "open('mesh.dat')\n");
    put("helper.py", "");
    blamed("python3 reads.py", "FileNotFoundError", "mesh.dat lies in ~, beside the problem file");
    blamed("cat ./$(echo mesh).dat", "No such file", "list it under files:");
    blamed("python3 -m helper2", "No module named", "");
    blamed("python3 -c 'import helper'", "No module named 'helper'", "PYTHONPATH=$GOFH_PROBLEM_DIR");
    put("syntax.py", "def f(:\n");
    blamed("python3 syntax.py", "SyntaxError", "");
}

static void a_simulator_that_began_is_not_blamed_on_the_command(void **state)
{
    (void)state;
    put("fails.py", "import sys\nsys.exit('no convergence in step 7')\n");
    assert_int_equal(outcome("python3 fails.py"), FAILED_SIMULATOR);
    assert_string_equal(reason, "exit status 1: no convergence in step 7");
    put("misses.py", "open('/gofh-test/none')\n");
    assert_int_equal(outcome("python3 misses.py"), FAILED_SIMULATOR);
    assert_int_equal(outcome("exit 127"), FAILED_SIMULATOR);
    assert_int_equal(outcome("echo mesh.dat: bad cell >&2; exit 1"), FAILED_SIMULATOR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_problem, remove_problem)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_that_is_nowhere_is_reported_with_where_it_was_looked_for),
        TEST(a_script_that_cannot_be_run_is_reported_with_the_remedy),
        TEST(windows_line_ends_are_reported),
        TEST(a_file_that_the_simulator_wants_from_beside_the_problem_file_is_reported),
        TEST(a_simulator_that_began_is_not_blamed_on_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
