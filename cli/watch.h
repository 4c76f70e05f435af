/* How "gofh run" is seen: live lines on a terminal, one line per trial elsewhere, lines of JSON for
 * other programs, or nothing. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "cli/fleet.h"
#include "report/progress.h"
#include "report/time_left.h"

#include <stdio.h>

typedef enum { WATCH_USUAL, WATCH_QUIET, WATCH_JSON_LINES } watch_mode;

typedef struct {
    session *s;
    const fleet *runs;
    FILE *out;
    watch_mode mode;
    progress_style style;
    progress_screen screen;
    double expected; /* of the last suggestion */
    double *seconds; /* that runs took */
    double *f;       /* of trials, NaN where there is none; workspace */
    const char **names;
    size_t second_count, second_room, f_room;
    double asking;      /* seconds for all suggestions of this process, */
    int asked;          /* and how many they were */
    time_estimate left; /* as estimated last */
    double left_at;     /* when; 0: never */
    char queue[64];
    int compared; /* whether outputs were compared, to see whether they vary */
} watch;

/* Where to and how; before there is a study. */
void watch_begin(watch *w, session *s, FILE *out, watch_mode mode);
/* With the study open: run times of earlier. Returns the exit status. */
int watch_open(watch *w, const fleet *runs);
void watch_close(watch *w);

/* The live lines as they are now; nothing elsewhere. */
void watch_draw(watch *w);
/* Takes them away, for a message or the end. */
void watch_clear(watch *w);
/* A trial whose run begins; that is over. */
void watch_started(watch *w, int64_t trial);
void watch_settled(watch *w, int64_t number);
/* The best f so far of each evaluation, as a curve. */
void watch_curve(watch *w);

#endif
