/* The points that the user has. */
#include "base/memory.h"
#include "problem/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -1, with an error at the key: there is none of this name. */
static int find_parameter(reader *r, const yaml_node *key)
{
    const problem_file *file = r->file;
    const char *names[GOFH_MAX_PARAMETERS + 1] = {NULL};
    for (int k = 0; k < file->parameter_count; k++) {
        names[k] = file->parameters[k].name;
        if (strcmp(names[k], key->text) == 0) return k;
    }
    reader_fail(r, key, "start of \"%.60s\", which is not a parameter", key->text);
    reader_hint_word(r, key->text, names);
    return -1;
}

static gofh_status read_value(reader *r, const yaml_node *node, const problem_parameter *parameter,
                              double *value)
{
    char what[110], why[400];
    snprintf(what, sizeof what, "the start value of parameter \"%s\"", parameter->name);
    if (parameter->kind != PARAMETER_INTERVAL && node->kind == YAML_SCALAR)
        return parameter_read(parameter, node->text, value, why, sizeof why)
                   ? GOFH_OK
                   : reader_fail(r, node, "start %s", why);
    gofh_status status = reader_number(r, node, what, value);
    if (status || (*value >= parameter->lower && *value <= parameter->upper)) return status;
    int digits = parameter_digits(*value, parameter->lower, parameter->upper);
    return reader_fail(r, node, "start value %.*g of parameter \"%s\" is outside its bounds %.*g to %.*g",
                       digits, *value, parameter->name, digits, parameter->lower, digits, parameter->upper);
}

static gofh_status read_point(reader *r, const yaml_node *point, double *x)
{
    if (point->kind != YAML_MAPPING || point->count == 0) {
        reader_fail(r, point, "a start point must be a mapping of parameters to values, not %s",
                    point->kind == YAML_MAPPING ? "empty" : reader_kind(point));
        return reader_hint(r, "such as {%s: %.6g}", r->file->parameters[0].name,
                           r->file->parameters[0].lower);
    }
    for (int k = 0; k < r->file->parameter_count; k++) x[k] = NAN;
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < point->count && !status; i++) {
        int k = find_parameter(r, point->keys[i]);
        if (k < 0) return GOFH_ERROR_PROBLEM;
        status = read_value(r, point->items[i], &r->file->parameters[k], &x[k]);
    }
    return status;
}

enum { STARTS_MAX = 10000 };

gofh_status read_start(reader *r, const yaml_node *section)
{
    problem_file *file = r->file;
    size_t d = (size_t)file->parameter_count, count = section->kind == YAML_LIST ? section->count : 1;
    if (count > STARTS_MAX)
        return reader_fail(r, section->items[STARTS_MAX], "there are more than %d start points", STARTS_MAX);
    file->starts = memory_doubles(count * d);
    file->start_at = memory_new(count, sizeof *file->start_at);
    if (!file->starts || !file->start_at) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const yaml_node *point = section->kind == YAML_LIST ? section->items[i] : section;
        text_place(&r->tree.text, point->at, &file->start_at[i].line, &file->start_at[i].column);
        status = read_point(r, point, file->starts + i * d);
    }
    file->start_count = (int)count;
    return status;
}
