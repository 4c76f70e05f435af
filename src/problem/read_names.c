/* The sections that define names: parameters, outputs and their noise. */
#include "base/letters.h"
#include "base/memory.h"
#include "problem/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether it is the name of the standard deviations of data. */
static bool is_sigma(const problem_data *data, const char *name)
{
    size_t length = strlen(data->name);
    return data->sigma && strncmp(name, data->name, length) == 0 && strcmp(name + length, "_sigma") == 0;
}

const char *names_owner(const reader *r, const char *name)
{
    const problem_file *file = r->file;
    for (int i = 0; i < file->parameter_count; i++)
        if (strcmp(file->parameters[i].name, name) == 0) return "a parameter";
    for (int i = 0; i < file->output_count; i++)
        if (strcmp(file->outputs[i].name, name) == 0) return "an output";
    for (int i = 0; i < file->data_count; i++)
        if (strcmp(file->data[i].name, name) == 0) return "data";
    for (int i = 0; i < file->data_count; i++)
        if (is_sigma(&file->data[i], name)) return "the sigma of data";
    return NULL;
}

gofh_status names_claim(reader *r, const yaml_node *key, const char *what, char **name)
{
    if (!letters_are_name(key->text) || strlen(key->text) > 60) {
        reader_fail(r, key, "\"%.60s\" can't be the name of %s", key->text, what);
        return reader_hint(
            r, "a name is letters, digits and \"_\", 60 bytes at most, and does not start with a digit");
    }
    const char *owner = names_owner(r, key->text);
    if (owner)
        return reader_fail(r, key, "\"%s\" can't be the name of %s: it is that of %s already", key->text,
                           what, owner);
    *name = memory_copy_text(key->text);
    return *name ? GOFH_OK : reader_memory(r);
}

gofh_status names_check(reader *r, const yaml_node *key, gofh_status status, const gofh_error *found)
{
    if (status == GOFH_OK) return GOFH_OK;
    if (status == GOFH_ERROR_MEMORY) return reader_memory(r);
    return reader_fail(r, key, "%s", found->message);
}

static gofh_status read_bounds(reader *r, const yaml_node *key, const yaml_node *value,
                               const yaml_node *bounds[2])
{
    static const char *const keys[] = {"lower", "upper", "scale", NULL};
    if (value->kind == YAML_LIST && value->count == 2) {
        bounds[0] = value->items[0];
        bounds[1] = value->items[1];
        return GOFH_OK;
    }
    if (value->kind != YAML_MAPPING) {
        reader_fail(r, value->kind == YAML_NOTHING ? key : value, "parameter \"%s\" has no bounds",
                    key->text);
        reader_hint(r, "write [lower, upper] or {lower: 0, upper: 1, scale: linear}");
        return GOFH_ERROR_PROBLEM;
    }
    char where[100];
    snprintf(where, sizeof where, "parameter \"%s\"", key->text);
    gofh_status status = reader_mapping(r, value, where, keys);
    for (int i = 0; i < 2 && !status; i++) {
        bounds[i] = yaml_get(value, keys[i]);
        if (!bounds[i])
            status = reader_fail(r, key, "parameter \"%s\" has no %s bound: write %s: and a number",
                                 key->text, keys[i], keys[i]);
    }
    return status;
}

static gofh_status read_values(reader *r, const yaml_node *value, const yaml_node *bounds[2],
                               problem_parameter *parameter)
{
    static const char *const scales[] = {"linear", "log", NULL};
    char lower[100], upper[100];
    int scale = 0;
    snprintf(lower, sizeof lower, "the lower bound of parameter \"%s\"", parameter->name);
    snprintf(upper, sizeof upper, "the upper bound of parameter \"%s\"", parameter->name);
    gofh_status status = reader_number(r, bounds[0], lower, &parameter->lower);
    if (!status) status = reader_number(r, bounds[1], upper, &parameter->upper);
    const yaml_node *node = value->kind == YAML_MAPPING ? yaml_get(value, "scale") : NULL;
    if (!status && node) status = reader_choice(r, node, "scale", scales, &scale);
    parameter->scale = scale ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR;
    if (status) return status;
    if (!(parameter->upper > parameter->lower))
        return reader_fail(r, bounds[1], "upper bound %g of parameter \"%s\" is not above its lower bound %g",
                           parameter->upper, parameter->name, parameter->lower);
    if (scale && !(parameter->lower > 0.0))
        return reader_fail(r, bounds[0],
                           "lower bound %g of parameter \"%s\" is not above 0, as a log scale needs",
                           parameter->lower, parameter->name);
    return GOFH_OK;
}

