/* OpenBLAS starts a thread for each processor when it is loaded. gofh never uses them; each takes
 * address space, and where one can't be started OpenBLAS sends the program a SIGINT. So while the
 * libraries are initialised there is one processor only. (The environment, which OpenBLAS asks
 * first, can't be changed so early.) */
#define _GNU_SOURCE /* sched_setaffinity */
#include "cli/early.h"

#include <sched.h>
#include <stddef.h>

#if defined(__linux__)

static cpu_set_t processors;
static int is_changed;

static void use_one_processor(void)
{
    cpu_set_t one;
    size_t first = 0;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0) return;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &processors)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    is_changed = sched_setaffinity(0, sizeof one, &one) == 0;
}

/* What is in this section runs before the initialisation of the libraries. */
__attribute__((used,
               section(".preinit_array"))) static void (*const before_libraries)(void) = use_one_processor;

void early_restore(void)
{
    if (is_changed) sched_setaffinity(0, sizeof processors, &processors);
}

#else

void early_restore(void)
{
}

#endif
