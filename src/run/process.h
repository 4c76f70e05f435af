/* Processes that may not be our children: who they are, whether they live, and their end. */
#ifndef RUN_PROCESS_H
#define RUN_PROCESS_H

#include <sys/types.h>

enum { PROCESS_BOOT = 40 };

/* A process number is used again, also after a reboot: with the time of its start it is one process for ever. */
typedef struct {
    pid_t pid;
    unsigned long long start; /* clock ticks since the boot */
    char boot[PROCESS_BOOT];
} process;

/* Fills in who `pid` is. 0, or -1 if there is no such process. */
int process_identify(pid_t pid, process *p);
/* Whether the machine has been up since. */
int process_same_boot(const process *p);
/* Whether it still runs; one that only waits to be buried does not. */
int process_is_alive(const process *p);
/* Whether that folder is where it works. */
int process_works_in(const process *p, const char *folder);
/* Seconds since it started, whatever the wall clock did. */
double process_age(const process *p);
/* Seconds of a clock that never goes back and counts sleep. */
double process_clock(void);
/* Sends a signal to all processes of the session that p leads, whatever groups they made; how many are left alive, p
 * among them. Signal 0 only counts. */
int process_signal_session(const process *p, int signal);

#endif
