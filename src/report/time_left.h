/* How long a study will take on, from how long its runs took. */
#ifndef REPORT_TIME_LEFT_H
#define REPORT_TIME_LEFT_H

typedef struct {
    const double *ended; /* seconds of the runs that are over */
    int ended_count;
    const double *running; /* seconds so far of those that are not */
    int running_count;
    int left;      /* runs that have not begun */
    int parallel;  /* runs at once */
    double asking; /* seconds that the choice of a point takes */
} time_facts;

/* The median of the seconds until all are over, with run times that are log-normal like those so far,
 * each run beginning when a place is free. NaN where nothing is known: no run is over. */
double time_left(const time_facts *facts);

#endif
