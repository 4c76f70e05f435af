/* gofh posterior: what the data say of the parameters. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh posterior problem.yaml [--samples N] [--json]\n"
    "\n"
    "Prints the posterior of the parameters given the data of objective: {fit: ...}:\n"
    "of each the best evaluation, mean, standard deviation and 95 % interval, how\n"
    "much of its variance is the emulator's, and what the data tell and what not; of\n"
    "values and choices their probabilities.\n"
    "Nothing is run, and the study is not changed.\n"
    "  --samples N  print N samples as CSV instead; with --json, among the rest\n"
    "  --json       print it as JSON\n";

static int name_width(const session *s)
{
    size_t width = strlen("parameter");
    for (int k = 0; k < s->d; k++) {
        size_t own = strlen(s->file.parameters[k].name);
        if (own > width) width = own;
    }
    return (int)width;
}

/* The columns of the table, and the widest of their numbers. */
enum { COLUMNS = 5, COLUMN_TEXT = 32 };
static const char *const COLUMN[COLUMNS] = {"best", "mean", "sd", "2.5 %", "97.5 %"};

/* Those of a parameter: with the digits that tell the ends of a narrow interval apart. */
static void write_row(const gofh_posterior_results *r, int k, char text[COLUMNS][COLUMN_TEXT])
{
    const double value[COLUMNS] = {r->best[k], r->mean[k], r->deviation[k], r->lower[k], r->upper[k]};
    for (int i = 0; i < COLUMNS; i++)
        number_format(text[i], COLUMN_TEXT, "%.*g", number_digits(value[i], r->deviation[k]), value[i]);
}

/* The probabilities of the values of a discrete parameter, those below one in 200 left out. */
static void print_values(const session *s, const gofh_posterior *posterior, int k)
{
    const problem_parameter *own = &s->file.parameters[k];
    const double *probability;
    int count = gofh_posterior_probabilities(posterior, k, &probability), printed = 0;
    double *value = malloc(((size_t)count + 1) * sizeof *value);
    if (value && count) parameter_list(own, count, value);
    for (int i = 0; value && i < count; i++) {
        char text[PARAMETER_TEXT];
        if (!(probability[i] >= 0.005)) continue;
        parameter_write(own, value[i], text);
        if (!printed) printf("%s:", own->name);
        number_print(stdout, "%s %s %.0f %%", printed++ ? "," : "", text, 100.0 * probability[i]);
    }
    if (printed) putchar('\n');
    free(value);
}

static int is_choice(const session *s, int k)
{
    return s->file.parameters[k].words != NULL; /* fixed ones too */
}

/* A choice has a best one and probabilities, and no mean. */
static void print_choice(const session *s, const gofh_posterior_results *r, int k, int column)
{
    char text[PARAMETER_TEXT];
    parameter_write(&s->file.parameters[k], r->best[k], text);
    printf(" %*s %*s %*s %*s %*s\n", column, text, column, "-", column, "-", column, "-", column, "-");
}

static int column_width(const session *s, const gofh_posterior_results *r)
{
    size_t width = 12;
    char text[COLUMNS][COLUMN_TEXT];
    for (int k = 0; k < s->d; k++) {
        if (is_choice(s, k)) continue;
        write_row(r, k, text);
        for (int i = 0; i < COLUMNS; i++)
            if (strlen(text[i]) > width) width = strlen(text[i]);
    }
    return (int)width;
}

static void print_table(const session *s, const gofh_posterior *posterior, const gofh_posterior_results *r)
{
    int width = name_width(s), column = column_width(s, r);
    char text[COLUMNS][COLUMN_TEXT];
    printf("%-*s", width, "parameter");
    for (int i = 0; i < COLUMNS; i++) printf(" %*s", column, COLUMN[i]);
    puts("  emulator");
    double rhat = 0.0, effective = INFINITY;
    for (int k = 0; k < s->d; k++) {
        printf("%-*s", width, s->file.parameters[k].name);
        rhat = fmax(rhat, r->rhat[k]);
        effective = fmin(effective, r->effective[k]);
        if (is_choice(s, k)) {
            print_choice(s, r, k, column);
            continue;
        }
        write_row(r, k, text);
        for (int i = 0; i < COLUMNS; i++) printf(" %*s", column, text[i]);
        number_print(stdout, "  %6.0f %%\n", 100.0 * r->emulator[k]);
    }
    putchar('\n');
    for (int k = 0; k < s->d; k++) print_values(s, posterior, k);
    for (const char *at = r->message; *at;) {
        const char *end = strstr(at, "; ");
        printf("%.*s\n", (int)(end ? end - at : (long)strlen(at)), at);
        at = end ? end + 2 : at + strlen(at);
    }
    if (r->data) number_print(stdout, "chi-square %.4g for %d data; ", r->misfit, r->data);
    number_print(stdout, "R-hat %.3f, effective size %.0f\n", rhat, effective);
}

static json_t *numbers(const double *value, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, describe_number(value[i]));
    return list;
}

static json_t *describe_parameter(const gofh_posterior_results *r, int k)
{
    json_t *object = json_object();
    json_object_set_new(object, "best", describe_number(r->best[k]));
    json_object_set_new(object, "mean", describe_number(r->mean[k]));
    json_object_set_new(object, "sd", describe_number(r->deviation[k]));
    json_object_set_new(object, "lower", describe_number(r->lower[k]));
    json_object_set_new(object, "median", describe_number(r->median[k]));
    json_object_set_new(object, "upper", describe_number(r->upper[k]));
    json_object_set_new(object, "data_sd", describe_number(r->data_deviation[k]));
    json_object_set_new(object, "emulator", describe_number(r->emulator[k]));
    json_object_set_new(object, "rhat", describe_number(r->rhat[k]));
    json_object_set_new(object, "effective", describe_number(r->effective[k]));
    return object;
}

