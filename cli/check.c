/* gofh check: what was understood of a problem file, and one run of its simulator. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/kept.h"
#include "cli/once.h"
#include "cli/places.h"
#include "report/progress.h"
#include "run/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char USAGE[] =
    "usage: gofh check problem.yaml [--no-run] [--json]\n"
    "\n"
    "Reads the problem file, says what it understood, runs the simulator once, and\n"
    "shows the outputs. It runs at the first start point or else in the middle of the\n"
    "domain, and where that may be no point (parameters have values, or a known\n"
    "constraint is broken) at the first point of the design. A study that has not\n"
    "begun keeps the run as its first evaluation, beyond its budget; one that has is\n"
    "as it was, and if the file no longer fits it, what has changed is said and\n"
    "nothing is run.\n"
    "  --no-run  do not run the simulator\n"
    "  --json    print it as JSON\n";

static const char *kind_text(gofh_expression_kind kind)
{
    return kind == GOFH_EXPRESSION_LINEAR          ? "linear"
           : kind == GOFH_EXPRESSION_LEAST_SQUARES ? "least squares"
                                                   : "general";
}

static const char *failure_text(const simulator *sim, char *text, size_t size)
{
    if (sim->on_failure == FAILURE_LEARN) return "learned from";
    if (sim->on_failure == FAILURE_ABORT) return "the end of the run";
    snprintf(text, size, "run again up to %d time%s", sim->retries, sim->retries == 1 ? "" : "s");
    return text;
}

/* Which of its words mean files beside the problem file, not in the run's folder. */
static void print_found(const simulator *sim)
{
    buffer names = {0};
    if (command_found(sim, &names, NULL) == GOFH_OK && names.length > 0)
        describe_line("             found beside the problem file: ", names.bytes);
    buffer_free(&names);
    buffer lost = {0};
    if (command_lost(sim, &lost, NULL) == GOFH_OK && lost.length > 0)
        describe_line("             not found beside the problem file: ", lost.bytes);
    buffer_free(&lost);
}

static void print_simulator(const simulator *sim)
{
    char text[64];
    if (!sim->command) {
        puts("simulator:   none: only ask and tell");
        return;
    }
    printf("simulator:   %s\n", sim->command);
    print_found(sim);
    printf("             %d at once", sim->parallel);
    if (sim->timeout > 0.0) {
        progress_duration(sim->timeout, text, sizeof text);
        printf(", at most %s each", text);
    }
    printf("; failures are %s\n", failure_text(sim, text, sizeof text));
}

static void print_parameters(const session *s)
{
    int width = 0;
    printf("parameters:  %d\n", s->d);
    for (int k = 0; k < s->d; k++) {
        int length = (int)strlen(s->file.parameters[k].name);
        width = length > width ? length : width;
    }
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &s->file.parameters[k];
        char text[400];
        parameter_describe(p, text, sizeof text);
        printf("  %-*s  %s\n", width, p->name, text);
        if (parameter_is_wide(p))
            number_print(stdout,
                         "  %*s  (the last is %g times the first: scale: log tells small ones apart)\n",
                         width, "", p->upper / p->lower);
    }
}

static void middle(const session *s, double *x)
{
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &s->file.parameters[k];
        x[k] = p->scale == GOFH_SCALE_LOG ? exp(0.5 * (log(p->lower) + log(p->upper)))
                                          : 0.5 * (p->lower + p->upper);
    }
}

/* Whether the middle of all parameters is an allowed point. */
static int has_middle(const session *s)
{
    double x[GOFH_MAX_PARAMETERS], margin, *y;
    gofh_study *study = NULL;
    int holds = 1, known = 0;
    for (int k = 0; k < s->d; k++) holds &= s->file.parameters[k].kind == PARAMETER_INTERVAL;
    for (int i = 0; i < s->file.constraint_count; i++) known |= s->file.known[i];
    if (!holds || !known) return holds;
    middle(s, x);
    y = calloc((size_t)s->m, sizeof *y);
    holds = y && gofh_study_create(&study, s->file.problem, &s->file.settings, NULL) == GOFH_OK;
    for (int i = 0; i < s->file.constraint_count && holds; i++)
        if (s->file.known[i]) holds = gofh_study_margin(study, i, x, y, &margin) == GOFH_OK && margin >= 0.0;
    gofh_study_free(study);
    free(y);
    return holds;
}