static gofh_status read_parameter(reader *r, const yaml_node *key, const yaml_node *value)
{
    problem_file *file = r->file;
    problem_parameter *parameter = &file->parameters[file->parameter_count];
    const yaml_node *bounds[2] = {value, value};
    if (strcmp(key->text, "params") == 0 || strcmp(key->text, "results") == 0 ||
        strcmp(key->text, "trial") == 0)
        return reader_fail(r, key, "a parameter can't be called \"%s\": {%s} has a meaning in the command",
                           key->text, key->text);
    gofh_status status = names_claim(r, key, "a parameter", &parameter->name);
    if (status) return status;
    file->parameter_count++;
    status = read_bounds(r, key, value, bounds);
    if (!status) status = read_values(r, value, bounds, parameter);
    if (status) return status;
    gofh_error found = {.status = GOFH_OK};
    status = gofh_symbols_add_parameter(r->symbols, parameter->name, &found);
    if (!status) {
        status = gofh_problem_add_parameter(file->problem, parameter->name, parameter->lower,
                                            parameter->upper, parameter->scale);
        snprintf(found.message, sizeof found.message, "%s", gofh_problem_message(file->problem));
    }
    return names_check(r, key, status, &found);
}

gofh_status read_parameters(reader *r, const yaml_node *section)
{
    if (section->kind != YAML_MAPPING || section->count == 0) {
        reader_fail(r, section, "parameters must be a mapping of names to bounds");
        return reader_hint(r, "such as D: {lower: 0.02, upper: 0.12}");
    }
    if (section->count > GOFH_MAX_PARAMETERS)
        return reader_fail(r, section->keys[GOFH_MAX_PARAMETERS], "there are more than %d parameters",
                           GOFH_MAX_PARAMETERS);
    r->file->parameters = memory_new(section->count, sizeof *r->file->parameters);
    if (!r->file->parameters) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < section->count && !status; i++)
        status = read_parameter(r, section->keys[i], section->items[i]);
    return status;
}

enum { OUTPUTS_MAX = 1000000 };

/* {at: t, extend: last} */
static gofh_status read_curve(reader *r, const yaml_node *value, problem_output *output)
{
    static const char *const words[] = {"never", "last", NULL};
    const yaml_node *at = yaml_get(value, "at"), *extend = yaml_get(value, "extend"),
                    *size = yaml_get(value, "size");
    if (!at && extend) return reader_fail(r, extend, "extend is for curves: outputs with at");
    if (!at) return GOFH_OK;
    if (size)
        return reader_fail(r, size, "the size of output \"%s\" is that of its data: leave it out",
                           output->name);
    gofh_status status = reader_text(r, at, "at", &output->at_name);
    return !status && extend ? reader_choice(r, extend, "extend", words, &output->extend) : status;
}

/* A size, or {size: 12, missing: allowed}, or {at: t}. */
static gofh_status read_about(reader *r, const yaml_node *value, problem_output *output)
{
    static const char *const keys[] = {"size", "at", "extend", "missing", NULL};
    static const char *const words[] = {"refused", "allowed", NULL};
    char what[100];
    snprintf(what, sizeof what, "the size of output \"%s\"", output->name);
    if (value->kind != YAML_MAPPING) return reader_integer(r, value, what, 1, OUTPUTS_MAX, &output->size);
    char where[100];
    snprintf(where, sizeof where, "output \"%s\"", output->name);
    gofh_status status = reader_mapping(r, value, where, keys);
    const yaml_node *size = yaml_get(value, "size"), *missing = yaml_get(value, "missing");
    if (!status && size) status = reader_integer(r, size, what, 1, OUTPUTS_MAX, &output->size);
    if (!status && missing) status = reader_choice(r, missing, "missing", words, &output->missing);
    return status ? status : read_curve(r, value, output);
}

