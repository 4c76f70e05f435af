/* Forecasts for the live page, each made by a process of its own: of the lowest priority, on a copy of the
 * study in its own memory. Neither the page nor the writer of a study waits for it. These processes are
 * children of one that does nothing else, and so may be started while the page has threads. */
#ifndef CLI_FORESEE_H
#define CLI_FORESEE_H

#include "cli/session.h"
#include "serve/forecast.h"

#include <sys/types.h>

typedef struct {
    pid_t process; /* 0: there is none */
    int requests, answers;
    int study;       /* that is at work; -1: none */
    double due;      /* when the next may begin */
    size_t received; /* bytes of the answer */
    forecast answer;
    char failure[FORECAST_FAILURE]; /* why there is no process */
} foreseer;

/* Starts the process, which knows these sessions. To be called while this process has one thread. Where it
 * can't be started, or ends (process 0), there are no more forecasts and `failure` says why. */
void foresee_start(foreseer *f, const session *const *sessions, int count);
/* Whether it is idle, and may work again: it takes a share of the processor time at most. */
int foresee_is_ready(const foreseer *f, double now);
/* Has the forecast of a study made. */
void foresee_ask(foreseer *f, int study);
/* The study whose forecast is in f->answer now, or why there is none, after which there is a pause; -1:
 * there is nothing yet. */
int foresee_take(foreseer *f, double now);
void foresee_end(foreseer *f);

#endif
