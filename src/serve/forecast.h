/* What is expected of a study, by its model: of the runs under way, of the points that would be chosen
 * next, and whether there is a reason to stop. Of a fixed size, so that one process can send it to
 * another. */
#ifndef SERVE_FORECAST_H
#define SERVE_FORECAST_H

#include "gofh.h"

enum { FORECAST_OPEN_MAX = 20, FORECAST_NEXT_MAX = 4, FORECAST_MESSAGE = 1024, FORECAST_FAILURE = 512 };

typedef struct {
    long long trial; /* that is under way; 0: a point that would be next */
    char origin[32]; /* why this point */
    double gain; /* by how much f was, or is, expected to improve; NaN: not known, as in all that follow */
    double feasible;     /* the probability that the constraints hold */
    double f, low, high; /* the model's mean without the constraints, and its 95 % */
    double x[GOFH_MAX_PARAMETERS];
} forecast_point;

typedef struct {
    int known;      /* 0: there is no forecast yet */
    int results;    /* trials that had ended when it was made */
    double seconds; /* of processor time that it took */
    int count;      /* of points: those under way, then the next ones */
    forecast_point points[FORECAST_OPEN_MAX + FORECAST_NEXT_MAX];
    int stops; /* a positive gofh_status: why there is no next point; or 0 */
    int assessed, success;
    char failure[FORECAST_FAILURE]; /* why none could be made; "": there is no failure */
    char message[FORECAST_MESSAGE]; /* gofh_assessment.message where `assessed`; else why there is no model */
} forecast;

#endif
