#include "cli/describe.h"

#include "cli/commands.h"

#include <math.h>
#include <string.h>

const char *describe_state(gofh_trial_state state)
{
    return state == GOFH_TRIAL_DONE ? "done" : state == GOFH_TRIAL_FAILED ? "failed" : "open";
}

json_t *describe_number(double value)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value > 0.0 ? "inf" : "-inf");
    return json_real(value);
}

json_t *describe_parameters(const session *s, const double *x)
{
    json_t *object = json_object();
    for (int k = 0; k < s->d; k++) json_object_set_new(object, s->file.parameters[k].name, json_real(x[k]));
    return object;
}

json_t *describe_outputs(const session *s, const double *y)
{
    json_t *object = json_object();
    for (int i = 0; i < s->file.output_count; i++) {
        const problem_output *output = &s->file.outputs[i];
        json_t *value = output->size == 1 ? json_real(*y) : json_array();
        for (int j = 0; output->size > 1 && j < output->size; j++)
            json_array_append_new(value, json_real(y[j]));
        json_object_set_new(object, output->name, value);
        y += output->size;
    }
    return object;
}

json_t *describe_trial(const session *s, const gofh_trial *trial)
{
    json_t *object = json_object();
    json_object_set_new(object, "trial", json_integer(trial->trial));
    json_object_set_new(object, "status", json_string(describe_state(trial->state)));
    json_object_set_new(object, "origin", json_string(trial->origin));
    json_object_set_new(object, "expected", describe_number(trial->expected));
    json_object_set_new(object, "parameters", describe_parameters(s, trial->x));
    if (trial->state == GOFH_TRIAL_DONE) {
        json_object_set_new(object, "outputs", describe_outputs(s, trial->y));
        json_object_set_new(object, "f", describe_number(trial->f));
    }
    if (trial->state == GOFH_TRIAL_FAILED) json_object_set_new(object, "reason", json_string(trial->reason));
    return object;
}

int describe_print(const session *s, json_t *object)
{
    if (!object) return session_no_memory(s);
    int failed = json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(object);
    return failed ? session_no_memory(s) : EXIT_DONE;
}

static void line(FILE *file, int width, const char *label, double value)
{
    fprintf(file, "  %-*s  %.10g\n", width, label, value);
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
    for (int k = 0; k < s->d; k++) line(file, width, s->file.parameters[k].name, x[k]);
    for (int j = 0; y && j < s->m; j++) {
        if (j == 0) fputc('\n', file);
        session_label(s, j, label);
        line(file, width, label, y[j]);
    }
}
