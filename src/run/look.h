/* What can be seen of a run from outside, by its identity alone: for people and other programs.
 * Nothing is waited for, asked of a queue or changed. */
#ifndef RUN_LOOK_H
#define RUN_LOOK_H

#include "run/executor.h"

enum { LOOK_WORD = 32, LOOK_TEXT = 200, LOOK_TAIL = 2000 };

typedef struct {
    char executor[LOOK_WORD]; /* that started it */
    char *folder;             /* where its files are now; NULL: they are gone */
    /* "running", "ended" (its result is not in the study yet), "pending" (in a queue), "lost" (it
     * ended without a word), or "unknown": it is on another machine. */
    char state[LOOK_WORD];
    char queue[LOOK_TEXT]; /* how its queue saw it last, with the job's number; "" without a queue */
    char host[LOOK_TEXT];  /* the machine that it runs on; "": not known */
    long process;          /* 0: not known */
    double began;          /* seconds since 1970; NaN: not known */
    int corrected;         /* the identity is marked so: its result is not that of the run any more */
} run_look;

/* Before an identity: what the run left is not the result, somebody has corrected it. */
#define LOOK_CORRECTED "corrected "

/* directory: that of the study, whose runs/ has the run's folder even where the study was moved.
 * Returns 0, or -1 where `identity` is none or there is no memory. */
int look_at_run(const char *identity, const char *directory, run_look *look);
void look_free(run_look *look);

/* The ends of what the simulator wrote to its standard output and to its standard error; "" for nothing. */
void look_at_outputs(const run_look *look, char output[LOOK_TAIL], char errors[LOOK_TAIL]);
/* The end of its standard error, and of its standard output where that is empty. */
void look_at_output(const run_look *look, char text[LOOK_TAIL]);

/* The outputs once more, from the files that the run left: y, or the reason why there are none. A run
 * that did not end by itself with exit status 0 has none, unless `done`: it is known to have. */
run_failure look_read_again(const run_look *look, const simulator *sim, int done, double *y,
                            char reason[RUN_REASON]);

#endif
