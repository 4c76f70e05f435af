#include "run/results.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/curve.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static gofh_status take(const char *name, const char *label, const json_t *value, int may_miss, double *y,
                        gofh_error *error)
{
    if (may_miss && json_is_null(value)) {
        *y = NAN;
        return GOFH_OK;
    }
    if (!json_is_number(value))
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is %s, a number was expected", name, label,
                         kind_of(value));
    *y = json_number_value(value);
    if (!isfinite(*y))
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is not a finite number", name, label);
    return GOFH_OK;
}

static gofh_status take_array(const char *name, const char *output, int size, const json_t *array,
                              int may_miss, double *y, gofh_error *error)
{
    if (json_array_size(array) != (size_t)size)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s has %zu values, %d were expected", name, output,
                         json_array_size(array), size);
    gofh_status status = GOFH_OK;
    for (int k = 0; status == GOFH_OK && k < size; k++) {
        char label[128];
        snprintf(label, sizeof label, "%s[%d]", output, k);
        status = take(name, label, json_array_get(array, (size_t)k), may_miss, &y[k], error);
    }
    return status;
}

/* Says what there is instead. */
static gofh_status fail_missing(const char *name, const char *output, const json_t *root, gofh_error *error)
{
    enum { SHOWN = 6 };
    char list[SHOWN * (NUMBER_EXCERPT + 4) + 8] = "nothing";
    size_t length = 0;
    void *at = json_object_iter((json_t *)root);
    for (int i = 0; at && i < SHOWN; i++, at = json_object_iter_next((json_t *)root, at)) {
        const char *key = json_object_iter_key(at);
        char quoted[NUMBER_EXCERPT];
        number_excerpt(key, strlen(key), quoted);
        length += (size_t)snprintf(list + length, sizeof list - length, "%s\"%s\"", i ? ", " : "", quoted);
    }
    if (at) snprintf(list + length, sizeof list - length, ", ...");
    return error_set(error, GOFH_ERROR_ARGUMENT, "%s has no \"%s\"; it has %s", name, output, list);
}

static gofh_status take_output(const char *name, const char *output, int size, const json_t *root,
                               int may_miss, double *y, gofh_error *error)
{
    const json_t *value = json_object_get(root, output);
    if (!value) return fail_missing(name, output, root, error);
    if (json_is_array(value)) return take_array(name, output, size, value, may_miss, y, error);
    if (may_miss && json_is_null(value)) { /* none of its values is known */
        for (int k = 0; k < size; k++) y[k] = NAN;
        return GOFH_OK;
    }
    if (size > 1)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is %s, an array of %d numbers was expected",
                         name, output, kind_of(value), size);
    return take(name, output, value, may_miss, y, error);
}

/* The array of a curve or of its places; NULL with an error where there is none. */
static const json_t *find_array(const char *name, const char *key, const json_t *root, gofh_error *error)
{
    const json_t *value = json_object_get(root, key);
    if (json_is_array(value)) return value;
    if (value)
        error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is %s, an array of numbers was expected", name, key,
                  kind_of(value));
    else
        fail_missing(name, key, root, error);
    return NULL;
}

/* Two arrays of the same length, whatever it is. */
static gofh_status take_curve(const simulator *sim, int i, const char *name, const json_t *root, double *y,
                              gofh_error *error)
{
    const char *output = sim->output_names[i], *at = sim->output_curves[i].at_name;
    const json_t *values = find_array(name, output, root, error),
                 *places = values ? find_array(name, at, root, error) : NULL;
    if (!places) return GOFH_ERROR_ARGUMENT;
    size_t count = json_array_size(places);
    if (json_array_size(values) != count || count > INT_MAX)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s has %zu values, but %s has %zu", name, output,
                         json_array_size(values), at, count);
    double *place = memory_doubles(2 * count + 1);
    if (!place) return error_memory(error);
    double *value = place + count;
    gofh_status status = take_array(name, at, (int)count, places, 0, place, error);
    if (!status)
        status = take_array(name, output, (int)count, values, sim->output_missing && sim->output_missing[i],
                            value, error);
    if (!status) status = curve_interpolate(sim, i, name, place, value, (int)count, y, error);
    free(place);
    return status;
}

/* ---- NaN and infinities, which programs write though JSON has none ---- */

typedef struct {
    const char *key; /* of the outermost object, without its quotes */
    size_t key_length;
    int depth, index; /* index: in the value of the key, if that is an array */
} json_place;

/* Past the text that begins at `at`. */
static size_t skip_text(const char *bytes, size_t count, size_t at)
{
    for (at++; at < count && bytes[at] != '"'; at++)
        if (bytes[at] == '\\') at++;
    return at < count ? at + 1 : count;
}