/* What the known constraints leave of the box. */
static void print_share(const session *s)
{
    double share;
    int equalities;
    if (gofh_problem_share(s->file.problem, &share, &equalities, NULL)) return;
    if (share >= 1.0 && equalities == 0) return;
    if (share < 5e-5)
        fputs("             the known ones leave less than 0.005 % of the box", stdout);
    else
        number_print(stdout, "             the known ones leave %.3g %% of the box", 100.0 * share);
    if (equalities > 0)
        printf(", and of that what %d equalit%s", equalities, equalities == 1 ? "y leaves" : "ies leave");
    putchar('\n');
}

/* Where the run is. */
static const char *place(const session *s)
{
    return s->file.start_count > 0 ? "at the first start point"
           : has_middle(s)         ? "in the middle of the domain"
                                   : "at the first point of the design";
}

static void print_output(const problem_file *file, int i)
{
    const problem_output *output = &file->outputs[i];
    printf("%s %s (%d", i ? "," : "", output->name, output->size);
    if (output->at_name)
        printf(", over %s at the places of %s", output->at_name, file->data[output->data].name);
    printf("%s)", output->missing ? ", may be missing" : "");
}

static void print_missing(const problem_file *file)
{
    for (int i = 0; i < file->data_count; i++) {
        const problem_data *data = &file->data[i];
        if (data->missing > 0)
            printf("             %s: %d of %d values %s missing; %s not count\n", data->name, data->missing,
                   data->size, data->missing == 1 ? "is" : "are", data->missing == 1 ? "it does" : "they do");
    }
}

/* The objective's pairs, and how many data are missing. */
static void add_data_json(const problem_file *file, json_t *object)
{
    json_t *fits = json_object(), *missing = json_object();
    for (int i = 0; i < file->fit_count; i++)
        json_object_set_new(fits, file->outputs[file->fits[i].output].name,
                            json_string(file->data[file->fits[i].data].name));
    for (int i = 0; i < file->data_count; i++)
        if (file->data[i].missing > 0)
            json_object_set_new(missing, file->data[i].name, json_integer(file->data[i].missing));
    if (file->fit_count > 0) json_object_set(object, "fit", fits);
    if (json_object_size(missing) > 0) json_object_set(object, "missing", missing);
    json_decref(fits);
    json_decref(missing);
}

static void print_understood(const session *s)
{
    const problem_file *file = &s->file;
    print_parameters(s);
    if (file->start_count > 0)
        printf("start:       %d point%s\n", file->start_count, file->start_count == 1 ? "" : "s");
    printf("outputs:     %d value%s:", s->m, s->m == 1 ? "" : "s");
    for (int i = 0; i < file->output_count; i++) print_output(file, i);
    putchar('\n');
    for (int i = 0; i < file->data_count; i++)
        printf("%s %s (%d)%s", i ? "," : "data:       ", file->data[i].name, file->data[i].size,
               i + 1 == file->data_count ? "\n" : "");
    print_missing(file);
    printf("objective:   %s %s (%s)\n", file->sense == GOFH_MINIMIZE ? "minimize" : "maximize",
           file->objective, kind_text(file->kind));
    if (file->ignores_outputs) puts("             it uses no output: runs of the simulator do not change it");
    for (int i = 0; i < file->output_count; i++)
        if (!isnan(file->outputs[i].noise))
            number_print(stdout, "noise:       of %s, standard deviation %g\n", file->outputs[i].name,
                         sqrt(file->outputs[i].noise));
    if (file->settings.noise == GOFH_NOISE_ESTIMATED) puts("noise:       estimated");
    for (int i = 0; i < file->constraint_count; i++)
        printf("%s %s%s\n", i ? "            " : "constraints:", file->constraints[i],
               file->known[i] ? " (known)" : "");
    print_share(s);
    print_simulator(&file->simulator);
    printf("study:       %s, seed %llu", file->settings.method, (unsigned long long)file->settings.seed);
    if (file->settings.budget > 0) printf(", %d evaluations", file->settings.budget);
    putchar('\n');
}

static void describe_kind(const problem_parameter *p, json_t *one)
{
    json_t *list = json_array();
    for (int i = 0; i < p->count; i++)
        json_array_append_new(list, p->words ? json_string(p->words[i]) : json_real(p->values[i]));
    if (p->count > 0) json_object_set(one, p->words ? "choices" : "values", list);
    json_decref(list);
    if (p->kind == PARAMETER_FIXED)
        json_object_set_new(one, "fixed",
                            p->words ? json_string(p->words[(int)p->lower]) : json_real(p->lower));
    if (p->words) json_object_set_new(one, "ordered", json_boolean(p->ordered));
    if (p->words || p->kind == PARAMETER_FIXED) return;
    json_object_set_new(one, "lower", json_real(p->lower));
    json_object_set_new(one, "upper", json_real(p->upper));
    json_object_set_new(one, "scale", json_string(p->scale == GOFH_SCALE_LOG ? "log" : "linear"));
    if (p->kind == PARAMETER_GRID) json_object_set_new(one, "step", json_real(p->step));
}

