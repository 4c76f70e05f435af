/* What space.c and space_moves.c share. */
#ifndef STUDY_SPACE_PARTS_H
#define STUDY_SPACE_PARTS_H

#include "study/space.h"

struct space {
    const domain *box;
    gofh_constraints *known; /* NULL: none */
    int count, equalities;   /* values of the known constraints, and how many must be 0 */
    int continuous;
    unsigned char *equal; /* of each value: whether it must be 0, to its tolerance, or 0 or above */
    double *range, *tolerance;
    double *x, *value, *in_x, *slope, *gram, *step, *wanted; /* workspace */
    int *active, *seen;                                      /* count each: workspace */
    double *bank;                                            /* bank_count x d: allowed points */
    int bank_count;
    double size;  /* as space_size */
    double *list; /* as space_points */
    double *block;
};

/* The values of the constraints at x; and their slopes in the cube, count x d, where a parameter
 * changes by `along`[d] with its coordinate. */
void space_values(space *s, const double *x, double *value);
void space_slopes(space *s, const double *x, const double *along, double *value, double *slope);
/* The first value that breaks its constraint, or -1. */
int space_meets(const space *s, const double *value);
/* space_repair without the bank. */
int space_approach(space *s, double *u, const unsigned char *held);
/* One random step among the allowed points, from one of them. */
void space_walk(space *s, random_stream *stream, double *u);

#endif
