/* Processes that may not be our children: who they are, whether they live, and their end. */
#ifndef RUN_PROCESS_H
#define RUN_PROCESS_H

#include <sys/types.h>

enum { PROCESS_BOOT = 40 };

/* A process number is used again, also after a reboot: with the time of its start it is one process
 * for ever. */
typedef struct {
    pid_t pid;
    unsigned long long start; /* clock ticks since the boot */
    char boot[PROCESS_BOOT];
} process;

/* Fills in who `pid` is. 0, or -1 if there is no such process. */
int process_identify(pid_t pid, process *p);
/* Whether the machine has been up since. */
int process_same_boot(const process *p);
/* Whether it still runs; a zombie, which only waits to be reaped, does not. */
int process_is_alive(const process *p);
/* Whether that folder is where it works. */
int process_works_in(const process *p, const char *folder);
/* Seconds since it started, whatever the wall clock did. */
double process_age(const process *p);
/* Seconds of a clock that never goes back and counts sleep. */
double process_clock(void);
/* Which processes belong to what p led: those of its session that have the mark, and */
typedef unsigned process_reach;
enum {
    /* The others of the session too: p is alive or not reaped yet, so that the number is still its
     * own */
    PROCESS_SESSION = 1,
    PROCESS_MARKED = 2 /* those that have the mark and made a session of their own */
};

/* Sends a signal to them, whatever groups they made; how many are alive, p among them. Signal 0
 * only counts. The mark is an entry "NAME=value" of their environments that no others have; our own
 * session is spared. */
int process_signal(const process *p, const char *mark, process_reach reach, int signal);

#endif
