/* Charts as files of their own: the drawing, and its numbers as CSV. */
#ifndef REPORT_CHART_FILES_H
#define REPORT_CHART_FILES_H

#include "report/chart.h"

/* Opens both; what can't be opened is an error of c->files, and the drawing then goes to c->file as
 * before. */
void chart_files_begin(chart *c, const char *x_title, const char *y_title);
/* Closes what was opened. */
void chart_files_end(chart *c);
/* A line of the CSV, where there is one; a NaN is an empty cell. */
void chart_record(const chart *c, const char *class, double x, double y, double low, double high);

#endif
