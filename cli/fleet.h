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
    int waiting;    /* for fleet_begin */
} fleet_run;

typedef struct {
    session *s;
    const executor *executor;
    fleet_run *runs;
    run **processes; /* those of runs, for the executor */
    int count, room;
    int64_t *over;               /* trials that are, since the last fleet_begin */
    int over_count, unannounced; /* unannounced: of these, after the one that is being announced */
    double *y;
    int done, failed; /* since the program began */
    int unusable;     /* that the command can't be run has been said */
    int lacking;      /* how often a run could not begin for want of something */
    int places;       /* so many at once, after that; 0: it has not been */
    double places_until;
    int troubled; /* that the queue does not answer has been said */
    int stopping; /* set by the caller: nothing is run again; what would be stays open */
    /* Called with each trial whose run has begun or is over, once that is on disk. */
    void (*begun)(int64_t trial, void *context);
    void (*settled)(int64_t trial, void *context);
    void *context;
} fleet;

/* Finds again the runs that an earlier run of the program left. */
int fleet_open(fleet *f, session *s);
/* What still runs goes on and will be found again. */
void fleet_close(fleet *f);
/* Whether one more may be started now. */
int fleet_has_place(const fleet *f);
/* What is told and asked from now on waits for fleet_begin. */
void fleet_hold(fleet *f);
/* Starts the evaluation of a trial at x, which begins with fleet_begin. It stays open if it could not begin for want of something
 * that the end of another run may bring back, or for a signal. */
int fleet_start(fleet *f, int64_t trial, const double *x);
/* Whether a run of the trial is under way. */
int fleet_has(const fleet *f, int64_t trial);
/* Waits until something may have happened, at most so many ms. */
void fleet_wait(fleet *f, int milliseconds);
/* Puts what was held on the disk, and only then lets the runs begin that were started: all places
 * that got free together wait for the disk once. */
int fleet_begin(fleet *f);
/* Tells the study of the runs that are over. */
int fleet_settle(fleet *f);
/* Begins to end all of them; their trials stay open. */
void fleet_cancel(fleet *f);

#endif