static json_t *describe_sigmas(const gofh_posterior_results *r)
{
    json_t *object = json_object();
    for (int g = 0; g < r->sigmas; g++) {
        json_t *own = json_object();
        json_object_set_new(own, "mean", describe_number(r->sigma_mean[g]));
        json_object_set_new(own, "lower", describe_number(r->sigma_lower[g]));
        json_object_set_new(own, "upper", describe_number(r->sigma_upper[g]));
        json_object_set_new(object, r->sigma_data[g], own);
    }
    return object;
}

/* The probability of each value of a discrete parameter, by its text; NULL: it is none. */
static json_t *describe_probabilities(const session *s, const gofh_posterior *posterior, int k)
{
    const problem_parameter *own = &s->file.parameters[k];
    const double *probability;
    int count = gofh_posterior_probabilities(posterior, k, &probability);
    double *value = count ? malloc((size_t)count * sizeof *value) : NULL;
    if (!value) return NULL;
    json_t *object = json_object();
    parameter_list(own, count, value);
    for (int i = 0; i < count; i++) {
        char text[PARAMETER_TEXT];
        parameter_write(own, value[i], text);
        json_object_set_new(object, text, describe_number(probability[i]));
    }
    free(value);
    return object;
}

/* x: the samples; NULL: they are not wanted. */
static int print_json(const session *s, const gofh_posterior *posterior, const gofh_posterior_results *r,
                      const double *x)
{
    json_t *object = json_object(), *parameters = json_object(), *rows = json_array();
    for (int k = 0; k < s->d; k++) {
        json_t *one = describe_parameter(r, k), *values = describe_probabilities(s, posterior, k);
        if (values) json_object_set_new(one, "probabilities", values);
        json_object_set_new(parameters, s->file.parameters[k].name, one);
        json_array_append_new(rows, numbers(r->correlation + k * s->d, s->d));
    }
    json_object_set_new(object, "parameters", parameters);
    json_object_set_new(object, "correlation", rows);
    json_object_set_new(object, "sigma", describe_sigmas(r));
    json_object_set_new(object, "data", json_integer(r->data));
    json_object_set_new(object, "misfit", describe_number(r->misfit));
    json_object_set_new(object, "converged", json_boolean(r->converged));
    json_object_set_new(object, "message", describe_text(r->message));
    if (x) {
        json_t *samples = json_array();
        for (int i = 0; i < r->samples; i++)
            json_array_append_new(samples, numbers(x + (size_t)i * (size_t)s->d, s->d));
        json_object_set_new(object, "samples", samples);
    }
    return describe_print(s, object);
}

/* As gofh export has it: in quotes where it would not be read back as it is. */
static void print_cell(const char *text)
{
    int quoted = strpbrk(text, ",;\t\" #'") != NULL;
    if (quoted) putchar('"');
    for (; *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    if (quoted) putchar('"');
}

static void print_samples(const session *s, const gofh_posterior_results *r, const double *x)
{
    for (int k = 0; k < s->d; k++) printf("%s%s", k ? "," : "", s->file.parameters[k].name);
    putchar('\n');
    for (int i = 0; i < r->samples; i++) {
        for (int k = 0; k < s->d; k++) {
            char text[PARAMETER_TEXT];
            parameter_write(&s->file.parameters[k], x[i * s->d + k], text);
            if (k) putchar(',');
            print_cell(text);
        }
        putchar('\n');
    }
}

static int print_posterior(const session *s, const gofh_posterior *posterior, int samples, int json)
{
    gofh_posterior_results r;
    gofh_status status = gofh_posterior_summary(posterior, &r);
    if (status) return session_exit(status);
    double *x = samples ? malloc((size_t)r.samples * (size_t)s->d * sizeof *x) : NULL;
    if (samples && !x) return session_no_memory(s);
    if (x) gofh_posterior_sample(posterior, x, NULL);
    int printed = EXIT_DONE;
    if (json)
        printed = print_json(s, posterior, &r, x);
    else if (x)
        print_samples(s, &r, x);
    else
        print_table(s, posterior, &r);
    free(x);
    /* Samples go on to other programs, which must not take them for good. */
    if (!r.converged && samples) fputs("gofh posterior: the sampler has not converged\n", stderr);
    return printed ? printed : r.converged ? EXIT_DONE : EXIT_NO_RESULT;
}

static int posterior_of(const session *s, int samples, int json)
{
    gofh_posterior *posterior;
    gofh_status status = gofh_posterior_create(&posterior, s->study, samples);
    if (status == GOFH_ERROR_EMPTY) {
        const char *why = gofh_study_message(s->study);
        fprintf(stderr, "gofh posterior: %s\n", *why ? why : "no trial has an f yet");
        return EXIT_NO_RESULT;
    }
    if (status) return session_failed(s, status);
    int printed = print_posterior(s, posterior, samples, json);
    gofh_posterior_free(posterior);
    return printed;
}

int command_posterior(int count, char **arguments)
{
    const char *path, *text = NULL;
    int json = 0;
    long long samples = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {"--samples", NULL, &text}, {0}};
    arguments_spec spec = {"posterior", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    if (text && (status = arguments_number("posterior", "--samples", text, 100, 1000000, &samples)))
        return status;
    session s;
    status = session_read(&s, "posterior", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = posterior_of(&s, (int)samples, json);
    session_close(&s);
    return status;
}
