/* gofh log: how each point was chosen, what came of it, and what the study had to say. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh log problem.yaml [--json]\n"
    "\n"
    "Prints a line for each trial: how its point was chosen, the seconds that its\n"
    "run took, the gain that was expected of it, and f; a \"*\" marks those that became\n"
    "the best. Then the study's log: numerical difficulties, and what was changed.\n"
    "  --json  print it as lines of JSON: one per trial, then one with the log\n";

static double seconds_of(const session *s, int64_t trial)
{
    const char *note = gofh_study_note(s->study, trial, NOTE_SECONDS);
    return note ? number_scan(note, NULL) : NAN;
}

/* Whether f is better than the best before, which it then becomes. */
static int improves(const session *s, const gofh_trial *trial, double *best)
{
    if (trial->state != GOFH_TRIAL_DONE || !isfinite(trial->f)) return 0;
    int better = isnan(*best) || (s->file.sense == GOFH_MINIMIZE ? trial->f < *best : trial->f > *best);
    if (better) *best = trial->f;
    return better;
}

int describe_log(const session *s)
{
    double best = NAN;
    puts(" trial  chosen by     seconds  expected gain    f");
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++) {
        gofh_trial trial;
        char seconds[NUMBER_TEXT] = "", expected[NUMBER_TEXT] = "", f[32] = "";
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        int better = improves(s, &trial, &best);
        if (!isnan(trial.expected)) number_write_short(trial.expected, 3, expected);
        if (!isnan(trial.f)) number_format(f, sizeof f, "%.10g", trial.f);
        const char *result = *f ? f : describe_state(trial.state);
        if (isinf(trial.f))
            result = describe_violates(s, s->study, trial.x, trial.y) ? "not feasible" : "f is not finite";
        double took = seconds_of(s, i);
        if (!isnan(took)) number_write_short(took, 3, seconds);
        printf("%6lld  %-11s  %8s  %13s  %s %s\n", (long long)i, trial.origin, seconds, expected,
               better ? "*" : " ", result);
    }
    const char *line = gofh_study_log(s->study, 0);
    if (line) putchar('\n');
    for (int i = 0; (line = gofh_study_log(s->study, i)); i++) describe_line("", line);
    return EXIT_DONE;
}

static int print_json(const session *s)
{
    double best = NAN;
    int outcome = EXIT_DONE;
    for (int64_t i = 1; i <= gofh_study_count(s->study) && !outcome; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        json_t *object = json_object();
        json_object_set_new(object, "trial", json_integer(i));
        json_object_set_new(object, "status", json_string(describe_state(trial.state)));
        json_object_set_new(object, "origin", describe_text(trial.origin));
        json_object_set_new(object, "expected", describe_number(trial.expected));
        json_object_set_new(object, "f", describe_number(trial.f));
        json_object_set_new(object, "improved", json_boolean(improves(s, &trial, &best)));
        json_object_set_new(object, "seconds", describe_number(seconds_of(s, i)));
        outcome = describe_print(s, object);
    }
    json_t *object = json_object(), *lines = json_array();
    const char *line;
    for (int i = 0; (line = gofh_study_log(s->study, i)); i++)
        json_array_append_new(lines, describe_text(line));
    json_object_set_new(object, "log", lines);
    int printed = describe_print(s, object);
    return outcome ? outcome : printed;
}

int command_log(int count, char **arguments)
{
    const char *path;
    int json = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {0}};
    arguments_spec spec = {"log", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    status = session_read(&s, "log", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = json ? print_json(&s) : describe_log(&s);
    session_close(&s);
    return status;
}
