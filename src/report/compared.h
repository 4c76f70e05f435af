/* Which data the objective compares an output with. */
#ifndef REPORT_COMPARED_H
#define REPORT_COMPARED_H

#include "report/gather.h"

typedef struct {
    gofh_comparison *list; /* all of them */
    int list_count;
    int *of; /* which of them are of the output at hand */
    int count;
} compared;

/* Collects them; compared_free whatever the status was. */
gofh_status compared_gather(const report *r, compared *c);
void compared_free(compared *c);
/* Takes an output at hand, whose first element is `first` of all. Returns how many there are. */
int compared_take(compared *c, const report_output *output, int first);
/* The i-th of the output at hand. */
const gofh_comparison *compared_at(const compared *c, int i);
/* What is known of the data that it is compared with; NULL: nothing, or they are several. */
const report_data *compared_data(const report *r, const compared *c, const report_output *output);

/* Where element j is on the axis of such data; their name, or "element"; and "temperature (K)" of their
 * values, the output's name where nothing is known. */
double compared_place(const report_data *data, int j);
const char *compared_place_title(const report_data *data);
const char *compared_value_title(const report_data *data, const report_output *output,
                                 char title[REPORT_NAME]);
/* The axis of the places. */
chart_axis compared_axis(const report_data *data, int size);

#endif
