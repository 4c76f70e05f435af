/* What the parts of a report share: the trials as arrays, the best of them, and how f is shown. */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include "report/chart.h"
#include "report/html.h"

/* Elements of outputs that get pictures of their own; and parameters that get a scatter plot with
 * each other. */
enum { REPORT_OUTPUTS_MAX = 12, REPORT_SCATTERED_MAX = 6, REPORT_NAME = 96 };

/* Values whose largest is so many times their smallest are shown on a logarithmic scale. */
extern const double REPORT_DECADES;

typedef struct {
    const report_input *input;
    gofh_study *study;
    FILE *file;
    int d, m, count;
    double *x, *y, *f;                /* count x d, count x m (NaN unless done), count (NaN unless done) */
    int *state;                       /* gofh_trial_state, one element per trial */
    double *low, *high;               /* m: the model's 95 % at the best point; NULL: there is no model */
    int done, failed, open, imported; /* imported: but for that of gofh check */
    int checked;                      /* whether there is that one */
    int best;                         /* index of the best trial; -1: none is done, or has an f */
    int models_outputs;               /* the method has a model of h, and there are data for it */
    int models_f;
    int quick; /* there is no model, for nobody wants one or it would take too long */
    /* f as it is drawn over the trials: f_sign (f - f_origin), on a logarithmic scale where it
     * spans decades. */
    double f_sign;   /* -1 for f below 0, or beneath the best; else 1 */
    double f_origin; /* the best f, where f changes sign over decades; else 0 */
    int f_log;
    const char *f_name; /* "f", "−f", "f − best" or "best − f" */
    const double *next; /* next_count x d: points that would be chosen next; NULL: they are not known */
    int next_count;
    chart_files *files; /* figures are files of their own; NULL: they are parts of the page */
    gofh_error *error;
} report;

/* Collects it all. report_release frees it, whatever the status was. */
gofh_status report_gather(report *r, FILE *file, const report_input *input, gofh_error *error);
void report_release(report *r);

/* "c[3]" of element j of all outputs; only the name where the output has one element. */
void report_element_name(const report *r, int j, char name[REPORT_NAME]);
int report_shown_outputs(const report *r);
/* As a file it is enlarged to the width of a column, so that the letters of all are of one size. */
chart report_chart(const report *r, double width, double height);
/* A chart over the whole width of the page comes in two sizes: one for wide screens and paper, another
 * for narrow screens, where the first would be too small to read. The page shows one of them. As a
 * file there is the small one alone. */
int report_sizes(const report *r);
chart report_large_chart(const report *r, int size);
/* A chart's legend on the page; a file has its own. */
void report_legend(const report *r, const chart_item *items, int count);
/* The scale of a parameter, from bound to bound. */
chart_axis report_parameter_axis(const report *r, int k);
/* A value of parameter k as readers see it, a choice by its text. */
void report_value(const report *r, int k, double value, char text[REPORT_NAME]);
/* A number as readers see it. */
void report_number(const report *r, double value);
/* The name of a trial's origin: "check" for the one that gofh check made. */
const char *report_origin(const report *r, const gofh_trial *trial);
/* By how much the trial of index i, which is done, violates the constraint that it violates most; 0: none,
 * NaN: that is not known. */
double report_violation(const report *r, int i);
/* f as it is drawn. */
double report_drawn_f(const report *r, double f);
/* Whether all of a page was written; "the <what> can't be written: ..." if not. */
gofh_status report_finish(FILE *file, const char *what, gofh_error *error);
/* The failure of a call on the study, as the report's. */
gofh_status report_failure(const report *r, gofh_status status);

#endif