/* `about` is NULL in a list of names. */
static gofh_status read_output(reader *r, const yaml_node *key, const yaml_node *about)
{
    problem_file *file = r->file;
    problem_output *output = &file->outputs[file->output_count];
    gofh_status status = names_claim(r, key, "an output", &output->name);
    if (status) return status;
    file->output_count++;
    output->noise = NAN;
    output->size = 1;
    return about ? read_about(r, about, output) : GOFH_OK;
}

gofh_status read_outputs(reader *r, const yaml_node *section)
{
    bool list = section->kind == YAML_LIST;
    if ((!list && section->kind != YAML_MAPPING) || section->count == 0) {
        reader_fail(r, section, "outputs must be a mapping of names to sizes");
        return reader_hint(r, "such as {c: 12}; or a list of names, such as [mass, stress]");
    }
    r->file->outputs = memory_new(section->count, sizeof *r->file->outputs);
    if (!r->file->outputs) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < section->count && !status; i++) {
        const yaml_node *name = list ? section->items[i] : section->keys[i];
        status = list && name->kind != YAML_SCALAR
                     ? reader_fail(r, name, "the name of an output must be a word, not %s", reader_kind(name))
                     : read_output(r, name, list ? NULL : section->items[i]);
    }
    return status;
}

static gofh_status read_variance(reader *r, const yaml_node *value, const char *name, double *variance)
{
    static const char *const keys[] = {"variance", NULL};
    char what[110];
    snprintf(what, sizeof what, "the noise of output \"%s\"", name);
    const yaml_node *node = value;
    if (value->kind == YAML_MAPPING) {
        gofh_status status = reader_mapping(r, value, what, keys);
        if (status) return status;
        node = yaml_get(value, "variance");
        if (!node) return reader_fail(r, value, "%s has no variance", what);
    }
    double number;
    gofh_status status = reader_number(r, node, what, &number);
    if (status) return status;
    *variance = node == value ? number * number : number;
    if (number < 0.0 || !isfinite(*variance))
        return reader_fail(r, node, "%s must be 0 or above, not %.60s", what, node->text);
    return GOFH_OK;
}

static problem_output *find_output(const problem_file *file, const char *name, int *first)
{
    *first = 0;
    for (int i = 0; i < file->output_count; i++) {
        if (strcmp(file->outputs[i].name, name) == 0) return &file->outputs[i];
        *first += file->outputs[i].size;
    }
    return NULL;
}

gofh_status read_noise(reader *r, const yaml_node *section)
{
    problem_file *file = r->file;
    if (section->kind == YAML_SCALAR && strcmp(section->text, "estimated") == 0) {
        file->settings.noise = GOFH_NOISE_ESTIMATED;
        return GOFH_OK;
    }
    if (section->kind != YAML_MAPPING) {
        reader_fail(r, section, "noise must be a mapping of outputs to standard deviations");
        return reader_hint(r, "such as {c: 0.1} or {c: {variance: 0.01}}; or the word estimated");
    }
    for (size_t i = 0; i < section->count; i++) {
        const yaml_node *key = section->keys[i];
        int first;
        problem_output *output = find_output(file, key->text, &first);
        if (!output) return reader_fail(r, key, "noise of \"%.60s\", which is not an output", key->text);
        gofh_status status = read_variance(r, section->items[i], output->name, &output->noise);
        for (int j = 0; j < output->size && !status; j++)
            status = gofh_problem_set_noise(file->problem, first + j, output->noise);
        if (status) return status;
    }
    return GOFH_OK;
}
