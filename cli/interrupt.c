#include "cli/interrupt.h"

#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { INTERRUPTS_MAX = 2 };

static atomic_int count;
static int ends[2] = {-1, -1};

static void handle(int signal_number)
{
    (void)signal_number;
    int kept = errno;
    /* All is saved at any moment. */
    if (atomic_fetch_add(&count, 1) >= INTERRUPTS_MAX) _exit(EXIT_INTERRUPTED);
    ssize_t written = write(ends[1], "", 1); /* a full pipe wakes as well */
    (void)written;
    errno = kept;
}

int interrupt_catch(void)
{
    if (pipe(ends)) return -1;
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) || fcntl(ends[i], F_SETFL, O_NONBLOCK)) return -1;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct sigaction hang_up;
    if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL) ||
        sigaction(SIGHUP, NULL, &hang_up))
        return -1;
    if (hang_up.sa_handler == SIG_IGN) return 0; /* nohup */
    return sigaction(SIGHUP, &action, NULL);
}

int interrupt_count(void)
{
    return atomic_load(&count);
}

int interrupt_descriptor(void)
{
    return ends[0];
}

void interrupt_drain(void)
{
    char bytes[64];
    while (read(ends[0], bytes, sizeof bytes) > 0) {
    }
}
