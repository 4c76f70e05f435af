/* gofh status: how a study stands. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "run/executor.h"

#include <math.h>
#include <stdio.h>

static const char USAGE[] = "usage: gofh status problem.yaml [--log] [--json]\n"
                            "\n"
                            "Says how many trials are done, failed and open, the best value, and why trials\n"
                            "failed.\n"
                            "  --log   also how each point was chosen, and the study's log\n"
                            "  --json  print it as JSON\n";

static int print_json(const session *s, const session_counts *counts)
{
    json_t *object = json_object(), *lines = json_array(), *open = json_array();
    gofh_trial trial;
    json_object_set_new(object, "trials", json_integer(counts->trials));
    json_object_set_new(object, "done", json_integer(counts->done));
    json_object_set_new(object, "failed", json_integer(counts->failed));
    json_object_set_new(object, "open", open);
    json_object_set_new(object, "imported", json_integer(counts->imported));
    json_object_set_new(object, "queued", json_integer(gofh_study_queued(s->study)));
    json_object_set_new(object, "budget", json_integer(s->file.settings.budget));
    gofh_status status = gofh_study_best(s->study, &trial);
    json_object_set_new(object, "best", status ? json_null() : describe_trial(s, &trial));
    if (status == GOFH_ERROR_EMPTY) status = GOFH_OK;
    for (int64_t i = 1; i <= counts->trials && !status; i++) {
        status = gofh_study_trial(s->study, i, &trial);
        if (!status && trial.state == GOFH_TRIAL_OPEN) json_array_append_new(open, json_integer(i));
    }
    const char *line;
    for (int i = 0; (line = gofh_study_log(s->study, i)); i++)
        json_array_append_new(lines, describe_text(line));
    json_object_set_new(object, "log", lines);
    if (!status) return describe_print(s, object);
    json_decref(object);
    return session_failed(s, status);
}

static gofh_status print_open(const session *s, int trials)
{
    int shown = 0;
    for (int64_t i = 1; i <= trials; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return status;
        if (trial.state != GOFH_TRIAL_OPEN) continue;
        int by_hand = gofh_study_note(s->study, i, NOTE_ASKED) != NULL;
        const char *identity = gofh_study_note(s->study, i, NOTE_RUN);
        char seen[160] = "";
        if (identity) executor_last_seen(identity, seen, sizeof seen);
        printf("%s %lld%s", shown++ ? "," : "open:     trial", (long long)i, by_hand ? " (by gofh ask)" : "");
        if (seen[0]) printf(" [%s]", seen);
    }
    if (shown) putchar('\n');
    return GOFH_OK;
}

static gofh_status print_failures(const session *s, int trials)
{
    for (int64_t i = 1; i <= trials; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return status;
        if (trial.state != GOFH_TRIAL_FAILED) continue;
        printf("  trial %lld ", (long long)i);
        describe_line("failed: ", trial.reason);
    }
    return GOFH_OK;
}

static gofh_status print_log(const session *s, int trials)
{
    puts("\n trial  chosen       expected gain  f");
    for (int64_t i = 1; i <= trials; i++) {
        gofh_trial trial;
        char expected[32] = "", f[32] = "";
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return status;
        if (!isnan(trial.expected)) number_format(expected, sizeof expected, "%.3g", trial.expected);
        if (!isnan(trial.f)) number_format(f, sizeof f, "%.10g", trial.f);
        printf("%6lld  %-11s  %13s  %s\n", (long long)i, trial.origin, expected,
               trial.state == GOFH_TRIAL_DONE ? f : describe_state(trial.state));
    }
    const char *line = gofh_study_log(s->study, 0);
    if (line) putchar('\n');
    for (int i = 0; (line = gofh_study_log(s->study, i)); i++) describe_line("", line);
    return GOFH_OK;
}

static int print_text(const session *s, const session_counts *counts, int log)
{
    gofh_trial best;
    printf("study:    %s\n", s->database);
    printf("trials:   %d done, %d failed, %d open", counts->done, counts->failed, counts->open);
    if (counts->imported) printf(" (%d imported)", counts->imported);
    if (s->file.settings.budget > 0)
        printf("; %d of a budget of %d used", counts->trials - counts->imported, s->file.settings.budget);
    putchar('\n');
    gofh_status status = gofh_study_best(s->study, &best);
    if (!status) describe_best(s, "best:     ", &best);
    if (status == GOFH_ERROR_EMPTY) status = GOFH_OK;
    long long queued = gofh_study_queued(s->study);
    if (queued) printf("start:    %lld point%s to come\n", queued, queued == 1 ? "" : "s");
    if (!status) status = print_open(s, counts->trials);
    if (!status) status = print_failures(s, counts->trials);
    if (!status && log) status = print_log(s, counts->trials);
    return status ? session_failed(s, status) : EXIT_DONE;
}

int command_status(int count, char **arguments)
{
    const char *path;
    int json = 0, log = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {"--log", &log, NULL}, {0}};
    arguments_spec spec = {"status", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    session_counts counts;
    status = session_read(&s, "status", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) {
        gofh_status counted = session_count(&s, &counts);
        status = counted ? session_failed(&s, counted)
                 : json  ? print_json(&s, &counts)
                         : print_text(&s, &counts, log);
    }
    session_close(&s);
    return status;
}
