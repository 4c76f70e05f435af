#include "cli/describe.h"

#include "base/number.h"
#include "base/printable.h"
#include "cli/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *describe_state(gofh_trial_state state)
{
    return state == GOFH_TRIAL_DONE     ? "done"
           : state == GOFH_TRIAL_FAILED ? "failed"
           : state == GOFH_TRIAL_OPEN   ? "open"
                                        : "forgotten";
}

char *describe_clean(const char *text)
{
    size_t length = strlen(text), used = 0;
    char *clean = malloc(length + 1);
    while (clean && used < length) {
        int bytes = printable_bytes(text + used);
        if (bytes)
            memcpy(clean + used, text + used, (size_t)bytes);
        else
            clean[used] = '?';
        used += bytes ? (size_t)bytes : 1;
    }
    if (clean) clean[length] = '\0';
    return clean;
}

void describe_line(const char *before, const char *text)
{
    char *clean = describe_clean(text);
    printf("%s%s\n", before, clean ? clean : "");
    free(clean);
}

json_t *describe_text(const char *text)
{
    char *clean = describe_clean(text);
    json_t *string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

json_t *describe_number(double value)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value > 0.0 ? "inf" : "-inf");
    return json_real(value);
}

/* Listed values have the digits that they have in all other files: 10, not 10.0. */
static json_t *describe_listed(double value)
{
    int whole = value == floor(value) && fabs(value) < 1e15;
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

json_t *describe_parameters(const session *s, const double *x)
{
    json_t *object = json_object();
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &s->file.parameters[k];
        char text[PARAMETER_TEXT];
        parameter_write(p, x[k], text);
        json_object_set_new(object, p->name,
                            p->words                        ? json_string(text)
                            : p->kind == PARAMETER_INTERVAL ? json_real(x[k])
                                                            : describe_listed(x[k]));
    }
    return object;
}

json_t *describe_outputs(const session *s, const double *y)
{
    json_t *object = json_object();
    for (int i = 0; i < s->file.output_count; i++) {
        const problem_output *output = &s->file.outputs[i];
        json_t *value = output->size == 1 ? describe_number(*y) : json_array();
        for (int j = 0; output->size > 1 && j < output->size; j++)
            json_array_append_new(value, describe_number(y[j]));
        json_object_set_new(object, output->name, value);
        y += output->size;
    }
    return object;
}

/* NaN where it is not known. */
static double margin_of(gofh_study *study, int number, const double *x, const double *y)
{
    double margin;
    return gofh_study_margin(study, number, x, y, &margin) ? NAN : margin;
}

int describe_violates(const session *s, gofh_study *study, const double *x, const double *y)
{
    for (int i = 0; i < s->file.constraint_count; i++)
        if (!(margin_of(study, i, x, y) >= 0.0)) return 1;
    return 0;
}

/* Above it squares overflow. */
#define SQUARE_MAX 1e154

const char *describe_infinite(const session *s, gofh_study *study, double f, const double *x, const double *y)
{
    if (!isinf(f)) return "";
    if (describe_violates(s, study, x, y)) return ": a constraint does not hold";
    for (int j = 0; j < s->m; j++)
        if (fabs(y[j]) > SQUARE_MAX) return ": the objective overflows, for an output is beyond 1e154";
    return ": the objective has no finite value there (a logarithm of 0, a division by 0, an overflow?)";
}

json_t *describe_margins(const session *s, gofh_study *study, const gofh_trial *trial)
{
    json_t *array = json_array();
    for (int i = 0; i < s->file.constraint_count; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "constraint", describe_text(s->file.constraints[i]));
        json_object_set_new(item, "margin", describe_number(margin_of(study, i, trial->x, trial->y)));
        json_array_append_new(array, item);
    }
    return array;
}

json_t *describe_trial(const session *s, const gofh_trial *trial)
{
    json_t *object = json_object();
    json_object_set_new(object, "trial", json_integer(trial->trial));
    json_object_set_new(object, "status", json_string(describe_state(trial->state)));
    json_object_set_new(object, "origin", describe_text(trial->origin));
    json_object_set_new(object, "expected", describe_number(trial->expected));
    if (!isnan(trial->feasible)) json_object_set_new(object, "feasible", json_real(trial->feasible));
    json_object_set_new(object, "parameters", describe_parameters(s, trial->x));
    if (trial->y) {
        json_object_set_new(object, "outputs", describe_outputs(s, trial->y));
        if (trial->variance) json_object_set_new(object, "variance", describe_outputs(s, trial->variance));
        json_object_set_new(object, "f", describe_number(trial->f));
        if (s->study && s->file.constraint_count > 0)
            json_object_set_new(object, "constraints", describe_margins(s, s->study, trial));
    }
    if (trial->state != GOFH_TRIAL_OPEN && !trial->y)
        json_object_set_new(object, "reason", describe_text(trial->reason));
    return object;
}

void describe_print_number(FILE *file, double value)
{
    char text[NUMBER_TEXT];
    number_write(value, text);
    fputs(text, file);
}

/* As JSON's number that is no integer: 1 is 1.0. */
static int dump_real(double value)
{
    char text[NUMBER_TEXT];
    number_write(value, text);
    return printf("%s%s", text, strpbrk(text, ".en") ? "" : ".0") < 0;
}

