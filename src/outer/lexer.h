/* Splits the text of an expression into tokens. */
#ifndef OUTER_LEXER_H
#define OUTER_LEXER_H

#include "gofh.h"

typedef enum {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_PLUS,
    TOKEN_MINUS,
    /* "+-", "+/-" or the sign for it: a tolerance after "==", else a plus and a minus. */
    TOKEN_PLUS_MINUS,
    TOKEN_TIMES,
    TOKEN_OVER,
    TOKEN_POWER,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_MORE,
    TOKEN_MORE_EQUAL,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_BRACKET,
    TOKEN_CLOSE_BRACKET,
    TOKEN_COMMA,
    TOKEN_COLON
} token_kind;

typedef struct {
    token_kind kind;
    const char *text; /* in the expression, not ended by a zero */
    int length;
    int line, column; /* from 1; columns count characters, not bytes */
    double number;
} token;

typedef struct {
    const char *next;
    const char *counted; /* up to where the columns of this line are counted */
    int line, column;
} lexer;

lexer lexer_start(const char *text);

/* The next token, TOKEN_END over and over at the end. */
gofh_status lexer_next(lexer *state, token *result, gofh_error *error);

/* Writes a message pointing at `where`, unless there is one already. Returns
 * GOFH_ERROR_ARGUMENT. */
gofh_status lexer_error(gofh_error *error, const token *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
