/* The names an expression may use: outputs, parameters and data. */
#ifndef OUTER_SYMBOLS_H
#define OUTER_SYMBOLS_H

#include "gofh_expression.h"

/* At most so many columns of y, of x, and elements of one data vector */
enum { SYMBOLS_OUTPUTS = 1 << 20 };

typedef enum { SYMBOL_OUTPUT, SYMBOL_PARAMETER, SYMBOL_DATA } symbol_kind;

typedef struct {
    char *name;
    symbol_kind kind;
    int size;
    int column;     /* the first one in y or x */
    double *values; /* of data; NaN: missing */
    int missing;    /* so many of them */
} symbol;

struct gofh_symbols {
    symbol *items;
    size_t count, capacity;
    int outputs, parameters;
};

/* NULL when there is none of that name; the name need not end with a zero. */
const symbol *symbols_find(const gofh_symbols *symbols, const char *name, size_t length);
/* All names with commas between them, or as many as there is room for and "...". */
enum { SYMBOLS_LISTED = 120 };
void symbols_list(const gofh_symbols *symbols, char text[SYMBOLS_LISTED]);

#endif