static int dump_other(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    int failed = !text || fputs(text, stdout) == EOF;
    free(text);
    return failed;
}

static int dump(json_t *value);

static int dump_object(json_t *value)
{
    const char *name;
    json_t *item;
    const char *before = "{";
    int failed = 0;
    json_object_foreach(value, name, item)
    {
        json_t *key = json_string(name);
        fputs(before, stdout);
        before = ",";
        failed |= dump_other(key);
        putchar(':');
        failed |= dump(item);
        json_decref(key);
    }
    fputs(*before == '{' ? "{}" : "}", stdout);
    return failed;
}

static int dump_array(json_t *value)
{
    int failed = 0;
    putchar('[');
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (i > 0) putchar(',');
        failed |= dump(json_array_get(value, i));
    }
    putchar(']');
    return failed;
}

/* As jansson does, but for the digits of numbers: no more than are needed. */
static int dump(json_t *value)
{
    return json_is_real(value)     ? dump_real(json_real_value(value))
           : json_is_object(value) ? dump_object(value)
           : json_is_array(value)  ? dump_array(value)
                                   : dump_other(value);
}

int describe_print(const session *s, json_t *object)
{
    if (!object) return session_no_memory(s);
    int failed = dump(object);
    putchar('\n');
    json_decref(object);
    return failed ? session_no_memory(s) : EXIT_DONE;
}

static void line(FILE *file, int width, const char *label, double value)
{
    if (isnan(value))
        fprintf(file, "  %-*s  missing\n", width, label);
    else
        number_print(file, "  %-*s  %.10g\n", width, label, value);
}

void describe_values(const session *s, FILE *file, const double *x, const double *y)
{
    char label[SESSION_LABEL];
    int width = 0;
    for (int k = 0; k < s->d; k++) {
        int length = (int)strlen(s->file.parameters[k].name);
        width = length > width ? length : width;
    }
    for (int j = 0; y && j < s->m; j++) {
        session_label(s, j, label);
        width = (int)strlen(label) > width ? (int)strlen(label) : width;
    }
    for (int k = 0; k < s->d; k++) {
        const problem_parameter *p = &s->file.parameters[k];
        char text[PARAMETER_TEXT];
        parameter_write(p, x[k], text);
        if (p->words)
            fprintf(file, "  %-*s  %s\n", width, p->name, text);
        else
            line(file, width, p->name, x[k]);
    }
    for (int j = 0; y && j < s->m; j++) {
        if (j == 0) fputc('\n', file);
        session_label(s, j, label);
        line(file, width, label, y[j]);
    }
}

void describe_constraints(const session *s, gofh_study *study, FILE *file, const double *x, const double *y)
{
    for (int i = 0; i < s->file.constraint_count; i++) {
        double margin = margin_of(study, i, x, y);
        char *text = describe_clean(s->file.constraints[i]);
        fprintf(file, "  %s: ", text ? text : "");
        free(text);
        if (margin >= 0.0)
            number_print(file, "met, by %.4g\n", margin);
        else if (isfinite(margin))
            number_print(file, "violated by %.4g\n", -margin);
        else
            fputs("has no value\n", file);
    }
}

void describe_best(const session *s, const char *before, const gofh_trial *best)
{
    long long trial = (long long)best->trial;
    if (isfinite(best->f)) {
        number_print(stdout, "%sf = %.10g (trial %lld)\n", before, best->f, trial);
        return;
    }
    if (!describe_violates(s, s->study, best->x, best->y)) {
        printf("%sf is finite nowhere yet; %strial %lld%s\n", before,
               s->file.constraint_count ? "the constraints are met by " : "the first is ", trial,
               describe_infinite(s, s->study, best->f, best->x, best->y));
        return;
    }
    printf("%snothing meets the constraints yet; trial %lld violates them least:\n", before, trial);
    describe_constraints(s, s->study, stdout, best->x, best->y);
}

void describe_without_f(const session *s, const char *before)
{
    int count = 0;
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++) {
        gofh_trial trial;
        if (gofh_study_trial(s->study, i, &trial)) continue;
        count += trial.state == GOFH_TRIAL_DONE && isnan(trial.f);
    }
    if (count > 0)
        printf("%s%d trial%s no f, for outputs that it needs are missing\n", before, count,
               count == 1 ? " has" : "s have");
}

int describe_is_noisy(const session *s, const gofh_trial *trial)
{
    int noisy = s->file.settings.noise == GOFH_NOISE_ESTIMATED || trial->variance != NULL;
    for (int i = 0; i < s->file.output_count; i++) noisy |= s->file.outputs[i].noise > 0.0;
    return noisy;
}

void describe_noise(const session *s, const char *before, int64_t best, double f)
{
    int64_t better = best;
    int maximize = s->file.sense == GOFH_MAXIMIZE;
    for (int64_t i = 1; isfinite(f) && i <= gofh_study_count(s->study); i++) {
        gofh_trial trial;
        if (gofh_study_trial(s->study, i, &trial) || trial.state != GOFH_TRIAL_DONE) continue;
        if (!(maximize ? trial.f > f : trial.f < f)) continue;
        better = i;
        f = trial.f;
    }
    if (better != best)
        number_print(stdout, "%swith noise the best has the best posterior mean; trial %lld had f = %.10g\n",
                     before, (long long)better, f);
}
