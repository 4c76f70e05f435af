/* A problem's folder with a simulator in it, and a simulator's description, for the tests of
 * src/run. */
#ifndef TESTS_RUN_FIXTURE_H
#define TESTS_RUN_FIXTURE_H

#include "check.h"
#include "run/executor.h"
#include "run/local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char problem[64]; /* the problem's folder */

static inline int make_problem(void **state)
{
    (void)state;
    strcpy(problem, "/tmp/gofh_run_XXXXXX");
    return mkdtemp(problem) ? 0 : -1;
}

static inline int remove_problem(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", problem);
    return system(command);
}

static inline void put_in(const char *folder, const char *name, const char *text, mode_t mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static inline void put(const char *name, const char *text)
{
    put_in(problem, name, text, 0644);
}

static inline char *get(const char *folder, const char *name)
{
    static char text[20000];
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Parameters M and D, outputs c of three values and t of one. */
static inline simulator describe(const char *command)
{
    static char *parameters[] = {"M", "D"}, *outputs[] = {"c", "t"};
    static int sizes[] = {3, 1};
    return (simulator){.directory = problem,
                       .command = (char *)command,
                       .params = PARAMS_JSON,
                       .results = RESULTS_JSON,
                       .params_file = "params.json",
                       .results_file = "results.json",
                       .parallel = 1,
                       .parameter_count = 2,
                       .parameter_names = parameters,
                       .output_count = 2,
                       .output_names = outputs,
                       .output_sizes = sizes};
}

static const double POINT[] = {10.0, 0.1};

static inline run *begin(const simulator *sim, long long trial)
{
    gofh_error error = {.status = GOFH_OK};
    run *r = NULL;
    run_request request = {.simulator = sim, .directory = problem, .trial = trial, .x = POINT};
    if (LOCAL_EXECUTOR.start(&LOCAL_EXECUTOR, &request, &r, &error) != GOFH_OK) fail_msg("%s", error.message);
    return r;
}

/* Whether a process of that number is there and has not ended: a zombie has, reaped or not. */
static inline int lives(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t count = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *at = count > 0 ? strrchr(text, ')') : NULL;
    return at && at[2] != 'Z' && at[2] != 'X';
}

static inline void wait_for(const char *folder, const char *name)
{
    char path[512];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    while (stat(path, &about) != 0 || about.st_size == 0)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static inline void finish(run *r)
{
    while (LOCAL_EXECUTOR.poll(r) == RUN_RUNNING) LOCAL_EXECUTOR.wait(&LOCAL_EXECUTOR, &r, 1, -1, -1);
}

#endif
