/* How a run is shown while it goes: on a terminal some live lines, how the study stands and each run
 * under way; in any other file one plain line per evaluation; and a small curve of the best value at
 * the end. The texts are made without touching the terminal. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include "gofh.h"

#include <stdio.h>

typedef struct {
    int terminal; /* the line may be drawn again and again */
    int colour;
    int unicode;
    int columns, rows;
} progress_style;

typedef struct {
    int finished, budget; /* evaluations; budget 0: no limit */
    int running, failed;
    double best;                      /* NaN: none yet */
    int best_violates, violates;      /* whether a constraint is, by the best, and by the last trial: an
                                       * infinite f is not feasible then, and not finite else */
    double expected;                  /* improvement expected of the last suggestion; NaN: none */
    double seconds;                   /* left; NaN: not known */
    double seconds_low, seconds_high; /* said instead where both are set: one number would be wrong */
    const char *queue; /* instead of `running`, how jobs of a queue stand; NULL: there are none */
    const char *spark; /* the best value so far as a small curve; NULL: none */
} progress_state;

/* A terminal or not, its width (80 where it does not say), whether colours are wanted (a terminal
 * that is not "dumb", NO_COLOR unset or empty) and whether the locale is UTF-8. */
progress_style progress_detect(FILE *file);

/* Writes a text with its lines broken between words, at most `columns` - 1 characters each; a longer word
 * is left whole. */
void progress_wrap(FILE *file, const char *text, int columns);

/* "45 s", "12 min", "3 h 20 min", "5 d 2 h". */
void progress_duration(double seconds, char *text, size_t size);

/* The best of the first i values in as many cells, at most `width`; "" where
 * progress_curve draws nothing, or the locale has no blocks. */
enum { PROGRESS_SPARK = 64 };
void progress_spark(char text[PROGRESS_SPARK], const double *values, int count, gofh_sense sense,
                    const progress_style *style, int width);

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

/* A line on a run under way, at most `columns` - 1 characters: "  trial 13  2 min  D=0.07 L=1.5";
 * `names` and `values` are those of the parameters, as they are seen. Of those that do not fit the first
 * and all behind it become "...". */
void progress_run(char *text, size_t size, int64_t trial, double seconds, const char *const *names,
                  const char *const *values, int d, const progress_style *style);

/* What is on the terminal: lines that are drawn again and again. */
enum { PROGRESS_LINES = 8 };
typedef struct {
    int count;
    int width[PROGRESS_LINES]; /* characters that are seen of each */
} progress_screen;

/* Draws lines over those before, however the terminal was resized meanwhile; takes them away. Nothing
 * where the file is no terminal. */
void progress_draw(FILE *file, progress_screen *screen, const progress_style *style, char *const *lines,
                   int count);
void progress_clear(FILE *file, progress_screen *screen, const progress_style *style);

#endif
