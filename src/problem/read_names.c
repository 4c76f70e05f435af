/* Names and who has them; the sections outputs and noise. */
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

static gofh_status fail_unknown_noise(reader *r, const yaml_node *key)
{
    const problem_file *file = r->file;
    const char **names = memory_new((size_t)file->output_count + 1, sizeof *names);
    if (!names) return reader_memory(r);
    for (int i = 0; i < file->output_count; i++) names[i] = file->outputs[i].name;
    reader_fail(r, key, "noise of \"%.60s\", which is not an output", key->text);
    reader_hint_word(r, key->text, names);
    free(names);
    return r->error->status;
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
        if (!output) return fail_unknown_noise(r, key);
        gofh_status status = read_variance(r, section->items[i], output->name, &output->noise);
        for (int j = 0; j < output->size && !status; j++)
            status = gofh_problem_set_noise(file->problem, first + j, output->noise);
        if (status) return status;
    }
    return GOFH_OK;
}
