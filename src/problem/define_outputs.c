/* Outputs as the problem knows them, with the sizes of curves, which are those of their data. */
#include "problem/names.h"

#include <stdio.h>
#include <string.h>

/* The data that an output is fitted to; NULL: none. */
static const yaml_node *find_fitted(const reader *r, const char *output)
{
    const yaml_node *objective = yaml_get(r->tree.root, "objective");
    const yaml_node *fit = objective && objective->kind == YAML_MAPPING ? yaml_get(objective, "fit") : NULL;
    const yaml_node *data = fit && fit->kind == YAML_MAPPING ? yaml_get(fit, output) : NULL;
    if (data && data->kind == YAML_MAPPING) data = yaml_get(data, "data");
    return data && data->kind == YAML_SCALAR ? data : NULL;
}

/* The only data with places; -1: there are none, or several. */
static int only_places(const problem_file *file)
{
    int found = -1;
    for (int i = 0; i < file->data_count; i++) {
        if (!file->data[i].at) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

/* The data at whose places a curve is wanted: those it is fitted to, or the only ones that have
 * places. */
static gofh_status find_places(reader *r, const yaml_node *key, problem_output *output)
{
    const problem_file *file = r->file;
    const yaml_node *fitted = find_fitted(r, output->name);
    output->data = fitted ? -1 : only_places(file);
    for (int i = 0; fitted && i < file->data_count; i++)
        if (strcmp(file->data[i].name, fitted->text) == 0) output->data = i;
    if (output->data >= 0 && file->data[output->data].at) {
        output->size = file->data[output->data].size;
        return GOFH_OK;
    }
    if (fitted && output->data >= 0)
        reader_fail(r, fitted,
                    "output \"%s\" is a curve, but data \"%s\" do not say where they were measured",
                    output->name, fitted->text);
    else
        reader_fail(r, key, "output \"%s\" is a curve, but where it is wanted is not clear", output->name);
    return reader_hint(r, "fit it to data with at, such as {file: m.csv, column: V, at: t}");
}

static gofh_status define(reader *r, const yaml_node *key, const problem_output *output, int first)
{
    gofh_problem *problem = r->file->problem;
    gofh_error found = {.status = GOFH_OK};
    gofh_status status = gofh_symbols_add_output(r->symbols, output->name, output->size, &found);
    if (!status) {
        status = gofh_problem_add_output(problem, output->name, output->size);
        for (int j = 0; output->missing && j < output->size && !status; j++)
            status = gofh_problem_allow_missing(problem, first + j);
        snprintf(found.message, sizeof found.message, "%s", gofh_problem_message(problem));
    }
    return names_check(r, key, status, &found);
}

gofh_status define_outputs(reader *r)
{
    problem_file *file = r->file;
    const yaml_node *section = yaml_get(r->tree.root, "outputs");
    gofh_status status = GOFH_OK;
    for (int i = 0, first = 0; i < file->output_count && !status; first += file->outputs[i++].size) {
        const yaml_node *key = section->kind == YAML_LIST ? section->items[i] : section->keys[i];
        if (file->outputs[i].at_name) status = find_places(r, key, &file->outputs[i]);
        if (!status) status = define(r, key, &file->outputs[i], first);
    }
    return status;
}
