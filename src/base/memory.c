#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *memory_new(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

double *memory_doubles(size_t count)
{
    return memory_new(count, sizeof(double));
}

int memory_grow(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return 0;
    size_t wanted = *capacity > 4 ? *capacity : 4;
    while (wanted < count) {
        if (wanted > SIZE_MAX / 2) return -1;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / size) return -1;
    char *grown = realloc(*items, wanted * size);
    if (!grown) return -1;
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    *items = grown;
    *capacity = wanted;
    return 0;
}

double *memory_reserve(memory_room *room, size_t count)
{
    if (count <= room->size) return room->block;
    free(room->block);
    room->block = memory_doubles(count);
    room->size = room->block ? count : 0;
    return room->block;
}

char *memory_copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memory_new(bytes, 1);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}
