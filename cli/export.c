/* gofh export: all trials as CSV. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh export problem.yaml [--json]\n"
    "\n"
    "Prints all trials as CSV: trial, status, origin, the parameters, the outputs, f,\n"
    "where any is known the variance of the noise on each output, and the reason of a\n"
    "failure. The cells of what is not known are empty. Numbers have as many digits\n"
    "as read back to the same double, no more. A column whose name a parameter or an\n"
    "output has is called status_. \"gofh import\" reads it.\n"
    "  --json  a line of JSON a trial instead\n";

static void print_header(const session *s, int noisy)
{
    static const char *const first[] = {"trial", "status", "origin"};
    char label[SESSION_LABEL];
    for (int i = 0; i < 3; i++) {
        session_column(s, first[i], label);
        printf("%s%s", i ? "," : "", label);
    }
    for (int k = 0; k < s->d; k++) printf(",%s", s->file.parameters[k].name);
    for (int j = 0; j < s->m; j++) {
        session_label(s, j, label);
        printf(",%s", label);
    }
    session_column(s, "f", label);
    printf(",%s", label);
    for (int j = 0; noisy && j < s->m; j++) {
        session_label(s, j, label);
        printf(",variance(%s)", label);
    }
    session_column(s, "reason", label);
    printf(",%s\n", label);
}

static void print_number(double value)
{
    putchar(',');
    if (!isnan(value)) describe_print_number(stdout, value);
}

static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* A word is in quotes where it would not be read back as it is. */
static void print_value(const problem_parameter *p, double value)
{
    char text[PARAMETER_TEXT];
    if (!p->words) {
        print_number(value);
        return;
    }
    parameter_write(p, value, text);
    putchar(',');
    if (strpbrk(text, ",;\t\" #'"))
        print_quoted(text);
    else
        fputs(text, stdout);
}

/* In quotes, which are doubled inside. */
static int print_reason(const session *s, const char *reason)
{
    char *clean = describe_clean(reason);
    if (!clean) return session_no_memory(s);
    putchar(',');
    if (*clean) print_quoted(clean);
    putchar('\n');
    free(clean);
    return EXIT_DONE;
}

static int print_row(const session *s, const gofh_trial *trial, int noisy)
{
    printf("%lld,%s,%s", (long long)trial->trial, describe_state(trial->state), trial->origin);
    for (int k = 0; k < s->d; k++) print_value(&s->file.parameters[k], trial->x[k]);
    for (int j = 0; j < s->m; j++) print_number(trial->y ? trial->y[j] : NAN);
    print_number(trial->f);
    for (int j = 0; noisy && j < s->m; j++) print_number(trial->variance ? trial->variance[j] : NAN);
    return print_reason(s, trial->reason);
}

/* Whether the variance of the noise is known of any observation. */
static int has_variances(const session *s)
{
    gofh_trial trial;
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++)
        if (gofh_study_trial(s->study, i, &trial) == GOFH_OK && trial.variance) return 1;
    return 0;
}

static int export_trials(const session *s, int json)
{
    int outcome = EXIT_DONE, noisy = has_variances(s);
    if (!json) print_header(s, noisy);
    for (int64_t i = 1; i <= gofh_study_count(s->study) && !outcome; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        if (json)
            outcome = describe_print(s, describe_trial(s, &trial));
        else
            outcome = print_row(s, &trial, noisy);
    }
    return outcome;
}

int command_export(int count, char **arguments)
{
    const char *path;
    int json = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {0}};
    arguments_spec spec = {"export", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    status = session_read(&s, "export", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = export_trials(&s, json);
    session_close(&s);
    return status;
}
