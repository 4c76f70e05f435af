#include "cli/once.h"

#include "cli/commands.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int remember_nothing(void *context, const char *identity)
{
    (void)context, (void)identity;
    return 0;
}

static int is_interrupted(void *context)
{
    (void)context;
    return interrupt_count() > 0;
}

int once_run(const session *s, const char *directory, long long trial, const double *x, double *y,
             once_result *result)
{
    gofh_error error = {0};
    *result = (once_result){.failure = FAILED_NOT};
    if ((mkdir(s->directory, 0777) && errno != EEXIST) || (mkdir(directory, 0777) && errno != EEXIST))
        return session_no_folder(s, directory, errno);
    if (interrupt_catch()) {
        perror("gofh: signals can't be caught");
        return EXIT_STUDY;
    }
    run_request request = {.simulator = &s->file.simulator,
                           .directory = directory,
                           .trial = trial,
                           .x = x,
                           .remember = remember_nothing,
                           .interrupted = is_interrupted};
    run *r;
    const executor *chosen = executor_open(&s->file.simulator, &error);
    gofh_status status = chosen ? chosen->start(chosen, &request, &r, &error) : error.status;
    if (!chosen || status) {
        fprintf(stderr, "gofh %s: %s\n", s->command, error.message);
        executor_close(chosen);
        return status == GOFH_STOP_CALLER                                    ? EXIT_INTERRUPTED
               : status == GOFH_ERROR_PROBLEM || status == GOFH_ERROR_MEMORY ? EXIT_SIMULATOR
                                                                             : EXIT_STUDY;
    }
    int cancelled = 0;
    while (chosen->poll(r) == RUN_RUNNING) {
        chosen->wait(chosen, &r, 1, 1000, interrupt_descriptor());
        interrupt_drain();
        if (interrupt_count() > 0 && !cancelled) {
            chosen->cancel(r);
            cancelled = 1;
        }
    }
    result->failure = run_collect(r, y, result->reason);
    result->seconds = r->seconds;
    snprintf(result->folder, sizeof result->folder, "%s", r->folder);
    snprintf(result->identity, sizeof result->identity, "%s", r->identity);
    chosen->free_run(r);
    executor_close(chosen);
    return EXIT_DONE;
}
