#include "problem/problem_error.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>

gofh_status problem_error_set(problem_error *error, gofh_status status, const char *path, int line,
                              int column, const char *format, ...)
{
    if (error->status != GOFH_OK) return status;
    error->status = status;
    error->line = line;
    error->column = column;
    error->hint[0] = '\0';
    snprintf(error->path, sizeof error->path, "%s", path);
    va_list arguments;
    va_start(arguments, format);
    number_format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

gofh_status problem_error_memory(problem_error *error, const char *path)
{
    return problem_error_set(error, GOFH_ERROR_MEMORY, path, 0, 0, "%s", gofh_status_text(GOFH_ERROR_MEMORY));
}

gofh_status problem_error_hint(problem_error *error, const char *format, ...)
{
    if (error->hint[0] != '\0') return error->status;
    va_list arguments;
    va_start(arguments, format);
    number_format_list(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
    return error->status;
}

void problem_error_text(const problem_error *error, char *text, size_t size)
{
    char place[32] = "";
    if (error->line > 0) snprintf(place, sizeof place, "%d:%d:", error->line, error->column);
    snprintf(text, size, "%s:%s %s%s%s", error->path, place, error->message, error->hint[0] ? ": " : "",
             error->hint);
}
