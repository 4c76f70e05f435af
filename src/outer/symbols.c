#include "outer/symbols.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gofh_symbols *gofh_symbols_create(void)
{
    return memory_new(1, sizeof(gofh_symbols));
}

void gofh_symbols_free(gofh_symbols *symbols)
{
    if (!symbols) return;
    for (size_t i = 0; i < symbols->count; i++) {
        free(symbols->items[i].name);
        free(symbols->items[i].values);
    }
    free(symbols->items);
    free(symbols);
}

const symbol *symbols_find(const gofh_symbols *symbols, const char *name, size_t length)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const symbol *item = &symbols->items[i];
        if (strlen(item->name) == length && memcmp(item->name, name, length) == 0) return item;
    }
    return NULL;
}

void symbols_list(const gofh_symbols *symbols, char text[SYMBOLS_LISTED])
{
    static const char more[] = ", ...";
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < symbols->count; i++) {
        const char *name = symbols->items[i].name;
        if (at + strlen(name) + 2 + sizeof more > SYMBOLS_LISTED) {
            snprintf(text + at, SYMBOLS_LISTED - at, "%s", at ? more : "...");
            return;
        }
        at += (size_t)snprintf(text + at, SYMBOLS_LISTED - at, "%s%s", at ? ", " : "", name);
    }
}

static bool name_is_taken_by_the_language(const char *name)
{
    static const char *const words[] = {"pi", "and", "or", "not"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0) return true;
    return false;
}

static gofh_status refuse_second(const symbol *first, symbol_kind kind, gofh_error *error)
{
    static const char *const one[] = {"an output", "a parameter", "data"};
    static const char *const two[] = {"two outputs", "two parameters", "two data"};
    if (first->kind == kind)
        return error_set(error, GOFH_ERROR_ARGUMENT, "there are %s \"%.60s\"", two[kind], first->name);
    return error_set(error, GOFH_ERROR_ARGUMENT,
                     "\"%.60s\" is the name of %s and of %s: give one of them another", first->name,
                     one[first->kind], one[kind]);
}

/* Checks the name and the size and appends the symbol, without values; the new one is the last.
 * Outputs and parameters get the next columns of theirs. */
static gofh_status add(gofh_symbols *symbols, const char *name, symbol_kind kind, int size, gofh_error *error)
{
    if (!symbols || !name) return error_set(error, GOFH_ERROR_ARGUMENT, "a symbol without a name or a table");
    int *columns = kind == SYMBOL_OUTPUT      ? &symbols->outputs
                   : kind == SYMBOL_PARAMETER ? &symbols->parameters
                                              : NULL;
    int column = columns ? *columns : 0;
    if (!letters_are_name(name))
        return error_set(
            error, GOFH_ERROR_ARGUMENT,
            "\"%.60s\" can't be a name in an expression: letters, digits and \"_\", not starting with "
            "a digit",
            name);
    if (name_is_taken_by_the_language(name))
        return error_set(error, GOFH_ERROR_ARGUMENT, "\"%s\" has a meaning of its own in expressions", name);
    const symbol *first = symbols_find(symbols, name, strlen(name));
    if (first) return refuse_second(first, kind, error);
    if (size < 1 || size > SYMBOLS_OUTPUTS)
        return error_set(error, GOFH_ERROR_ARGUMENT, "the size of \"%.60s\" is %d, not between 1 and %d",
                         name, size, SYMBOLS_OUTPUTS);
    if (column > SYMBOLS_OUTPUTS - size)
        return error_set(error, GOFH_ERROR_ARGUMENT, "with \"%.60s\" there are more than %d values", name,
                         SYMBOLS_OUTPUTS);
    if (memory_grow((void **)&symbols->items, &symbols->capacity, symbols->count + 1, sizeof *symbols->items))
        return error_memory(error);
    char *copy = memory_copy_text(name);
    if (!copy) return error_memory(error);
    symbols->items[symbols->count++] = (symbol){.name = copy, .kind = kind, .size = size, .column = column};
    if (columns) *columns += size;
    return GOFH_OK;
}

gofh_status gofh_symbols_add_output(gofh_symbols *symbols, const char *name, int size, gofh_error *error)
{
    return add(symbols, name, SYMBOL_OUTPUT, size, error);
}

gofh_status gofh_symbols_add_parameter(gofh_symbols *symbols, const char *name, gofh_error *error)
{
    return add(symbols, name, SYMBOL_PARAMETER, 1, error);
}

gofh_status gofh_symbols_add_data(gofh_symbols *symbols, const char *name, const double *values, int count,
                                  gofh_error *error)
{
    if (!values) return error_set(error, GOFH_ERROR_ARGUMENT, "data without values");
    for (int i = 0; i < count; i++)
        if (isinf(values[i]))
            return error_set(error, GOFH_ERROR_ARGUMENT, "value %d of the data \"%.60s\" is infinite", i,
                             name ? name : "");
    double *copy = memory_doubles(count > 0 ? (size_t)count : 0);
    if (!copy) return error_memory(error);
    gofh_status status = add(symbols, name, SYMBOL_DATA, count, error);
    if (status != GOFH_OK) {
        free(copy);
        return status;
    }
    memcpy(copy, values, (size_t)count * sizeof *copy);
    symbol *added = &symbols->items[symbols->count - 1];
    added->values = copy;
    for (int i = 0; i < count; i++) added->missing += isnan(values[i]) != 0;
    return GOFH_OK;
}