static json_t *understood_json(const session *s)
{
    const problem_file *file = &s->file;
    json_t *object = json_object(), *parameters = json_object(), *outputs = json_object(),
           *data = json_object(), *constraints = json_array();
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &file->parameters[k];
        json_t *one = json_object();
        describe_kind(p, one);
        json_object_set_new(parameters, p->name, one);
    }
    for (int i = 0; i < file->output_count; i++)
        json_object_set_new(outputs, file->outputs[i].name, json_integer(file->outputs[i].size));
    for (int i = 0; i < file->data_count; i++)
        json_object_set_new(data, file->data[i].name, json_integer(file->data[i].size));
    for (int i = 0; i < file->constraint_count; i++)
        json_array_append_new(constraints, json_string(file->constraints[i]));
    json_object_set_new(object, "parameters", parameters);
    json_object_set_new(object, "start", json_integer(file->start_count));
    json_object_set_new(object, "outputs", outputs);
    json_object_set_new(object, "data", data);
    add_data_json(file, object);
    json_object_set_new(object, "sense", json_string(file->sense == GOFH_MINIMIZE ? "minimize" : "maximize"));
    json_object_set_new(object, "objective", json_string(file->objective));
    json_object_set_new(object, "kind", json_string(kind_text(file->kind)));
    json_object_set_new(object, "constraints", constraints);
    return object;
}

/* A study with one evaluation in it, and its f. *study is NULL on failure. */
static gofh_status evaluate(const session *s, const once_result *result, const double *x, const double *y,
                            gofh_study **study, double *f)
{
    char seconds[32];
    gofh_trial trial = {0};
    gofh_status status = gofh_study_create(study, s->file.problem, &s->file.settings, NULL);
    if (status) return status;
    number_format(seconds, sizeof seconds, "%.3f", result->seconds);
    status = gofh_study_import(*study, x, y, NULL);
    if (!status) status = gofh_study_set_note(*study, 1, NOTE_SECONDS, seconds);
    if (!status) status = gofh_study_set_note(*study, 1, NOTE_RUN, result->identity);
    if (!status) status = places_note(s, *study, 1);
    if (!status) status = gofh_study_trial(*study, 1, &trial);
    *f = trial.f;
    if (!status) return GOFH_OK;
    gofh_study_free(*study);
    *study = NULL;
    return status;
}

/* The first start point, as a study completes it, or the middle, or the first point of the design. */
static int choose_point(const session *s, double *x)
{
    int64_t trial;
    gofh_study *study;
    if (s->file.start_count == 0 && has_middle(s)) {
        middle(s, x);
        return EXIT_DONE;
    }
    gofh_status status = gofh_study_create(&study, s->file.problem, &s->file.settings, NULL);
    if (!status && s->file.start_count > 0) status = gofh_study_enqueue(study, s->file.starts);
    if (!status) status = gofh_study_ask(study, &trial, x);
    gofh_study_free(study);
    return status ? session_no_memory(s) : EXIT_DONE;
}

static int report_failure(const session *s, const once_result *result, const double *x, json_t *object)
{
    int outcome = result->failure == FAILED_CANCELLED ? EXIT_INTERRUPTED : EXIT_SIMULATOR;
    if (!object) {
        fprintf(stderr, "gofh check: the simulator failed %s: %s\n", place(s), result->reason);
        fprintf(stderr, "gofh check: its files are in %s\n", result->folder);
        return outcome;
    }
    json_object_set_new(object, "folder", describe_text(result->folder));
    json_object_set_new(object, "at", describe_parameters(s, x));
    json_object_set_new(object, "reason", describe_text(result->reason));
    int printed = describe_print(s, object);
    return printed ? printed : outcome;
}

