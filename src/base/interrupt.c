#include "base/interrupt.h"

#include <stddef.h>
#include <time.h>

static const double SECONDS_BETWEEN = 0.02;

static _Thread_local interrupt *current;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void interrupt_begin(interrupt *i, interrupt_question question, void *context)
{
    i->question = question;
    i->context = context;
    i->next = question ? now() + SECONDS_BETWEEN : 0.0;
    atomic_init(&i->answer, 0);
    i->before = current;
    current = question ? i : NULL;
}

int interrupt_end(interrupt *i)
{
    current = i->before;
    return atomic_load(&i->answer);
}

int interrupt_requested(void)
{
    interrupt *i = current;
    if (!i) return 0;
    if (atomic_load_explicit(&i->answer, memory_order_relaxed)) return 1;
    double time = now();
    if (time < i->next) return 0;
    i->next = time + SECONDS_BETWEEN;
    if (i->question(i->context)) atomic_store(&i->answer, 1);
    return atomic_load(&i->answer);
}

interrupt *interrupt_current(void)
{
    return current;
}

int interrupt_was_requested(const interrupt *i)
{
    return i && atomic_load_explicit(&i->answer, memory_order_relaxed);
}
