/* Allocation with overflow checks. Everything comes zeroed; everything is freed with free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* NULL when there is no memory or count * size overflows; never NULL for count = 0. */
void *memory_new(size_t count, size_t size);
double *memory_doubles(size_t count);
/* Makes room for at least `count` items, by doubling; new ones are zeroed. Returns 0, or -1 with
 * everything as it was. */
int memory_grow(void **items, size_t *capacity, size_t count, size_t size);

/* A workspace that is used again and again: it grows and never shrinks. Freed by
 * free(room->block). */
typedef struct {
    double *block;
    size_t size;
} memory_room;

/* At least `count` doubles, whatever they hold; NULL when there is no memory. What was there before
 * is lost. */
double *memory_reserve(memory_room *room, size_t count);

char *memory_copy_text(const char *text);

#endif
