#include "run/buffer.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_room(buffer *b, size_t count)
{
    if (!b->failed) b->failed = memory_grow((void **)&b->bytes, &b->capacity, b->length + count + 1, 1) != 0;
    return !b->failed;
}

void buffer_add(buffer *b, const char *bytes, size_t count)
{
    if (!make_room(b, count)) return;
    memcpy(b->bytes + b->length, bytes, count);
    b->length += count;
    b->bytes[b->length] = '\0';
}

void buffer_text(buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

void buffer_format(buffer *b, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int count = number_format_list(NULL, 0, format, arguments);
    if (count >= 0 && make_room(b, (size_t)count)) {
        number_format_list(b->bytes + b->length, (size_t)count + 1, format, again);
        b->length += (size_t)count;
    }
    if (count < 0) b->failed = 1;
    va_end(again);
    va_end(arguments);
}

void buffer_free(buffer *b)
{
    free(b->bytes);
    *b = (buffer){0};
}
