/* Values of choices, and ordered ones, that the emulator can't rule out. A value that was hardly
 * evaluated has next to no probability, not because it does not fit: the mean of the likelihood over what h
 * may be there is small where that can be much (docs/posterior.md). */
#ifndef INFER_VALUES_H
#define INFER_VALUES_H

#include "infer/likelihood.h"

typedef struct {
    int coordinate, value;  /* of a point of the posterior */
    int parameter;          /* of the user */
    int done, open, failed; /* trials that have it */
    double rise;            /* by how much its probability may be larger than the posterior says */
} infer_doubt;

/* Whether coordinate k of a point has values that are looked at one by one. */
int values_are_doubted(const likelihood *l, int k);
/* So many evaluations of a choice, or of one of few ordered values, let the emulator speak of it: as fix a
 * linear function of the intervals, and one that can contradict it. */
int values_enough(const likelihood *l);
/* What may be of a value of coordinate k. states: points of the posterior, count x dimension. The model must
 * be entered. */
gofh_status values_doubt(likelihood *l, const double *states, int count, int k, int value,
                         infer_doubt *doubt);

#endif
