/* A problem file in the making, for "gofh init": what the questions or another tool's file say. */
#ifndef CLI_DRAFT_H
#define CLI_DRAFT_H

#include "run/buffer.h"

enum { DRAFT_PARAMETERS = 64, DRAFT_FILES = 32, DRAFT_NAME = 64, DRAFT_PATH = 300, DRAFT_TEXT = 400 };

typedef struct {
    char name[DRAFT_NAME];
    double lower, upper;
    double start; /* NaN: none */
    int log;
    char note[DRAFT_NAME]; /* a comment behind it */
} draft_parameter;

typedef struct {
    char name[DRAFT_PATH];
    buffer text;
    int executable;
} draft_file;

typedef struct {
    draft_parameter parameters[DRAFT_PARAMETERS];
    int count;
    /* Sections of the problem file as lines of YAML, those with a heading included. */
    buffer head, prior, simulator, outputs, data, objective, constraints;
    draft_file files[DRAFT_FILES]; /* that are written beside it */
    int file_count;
    int budget;
    long long seed;
    char error[DRAFT_TEXT]; /* the first that is wrong; "" */
} draft;

/* Says what is wrong, unless something was before; returns -1. */
int draft_fail(draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The first words of a line, between blanks; how many there are, at most DRAFT_WORDS. */
enum { DRAFT_WORDS = 6 };
typedef char draft_words[DRAFT_WORDS][DRAFT_PATH];
int draft_split(const char *line, draft_words words);
/* Whether two texts are the same but for capitals; whether one begins with the other. */
int draft_alike(const char *a, const char *b);
int draft_begins(const char *text, const char *beginning);
/* Adds a parameter; 0, or -1 with an error: too many, no bounds, a name that can't be one. */
int draft_add(draft *d, const char *name, double lower, double upper, int log, double start,
              const char *note);
/* Whether a text can be the name of a parameter, an output or data. */
int draft_is_name(const char *text);
/* A file that will be written beside the problem file; NULL with an error. */
buffer *draft_add_file(draft *d, const char *name, int executable);
/* A number with as many digits as it needs. */
void draft_number(buffer *text, double value);
/* A text as a scalar of YAML, in quotes. */
void draft_quoted(buffer *text, const char *value);

/* Refuses a file that exists, with an error. Returns 0, or -1. */
int draft_refuse(draft *d, const char *path);
/* Where all fits: writes the problem file and the others; none may be there yet. Returns 0, or -1 with
 * an error. */
int draft_write(draft *d, const char *path);
void draft_free(draft *d);

/* Read another tool's file, whose bytes end with a zero and may be changed; 0, or -1 with an error. */
int draft_from_dakota(draft *d, char *bytes, const char *path);
int draft_from_pest(draft *d, char *bytes, const char *path);
/* The input of a simulator in YAML or JSON: its numbers are the parameters, of a template. */
int draft_from_yaml(draft *d, const char *path);

#endif
