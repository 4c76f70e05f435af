/* Loaded into gofh serve: its waits of half a second take no time, and after so many of them (GOFH_TICKS)
 * it is ended. What memory it has after a tenth and at the end goes to standard error, in KiB. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TICK = 500 };

static void say_memory(long ticks)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    fprintf(stderr, "%ld ticks: %ld KiB\n", ticks, pages * (sysconf(_SC_PAGESIZE) / 1024));
}

int poll(struct pollfd *list, nfds_t count, int timeout)
{
    static int (*real)(struct pollfd *, nfds_t, int);
    static long ticks;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "poll");
    if (timeout != TICK) return real(list, count, timeout);
    const char *text = getenv("GOFH_TICKS");
    long most = text ? atol(text) : 0;
    ticks++;
    if (ticks == most / 10 || ticks == most) say_memory(ticks);
    if (ticks >= most) kill(getpid(), SIGTERM);
    return real(list, count, 0);
}
