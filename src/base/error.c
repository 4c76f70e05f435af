#include "base/error.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>

gofh_status error_set(gofh_error *error, gofh_status status, const char *format, ...)
{
    if (!error || error->status != GOFH_OK) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    number_format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

gofh_status error_memory(gofh_error *error)
{
    return error_set(error, GOFH_ERROR_MEMORY, "out of memory");
}
