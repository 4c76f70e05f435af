#include "report/envelope.h"

#include <math.h>

enum { POINTS_MAX = 500, COLUMN = 2 };

int envelope_needed(int size)
{
    return size > POINTS_MAX;
}

void envelope_begin(envelope *e, const chart *c, int size)
{
    int columns = (int)(c->width / COLUMN);
    e->columns = columns < ENVELOPE_MAX ? columns : ENVELOPE_MAX;
    if (e->columns > size) e->columns = size;
    e->size = size;
    for (int k = 0; k < e->columns; k++) {
        e->at[k] = (k + 0.5) * size / e->columns - 0.5;
        e->low[k] = e->high[k] = NAN;
    }
    /* The curve begins and ends where its first and last value are. */
    e->at[0] = 0.0;
    e->at[e->columns - 1] = size - 1;
}

void envelope_add(envelope *e, int index, double low, double high)
{
    int k = (int)((long long)index * e->columns / e->size);
    if (!isfinite(low) || !isfinite(high)) return;
    e->low[k] = isnan(e->low[k]) ? low : fmin(e->low[k], low);
    e->high[k] = isnan(e->high[k]) ? high : fmax(e->high[k], high);
}

void envelope_join(envelope *e)
{
    for (int k = 1; k < e->columns; k++) {
        if (isnan(e->low[k - 1]) || isnan(e->low[k])) continue;
        if (e->low[k] > e->high[k - 1])
            e->high[k - 1] = e->low[k] = 0.5 * e->low[k] + 0.5 * e->high[k - 1];
        else if (e->high[k] < e->low[k - 1])
            e->low[k - 1] = e->high[k] = 0.5 * e->high[k] + 0.5 * e->low[k - 1];
    }
}

/* Nothing is drawn of a column that has no value inside the frame, where it would be held. */
static int is_seen(const envelope *e, const chart *c, int k)
{
    return !isnan(e->low[k]) && e->low[k] <= c->y.high && e->high[k] >= c->y.low;
}

void envelope_draw(const envelope *e, chart *c, const char *class)
{
    for (int begin = 0, end; begin < e->columns; begin = end + 1) {
        end = begin;
        while (end < e->columns && is_seen(e, c, end)) end++;
        if (end > begin) chart_band(c, class, e->at + begin, e->low + begin, e->high + begin, end - begin);
    }
}
