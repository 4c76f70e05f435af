/* A curve of more points than a chart has columns: from its lowest to its highest value in each
 * column, as an area. */
#ifndef REPORT_ENVELOPE_H
#define REPORT_ENVELOPE_H

#include "report/chart.h"

/* Columns are 2 wide, and no chart is wider than 800. */
enum { ENVELOPE_MAX = 400 };

typedef struct {
    int columns, size; /* size: how many values the curve has, at 0 to size - 1 */
    double at[ENVELOPE_MAX], low[ENVELOPE_MAX], high[ENVELOPE_MAX]; /* NaN: nothing in this column */
} envelope;

/* Whether a curve of so many points is drawn as one. */
int envelope_needed(int size);
/* An empty one for a chart. */
void envelope_begin(envelope *e, const chart *c, int size);
/* The value at `index` covers low to high; one that is not finite is left out. */
void envelope_add(envelope *e, int index, double low, double high);
/* Makes columns that lie side by side touch, as the line through their values does. */
void envelope_join(envelope *e);
/* An area for each run of columns that have values inside the chart's frame. */
void envelope_draw(const envelope *e, chart *c, const char *class);

#endif
