/* gofh forget: leaves a trial out of what the study learns. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <stdio.h>

static const char USAGE[] =
    "usage: gofh forget problem.yaml TRIAL [--undo] [--json]\n"
    "\n"
    "Leaves what was reported of a trial, a result or a failure, out of all that the\n"
    "study learns: for runs that went wrong without saying so. The study's file keeps\n"
    "it, the log says so, and it counts against the budget as before.\n"
    "  --undo  takes it in again\n"
    "  --json  print the trial as JSON\n";

int command_forget(int count, char **arguments)
{
    const char *words[2];
    int json = 0, undo = 0;
    long long number = 0;
    arguments_option options[] = {{"--undo", &undo, NULL}, {"--json", &json, NULL}, {0}};
    arguments_spec spec = {"forget", USAGE, options, words, 2, 2, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    status = arguments_number("forget", "TRIAL", words[1], 1, INT64_MAX, &number);
    if (status) return status;
    session s;
    gofh_trial trial = {0};
    status = session_read(&s, "forget", words[0]);
    if (!status) status = session_open(&s, GOFH_OPEN_WRITE);
    if (!status) {
        gofh_status done = gofh_study_forget(s.study, number, !undo);
        if (!done) done = gofh_study_trial(s.study, number, &trial);
        if (done) status = session_failed(&s, done);
    }
    if (!status && json)
        status = describe_print(&s, describe_trial(&s, &trial));
    else if (!status && undo)
        printf("trial %lld counts again: it is %s\n", number, describe_state(trial.state));
    else if (!status)
        printf("trial %lld is forgotten; --undo takes it in again\n", number);
    session_close(&s);
    return status;
}
