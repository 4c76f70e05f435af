#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

gofh_status error_set(gofh_error *error, gofh_status status, const char *format, ...)
{
    if (!error || error->status != GOFH_OK) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

gofh_status error_memory(gofh_error *error)
{
    return error_set(error, GOFH_ERROR_MEMORY, "%s", gofh_status_text(GOFH_ERROR_MEMORY));
}

const char *gofh_status_text(gofh_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text)                                                                       \
    case name:                                                                                               \
        return text;
        GOFH_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}
