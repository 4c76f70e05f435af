/* The jobs of a queue, and asking the queue about them: the parts of src/run/queue.c. */
#ifndef RUN_QUEUE_PARTS_H
#define RUN_QUEUE_PARTS_H

#include "run/queue.h"
#include "run/task.h"

typedef enum {
    TO_SUBMIT,  /* when `not_before` has come */
    SUBMITTING, /* it is the queue's `submitting` */
    TO_FIND,    /* it may be in the queue: the next list tells */
    QUEUED
} job_phase;

typedef struct queue queue;

typedef struct job {
    run base;
    queue *queue;
    struct job *next;
    char *name;
    char id[QUEUE_ID]; /* "" while it is not known */
    job_phase phase;
    double began;       /* when we saw it first */
    double not_before;  /* for the next submission */
    double known_from;  /* a list that began later shows it if it is there */
    double over_since;  /* that it is over, or missing in the list; 0: it is not */
    double late_since;  /* that it has an exit file, but not its results */
    int waits_again;    /* the last list has it waiting, although it has begun */
    int hurried;        /* the list was asked for its end, out of turn */
    int vanished;       /* how often it went from the queue without having begun */
    int submissions;    /* that were refused while the queue could be asked */
    int accounted;      /* 1: to be asked, 2: asked */
    int cancelling;     /* 1: to be done, 2: under way, 3: done */
    double cancel_next; /* when it may be tried again */
    queue_sighting seen, next_seen;
} job;

struct queue {
    executor base;
    const queue_system *system;
    const simulator *simulator;
    char **environment;
    job *first;
    task submit, list, account, cancel;
    job *submitting, *accounting, *cancelled; /* NULL: it is gone, or nothing is under way */
    double pumped, list_next, list_interval;
    char trouble[RUN_WHY]; /* that the last list failed */
};

/* Seconds between two lists while something changes. */
#define QUEUE_LOOK_MIN 5.0

/* Brings everything forward that the queue is asked: submissions, the list, accounts, cancelling.
 * Never waits. */
void queue_pump(queue *q);
/* Takes the job's id from what the queue answered. */
void queue_take_id(job *j);
/* The id, for people. */
const char *queue_id(const job *j);
/* Sets the state of one that is over: cancelled, if that was wanted. */
void queue_finish(job *j, run_state state);
/* Sets `why`, and adds the last line of a file of the run's folder to it. */
void queue_explain(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
void queue_add_last_line(job *j, const char *name);

#endif
