/* Runs as jobs of a queue: what all queues have in common, as an executor, and what a batch system
 * has to say for that, as a queue_system. */
#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

#include "run/buffer.h"
#include "run/executor.h"

enum { QUEUE_ID = 80, QUEUE_NAME = 160, QUEUE_WORD = 32, QUEUE_REASON = 120 };

typedef enum {
    SEEN_NOT,
    SEEN_ALIVE,     /* waits, runs, or what we do not know */
    SEEN_COMPLETED, /* its script ended with status 0 */
    SEEN_FAILED,    /* with another, or it was killed */
    SEEN_ENDED,     /* it was over a limit that it had asked for */
    SEEN_CANCELLED, /* ended by somebody */
    SEEN_LOST       /* ended by the cluster */
} queue_seen;

/* A job in the queue's list. */
typedef struct {
    char id[QUEUE_ID], name[QUEUE_NAME]; /* "" where it does not say */
    char word[QUEUE_WORD];               /* its state, in the queue's own word */
    char reason[QUEUE_REASON];           /* why it waits */
    queue_seen seen;
} queue_sighting;

/* The job that a command is about. */
typedef struct {
    const simulator *simulator;
    const char *name, *id, *folder;
} queue_job;

/* Commands are for the shell. */
typedef struct {
    const char *name;  /* the first word of identities */
    const char *title; /* in messages */
    int tells_ends;    /* its list says for a while how jobs ended; otherwise only who is alive */
    /* Prints the id as its first word, up to a ";". */
    void (*submit)(const queue_job *job, buffer *command);
    /* Prints a line for each job. What fails says nothing about any. */
    void (*list)(const simulator *sim, buffer *command);
    /* Reads such a line, which it may change; 0 if it is none. */
    int (*read)(char *line, queue_sighting *sighting);
    void (*cancel)(const queue_job *job, buffer *command);
    /* Prints the word for the end of a job that is not in the list any more; NULL: nobody knows. */
    void (*account)(const queue_job *job, buffer *command);
    /* The same from what the queue left in the job's output, NULL if it does not say; may be NULL. */
    const char *(*overhear)(const char *output);
    queue_seen (*judge)(const char *word); /* what such a word means */
    /* Whether a submission that failed with this message may well succeed later. */
    int (*is_temporary)(const char *errors);
} queue_system;

extern const queue_system SLURM_SYSTEM;
extern const queue_system TEMPLATE_SYSTEM; /* the commands of the problem file */

/* What the step of a run leaves in its folder: that it has begun, and when the command has ended its
 * status. */
#define SLURM_STEP_BEGUN      "step_begun"
#define SLURM_STEP_STATUS     "step_status"
#define SLURM_STEP_STATUS_NEW "step_status.new" /* the same while it is written */
/* A command as a step of the job of Slurm that we are in. */
void slurm_step(const simulator *sim, const char *command, buffer *step);
/* Whether a step with this status was ended by Slurm: by TERM, which gofh itself did not send, or so
 * Slurm says. */
int slurm_step_was_ended(int status, const char *errors);
/* How a step was ended, or why it left no status, from what srun said and how long it took: over a limit
 * of its own, or with the job. */
queue_seen slurm_step_end(const simulator *sim, const char *errors, double seconds);

/* NULL without memory. */
const executor *queue_open(const queue_system *system, const simulator *sim);
/* The folder of a run, from its identity; NULL if it is not one of a queue. */
const char *queue_folder(const char *identity);

#endif
