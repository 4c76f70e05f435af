/* Reads tests/data/outer/symbols: lines of "output|parameter|data name values...". The values of
 * outputs and parameters are where the cases are evaluated. */
#ifndef TESTS_OUTER_SYMBOLS_FILE_H
#define TESTS_OUTER_SYMBOLS_FILE_H

#include "check.h"
#include "gofh_expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 18, SYMBOL_VALUES = 64 };

static double symbols_y[SYMBOL_VALUES], symbols_x[SYMBOL_VALUES];
static int symbols_m, symbols_d;

/* The whole of a file of the test data, ended by a zero; freed by the caller. */
static inline char *read_data_file(const char *folder, const char *name, const char *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/outer/%s/%s/%s", TEST_DATA, folder, name, file);
    FILE *stream = fopen(path, "rb");
    if (!stream) fail_msg("can't open %s", path);
    char *text = calloc(FILE_BYTES, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, FILE_BYTES - 1, stream) < FILE_BYTES - 1);
    fclose(stream);
    return text;
}

static inline void add_symbol_line(gofh_symbols *symbols, char *line)
{
    char *rest;
    char *kind = strtok_r(line, " \n", &rest), *name = strtok_r(NULL, " \n", &rest), *word;
    double values[SYMBOL_VALUES];
    int count = 0;
    while ((word = strtok_r(NULL, " \n", &rest))) values[count++] = strtod(word, NULL);
    if (strcmp(kind, "output") == 0) {
        assert_int_equal(gofh_symbols_add_output(symbols, name, count, NULL), GOFH_OK);
        for (int i = 0; i < count; i++) symbols_y[symbols_m++] = values[i];
    } else if (strcmp(kind, "parameter") == 0) {
        assert_int_equal(gofh_symbols_add_parameter(symbols, name, NULL), GOFH_OK);
        symbols_x[symbols_d++] = values[0];
    } else {
        assert_int_equal(gofh_symbols_add_data(symbols, name, values, count, NULL), GOFH_OK);
    }
}

static inline gofh_symbols *read_symbols(void)
{
    gofh_symbols *symbols = gofh_symbols_create();
    assert_non_null(symbols);
    FILE *stream = fopen(TEST_DATA "/outer/symbols", "r");
    assert_non_null(stream);
    char line[2048];
    symbols_m = symbols_d = 0;
    while (fgets(line, sizeof line, stream)) add_symbol_line(symbols, line);
    fclose(stream);
    return symbols;
}

#endif
