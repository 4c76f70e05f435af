/* A text that grows. After an allocation has failed it stays as it was and `failed` is set, to be
 * looked at once, in the end. */
#ifndef RUN_BUFFER_H
#define RUN_BUFFER_H

#include <stddef.h>

typedef struct {
    char *bytes; /* ends with a zero byte; NULL while nothing was added */
    size_t length, capacity;
    int failed;
} buffer;

void buffer_add(buffer *b, const char *bytes, size_t count);
void buffer_text(buffer *b, const char *text);
void buffer_format(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_free(buffer *b);

#endif
