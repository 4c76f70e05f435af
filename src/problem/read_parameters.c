/* The section parameters: intervals, grids, catalogues, choices and fixed values. */
#include "base/memory.h"
#include "base/number.h"
#include "problem/names.h"
#include "problem/scalar.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KEYS[] = {"lower",  "upper",   "scale",   "step",  "integer",
                                   "values", "choices", "ordered", "fixed", NULL};

/* A value of YAML that is true or false. */
static gofh_status read_flag(reader *r, const yaml_node *node, const char *what, bool *flag)
{
    static const char *const words[] = {"false", "true", NULL};
    int value = 0;
    gofh_status status = node ? reader_choice(r, node, what, words, &value) : GOFH_OK;
    *flag = value != 0;
    return status;
}

static gofh_status read_scale(reader *r, const yaml_node *value, problem_parameter *p)
{
    static const char *const scales[] = {"linear", "log", NULL};
    int scale = 0;
    const yaml_node *node = value->kind == YAML_MAPPING ? yaml_get(value, "scale") : NULL;
    gofh_status status = node ? reader_choice(r, node, "scale", scales, &scale) : GOFH_OK;
    p->scale = scale ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR;
    return status;
}

/* The nodes of the bounds. */
static gofh_status find_bounds(reader *r, const yaml_node *key, const yaml_node *value,
                               const yaml_node *bounds[2])
{
    if (value->kind == YAML_LIST) {
        bounds[0] = value->items[0];
        bounds[1] = value->items[1];
        return GOFH_OK;
    }
    for (int i = 0; i < 2; i++) {
        bounds[i] = yaml_get(value, KEYS[i]);
        if (!bounds[i])
            return reader_fail(r, key, "parameter \"%s\" has no %s bound: write %s: and a number", key->text,
                               KEYS[i], KEYS[i]);
    }
    return GOFH_OK;
}

static gofh_status read_bounds(reader *r, const yaml_node *key, const yaml_node *value, problem_parameter *p)
{
    const yaml_node *bounds[2] = {value, value};
    char lower[100], upper[100];
    snprintf(lower, sizeof lower, "the lower bound of parameter \"%s\"", p->name);
    snprintf(upper, sizeof upper, "the upper bound of parameter \"%s\"", p->name);
    gofh_status status = find_bounds(r, key, value, bounds);
    if (!status) status = reader_number(r, bounds[0], lower, &p->lower);
    if (!status) status = reader_number(r, bounds[1], upper, &p->upper);
    if (!status) status = read_scale(r, value, p);
    if (status) return status;
    enum { DIGITS = 6 };
    int digits = number_digits_apart(p->upper, p->lower, DIGITS);
    if (!(p->upper > p->lower))
        return reader_fail(r, bounds[1],
                           "upper bound %.*g of parameter \"%s\" is not above its lower bound %.*g", digits,
                           p->upper, p->name, digits, p->lower);
    if (p->scale == GOFH_SCALE_LOG && !(p->lower > 0.0))
        return reader_fail(r, bounds[0],
                           "lower bound %g of parameter \"%s\" is not above 0, as a log scale needs",
                           p->lower, p->name);
    return GOFH_OK;
}

