/* libFuzzer: any text is either refused with a message or gives values that are never NaN and
 * finite gradients, alike for a batch and for one sample. */
#include "gofh_expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 9, D = 2, COUNT = 10, LONGEST = 2000, MARGINS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static gofh_symbols *make_symbols(void)
{
    static const double o[] = {1.0, -2.0, 0.5, 3.0, 0.0}, n[] = {NAN, 2.0, 1.5, NAN, -1.0};
    gofh_symbols *symbols = gofh_symbols_create();
    require(
        symbols && !gofh_symbols_add_output(symbols, "c", 5, NULL) &&
        !gofh_symbols_add_output(symbols, "y", 3, NULL) && !gofh_symbols_add_output(symbols, "t", 1, NULL) &&
        !gofh_symbols_add_parameter(symbols, "a", NULL) &&
        !gofh_symbols_add_parameter(symbols, "length", NULL) &&
        !gofh_symbols_add_data(symbols, "o", o, 5, NULL) && !gofh_symbols_add_data(symbols, "n", n, 5, NULL));
    return symbols;
}

static void check_error(gofh_status status, const gofh_error *error)
{
    require(status == GOFH_ERROR_ARGUMENT && error->status == status && error->message[0] != '\0');
}

static void fuzz_objective(const gofh_symbols *symbols, const char *text, const double *y, const double *x)
{
    gofh_expression *expression;
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_expression_compile(&expression, text, symbols, GOFH_MINIMIZE, &error);
    if (status != GOFH_OK) {
        check_error(status, &error);
        return;
    }
    double value[COUNT], one, dy[COUNT * M], dx[COUNT * D];
    require(gofh_expression_differentiate(expression, y, x, COUNT, value, dy, dx) == GOFH_OK);
    for (int i = 0; i < COUNT; i++) require(isfinite(value[i]) || value[i] == INFINITY);
    for (int i = 0; i < COUNT * M; i++) require(isfinite(dy[i]));
    for (int i = 0; i < COUNT * D; i++) require(isfinite(dx[i]));
    gofh_expression_differentiate(expression, y, x, 1, &one, dy, NULL);
    require(memcmp(&one, value, sizeof one) == 0);
    gofh_expression_free(expression);
}

static void fuzz_constraint(const gofh_symbols *symbols, const char *text, const double *y, const double *x)
{
    gofh_constraints *constraints;
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_constraints_compile(&constraints, &text, 1, symbols, &error);
    if (status != GOFH_OK) {
        check_error(status, &error);
        return;
    }
    int margins = gofh_constraints_margins(constraints);
    require(margins > 0);
    if (margins <= MARGINS) {
        static double margin[COUNT * MARGINS], dy[COUNT * MARGINS * M], dx[COUNT * MARGINS * D];
        require(gofh_constraints_differentiate(constraints, y, x, COUNT, margin, dy, dx) == GOFH_OK);
        for (int i = 0; i < COUNT * margins; i++) require(margin[i] == -INFINITY || isfinite(margin[i]));
        for (int i = 0; i < COUNT * margins * M; i++) require(isfinite(dy[i]));
    }
    gofh_constraints_free(constraints);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LONGEST) return 0;
    char text[LONGEST + 1];
    memcpy(text, data, size);
    text[size] = '\0';
    double y[COUNT * M], x[COUNT * D];
    for (int i = 0; i < COUNT * M; i++) y[i] = i % 13 == 12 ? 0.0 : 2.0 * sin(1.7 * i);
    for (int i = 0; i < COUNT * D; i++) x[i] = cos(0.9 * i);
    gofh_symbols *symbols = make_symbols();
    fuzz_objective(symbols, text, y, x);
    fuzz_constraint(symbols, text, y, x);
    gofh_symbols_free(symbols);
    return 0;
}
