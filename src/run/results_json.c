#include "run/results.h"

#include "base/error.h"
#include "base/number.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_NULL:
        return "null";
    default:
        return json_is_number(value) ? "a number" : "true or false";
    }
}

static gofh_status take(const char *name, const char *label, const json_t *value, double *y,
                        gofh_error *error)
{
    if (!json_is_number(value))
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is %s, a number was expected", name, label,
                         kind_of(value));
    *y = json_number_value(value);
    if (!isfinite(*y))
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is not a finite number", name, label);
    return GOFH_OK;
}

static gofh_status take_array(const char *name, const char *output, int size, const json_t *array, double *y,
                              gofh_error *error)
{
    if (json_array_size(array) != (size_t)size)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s has %zu values, %d were expected", name, output,
                         json_array_size(array), size);
    gofh_status status = GOFH_OK;
    for (int k = 0; status == GOFH_OK && k < size; k++) {
        char label[128];
        snprintf(label, sizeof label, "%s[%d]", output, k);
        status = take(name, label, json_array_get(array, (size_t)k), &y[k], error);
    }
    return status;
}

static gofh_status take_output(const char *name, const char *output, int size, const json_t *root, double *y,
                               gofh_error *error)
{
    const json_t *value = json_object_get(root, output);
    if (!value) return error_set(error, GOFH_ERROR_ARGUMENT, "%s has no \"%s\"", name, output);
    if (json_is_array(value)) return take_array(name, output, size, value, y, error);
    if (size > 1)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is %s, an array of %d numbers was expected",
                         name, output, kind_of(value), size);
    return take(name, output, value, y, error);
}

gofh_status results_json(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                         gofh_error *error)
{
    json_error_t wrong;
    number_locale saved;
    /* jansson reads by strtod, and ends the program where the locale's decimal point has two bytes. */
    if (number_enter(&saved) != 0) return error_memory(error);
    json_t *root = json_loadb(bytes, count, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
    number_leave(&saved);
    if (!root && json_error_code(&wrong) == json_error_out_of_memory) return error_memory(error);
    if (!root) {
        /* Its text may quote the file. */
        number_make_printable(wrong.text);
        if (error && error->status == GOFH_OK) error->line = wrong.line;
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s:%d: %s%s", name, wrong.line, wrong.text,
                         json_error_code(&wrong) == json_error_premature_end_of_input
                             ? " (the file is cut or empty)"
                             : "");
    }
    gofh_status status = GOFH_OK;
    if (!json_is_object(root))
        status = error_set(error, GOFH_ERROR_ARGUMENT, "%s holds %s, an object with the outputs was expected",
                           name, kind_of(root));
    for (int i = 0; status == GOFH_OK && i < sim->output_count; i++) {
        status = take_output(name, sim->output_names[i], sim->output_sizes[i], root, y, error);
        y += sim->output_sizes[i];
    }
    json_decref(root);
    return status;
}
