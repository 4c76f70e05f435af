/* How a run is shown while it goes: one live line on a terminal, one plain line per evaluation in
 * any other file, and a small curve of the best value at the end. The texts are made without
 * touching the terminal. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include "gofh.h"

#include <stdio.h>

typedef struct {
    int terminal; /* the line may be drawn again and again */
    int colour;
    int unicode;
    int columns;
} progress_style;

typedef struct {
    int finished, budget; /* evaluations; budget 0: no limit */
    int running, failed;
    double best;       /* NaN: none yet */
    double expected;   /* improvement expected of the last suggestion; NaN: none */
    double seconds;    /* left; NaN: not known */
    const char *queue; /* instead of `running`, how jobs of a queue stand; NULL: there are none */
} progress_state;

/* A terminal or not, its width (80 where it does not say), whether colours are wanted (a terminal
 * that is not "dumb", NO_COLOR unset or empty) and whether the locale is UTF-8. */
progress_style progress_detect(FILE *file);

/* Seconds left, when `finished` of `budget` evaluations took `elapsed`; NaN where that says
 * nothing. */
double progress_seconds_left(double elapsed, int finished, int budget);
/* "45 s", "12 min", "3 h 20 min", "5 d 2 h". */
void progress_duration(double seconds, char *text, size_t size);

/* The live line, without its end: at most `columns` - 1 characters are seen; what matters least
 * goes first. */
void progress_line(char *text, size_t size, const progress_state *state, const progress_style *style);
/* A line on one trial that is over, its end included. Control characters of the reason become
 * spaces. */
void progress_plain(char *text, size_t size, const gofh_trial *trial, const progress_state *state);
/* The best of the first i values, for each i, as a curve of six lines with its scale; NaN and
 * infinities are passed over. Nothing where fewer than two are finite or none is better than the
 * first. Logarithmic where they span decades. */
void progress_curve(char *text, size_t size, const double *values, int count, gofh_sense sense,
                    const progress_style *style);

/* Draws the live line over the one before; takes it away. Nothing where the file is no terminal. */
void progress_draw(FILE *file, const progress_style *style, const char *line);
void progress_clear(FILE *file, const progress_style *style);

#endif
