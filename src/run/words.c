#include "run/words.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BETWEEN[] = " \t\r\n;|&()<>'\"";

quotes words_quotes(quotes inside, char c)
{
    if (c == '\'' && inside != QUOTES_DOUBLE) return inside == QUOTES_NONE ? QUOTES_SINGLE : QUOTES_NONE;
    if (c == '"' && inside != QUOTES_SINGLE) return inside == QUOTES_NONE ? QUOTES_DOUBLE : QUOTES_NONE;
    return inside;
}

word_scan words_begin(const char *command)
{
    return (word_scan){.at = command, .next = WORD_PROGRAM};
}

/* Bytes up to the next blank, operator or quote; a backslash takes the character after it along. */
static size_t word_length(const char *at, quotes inside)
{
    size_t length = 0;
    while (at[length] && !strchr(BETWEEN, at[length]))
        length += at[length] == '\\' && at[length + 1] && inside != QUOTES_SINGLE ? 2 : 1;
    return length;
}

/* Bytes of a text in quotes that is one word and holds blanks, quotes included; 0 if there is none
 * here. */
static size_t text_length(const char *at, quotes inside)
{
    if (inside != QUOTES_NONE || (*at != '\'' && *at != '"')) return 0;
    const char *close = strchr(at + 1, *at);
    if (!close || (close[1] && !strchr(" \t\r\n;|&()<>", close[1]))) return 0;
    return memchr(at, ' ', (size_t)(close - at)) ? (size_t)(close - at) + 1 : 0;
}

/* Whether no word follows in the simple command: the number of a descriptor is none. */
static int ends_here(const char *at)
{
    while (*at == '\'' || *at == '"') at++;
    at += strspn(at, " \t\r");
    const char *after = at + strspn(at, "0123456789");
    return *at == '\0' || strchr("\n;|&()<>", *at) || *after == '<' || *after == '>';
}

static void pass_operator(word_scan *scan)
{
    char c = *scan->at++;
    if (c == '<') {
        scan->next = *scan->at == '<' ? WORD_ENDING : WORD_READ;
        if (*scan->at == '<') scan->at++;
    } else if (c == '>') {
        scan->next = WORD_WRITTEN;
        if (*scan->at == '>' || *scan->at == '|') scan->at++;
    } else if (c == '&' && (scan->at[-2] == '>' || scan->at[-2] == '<')) {
        scan->next = WORD_WRITTEN; /* of 2>&1, a descriptor */
    } else if (strchr("\n;|&()", c)) {
        scan->next = WORD_PROGRAM;
        scan->program[0] = '\0';
    }
    scan->inside = words_quotes(scan->inside, c);
}

static int is_assignment(const char *word, size_t length)
{
    size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name > 0 && name < length && word[name] == '=';
}

static void note_program(word_scan *scan, const char *word, size_t length)
{
    const char *name = word;
    for (size_t i = 0; i < length; i++)
        if (word[i] == '/') name = word + i + 1;
    snprintf(scan->program, sizeof scan->program, "%.*s", (int)(length - (size_t)(name - word)), name);
}

static void take(word_scan *scan, command_word *word, size_t length, int is_text)
{
    *word = (command_word){.start = scan->at,
                           .length = length,
                           .role = scan->next,
                           .inside = is_text ? QUOTES_NONE : scan->inside,
                           .is_text = is_text,
                           .is_last = ends_here(scan->at + length)};
    memcpy(word->program, scan->program, sizeof word->program);
    if (scan->next == WORD_PROGRAM && is_assignment(scan->at, length)) {
        word->role = WORD_ARGUMENT;
    } else if (scan->next == WORD_PROGRAM) {
        note_program(scan, scan->at, length);
        scan->next = WORD_ARGUMENT;
    } else {
        scan->next = scan->program[0] ? WORD_ARGUMENT : WORD_PROGRAM;
    }
    scan->at += length;
}

int words_next(word_scan *scan, command_word *word)
{
    while (*scan->at) {
        size_t length = text_length(scan->at, scan->inside);
        int is_text = length > 0;
        if (!is_text) length = word_length(scan->at, scan->inside);
        if (length > 0) {
            take(scan, word, length, is_text);
            return 1;
        }
        pass_operator(scan);
    }
    return 0;
}

void words_inside(word_scan *scan, const command_word *text)
{
    scan->at = text->start + 1;
    scan->inside = text->start[0] == '\'' ? QUOTES_SINGLE : QUOTES_DOUBLE;
}

int words_value(const command_word *word, char **value)
{
    const char *from = word->start, *end = from + word->length;
    int literal = word->inside == QUOTES_SINGLE || (word->is_text && *from == '\'');
    if (word->is_text) from++, end--;
    char *text = memory_new((size_t)(end - from) + 1, 1), *to = text;
    *value = NULL;
    if (!text) return -1;
    int known = from < end && *from != '~' && !memchr(from, '{', (size_t)(end - from));
    for (; known && from < end; from++) {
        if (!literal && strchr("$`*?[", *from)) known = 0;
        if (!literal && *from == '\\' && from + 1 < end) from++;
        *to++ = *from;
    }
    if (known)
        *value = text;
    else
        free(text);
    return 0;
}
