/* What the live page holds, shared by what follows the studies and what answers requests. */
#ifndef CLI_LIVE_STATE_H
#define CLI_LIVE_STATE_H

#include "cli/described.h"
#include "cli/foresee.h"
#include "cli/live.h"
#include "report/gather.h"
#include "serve/server.h"
#include "serve/view.h"

#include <pthread.h>
#include <time.h>

/* How the files of a study were when they were read. */
typedef struct {
    struct timespec changed[2];
    long long size[2];
    unsigned long long inode[2];
} stamp;

/* A part of the page as it is now; its text may be looked at under the lock. */
typedef struct {
    char *text;
    size_t size;
    long long version;
} part;

typedef struct {
    session s;
    stamp seen;
    int known;  /* `seen` is set */
    double due; /* when it may be read again */
    /* What the server's thread looks at, under the lock. */
    gofh_study *study; /* NULL: it has not begun, or can't be read */
    described d;
    report r;
    gofh_error error;
    part summary, running, next, state;
    view_times times;
    double times_due; /* when they are to be estimated again */
    forecast forecast;
    int foreseen; /* the study was not read again since the forecast was asked for */
} followed;

typedef struct {
    const live_options *options;
    followed studies[LIVE_STUDIES_MAX];
    pthread_mutex_t lock;
    serve_server *server;
    foreseer foreseer;
    int ended;         /* whoever runs the study has ended */
    int foreseen_last; /* whose forecast was asked for last */
} live;

/* Reads the study anew where its files have changed, and looks at its runs. Returns whether anything on
 * the page has changed. */
int live_follow(live *l, followed *v);
/* Has forecasts made while somebody looks, and takes those that are. Returns as live_follow does. */
int live_foresee(live *l);
/* What is expected next, after l->ended was set. Returns as live_follow does. */
int live_end_all(live *l);
void live_release(followed *v);
double live_clock(void);

/* A serve_answer, whose context is the live page. */
int live_answer(void *context, const char *path, const serve_request *request, serve_document *document);

#endif
