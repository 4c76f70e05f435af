#include "fault/allocator.h"

#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
void __wrap_free(void *block);

enum { BLOCKS_MAX = 1 << 16 };

static struct {
    pthread_mutex_t lock;
    long countdown; /* allocations until the one that fails; 0: none will */
    fault_mode mode;
    int failing; /* all fail from here on */
    long count, limit;
    int recording; /* the stacks of all allocations */
    uint64_t stacks[FAULT_STACKS];
    long failures, live, strange;
    void *blocks[BLOCKS_MAX]; /* the first `live` are in use */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = LONG_MAX};

void fault_start(long which, fault_mode mode)
{
    state.countdown = which;
    state.mode = mode;
    state.failing = 0;
    state.recording = which == 0;
    state.count = 0;
    state.failures = state.live = state.strange = 0;
}

long fault_failures(void)
{
    return state.failures;
}

long fault_count(void)
{
    return state.count;
}

uint64_t fault_stack(long which)
{
    return state.stacks[which - 1];
}

void fault_limit(long most)
{
    state.limit = most;
}

long fault_live(void)
{
    return state.live;
}

long fault_strange(void)
{
    return state.strange;
}

/* FNV-1a over the return addresses: this file's, who allocates, and who called that. What is
 * further out, such as which line of a scenario it was, makes no difference to what a failure
 * does. */
static uint64_t fingerprint(void)
{
    enum { DEEPEST = 6 };
    void *frames[DEEPEST];
    uint64_t hash = 14695981039346656037u;
    int depth = backtrace(frames, DEEPEST);
    for (int i = 0; i < depth; i++) hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211u;
    return hash;
}

static int refused(void)
{
    pthread_mutex_lock(&state.lock);
    if (state.recording && state.count < FAULT_STACKS) state.stacks[state.count] = fingerprint();
    if (++state.count > state.limit) {
        fprintf(stderr, "fault: more than %ld allocations: it does not end\n", state.limit);
        abort();
    }
    int fails = state.failing;
    if (state.countdown > 0 && --state.countdown == 0) {
        fails = 1;
        state.failing = state.mode == FAIL_ONWARD;
    }
    state.failures += fails;
    pthread_mutex_unlock(&state.lock);
    if (fails) errno = ENOMEM;
    return fails;
}

static void *remember(void *block)
{
    if (!block) return NULL;
    pthread_mutex_lock(&state.lock);
    if (state.live == BLOCKS_MAX) {
        fputs("fault: more blocks than BLOCKS_MAX\n", stderr);
        abort();
    }
    state.blocks[state.live++] = block;
    pthread_mutex_unlock(&state.lock);
    return block;
}

/* Looks from the newest on: blocks are mostly freed soon after they were made. */
static void forget(const void *block)
{
    if (!block) return;
    pthread_mutex_lock(&state.lock);
    long i = state.live - 1;
    while (i >= 0 && state.blocks[i] != block) i--;
    if (i >= 0)
        state.blocks[i] = state.blocks[--state.live];
    else
        state.strange++;
    pthread_mutex_unlock(&state.lock);
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : remember(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : remember(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (refused()) return NULL;
    forget(block);
    return remember(__real_realloc(block, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : remember(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    if (refused()) return ENOMEM;
    int status = __real_posix_memalign(block, alignment, size);
    if (status == 0) remember(*block);
    return status;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = refused() ? NULL : remember(__real_malloc(length + 1));
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return copy_text(text, strlen(text));
}

char *__wrap_strndup(const char *text, size_t most)
{
    return copy_text(text, strnlen(text, most));
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}
