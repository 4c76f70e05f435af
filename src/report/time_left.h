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

/* A factor that an estimate is to be right within. */
#define TIME_FACTOR 1.5
/* It is said as one number where it is, with this probability; else as a range. */
#define TIME_SURE 0.8

typedef struct {
    double seconds;   /* the median; NaN where nothing is known: no run is over */
    double low, high; /* with a probability of 0.8 it is between these */
    double sure;      /* the probability that the median is right within TIME_FACTOR */
} time_estimate;

/* The seconds until all runs are over, each beginning when a place is free, with run times that are
 * log-normal: the median of futures with the likeliest such distribution, and an interval of futures
 * drawn from its posterior, given the runs so far. */
time_estimate time_left(const time_facts *facts);

#endif
