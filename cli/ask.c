/* gofh ask: suggestions for people who run things themselves. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "usage: gofh ask problem.yaml [-n K] [--all] [--for posterior] [--json]\n"
                            "\n"
                            "Suggests K points (default 1), a line of JSON each, with --json or without:\n"
                            "  {\"trial\":7,\"parameters\":{\"M\":10.2,\"D\":0.07}}\n"
                            "Start points of the problem file come first. Points stay open, and later\n"
                            "suggestions take them into account, until \"gofh tell\" reports what came of\n"
                            "them. \"gofh status\" lists those still open.\n"
                            "  --all  suggest even where nothing more is expected\n"
                            "  --for posterior  suggest what makes gofh posterior certain, as gofh run does\n"
                            "Exit status 1 if there is nothing more to suggest: nothing more is expected,\n"
                            "the budget is used up, or a stop rule holds.\n";

/* Why nothing more is suggested. */
static int stopped(const session *s, gofh_status status, long long given)
{
    char text[SESSION_ENDED];
    session_counts counts;
    int itself = session_ended_by_itself(s, status) && !session_count(s, &counts);
    if (itself) session_describe_end(s, &counts, text);
    fprintf(stderr, "gofh ask: %s", itself ? text : gofh_status_text(status));
    if (status == GOFH_STOP_BUDGET)
        fprintf(stderr, ": raise study: budget (now %d) to go on", s->file.settings.budget);
    fputc('\n', stderr);
    return given > 0 ? EXIT_DONE : EXIT_NO_RESULT;
}

static int ask(session *s, long long wanted)
{
    double *x = calloc((size_t)s->d, sizeof *x);
    if (!x) return session_no_memory(s);
    int outcome = EXIT_DONE;
    for (long long i = 0; i < wanted && !outcome; i++) {
        int64_t trial;
        gofh_status status = gofh_study_ask(s->study, &trial, x);
        if (status > 0) {
            outcome = stopped(s, status, i);
            break;
        }
        /* So that "gofh run" leaves it to whoever asked. */
        if (!status) status = gofh_study_set_note(s->study, trial, NOTE_ASKED, "yes");
        if (status) {
            outcome = session_failed(s, status);
            break;
        }
        json_t *line = json_object();
        json_object_set_new(line, "trial", json_integer(trial));
        json_object_set_new(line, "parameters", describe_parameters(s, x));
        outcome = describe_print(s, line);
    }
    free(x);
    return outcome;
}

int command_ask(int count, char **arguments)
{
    const char *path, *number = "1", *purpose = NULL;
    int json = 0, all = 0;
    arguments_option options[] = {{"-n", NULL, &number},
                                  {"--json", &json, NULL},
                                  {"--all", &all, NULL},
                                  {"--for", NULL, &purpose},
                                  {0}};
    arguments_spec spec = {"ask", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    long long wanted;
    status = arguments_number("ask", "-n", number, 1, 10000, &wanted);
    if (status) return status;
    if (purpose && strcmp(purpose, "posterior") != 0)
        return arguments_wrong("ask", "--for must be posterior, not \"%.60s\"", purpose);
    session s;
    status = session_read(&s, "ask", path);
    if (purpose) s.file.settings.goal = GOFH_GOAL_POSTERIOR;
    if (all) s.file.settings.stop = GOFH_STOPPING_NEVER;
    if (!status) status = session_open(&s, GOFH_OPEN_WRITE);
    if (!status) status = session_enqueue(&s, s.study);
    if (!status) status = ask(&s, wanted);
    session_close(&s);
    return status;
}
