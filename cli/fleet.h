/* The simulator's runs under way, each the evaluation of a trial: starting them, finding them
 * again, and telling the study what came of them. */
#ifndef CLI_FLEET_H
#define CLI_FLEET_H

#include "cli/session.h"
#include "run/executor.h"

typedef struct {
    int64_t trial;
    run *process;
    int reattached; /* from a run of the program before this one */
} fleet_run;

typedef struct {
    session *s;
    const executor *executor;
    fleet_run *runs;
    run **processes; /* those of runs, for the executor */
    int count, room;
    double *y;
    int done, failed; /* since the program began */
    int unusable;     /* that the command can't be run has been said */
    int lacking;      /* how often a run could not begin for want of something */
    int places;       /* so many at once, after that; 0: it has not been */
    double places_until;
    int stopping; /* set by the caller: nothing is run again; what would be stays open */
    /* Called with each trial that is over. */
    void (*settled)(int64_t trial, void *context);
    void *context;
} fleet;

/* Finds again the runs that an earlier run of the program left. */
int fleet_open(fleet *f, session *s);
/* What still runs goes on and will be found again. */
void fleet_close(fleet *f);
/* Whether one more may be started now. */
int fleet_has_place(const fleet *f);
/* Starts the evaluation of a trial at x. It stays open if it could not begin for want of something
 * that the end of another run may bring back, or for a signal. */
int fleet_start(fleet *f, int64_t trial, const double *x);
/* Whether a run of the trial is under way. */
int fleet_has(const fleet *f, int64_t trial);
/* Waits until something may have happened, at most so many ms. */
void fleet_wait(const fleet *f, int milliseconds);
/* Tells the study of the runs that are over. */
int fleet_settle(fleet *f);
/* Begins to end all of them; their trials stay open. */
void fleet_cancel(fleet *f);

#endif
