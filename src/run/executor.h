/* Where simulators run. An executor starts runs, says how they stand, ends them, and finds them
 * again after a restart: what it needs for that is a text, the run's identity, which the caller
 * keeps with the study. */
#ifndef RUN_EXECUTOR_H
#define RUN_EXECUTOR_H

#include "gofh.h"
#include "problem/simulator.h"

typedef enum {
    RUN_RUNNING,
    RUN_EXITED,      /* code: its exit status */
    RUN_SIGNALLED,   /* code: the signal */
    RUN_TIMED_OUT,   /* ended by us, after simulator.timeout seconds */
    RUN_CANCELLED,   /* ended by us, when asked to */
    RUN_NOT_BEGUN,   /* something was lacking (processes, memory, an allocation) before its command
                      * could begin; `why` may say it */
    RUN_INTERRUPTED, /* gone without a trace: a reboot, or it was killed with its wrapper */
    RUN_ENDED,       /* by its queue, for a fault of its own that `why` names: a limit of time or memory */
    RUN_LOST,        /* by its queue, for no fault of its own; `why` says how */
    RUN_REFUSED      /* its queue does not take it; `why` is what the queue says */
} run_state;

enum { RUN_WHY = 400 };

typedef struct executor executor;

/* One run. Executors have their own struct that begins with this one. */
typedef struct {
    const executor *executor;
    const simulator *simulator;
    char *folder;   /* absolute */
    char *identity; /* one line */
    run_state state;
    int code;
    double seconds; /* that it took, or has taken so far */
    char why[RUN_WHY];
} run;

/* What to run. `remember` is called with the identity before the simulator begins; if it returns
 * anything but 0, or the caller dies before it returned, the simulator never begins. So no run is
 * lost and none runs twice. With `paused`, where the executor has `begin`, it waits for that call. */
typedef struct {
    const simulator *simulator;
    const char *directory; /* gets runs/NNNN */
    long long trial;
    const double *x;
    int (*remember)(void *context, const char *identity);
    int (*interrupted)(void *context); /* asked while files are copied; NULL: never */
    void *context;
    int paused;
} run_request;

struct executor {
    /* Makes the folder, fills it and starts. *result is freed by free_run. Where it fails nothing
     * is left, and no simulator has begun: GOFH_ERROR_MEMORY where something is lacking that the
     * end of another run may bring back (memory, open files, processes), GOFH_ERROR_DISK without
     * space, GOFH_STOP_CALLER when interrupted. */
    gofh_status (*start)(const executor *self, const run_request *request, run **result, gofh_error *error);
    /* Lets a paused run begin: what start may fail with, and nothing is left of it but free_run, which
     * also gives up one that has not begun. NULL: no run is ever paused. */
    gofh_status (*begin)(run *r, gofh_error *error);
    /* Finds a run again from its identity, whatever became of it, even when its folder is gone. The
     * identity is not trusted: a folder that is not in directory/runs is refused, and other
     * processes are left as they are. */
    gofh_status (*reattach)(const executor *self, const simulator *sim, const char *directory,
                            const char *identity, run **result, gofh_error *error);
    /* Brings state, code and seconds up to date, and ends what is over its time. Never waits. */
    run_state (*poll)(run *r);
    /* Begins to end it: TERM, after a grace KILL, which poll sees to. */
    void (*cancel)(run *r);
    /* Returns when one of the runs may have changed, after timeout_ms (-1: none), or when `wake`, a
     * file descriptor or -1, can be read; 1, 0 or, when a signal came, -1. */
    int (*wait)(const executor *self, run *const *runs, int count, int timeout_ms, int wake);
    /* Makes reattach find a run that is over as one that was interrupted, whatever came of it.
     * Needs no space on the disk. */
    void (*forget)(const run *r);
    /* Frees our side of it. One that is running goes on and can be reattached. */
    void (*free_run)(run *r);
    /* The first word of its identities. */
    const char *name;
    /* Its runs are jobs of a queue: they need nothing of us, so an interrupt leaves them. */
    int queued;
    /* How its runs stand, for people: "3 running, 5 pending (Resources)". NULL: there is nothing to
     * say. */
    void (*summary)(const executor *self, char *text, size_t size);
    /* Why its queue can't be asked at the moment, for people; "" where it can. NULL: it has none. */
    const char *(*trouble)(const executor *self);
    /* Frees it, after its runs. NULL: it is a constant. */
    void (*close)(const executor *self);
};

/* The executor that the problem file chooses. NULL with an error. */
const executor *executor_open(const simulator *sim, gofh_error *error);
void executor_close(const executor *e); /* NULL is fine */

/* Checks all that can be checked before anything runs: names, templates, instruction files, files
 * to copy. */
gofh_status run_check(const simulator *sim, gofh_error *error);

enum { RUN_REASON = 1000 };

/* What the caller may want to do about a failure. */
typedef enum {
    FAILED_NOT,         /* it succeeded */
    FAILED_COMMAND,     /* it could not begin its work: mend the command, or what it names */
    FAILED_SIMULATOR,   /* exit status, signal or time limit */
    FAILED_RESULTS,     /* it ended well, but its results can't be used */
    FAILED_INTERRUPTED, /* not the simulator's fault: run it again */
    FAILED_CANCELLED,
    FAILED_NOT_BEGUN, /* run it again; something was lacking, as in start */
    FAILED_LOST,      /* run it again, some times: the cluster's fault */
    FAILED_REFUSED,   /* the queue does not take it: mend what is asked of it */
    FAILED_MEMORY     /* ours */
} run_failure;

/* Of a run that is over: y (all outputs, one after the other), or the reason why there is none. */
run_failure run_collect(const run *r, double *y, char reason[RUN_REASON]);

#endif
