/* What is wrong with a problem file, where, and what would be right. */
#ifndef PROBLEM_PROBLEM_ERROR_H
#define PROBLEM_PROBLEM_ERROR_H

#include "gofh.h"

/* Owned by the caller, who starts with a zeroed one: the first error wins. */
typedef struct {
    gofh_status status;
    char path[1024];  /* the problem file, or a data file that it names */
    int line, column; /* from 1, in characters; 0 where the file as a whole is wrong */
    char message[512];
    char hint[256]; /* what would be right; "" where the message says it */
} problem_error;

/* Unless there is an error already, fills it in. Returns `status`. */
gofh_status problem_error_set(problem_error *error, gofh_status status, const char *path, int line,
                              int column, const char *format, ...) __attribute__((format(printf, 6, 7)));
gofh_status problem_error_memory(problem_error *error, const char *path);
/* Adds what would be right to the error that was set last. Returns its status. */
gofh_status problem_error_hint(problem_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "path:line:column: message: hint", cut to `size`. */
void problem_error_text(const problem_error *error, char *text, size_t size);

#endif
