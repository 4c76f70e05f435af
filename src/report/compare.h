/* Several studies beside each other: one HTML file like the report. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/html.h"

enum { COMPARE_MAX = 6 };

/* Of 2 to COMPARE_MAX studies. Fails as report_html does. */
gofh_status compare_html(FILE *file, const report_input *inputs, int count, gofh_error *error);

#endif
