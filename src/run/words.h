/* The words of a command for the shell, as far as one has to know them to find the files that they
 * name. */
#ifndef RUN_WORDS_H
#define RUN_WORDS_H

#include <stddef.h>

typedef enum { QUOTES_NONE, QUOTES_SINGLE, QUOTES_DOUBLE } quotes;

typedef enum {
    WORD_PROGRAM,  /* the first word of a simple command that is no assignment */
    WORD_ARGUMENT, /* any other, also an assignment before the program */
    WORD_READ,     /* after < */
    WORD_WRITTEN,  /* after > or >> */
    WORD_ENDING    /* after <<: where a here-document ends */
} word_role;

typedef struct {
    const char *start; /* in the command */
    size_t length;
    word_role role;
    /* The quotes that it stands in; NONE too for a whole text in quotes, which it then includes. */
    quotes inside;
    int is_text; /* such a text: one with blanks */
    int is_last; /* of its simple command */
    /* The file name of the program that it is an argument of, cut; "" before it is known */
    char program[32];
} command_word;

typedef struct {
    const char *at;
    quotes inside;
    word_role next;
    char program[32];
} word_scan;

word_scan words_begin(const char *command);
/* Whether there is another word. A word is what stands between blanks, operators and quotes; words
 * in quotes count, because a shell may read them (sh -c "..."). */
int words_next(word_scan *scan, command_word *word);
/* After a text in quotes: its words are the next ones. */
void words_inside(word_scan *scan, const command_word *text);
/* The word as the shell reads it, in memory that the caller frees. *value is NULL where that is
 * known only when it runs: it has variables, patterns or places in it. Returns -1 without
 * memory. */
int words_value(const command_word *word, char **value);

/* The state of the quotes after a character. */
quotes words_quotes(quotes inside, char c);

#endif
