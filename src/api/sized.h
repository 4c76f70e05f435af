/* Structs of callers that were compiled against another version of the header: shorter or longer
 * than ours. */
#ifndef API_SIZED_H
#define API_SIZED_H

#include "gofh.h"

/* GOFH_ERROR_ARGUMENT and a message where no struct `name` can have this size. */
gofh_status sized_check(size_t size, const char *name, gofh_error *error);
/* Writes `own` bytes of ours, which begin with their size, to the caller's struct of `size`:
 * nothing beyond its end, and zeros where it is longer. */
void sized_give(void *to, size_t size, const void *from, size_t own);
/* The other way round. */
void sized_take(void *to, size_t own, const void *from, size_t size);

#endif
