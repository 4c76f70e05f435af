#include "api/sized.h"

#include "base/error.h"

#include <string.h>

enum { SIZE_LIMIT = 4096 };

gofh_status sized_check(size_t size, const char *name, gofh_error *error)
{
    if (size >= sizeof size && size <= SIZE_LIMIT) return GOFH_OK;
    return error_set(error, GOFH_ERROR_ARGUMENT,
                     "a %s of %zu bytes: the size must be that of the caller's struct, sizeof(%s)", name,
                     size, name);
}

static size_t shorter(size_t a, size_t b)
{
    return a < b ? a : b;
}

void sized_give(void *to, size_t size, const void *from, size_t own)
{
    size_t filled = shorter(size, own);
    memset(to, 0, size);
    memcpy(to, from, filled);
    memcpy(to, &filled, sizeof filled);
}

void sized_take(void *to, size_t own, const void *from, size_t size)
{
    memset(to, 0, own);
    memcpy(to, from, shorter(size, own));
    memcpy(to, &own, sizeof own);
}
