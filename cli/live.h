/* The live page of studies: follows their files, whoever writes them, and serves what has changed. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

enum { LIVE_STUDIES_MAX = 8 };

typedef struct {
    const char *command; /* as messages name it */
    const char *const *paths;
    int count;
    int port;         /* 0: any that is free */
    const char *host; /* a name that requests may be addressed to besides; NULL: none */
    int parent;       /* a pipe that is closed when the run ends; -1: it ends by a signal */
} live_options;

/* Until a signal, or the end of the run. Returns the exit status. */
int live_serve(const live_options *options);

/* Serves a study in a process of its own while this one runs it. Returns a descriptor whose end ends
 * it, or -1 after saying why there is none. */
typedef struct {
    int descriptor, process;
} live_child;
live_child live_start(const char *path);
void live_end(live_child child);

#endif