/* Past the item at `at`, of which `place` takes note. */
static size_t pass(json_place *place, const char *bytes, size_t count, size_t at)
{
    size_t end = at + 1;
    if (bytes[at] == '"') {
        end = skip_text(bytes, count, at);
        if (place->depth == 1) {
            place->key = bytes + at + 1;
            place->key_length = end - at - 2;
        }
    } else if (bytes[at] == '{' || bytes[at] == '[') {
        place->depth++;
        place->index = bytes[at] == '[' ? 0 : -1;
    } else if (bytes[at] == '}' || bytes[at] == ']') {
        place->depth--;
        place->index = -1;
    } else if (bytes[at] == ',' && place->depth == 2 && place->index >= 0) {
        place->index++;
    }
    return end;
}

/* The first number that is not finite, named by its output; -1 if there is none that can be
 * named. */
static int fail_not_finite(const char *name, int line, const char *bytes, size_t count, gofh_error *error)
{
    static const char ENDS[] = " \t\r\n,:[]{}\"";
    json_place place = {.index = -1};
    for (size_t at = 0; at < count;) {
        size_t length = 0;
        double value;
        while (at + length < count && !strchr(ENDS, bytes[at + length])) length++;
        if (length == 0) {
            at = pass(&place, bytes, count, at);
            continue;
        }
        if (place.key && number_read(bytes + at, length, &value) == NUMBER_NOT_FINITE) {
            char output[NUMBER_EXCERPT], word[NUMBER_EXCERPT], element[16] = "";
            number_excerpt(place.key, place.key_length, output);
            number_excerpt(bytes + at, length, word);
            if (place.index >= 0) snprintf(element, sizeof element, "[%d]", place.index);
            error_set(error, GOFH_ERROR_ARGUMENT, "%s:%d: %s%s is %s, a finite number was expected", name,
                      line, output, element, word);
            return 0;
        }
        at += length;
    }
    return -1;
}

/* A copy in which a NaN outside texts is null, as JSON has it; the caller frees it. NULL: no memory. */
static char *without_nan(const char *bytes, size_t count, size_t *length)
{
    char *copy = memory_new(count + count / 3 + 1, 1);
    *length = 0;
    for (size_t at = 0; copy && at < count;) {
        size_t end = bytes[at] == '"' ? skip_text(bytes, count, at) : at + 1;
        if (count - at >= 3 && letters_alike(bytes + at, "nan", 3)) {
            for (const char *letter = "null"; *letter; letter++) copy[(*length)++] = *letter;
            at += 3;
            continue;
        }
        memcpy(copy + *length, bytes + at, end - at);
        *length += end - at;
        at = end;
    }
    return copy;
}

static int may_miss_any(const simulator *sim)
{
    for (int i = 0; sim->output_missing && i < sim->output_count; i++)
        if (sim->output_missing[i]) return 1;
    return 0;
}

static json_t *load(const simulator *sim, const char *bytes, size_t count, json_error_t *wrong)
{
    enum { FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL };
    if (!may_miss_any(sim)) return json_loadb(bytes, count, FLAGS, wrong);
    size_t length;
    char *copy = without_nan(bytes, count, &length);
    json_t *root = copy ? json_loadb(copy, length, FLAGS, wrong) : NULL;
    if (!copy) wrong->text[sizeof wrong->text - 1] = json_error_out_of_memory;
    free(copy);
    return root;
}

gofh_status results_json(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                         gofh_error *error)
{
    json_error_t wrong;
    number_locale saved;
    /* jansson reads by strtod, and ends the program where the locale's decimal point has two
     * bytes. */
    if (number_enter(&saved) != 0) return error_memory(error);
    json_t *root = load(sim, bytes, count, &wrong);
    number_leave(&saved);
    if (!root && json_error_code(&wrong) == json_error_out_of_memory) return error_memory(error);
    if (!root) {
        /* Its text may quote the file. */
        number_make_printable(wrong.text);
        if (error && error->status == GOFH_OK) error->line = wrong.line;
        if (json_error_code(&wrong) == json_error_invalid_syntax &&
            fail_not_finite(name, wrong.line, bytes, count, error) == 0)
            return GOFH_ERROR_ARGUMENT;
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
        status = results_is_curve(sim, i)
                     ? take_curve(sim, i, name, root, y, error)
                     : take_output(name, sim->output_names[i], sim->output_sizes[i], root,
                                   sim->output_missing && sim->output_missing[i], y, error);
        y += sim->output_sizes[i];
    }
    json_decref(root);
    return status;
}
