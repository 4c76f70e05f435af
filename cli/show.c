/* gofh show: all that is known of one trial. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/under_way.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "usage: gofh show problem.yaml TRIAL [--json]\n"
                            "\n"
                            "Prints all that is known of a trial: its parameters, outputs and f, the\n"
                            "residuals of a fit, the constraints, how long its run took and where its files\n"
                            "are, and the end of what the simulator wrote to its standard error.\n"
                            "  --json  print it as JSON\n";

typedef struct {
    gofh_comparison *list;
    int count;
} residuals;

/* What outputs are compared with; none where nothing is, or without memory. */
static residuals find_residuals(const session *s)
{
    residuals r = {.list = NULL};
    int count = 0;
    if (gofh_study_comparisons(s->study, NULL, 0, &count) || count == 0) return r;
    r.list = calloc((size_t)count, sizeof *r.list);
    if (r.list && !gofh_study_comparisons(s->study, r.list, count, &count)) r.count = count;
    return r;
}

static json_t *residuals_json(const session *s, const gofh_trial *trial)
{
    residuals r = find_residuals(s);
    json_t *array = json_array();
    for (int i = 0; i < r.count; i++) {
        char label[SESSION_LABEL];
        json_t *item = json_object();
        const gofh_comparison *c = &r.list[i];
        session_label(s, c->output, label);
        json_object_set_new(item, "output", json_string(label));
        json_object_set_new(item, "value", describe_number(trial->y[c->output]));
        json_object_set_new(item, "data", describe_number(c->value));
        json_object_set_new(item, "residual", describe_number(trial->y[c->output] - c->value));
        json_object_set_new(item, "sigma", describe_number(c->deviation));
        json_array_append_new(array, item);
    }
    free(r.list);
    return array;
}

static void print_residuals(const session *s, const gofh_trial *trial)
{
    residuals r = find_residuals(s);
    int sigma = 0;
    for (int i = 0; i < r.count; i++) sigma |= !isnan(r.list[i].deviation);
    if (r.count)
        printf("\n  %-16s %14s %14s %14s%s\n", "residuals", "output", "data", "difference",
               sigma ? "    in sigma" : "");
    for (int i = 0; i < r.count; i++) {
        char label[SESSION_LABEL];
        const gofh_comparison *c = &r.list[i];
        double y = trial->y[c->output], difference = y - c->value;
        session_label(s, c->output, label);
        if (isnan(y)) {
            number_print(stdout, "  %-16s %14s %14.6g\n", label, "missing", c->value);
            continue;
        }
        number_print(stdout, "  %-16s %14.6g %14.6g %14.4g", label, y, c->value, difference);
        if (!isnan(c->deviation)) number_print(stdout, " %11.3g", difference / c->deviation);
        putchar('\n');
    }
    free(r.list);
}

static int print_json(const session *s, const gofh_trial *trial, const under_way *w, const char *output)
{
    json_t *object = describe_trial(s, trial);
    const char *seconds = gofh_study_note(s->study, trial->trial, NOTE_SECONDS);
    const char *attempts = gofh_study_note(s->study, trial->trial, NOTE_ATTEMPTS);
    if (trial->y) json_object_set_new(object, "residuals", residuals_json(s, trial));
    json_object_set_new(object, "seconds", describe_number(seconds ? number_scan(seconds, NULL) : NAN));
    json_object_set_new(object, "attempts", json_integer(attempts ? strtol(attempts, NULL, 10) : 0));
    json_object_set_new(object, "folder", w->look.folder ? describe_text(w->look.folder) : json_null());
    if (trial->state == GOFH_TRIAL_OPEN) json_object_set_new(object, "run", under_way_json(s, w, trial->x));
    json_object_set_new(object, "stderr", describe_text(output));
    return describe_print(s, object);
}

/* The last lines, each after some blanks. */
static void print_output(const char *output)
{
    enum { LINES = 12 };
    int lines = 0;
    const char *from = output + strlen(output);
    while (from > output && lines <= LINES)
        if (*--from == '\n' && from[1] && ++lines > LINES) {
            from++;
            break;
        }
    puts("\n  the end of what the simulator said:");
    while (*from) {
        size_t length = strcspn(from, "\n");
        char *line = strndup(from, length);
        if (line) describe_line("    ", line);
        free(line);
        from += length + (from[length] == '\n');
    }
}

static void print_text(const session *s, const gofh_trial *trial, const under_way *w, const char *output)
{
    char text[3 * LOOK_TEXT];
    const char *seconds = gofh_study_note(s->study, trial->trial, NOTE_SECONDS);
    printf("trial %lld: %s, chosen by \"%s\"", (long long)trial->trial, describe_state(trial->state),
           trial->origin);
    if (!isnan(trial->expected)) {
        char gain[NUMBER_TEXT];
        number_write_short(trial->expected, 3, gain);
        printf(", expected to gain %s", gain);
    }
    putchar('\n');
    describe_values(s, stdout, trial->x, trial->y);
    if (trial->state == GOFH_TRIAL_DONE && isnan(trial->f))
        puts("\n  f is not known, for outputs that it needs are missing");
    else if (trial->state == GOFH_TRIAL_DONE)
        number_print(stdout, "\n  f = %.10g%s\n", trial->f,
                     describe_infinite(s, s->study, trial->f, trial->x, trial->y));
    if (trial->y) {
        describe_constraints(s, s->study, stdout, trial->x, trial->y);
        print_residuals(s, trial);
    }
    if (trial->state == GOFH_TRIAL_FAILED) describe_line("\n  failed: ", trial->reason);
    if (trial->state == GOFH_TRIAL_OPEN) {
        under_way_text(w, text, sizeof text);
        describe_line("\n  it is ", text);
    }
    if (seconds) describe_line("\n  seconds: ", seconds);
    if (w->look.folder) describe_line("  folder: ", w->look.folder);
    if (output[strspn(output, " \t\r\n")]) print_output(output);
}

static int show(const session *s, int64_t number, int json)
{
    gofh_trial trial;
    under_way w;
    char output[LOOK_TAIL];
    gofh_status status = gofh_study_trial(s->study, number, &trial);
    if (status) return session_failed(s, status);
    under_way_look(s, number, &w);
    look_at_output(&w.look, output);
    /* The notes are of later calls than the trial's borrowed arrays. */
    status = gofh_study_trial(s->study, number, &trial);
    int outcome = status ? session_failed(s, status) : EXIT_DONE;
    if (!outcome && json) outcome = print_json(s, &trial, &w, output);
    if (!outcome && !json) print_text(s, &trial, &w, output);
    look_free(&w.look);
    return outcome;
}

int command_show(int count, char **arguments)
{
    const char *words[2];
    int json = 0;
    long long trial = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {0}};
    arguments_spec spec = {"show", USAGE, options, words, 2, 2, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    status = arguments_number("show", "TRIAL", words[1], 1, INT64_MAX, &trial);
    if (status) return status;
    session s;
    status = session_read(&s, "show", words[0]);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = show(&s, trial, json);
    session_close(&s);
    return status;
}
