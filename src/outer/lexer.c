#include "outer/lexer.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gofh_status lexer_error(gofh_error *error, const token *where, const char *format, ...)
{
    if (!error || error->status != GOFH_OK) return GOFH_ERROR_ARGUMENT;
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    number_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    error->line = where->line;
    error->column = where->column;
    return error_set(error, GOFH_ERROR_ARGUMENT, "%s", message);
}

lexer lexer_start(const char *text)
{
    return (lexer){.next = text, .counted = text, .line = 1, .column = 1};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool continues_a_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; /* in UTF-8 */
}

static void skip_space(lexer *state)
{
    for (;; state->next++) {
        char c = *state->next;
        if (c == '\n') {
            state->line++;
            state->counted = state->next + 1;
            state->column = 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

/* Counts on from where it last stood, so that a long line is counted once. */
static int column_now(lexer *state)
{
    for (; state->counted < state->next; state->counted++)
        if (!continues_a_character(*state->counted)) state->column++;
    return state->column;
}

/* Bytes of the number that starts at `text`, 0 if none does. */
static int number_length(const char *text)
{
    int length = 0, digits = 0;
    for (; is_digit(text[length]); length++) digits++;
    if (text[length] == '.')
        for (length++; is_digit(text[length]); length++) digits++;
    if (digits == 0) return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        int exponent = length + 1;
        if (text[exponent] == '+' || text[exponent] == '-') exponent++;
        if (is_digit(text[exponent]))
            for (length = exponent; is_digit(text[length]);) length++;
    }
    return length;
}

static gofh_status read_number(token *result, gofh_error *error)
{
    /* So that strtod sees this number only, not a hexadecimal one or one with an "inf" in it. */
    char copy[64];
    if (result->length >= (int)sizeof copy)
        return lexer_error(error, result, "the number at column %d has too many digits", result->column);
    memcpy(copy, result->text, (size_t)result->length);
    copy[result->length] = '\0';
    result->number = number_scan(copy, NULL);
    if (!isfinite(result->number))
        return lexer_error(error, result, "the number %s at column %d is too large", copy, result->column);
    return GOFH_OK;
}

static const struct {
    const char *text;
    token_kind kind;
} SIGNS[] = {
    /* The longer ones first. */
    {"+/-", TOKEN_PLUS_MINUS}, {"\xC2\xB1", TOKEN_PLUS_MINUS},
    {"+-", TOKEN_PLUS_MINUS},  {"<=", TOKEN_LESS_EQUAL},
    {">=", TOKEN_MORE_EQUAL},  {"==", TOKEN_EQUAL},
    {"!=", TOKEN_NOT_EQUAL},   {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},        {"*", TOKEN_TIMES},
    {"/", TOKEN_OVER},         {"^", TOKEN_POWER},
    {"<", TOKEN_LESS},         {">", TOKEN_MORE},
    {"(", TOKEN_OPEN},         {")", TOKEN_CLOSE},
    {"[", TOKEN_OPEN_BRACKET}, {"]", TOKEN_CLOSE_BRACKET},
    {",", TOKEN_COMMA},        {":", TOKEN_COLON},
};

/* What people write who are used to another language. */
static const struct {
    const char *text, *hint;
} FOREIGN[] = {
    {"**", "a power is written ^"},
    {"&&", "write \"and\""},
    {"||", "write \"or\""},
    {"<>", "write !="},
    {"=>", "write >="},
    {"=<", "write <="},
    {"=", "a comparison is written =="},
    {"!", "write \"not\""},
    {"&", "write \"and\""},
    {"|", "write \"or\", or abs(...)"},
    {"@", "write dot(a, b)"},
    {"%", "there is no remainder: write a - b*floor(a/b)"},
    {"{", "a vector is written [a, b, c]"},
    {"\xE2\x88\x92", "write -"},
    {"\xE2\x89\xA4", "write <="},
    {"\xE2\x89\xA5", "write >="},
    {"\xC2\xB2", "write ^2"},
    {"\xC3\x97", "write *"},
    {"\xC2\xB7", "write *"},
    {"\xC3\xB7", "write /"},
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static gofh_status refuse(const token *where, gofh_error *error)
{
    const char *text = where->text;
    for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++)
        if (starts_with(text, FOREIGN[i].text))
            return lexer_error(error, where, "\"%s\" at column %d has no meaning here: %s", FOREIGN[i].text,
                               where->column, FOREIGN[i].hint);
    unsigned char first = (unsigned char)text[0];
    int bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1, length = 1;
    while (length < bytes && continues_a_character(text[length])) length++;
    if (length < bytes || first < 0x20 || (first >= 0x7F && bytes == 1))
        return lexer_error(error, where, "unexpected byte 0x%02x at column %d", first, where->column);
    return lexer_error(error, where, "unexpected character \"%.*s\" at column %d", length, text,
                       where->column);
}

static token_kind word_kind(const token *word)
{
    static const struct {
        const char *text;
        token_kind kind;
    } words[] = {{"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)word->length == strlen(words[i].text) && starts_with(word->text, words[i].text))
            return words[i].kind;
    return TOKEN_NAME;
}

gofh_status lexer_next(lexer *state, token *result, gofh_error *error)
{
    skip_space(state);
    const char *text = state->next;
    *result = (token){.kind = TOKEN_END, .text = text, .line = state->line, .column = column_now(state)};
    if (*text == '\0') return GOFH_OK;

    result->length = number_length(text);
    if (result->length > 0) {
        result->kind = TOKEN_NUMBER;
        state->next += result->length;
        return read_number(result, error);
    }
    if (letters_length(text)) {
        int more = letters_length(text);
        while (more) {
            result->length += more;
            const char *next = text + result->length;
            more = is_digit(*next) ? 1 : letters_length(next);
        }
        result->kind = word_kind(result);
        state->next += result->length;
        return GOFH_OK;
    }
    if (starts_with(text, "**") || starts_with(text, "<>")) return refuse(result, error);
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        if (!starts_with(text, SIGNS[i].text)) continue;
        result->kind = SIGNS[i].kind;
        result->length = (int)strlen(SIGNS[i].text);
        state->next += result->length;
        return GOFH_OK;
    }
    return refuse(result, error);
}
