#include "search/line_search.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const double DECREASE = 1e-4; /* Armijo's constant */
static const double CURVATURE = 0.9; /* Wolfe's */
/* Of the bracket, next to its ends, that interpolation avoids */
static const double MARGIN = 0.1;
static const double RETREAT = 0.25; /* of the bracket, when its far end is outside the domain */
static const double GROWTH_MIN = 2, GROWTH_MAX = 10;
enum { INTERPOLATIONS = 6 }; /* after so many evaluations the function is treated as not smooth */

void line_search_begin(line_search *line, double value, double slope, double first, double longest,
                       double rounding)
{
    line->start = line->low = (line_search_point){.step = 0, .value = value, .slope = slope};
    line->high = (line_search_point){.step = INFINITY, .value = INFINITY, .slope = NAN};
    line->longest = longest;
    line->step = first;
    line->evaluations = 0;
    line->rounding = rounding;
}

/* Armijo's condition. Where the decrease it asks for is lost in rounding, the slope tells more than
 * the value does (the approximate Wolfe condition of Hager and Zhang 2005): without it no minimum
 * whose value is not 0 is found to better than the square root of the machine precision. */
static bool decreases(const line_search *line, line_search_point at)
{
    const line_search_point *start = &line->start;
    if (at.value <= start->value + DECREASE * at.step * start->slope) return true;
    return at.value <= start->value + line->rounding * fabs(start->value) &&
           at.slope <= (2 * DECREASE - 1) * start->slope;
}

/* The minimiser of the cubic through the values and slopes at both ends of the bracket, NaN when
 * there is none. */
static double cubic(line_search_point a, line_search_point b)
{
    double width = b.step - a.step;
    double theta = 3 * (a.value - b.value) / width + a.slope + b.slope;
    double root = sqrt(theta * theta - a.slope * b.slope);
    return a.step + width * (root - theta - a.slope) / (b.slope - a.slope + 2 * root);
}

static double inside(const line_search *line)
{
    double width = line->high.step - line->low.step;
    if (!isfinite(line->high.value)) return line->low.step + RETREAT * width;
    double step = line->evaluations < INTERPOLATIONS ? cubic(line->low, line->high) : NAN;
    if (isnan(step)) return line->low.step + 0.5 * width;
    return fmin(fmax(step, line->low.step + MARGIN * width), line->high.step - MARGIN * width);
}

/* By the secant of the slopes, from the last two points of the ray. */
static double beyond(const line_search *line, line_search_point before)
{
    double step = line->low.step, rise = line->low.slope - before.slope;
    double guess = rise > 0 ? step - line->low.slope * (step - before.step) / rise : GROWTH_MAX * step;
    guess = fmin(fmax(guess, GROWTH_MIN * step), GROWTH_MAX * step);
    return fmin(guess, line->longest);
}

line_search_verdict line_search_tell(line_search *line, double value, double slope)
{
    line_search_point at = {.step = line->step, .value = value, .slope = slope};
    bool last = ++line->evaluations == LINE_SEARCH_EVALUATIONS;
    if (!decreases(line, at)) {
        line->high = at;
        if (last) return line->low.step > 0 ? LINE_SEARCH_TAKE_LOW : LINE_SEARCH_FAILED;
        line->step = inside(line);
        return LINE_SEARCH_SHORTEN;
    }
    if (slope >= CURVATURE * line->start.slope || at.step >= line->longest) return LINE_SEARCH_ACCEPT;
    if (last) return LINE_SEARCH_TAKE_THIS;
    line_search_point before = line->low;
    line->low = at;
    line->step = isinf(line->high.step) ? beyond(line, before) : inside(line);
    return LINE_SEARCH_LENGTHEN;
}
