/* The report of a study: one HTML file that needs nothing else, neither network nor scripts. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "gofh.h"

#include <stdio.h>

/* Values of a discrete parameter that are shown at most. */
enum { REPORT_VALUES_MAX = 64 };

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

/* What is reported. The trials come from the study; the rest is what it does not know. Texts are in
 * UTF-8 and may hold anything: they are escaped. */
typedef struct {
    gofh_study *study;
    const char *title;
    const char *made; /* when, as the reader is to see it; NULL: not said */
    const report_parameter *parameters;
    int parameter_count;
    /* In the order in which their values are given; their sizes add up to m */
    const report_output *outputs;
    int output_count;
    const report_data *data;
    int data_count;
    const char *objective; /* NULL: a function */
    gofh_sense sense;
    const char *const *constraints;
    int constraint_count;
    int budget; /* 0: no limit */
} report_input;

/* Writes the report. Fails with a message where there is no memory, the study fails, or the file
 * can't be written. */
gofh_status report_html(FILE *file, const report_input *input, gofh_error *error);

#endif