static int print_json(const session *s, gofh_study *study, const once_result *result, int is_kept,
                      json_t *object)
{
    gofh_trial trial;
    if (gofh_study_trial(study, 1, &trial)) return session_no_memory(s);
    json_object_set_new(object, "folder", describe_text(result->folder));
    json_object_set_new(object, "at", describe_parameters(s, trial.x));
    json_object_set_new(object, "result", describe_outputs(s, trial.y));
    json_object_set_new(object, "f", describe_number(trial.f));
    if (s->file.constraint_count > 0)
        json_object_set_new(object, "margins", describe_margins(s, study, &trial));
    json_object_set_new(object, "kept", json_boolean(is_kept));
    return describe_print(s, object);
}

static void print_run(const session *s, gofh_study *study, const once_result *result, const double *x,
                      const double *y, double f, int is_kept)
{
    number_print(stdout, "\none run %s took %.2g s, in %s:\n", place(s), result->seconds, result->folder);
    describe_values(s, stdout, x, y);
    if (isnan(f))
        puts("\n  f is not known, for outputs that it needs are missing");
    else
        number_print(stdout, "\n  f = %.10g%s\n", f, describe_infinite(s, study, f, x, y));
    describe_constraints(s, study, stdout, x, y);
    puts(is_kept ? "\nit is kept: the study begins with it, as an evaluation beyond its budget"
                 : "\nthe study has begun, and is as it was");
}

static int report_run(const session *s, const once_result *result, const double *x, const double *y,
                      json_t *object)
{
    gofh_study *study;
    double f;
    int is_kept = 0;
    if (result->failure != FAILED_NOT) return report_failure(s, result, x, object);
    gofh_status status = evaluate(s, result, x, y, &study, &f);
    if (status) {
        json_decref(object);
        fprintf(stderr, "gofh check: %s\n", gofh_status_text(status));
        return EXIT_USAGE;
    }
    int outcome = kept_save(s, study, &is_kept);
    if (object) {
        int printed = print_json(s, study, result, is_kept && !outcome, object);
        outcome = printed ? printed : outcome;
    } else if (!outcome) {
        print_run(s, study, result, x, y, f, is_kept);
    }
    gofh_study_free(study);
    return outcome;
}

/* Whether the study that has begun is one of this problem: what has changed is said. */
static int check_study(session *s)
{
    if (access(s->database, F_OK)) return EXIT_DONE;
    fflush(stdout);
    int outcome = session_open(s, GOFH_OPEN_READ);
    gofh_study_free(s->study);
    s->study = NULL;
    return outcome == EXIT_NO_RESULT ? EXIT_DONE : outcome; /* it is empty */
}

/* Whether there can be a study, which takes the start points. */
static int check_problem(const session *s)
{
    gofh_error error = {0};
    gofh_study *study;
    gofh_status status = gofh_study_create(&study, s->file.problem, &s->file.settings, &error);
    if (status) return session_refused(s, status, error.message);
    int outcome = session_enqueue(s, study);
    gofh_study_free(study);
    return outcome;
}

static int check(session *s, int no_run, int json)
{
    gofh_error error = {0};
    const simulator *sim = &s->file.simulator;
    if (sim->command && run_check(sim, &error)) {
        fprintf(stderr, "gofh check: %s\n", error.message);
        return EXIT_USAGE;
    }
    int outcome = check_problem(s);
    if (outcome) return outcome;
    session_check_design(s);
    json_t *object = json ? understood_json(s) : NULL;
    if (!json) print_understood(s);
    outcome = check_study(s);
    if (outcome || no_run || !sim->command) {
        int printed = json ? describe_print(s, object) : EXIT_DONE;
        return outcome ? outcome : printed;
    }
    double *x = calloc((size_t)(s->d + s->m), sizeof *x);
    size_t size = strlen(s->directory) + sizeof "/check";
    char *directory = malloc(size);
    if (!x || !directory) {
        free(x);
        free(directory);
        json_decref(object);
        return session_no_memory(s);
    }
    once_result result;
    snprintf(directory, size, "%s/check", s->directory);
    fflush(stdout);
    outcome = choose_point(s, x);
    if (!outcome) outcome = once_run(s, directory, 0, x, x + s->d, &result);
    if (!outcome)
        outcome = report_run(s, &result, x, x + s->d, object);
    else
        json_decref(object);
    free(x);
    free(directory);
    return outcome;
}

int command_check(int count, char **arguments)
{
    const char *path;
    int json = 0, no_run = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {"--no-run", &no_run, NULL}, {0}};
    arguments_spec spec = {"check", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    status = session_read(&s, "check", path);
    if (!status) status = check(&s, no_run, json);
    session_close(&s);
    return status;
}
