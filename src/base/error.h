/* Filling a gofh_error. Nothing in this folder is a public symbol: the layers above the library
 * have their own copy. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "gofh.h"

/* Writes a message into `error` (which may be NULL) unless it has one already, and returns
 * `status`. */
gofh_status error_set(gofh_error *error, gofh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

gofh_status error_memory(gofh_error *error);

#endif
