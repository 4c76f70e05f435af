/* Long random tests: a sample of fixed size on every run, all of it with `make torture`. */
#ifndef TESTS_TORTURE_H
#define TESTS_TORTURE_H

#include <stdlib.h>

/* How many rounds to do: `full` if the environment has GOFH_TORTURE, else `sample`. */
static inline int torture_count(int sample, int full)
{
    const char *wanted = getenv("GOFH_TORTURE");
    return wanted && *wanted ? full : sample;
}

#endif
