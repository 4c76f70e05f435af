/* The commands of batch systems, for `queue: {preset: ...}` of a problem file. */
#ifndef PROBLEM_PRESETS_H
#define PROBLEM_PRESETS_H

/* For the shell. Places, each one word for it: {name} of the job, {script} and {folder} of the run,
 * {output} of what the job itself prints, {id} of the job, {extra} (as many words as there are). */
typedef struct {
    const char *name;
    const char *submit; /* prints the job's id as its first word */
    const char *status; /* prints the ids of all jobs that wait or run, one first word per line */
    const char *cancel;
} queue_preset;

/* Ends with name NULL. */
extern const queue_preset QUEUE_PRESETS[];

#endif
