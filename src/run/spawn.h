/* Starting a shell command as a process of its own that outlives us. */
#ifndef RUN_SPAWN_H
#define RUN_SPAWN_H

#include <sys/types.h>

typedef struct {
    pid_t pid;    /* leads a session of its own */
    int lifeline; /* reads as ended when the process has; for the caller to close */
    int go;       /* what it waits for */
    int report;   /* closes when it begins */
} spawned;

/* Starts a process that will run `command` with /bin/sh in `folder`, but waits until spawn_release;
 * standard input is empty, output and errors go to files of the folder, and the exit status is left
 * in one when the command ends. It inherits nothing else that is open. 0, or -1 with errno. */
int spawn_paused(const char *folder, const char *command, char **environment, spawned *result);
/* Lets it begin, or makes it end without having begun. If we die before, it ends too. 0, or the
 * errno of why it could not begin. */
int spawn_release(spawned *child, int begin);
/* Of a process that has ended: whether its command was run to an end, however that was. */
int spawn_was_run(int lifeline);

/* Starts a shell command in a session of its own, with an empty standard input, and output and
 * errors to open files. It inherits nothing else that is open. Its number, ours to reap, or -1 with
 * errno. */
pid_t spawn_shell(const char *command, char **environment, int output, int errors);

/* What starting a run, recording it and looking at other processes takes meanwhile; a run under way
 * keeps one of them. */
enum { SPAWN_FILES = 12 };
/* Sees to it that so many files can be opened, where it must by raising the soft limit of ours, not
 * of what is started. 0, or -1 with errno. */
int spawn_reserve_files(void);

/* Gives way to others for a moment. */
void spawn_pause(void);

#endif
