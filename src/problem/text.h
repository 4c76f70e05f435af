/* The text of a file, known to be UTF-8 without control characters, and places in it. */
#ifndef PROBLEM_TEXT_H
#define PROBLEM_TEXT_H

#include "problem/problem_error.h"

#include <stddef.h>

typedef struct {
    char *path; /* as errors name it */
    char *bytes;
    size_t length; /* bytes; a zero follows them */
    size_t start;  /* after the byte order mark */
} text_file;

/* Reads the file at `path`, called `shown` in errors, of at most `most` bytes. */
gofh_status text_read(text_file *text, const char *path, const char *shown, size_t most,
                      problem_error *error);
/* The same of a copy of `length` bytes. */
gofh_status text_take(text_file *text, const char *shown, const char *bytes, size_t length,
                      problem_error *error);
void text_free(text_file *text);
/* Line and column, from 1, of a byte. Columns count characters. */
void text_place(const text_file *text, size_t at, int *line, int *column);
/* An error at a byte. */
gofh_status text_fail(const text_file *text, size_t at, problem_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