static gofh_status read_grid(reader *r, const yaml_node *value, problem_parameter *p)
{
    const yaml_node *step = yaml_get(value, "step"), *integer = yaml_get(value, "integer");
    bool whole = false;
    char what[100];
    snprintf(what, sizeof what, "the step of parameter \"%s\"", p->name);
    gofh_status status = read_flag(r, integer, "integer", &whole);
    if (!status && step) status = reader_number(r, step, what, &p->step);
    if (status || (!step && !whole)) return status;
    if (!step) p->step = 1.0;
    if (step && !(p->step > 0.0)) return reader_fail(r, step, "%s must be above 0, not %g", what, p->step);
    if (whole && (p->step != floor(p->step) || p->lower != floor(p->lower) || p->upper != floor(p->upper)))
        return reader_fail(
            r, integer, "the bounds and the step of integer parameter \"%s\" must be whole numbers", p->name);
    if (p->step * (1.0 - 1e-9) > p->upper - p->lower) /* 1 - 0.9 is a little below 0.1 */
        return reader_fail(r, step ? step : integer,
                           "step %g of parameter \"%s\" is longer than its range %g to %g", p->step, p->name,
                           p->lower, p->upper);
    if (floor((p->upper - p->lower) / p->step + 0.5) >= INT_MAX) {
        reader_fail(r, step ? step : integer, "parameter \"%s\" has more than %d values", p->name, INT_MAX);
        return reader_hint(r, "leave %s out", !step ? "integer" : whole ? "step and integer" : "the step");
    }
    p->kind = PARAMETER_GRID;
    return GOFH_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define ONE_TEXT "a text that is always the same is no parameter: write it where it is used"

static bool is_text(const yaml_node *node)
{
    double ignored;
    return node->kind == YAML_SCALAR && !scalar_number(node->text, &ignored);
}

/* A list of two values at least. */
static gofh_status check_list(reader *r, const yaml_node *list, const char *what, const problem_parameter *p)
{
    if (list->kind == YAML_LIST && list->count >= 2) return GOFH_OK;
    const yaml_node *one = list->kind == YAML_LIST && list->count == 1 ? list->items[0] : list;
    reader_fail(r, list, "the %s of parameter \"%s\" must be a list of 2 or more", what, p->name);
    return reader_hint(r, is_text(one) ? ONE_TEXT : "a single value is fixed: {fixed: 7850}");
}

static gofh_status read_values(reader *r, const yaml_node *value, const yaml_node *list, problem_parameter *p)
{
    char what[100];
    snprintf(what, sizeof what, "a value of parameter \"%s\"", p->name);
    gofh_status status = check_list(r, list, "values", p);
    if (!status) status = read_scale(r, value, p);
    if (status) return status;
    p->kind = PARAMETER_VALUES;
    p->values = memory_doubles(list->count);
    if (!p->values) return reader_memory(r);
    p->count = (int)list->count;
    for (size_t i = 0; i < list->count && !status; i++) {
        status = reader_number(r, list->items[i], what, &p->values[i]);
        for (size_t k = 0; k < i && !status; k++)
            if (p->values[k] == p->values[i])
                status = reader_fail(r, list->items[i], "parameter \"%s\" has the value %g twice", p->name,
                                     p->values[i]);
        if (!status && p->scale == GOFH_SCALE_LOG && !(p->values[i] > 0.0))
            status = reader_fail(r, list->items[i],
                                 "value %g of parameter \"%s\" is not above 0, as a log scale needs",
                                 p->values[i], p->name);
    }
    qsort(p->values, list->count, sizeof *p->values, ascending);
    p->lower = p->values[0];
    p->upper = p->values[list->count - 1];
    return status;
}

static gofh_status read_choices(reader *r, const yaml_node *value, const yaml_node *list,
                                problem_parameter *p)
{
    char what[100];
    snprintf(what, sizeof what, "a choice of parameter \"%s\"", p->name);
    gofh_status status = check_list(r, list, "choices", p);
    if (!status) status = read_flag(r, yaml_get(value, "ordered"), "ordered", &p->ordered);
    if (status) return status;
    p->kind = PARAMETER_CHOICES;
    p->words = memory_new(list->count, sizeof *p->words);
    if (!p->words) return reader_memory(r);
    for (size_t i = 0; i < list->count && !status; i++) {
        status = reader_text(r, list->items[i], what, &p->words[i]);
        p->count += p->words[i] != NULL;
        for (size_t k = 0; k < i && p->words[i] && !status; k++)
            if (strcmp(p->words[k], p->words[i]) == 0)
                status = reader_fail(r, list->items[i], "parameter \"%s\" has the choice %s twice", p->name,
                                     p->words[i]);
    }
    p->upper = p->count - 1;
    return status;
}

/* held: it has values, of which this one must be one. */
static gofh_status read_fixed(reader *r, const yaml_node *node, problem_parameter *p, bool held)
{
    char what[100], why[400];
    snprintf(what, sizeof what, "the fixed value of parameter \"%s\"", p->name);
    double at = 0.0;
    gofh_status status = GOFH_OK;
    if (!p->words) {
        status = reader_number(r, node, what, &at);
        if (status && !held && is_text(node)) reader_hint(r, ONE_TEXT);
    } else if (node->kind != YAML_SCALAR || !parameter_read(p, node->text, &at, why, sizeof why)) {
        status = reader_fail(r, node, "%s must be one of its choices", what);
    }
    if (!status && held && !p->words && !parameter_read(p, node->text, &at, why, sizeof why))
        status = reader_fail(r, node, "fixed %s", why);
    p->kind = PARAMETER_FIXED;
    p->scale = GOFH_SCALE_LINEAR;
    p->lower = p->upper = at;
    return status;
}

/* What goes together: one of bounds, values and choices, or none where it is fixed. */
static gofh_status check_keys(reader *r, const yaml_node *key, const yaml_node *value)
{
    static const struct {
        const char *key, *with;
    } together[] = {{"step", "lower"}, {"integer", "lower"}, {"ordered", "choices"}};
    static const char *const kinds[] = {"lower", "values", "choices"};
    char where[100];
    snprintf(where, sizeof where, "parameter \"%s\"", key->text);
    gofh_status status = reader_mapping(r, value, where, KEYS);
    if (status) return status;
    const yaml_node *seen = NULL;
    for (int i = 0; i < 3; i++) {
        const yaml_node *node = yaml_get(value, kinds[i]);
        if (seen && node)
            return reader_fail(
                r, node, "%s has two kinds of values: bounds, values and choices exclude each other", where);
        if (node) seen = node;
    }
    for (int i = 0; i < 3; i++) {
        const yaml_node *node = yaml_get(value, together[i].key);
        if (node && !yaml_get(value, together[i].with))
            return reader_fail(r, node, "%s: %s is for parameters with %s", where, together[i].key,
                               i == 2 ? "choices" : "bounds");
    }
    const yaml_node *scale = yaml_get(value, "scale"), *fixed = yaml_get(value, "fixed");
    bool scaled = yaml_get(value, "lower") || yaml_get(value, "upper") || yaml_get(value, "values");
    if (scale && !scaled && (fixed || yaml_get(value, "choices")))
        return reader_fail(r, scale, "%s: scale is for parameters with bounds or values", where);
    return GOFH_OK;
}

/* Two bounds. Other lists are meant to be something else. */
static gofh_status read_list(reader *r, const yaml_node *key, const yaml_node *list, problem_parameter *p)
{
    bool texts = list->count > 0, fraction = false;
    for (size_t i = 0; i < list->count; i++) {
        texts &= is_text(list->items[i]);
        fraction |= i > 0 && reader_is_fraction(r, list->items[i]);
    }
    if (list->count == 2) {
        gofh_status status = read_bounds(r, key, list, p);
        return status && texts ? reader_hint(r, "texts to choose from are {choices: [x, y]}") : status;
    }
    reader_fail(r, list, "parameter \"%s\" has a list of %zu: it needs two numbers, lower and upper",
                key->text, list->count);
    if (texts) return reader_hint(r, "texts to choose from are {choices: [x, y]}");
    if (fraction) return reader_hint(r, "%s; a catalogue is {values: [1, 2, 5]}", READER_POINT);
    return reader_hint(r, "write [lower, upper], or {values: [1, 2, 5]} for a catalogue");
}

static gofh_status read_kind(reader *r, const yaml_node *key, const yaml_node *value, problem_parameter *p)
{
    if (value->kind == YAML_LIST) return read_list(r, key, value, p);
    if (value->kind != YAML_MAPPING) {
        reader_fail(r, value->kind == YAML_NOTHING ? key : value, "parameter \"%s\" has no bounds",
                    key->text);
        return reader_hint(r, "write [lower, upper] or {lower: 0, upper: 1, scale: linear}");
    }
    gofh_status status = check_keys(r, key, value);
    if (status) return status;
    const yaml_node *values = yaml_get(value, "values"), *choices = yaml_get(value, "choices"),
                    *fixed = yaml_get(value, "fixed");
    if (values)
        status = read_values(r, value, values, p);
    else if (choices)
        status = read_choices(r, value, choices, p);
    else if (!fixed || yaml_get(value, "lower") || yaml_get(value, "upper")) {
        status = read_bounds(r, key, value, p);
        if (!status) status = read_grid(r, value, p);
    }
    bool held = values || choices || yaml_get(value, "lower");
    return status || !fixed ? status : read_fixed(r, fixed, p, held);
}

static gofh_status tell_problem(gofh_problem *problem, problem_parameter *p)
{
    const char *const *words = (const char *const *)p->words;
    switch (p->kind) {
    case PARAMETER_GRID:
        return gofh_problem_add_grid(problem, p->name, p->lower, p->upper, p->step, p->scale);
    case PARAMETER_VALUES:
        return gofh_problem_add_values(problem, p->name, p->values, p->count, p->scale);
    case PARAMETER_CHOICES:
        return gofh_problem_add_choices(problem, p->name, words, p->count,
                                        p->ordered ? GOFH_ORDER_GIVEN : GOFH_ORDER_NONE);
    case PARAMETER_FIXED: {
        gofh_status status = GOFH_OK;
        if (words) status = gofh_problem_add_choices(problem, p->name, words, p->count, GOFH_ORDER_NONE);
        return status ? status : gofh_problem_fix(problem, p->name, p->lower);
    }
    default:
        return gofh_problem_add_parameter(problem, p->name, p->lower, p->upper, p->scale);
    }
}

static gofh_status read_parameter(reader *r, const yaml_node *key, const yaml_node *value)
{
    problem_file *file = r->file;
    problem_parameter *parameter = &file->parameters[file->parameter_count];
    if (strcmp(key->text, "params") == 0 || strcmp(key->text, "results") == 0 ||
        strcmp(key->text, "trial") == 0)
        return reader_fail(r, key, "a parameter can't be called \"%s\": {%s} has a meaning in the command",
                           key->text, key->text);
    gofh_status status = names_claim(r, key, "a parameter", &parameter->name);
    if (status) return status;
    file->parameter_count++;
    status = read_kind(r, key, value, parameter);
    if (status) return status;
    gofh_error found = {.status = GOFH_OK};
    status = gofh_symbols_add_parameter(r->symbols, parameter->name, &found);
    if (!status) {
        status = tell_problem(file->problem, parameter);
        snprintf(found.message, sizeof found.message, "%s", gofh_problem_message(file->problem));
    }
    /* The last value of a grid may be below the bound. */
    if (!status && parameter->kind == PARAMETER_GRID)
        parameter->upper = gofh_problem_upper(file->problem, parameter->name);
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
