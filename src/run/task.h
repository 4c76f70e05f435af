/* A shell command that is run beside all else, with an end to our patience. */
#ifndef RUN_TASK_H
#define RUN_TASK_H

#include "run/buffer.h"

#include <sys/types.h>

typedef struct {
    pid_t pid;          /* 0: nothing runs */
    int output, errors; /* open files that it writes to */
    double began;       /* process_clock */
    int status;         /* of one that has ended: its exit status, or -1: a signal, or our patience */
} task;

/* The files are closed by task_close. Where they are -1, files without a name are made. 0, or -1 with
 * errno and the files closed. */
int task_start(task *t, const char *command, char **environment, int output, int errors);
/* Whether it has ended. Never waits; ends what takes longer than `patience` seconds. */
int task_poll(task *t, double patience);
/* All that it wrote; at most a million bytes. */
void task_output(const task *t, buffer *text);
void task_errors(const task *t, buffer *text);
/* One that is running goes on. */
void task_close(task *t);

#endif
