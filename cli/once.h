/* One run of the simulator outside the study, waited for. */
#ifndef CLI_ONCE_H
#define CLI_ONCE_H

#include "cli/session.h"
#include "run/executor.h"

typedef struct {
    run_failure failure;
    char reason[RUN_REASON]; /* of a failure */
    char folder[4096];
    char identity[4200]; /* of the run, for whoever looks for its files later */
    double seconds;
} once_result;

/* Runs the simulator at x, in a folder of `directory`/runs, and reads its outputs y. ^C ends it.
 * Returns the exit status for what keeps it from starting; what comes of the run is in the
 * result. */
int once_run(const session *s, const char *directory, long long trial, const double *x, double *y,
             once_result *result);

#endif
