/* What the live page shows of a study: parts of it as HTML, made from the study as it was read last. None
 * needs a model: what is expected next comes from another process. */
#ifndef SERVE_VIEW_H
#define SERVE_VIEW_H

#include "report/gather.h"
#include "serve/forecast.h"

/* A run under way, as far as it can be seen from outside. */
typedef struct {
    long long trial;
    double since;       /* when it began, in seconds since 1970; NaN: not known */
    const char *where;  /* its machine or job; "": not known */
    const char *output; /* the end of what it has written; "": nothing */
} view_run;

/* When the study began, and when its budget will be used up, in seconds since 1970. NaN: that is not known,
 * as where nothing runs; without `began` neither of the others is. */
typedef struct {
    double began;
    double low, high; /* the same where one number is likely to be right */
} view_times;

/* A study on the page: its title, and the parts below as they are; NULL: not yet. */
typedef struct {
    const char *title, *summary, *running, *next, *state;
} view_study;
/* The whole page. The script keeps it up to date; without scripts it is loaded again now and then. */
void view_page(FILE *file, const view_study *studies, int count, const char *token);

/* Each writes to r->file, of a report that was gathered with input->quick. */
/* The best so far, the problem, its parameters, and the convergence. */
gofh_status view_summary(const report *r);
/* The fit and its residuals, constraints, run times. */
gofh_status view_state(const report *r);
/* Open trials with their parameters and what is expected of them, the time left, and the last failures. */
gofh_status view_running(const report *r, const view_run *runs, int count, const view_times *times,
                         long long queued);

/* Whether a study is at its end: the forecast is of all its results, nothing is open and nothing follows. */
int view_is_over(const report *r, const forecast *f);
/* What the model expects of the runs under way and of the points after them, the word of the stop rule,
 * and where all that is among the trials. ended: whoever ran the study has ended. gone: why there will be
 * no other forecast; "": there will be. */
gofh_status view_next(const report *r, const forecast *f, int ended, const char *gone);

enum { VIEW_ROWS = 100 };
/* Which trials a table has, and in which order. */
typedef struct {
    const char *sort; /* "trial", "f", "seconds" or the number of a parameter; NULL: the newest first */
    int descending;
    const char *filter; /* "failed", "f < 0.1", words of a reason; NULL: all */
    int from;           /* rows before the first that is shown */
} view_query;
gofh_status view_trials(const report *r, const view_query *query);
/* One trial: parameters, outputs, constraints, times and the end of its output. folder: where it ran;
 * "": nowhere. GOFH_ERROR_TRIAL: there is none. */
gofh_status view_trial(const report *r, long long number, const char *folder, const char *standard_output,
                       const char *standard_error);

#endif
