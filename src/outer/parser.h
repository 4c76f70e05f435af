/* Reads the text of an expression onto a tape. The grammar is in docs/expressions.md. */
#ifndef OUTER_PARSER_H
#define OUTER_PARSER_H

#include "outer/symbols.h"
#include "outer/tape.h"

enum {
    PARSER_LENGTH = 1 << 16, /* bytes of text, at most */
    PARSER_DEPTH = 256       /* levels of nesting, at most; a parenthesis takes two */
};

/* The number of the node of the whole expression, or -1 with the error set. */
int parser_read(tape *t, const char *text, const gofh_symbols *symbols, gofh_error *error);

#endif
