/* What space.c and space_moves.c share. */
#ifndef STUDY_SPACE_PARTS_H
#define STUDY_SPACE_PARTS_H

#include "study/space.h"

struct space {
    const domain *box;
    gofh_constraints *known; /* NULL: none */
    int count, equalities;   /* values of the known constraints, and how many must be 0 */
    int continuous;
    unsigned char *equal;    /* of each value: whether it must be 0, to its tolerance, or 0 or above; */
    unsigned char *relative; /* and whether that tolerance is a part of its size at the point, if less */
    double *range, *tolerance;
    /* Whether searches compare logarithms, for there are tolerances that other steps do not get to: the
     * range of that of its sides' ratio; 0: not of this value. */
    int logs;
    double *log_range;
    double *unit, *within; /* range and tolerance of what space_take_logs gave */
    double *x, *value, *in_x, *slope, *gram, *step, *wanted, *ratio, *ratio_in_x, *spare; /* workspace */
    int *active, *seen;         /* count each: workspace */
    double *bank;               /* bank_count x d: allowed points */
    int bank_count, bank_found; /* the first of them were found, the others are walks from those */
    double size;                /* as space_size */
    double *list;               /* as space_points */
    double *block;
};

/* The values of the constraints at x; and their slopes in the cube, count x d, where a parameter
 * changes by `along`[d] with its coordinate. */
void space_values(space *s, const double *x, double *value);
void space_slopes(space *s, const double *x, const double *along, double *value, double *slope);
/* The first of the values at x that breaks its constraint, or -1. */
int space_meets(space *s, const double *x, const double *value);
/* For a search, the logarithm of the ratio of the sides in place of their difference, where that is what is
 * nearly linear in the cube; along and slope may be NULL, else they are those of space_slopes before it. */
void space_take_logs(space *s, const double *x, const double *along, double *value, double *slope);
/* space_repair without the bank. */
int space_approach(space *s, double *u, const unsigned char *held);
/* Fills size and list. Returns -1: no memory. */
int space_list(space *s);
/* The nearest point of the list, as space_repair. */
int space_to_listed(const space *s, double *u, const unsigned char *held);
/* One random step among the allowed points, from one of them. */
void space_walk(space *s, random_stream *stream, double *u);

#endif
