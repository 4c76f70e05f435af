/* The ticks of a chart's axes and their numbers. */
#ifndef REPORT_CHART_AXIS_H
#define REPORT_CHART_AXIS_H

#include "report/chart.h"

enum { AXIS_TICKS = 64 };

/* Ticks of an axis that is `length` long, about so far apart; at words, where it has them, if need be not
 * at all. Returns how many they are. */
int axis_ticks(const chart_axis *axis, double length, double apart, double *tick);
/* A tick's number, with the digits that tell it from the next; or its word, cut to `most` characters. */
void axis_number(const chart_axis *axis, const double *tick, int count, int i, int most, char *text,
                 size_t size);

#endif
