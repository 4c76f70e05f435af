/* Minimisation along a ray by the weak Wolfe conditions: bracketing, with interpolation while the
 * function looks smooth and bisection after that, so that a kink is found too (Lewis and Overton
 * 2013). It asks for one evaluation at a time. */
#ifndef SEARCH_LINE_SEARCH_H
#define SEARCH_LINE_SEARCH_H

enum { LINE_SEARCH_EVALUATIONS = 20 };

typedef struct {
    double step, value, slope;
} line_search_point;

typedef struct {
    line_search_point start;
    line_search_point
        low; /* the longest step known to be too short: it decreases enough, and falls steeply */
    /* The shortest known to be too long; its step is infinite while there is none */
    line_search_point high;
    double longest;
    double step; /* where to evaluate next */
    int evaluations;
    double rounding; /* values this close, relatively, are the same */
} line_search;

typedef enum {
    LINE_SEARCH_ACCEPT,    /* the step just evaluated will do */
    LINE_SEARCH_SHORTEN,   /* go on at line->step; the step just evaluated is not kept */
    LINE_SEARCH_LENGTHEN,  /* go on at line->step; the step just evaluated is the new line->low */
    LINE_SEARCH_TAKE_LOW,  /* no more evaluations: line->low is the best there is */
    LINE_SEARCH_TAKE_THIS, /* no more evaluations: the step just evaluated is the best there is */
    LINE_SEARCH_FAILED     /* no more evaluations, and no step decreases the function */
} line_search_verdict;

/* slope < 0; 0 < first <= longest, which may be infinite. */
void line_search_begin(line_search *line, double value, double slope, double first, double longest,
                       double rounding);

/* What was found at line->step. A value of plus infinity is outside the domain, and its slope is
 * not looked at. */
line_search_verdict line_search_tell(line_search *line, double value, double slope);

#endif
