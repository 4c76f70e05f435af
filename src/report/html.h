/* The report of a study: one HTML file that needs nothing else, no network, and scripts only for what
 * is a convenience. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "gofh.h"

#include <stdio.h>

/* Values of a discrete parameter that are shown at most. */
enum { REPORT_VALUES_MAX = 64 };
/* Evaluations that a model is made of: of 10,000 one takes minutes to hours. */
enum { REPORT_MODELLED_MAX = 4000 };

typedef struct {
    const char *name;
    double lower, upper;
    gofh_scale scale;
    /* Of a discrete parameter: some of its values, in order; one where it is fixed. 0: an interval. */
    int count;
    double *values;
    char **words; /* of choices: their texts, as many as there are values; else NULL */
} report_parameter;

typedef struct {
    const char *name;
    int size;
} report_output;

/* What is known of data beyond their values. */
typedef struct {
    const char *name;
    int size;
    const double *at;                   /* size: where they were measured; NULL: not known */
    const char *at_name, *unit, *label; /* NULL: not known */
} report_data;

/* What is known of a trial's run beyond what the study knows. */
typedef struct {
    double seconds;     /* that it took; NaN: not known */
    const char *folder; /* an address of its folder, for a link; NULL: none */
    int checked;        /* it is the one of "gofh check" */
} report_run;

/* What is reported. The trials come from the study; the rest is what it does not know. Texts are in
 * UTF-8 and may hold anything: they are escaped. */
typedef struct {
    gofh_study *study;
    const char *title;
    const char *made; /* when, as the reader is to see it; NULL: not said */
    const report_parameter *parameters;
    /* In the order in which their values are given; their sizes add up to m */
    const report_output *outputs;
    const report_data *data;
    const char *objective; /* NULL: a function */
    const char *const *constraints;
    const report_run *runs; /* one for each trial; NULL: nothing is known */
    int parameter_count, output_count, data_count, constraint_count;
    gofh_sense sense;
    int budget; /* 0: no limit */
    int quick;  /* without a model, which takes its time */
    /* Of report_figures: those of one part alone, such as "sensitivity" (html.c); NULL: all. */
    const char *part;
} report_input;

/* Writes the report. Fails with a message where there is no memory, the study fails, or the file
 * can't be written. */
gofh_status report_html(FILE *file, const report_input *input, gofh_error *error);

/* Writes each figure of it to `folder`, which is there: its drawing, as wide as a column of a paper, to
 * <id>.svg and its numbers to <id>.csv. *ids gets their names, *count of them; the caller frees it. */
enum { REPORT_ID = 96 };
gofh_status report_figures(const char *folder, const report_input *input, char (**ids)[REPORT_ID], int *count,
                           gofh_error *error);

#endif
