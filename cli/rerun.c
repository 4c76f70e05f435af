/* gofh rerun: whether the simulator gives the same again. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/once.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char USAGE[] =
    "usage: gofh rerun problem.yaml [TRIAL] [--json]\n"
    "\n"
    "Runs the best point, or that of a trial, again, and says whether the outputs\n"
    "are the same. The study is not touched.\n"
    "  --json  print it as JSON\n"
    "Exit status 0 if they agree to 1e-9 of their size, 1 if not, 3 if the run fails.\n";

#define SAME 1e-9

/* The output that differs most, relative to the larger of both values. */
static int most_different(int m, const double *before, const double *now, double *difference)
{
    int most = 0;
    *difference = 0.0;
    for (int j = 0; j < m; j++) {
        double size = fmax(fabs(before[j]), fabs(now[j]));
        double relative = size > 0.0 ? fabs(before[j] - now[j]) / size : 0.0;
        if (relative <= *difference) continue;
        most = j;
        *difference = relative;
    }
    return most;
}

static int compare(const session *s, const gofh_trial *trial, const double *y, const once_result *result,
                   int json)
{
    char label[SESSION_LABEL];
    double difference;
    int most = most_different(s->m, trial->y, y, &difference), same = difference <= SAME;
    session_label(s, most, label);
    if (json) {
        json_t *object = json_object();
        json_object_set_new(object, "trial", json_integer(trial->trial));
        json_object_set_new(object, "reproduced", json_boolean(same));
        json_object_set_new(object, "difference", json_real(difference));
        json_object_set_new(object, "outputs", describe_outputs(s, y));
        json_object_set_new(object, "folder", describe_text(result->folder));
        int printed = describe_print(s, object);
        if (printed) return printed;
    } else if (difference == 0.0) {
        printf("trial %lld is reproduced: all outputs are the same\n", (long long)trial->trial);
    } else {
        number_print(
            stdout,
            "trial %lld is %s: %s was %.10g and is now %.10g, %.1e of its size; no output differs more\n",
            (long long)trial->trial, same ? "reproduced" : "not reproduced", label, trial->y[most], y[most],
            difference);
    }
    return same ? EXIT_DONE : EXIT_NO_RESULT;
}

static int failed(const session *s, const gofh_trial *trial, const once_result *result, int json)
{
    int outcome = result->failure == FAILED_CANCELLED ? EXIT_INTERRUPTED : EXIT_SIMULATOR;
    if (!json) {
        fprintf(stderr, "gofh rerun: the run failed: %s\ngofh rerun: its files are in %s\n", result->reason,
                result->folder);
        return outcome;
    }
    json_t *object = json_object();
    json_object_set_new(object, "trial", json_integer(trial->trial));
    json_object_set_new(object, "reproduced", json_null());
    json_object_set_new(object, "reason", describe_text(result->reason));
    json_object_set_new(object, "folder", describe_text(result->folder));
    int printed = describe_print(s, object);
    return printed ? printed : outcome;
}

static int rerun(const session *s, long long which, int json)
{
    gofh_trial trial;
    gofh_status status = which ? gofh_study_trial(s->study, which, &trial)
                               : gofh_study_best(s->study, &trial);
    if (status) return session_failed(s, status);
    if (trial.state != GOFH_TRIAL_DONE) {
        fprintf(stderr, "gofh rerun: trial %lld is %s: there is nothing to compare with\n", which,
                describe_state(trial.state));
        return EXIT_USAGE;
    }
    if (!s->file.simulator.command) {
        fputs("gofh rerun: the problem file has no simulator\n", stderr);
        return EXIT_USAGE;
    }
    double *y = calloc((size_t)s->m, sizeof *y);
    if (!y) return session_no_memory(s);
    once_result result;
    int outcome = once_run(s, s->directory, trial.trial, trial.x, y, &result);
    if (!outcome)
        outcome = result.failure == FAILED_NOT ? compare(s, &trial, y, &result, json)
                                               : failed(s, &trial, &result, json);
    free(y);
    return outcome;
}

int command_rerun(int count, char **arguments)
{
    const char *words[2];
    int json = 0;
    long long trial = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {0}};
    arguments_spec spec = {"rerun", USAGE, options, words, 1, 2, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    if (spec.count == 2)
        status = arguments_number("rerun", "TRIAL", words[1], 1, INT64_MAX, &trial);
    else
        status = EXIT_DONE;
    if (status) return status;
    session s;
    status = session_read(&s, "rerun", words[0]);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = rerun(&s, trial, json);
    session_close(&s);
    return status;
}
