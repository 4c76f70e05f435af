/* gofh export: all trials as CSV. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <math.h>
#include <stdio.h>

static const char USAGE[] =
    "usage: gofh export problem.yaml [--json]\n"
    "\n"
    "Prints all trials as CSV: trial, status, origin, the parameters, the outputs, f.\n"
    "The cells of what is not known are empty. \"gofh import\" reads it.\n"
    "  --json  a line of JSON a trial instead\n";

static void print_header(const session *s)
{
    char label[SESSION_LABEL];
    fputs("trial,status,origin", stdout);
    for (int k = 0; k < s->d; k++) printf(",%s", s->file.parameters[k].name);
    for (int j = 0; j < s->m; j++) {
        session_label(s, j, label);
        printf(",%s", label);
    }
    fputs(",f\n", stdout);
}

static void print_row(const session *s, const gofh_trial *trial)
{
    printf("%lld,%s,%s", (long long)trial->trial, describe_state(trial->state), trial->origin);
    for (int k = 0; k < s->d; k++) number_print(stdout, ",%.17g", trial->x[k]);
    for (int j = 0; j < s->m; j++)
        if (trial->y)
            number_print(stdout, ",%.17g", trial->y[j]);
        else
            putchar(',');
    if (isnan(trial->f))
        puts(",");
    else
        number_print(stdout, ",%.17g\n", trial->f);
}

static int export_trials(const session *s, int json)
{
    if (!json) print_header(s);
    int outcome = EXIT_DONE;
    for (int64_t i = 1; i <= gofh_study_count(s->study) && !outcome; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return session_failed(s, status);
        if (json)
            outcome = describe_print(s, describe_trial(s, &trial));
        else
            print_row(s, &trial);
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
